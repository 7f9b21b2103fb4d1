/* SPDX-License-Identifier: BSD-3-Clause */
/* The handle of the engine: when it is readable, what it nests, and the modes. */
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/pe.h"
#include "probe_rig.h"

#define PATIENCE_MS 10000

static void handle_stays_the_same(void **state)
{
	struct probe_rig *rig = *state;
	int handle = probe_rig_handle(rig);

	probe_rig_start(rig);
	probe_rig_arm(rig);
	probe_rig_clear(rig);

	assert_int_equal(probe_rig_handle(rig), handle);
}

static void handle_can_be_nested_in_an_epoll_of_the_application(void **state)
{
	struct probe_rig *rig = *state;
	struct epoll_event event = { .events = EPOLLIN };
	int outer = epoll_create1(EPOLL_CLOEXEC);

	assert_true(outer >= 0);
	assert_int_equal(epoll_ctl(outer, EPOLL_CTL_ADD, probe_rig_handle(rig), &event), 0);
	probe_rig_start(rig);
	probe_rig_submit(rig, 1);
	probe_rig_arm(rig);
	assert_int_equal(epoll_wait(outer, &event, 1, 0), 0);

	probe_complete(rig->probe, DOCA_SUCCESS);

	assert_int_equal(epoll_wait(outer, &event, 1, PATIENCE_MS), 1);
	assert_int_equal(close(outer), 0);
}

static void arming_twice_is_one_wake_up(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	probe_rig_submit(rig, 2);
	probe_rig_arm(rig);
	probe_complete(rig->probe, DOCA_SUCCESS);
	probe_rig_arm(rig);
	probe_complete(rig->probe, DOCA_SUCCESS);
	assert_true(probe_rig_is_readable(rig, 0));

	probe_rig_clear(rig);

	assert_false(probe_rig_is_readable(rig, 0));
	assert_hears(&rig->heard, rig->pe, "ok(1) ok(2)");
}

static void clear_without_a_wake_up_succeeds(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_clear(rig);
	assert_success(doca_pe_clear_notification(rig->pe, probe_rig_handle(rig)));

	probe_rig_arm(rig);
	probe_rig_clear(rig);

	assert_false(probe_rig_is_readable(rig, 0));
}

static void clear_disarms(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	probe_rig_submit(rig, 1);
	probe_rig_arm(rig);
	probe_rig_clear(rig);

	probe_complete(rig->probe, DOCA_SUCCESS);

	assert_false(probe_rig_is_readable(rig, 0));
}

static void mode_selective_keeps_the_signal_until_cleared(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	probe_rig_submit(rig, 1);
	probe_complete(rig->probe, DOCA_SUCCESS);
	probe_rig_arm(rig);
	assert_hears(&rig->heard, rig->pe, "ok(1)");

	probe_rig_arm(rig);

	assert_true(probe_rig_is_readable(rig, 0));
}

static void mode_that_is_unknown_is_refused(void **state)
{
	struct probe_rig *rig = *state;

	assert_refused(doca_pe_set_event_mode(rig->pe, (enum doca_pe_event_mode)2),
		       DOCA_ERROR_INVALID_VALUE, "mode 2");

	assert_int_equal(rig->pe->event.mode, DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE);
}

static void set_mode(struct heard *heard)
{
	struct probe_rig *rig = heard->owner;

	heard->result = doca_pe_set_event_mode(rig->pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL);
}

static void mode_is_not_set_in_a_callback(void **state)
{
	struct probe_rig *rig = *state;

	rig->heard.on_state[DOCA_CTX_STATE_RUNNING] = set_mode;

	probe_rig_start(rig);

	assert_int_equal(rig->heard.result, DOCA_ERROR_BAD_STATE);
	test_take_log("in a callback");
	assert_int_equal(rig->pe->event.mode, DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE);
}

static void watched_descriptor_wakes_an_armed_engine(void **state)
{
	struct probe_rig *rig = *state;
	uint64_t count;
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	assert_success(core_pe_watch(rig->pe, fd));
	probe_rig_arm(rig);
	assert_false(probe_rig_is_readable(rig, 0));

	assert_int_equal(eventfd_write(fd, 1), 0);

	assert_true(probe_rig_is_readable(rig, 0));
	assert_int_equal(eventfd_read(fd, &count), 0);
	assert_false(probe_rig_is_readable(rig, 0));
	core_pe_unwatch(rig->pe, fd);
	assert_int_equal(close(fd), 0);
}

static void watched_descriptor_is_silent_unless_armed(void **state)
{
	struct probe_rig *rig = *state;
	int fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);

	assert_success(core_pe_watch(rig->pe, fd));
	assert_false(probe_rig_is_readable(rig, 0));

	for (unsigned int i = 0; i < 2; i++) {
		probe_rig_arm(rig);
		assert_true(probe_rig_is_readable(rig, 0));
		probe_rig_clear(rig);
		assert_false(probe_rig_is_readable(rig, 0));
	}
	core_pe_unwatch(rig->pe, fd);
	assert_int_equal(close(fd), 0);
}

