/* SPDX-License-Identifier: BSD-3-Clause */
/* What is behind the address of a service file, when it is no daemon, or not the right one. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "test.h"
#include "urom/auth/auth_proof.h"
#include "urom_fake.h"
#include "urom_host.h"
#include "urom_rig.h"

#define MAX_WAIT_NS UINT64_C(14000000000)
#define MIN_WAIT_NS UINT64_C(8000000000)

/* trap 70 */
static void nobody_at_the_port_fails_at_once_and_the_object_stays_good(void **state)
{
	struct urom_host host;
	struct urom_rig rig;

	(void)state;
	urom_rig_init_stopped(&rig, NULL);
	urom_host_init(&host);
	for (unsigned int i = 0; i < 3; i++) {
		assert_refused(doca_ctx_start(host.service_ctx), DOCA_ERROR_NOT_CONNECTED,
			       "127.0.0.1:1");
		assert_heard(&host.heard, "");
		assert_int_equal(urom_host_state(host.service_ctx), DOCA_CTX_STATE_IDLE);
	}
	urom_rig_start(&rig);
	urom_host_start(&host);
	urom_host_check_echo(&host, urom_host_run_worker(&host, 1));
	urom_host_fini(&host);
	urom_rig_fini(&rig);
}

/* A peer that the script plays, and what a start makes of it. */
static void check_peer(urom_fake_script_t script, const void *arg, doca_error_t error,
		       const char *part)
{
	struct urom_fake fake;
	struct urom_host host;
	struct urom_rig rig;

	urom_rig_init_stopped(&rig, NULL);
	urom_fake_start(&fake, script, arg);
	urom_rig_write_service(&rig, fake.address);
	urom_host_init(&host);
	assert_refused(doca_ctx_start(host.service_ctx), error, part);
	assert_heard(&host.heard, "");
	assert_int_equal(urom_host_state(host.service_ctx), DOCA_CTX_STATE_IDLE);
	urom_fake_stop(&fake);
	urom_rig_start(&rig);
	urom_host_start(&host);
	urom_host_fini(&host);
	urom_rig_fini(&rig);
}

static void say_nothing(struct urom_fake *fake)
{
	(void)urom_fake_receive(fake, WIRE_HELLO, NULL);
	urom_fake_receive_end(fake);
}

/* trap 70 */
static void peer_that_never_answers_is_given_up(void **state)
{
	uint64_t begin = test_now_ns();

	(void)state;
	check_peer(say_nothing, NULL, DOCA_ERROR_TIME_OUT, "127.0.0.1:");
	assert_in_range(test_now_ns() - begin, MIN_WAIT_NS, MAX_WAIT_NS);
}

/* Pieces of a message that never ends, as fast as they go; each of them is in order. */
static void send_pieces_for_ever(struct urom_fake *fake)
{
	const struct wire_header piece = { .type = WIRE_WELCOME, .has_more = true, .id = 1 };
	struct pollfd watched = { .fd = fake->stream.fd, .events = POLLOUT };
	uint8_t bytes[512 * WIRE_HEADER_SIZE];

	for (size_t at = 0; at < sizeof(bytes); at += WIRE_HEADER_SIZE)
		wire_header_encode(&piece, bytes + at);
	do
		assert_int_equal(poll(&watched, 1, (int)(MAX_WAIT_NS / 1000000)), 1);
	while (send(fake->stream.fd, bytes, sizeof(bytes), MSG_NOSIGNAL) > 0);
}

static void peer_that_never_ends_is_given_up(void **state)
{
	uint64_t begin = test_now_ns();

	(void)state;
	check_peer(send_pieces_for_ever, NULL, DOCA_ERROR_TIME_OUT, "127.0.0.1:");
	assert_in_range(test_now_ns() - begin, MIN_WAIT_NS, MAX_WAIT_NS);
}

static void hang_up(struct urom_fake *fake)
{
	(void)urom_fake_receive(fake, WIRE_HELLO, NULL);
}

static void peer_that_hangs_up_is_no_connection(void **state)
{
	(void)state;
	check_peer(hang_up, NULL, DOCA_ERROR_NOT_CONNECTED, "before it has said a word");
}

/* Shows that it has the secret of the host's cookie, and no more. */
static void challenge_and_hang_up(struct urom_fake *fake)
{
	struct auth_context context = { .version = WIRE_VERSION_MAX, .role = WIRE_ROLE_HOST };
	uint8_t bytes[AUTH_PROOF_SIZE];
	struct wire_challenge challenge = {
		.magic = WIRE_MAGIC,
		.version = WIRE_VERSION_MAX,
		.auth = WIRE_AUTH_COOKIE,
		.proof = { bytes, sizeof(bytes) },
	};
	struct auth_cookie cookie;
	struct auth_reason reason;
	struct wire_hello hello;
	uint64_t id = urom_fake_receive(fake, WIRE_HELLO, &hello);

	context.version_min = hello.version_min;
	context.version_max = hello.version_max;
	context.method = hello.auth;
	memcpy(context.hello_nonce, hello.nonce, sizeof(hello.nonce));
	assert_success(auth_cookie_load(getenv("DOCA_UROM_COOKIE"), &cookie, &reason));
	auth_proof_make(cookie.secret, &context, AUTH_DAEMON, bytes);
	urom_fake_send(fake, WIRE_CHALLENGE, id, &challenge);
	(void)urom_fake_receive(fake, WIRE_PROOF, NULL);
}

