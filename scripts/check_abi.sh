#!/usr/bin/env bash
# Reports how the binary interface of the built libraries differs from the record in abi/.
#   scripts/check_abi.sh             a report; before version 1.0 a difference is no failure
#   scripts/check_abi.sh --update    write the record
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

shopt -s nullglob
libraries=(build/gcc/src/*/libdoca_*.so)
if [ ${#libraries[@]} = 0 ]; then
    echo "check_abi.sh: no library in build/gcc; run make first" >&2
    exit 1
fi

for library in "${libraries[@]}"; do
    name=$(basename "$library" .so)
    record=abi/$name.abi
    if [ "${1:-}" = --update ]; then
        mkdir -p abi
        # Nothing in it may tell where the library was built.
        abidw --headers-dir include --no-corpus-path --no-comp-dir-path --no-show-locs \
            --out-file "$record" "$library"
        echo "$record written"
    elif [ ! -e "$record" ]; then
        echo "$name: no record; scripts/check_abi.sh --update writes one"
    elif abidiff --no-default-suppression --headers-dir2 include "$record" "$library"; then
        echo "$name: as recorded"
    else
        # 1 and 2 are errors of the tool or its use; 4 and 8 tell of differences.
        status=$?
        [ $((status & 3)) = 0 ] || exit $status
        echo "$name: differs from its record as said above"
    fi
done
