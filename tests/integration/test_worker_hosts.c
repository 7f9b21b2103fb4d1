/* SPDX-License-Identifier: BSD-3-Clause */
/* Hosts of one worker: who is let in, who gets what, who goes. */
#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"
#include "worker_rig.h"

#define NUM_ROUNDS 1000
#define IN_FLIGHT  32
#define MAX_UNREAD 100000

static struct rig rig;
static struct rig_host one, other;

static int worker_begin(void **state)
{
	static const struct rig_config config = { 0 };

	rig_begin(state);
	rig_start(&rig, &config);
	return 0;
}

static int worker_end(void **state)
{
	rig_stop(&rig);
	return test_end(state);
}

static const uint8_t no_ticket[WIRE_TICKET_SIZE];

static void send_void(uint64_t connection)
{
	const struct wire_ticket_void gone = { .connection = connection };

	rig_send(&rig, WIRE_TICKET_VOID, 0, &gone);
}

static void a_wrong_ticket_is_refused(void **state)
{
	(void)state;
	rig_expect_log(&rig, "shows no ticket that is valid");
	host_open(&one, &rig, 0);
	host_show(&one, one.connection, no_ticket);
	host_wait(&one, &one.is_refused);
	host_wait_closed(&one);
	host_close(&one);
	host_attach(&other, &rig);
	host_check_quiet(&other, RIG_ID(0));
	host_close(&other);
}

static void a_ticket_is_good_once(void **state)
{
	(void)state;
	rig_expect_log(&rig, "shows no ticket that is valid");
	host_attach(&one, &rig);
	host_open(&other, &rig, 0);
	host_show(&other, one.connection, one.ticket);
	host_wait(&other, &other.is_refused);
	assert_false(other.is_attached);
	host_check_quiet(&one, RIG_ID(0));
	host_close(&other);
	host_close(&one);
}

static void a_wrong_try_does_not_spend_the_ticket(void **state)
{
	(void)state;
	rig_expect_log(&rig, "shows no ticket that is valid");
	host_open(&one, &rig, 0);
	host_open(&other, &rig, 0);
	host_show(&other, one.connection, no_ticket);
	host_wait(&other, &other.is_refused);
	host_show(&one, one.connection, one.ticket);
	host_wait(&one, &one.is_attached);
	host_close(&other);
	host_close(&one);
}

static void a_command_before_the_ticket_ends_the_connection(void **state)
{
	(void)state;
	rig_expect_log(&rig, "without a ticket is ended over a message COMMAND");
	host_open(&one, &rig, 0);
	host_send(&one, RIG_ID(0), 1, PLAY_ECHO, 0, NULL, 0);
	host_wait_closed(&one);
	assert_int_equal(one.num_notes, 0);
	host_close(&one);
}

static void a_message_that_is_none_of_a_host_s_ends_its_connection_alone(void **state)
{
	const struct wire_empty nothing = { 0 };

	(void)state;
	rig_expect_log(&rig, "disconnected over a message SHUTDOWN");
	host_attach(&one, &rig);
	host_attach(&other, &rig);
	assert_success(chan_send(one.conn, WIRE_SHUTDOWN, 0, &nothing));
	host_wait_closed(&one);
	host_check_quiet(&other, RIG_ID(0));
	host_close(&one);
	host_close(&other);
}

static void a_void_ticket_lets_nobody_in(void **state)
{
	(void)state;
	rig_expect_log(&rig, "shows no ticket that is valid");
	host_open(&one, &rig, 0);
	send_void(one.connection);
	host_attach(&other, &rig); /* by then the worker has seen it */
	host_show(&one, one.connection, one.ticket);
	host_wait(&one, &one.is_refused);
	host_close(&one);
	host_close(&other);
}

static void a_void_ticket_ends_a_connection_and_its_commands(void **state)
{
	(void)state;
	host_attach(&one, &rig);
	host_attach(&other, &rig);
	host_send(&one, RIG_ID(0), 1, PLAY_HOLD, 0, NULL, 0);
	(void)host_run(&one, RIG_ID(0), PLAY_ECHO, 0, NULL, 0, DOCA_SUCCESS);
	send_void(one.connection);
	send_void(4711);
	host_wait_closed(&one);
	/* The plugin answers what nobody waits for any more. */
	(void)host_run(&other, RIG_ID(0), PLAY_RELEASE, 0, NULL, 0, DOCA_SUCCESS);
	host_check_quiet(&other, RIG_ID(0));
	host_close(&one);
	host_close(&other);
	rig_check_log(&rig, "1 commands were outstanding");
}

