/* SPDX-License-Identifier: BSD-3-Clause */
/* Tickets, and connections that have not shown one. */
#include "urom/worker/conns.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "urom/worker/limits.h"

#define MS        UINT64_C(1000000)
#define NUM_PEERS (UROMW_MAX_GUESTS + 2)

/* A channel that only counts who is disconnected. */
static struct chan_conn *last_disconnected;
static unsigned int num_disconnected;

static void count_disconnect(struct chan_conn *conn)
{
	last_disconnected = conn;
	num_disconnected++;
}

static const struct chan_ops counting_ops = { .name = "count", .disconnect = count_disconnect };
static struct chan channel = { .ops = &counting_ops };

static struct chan_conn peers[NUM_PEERS];
static struct uromw_conns conns;
static uint64_t now; /* when whatever is attached is */

static int conns_begin(void **state)
{
	test_begin(state);
	for (unsigned int i = 0; i < NUM_PEERS; i++)
		peers[i] = (struct chan_conn){ .chan = &channel };
	num_disconnected = 0;
	now = 0;
	return 0;
}

static int conns_end(void **state)
{
	uromw_conns_fini(&conns);
	assert_int_equal(conns.num_hosts, 0);
	assert_int_equal(conns.num_guests, 0);
	assert_int_equal(conns.num_waiting, 0);
	return test_end(state);
}

#define CONNS_TEST(name) cmocka_unit_test_setup_teardown(name, conns_begin, conns_end)

static struct wire_ticket ticket_for(uint64_t connection)
{
	struct wire_ticket ticket = {
		.connection = connection,
		.max_message = 4096,
		.host = { "there", 5 },
	};

	memset(ticket.ticket, (int)connection, sizeof(ticket.ticket));
	return ticket;
}

static struct uromw_host *add_host(uint64_t connection)
{
	const struct wire_ticket ticket = ticket_for(connection);

	assert_success(uromw_conns_add_host(&conns, &ticket, 0));
	return uromw_conns_find_host(&conns, connection);
}

static struct uromw_conn *add_peer(unsigned int n, uint64_t now_ns)
{
	assert_success(uromw_conns_add(&conns, &peers[n], now_ns));
	return peers[n].user;
}

static doca_error_t attach(struct uromw_conn *conn, uint64_t connection, uint8_t wrong_at)
{
	struct wire_attach message = { .connection = connection };

	memset(message.ticket, (int)connection, sizeof(message.ticket));
	if (wrong_at < sizeof(message.ticket))
		message.ticket[wrong_at] ^= 0x10;
	return uromw_conns_attach(&conns, conn, &message, now);
}

#define ALL_RIGHT UINT8_MAX

static void a_ticket_lets_one_connection_in(void **state)
{
	struct uromw_host *host = add_host(5);
	struct uromw_conn *first = add_peer(0, 0), *second = add_peer(1, 0);

	(void)state;
	assert_success(attach(first, 5, ALL_RIGHT));
	assert_ptr_equal(host->conn, first);
	assert_ptr_equal(first->host, host);
	assert_int_equal(first->state, UROMW_CONN_ATTACHED);
	assert_error(attach(second, 5, ALL_RIGHT), DOCA_ERROR_AUTHENTICATION);
	assert_int_equal(second->state, UROMW_CONN_GUEST);
	assert_null(second->host);
	assert_int_equal(conns.num_guests, 1);
}

static void a_spent_ticket_is_not_good_when_its_connection_is_closed(void **state)
{
	struct uromw_host *host = add_host(5);
	struct uromw_conn *first = add_peer(0, 0), *second = add_peer(1, 0);

	(void)state;
	assert_success(attach(first, 5, ALL_RIGHT));
	uromw_conns_remove(&conns, first);
	assert_null(host->conn);
	assert_error(attach(second, 5, ALL_RIGHT), DOCA_ERROR_AUTHENTICATION);
	/* Nor the zeros that stand where it was. */
	assert_error(
	    uromw_conns_attach(&conns, second, &(struct wire_attach){ .connection = 5 }, 0),
	    DOCA_ERROR_AUTHENTICATION);
}

static void tickets_that_are_good_are_awaited(void **state)
{
	struct uromw_conn *conn = add_peer(0, 0);

	(void)state;
	assert_int_equal(uromw_conns_count_awaited(&conns, 0), 0);
	(void)add_host(5);
	(void)add_host(6);
	assert_int_equal(uromw_conns_count_awaited(&conns, 0), 2);
	assert_success(attach(conn, 5, ALL_RIGHT));
	assert_int_equal(uromw_conns_count_awaited(&conns, UROMW_TICKET_MS * MS - 1), 1);
	assert_int_equal(uromw_conns_count_awaited(&conns, UROMW_TICKET_MS * MS), 0);
}