static void descriptor_watched_while_armed_is_seen(void **state)
{
	struct probe_rig *rig = *state;
	int fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);

	probe_rig_arm(rig);
	assert_success(core_pe_watch(rig->pe, fd));

	assert_true(probe_rig_is_readable(rig, 0));

	core_pe_unwatch(rig->pe, fd);
	assert_int_equal(close(fd), 0);
}

static void unwatched_descriptor_is_not_seen(void **state)
{
	struct probe_rig *rig = *state;
	int fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);

	assert_success(core_pe_watch(rig->pe, fd));
	probe_rig_arm(rig);
	assert_true(probe_rig_is_readable(rig, 0));

	core_pe_unwatch(rig->pe, fd);

	assert_false(probe_rig_is_readable(rig, 0));
	assert_success(core_pe_watch(rig->pe, fd));
	assert_true(probe_rig_is_readable(rig, 0));
	core_pe_unwatch(rig->pe, fd);
	assert_int_equal(close(fd), 0);
}

static void unwatching_a_closed_descriptor_is_tolerated(void **state)
{
	struct probe_rig *rig = *state;
	int fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);

	assert_success(core_pe_watch(rig->pe, fd));
	probe_rig_arm(rig);
	assert_int_equal(close(fd), 0);
	assert_false(probe_rig_is_readable(rig, 0));

	core_pe_unwatch(rig->pe, fd);

	assert_false(probe_rig_is_readable(rig, 0));
}

static void descriptor_that_cannot_be_waited_for_is_refused(void **state)
{
	struct probe_rig *rig = *state;
	FILE *file = tmpfile();

	assert_non_null(file);

	assert_refused(core_pe_watch(rig->pe, fileno(file)), DOCA_ERROR_OPERATING_SYSTEM,
		       "epoll_ctl");
	assert_refused(core_pe_watch(rig->pe, -1), DOCA_ERROR_OPERATING_SYSTEM, "epoll_ctl");

	assert_int_equal(fclose(file), 0);
}

static void descriptor_is_not_watched_twice(void **state)
{
	struct probe_rig *rig = *state;
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	assert_success(core_pe_watch(rig->pe, fd));

	assert_refused(core_pe_watch(rig->pe, fd), DOCA_ERROR_OPERATING_SYSTEM, "epoll_ctl");

	core_pe_unwatch(rig->pe, fd);
	assert_int_equal(close(fd), 0);
}

/* An epoll around a descriptor, which it is to be closed before. */
static int nest(int inner)
{
	struct epoll_event event = { .events = EPOLLIN };
	int outer = epoll_create1(EPOLL_CLOEXEC);

	assert_true(outer >= 0);
	assert_int_equal(epoll_ctl(outer, EPOLL_CTL_ADD, inner, &event), 0);
	return outer;
}

/* UCX has an epoll in an epoll, its channel puts one around them, and the application another. */
static void handle_leaves_room_for_descriptors_that_nest(void **state)
{
	struct probe_rig *rig = *state;
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int inner = nest(fd), middle = nest(inner), channel = nest(middle);
	int outer = nest(probe_rig_handle(rig));

	assert_success(core_pe_watch(rig->pe, channel));
	probe_rig_arm(rig);
	assert_false(test_is_readable(outer, 0));

	assert_int_equal(eventfd_write(fd, 1), 0);

	assert_true(test_is_readable(outer, 0));
	core_pe_unwatch(rig->pe, channel);
	assert_int_equal(close(outer), 0);
	assert_int_equal(close(channel), 0);
	assert_int_equal(close(middle), 0);
	assert_int_equal(close(inner), 0);
	assert_int_equal(close(fd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PROBE_TEST(handle_stays_the_same),
		PROBE_TEST(handle_can_be_nested_in_an_epoll_of_the_application),
		PROBE_TEST(arming_twice_is_one_wake_up),
		PROBE_TEST(clear_without_a_wake_up_succeeds),
		PROBE_TEST(clear_disarms),
		PROBE_TEST(mode_selective_keeps_the_signal_until_cleared),
		PROBE_TEST(mode_that_is_unknown_is_refused),
		PROBE_TEST(mode_is_not_set_in_a_callback),
		PROBE_TEST(handle_leaves_room_for_descriptors_that_nest),
		PROBE_TEST(watched_descriptor_wakes_an_armed_engine),
		PROBE_TEST(watched_descriptor_is_silent_unless_armed),
		PROBE_TEST(descriptor_watched_while_armed_is_seen),
		PROBE_TEST(unwatched_descriptor_is_not_seen),
		PROBE_TEST(unwatching_a_closed_descriptor_is_tolerated),
		PROBE_TEST(descriptor_that_cannot_be_waited_for_is_refused),
		PROBE_TEST(descriptor_is_not_watched_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
