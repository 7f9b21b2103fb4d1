/* SPDX-License-Identifier: BSD-3-Clause */
/* Two processes: what one sends, the other gets, and when one is killed, the other hears of it. */
#include "chan_contract.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/export.h"

#define SOON_NS     UINT64_C(10000000000)
#define STAND_NS    UINT64_C(3000000000)
#define HEX_BYTES   (2 * CHAN_MAX_ADDR + 1)
#define LONG        (1u << 20)
#define NUM_LONG    24
#define PEER_LIFE_S 60

static void echo(struct chan_link *link, const struct wire_command *command, uint64_t id)
{
	contract_send(link, id, command->payload.len);
}

/* --- The peer: this program once more, "KIND [ADDRESS]" --- */

static void peer_run(struct chan_end *end)
{
	struct pollfd watched = { .fd = chan_get_fd(end->chan), .events = POLLIN };

	for (;;) {
		if (!chan_progress(end->chan) && chan_arm(end->chan))
			(void)poll(&watched, 1, -1);
	}
}

/* Listens, tells where, and sends all back. */
static void peer_listen(struct chan_end *end)
{
	uint8_t addr[CHAN_MAX_ADDR];
	size_t len;

	contract_listen(end);
	assert_success(chan_get_address(end->chan, addr, &len));
	for (size_t i = 0; i < len; i++)
		printf("%02x", addr[i]);
	printf("\n");
	fflush(stdout);
}

