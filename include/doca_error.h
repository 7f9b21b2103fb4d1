/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one type of result. The numbers are part of the binary interface. Each function's comment
 * says which codes it gives and when; what stands beside the codes here is only their common sense.
 */
#ifndef DOCA_ERROR_H_
#define DOCA_ERROR_H_

#include <doca_common_defines.h>
#include <doca_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

enum doca_error {
	DOCA_SUCCESS = 0,
	DOCA_ERROR_UNKNOWN = 1,
	DOCA_ERROR_NOT_PERMITTED = 2,          /* access rights or ownership forbid it */
	DOCA_ERROR_IN_USE = 3,                 /* something else still needs the object */
	DOCA_ERROR_NOT_SUPPORTED = 4,          /* never, on this device or in this build */
	DOCA_ERROR_AGAIN = 5,                  /* not now; the same call may succeed later */
	DOCA_ERROR_INVALID_VALUE = 6,          /* an argument is NULL or out of range */
	DOCA_ERROR_NO_MEMORY = 7,              /* no memory, or a pool is empty */
	DOCA_ERROR_INITIALIZATION = 8,         /* a resource could not be set up */
	DOCA_ERROR_TIME_OUT = 9,               /* no answer within the bound */
	DOCA_ERROR_SHUTDOWN = 10,              /* ended because its owner stopped */
	DOCA_ERROR_CONNECTION_RESET = 11,      /* the peer went away */
	DOCA_ERROR_CONNECTION_ABORTED = 12,    /* the peer speaks another protocol */
	DOCA_ERROR_CONNECTION_INPROGRESS = 13, /* not established yet */
	DOCA_ERROR_NOT_CONNECTED = 14,         /* no peer or no progress engine */
	DOCA_ERROR_NO_LOCK = 15,
	DOCA_ERROR_NOT_FOUND = 16,
	DOCA_ERROR_IO_FAILED = 17, /* the transfer failed or was flushed */
	DOCA_ERROR_BAD_STATE = 18, /* wrong moment in the object's life */
	DOCA_ERROR_UNSUPPORTED_VERSION = 19,
	DOCA_ERROR_OPERATING_SYSTEM = 20, /* a system call failed */
	DOCA_ERROR_DRIVER = 21,           /* the layer below failed */
	DOCA_ERROR_UNEXPECTED = 22,
	DOCA_ERROR_ALREADY_EXIST = 23,
	DOCA_ERROR_FULL = 24,        /* a queue is full: drain it, then try again */
	DOCA_ERROR_EMPTY = 25,       /* nothing there to take */
	DOCA_ERROR_IN_PROGRESS = 26, /* begun; the end is reported by progress */
	DOCA_ERROR_TOO_BIG = 27,
	DOCA_ERROR_AUTHENTICATION = 28, /* credential missing or refused */
	DOCA_ERROR_BAD_CONFIG = 29,     /* a configuration cannot be used */
	DOCA_ERROR_SKIPPED = 30,        /* left out on purpose */
};

typedef enum doca_error doca_error_t;

#define DOCA_IS_ERROR(r) doca_unlikely((r) != DOCA_SUCCESS)

/* Keep the first error: r becomes t only while r is DOCA_SUCCESS; t is evaluated only then. */
#define DOCA_ERROR_PROPAGATE(r, t)     \
	do {                           \
		if (!DOCA_IS_ERROR(r)) \
			(r) = (t);     \
	} while (0)

/*
 * doca_error_get_name() - the enumerator of a code as text, "DOCA_ERROR_IN_USE".
 * Returns: never NULL, lent until the process ends; "unrecognized error code" for any other value.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
const char *doca_error_get_name(doca_error_t error);

/*
 * doca_error_get_descr() - a short English phrase for people.
 * Returns: never NULL, lent until the process ends; "unrecognized error code" for any other value.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
const char *doca_error_get_descr(doca_error_t error);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ERROR_H_ */
