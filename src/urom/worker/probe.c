/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/probe.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doca_urom_plugin.h>
#include <doca_version.h>

#include "urom/worker/elf.h"
#include "urom/worker/limits.h"
#include "urom/worker/probe_load.h"

/* Room behind the interface for a plugin of a newer one, which fills more. */
#define IFACE_ROOM  4096

#define REASON_SIZE 512

/* A file, as bytes. */
struct mapped {
	void *bytes;
	size_t len;
};

union iface {
	struct urom_plugin_iface known;
	char room[IFACE_ROOM];
};

/* Whoever started this process may end at any time, and would leave it with a plugin that hangs. */
static bool is_wanted(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO };

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* cannot fail for a signal that exists */
	/* From here on it ends this one; before, its end of the pipe was closed. */
	return poll(&out, 1, 0) <= 0 || (out.revents & (POLLERR | POLLNVAL)) == 0;
}

/* What plugins print goes to standard error; the descriptor for the answer is returned. */
static int take_stdout(void)
{
	int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (out >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
		close(out);
		out = -1;
	}
	return out;
}

/* A reason that has a cause. Lent until the next one. */
__attribute__((returns_nonnull)) static const char *because(const char *reason, const char *cause)
{
	static char text[REASON_SIZE];

	(void)snprintf(text, sizeof(text), "%s: %s", reason, cause);
	return text;
}

/* From here on, each function returns why the file is no plugin, or NULL. */

static const char *map_fd(int fd, struct mapped *file)
{
	struct stat stat;
	void *bytes;

	if (fstat(fd, &stat) != 0)
		return because("it cannot be read", strerror(errno));
	if (!S_ISREG(stat.st_mode))
		return "it is no regular file";
	if (stat.st_size == 0)
		return "it is empty";
	bytes = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return because("it cannot be read", strerror(errno));
	*file = (struct mapped){ .bytes = bytes, .len = (size_t)stat.st_size };
	return NULL;
}

static const char *map_file(const char *path, struct mapped *file)
{
	/* A pipe would let the call wait for its other end. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const char *reason;

	if (fd < 0)
		return because("it cannot be opened", strerror(errno));
	reason = map_fd(fd, file);
	close(fd);
	return reason;
}

/* The header of this program. */
static const char *read_own_header(Elf64_Ehdr *own)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ssize_t len = -1;

	if (fd >= 0) {
		len = read(fd, own, sizeof(*own));
		close(fd);
	}
	return len == (ssize_t)sizeof(*own) ? NULL : "the worker's own program cannot be read";
}

static const char *check_file(const char *path, const Elf64_Ehdr *own)
{
	struct mapped file = { .bytes = NULL };
	const char *reason = map_file(path, &file);

	if (reason != NULL)
		return reason;
	reason = uromw_elf_complaint(file.bytes, file.len, own);
	(void)munmap(file.bytes, file.len);
	return reason;
}

static const char *ask(void *handle, uint64_t *version, uint64_t *api_version)
{
	doca_error_t (*get_version)(uint64_t * version);
	doca_error_t (*get_iface)(struct urom_plugin_iface * iface);
	union iface iface = { .room = { 0 } };
	doca_error_t result;

	*(void **)&get_version = dlsym(handle, "urom_plugin_get_version");
	*(void **)&get_iface = dlsym(handle, "urom_plugin_get_iface");
	if (get_version == NULL || get_iface == NULL)
		return "the loader does not find its functions";
	result = get_version(version);
	if (result != DOCA_SUCCESS)
		return because("urom_plugin_get_version fails", doca_error_get_name(result));
	result = get_iface(&iface.known);
	if (result != DOCA_SUCCESS)
		return because("urom_plugin_get_iface fails", doca_error_get_name(result));
	*api_version = iface.known.__doca_api_version;
	if (*api_version > DOCA_VERSION_EXACT)
		return "its interface is newer than " DOCA_VERSION_STRING;
	return NULL;
}

/* path: with a slash, as the loader would search for it otherwise. */
static const char *probe(const char *path, uint64_t *version, uint64_t *api_version)
{
	const char *reason;
	char *complaint;
	Elf64_Ehdr own;
	void *handle;

	reason = read_own_header(&own);
	if (reason == NULL)
		reason = check_file(path, &own);
	if (reason != NULL)
		return reason;
	handle = uromw_probe_load(path, &own, &complaint);
	if (handle == NULL)
		return complaint != NULL ? complaint : strerror(ENOMEM);
	return ask(handle, version, api_version);
}

static const char *probe_and_tell(const char *path)
{
	int out = take_stdout();
	uint64_t version = 0, api_version = 0;
	const char *reason;
	char *real;

	if (out < 0)
		return because("standard output cannot be used", strerror(errno));
	real = realpath(path, NULL);
	if (real == NULL)
		return because("it cannot be opened", strerror(errno));
	reason = probe(real, &version, &api_version);
	if (reason == NULL &&
	    dprintf(out, "plugin %" PRIu64 " 0x%" PRIx64 "\n", version, api_version) < 0)
		reason = because("the answer cannot be written", strerror(errno));
	free(real);
	return reason;
}

/* The sixth number of the kernel's; 0: it has none. */
static uint64_t count_data_pages(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	uint64_t pages = 0;
	char text[256], *at = text;

	if (file == NULL)
		return 0;
	if (fgets(text, sizeof(text), file) != NULL) {
		for (unsigned int i = 0; i < 6; i++)
			pages = strtoull(at, &at, 10);
	}
	(void)fclose(file);
	return pages;
}

/*
 * One that takes memory without end is to end with its own, not with the machine's. What the
 * process has now is no measure of the plugin: a sanitizer has terabytes.
 */
static void limit_data(void)
{
	uint64_t most = count_data_pages();
	struct rlimit limit;

	if (most == 0 || getrlimit(RLIMIT_DATA, &limit) != 0)
		return;
	most = most * (uint64_t)sysconf(_SC_PAGESIZE) + UROMW_PROBE_DATA;
	if (limit.rlim_cur > most)
		limit.rlim_cur = most;
	(void)setrlimit(RLIMIT_DATA, &limit); /* it is less than before */
}

int uromw_probe_main(const char *path)
{
	const struct rlimit none = { .rlim_cur = 0 };
	const char *reason;

	if (!is_wanted())
		_exit(EXIT_FAILURE);
	(void)setrlimit(RLIMIT_CORE, &none); /* that a plugin crashes is no news */
	limit_data();
	reason = probe_and_tell(path);
	(void)fflush(NULL); /* what the plugin has printed comes first */
	if (reason != NULL)
		(void)dprintf(STDERR_FILENO, "%s\n", reason);
	_exit(reason == NULL ? EXIT_SUCCESS : EXIT_FAILURE);
}