static size_t from_hex(const char *text, uint8_t *bytes)
{
	size_t len = strcspn(text, "\n") / 2;

	for (size_t i = 0; i < len; i++) {
		const char digits[] = { text[2 * i], text[2 * i + 1], '\0' };

		bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return len;
}

static int peer_main(char **args)
{
	static struct chan_end end = { .on_received = echo };
	uint8_t addr[CHAN_MAX_ADDR];

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(PEER_LIFE_S);
	contract_open(&end, (enum chan_kind)strtoul(args[0], NULL, 10));
	if (args[1] == NULL)
		peer_listen(&end);
	else
		contract_send(contract_connect_to(&end, addr, from_hex(args[1], addr)), 1, 10);
	peer_run(&end);
	return 0;
}

/* --- Its parent --- */

struct peer {
	pid_t pid;
	int out; /* what it prints */
};

static void exec_peer(const struct chan_contract *contract, const char *addr, int out)
{
	char kind[16];

	(void)snprintf(kind, sizeof(kind), "%d", (int)contract->kind);
	if (dup2(out, STDOUT_FILENO) >= 0)
		(void)execl("/proc/self/exe", "peer", kind, addr, (char *)NULL);
	_exit(127);
}

/* addr: where it connects; NULL: it listens. */
static struct peer peer_start(const struct chan_contract *contract, const char *addr)
{
	struct peer peer;
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	fflush(NULL);
	peer.pid = fork();
	if (peer.pid == 0)
		exec_peer(contract, addr, ends[1]);
	assert_true(peer.pid > 0);
	close(ends[1]);
	peer.out = ends[0];
	return peer;
}

static void peer_kill(struct peer *peer)
{
	int status;

	assert_int_equal(kill(peer->pid, SIGKILL), 0);
	assert_int_equal(waitpid(peer->pid, &status, 0), peer->pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	close(peer->out);
}

static struct chan_link *connect_to_peer(struct chan_contract *contract, const struct peer *peer)
{
	char hex[HEX_BYTES + 1] = "";
	uint8_t addr[CHAN_MAX_ADDR];
	size_t len = 0;
	ssize_t got;

	do {
		got = read(peer->out, hex + len, sizeof(hex) - 1 - len);
		assert_true(got > 0);
		len += (size_t)got;
	} while (strchr(hex, '\n') == NULL);
	return contract_connect_to(&contract->host, addr, from_hex(hex, addr));
}

static void assert_reset_soon(struct chan_contract *contract, const struct chan_link *link)
{
	uint64_t begun_ns = test_now_ns();

	contract_drive_until(contract, link->num_closed > 0);
	assert_in_range(test_now_ns() - begun_ns, 0, SOON_NS);
	contract_settle(contract);
	assert_int_equal(link->num_closed, 1);
	assert_error(link->why, DOCA_ERROR_CONNECTION_RESET);
}

static void messages_pass_between_processes(struct chan_contract *contract)
{
	static const size_t sizes[] = { 0, 1, 4096, 64u << 10, 1u << 20, 16u << 20 };
	struct peer peer = peer_start(contract, NULL);
	struct chan_link *link = connect_to_peer(contract, &peer);

	for (size_t i = 0; i < CORE_ARRAY_LEN(sizes); i++)
		contract_send(link, i + 1, sizes[i]);

	contract_drive_until(contract, link->num_received == CORE_ARRAY_LEN(sizes));
	assert_false(link->is_unordered);
	if (contract->kind == CHAN_UCX)
		assert_null(strstr(chan_get_transport(link->conn), "tcp"));
	contract_disconnect(link);
	peer_kill(&peer);
}

static void killed_acceptor_is_missed(struct chan_contract *contract)
{
	struct peer peer = peer_start(contract, NULL);
	struct chan_link *link = connect_to_peer(contract, &peer);

	contract_send(link, 1, 10);
	contract_drive_until(contract, link->num_received == 1);
	contract_settle(contract);

	peer_kill(&peer);

	assert_reset_soon(contract, link);
}

static void killed_connector_is_missed(struct chan_contract *contract)
{
	char hex[HEX_BYTES + 1] = "";
	uint8_t addr[CHAN_MAX_ADDR];
	const struct chan_link *accepted = &contract->worker.links[0];
	struct peer peer;
	size_t len;

	assert_success(chan_get_address(contract->worker.chan, addr, &len));
	for (size_t i = 0; i < len; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", addr[i]);
	peer = peer_start(contract, hex);
	contract_drive_until(contract, contract->worker.num_received == 1);
	contract_settle(contract);

	peer_kill(&peer);

	assert_reset_soon(contract, accepted);
}

static void peer_killed_in_the_middle_of_messages_is_missed(struct chan_contract *contract)
{
	struct peer peer = peer_start(contract, NULL);
	struct chan_link *link = connect_to_peer(contract, &peer);

	contract_send(link, 1, 10);
	contract_drive_until(contract, link->num_received == 1);
	assert_int_equal(kill(peer.pid, SIGSTOP), 0);
	for (uint64_t id = 2; id <= NUM_LONG; id++)
		contract_send(link, id, LONG);
	contract_settle(contract);

	peer_kill(&peer);

	assert_reset_soon(contract, link);
}

/* A worker in a long call of a plugin, or a host under a debugger. */
static void peer_that_stands_still_is_kept(struct chan_contract *contract)
{
	struct peer peer = peer_start(contract, NULL);
	struct chan_link *link = connect_to_peer(contract, &peer);
	uint64_t begun_ns;

	contract_send(link, 1, 10);
	contract_drive_until(contract, link->num_received == 1);
	assert_int_equal(kill(peer.pid, SIGSTOP), 0);
	contract_send(link, 2, 10);
	begun_ns = test_now_ns();
	while (test_now_ns() - begun_ns < STAND_NS)
		contract_settle(contract);
	assert_int_equal(link->num_closed, 0);

	assert_int_equal(kill(peer.pid, SIGCONT), 0);

	contract_drive_until(contract, link->num_received == 2);
	contract_disconnect(link);
	peer_kill(&peer);
}

static const struct chan_contract_test tests[] = {
	CONTRACT_FOR(kind_spans_processes, messages_pass_between_processes),
	CONTRACT_FOR(kind_spans_processes, killed_acceptor_is_missed),
	CONTRACT_FOR(kind_spans_processes, killed_connector_is_missed),
	CONTRACT_FOR(kind_spans_processes, peer_killed_in_the_middle_of_messages_is_missed),
	CONTRACT_FOR(kind_spans_processes, peer_that_stands_still_is_kept),
};

int main(int argc, char **argv)
{
	if (argc > 1)
		return peer_main(argv + 1);
	return contract_run(tests, CORE_ARRAY_LEN(tests));
}
