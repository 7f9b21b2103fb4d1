#!/usr/bin/env bash
# Installs to a prefix below build/ and uses it as a stranger would: by pkg-config alone, from C and
# from C++, and with the build files of the samples, which then run on the installed daemon. Nothing
# outside of build/ is touched.
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
    for path in include lib bin samples VERSION \
        lib/pkgconfig/{doca,doca-common,doca-argp,doca-dma,doca-rdma,doca-urom}.pc \
        lib/libdoca_{common,argp,dma,rdma,urom,urom_components_comm_ucp_am}.so{,.3} \
        bin/doca_urom_{daemon,worker} bin/urom_daemon lib/urom/plugins/worker_graph.so \
        samples/doca_urom/urom_common.{c,h} \
        samples/doca_urom/urom_multi_workers_bootstrap/meson.build \
        samples/doca_urom/urom_multi_workers_bootstrap/urom_multi_workers_bootstrap_{main,sample}.c \
        samples/doca_urom/plugins/worker_graph/{meson.build,urom_graph.h,worker_graph.{c,h}}; do
        [ -e "$prefix/$path" ] || fail "$path was not installed"
    done
    [ "$(readlink "$prefix/lib64")" = lib ] || fail "lib64 is no link to lib"
    [ "$(cat "$prefix/VERSION")" = 3.3.0 ] || fail "VERSION does not say 3.3.0"
    [ "$(pkg-config --modversion doca)" = 3.3.0 ] || fail "pkg-config does not say 3.3.0"
    for path in doca doca-common doca-argp doca-dma doca-rdma doca-urom; do
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

# As the guide has it, in the folder and without the word "setup".
build_as_in_the_guide() { # FOLDER BINARY
    local source=$prefix/samples/doca_urom/$1 build
    build=$top/guide-$(basename "$1")
    (cd "$source" && meson "$build" && ninja -C "$build")
    [ -e "$build/$2" ] || fail "$1: there is no $2"
    echo "$1: builds from its installed source, as the guide has it"
}

check_plugin() {
    local plugin version
    for plugin in "$top/guide-worker_graph" "$prefix/lib/urom/plugins"; do
        version=$("$prefix/bin/doca_urom_worker" --probe "$plugin/worker_graph.so")
        [ "$version" = "plugin 1 0x3030000" ] || fail "$plugin/worker_graph.so: it is \"$version\""
    done
    echo "worker_graph: a worker takes the plugin that was built and the one that was installed"
}

wait_for_file() { # FILE PID
    local until=$((SECONDS + 20))
    while [ ! -s "$1" ]; do
        kill -0 "$2" 2>/dev/null && [ $SECONDS -lt $until ] || return 1
        sleep 0.05
    done
}

# Everything installed or built from what was installed: daemon, workers, plugin, sample.
run_urom() {
    local daemon user=() work=$top/urom sample=$top/guide-urom_multi_workers_bootstrap
    sample+=/doca_urom_multi_workers_bootstrap
    mkdir "$work"
    [ "$(id -u)" != 0 ] || user=(--worker-user root)
    [[ $("$sample" -h) == *"-d, --device"* ]] || fail "the sample does not explain itself"
    "$prefix/bin/doca_urom_daemon" --make-cookie "$work/cookie"
    UROM_PLUGIN_PATH=$top/guide-worker_graph "$prefix/bin/doca_urom_daemon" --cookie "$work/cookie" \
        "${user[@]}" --listen 127.0.0.1:0 --cpuset 0-7 --port-file "$work/address" --log-dir "$work" &
    daemon=$!
    wait_for_file "$work/address" $daemon || {
        kill $daemon || true
        fail "the installed daemon does not start"
    }
    echo "127.0.0.1 dpu $(cat "$work/address") 0000:03:00.0 lo" >"$work/services"
    DOCA_UROM_COOKIE=$work/cookie DOCA_UROM_SERVICE_FILE=$work/services DOCA_SOFT_DEVICES="mlx5_0@0000:03:00.0@lo" \
        "$sample" --once >"$work/out" 2>&1 || {
        cat "$work/out"
        kill $daemon || true
        fail "the sample failed on the installed daemon"
    }
    kill $daemon
    wait $daemon || fail "the installed daemon did not end well"
    [ "$(grep -c 'received loopback data' "$work/out")" = 4 ] || fail "not four loopbacks"
    echo "urom_multi_workers_bootstrap: runs on the installed daemon"
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
scripts/test_install_rdma.sh "$prefix" "$top/rdma"
PATH=$prefix/bin:$PATH scripts/test_guides.py
build_as_in_the_guide urom_multi_workers_bootstrap doca_urom_multi_workers_bootstrap
build_as_in_the_guide plugins/worker_graph worker_graph.so
check_plugin
run_urom
check_foreign
touch "$prefix/lib/openurom/gone" && echo lib/openurom/gone >>"$prefix/lib/openurom/installed-files"
scripts/install.sh "$prefix"
[ ! -e "$prefix/lib/openurom/gone" ] || fail "a file of an older version was left"
check_layout
check_uninstalled
check_staged
rm -rf "$top"
