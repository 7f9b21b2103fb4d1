#!/usr/bin/env bash
# Runs every fuzz target for a bounded time: a minute each, and less when there are many.
#   scripts/fuzz.sh [SECONDS]        seconds a target
#   scripts/fuzz.sh --coverage       how much of the decoders the corpora reach; fuzzes nothing
#   scripts/fuzz.sh --plant          does each target find a fault that is planted; takes long
# What a target finds is kept in build/fuzz/found; what it learnt, in build/fuzz/corpus.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in
--coverage) exec scripts/fuzz_coverage.py "${@:2}" ;;
--plant) exec scripts/fuzz_plant.sh "${@:2}" ;;
-*)
    sed -n '/^#   /p' "$0"
    exit 2
    ;;
esac

TOTAL_SECONDS=300
jobs=$(nproc)

scripts/build.sh fuzz
shopt -s nullglob
targets=()
for source in tests/fuzz/fuzz_*.c; do
    targets+=("$(basename "$source" .c)")
done
if [ ${#targets[@]} = 0 ]; then
    echo "fuzz.sh: there is no target tests/fuzz/fuzz_*.c" >&2
    exit 1
fi
seconds=${1:-60}
rounds=$(((${#targets[@]} + jobs - 1) / jobs))
[ $((seconds * rounds)) -le $TOTAL_SECONDS ] || seconds=$((TOTAL_SECONDS / rounds))

run_target() { # NAME SECONDS
    local learnt=build/fuzz/corpus/$1 seeds=tests/fuzz/corpus/$1 log=build/logs/$1.log
    local corpus=("$learnt")
    mkdir -p "$learnt" build/fuzz/found build/logs
    [ ! -d "$seeds" ] || corpus+=("$seeds")
    if "build/fuzz/tests/fuzz/$1" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 \
        -artifact_prefix="build/fuzz/found/$1-" "${corpus[@]}" >"$log" 2>&1; then
        echo "$1: $(grep -a '^Done' "$log"), $(grep -ao 'cov: [0-9]*' "$log" | tail -n 1)"
    else
        tail -n 60 "$log"
        echo "$1: found something; the input is in build/fuzz/found, the log is $log"
        return 1
    fi
}
export -f run_target
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
printf '%s\n' "${targets[@]}" |
    xargs -P "$jobs" -I TARGET bash -c 'set -eu; run_target TARGET "$0"' "$seconds"
