#!/usr/bin/env bash
# Runs the gates of the project and says of each whether it held; goes on after one that failed.
#   scripts/check.sh [GATE...]       all of them when none is named
#   scripts/check.sh --list
# The log of a gate is build/logs/GATE.log; the verdicts are in build/gates.txt.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

# Name and command, in the order in which they run: what is quick comes first.
GATES=(
    "format       gate_format"
    "spelling     gate_spelling"
    "shell        gate_shell"
    "layers       scripts/check_layers.py"
    "shape        scripts/check_shape.py"
    "comments     scripts/check_comments.py"
    "null-table   scripts/check_null_table.py"
    "headers      scripts/check_headers.sh"
    "docs         scripts/check_docs.py"
    "clang        scripts/test.sh clang"
    "symbols      gate_symbols"
    "man          scripts/check_man.py"
    "abi          gate_abi"
    "wire-doc     gate_wire_doc"
    "tidy         gate_tidy"
    "asan         scripts/test.sh asan"
    "tsan         scripts/test.sh tsan"
    "fuzz         scripts/fuzz.sh"
    "fuzz-cover   scripts/fuzz_coverage.py"
    "install      scripts/test_install.sh"
    "users        scripts/test_users.sh"
    "vm           scripts/test_vm.sh"
)

find_sources() { # [DIRECTORY...]
    local dir dirs=()
    for dir in "$@"; do
        [ ! -d "$dir" ] || dirs+=("$dir")
    done
    find "${dirs[@]}" -name '*.[ch]' | sort
}

gate_format() {
    find_sources include src plugins samples tools bench tests |
        xargs clang-format --dry-run -Werror || {
        echo "to mend: clang-format -i FILE, for each file above"
        return 1
    }
}

gate_spelling() {
    find . -name .git -prune -o -path ./build -prune -o -type f -print0 | xargs -0 codespell
}

gate_shell() {
    find scripts .ci -type f \( -name '*.sh' -o -name run \) -print0 |
        xargs -0 shellcheck --severity=warning
}

gate_symbols() {
    scripts/build.sh gcc
    scripts/check_symbols.py
}

gate_abi() {
    scripts/build.sh gcc
    scripts/check_abi.sh
}

gate_wire_doc() {
    scripts/build.sh gcc
    scripts/check_wire_doc.py
}

gate_tidy() {
    scripts/build.sh clang
    find_sources src plugins samples tools bench | grep '\.c$' |
        xargs -n 1 -P "$(nproc)" clang-tidy -p build/clang --quiet 2>&1 |
        sed '/^[0-9]* warnings\? generated/d'
}

report_progress() { # GATE, until it is killed
    local seconds=0
    trap 'kill $!; exit' TERM # its sleep goes with it
    while sleep 30 & wait $!; do
        seconds=$((seconds + 30))
        echo "...  $1 ($seconds s so far)"
    done
}

run_gate() { # NAME COMMAND [ARGUMENT...]
    local name=$1 start=$SECONDS verdict=ok log=build/logs/$1.log reporter
    shift
    report_progress "$name" &
    reporter=$!
    # In a shell of its own, because -e would be off in a function called from a condition.
    bash -c 'set -euo pipefail; "$@"' gate "$@" >"$log" 2>&1 </dev/null || verdict=FAIL
    kill "$reporter" 2>/dev/null || true
    wait "$reporter" 2>/dev/null || true
    printf '%-4s %s (%d s)\n' "$verdict" "$name" $((SECONDS - start))
    echo "$verdict $name $((SECONDS - start))" >>build/gates.txt
    [ "$verdict" = ok ] || {
        tail -n 200 "$log" | sed 's/^/    /'
        echo "     the log is $log; again with: scripts/check.sh $name"
        failed+=" $name"
    }
}

is_asked_for() { # NAME
    local asked
    [ ${#only[@]} -gt 0 ] || return 0
    for asked in "${only[@]}"; do
        [ "$asked" != "$1" ] || return 0
    done
    return 1
}

if [ "${1:-}" = --list ]; then
    printf '%s\n' "${GATES[@]}" | cut -d' ' -f1
    exit 0
fi

only=("$@")
failed=
ran=0
export -f find_sources gate_format gate_spelling gate_shell gate_symbols gate_abi gate_wire_doc
export -f gate_tidy
mkdir -p build/logs
: >build/gates.txt
for row in "${GATES[@]}"; do
    read -ra words <<<"$row"
    is_asked_for "${words[0]}" || continue
    run_gate "${words[@]}"
    ran=$((ran + 1))
done

if [ $ran = 0 ]; then
    echo "check.sh: no such gate: ${only[*]}; scripts/check.sh --list names them" >&2
    exit 2
fi
[ -z "$failed" ] || {
    echo "check.sh: failed:$failed" >&2
    exit 1
}
echo "all $ran gates hold"
