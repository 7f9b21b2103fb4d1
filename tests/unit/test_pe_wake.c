/* SPDX-License-Identifier: BSD-3-Clause */
/* Work that comes to the engine from another thread, while it sleeps, wakes up or goes to sleep. */
#include <pthread.h>

#include "core/pe.h"
#include "probe_rig.h"

#define NUM_ITEMS   20000
#define MAX_AHEAD   1 /* a wake-up that is lost must not be made up for by the next */
#define PATIENCE_MS 10000

/* What the other thread has brought, as a kind would keep it: a small queue under a mutex. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t has_room;
	unsigned int num_waiting;
	struct doca_pe *pe;
} box = { .lock = PTHREAD_MUTEX_INITIALIZER, .has_room = PTHREAD_COND_INITIALIZER };

static void box_put(void)
{
	pthread_mutex_lock(&box.lock);
	while (box.num_waiting == MAX_AHEAD)
		pthread_cond_wait(&box.has_room, &box.lock);
	box.num_waiting++;
	pthread_mutex_unlock(&box.lock);
	core_pe_wake(box.pe);
}

static bool box_take(void)
{
	bool has_item;

	pthread_mutex_lock(&box.lock);
	has_item = box.num_waiting > 0;
	if (has_item)
		box.num_waiting--;
	pthread_cond_signal(&box.has_room);
	pthread_mutex_unlock(&box.lock);
	return has_item;
}

static bool box_is_empty(void)
{
	bool is_empty;

	pthread_mutex_lock(&box.lock);
	is_empty = box.num_waiting == 0;
	pthread_mutex_unlock(&box.lock);
	return is_empty;
}

static bool box_progress(struct doca_ctx *ctx)
{
	struct probe *probe = CORE_CONTAINER_OF(ctx, struct probe, base);

	if (STAILQ_EMPTY(&probe->submitted) || !box_take())
		return false;
	probe_complete(probe, DOCA_SUCCESS);
	return true;
}

/* A while of many lengths, so that the threads meet in all that they do. */
static void dawdle(unsigned int *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	for (volatile unsigned int left = (*seed >> 16) % 2048; left > 0; left--)
		continue;
}

static uint64_t box_arm(struct doca_ctx *ctx)
{
	static unsigned int seed = 2;
	bool is_empty = box_is_empty();

	(void)ctx;
	dawdle(&seed); /* now something may come that was not there when the engine looked */
	return is_empty ? CORE_ARM_NEVER : CORE_ARM_NOW;
}

static void *bring_items(void *argument)
{
	unsigned int seed = 1;

	for (unsigned int i = 0; i < NUM_ITEMS; i++) {
		dawdle(&seed);
		box_put();
	}
	return argument;
}

static void take_items(struct probe_rig *rig)
{
	while (rig->heard.num_words < NUM_ITEMS) {
		probe_rig_arm(rig);
		if (!probe_rig_is_readable(rig, PATIENCE_MS))
			fail_msg("a wake-up was lost after %u", rig->heard.num_words);
		probe_rig_clear(rig);
		while (doca_pe_progress(rig->pe) != 0)
			continue;
	}
}

static void run(struct probe_rig *rig)
{
	pthread_t thread;

	rig->ops.progress = box_progress;
	rig->ops.arm = box_arm;
	rig->heard.on_task = heard_submit_again;
	probe_rig_start(rig);
	probe_rig_submit(rig, 2);
	box.pe = rig->pe;
	assert_int_equal(pthread_create(&thread, NULL, bring_items, NULL), 0);

	take_items(rig);

	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(rig->heard.num_words, NUM_ITEMS);
}

static void no_wake_up_of_another_thread_is_lost(void **state)
{
	run(*state);
}

static void no_wake_up_of_another_thread_is_lost_in_mode_all(void **state)
{
	struct probe_rig *rig = *state;

	assert_success(doca_pe_set_event_mode(rig->pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL));

	run(rig);
}

static void *wake(void *pe)
{
	core_pe_wake(pe);
	return NULL;
}

static void wake_in_thread(struct probe_rig *rig)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, wake, rig->pe), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static void wake_up_of_an_engine_that_is_not_armed_is_silent(void **state)
{
	struct probe_rig *rig = *state;

	wake_in_thread(rig);

	assert_false(probe_rig_is_readable(rig, 0));
}

static void wake_up_is_seen_once(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_arm(rig);

	wake_in_thread(rig);
	wake_in_thread(rig);

	assert_true(probe_rig_is_readable(rig, 0));
	probe_rig_clear(rig);
	assert_false(probe_rig_is_readable(rig, 0));
}

/* Work comes right after the engine has looked for some. */
static uint64_t look_too_early(struct doca_ctx *ctx)
{
	const struct heard *heard = ctx->user_data.ptr;

	wake_in_thread(heard->owner);
	return CORE_ARM_NEVER;
}

static void wake_up_while_the_engine_looks_for_work_is_not_lost(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	rig->ops.arm = look_too_early;

	probe_rig_arm(rig);

	assert_true(probe_rig_is_readable(rig, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PROBE_TEST(no_wake_up_of_another_thread_is_lost),
		PROBE_TEST(no_wake_up_of_another_thread_is_lost_in_mode_all),
		PROBE_TEST(wake_up_of_an_engine_that_is_not_armed_is_silent),
		PROBE_TEST(wake_up_is_seen_once),
		PROBE_TEST(wake_up_while_the_engine_looks_for_work_is_not_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
