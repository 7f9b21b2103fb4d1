/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * 100,000 copies through one engine, polled and slept on: each is called back once, no wake-up is
 * lost, and once the context runs nothing is allocated. The last is counted: the linker sends what
 * the libraries and this file allocate through the __wrap_ functions below.
 */

#include <doca_dma.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "fixture.h"
#include "test.h"

#define NUM_TASKS 100000u
#define NUM_SLOTS 64u
#define BIG       (256u * 1024 + 1) /* takes two calls of progress */
#define BIG_EVERY 1000u

/* How long a wake-up may take, and a copy, on a machine that has much else to do. */
#define PATIENCE_MS 1000
#define PATIENCE_NS UINT64_C(10000000000)

static unsigned int num_allocs, num_frees;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_reallocarray(void *block, size_t count, size_t size);
int __real_posix_memalign(void **block, size_t alignment, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *block);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_reallocarray(void *block, size_t count, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *block);

void *__wrap_malloc(size_t size)
{
	num_allocs++;
	return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	num_allocs++;
	return __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
	num_allocs++;
	return __real_realloc(block, size);
}

void *__wrap_reallocarray(void *block, size_t count, size_t size)
{
	num_allocs++;
	return __real_reallocarray(block, count, size);
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t size)
{
	num_allocs++;
	return __real_posix_memalign(block, alignment, size);
}

char *__wrap_strdup(const char *text)
{
	num_allocs++;
	return __real_strdup(text);
}

void __wrap_free(void *block)
{
	num_frees++;
	__real_free(block);
}

/* One task that is used again and again, from anywhere in the source to a place of its own. */
struct slot {
	struct doca_dma_task_memcpy *task;
	struct doca_buf *src, *dst;
	char *place;
	uint32_t number; /* of the copy that is in flight */
	bool is_free;
};

struct run {
	struct fixture_memory memory; /* BIG bytes of source, twice; then the slots' places */
	struct doca_pe *pe;
	struct doca_dma *dma;
	int epoll_fd;
	struct slot slots[NUM_SLOTS];
	uint64_t random;
	uint32_t num_submitted, num_done;
	uint8_t num_called[NUM_TASKS];
};

static uint32_t pick(struct run *run, uint32_t below)
{
	run->random = run->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(run->random >> 33) % below;
}

static size_t len_of(uint32_t number)
{
	static const size_t lens[] = { 8, 1, 64, 100, 4096, 17, 1500, 8 };

	return number % BIG_EVERY == 0 ? BIG : lens[number % (sizeof(lens) / sizeof(lens[0]))];
}

static void slot_submit(struct run *run, struct slot *slot)
{
	uint32_t number = run->num_submitted++;
	char *from = run->memory.bytes + pick(run, BIG);
	size_t len = len_of(number);

	slot->number = number;
	slot->is_free = false;
	assert_success(doca_buf_inventory_buf_reuse_by_data(slot->src, from, len));
	assert_success(doca_buf_inventory_buf_reuse_by_addr(slot->dst, slot->place, BIG));
	assert_success(doca_task_submit(doca_dma_task_memcpy_as_task(slot->task)));
}

static void on_copied(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		      union doca_data ctx_user_data)
{
	struct slot *slot = task_user_data.ptr;
	struct run *run = ctx_user_data.ptr;
	size_t len = len_of(slot->number);
	size_t data_len;
	void *from;

	assert_ptr_equal(task, slot->task);
	assert_false(slot->is_free);
	assert_success(doca_buf_get_data(slot->src, &from));
	assert_success(doca_buf_get_data_len(slot->dst, &data_len));
	assert_int_equal(data_len, len);
	assert_memory_equal(slot->place, from, len);
	run->num_called[slot->number]++;
	run->num_done++;
	slot->is_free = true;
	if (run->num_submitted < NUM_TASKS && pick(run, 2) == 0)
		slot_submit(run, slot);
}

static void on_failed(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		      union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	fail_msg("a task failed: %s",
		 doca_error_get_name(doca_task_get_status(doca_dma_task_memcpy_as_task(task))));
}

static void slot_init(struct run *run, size_t index)
{
	struct slot *slot = &run->slots[index];
	size_t at = (2 + index) * BIG;

	slot->place = run->memory.bytes + at;
	slot->is_free = true;
	slot->src = fixture_buf(&run->memory, 0, 1, 0, 1);
	slot->dst = fixture_buf(&run->memory, at, BIG, 0, 0);
	assert_success(doca_dma_task_memcpy_alloc_init(
	    run->dma, slot->src, slot->dst, (union doca_data){ .ptr = slot }, &slot->task));
}

static void run_watch(struct run *run)
{
	struct epoll_event watch = { .events = EPOLLIN };
	doca_notification_handle_t handle;

	run->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	assert_true(run->epoll_fd >= 0);
	assert_success(doca_pe_get_notification_handle(run->pe, &handle));
	assert_int_equal(epoll_ctl(run->epoll_fd, EPOLL_CTL_ADD, handle, &watch), 0);
}

static struct run *run_create(void)
{
	struct run *run = calloc(1, sizeof(*run));
	struct doca_ctx *ctx;

