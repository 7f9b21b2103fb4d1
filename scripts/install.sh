#!/usr/bin/env bash
# Installs to a prefix of its own, or removes what an earlier run of it installed there.
#   scripts/install.sh [--uninstall] PREFIX
# DESTDIR is honoured. OPENUROM_INSTALL_SYSTEM=no leaves the system outside of PREFIX alone,
# OPENUROM_INSTALL_BUILD names the build directory (default build/install).
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

action=install
if [ "${1:-}" = --uninstall ]; then
    action=uninstall
    shift
fi
prefix=${1:?usage: install.sh [--uninstall] PREFIX}
case $prefix in
/?*) prefix=${prefix%/} ;;
*)
    echo "install.sh: PREFIX must be an absolute path below /, not '$prefix'" >&2
    exit 2
    ;;
esac
export DESTDIR=${DESTDIR:-}
on_disk=$DESTDIR$prefix
manifest=$on_disk/lib/openurom/installed-files
build=${OPENUROM_INSTALL_BUILD:-build/install}

fail() {
    echo "install.sh: $1" >&2
    exit 1
}

# Paths in the manifest are relative to the prefix, so that a staged tree can be moved.
remove_files() { # of the list on standard input
    local file dir
    while IFS= read -r file; do
        rm -f -- "$on_disk/$file"
        dir=$(dirname "$file")
        while [ "$dir" != . ] && rmdir -- "$on_disk/$dir" 2>/dev/null; do
            dir=$(dirname "$dir")
        done
    done
}

configure_and_build() {
    local action=setup
    [ ! -e "$build/build.ninja" ] || action=configure
    mkdir -p "$(dirname "$build")"
    if ! {
        if [ $action = setup ]; then
            rm -rf "$build"
            CC=${CC:-gcc} meson setup "$build" --prefix "$prefix" -Dtests=false -Dbench=false \
                -Dsamples=false
        else
            meson configure "$build" -Dprefix="$prefix"
        fi && ninja -C "$build"
    } >"$build.log" 2>&1; then
        tail -n 30 "$build.log" >&2
        fail "the libraries cannot be configured or compiled, for the reason above"
    fi
}

# Says at once, before anything is compiled, what could not be written in the end.
check_writable() { # PATH REMEDY
    local at=$1
    while [ ! -e "$at" ]; do
        at=$(dirname "$at")
    done
    [ -w "$at" ] || fail "$at is not writable; $2"
}

# What is missing for a program to find the libraries, where the system was not told of them.
tell_what_next() {
    if [ "$(id -u)" = 0 ] && [ -z "$DESTDIR" ] && [ "${OPENUROM_INSTALL_SYSTEM:-yes}" != no ]; then
        echo "the dynamic linker and pkg-config know of it; programs and man pages:"
    else
        echo "to use it:"
        echo "  export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib"
    fi
    echo "  export PATH=$prefix/bin:\$PATH        # then also: man doca_openurom"
}

install_all() {
    local old new
    check_writable "$on_disk" "try: sudo make install, or make install PREFIX=\$HOME/openurom"
    check_writable "$build" "it was made by somebody else; remove it, or name another directory
  with OPENUROM_INSTALL_BUILD=DIR"
    scripts/install_guard.sh "$prefix"
    scripts/install_finish.sh --check "$prefix"
    echo "building for $prefix"
    configure_and_build
    meson install -C "$build" --no-rebuild >"$build.log" 2>&1 || {
        tail -n 15 "$build.log" >&2
        fail "nothing or not all was installed; is $on_disk writable? try: sudo make install"
    }

    # What an older version installed and this one does not have goes away.
    old=$(cat "$manifest" 2>/dev/null || true)
    new=$(sed -n "s|^$on_disk/||p" "$build/meson-logs/install-log.txt" |
        while IFS= read -r file; do
            [ -d "$on_disk/$file" ] && [ ! -L "$on_disk/$file" ] || echo "$file"
        done | sort -u)
    comm -23 <(sort -u <<<"$old") - <<<"$new" | sed '/^$/d' | remove_files
    mkdir -p "$(dirname "$manifest")"
    echo "$new" >"$manifest"

    scripts/install_finish.sh "$prefix"
    echo "installed to $on_disk"
    tell_what_next
}

uninstall_all() {
    [ -e "$manifest" ] || fail "$on_disk holds no OpenUROM that make install put there"
    scripts/install_finish.sh --remove "$prefix"
    remove_files <"$manifest"
    rm -f "$manifest"
    rmdir "$on_disk"/{lib/openurom,lib,bin,samples,include,} 2>/dev/null || true
    echo "removed from $on_disk"
    [ ! -e "$on_disk" ] || echo "left there, not ours: $(find "$on_disk" -type f | head -n 3 | xargs)"
}

${action}_all
