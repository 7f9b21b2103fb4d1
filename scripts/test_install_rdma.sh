#!/usr/bin/env bash
# Uses the installed samples of RDMA as a stranger with DOCA's own instructions does: looks at the
# version, builds where they are installed into another folder, runs a pair with Enter after six
# seconds on each side, and changes a copy of the tree. pkg-config must find the installation.
#   scripts/test_install_rdma.sh PREFIX WORK      WORK: a folder that is made
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail

prefix=${1:?usage: scripts/test_install_rdma.sh PREFIX WORK}
work=${2:?usage: scripts/test_install_rdma.sh PREFIX WORK}

fail() {
    echo "FAIL: $1" >&2
    exit 1
}

wait_for_file() { # FILE PID
    local until=$((SECONDS + 20))
    while [ ! -s "$1" ]; do
        kill -0 "$2" 2>/dev/null && [ $SECONDS -lt $until ] || return 1
        sleep 0.05
    done
}

# What is recorded first.
check_version() {
    local module
    [ "$(pkg-config --modversion doca-rdma)" = 3.3.0 ] || fail "doca-rdma is not of version 3.3.0"
    for module in doca doca-common doca-argp doca-rdma; do
        pkg-config --list-all | grep -i doca | grep "^$module " >/dev/null || fail "$module is not listed"
    done
    [ "$(pkg-config --variable=prefix doca)" = "$prefix" ] || fail "doca has another prefix"
}

# Each from its own folder, which stays as it is.
build() { # SAMPLES OUT NAME...
    local samples=$1 out=$2 name before
    shift 2
    before=$(find "$samples" | sort)
    for name in "$@"; do
        (cd "$samples/$name" && meson setup "$out/$name" && ninja -C "$out/$name")
        ldd "$out/$name/doca_$name" | grep libdoca_rdma >/dev/null ||
            fail "$name: not of libdoca_rdma"
        "$out/$name/doca_$name" --help | grep -e '-ld, --local-descriptor-path' >/dev/null ||
            fail "$name: --help does not tell the flags"
    done
    [ "$(find "$samples" | sort)" = "$before" ] || fail "building has written into $samples"
}

check_pair() { # FOLDER TEXT
    grep -q "Got from sender: \"$2\"" "$1/recv.log" || fail "the receiver: $(cat "$1/recv.log")"
    grep -q 'Sample finished successfully' "$1/recv.log" || fail "the receiver did not end well"
    grep -q 'Sample finished successfully' "$1/send.log" || fail "the sender did not end well"
}

# To the letter: both in one command, with these times.
run_as_told() { # OUT
    local dir=$work/told
    mkdir "$dir"
    (
        sleep 6
        echo
    ) | "$1/rdma_receive/doca_rdma_receive" -d soft_lo -g 0 -ld "$dir/recv.desc" \
        -re "$dir/send.desc" >"$dir/recv.log" 2>&1 &
    sleep 2
    (
        sleep 6
        echo
    ) | "$1/rdma_send/doca_rdma_send" -d soft_lo -g 0 -ld "$dir/send.desc" \
        -re "$dir/recv.desc" >"$dir/send.log" 2>&1 || fail "the sender: $(cat "$dir/send.log")"
    wait $! || fail "the receiver: $(cat "$dir/recv.log")"
    check_pair "$dir" 'Hi DOCA RDMA!'
}

# The same without waiting longer than it takes.
run_pair() { # OUT FOLDER TEXT
    local receiver
    mkdir "$2"
    mkfifo "$2/keys"
    "$1/rdma_receive/doca_rdma_receive" -d soft_lo -g 0 -ld "$2/recv.desc" -re "$2/send.desc" \
        <"$2/keys" >"$2/recv.log" 2>&1 &
    receiver=$!
    exec 7>"$2/keys"
    wait_for_file "$2/recv.desc" $receiver || fail "the receiver writes no descriptor"
    (
        wait_for_file "$2/send.desc" $$
        echo >&7
        echo
    ) | "$1/rdma_send/doca_rdma_send" -d soft_lo -g 0 -ld "$2/send.desc" \
        -re "$2/recv.desc" >"$2/send.log" 2>&1 || fail "the sender: $(cat "$2/send.log")"
    wait $receiver || fail "the receiver: $(cat "$2/recv.log")"
    exec 7>&-
    check_pair "$2" "$3"
}

# Enter before the other side has written: an error that says so, and nothing is left.
run_in_wrong_order() { # OUT
    local dir=$work/wrong
    mkdir "$dir"
    if echo | "$1/rdma_send/doca_rdma_send" -d soft_lo -ld "$dir/send.desc" -re "$dir/recv.desc" \
        >"$dir.log" 2>&1; then
        fail "a sender without a receiver ended well"
    fi
    grep -q 'Failed to open the file .*recv.desc for reading' "$dir.log" ||
        fail "the wrong order is not told: $(cat "$dir.log")"
    grep -q 'Sample finished with errors' "$dir.log" || fail "the sender has not ended: $(cat "$dir.log")"
    rmdir "$dir" || fail "the wrong order has left files"
}

# A copy with VERSION three levels above each sample: another text, and a line more of the receiver.
change_copy() { # OUT
    local tree=$work/tree
    mkdir "$tree"
    cp -r "$prefix/samples" "$prefix/VERSION" "$tree"
    sed -i 's/Hi DOCA RDMA!/Another text/' "$tree"/samples/doca_rdma/rdma_send/*.c
    sed -i 's/^\(\tDOCA_LOG_INFO("\)Got from sender.*/&\n\1Proof: %zu bytes", strlen(sample->memory));/
        s/^#include <doca_log.h>/#include <string.h>\n\n&/' \
        "$tree"/samples/doca_rdma/rdma_receive/*.c
    build "$tree/samples/doca_rdma" "$1" rdma_receive rdma_send
    run_pair "$1" "$work/changed" 'Another text'
    grep -q 'Proof: 12 bytes' "$work/changed/recv.log" || fail "the changed receiver proves nothing"
}

mkdir "$work"
check_version
mapfile -t names < <(find "$prefix"/samples/doca_rdma/* -maxdepth 0 -type d -printf '%f\n')
[ ${#names[@]} -ge 10 ] || fail "only ${#names[@]} samples were installed"
build "$prefix/samples/doca_rdma" "$work/built" "${names[@]}"
run_as_told "$work/built"
run_pair "$work/built" "$work/pair" 'Hi DOCA RDMA!'
run_in_wrong_order "$work/built"
change_copy "$work/changed-built"
echo "doca_rdma: the samples build where they are installed, run as told, and can be changed"
