/* SPDX-License-Identifier: BSD-3-Clause */
#include "limits_rig.h"

#include <signal.h>

#include "test.h"

void limits_rig_begin(struct limits_rig *rig, const char *const *args)
{
	struct wire_worker_started started;
	struct rig_start start;

	daemon_rig_init(&rig->daemon, args, NULL);
	rig_host_init(&rig->host, &rig->daemon);
	rig_start_init(&start, 1000, NULL);
	rig_host_start(&rig->host, &start, &started);
	rig->worker_id = started.worker_id;
	rig->connection = started.connection;
	rig->pid = (pid_t)started.pid;
}

void limits_rig_check(struct limits_rig *rig)
{
	struct wire_worker_started started;
	struct rig_start start;
	struct rig_host second;
	uint64_t ids[4];

	assert_int_equal(rig_host_get_group(&rig->host, 5, ids, 4), 0);
	assert_int_equal(kill(rig->pid, 0), 0);
	rig_host_init(&second, &rig->daemon);
	rig_start_init(&start, rig->worker_id, NULL);
	rig_host_start(&second, &start, &started);
	assert_int_equal(started.pid, rig->pid);
	rig_host_fini(&second);
}

void limits_rig_end(struct limits_rig *rig)
{
	rig_host_stop(&rig->host, rig->worker_id, rig->connection);
	daemon_rig_wait_gone(rig->pid);
	rig_host_fini(&rig->host);
	daemon_rig_fini(&rig->daemon);
}

void limits_rig_end_noisily(struct limits_rig *rig)
{
	rig_host_stop(&rig->host, rig->worker_id, rig->connection);
	rig_host_fini(&rig->host);
	daemon_rig_signal(&rig->daemon, SIGTERM);
	assert_int_equal(daemon_rig_wait(&rig->daemon), 0);
	daemon_rig_drop_log(&rig->daemon);
	daemon_rig_fini(&rig->daemon);
}

void limits_rig_check_hits(struct limits_rig *rig, const char *name, uint64_t num_hits)
{
	struct rig_host operator;

	rig_host_init_operator(&operator, & rig->daemon);
	assert_int_equal(rig_host_get_counter(&operator, name).num_hits, num_hits);
	rig_host_fini(&operator);
}
