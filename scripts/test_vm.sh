#!/usr/bin/env bash
# Runs the tests that want real verbs in the virtual machine with Soft-RoCE, and fails also when one
# of them that tests/expected.txt lists did not run.
#   scripts/test_vm.sh [PROGRAM...]      default: all test_verbs_*
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/build.sh gcc
programs=("$@")
if [ $# = 0 ]; then
    mapfile -t programs < <(find build/gcc/tests/integration -maxdepth 1 -type f \
        -name 'test_verbs_*' -executable | sort)
fi
if [ ${#programs[@]} = 0 ]; then
    echo "test_vm.sh: there is no tests/integration/test_verbs_*.c in the build" >&2
    exit 1
fi

mkdir -p build/vm
rm -f build/vm/*.tap
# In the guest: the device must be there; then each program, its lines kept for the comparison.
# shellcheck disable=SC2016  # expanded in the guest
run='ibv_devices | grep -w rxe0 || {
    echo "the guest has no rxe0"
    exit 1
}
status=0
for program in "$@"; do
    echo "running $program"
    "$program" >"build/vm/$(basename "$program").tap" || { echo "$program failed"; status=1; }
    cat "build/vm/$(basename "$program").tap"
done
exit $status'

boot() { # [OPTION...]
    scripts/soft-roce-vm.sh "$@" --timeout 240 --share "$PWD/build" -- \
        env -C "$PWD" DOCA_TEST_VERBS=1 CMOCKA_MESSAGE_OUTPUT=TAP \
        bash -c "$run" guest "${programs[@]}"
}

status=0
boot || status=$?
if [ $status = 125 ]; then
    echo "test_vm.sh: the guest did not come up; once more, without hardware acceleration"
    status=0
    boot --accel tcg || status=$?
fi
scripts/tests_ran.py vm || status=1
exit $status