/* The next round of a host: its own number comes back in each payload. */
static void send_round(struct rig_host *host, uint32_t round)
{
	const uint64_t bytes[2] = { host->connection, round };

	host_send(host, RIG_ID(0), round, round % 7 == 0 ? PLAY_BLOCK : PLAY_ECHO, 0, bytes,
		  sizeof(bytes));
}

static void check_round(struct rig_host *host, uint32_t round)
{
	const struct rig_note *note = host_take_end(host, round, DOCA_SUCCESS);
	const uint64_t bytes[2] = { host->connection, round };
	const struct play_block *block = (const void *)note->payload;

	if (round % 7 == 0) {
		assert_int_equal(block->dest_id, host->connection);
		return;
	}
	assert_int_equal(note->len, sizeof(bytes));
	assert_memory_equal(note->payload, bytes, sizeof(bytes));
}

static void two_hosts_do_not_hear_of_each_other(void **state)
{
	(void)state;
	host_attach(&one, &rig);
	host_attach(&other, &rig);
	assert_int_not_equal(one.connection, other.connection);
	for (uint32_t i = 0; i < NUM_ROUNDS + IN_FLIGHT; i++) {
		if (i < NUM_ROUNDS) {
			send_round(&one, i);
			send_round(&other, i);
		}
		if (i >= IN_FLIGHT) {
			check_round(&other, i - IN_FLIGHT);
			check_round(&one, i - IN_FLIGHT);
		}
	}
	host_close(&one);
	host_close(&other);
}

static void a_host_that_dies_leaves_the_other_alone(void **state)
{
	(void)state;
	host_attach(&one, &rig);
	host_attach(&other, &rig);
	for (uint32_t i = 0; i < 10; i++) {
		host_send(&one, RIG_ID(0), i, PLAY_HOLD, 0, NULL, 0);
		host_send(&other, RIG_ID(0), i, PLAY_HOLD, 0, &i, sizeof(i));
	}
	(void)host_run(&one, RIG_ID(0), PLAY_ECHO, 0, NULL, 0, DOCA_SUCCESS);
	host_send(&other, RIG_ID(0), 10, PLAY_ECHO, 0, NULL, 0);
	(void)host_take_end(&other, 10, DOCA_SUCCESS);
	host_close(&one);
	host_send(&other, RIG_ID(0), 11, PLAY_RELEASE, 0, NULL, 0);
	for (uint32_t i = 0; i < 10; i++)
		assert_memory_equal(host_take_end(&other, i, DOCA_SUCCESS)->payload, &i, sizeof(i));
	(void)host_take_end(&other, 11, DOCA_SUCCESS);
	host_check_quiet(&other, RIG_ID(0));
	/* And there is room for the next one. */
	host_attach(&one, &rig);
	host_check_quiet(&one, RIG_ID(0));
	host_close(&one);
	host_close(&other);
}

static int worker_begin_small(void **state)
{
	static const struct rig_config config = { .max_unread = "1048576" };

	rig_begin(state);
	rig_start(&rig, &config);
	return 0;
}

/* Asks for answers that nobody reads, until the worker has had enough. */
static void ask_without_reading(struct rig_host *host)
{
	const struct play_cmd command = { .op = PLAY_SIZED, .arg = 4000 };
	struct wire_command record = {
		.plugin = RIG_ID(0),
		.payload = { &command, sizeof(command) },
	};

	for (uint32_t i = 0; !test_is_readable(rig.control.fd, 0); i++) {
		assert_true(i < MAX_UNREAD);
		record.context = i;
		/* When the worker has ended the connection, it fails. */
		(void)chan_send(host->conn, WIRE_COMMAND, i, &record);
	}
}

static void a_host_that_does_not_read_is_ended_alone(void **state)
{
	struct wire_host_deaf deaf;

	(void)state;
	rig_expect_log(&rig, "does not read");
	host_attach(&one, &rig);
	host_attach(&other, &rig);
	host_send(&other, RIG_ID(0), 0, PLAY_HOLD, 0, "x", 1);
	ask_without_reading(&one);
	rig_take(&rig, WIRE_HOST_DEAF, 0, &deaf);
	assert_int_equal(deaf.connection, one.connection);
	host_close(&one);
	/* What the other one has asked for is still there. */
	host_send(&other, RIG_ID(0), 1, PLAY_RELEASE, 0, NULL, 0);
	assert_memory_equal(host_take_end(&other, 0, DOCA_SUCCESS)->payload, "x", 1);
	(void)host_take_end(&other, 1, DOCA_SUCCESS);
	host_check_quiet(&other, RIG_ID(0));
	host_close(&other);
}

