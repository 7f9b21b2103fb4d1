/* SPDX-License-Identifier: BSD-3-Clause */
#include "users_rig.h"

#include <errno.h>
#include <link.h>
#include <pwd.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

char users_rig_library[PATH_MAX];
char users_rig_worker[PATH_MAX];

static bool has_etc; /* of a rig's */

int users_rig_enter_namespace(void **state)
{
	(void)state;
	if (geteuid() != 0)
		return 0; /* each test says so */
	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return -1;
	return 0;
}

void users_rig_make_folder(const struct urom_rig *rig, const char *name)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", rig->dir, name);
	if (mkdir(path, 0700) != 0)
		assert_int_equal(errno, EEXIST);
}

void users_rig_open(const struct urom_rig *rig, const char *name, mode_t mode)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", rig->dir, name);
	assert_int_equal(chmod(path, mode), 0);
}

/* Our libraries of this process are those of a worker. */
static int copy_library(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *name = strrchr(info->dlpi_name, '/');
	char to[128];

	(void)size;
	if (name == NULL || strncmp(name, "/libdoca_", 9) != 0)
		return 0;
	assert_true((size_t)snprintf(to, sizeof(to), "lib%s", name) < sizeof(to));
	urom_rig_copy(arg, info->dlpi_name, to);
	return 0;
}

void users_rig_init_stopped(struct urom_rig *rig, const struct urom_rig_options *options)
{
	static const char *const opened[] = { "", "bin", "lib", "logs", "plugins", "bin/worker" };

	if (geteuid() != 0)
		fail_msg(
		    "two users take root; scripts/test_users.sh makes a namespace that has it");
	users_rig_restore_etc();
	urom_rig_init_stopped(rig, options);
	urom_rig_copy(rig, DOCA_UROM_WORKER, "bin/worker");
	dl_iterate_phdr(copy_library, rig);
	for (size_t i = 0; i < LEN(opened); i++)
		users_rig_open(rig, opened[i], 0755);
	(void)snprintf(users_rig_library, sizeof(users_rig_library), "LD_LIBRARY_PATH=%s/lib",
		       rig->dir);
	(void)snprintf(users_rig_worker, sizeof(users_rig_worker), "%s/bin/worker", rig->dir);
	assert_int_equal(setenv("LD_LIBRARY_PATH", strchr(users_rig_library, '=') + 1, 1), 0);
}

void users_rig_fini(struct urom_rig *rig)
{
	users_rig_restore_etc();
	(void)unsetenv("LD_LIBRARY_PATH");
	urom_rig_fini(rig);
}

/* --- Who there is --- */

static void copy_if_there(struct urom_rig *rig, const char *name)
{
	char from[64], to[64];

	(void)snprintf(from, sizeof(from), "/etc/%s", name);
	(void)snprintf(to, sizeof(to), "etc/%s", name);
	if (access(from, R_OK) != 0)
		return;
	urom_rig_copy(rig, from, to);
	users_rig_open(rig, to, 0644);
}

void users_rig_set_etc(struct urom_rig *rig, const char *passwd, const char *group)
{
	static const char *const needed[] = { "host.conf", "hosts", "ld.so.cache", "localtime",
					      "nsswitch.conf" };
	char path[PATH_MAX];

	users_rig_make_folder(rig, "etc");
	users_rig_open(rig, "etc", 0755);
	for (size_t i = 0; i < LEN(needed); i++)
		copy_if_there(rig, needed[i]);
	urom_rig_write(rig, "etc/passwd", passwd);
	users_rig_open(rig, "etc/passwd", 0644);
	urom_rig_write(rig, "etc/group", group);
	users_rig_open(rig, "etc/group", 0644);
	(void)snprintf(path, sizeof(path), "%s/etc", rig->dir);
	assert_int_equal(mount(path, "/etc", NULL, MS_BIND, NULL), 0);
	has_etc = true;
}

void users_rig_restore_etc(void)
{
	if (has_etc)
		assert_int_equal(umount2("/etc", MNT_DETACH), 0);
	has_etc = false;
}

uid_t users_rig_uid_of(const char *name)
{
	const struct passwd *found = getpwnam(name);

	if (found == NULL)
		fail_msg("there is no user %s", name);
	return found->pw_uid;
}

gid_t users_rig_gid_of(const char *name)
{
	const struct passwd *found = getpwnam(name);

	if (found == NULL)
		fail_msg("there is no user %s", name);
	return found->pw_gid;
}

/* --- What a process is --- */

const char *users_rig_read(const char *path, char text[USERS_RIG_TEXT])
{
	FILE *file = fopen(path, "re");

	if (file == NULL)
		fail_msg("%s cannot be read", path);
	text[fread(text, 1, USERS_RIG_TEXT - 1, file)] = '\0';
	fclose(file);
	return text;
}

void users_rig_check_status(pid_t pid, const char *format, ...)
{
	char path[64], text[USERS_RIG_TEXT], line[256] = "\n";
	va_list args;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	users_rig_read(path, text);
	va_start(args, format);
	(void)vsnprintf(line + 1, sizeof(line) - 2, format, args);
	va_end(args);
	strcat(line, "\n");
	if (strstr(text, line) == NULL)
		fail_msg("no line \"%s\" in %s:\n%s", line + 1, path, text);
}
