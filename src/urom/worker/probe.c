/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/probe.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
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
#include "urom/worker/probe_load.h"

/* Room behind the interface for a plugin of a newer one, which fills more. */
#define IFACE_ROOM  4096

#define REASON_SIZE 1024

/* A file, as bytes. */
struct mapped {
	void *bytes;
	size_t len;
};

union iface {
	struct urom_plugin_iface known;
	char room[IFACE_ROOM];
};

__attribute__((format(printf, 1, 2))) static bool refuse(const char *format, ...)
{
	char reason[REASON_SIZE];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	(void)fflush(NULL); /* what the plugin has printed comes first */
	(void)dprintf(STDERR_FILENO, "%s\n", reason);
	return false;
}

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

static bool map_fd(int fd, struct mapped *file)
{
	struct stat stat;
	void *bytes;

	if (fstat(fd, &stat) != 0)
		return refuse("it cannot be read: %s", strerror(errno));
	if (!S_ISREG(stat.st_mode))
		return refuse("it is no regular file");
	if (stat.st_size == 0)
		return refuse("it is empty");
	bytes = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return refuse("it cannot be read: %s", strerror(errno));
	*file = (struct mapped){ .bytes = bytes, .len = (size_t)stat.st_size };
	return true;
}

static bool map_file(const char *path, struct mapped *file)
{
	/* A pipe would let the call wait for its other end. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is_mapped;

	if (fd < 0)
		return refuse("it cannot be opened: %s", strerror(errno));
	is_mapped = map_fd(fd, file);
	close(fd);
	return is_mapped;
}

static bool read_own_header(Elf64_Ehdr *own)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ssize_t len = -1;

	if (fd >= 0) {
		len = read(fd, own, sizeof(*own));
		close(fd);
	}
	return len == (ssize_t)sizeof(*own) || refuse("/proc/self/exe cannot be read");
}

/* header: the file's own, when it may be a plugin. */
static bool check_file(const char *path, Elf64_Ehdr *header)
{
	const char *complaint;
	struct mapped file = { .bytes = NULL };
	Elf64_Ehdr own;

	if (!read_own_header(&own) || !map_file(path, &file))
		return false;
	complaint = uromw_elf_complaint(file.bytes, file.len, &own);
	if (complaint == NULL)
		memcpy(header, file.bytes, sizeof(*header));
	(void)munmap(file.bytes, file.len);
	return complaint == NULL || refuse("%s", complaint);
}

static bool ask(void *handle, uint64_t *version, uint64_t *api_version)
{
	doca_error_t (*get_version)(uint64_t * version);
	doca_error_t (*get_iface)(struct urom_plugin_iface * iface);
	union iface iface = { .room = { 0 } };
	doca_error_t result;

	*(void **)&get_version = dlsym(handle, "urom_plugin_get_version");
	*(void **)&get_iface = dlsym(handle, "urom_plugin_get_iface");
	if (get_version == NULL || get_iface == NULL)
		return refuse("the loader does not find its functions");
	result = get_version(version);
	if (result != DOCA_SUCCESS)
		return refuse("urom_plugin_get_version gives %s", doca_error_get_name(result));
	result = get_iface(&iface.known);
	if (result != DOCA_SUCCESS)
		return refuse("urom_plugin_get_iface gives %s", doca_error_get_name(result));
	*api_version = iface.known.__doca_api_version;
	if (*api_version > DOCA_VERSION_EXACT)
		return refuse("its interface is of version 0x%" PRIx64 ", newer than 0x%" PRIx64,
			      *api_version, (uint64_t)DOCA_VERSION_EXACT);
	return true;
}

static bool probe(const char *path, int out)
{
	uint64_t version, api_version;
	Elf64_Ehdr header;
	char *reason;
	void *handle;

	if (!check_file(path, &header))
		return false;
	handle = uromw_probe_load(path, &header, &reason);
	if (handle == NULL)
		return refuse("%s", reason != NULL ? reason : strerror(ENOMEM));
	if (!ask(handle, &version, &api_version))
		return false;
	(void)fflush(NULL);
	if (dprintf(out, "plugin %" PRIu64 " 0x%" PRIx64 "\n", version, api_version) < 0)
		return refuse("the answer cannot be written: %s", strerror(errno));
	return true;
}

/* Without a slash, the loader would search for it. */
static bool probe_real(const char *path, int out)
{
	char *real = realpath(path, NULL);
	bool is_plugin;

	if (real == NULL)
		return refuse("it cannot be opened: %s", strerror(errno));
	is_plugin = probe(real, out);
	free(real);
	return is_plugin;
}

int uromw_probe_main(const char *path)
{
	const struct rlimit none = { .rlim_cur = 0 };
	bool is_plugin = false;
	int out;

	if (!is_wanted())
		_exit(EXIT_FAILURE);
	(void)setrlimit(RLIMIT_CORE, &none); /* that a plugin crashes is no news */
	out = take_stdout();
	if (out < 0)
		(void)refuse("standard output cannot be used: %s", strerror(errno));
	else
		is_plugin = probe_real(path, out);
	_exit(is_plugin ? EXIT_SUCCESS : EXIT_FAILURE);
}
