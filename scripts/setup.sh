#!/usr/bin/env bash
# Installs the Debian packages that a target of the Makefile needs and are not there yet.
#   scripts/setup.sh GROUP...        groups: build install test check
# Says nothing when all are there. Needs root, or sudo; without either it names the command to run.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail

BUILD="gcc libc6-dev make meson ninja-build pkg-config python3 libjansson-dev libucx-dev
       uthash-dev libsystemd-dev libsodium-dev libmunge-dev libfabric-dev"
INSTALL="scdoc"
TEST="libcmocka-dev iproute2 munge"
CHECK="g++ clang clang-format clang-tidy libclang-rt-dev llvm codespell abigail-tools shellcheck
       qemu-system-x86 busybox-static cpio kmod xz-utils ibverbs-providers ibverbs-utils
       scdoc man-db uidmap"

wanted=
for group in "$@"; do
    case $group in
    build) wanted+=" $BUILD" ;;
    install) wanted+=" $INSTALL" ;;
    test) wanted+=" $TEST" ;;
    check) wanted+=" $CHECK" ;;
    *)
        echo "setup.sh: unknown group '$group'; the groups are: build install test check" >&2
        exit 2
        ;;
    esac
done

if ! command -v dpkg-query >/dev/null; then
    echo "setup.sh: this is no Debian system, so nothing is installed; needed here:" $wanted >&2
    exit 0
fi

# shellcheck disable=SC2086  # a list of words
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null || true)
missing=
for package in $wanted; do
    grep -qxF "installed $package" <<<"$installed" || missing+=" $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        as_root=sudo
    else
        echo "setup.sh: packages are missing and neither root nor sudo is at hand; run as root:" >&2
        echo "  apt-get update && apt-get install --no-install-recommends -y$missing" >&2
        exit 1
    fi
fi

apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
[ -z "$as_root" ] || apt=(sudo "${apt[@]}")
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "installing$missing"
# shellcheck disable=SC2086  # a list of words
if ! { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends $missing; } \
    >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "setup.sh: apt-get failed; mend what it says above, then run the command again" >&2
    exit 1
fi
