#!/usr/bin/env bash
# Shows the devices of this machine, and runs a sample of the tree on one of them.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

echo "demo: the devices that DOCA programs find here (doca_caps)"
echo
build/gcc/tools/doca_caps
echo
echo "demo: a text is copied by a DMA task, the program sleeps until it is done (doca_dma_memcpy)"
echo
build/gcc/samples/doca_dma_memcpy
echo
echo "next: make test, make install; README.md, docs/ and samples/doca_dma/dma_memcpy to read on"
