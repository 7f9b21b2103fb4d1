#!/usr/bin/env bash
# Builds one of the build directories, runs every suite there, and fails also when a test of
# tests/expected.txt did not run.
#   scripts/test.sh gcc|clang|asan|tsan
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

name=${1:?usage: scripts/test.sh gcc|clang|asan|tsan}
options=()
case $name in
asan) options=(--timeout-multiplier 4) ;;
tsan) options=(--timeout-multiplier 6) ;;
esac

scripts/build.sh "$name"
log=build/$name/meson-logs/testlog.json
rm -f "$log"
status=0
scripts/sanitize.sh "$name" meson test -C "build/$name" --no-rebuild --print-errorlogs \
    "${options[@]}" || status=1
scripts/tests_ran.py "$name" || status=1
exit $status
