#!/usr/bin/env bash
# Runs the long forms of tests, under both sanitizers, and says how long each took.
#   scripts/soak.sh [CYCLES]    1000 unless given
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

cycles=${1:-1000}
tests=(tests/integration/test_urom_threads)

status=0
for name in asan tsan; do
    scripts/build.sh $name
    for test in "${tests[@]}"; do
        start=$SECONDS
        verdict=ok
        scripts/sanitize.sh $name "build/$name/$test" "$cycles" || verdict=FAIL status=1
        echo "$verdict $name $(basename "$test"), $cycles cycles: $((SECONDS - start)) s"
    done
done
exit $status
