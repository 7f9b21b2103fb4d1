#!/usr/bin/env bash
# Runs the long forms of tests, some as they are built for users and all but those under both
# sanitizers, and says how long each took.
#   scripts/soak.sh [CYCLES]    1000 unless given
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

cycles=${1:-1000}

# A test and its arguments. What counts time or memory is for the plain build.
PLAIN_FORMS=(
    "tests/integration/test_urom_storm 600"
    "tests/integration/test_urom_spawns $cycles"
    "tests/integration/test_urom_event $((cycles * 1000))"
    "tests/integration/test_urom_idle 10"
)
LONG_FORMS=(
    "tests/integration/test_urom_storm $(((cycles + 4) / 5))"
    "tests/integration/test_urom_spawns $(((cycles + 4) / 5))"
    "tests/integration/test_urom_threads $cycles 4"
    "tests/integration/test_urom_threads $(((cycles + 49) / 50)) 32"
    "tests/integration/test_rdma_load --full"
    "tests/integration/test_rdma_netns $(((cycles + 9) / 10))"
    "tests/integration/test_rdma_samples $(((cycles + 9) / 10))"
    "tests/unit/test_rdma_connect --full"
    "tests/unit/test_rdma_dc_ends --full"
    "tests/unit/test_rdma_memory --full"
)

status=0
# run BUILD "TEST ARGUMENT..."
run() {
    local words start=$SECONDS verdict=ok
    read -ra words <<<"$2"
    scripts/sanitize.sh "$1" "build/$1/${words[0]}" "${words[@]:1}" || verdict=FAIL status=1
    echo "$verdict $1 $(basename "$2"): $((SECONDS - start)) s"
}

scripts/build.sh gcc
for row in "${PLAIN_FORMS[@]}"; do
    run gcc "$row"
done
for name in asan tsan; do
    scripts/build.sh $name
    for row in "${LONG_FORMS[@]}"; do
        run $name "$row"
    done
done
exit $status
