/* SPDX-License-Identifier: BSD-3-Clause */
/* Daemons and workers that say what real ones do not. */
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"
#include "urom/chan/chan.h"
#include "urom_fake.h"
#include "urom_host.h"
#include "urom_rig.h"

#define WORKER_ID  7
#define CONNECTION 5
#define PATIENCE   20000

struct played {
	struct urom_rig rig;
	struct urom_fake fake;
	struct urom_host host;
	struct doca_urom_worker *worker;
};

/* A host whose daemon plays the script, and a worker of it that is IDLE. */
static void begin(struct played *played, urom_fake_script_t script)
{
	urom_rig_init_stopped(&played->rig, NULL);
	urom_fake_start(&played->fake, script, NULL);
	urom_rig_write_service(&played->rig, played->fake.address);
	urom_host_init_running(&played->host);
	played->worker = urom_host_worker_of(&played->host, played->host.service, WORKER_ID, 1);
}

static void end(struct played *played)
{
	urom_host_fini(&played->host);
	urom_fake_stop(&played->fake);
	urom_rig_fini(&played->rig);
}

/* --- What scripts are made of --- */

/* Welcomes the host, and starts a worker for it that is played as well, and has got ATTACH. */
static void start_worker(struct urom_fake *fake, struct urom_fake *worker)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	socklen_t len = sizeof(addr);
	uint8_t channel[8] = { CHAN_TCP, 4 };
	struct wire_worker_started started = {
		.worker_id = WORKER_ID,
		.connection = CONNECTION,
		.channel_addr = { channel, sizeof(channel) },
	};
	int listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	uint64_t id;

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(listen_fd, (const struct sockaddr *)&addr, len), 0);
	assert_int_equal(listen(listen_fd, 1), 0);
	assert_int_equal(getsockname(listen_fd, (struct sockaddr *)&addr, &len), 0);
	memcpy(channel + 2, &addr.sin_port, 2);
	memcpy(channel + 4, &addr.sin_addr, 4);
	urom_fake_welcome(fake);
	id = urom_fake_receive(fake, WIRE_WORKER_START, NULL);
	urom_fake_send(fake, WIRE_WORKER_STARTED, id, &started);
	assert_true(test_is_readable(listen_fd, PATIENCE));
	chan_stream_init(&worker->stream, accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC));
	assert_true(worker->stream.fd >= 0);
	close(listen_fd);
	(void)urom_fake_receive(worker, WIRE_ATTACH, NULL);
}

static void answer_stop(struct urom_fake *fake, uint64_t connection)
{
	struct wire_worker_stop stop;
	uint64_t id = urom_fake_receive(fake, WIRE_WORKER_STOP, &stop);

	assert_int_equal(stop.connection, connection);
	urom_fake_send(fake, WIRE_WORKER_STOPPED, id, &(struct wire_empty){ 0 });
}

/* --- A worker that is lost as soon as it has come --- */

static void attach_and_babble(struct urom_fake *fake)
{
	static const uint16_t types[] = { WIRE_ATTACHED, WIRE_SHUTDOWN };
	uint8_t bytes[sizeof(types) / sizeof(types[0])][WIRE_HEADER_SIZE];
	struct urom_fake worker = { .listen_fd = -1 };

	start_worker(fake, &worker);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		wire_header_encode(&(struct wire_header){ .type = types[i] }, bytes[i]);
	urom_fake_send_bytes(&worker, bytes, sizeof(bytes)); /* so that they come together */
	urom_fake_receive_end(&worker);
	chan_stream_fini(&worker.stream);
	answer_stop(fake, CONNECTION);
	urom_fake_receive_end(fake);
}

/* trap 8 */
static void worker_that_is_lost_before_it_runs_goes_back_to_idle(void **state)
{
	struct played played;

	(void)state;
	begin(&played, attach_and_babble);
	urom_host_fail_worker(&played.host, played.worker, "nobody can understand");
	urom_host_destroy_worker(&played.host, played.worker);
	end(&played);
}

/* --- Answers that nobody waits for --- */

static void answer_nobody(struct urom_fake *fake)
{
	const struct wire_worker_started stray = { .worker_id = 99, .connection = 66 };
	const struct wire_empty empty = { 0 };
	struct urom_fake worker = { .listen_fd = -1 };

	start_worker(fake, &worker);
	urom_fake_send(&worker, WIRE_ATTACHED, 0, &empty);
	urom_fake_send(fake, WIRE_WORKER_STARTED, 0, &stray);
	urom_fake_send(fake, WIRE_WORKER_STOPPED, 0, &empty);
	answer_stop(fake, stray.connection);
	(void)urom_fake_receive(&worker, WIRE_DETACH, NULL);
	urom_fake_send(&worker, WIRE_DETACHED, 0, &empty);
	answer_stop(fake, CONNECTION);
	urom_fake_receive_end(&worker);
	chan_stream_fini(&worker.stream);
	urom_fake_receive_end(fake);
}

static void answer_without_a_question_is_for_no_worker(void **state)
{
	struct played played;

	(void)state;
	begin(&played, answer_nobody);
	urom_host_start_worker(&played.host, played.worker);
	assert_int_equal(urom_host_worker_id(played.worker), WORKER_ID);
	urom_host_stop_worker(&played.host, played.worker);
	end(&played);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(worker_that_is_lost_before_it_runs_goes_back_to_idle),
		TEST(answer_without_a_question_is_for_no_worker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
