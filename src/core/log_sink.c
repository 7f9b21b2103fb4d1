/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/log_sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "core/export.h"

static void fd_write_all(int fd, const char *line, size_t len)
{
	while (len > 0) {
		ssize_t written = write(fd, line, len);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return; /* a log that cannot be written is no reason to fail */
		line += written;
		len -= (size_t)written;
	}
}

static void sink_file_write(const struct log_sink *sink, uint32_t level, const char *line,
			    size_t len)
{
	(void)level;
	(void)fwrite(line, 1, len, sink->file); /* as in fd_write_all() */
	(void)fflush(sink->file);
}

static void sink_fd_write(const struct log_sink *sink, uint32_t level, const char *line, size_t len)
{
	(void)level;
	fd_write_all(sink->fd, line, len);
}

/* Each line starts the buffer anew; what does not fit is cut at its end. */
static void sink_buf_write(const struct log_sink *sink, uint32_t level, const char *line,
			   size_t len)
{
	size_t fits = len < sink->buf.capacity ? len : sink->buf.capacity - 1;

	(void)level;
	memcpy(sink->buf.start, line, fits);
	sink->buf.start[fits] = '\0';
	sink->buf.handler(sink->buf.start);
}

static int syslog_priority(uint32_t level)
{
	static const struct {
		uint32_t level;
		int priority;
	} priorities[] = {
		{ DOCA_LOG_LEVEL_CRIT, LOG_CRIT },
		{ DOCA_LOG_LEVEL_ERROR, LOG_ERR },
		{ DOCA_LOG_LEVEL_WARNING, LOG_WARNING },
		{ DOCA_LOG_LEVEL_INFO, LOG_INFO },
	};

	for (size_t i = 0; i < CORE_ARRAY_LEN(priorities); i++) {
		if (priorities[i].level == level)
			return priorities[i].priority;
	}
	return LOG_DEBUG;
}

static void sink_syslog_write(const struct log_sink *sink, uint32_t level, const char *line,
			      size_t len)
{
	syslog(syslog_priority(level), "%s: %.*s", sink->ident, (int)len - 1, line);
}

void log_sink_write(struct log_sink *sink, uint32_t level, const char *line, size_t len)
{
	pthread_mutex_lock(&sink->lock);
	__atomic_store_n(&sink->writer, pthread_self(), __ATOMIC_RELAXED);
	sink->ops->write(sink, level, line, len);
	__atomic_store_n(&sink->writer, 0, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&sink->lock);
}

void log_sink_forked(struct log_sink *sink)
{
	/* The function of a buffer backend may fork; it returns to log_sink_write(). */
	if (pthread_equal(__atomic_load_n(&sink->writer, __ATOMIC_RELAXED), pthread_self()))
		return;
	sink->writer = 0;
	(void)pthread_mutex_init(&sink->lock, NULL); /* cannot fail without attributes */
}

void log_sink_write_stderr(const char *line, size_t len)
{
	fd_write_all(STDERR_FILENO, line, len);
}

const struct log_sink_ops log_sink_file_ops = { .write = sink_file_write };
static const struct log_sink_ops sink_fd_ops = { .write = sink_fd_write };
static const struct log_sink_ops sink_buf_ops = { .write = sink_buf_write };
static const struct log_sink_ops sink_syslog_ops = { .write = sink_syslog_write };

static doca_error_t create_with_file(enum log_class class, FILE *fptr,
				     struct doca_log_backend **backend)
{
	const struct log_sink sink = { .ops = &log_sink_file_ops, .file = fptr };

	if (fptr == NULL || backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return log_backend_create(class, &sink, backend);
}

static doca_error_t create_with_fd(enum log_class class, int fd, struct doca_log_backend **backend)
{
	const struct log_sink sink = { .ops = &sink_fd_ops, .fd = fd };

	if (fd < 0 || backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return log_backend_create(class, &sink, backend);
}

static doca_error_t create_with_buf(enum log_class class, char *buf, size_t capacity,
				    log_flush_callback handler, struct doca_log_backend **backend)
{
	struct log_sink sink = { .ops = &sink_buf_ops };

	if (buf == NULL || capacity == 0 || handler == NULL || backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	sink.buf.start = buf;
	sink.buf.capacity = capacity;
	sink.buf.handler = handler;
	return log_backend_create(class, &sink, backend);
}

static doca_error_t create_with_syslog(enum log_class class, const char *name,
				       struct doca_log_backend **backend)
{
	struct log_sink sink = { .ops = &sink_syslog_ops };
	doca_error_t result;

	if (name == NULL || backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	sink.ident = strdup(name);
	if (sink.ident == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = log_backend_create(class, &sink, backend);
	if (result != DOCA_SUCCESS)
		free(sink.ident);
	return result;
}

doca_error_t doca_log_backend_create_with_file(FILE *fptr, struct doca_log_backend **backend)
{
	return create_with_file(LOG_CLASS_APP, fptr, backend);
}

doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr, struct doca_log_backend **backend)
{
	return create_with_file(LOG_CLASS_SDK, fptr, backend);
}

doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend)
{
	return create_with_fd(LOG_CLASS_APP, fd, backend);
}

doca_error_t doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend)
{
	return create_with_fd(LOG_CLASS_SDK, fd, backend);
}

doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity,
					      log_flush_callback handler,
					      struct doca_log_backend **backend)
{
	return create_with_buf(LOG_CLASS_APP, buf, capacity, handler, backend);
}

doca_error_t doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity,
						  log_flush_callback handler,
						  struct doca_log_backend **backend)
{
	return create_with_buf(LOG_CLASS_SDK, buf, capacity, handler, backend);
}

doca_error_t doca_log_backend_create_with_syslog(const char *name,
						 struct doca_log_backend **backend)
{
	return create_with_syslog(LOG_CLASS_APP, name, backend);
}

doca_error_t doca_log_backend_create_with_syslog_sdk(const char *name,
						     struct doca_log_backend **backend)
{
	return create_with_syslog(LOG_CLASS_SDK, name, backend);
}
