#!/usr/bin/env bash
# Compiles every public header alone: as C99 and as C++17, by gcc and by clang, with and without the
# experimental API allowed (trap 77). Macros that only show what they are where they are used, are
# used.
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

# A plugin is made of macros and inline functions, some of them of UCX.
print_use() { # HEADER
    case $1 in
    doca_urom_plugin.h)
        cat <<'USE'
void use_commands(ucs_list_link_t *commands)
{
	while (!ucs_list_is_empty(commands))
		free(ucs_list_extract_head(commands, struct urom_worker_cmd_desc, entry));
}
doca_error_t use_iface(struct urom_worker_ctx *ctx, void **found)
{
	DOCA_STRUCT_MEMSET_CTOR(ctx->iface);
	return doca_urom_worker_domain_addr_lookup(ctx, 1, found);
}
USE
        ;;
    doca_urom.h)
        cat <<'USE'
int use_processors(doca_cpu_set_t *set)
{
	DOCA_CPU_ZERO(set);
	DOCA_CPU_SET(3, set);
	return doca_cpu_is_set(3, set) != 0 && DOCA_UROM_WORKER_ID_ANY == UINT64_MAX;
}
#ifdef DOCA_ALLOW_EXPERIMENTAL_API
doca_error_t use_service(struct doca_urom_service **service)
{
	return doca_urom_service_create(service);
}
#endif
USE
        ;;
    esac
}

compile_header() { # HEADER COMPILER LANGUAGE [OPTION...]
    local header=$1 compiler=$2 language=$3 standard warnings=("${WARNINGS[@]}")
    shift 3
    standard=$(choose_standard "$header" "$language")
    # Nor are they pedantic.
    [[ $header != doca_urom* ]] || warnings=("${WARNINGS[@]/-pedantic/}")
    # The typedef keeps a header of nothing but macros from being an empty file, which C forbids.
    { printf '#include <%s>\ntypedef int header_is_done;\n' "$header" && print_use "$header"; } |
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
