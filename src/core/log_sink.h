/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_LOG_SINK_H_
#define CORE_LOG_SINK_H_

/* The end of a log backend: takes whole lines to a stream, a descriptor, a buffer or the syslog. */

#include <pthread.h>
#include <stdio.h>

#include "core/log_backend.h"

struct log_sink;

struct log_sink_ops {
	/* Called with the sink's lock held. line: borrowed, len bytes, NUL after them. */
	void (*write)(const struct log_sink *sink, uint32_t level, const char *line, size_t len);
};

struct log_sink {
	const struct log_sink_ops *ops;
	pthread_mutex_t lock; /* one line at a time */
	pthread_t writer;     /* atomic: who holds it; 0: nobody, or not yet */
	union {
		FILE *file; /* borrowed for the life of the process, as the others are */
		int fd;
		struct {
			char *start;
			size_t capacity; /* bytes, the NUL included */
			log_flush_callback handler;
		} buf;
		char *ident; /* owned; the syslog's name for the program */
	};
};

extern const struct log_sink_ops log_sink_file_ops;

/* Takes one line to the sink, whole. Thread: any. Source: ours. */
void log_sink_write(struct log_sink *sink, uint32_t level, const char *line, size_t len);

/* In the child of a fork: the lock is free, unless it is this thread's. Source: ours. */
void log_sink_forked(struct log_sink *sink);

/* Takes one line to standard error, past any backend. Thread: any. Source: ours. */
void log_sink_write_stderr(const char *line, size_t len);

/*
 * Makes a backend of a class over a sink.
 * sink: copied, its lock excepted. backend: lent until the process ends.
 * Errors: NO_MEMORY.
 * Thread: any. Source: ours.
 */
doca_error_t log_backend_create(enum log_class class, const struct log_sink *sink,
				struct doca_log_backend **backend);

#endif /* CORE_LOG_SINK_H_ */
