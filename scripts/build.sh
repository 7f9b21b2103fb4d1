#!/usr/bin/env bash
# Configures, when that was not done yet, and compiles one of the build directories under build/.
#   scripts/build.sh gcc|clang|asan|tsan|fuzz|fuzzcov
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

name=${1:-}
options=()
case $name in
gcc) compiler=gcc ;;
clang) compiler=clang ;;
asan) compiler=clang options=("-Db_sanitize=address,undefined" -Db_lundef=false) ;;
tsan) compiler=clang options=(-Db_sanitize=thread -Db_lundef=false) ;;
fuzz) compiler=clang options=(-Dfuzz=true -Dtests=false -Dbench=false -Dsamples=false
    -Db_lundef=false) ;;
fuzzcov) compiler=clang profile="-fprofile-instr-generate" options=(-Dfuzz=true -Dtests=false
    -Dbench=false -Dsamples=false -Db_lundef=false "-Dc_args=$profile -fcoverage-mapping"
    "-Dc_link_args=$profile") ;;
*)
    echo "usage: scripts/build.sh gcc|clang|asan|tsan|fuzz|fuzzcov" >&2
    exit 2
    ;;
esac

dir=build/$name
if [ ! -e "$dir/build.ninja" ]; then
    echo "configuring $dir"
    mkdir -p build
    rm -rf "$dir"
    if ! CC=$compiler meson setup "$dir" "${options[@]}" >"build/$name.setup.log" 2>&1; then
        tail -n 15 "build/$name.setup.log" >&2
        echo "build.sh: $dir cannot be configured, for the reason above" >&2
        exit 1
    fi
fi
compile() {
    if [ -t 1 ]; then
        ninja -C "$dir"
    else
        ninja -C "$dir" --quiet | sed '/no work to do/d'
    fi
}
compile || {
    echo "build.sh: $dir does not compile; the messages above say where" >&2
    exit 1
}
