/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom_world.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "test.h"
#include "urom_rig.h"

static struct urom_rig rig;
static pthread_once_t rig_once = PTHREAD_ONCE_INIT;

static void end_rig(void)
{
	urom_rig_fini(&rig);
}

static void begin_rig(void)
{
	urom_rig_init(&rig, NULL);
	assert_int_equal(atexit(end_rig), 0);
}

void urom_world_begin(void)
{
	assert_int_equal(pthread_once(&rig_once, begin_rig), 0);
}

static void serve(struct urom_world *world)
{
	struct pollfd watched[2] = { { .events = POLLIN },
				     { .fd = world->end_fd, .events = POLLIN } };

	assert_success(doca_pe_get_notification_handle(world->host.pe, &watched[0].fd));
	while (watched[1].revents == 0) {
		assert_success(doca_pe_request_notification(world->host.pe));
		assert_true(poll(watched, 2, -1) > 0);
		assert_success(doca_pe_clear_notification(world->host.pe, watched[0].fd));
		while (doca_pe_progress(world->host.pe) != 0)
			continue;
	}
}

static void *run(void *arg)
{
	struct urom_world *world = arg;

	urom_host_init_running(&world->host);
	world->plugin = urom_host_plugin(&world->host);
	sem_post(&world->is_ready);
	serve(world);
	urom_host_fini(&world->host);
	return NULL;
}

struct urom_world *urom_world_open(void)
{
	struct urom_world *world = calloc(1, sizeof(*world));

	assert_non_null(world);
	urom_world_begin();
	world->end_fd = eventfd(0, EFD_CLOEXEC);
	assert_true(world->end_fd >= 0);
	assert_int_equal(sem_init(&world->is_ready, 0, 0), 0);
	assert_int_equal(pthread_create(&world->thread, NULL, run, world), 0);
	assert_int_equal(sem_wait(&world->is_ready), 0);
	return world;
}

void urom_world_close(struct urom_world *world)
{
	assert_int_equal(eventfd_write(world->end_fd, 1), 0);
	assert_int_equal(pthread_join(world->thread, NULL), 0);
	assert_int_equal(sem_destroy(&world->is_ready), 0);
	close(world->end_fd);
	free(world);
}