static void every_byte_of_a_ticket_counts(void **state)
{
	struct uromw_conn *conn;

	(void)state;
	(void)add_host(5);
	conn = add_peer(0, 0);
	for (uint8_t i = 0; i < WIRE_TICKET_SIZE; i++)
		assert_error(attach(conn, 5, i), DOCA_ERROR_AUTHENTICATION);
	assert_error(attach(conn, 6, ALL_RIGHT), DOCA_ERROR_AUTHENTICATION);
	assert_success(attach(conn, 5, ALL_RIGHT));
}

static void a_ticket_is_good_for_10_s(void **state)
{
	struct uromw_conn *conn = add_peer(0, 0);

	(void)state;
	(void)add_host(5);
	(void)add_host(6);
	now = UROMW_TICKET_MS * MS - 1;
	assert_success(attach(conn, 5, ALL_RIGHT));
	conn = add_peer(1, now);
	now = UROMW_TICKET_MS * MS;
	assert_error(attach(conn, 6, ALL_RIGHT), DOCA_ERROR_AUTHENTICATION);
	/* It does not come back, either. */
	now = 0;
	assert_error(attach(conn, 6, ALL_RIGHT), DOCA_ERROR_AUTHENTICATION);
	assert_int_equal(conn->state, UROMW_CONN_GUEST);
}

static void a_ticket_of_another_host_is_not_good(void **state)
{
	struct uromw_conn *conn = add_peer(0, 0);
	struct wire_attach foreign = { .connection = 6 };

	(void)state;
	(void)add_host(5);
	(void)add_host(6);
	memcpy(foreign.ticket, ticket_for(5).ticket, sizeof(foreign.ticket));
	assert_error(uromw_conns_attach(&conns, conn, &foreign, 0), DOCA_ERROR_AUTHENTICATION);
	assert_null(conn->host);
	/* Neither is spent by that. */
	assert_success(attach(conn, 5, ALL_RIGHT));
	assert_success(attach(add_peer(1, 0), 6, ALL_RIGHT));
}

static void a_host_is_known_once(void **state)
{
	const struct wire_ticket again = ticket_for(5);

	(void)state;
	(void)add_host(5);
	assert_error(uromw_conns_add_host(&conns, &again, 0), DOCA_ERROR_ALREADY_EXIST);
	assert_int_equal(conns.num_hosts, 1);
}

static void a_limit_that_no_message_fits_into_is_refused(void **state)
{
	struct wire_ticket ticket = ticket_for(5);

	(void)state;
	ticket.max_message = UROMW_MIN_MESSAGE - 1;
	assert_error(uromw_conns_add_host(&conns, &ticket, 0), DOCA_ERROR_INVALID_VALUE);
	ticket.max_message = UROMW_MIN_MESSAGE;
	assert_success(uromw_conns_add_host(&conns, &ticket, 0));
}

static void hosts_have_a_limit(void **state)
{
	const struct wire_ticket more = ticket_for(UROMW_MAX_HOSTS);

	(void)state;
	for (uint64_t i = 0; i < UROMW_MAX_HOSTS; i++)
		(void)add_host(i);
	assert_error(uromw_conns_add_host(&conns, &more, 0), DOCA_ERROR_FULL);
	uromw_conns_remove_host(&conns, uromw_conns_find_host(&conns, 17));
	assert_success(uromw_conns_add_host(&conns, &more, 0));
}

static void a_name_is_kept_without_control_characters(void **state)
{
	struct wire_ticket ticket = ticket_for(5);
	char name[WIRE_MAX_HOST];

	(void)state;
	ticket.host = (struct wire_bytes){ "a\nb\033[1m", 7 };
	assert_success(uromw_conns_add_host(&conns, &ticket, 0));
	assert_string_equal(uromw_conns_find_host(&conns, 5)->name, "a?b?[1m");
	memset(name, 'n', sizeof(name));
	ticket = ticket_for(6);
	ticket.host = (struct wire_bytes){ name, sizeof(name) };
	assert_success(uromw_conns_add_host(&conns, &ticket, 0));
	assert_int_equal(strlen(uromw_conns_find_host(&conns, 6)->name), WIRE_MAX_HOST);
}

