/* SPDX-License-Identifier: BSD-3-Clause */

/* Preloaded into a program: its contexts stop as ever, and it hears that they have not. */

#include <dlfcn.h>
#include <stdlib.h>

#include <doca_ctx.h>

doca_error_t doca_ctx_stop(struct doca_ctx *ctx)
{
	union {
		void *symbol;
		doca_error_t (*stop)(struct doca_ctx *ctx);
	} real = { .symbol = dlsym(RTLD_NEXT, "doca_ctx_stop") };

	if (real.symbol == NULL || real.stop(ctx) != DOCA_SUCCESS)
		abort();
	return DOCA_ERROR_UNEXPECTED;
}
