#!/usr/bin/env bash
# Compiles every public header alone: as C99 and as C++17, by gcc and by clang, with and without the
# experimental API allowed.
#   scripts/check_headers.sh
# One line a failure, with the compiler's messages under it. A missing compiler is a failure.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

COMPILERS=(
    "gcc c"
    "clang c"
    "g++ c++"
    "clang++ c++"
)
WARNINGS=(-Wall -Wextra -Werror -pedantic)

# The UCX headers below doca_urom*.h need GNU C; everything else is plain C99.
choose_standard() { # HEADER LANGUAGE
    case $2:$1 in
    c++:*) echo c++17 ;;
    c:doca_urom*) echo gnu99 ;;
    *) echo c99 ;;
    esac
}

compile_header() { # HEADER COMPILER LANGUAGE [OPTION...]
    local header=$1 compiler=$2 language=$3 standard warnings=("${WARNINGS[@]}")
    shift 3
    standard=$(choose_standard "$header" "$language")
    # Nor are they pedantic.
    [[ $header != doca_urom* ]] || warnings=("${WARNINGS[@]/-pedantic/}")
    # The typedef keeps a header of nothing but macros from being an empty file, which C forbids.
    printf '#include <%s>\ntypedef int header_is_done;\n' "$header" |
        "$compiler" -x "$language" -std="$standard" -U_GNU_SOURCE "$@" ${warnings[@]:+"${warnings[@]}"} \
            -fsyntax-only -Iinclude -
}

shopt -s nullglob
headers=(include/*.h)
if [ ${#headers[@]} = 0 ]; then
    echo "check_headers.sh: no header in include/" >&2
    exit 1
fi

runs=0
failures=0
for row in "${COMPILERS[@]}"; do
    read -r compiler language <<<"$row"
    if ! command -v "$compiler" >/dev/null; then
        echo "FAIL $compiler: not installed"
        failures=$((failures + 1))
        continue
    fi
    for path in "${headers[@]}"; do
        for option in -UDOCA_ALLOW_EXPERIMENTAL_API -DDOCA_ALLOW_EXPERIMENTAL_API; do
            header=$(basename "$path")
            runs=$((runs + 1))
            messages=$(compile_header "$header" "$compiler" "$language" "$option" 2>&1) || {
                echo "FAIL $header: $compiler -std=$(choose_standard "$header" "$language") $option"
                printf '%s\n' "$messages" | sed 's/^/    /'
                failures=$((failures + 1))
            }
        done
    done
done

echo "${#headers[@]} headers, $runs compilations, $failures failures"
[ $failures = 0 ]