static void a_host_that_is_removed_is_disconnected(void **state)
{
	struct uromw_host *host = add_host(5);

	(void)state;
	assert_success(attach(add_peer(0, 0), 5, ALL_RIGHT));
	uromw_conns_remove_host(&conns, host);
	assert_int_equal(num_disconnected, 1);
	assert_ptr_equal(last_disconnected, &peers[0]);
	assert_null(uromw_conns_find_host(&conns, 5));
}

static void one_guest_too_many_takes_the_place_of_the_oldest(void **state)
{
	(void)state;
	(void)add_host(5);
	for (unsigned int i = 0; i < UROMW_MAX_GUESTS; i++)
		(void)add_peer(i, i);
	assert_int_equal(num_disconnected, 0);
	(void)add_peer(UROMW_MAX_GUESTS, UROMW_MAX_GUESTS);
	assert_int_equal(num_disconnected, 1);
	assert_ptr_equal(last_disconnected, &peers[0]);
	/* Who has shown a ticket is no guest any more. */
	assert_success(attach(peers[1].user, 5, ALL_RIGHT));
	(void)add_peer(UROMW_MAX_GUESTS + 1, UROMW_MAX_GUESTS + 1);
	assert_int_equal(num_disconnected, 1);
	assert_int_equal(conns.num_guests, UROMW_MAX_GUESTS);
}

static void a_guest_has_10_s(void **state)
{
	(void)state;
	(void)add_peer(0, 7);
	assert_int_equal(uromw_conns_expire(&conns, 8), 7 + UROMW_ATTACH_MS * MS);
	(void)uromw_conns_expire(&conns, 7 + UROMW_ATTACH_MS * MS - 1);
	assert_int_equal(num_disconnected, 0);
	assert_int_equal(uromw_conns_expire(&conns, 7 + UROMW_ATTACH_MS * MS), UINT64_MAX);
	assert_int_equal(num_disconnected, 1);
	assert_int_equal(conns.num_waiting, 0);
}

static void an_attached_host_has_any_time(void **state)
{
	(void)state;
	(void)add_host(5);
	assert_success(attach(add_peer(0, 0), 5, ALL_RIGHT));
	assert_int_equal(uromw_conns_expire(&conns, UINT64_MAX - 1), UINT64_MAX);
	assert_int_equal(num_disconnected, 0);
}

static void who_has_said_goodbye_is_disconnected_in_the_end(void **state)
{
	struct uromw_host *host = add_host(5);
	struct uromw_conn *conn = add_peer(0, 0);

	(void)state;
	assert_success(attach(conn, 5, ALL_RIGHT));
	uromw_conns_retire(&conns, conn, UROMW_CONN_DETACHED, 100);
	assert_int_equal(uromw_conns_expire(&conns, 100), 100 + UROMW_DETACH_MS * MS);
	assert_ptr_equal(host->conn, conn);
	(void)uromw_conns_expire(&conns, 100 + UROMW_DETACH_MS * MS);
	assert_int_equal(num_disconnected, 1);
	assert_null(host->conn);
}

static void who_is_refused_is_a_guest_for_a_short_while(void **state)
{
	struct uromw_conn *conn = add_peer(0, 0);

	(void)state;
	uromw_conns_retire(&conns, conn, UROMW_CONN_REFUSED, 100);
	assert_int_equal(conns.num_guests, 1);
	assert_int_equal(uromw_conns_expire(&conns, 100), 100 + UROMW_REFUSED_MS * MS);
	(void)uromw_conns_expire(&conns, 100 + UROMW_REFUSED_MS * MS);
	assert_int_equal(conns.num_guests, 0);
	assert_int_equal(num_disconnected, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONNS_TEST(a_ticket_lets_one_connection_in),
		CONNS_TEST(a_spent_ticket_is_not_good_when_its_connection_is_closed),
		CONNS_TEST(tickets_that_are_good_are_awaited),
		CONNS_TEST(every_byte_of_a_ticket_counts),
		CONNS_TEST(a_ticket_is_good_for_10_s),
		CONNS_TEST(a_ticket_of_another_host_is_not_good),
		CONNS_TEST(a_host_is_known_once),
		CONNS_TEST(a_limit_that_no_message_fits_into_is_refused),
		CONNS_TEST(hosts_have_a_limit),
		CONNS_TEST(a_name_is_kept_without_control_characters),
		CONNS_TEST(a_host_that_is_removed_is_disconnected),
		CONNS_TEST(one_guest_too_many_takes_the_place_of_the_oldest),
		CONNS_TEST(a_guest_has_10_s),
		CONNS_TEST(an_attached_host_has_any_time),
		CONNS_TEST(who_has_said_goodbye_is_disconnected_in_the_end),
		CONNS_TEST(who_is_refused_is_a_guest_for_a_short_while),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
