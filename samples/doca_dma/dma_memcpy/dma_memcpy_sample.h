/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DMA_MEMCPY_SAMPLE_H_
#define DMA_MEMCPY_SAMPLE_H_

#include <doca_dev.h>
#include <doca_error.h>

/*
 * Copies a text from one memory range to another with a memcpy task, and compares the two.
 * dev: borrowed, an open device.
 * Errors: UNEXPECTED: the copy differs. Others: those of the calls, which are logged.
 */
doca_error_t dma_memcpy_run(struct doca_dev *dev);

#endif /* DMA_MEMCPY_SAMPLE_H_ */
