#!/usr/bin/env bash
# Makes the libraries of a prefix known to the dynamic linker and to pkg-config, so that programs
# need no variable. Does nothing unless it is run by root, without DESTDIR, and
# OPENUROM_INSTALL_SYSTEM is not "no".
#   scripts/install_finish.sh PREFIX             do it
#   scripts/install_finish.sh --check PREFIX     only fail if it would have to replace foreign files
#   scripts/install_finish.sh --remove PREFIX    undo it
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail

action="link"
case ${1:-} in
--check | --remove)
    action=${1#--}
    shift
    ;;
esac
prefix=${1:?usage: install_finish.sh [--check|--remove] PREFIX}

if [ "$(id -u)" != 0 ] || [ -n "${DESTDIR:-}" ] || [ "${OPENUROM_INSTALL_SYSTEM:-yes}" = no ]; then
    exit 0
fi

LINKER_FILE=/etc/ld.so.conf.d/openurom.conf
MARK="# OpenUROM"
MODULES="doca doca-common doca-argp doca-dma doca-rdma doca-urom"

# A directory that pkg-config reads, below /usr/local if there is one.
find_module_dir() {
    local path dir
    path=$(pkg-config --variable pc_path pkg-config 2>/dev/null || true)
    for dir in /usr/local/lib/pkgconfig "/usr/lib/$(gcc -print-multiarch)/pkgconfig" \
        /usr/lib/pkgconfig; do
        case :$path: in
        *:"$dir":*)
            echo "$dir"
            return
            ;;
        esac
    done
    echo "${path%%:*}"
}

# Ours is a link to a module of ours, or one that leads nowhere any more.
is_ours() { # FILE
    [ -L "$1" ] && { [ ! -e "$1" ] || grep -q '^openurom_version=' "$1"; }
}

check_all() {
    local module file
    for module in $MODULES; do
        file=$module_dir/$module.pc
        if [ -e "$file" ] && ! is_ours "$file"; then
            echo "install_finish.sh: $file belongs to another DOCA; nothing was changed." >&2
            echo "Remove it, or leave the system alone: OPENUROM_INSTALL_SYSTEM=no make install" >&2
            exit 1
        fi
    done
    if [ -e "$LINKER_FILE" ] && ! grep -qxF "$MARK" "$LINKER_FILE"; then
        echo "install_finish.sh: $LINKER_FILE was not written by this script; remove it first" >&2
        exit 1
    fi
}

link_all() {
    local module version
    check_all
    mkdir -p "$module_dir" "$(dirname "$LINKER_FILE")"
    printf '%s\n%s\n' "$MARK" "$prefix/lib" >"$LINKER_FILE"
    ldconfig
    for module in $MODULES; do
        if [ -e "$prefix/lib/pkgconfig/$module.pc" ]; then
            ln -sfn "$prefix/lib/pkgconfig/$module.pc" "$module_dir/$module.pc"
        fi
    done
    version=$(pkg-config --variable=openurom_version doca 2>/dev/null || true)
    [ -n "$version" ] || echo "note: another doca.pc comes first on the path of pkg-config" >&2
}

remove_all() {
    local module file
    for module in $MODULES; do
        file=$module_dir/$module.pc
        if [ "$(readlink "$file" || true)" = "$prefix/lib/pkgconfig/$module.pc" ]; then
            rm -f "$file"
        fi
    done
    if grep -qxF "$prefix/lib" "$LINKER_FILE" 2>/dev/null; then
        rm -f "$LINKER_FILE"
        ldconfig
    fi
}

module_dir=$(find_module_dir)
"${action}_all"
