#!/usr/bin/env bash
# Runs every benchmark of build/gcc, one after the other; fails when a limit was missed.
#   scripts/bench.sh [--quick]
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

status=0
for program in build/gcc/bench/bench_*; do
    # A plugin for the workers of one of them lies beside them.
    [ -f "$program" ] && [ -x "$program" ] && [[ $program != *.so ]] || continue
    "$program" "$@" || status=$?
    echo
done
exit "$status"