	assert_non_null(run);
	run->random = 1;
	fixture_memory_init(&run->memory, (2 + NUM_SLOTS) * BIG, 2 * NUM_SLOTS);
	for (size_t i = 0; i < 2 * BIG; i++)
		run->memory.bytes[i] = (char)(i % 251);
	assert_success(doca_pe_create(&run->pe));
	assert_success(doca_dma_create(run->memory.dev, &run->dma));
	ctx = doca_dma_as_ctx(run->dma);
	assert_success(doca_ctx_set_user_data(ctx, (union doca_data){ .ptr = run }));
	assert_success(doca_dma_task_memcpy_set_conf(run->dma, on_copied, on_failed, NUM_SLOTS));
	assert_success(doca_pe_connect_ctx(run->pe, ctx));
	assert_success(doca_ctx_start(ctx));
	for (size_t i = 0; i < NUM_SLOTS; i++)
		slot_init(run, i);
	run_watch(run);
	return run;
}

static void run_destroy(struct run *run)
{
	for (size_t i = 0; i < NUM_SLOTS; i++) {
		doca_task_free(doca_dma_task_memcpy_as_task(run->slots[i].task));
		fixture_buf_put(run->slots[i].src);
		fixture_buf_put(run->slots[i].dst);
	}
	assert_success(doca_ctx_stop(doca_dma_as_ctx(run->dma)));
	assert_success(doca_dma_destroy(run->dma));
	assert_success(doca_pe_destroy(run->pe));
	fixture_memory_fini(&run->memory);
	close(run->epoll_fd);
	free(run);
}

/* Fills up to a random number of slots, so that a few or many are in flight. */
static void submit_some(struct run *run)
{
	uint32_t count = 1 + pick(run, NUM_SLOTS);

	for (uint32_t i = 0; i < count && run->num_submitted < NUM_TASKS; i++) {
		if (run->slots[i].is_free)
			slot_submit(run, &run->slots[i]);
	}
}

static void poll_until_quiet(struct run *run)
{
	uint64_t end = test_now_ns() + PATIENCE_NS;

	while (run->num_done < run->num_submitted) {
		if (doca_pe_progress(run->pe) == 0 && test_now_ns() > end)
			fail_msg("task %u is not called back", run->num_done);
	}
}

/* Waits for the wake-up that must come, and does all that is to be done after it. */
static void sleep_once(struct run *run, bool clears)
{
	struct epoll_event event;

	if (epoll_wait(run->epoll_fd, &event, 1, PATIENCE_MS) != 1)
		fail_msg("a wake-up is lost: %u of %u tasks are called back", run->num_done,
			 run->num_submitted);
	if (clears)
		assert_success(doca_pe_clear_notification(run->pe, 0));
	while (doca_pe_progress(run->pe) != 0)
		continue;
}

static void request(struct run *run)
{
	assert_success(doca_pe_request_notification(run->pe));
}

/* Submits sometimes before the engine is armed and sometimes after: neither may be slept over. */
static void sleep_until_quiet(struct run *run, bool clears)
{
	bool is_armed_first = pick(run, 2) == 0;

	if (is_armed_first)
		request(run);
	submit_some(run);
	if (!is_armed_first)
		request(run);
	sleep_once(run, clears);
	while (run->num_done < run->num_submitted) {
		request(run);
		sleep_once(run, clears);
	}
}

static void assert_each_called_once(const struct run *run)
{
	assert_int_equal(run->num_done, NUM_TASKS);
	for (uint32_t i = 0; i < NUM_TASKS; i++) {
		if (run->num_called[i] != 1)
			fail_msg("task %u was called back %u times", i, run->num_called[i]);
	}
}

/* Starts the count, which has to have seen what made the objects. */
static void count_from_here(void)
{
	assert_true(num_allocs > 0);
	num_allocs = 0;
	num_frees = 0;
}

static void assert_none_allocated(void)
{
	assert_int_equal(num_allocs, 0);
	assert_int_equal(num_frees, 0);
}

static void each_task_is_called_back_once_when_polled(void **state)
{
	struct run *run = run_create();

	(void)state;
	count_from_here();
	while (run->num_submitted < NUM_TASKS) {
		submit_some(run);
		poll_until_quiet(run);
	}
	assert_none_allocated();
	assert_each_called_once(run);
	run_destroy(run);
}

static void sleep_through_all(enum doca_pe_event_mode mode)
{
	bool clears = mode == DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE;
	struct run *run = run_create();
	struct epoll_event event;

	assert_success(doca_pe_set_event_mode(run->pe, mode));
	count_from_here();
	while (run->num_submitted < NUM_TASKS)
		sleep_until_quiet(run, clears);
	request(run);
	assert_int_equal(epoll_wait(run->epoll_fd, &event, 1, 0), 0);
	assert_none_allocated();
	assert_each_called_once(run);
	run_destroy(run);
}

static void no_wakeup_is_lost_in_selective_event_mode(void **state)
{
	(void)state;
	sleep_through_all(DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE);
}

static void no_wakeup_is_lost_in_all_event_mode(void **state)
{
	(void)state;
	sleep_through_all(DOCA_PE_EVENT_MODE_PROGRESS_ALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_task_is_called_back_once_when_polled),
		TEST(no_wakeup_is_lost_in_selective_event_mode),
		TEST(no_wakeup_is_lost_in_all_event_mode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
