#!/usr/bin/env bash
# Installs to a prefix below build/ and uses it as a stranger would: by pkg-config alone, from C and
# from C++, and with the build files of the samples. Nothing outside of build/ is touched.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

top=$PWD/build/install-test
prefix=$top/prefix
export OPENUROM_INSTALL_SYSTEM=no OPENUROM_INSTALL_BUILD=$top/build
unset DESTDIR
# Only what was just installed may be found, by pkg-config as by the linker.
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib

fail() {
    echo "FAIL: $1" >&2
    exit 1
}

refuses() { # WHAT COMMAND...
    local what=$1
    shift
    if "$@" >"$top/refused.log" 2>&1; then
        fail "$what was not refused"
    fi
    grep -q 'nothing was changed' "$top/refused.log" || {
        cat "$top/refused.log"
        fail "$what failed, but for another reason"
    }
    echo "refused, as it must be: $what"
}

check_layout() {
    local path
    for path in include lib bin samples VERSION lib/pkgconfig/{doca,doca-common,doca-argp,doca-dma}.pc \
        lib/libdoca_{common,argp,dma}.so{,.3}; do
        [ -e "$prefix/$path" ] || fail "$path was not installed"
    done
    [ "$(readlink "$prefix/lib64")" = lib ] || fail "lib64 is no link to lib"
    [ "$(cat "$prefix/VERSION")" = 3.3.0 ] || fail "VERSION does not say 3.3.0"
    [ "$(pkg-config --modversion doca)" = 3.3.0 ] || fail "pkg-config does not say 3.3.0"
    for path in doca doca-common doca-argp doca-dma; do
        [ "$(pkg-config --variable=prefix $path)" = "$prefix" ] || fail "$path: wrong prefix"
        [ "$(pkg-config --variable=libdir $path)" = "$prefix/lib" ] || fail "$path: wrong libdir"
    done
    diff <(cd include && ls ./*.h) <(cd "$prefix/include" && ls ./*.h) ||
        fail "the installed headers are others than those in include/"
    echo "layout as it should be"
}

build_program() { # COMPILER SUFFIX
    cat >"$top/program.$2" <<'PROGRAM'
#include <stdio.h>
#include <string.h>

#include <doca_urom.h>
#include <doca_version.h>

int main(void)
{
	const char *version = doca_version_runtime();
	struct doca_urom_service *service;

	if (doca_urom_service_create(&service) != DOCA_SUCCESS ||
	    doca_urom_service_destroy(service) != DOCA_SUCCESS)
		return 1;
	puts(version);
	return strcmp(version, "3.3.0") != 0;
}
PROGRAM
    # shellcheck disable=SC2046  # pkg-config prints words
    "$1" -Wall -Wextra -Werror -DDOCA_ALLOW_EXPERIMENTAL_API -o "$top/program" \
        "$top/program.$2" $(pkg-config --cflags --libs doca-common doca-dma doca-urom)
    [ "$("$top/program")" = 3.3.0 ] || fail "the program built by $1 got another version"
    echo "$1: a program of the installed libraries builds and runs"
}

build_sample() { # FOLDER PROGRAM
    local source=$prefix/samples/$1 build
    build=$top/sample-$(basename "$1")
    [ -e "$source/meson.build" ] || fail "the sample $1 was not installed"
    meson setup "$build" "$source"
    ninja -C "$build"
    "$build/$2"
    echo "$1: builds from its installed source and runs"
}

check_foreign() {
    local foreign=$top/foreign
    mkdir -p "$foreign/lib/pkgconfig"
    echo 'prefix=/elsewhere' >"$foreign/lib/pkgconfig/doca-common.pc"
    refuses "a prefix with a foreign doca-common.pc" scripts/install.sh "$foreign"
    rm -rf "$foreign"
    mkdir -p "$foreign/include"
    touch "$foreign/include/doca_dev.h"
    refuses "a prefix with foreign headers" scripts/install.sh "$foreign"
    [ "$(find "$foreign" -type f | wc -l)" = 1 ] || fail "a refused prefix was changed"
}

check_staged() {
    DESTDIR=$top/stage scripts/install.sh /opt/doca
    grep -qx 'prefix=/opt/doca' "$top/stage/opt/doca/lib/pkgconfig/doca.pc" ||
        fail "a staged installation has a wrong prefix"
    DESTDIR=$top/stage scripts/install.sh --uninstall /opt/doca
    [ ! -e "$top/stage/opt/doca" ] || fail "a staged installation left something behind"
}

check_uninstalled() {
    mkdir -p "$prefix/share"
    touch "$prefix/share/of-somebody-else"
    scripts/install.sh --uninstall "$prefix"
    [ "$(cd "$prefix" && find . -type f -o -type l)" = ./share/of-somebody-else ] || {
        find "$prefix"
        fail "uninstall left something of ours, or took what is not ours"
    }
}

rm -rf "$top"
mkdir -p "$top"
scripts/install.sh "$prefix"
check_layout
build_program gcc c
build_program g++ cc
build_sample doca_dma/dma_memcpy doca_dma_memcpy
PATH=$prefix/bin:$PATH scripts/test_guides.py
check_foreign
touch "$prefix/lib/openurom/gone" && echo lib/openurom/gone >>"$prefix/lib/openurom/installed-files"
scripts/install.sh "$prefix"
[ ! -e "$prefix/lib/openurom/gone" ] || fail "a file of an older version was left"
check_layout
check_uninstalled
check_staged
rm -rf "$top"
