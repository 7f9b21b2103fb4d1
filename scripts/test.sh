#!/usr/bin/env bash
# Builds one of the build directories, runs every suite there, and fails also when a test of
# tests/expected.txt did not run.
#   scripts/test.sh gcc|clang|asan|tsan
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

name=${1:?usage: scripts/test.sh gcc|clang|asan|tsan}
options=()
runner=(env)
case $name in
asan)
    options=(--timeout-multiplier 4)
    export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:abort_on_error=0
    export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
    ;;
tsan)
    options=(--timeout-multiplier 6)
    export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
    # Where the kernel spreads addresses widely, this sanitizer finds its shadow taken.
    ! setarch -R true 2>/dev/null || runner=(setarch -R)
    ;;
esac

scripts/build.sh "$name"
log=build/$name/meson-logs/testlog.json
rm -f "$log"
status=0
"${runner[@]}" meson test -C "build/$name" --no-rebuild --print-errorlogs "${options[@]}" || status=1
scripts/tests_ran.py "$name" || status=1
exit $status
