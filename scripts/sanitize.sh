#!/usr/bin/env bash
# Runs a command with what the sanitizer of a build directory wants to be told.
#   scripts/sanitize.sh gcc|clang|asan|tsan COMMAND [ARGUMENT...]
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail

name=${1:?usage: scripts/sanitize.sh gcc|clang|asan|tsan COMMAND [ARGUMENT...]}
shift
runner=(env)
case $name in
asan)
    export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:abort_on_error=0
    LSAN_OPTIONS=print_suppressions=0
    LSAN_OPTIONS+=:suppressions=$(cd "$(dirname "$0")/.." && pwd)/tests/lsan.supp
    export LSAN_OPTIONS
    export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
    ;;
tsan)
    export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
    # Tests fork with threads of libraries running, and their children use what they inherit.
    TSAN_OPTIONS+=:die_after_fork=0
    TSAN_OPTIONS+=:suppressions=$(cd "$(dirname "$0")/.." && pwd)/tests/tsan.supp
    # Where the kernel spreads addresses widely, this sanitizer finds its shadow taken.
    ! setarch -R true 2>/dev/null || runner=(setarch -R)
    ;;
esac
exec "${runner[@]}" "$@"