static void goodbye_is_the_last_word(void **state)
{
	const struct wire_empty nothing = { 0 };

	(void)state;
	host_attach(&one, &rig);
	host_attach(&other, &rig);
	host_send(&one, RIG_ID(0), 0, PLAY_HOLD, 0, NULL, 0);
	for (uint32_t i = 1; i < 100; i++)
		host_send(&one, RIG_ID(0), i, PLAY_ECHO, 0, NULL, 0);
	for (uint32_t i = 1; i < 100; i++)
		(void)host_take_end(&one, i, DOCA_SUCCESS);
	assert_success(chan_send(one.conn, WIRE_DETACH, 9, &nothing));
	host_wait(&one, &one.is_detached);
	assert_non_null(one.conn);
	/* The plugin answers what the host has given up. */
	(void)host_run(&other, RIG_ID(0), PLAY_RELEASE, 0, NULL, 0, DOCA_SUCCESS);
	host_check_quiet(&other, RIG_ID(0));
	assert_int_equal(one.num_notes, 99);
	host_close(&one);
	host_close(&other);
}

static void silent_strangers_keep_nobody_out(void **state)
{
	enum {
		NUM_STRANGERS = 80
	};
	static struct rig_host strangers[NUM_STRANGERS];

	(void)state;
	for (unsigned int i = 0; i < NUM_STRANGERS; i++)
		host_open(&strangers[i], &rig, 0);
	host_attach(&one, &rig);
	host_check_quiet(&one, RIG_ID(0));
	for (unsigned int i = 0; i < NUM_STRANGERS; i++)
		host_close(&strangers[i]);
	host_close(&one);
}

/* The inode of a socket that a process has as that descriptor; 0: it is none. */
static unsigned long socket_of(pid_t pid, const char *fd)
{
	char path[64], target[64];
	unsigned long inode;
	ssize_t len;

	(void)snprintf(path, sizeof(path), "/proc/%d/fd/%.10s", (int)pid, fd);
	len = readlink(path, target, sizeof(target) - 1);
	target[len > 0 ? len : 0] = '\0';
	return sscanf(target, "socket:[%lu]", &inode) == 1 ? inode : 0;
}

static bool has_socket(pid_t pid, unsigned long inode)
{
	char path[64];
	struct dirent *entry;
	bool is_found = false;
	DIR *dir;

	(void)snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	assert_non_null(dir);
	while (!is_found && (entry = readdir(dir)) != NULL)
		is_found = socket_of(pid, entry->d_name) == inode;
	closedir(dir);
	return is_found;
}

/* Strangers of other networks are not to reach it, by whatever UCX has besides our own port. */
static void nothing_listens_but_on_the_address_it_was_given(void **state)
{
	unsigned int addr, port, sockets_state, count = 0;
	unsigned long inode;
	char line[512];
	FILE *file = fopen("/proc/net/tcp", "r");

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof(line), file) != NULL) {
		if (sscanf(line, "%*d: %x:%x %*x:%*x %x %*s %*s %*s %*d %*d %lu", &addr, &port,
			   &sockets_state, &inode) != 4 ||
		    sockets_state != TCP_LISTEN || !has_socket(rig.pid, inode))
			continue;
		count++;
		if (addr != htonl(INADDR_LOOPBACK))
			fail_msg("it listens on %08x", ntohl(addr));
	}
	fclose(file);
	assert_true(count > 0);
}

#define HOSTS_TEST(name) RIG_OVER_EACH(name, worker_begin, worker_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HOSTS_TEST(a_wrong_ticket_is_refused),
		HOSTS_TEST(a_ticket_is_good_once),
		HOSTS_TEST(a_wrong_try_does_not_spend_the_ticket),
		HOSTS_TEST(a_command_before_the_ticket_ends_the_connection),
		HOSTS_TEST(a_message_that_is_none_of_a_host_s_ends_its_connection_alone),
		HOSTS_TEST(a_void_ticket_lets_nobody_in),
		HOSTS_TEST(a_void_ticket_ends_a_connection_and_its_commands),
		HOSTS_TEST(two_hosts_do_not_hear_of_each_other),
		HOSTS_TEST(a_host_that_dies_leaves_the_other_alone),
		RIG_OVER(tcp, a_host_that_does_not_read_is_ended_alone, worker_begin_small,
			 worker_end),
		HOSTS_TEST(goodbye_is_the_last_word),
		HOSTS_TEST(silent_strangers_keep_nobody_out),
		HOSTS_TEST(nothing_listens_but_on_the_address_it_was_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
