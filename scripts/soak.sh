#!/usr/bin/env bash
# Runs the long forms of tests, under both sanitizers, and says how long each took.
#   scripts/soak.sh [CYCLES]    1000 unless given
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

cycles=${1:-1000}

# A test and its arguments.
LONG_FORMS=(
    "tests/integration/test_urom_threads $cycles 4"
    "tests/integration/test_urom_threads $(((cycles + 49) / 50)) 32"
    "tests/integration/test_rdma_load --full"
    "tests/integration/test_rdma_netns $(((cycles + 9) / 10))"
    "tests/integration/test_rdma_samples $(((cycles + 9) / 10))"
    "tests/unit/test_rdma_connect --full"
    "tests/unit/test_rdma_memory --full"
)

status=0
for name in asan tsan; do
    scripts/build.sh $name
    for row in "${LONG_FORMS[@]}"; do
        read -ra words <<<"$row"
        start=$SECONDS
        verdict=ok
        scripts/sanitize.sh $name "build/$name/${words[0]}" "${words[@]:1}" ||
            verdict=FAIL status=1
        echo "$verdict $name $(basename "$row"): $((SECONDS - start)) s"
    done
done
exit $status
