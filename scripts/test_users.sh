#!/usr/bin/env bash
# Runs the tests that want several users, as root or in a user namespace that has as many, and fails
# also when one of them that tests/expected.txt lists did not run.
#   scripts/test_users.sh [PROGRAM...]      default: all test_users*
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

as_root=()
if [ "$(id -u)" != 0 ]; then
    # Subordinate ids of /etc/subuid and /etc/subgid, by newuidmap and newgidmap.
    as_root=(unshare --user --map-root-user --map-auto --)
    "${as_root[@]}" setpriv --reuid nobody --clear-groups true 2>/dev/null || {
        echo "test_users.sh: tests with several users take root, or a user namespace that has" \
            "more than one; that takes the package uidmap and lines for $(id -un) in" \
            "/etc/subuid and /etc/subgid" >&2
        exit 1
    }
fi

scripts/build.sh gcc
programs=("$@")
if [ $# = 0 ]; then
    mapfile -t programs < <(find build/gcc/tests/integration -maxdepth 1 -type f \
        -name 'test_users*' -executable | sort)
fi
mkdir -p build/users
rm -f build/users/*.tap
status=0
for program in "${programs[@]}"; do
    tap=build/users/$(basename "$program").tap
    CMOCKA_MESSAGE_OUTPUT=TAP timeout 300 "${as_root[@]}" "$program" >"$tap" || {
        echo "$program failed"
        status=1
    }
    cat "$tap"
done
scripts/tests_ran.py users || status=1
exit $status