static void peer_that_hangs_up_on_a_proof_has_said_something(void **state)
{
	(void)state;
	check_peer(challenge_and_hang_up, NULL, DOCA_ERROR_NOT_CONNECTED,
		   "hangs up in the middle of the handshake");
}

static void send_text(struct urom_fake *fake)
{
	(void)urom_fake_receive(fake, WIRE_HELLO, NULL);
	urom_fake_send_bytes(fake, fake->arg, strlen(fake->arg));
	urom_fake_receive_end(fake);
}

/* trap 70 */
static void peer_that_speaks_something_else_is_told_apart(void **state)
{
	static const char *const texts[] = {
		"HTTP/1.1 400 Bad Request\r\nServer: none\r\n\r\n",
		"SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n",
		"220 mail.example ESMTP, and a lot of other things\r\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		check_peer(send_text, texts[i], DOCA_ERROR_CONNECTION_ABORTED, "127.0.0.1:");
}

static void refuse(struct urom_fake *fake)
{
	uint64_t id = urom_fake_receive(fake, WIRE_HELLO, NULL);

	urom_fake_send(fake, WIRE_REFUSED, id, fake->arg);
	urom_fake_receive_end(fake);
}

#define REASON "because the test says so"

/* trap 70 */
static void version_that_nobody_here_speaks_is_told(void **state)
{
	const struct wire_refused refused = {
		.magic = WIRE_MAGIC,
		.version_min = WIRE_VERSION_MAX + 1,
		.version_max = WIRE_VERSION_MAX + 2,
		.error = DOCA_ERROR_UNSUPPORTED_VERSION,
		.reason = { REASON, sizeof(REASON) - 1 },
	};

	(void)state;
	check_peer(refuse, &refused, DOCA_ERROR_UNSUPPORTED_VERSION, "2 to 3");
}

static void refusal_is_passed_on(void **state)
{
	static const doca_error_t errors[] = { DOCA_ERROR_AUTHENTICATION,
					       DOCA_ERROR_INVALID_VALUE };

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		const struct wire_refused refused = {
			.magic = WIRE_MAGIC,
			.version_min = WIRE_VERSION_MIN,
			.version_max = WIRE_VERSION_MAX,
			.error = errors[i],
			.reason = { REASON, sizeof(REASON) - 1 },
		};

		check_peer(refuse, &refused, errors[i], REASON);
	}
}

/* What would mean something else to the caller of a start than that it has failed. */
static void refusal_without_an_error_is_a_failure_all_the_same(void **state)
{
	static const uint32_t errors[] = { DOCA_SUCCESS, DOCA_ERROR_AGAIN, DOCA_ERROR_IN_PROGRESS,
					   UINT32_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		const struct wire_refused refused = {
			.magic = WIRE_MAGIC,
			.version_min = WIRE_VERSION_MIN,
			.version_max = WIRE_VERSION_MAX,
			.error = errors[i],
			.reason = { REASON, sizeof(REASON) - 1 },
		};

		check_peer(refuse, &refused, DOCA_ERROR_CONNECTION_ABORTED, REASON);
	}
}

static void welcome(struct urom_fake *fake)
{
	uint64_t id = urom_fake_receive(fake, WIRE_HELLO, NULL);

	urom_fake_send(fake, WIRE_WELCOME, id, fake->arg);
	urom_fake_receive_end(fake);
}

static void other_magic_is_no_daemon(void **state)
{
	const struct wire_welcome other = { .magic = WIRE_MAGIC + 1, .version = WIRE_VERSION_MAX };

	(void)state;
	check_peer(welcome, &other, DOCA_ERROR_CONNECTION_ABORTED, "WELCOME");
}

static void version_that_was_not_offered_is_refused(void **state)
{
	const struct wire_welcome newer = { .magic = WIRE_MAGIC,
					    .version = WIRE_VERSION_MAX + 1,
					    .max_message = 4096 };

	(void)state;
	check_peer(welcome, &newer, DOCA_ERROR_CONNECTION_ABORTED, "WELCOME");
}

static void send_wrong_message(struct urom_fake *fake)
{
	uint64_t id = urom_fake_receive(fake, WIRE_HELLO, NULL);

	urom_fake_send(fake, WIRE_WORKER_STOPPED, id, &(struct wire_empty){ 0 });
	urom_fake_receive_end(fake);
}

static void answer_that_does_not_belong_there_is_no_handshake(void **state)
{
	(void)state;
	check_peer(send_wrong_message, NULL, DOCA_ERROR_CONNECTION_ABORTED, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nobody_at_the_port_fails_at_once_and_the_object_stays_good),
		TEST(peer_that_never_answers_is_given_up),
		TEST(peer_that_never_ends_is_given_up),
		TEST(peer_that_hangs_up_is_no_connection),
		TEST(peer_that_hangs_up_on_a_proof_has_said_something),
		TEST(peer_that_speaks_something_else_is_told_apart),
		TEST(version_that_nobody_here_speaks_is_told),
		TEST(refusal_is_passed_on),
		TEST(refusal_without_an_error_is_a_failure_all_the_same),
		TEST(other_magic_is_no_daemon),
		TEST(version_that_was_not_offered_is_refused),
		TEST(answer_that_does_not_belong_there_is_no_handshake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
