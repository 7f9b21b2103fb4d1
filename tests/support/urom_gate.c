/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom_gate.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "urom_point.h"

#define PATIENCE_MS 20000
#define LINE_BYTES  32

/* With both ends here nobody waits for the other to come. */
static int make_fifo(const char *path)
{
	int fd;

	assert_int_equal(mkfifo(path, 0600), 0);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

void urom_gate_init(struct urom_gate *gate, const struct urom_rig *rig, const char *point)
{
	char go[PATH_MAX];

	(void)snprintf(gate->path, sizeof(gate->path), "%s/%s", rig->dir, point);
	(void)snprintf(go, sizeof(go), "%s.go", gate->path);
	(void)snprintf(gate->variable, sizeof(gate->variable), UROM_POINT_VARIABLE "=%s:%s", point,
		       gate->path);
	gate->told_fd = make_fifo(gate->path);
	gate->go_fd = make_fifo(go);
}

void urom_gate_fini(struct urom_gate *gate)
{
	char go[PATH_MAX];

	(void)snprintf(go, sizeof(go), "%s.go", gate->path);
	close(gate->told_fd);
	close(gate->go_fd);
	assert_int_equal(unlink(gate->path), 0);
	assert_int_equal(unlink(go), 0);
}

bool urom_gate_is_reached(const struct urom_gate *gate)
{
	return test_is_readable(gate->told_fd, 0) != 0;
}

pid_t urom_gate_wait(struct urom_gate *gate)
{
	char line[LINE_BYTES];

	for (size_t len = 0; len < sizeof(line); len++) {
		if (!test_is_readable(gate->told_fd, PATIENCE_MS))
			fail_msg("nobody comes to %s", gate->path);
		assert_int_equal(read(gate->told_fd, line + len, 1), 1);
		if (line[len] == '\n')
			return (pid_t)strtol(line, NULL, 10);
	}
	fail_msg("%s: no process id", gate->path);
	return 0;
}

void urom_gate_open(struct urom_gate *gate)
{
	assert_int_equal(write(gate->go_fd, "", 1), 1);
}
