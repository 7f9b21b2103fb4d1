#!/usr/bin/env bash
# Runs a sample of the tree: copies a text with a DMA task on a software device.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

echo "demo: doca_dma_memcpy copies a text between two memory ranges with a DMA task"
build/gcc/samples/doca_dma_memcpy
