#!/usr/bin/env bash
# Refuses a prefix in which somebody else's DOCA is installed; says nothing otherwise.
#   scripts/install_guard.sh PREFIX        DESTDIR is honoured
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail

prefix=${DESTDIR:-}${1:?usage: install_guard.sh PREFIX}

refuse() {
    echo "$prefix holds a DOCA that is not OpenUROM ($1); nothing was changed." >&2
    echo "Choose another place: make install PREFIX=DIR, or meson setup -Dprefix=DIR" >&2
    exit 1
}

ours=no
shopt -s nullglob
for module in "$prefix"/lib*/pkgconfig/doca{,-common}.pc \
    "$prefix"/lib*/*/pkgconfig/doca{,-common}.pc; do
    grep -q '^openurom_version=' "$module" || refuse "$module"
    ours=yes
done
[ $ours = no ] || exit 0

for file in "$prefix"/include/doca_*.h "$prefix"/lib*/{,*/}libdoca_*.so*; do
    refuse "$file"
done
# A prefix of general use may have a VERSION of anything; one like DOCA's own says its level.
if [ -e "$prefix/VERSION" ] && grep -Eq '^[0-9]+\.[0-9]+\.[0-9]+' "$prefix/VERSION"; then
    refuse "$prefix/VERSION"
fi
