#!/usr/bin/env bash
# Uses the installed samples of RDMA as a stranger with DOCA's own instructions does: looks at the
# version, builds where they are installed into another folder, runs a pair with Enter after six
# seconds on each side, then each pair as fast as it goes, and changes a copy of the tree. pkg-config
# must find the installation.
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

# What each sample says when it has done its part.
proofs() { # NAME TEXT
    case $1 in
    rdma_receive) echo "Got from sender: \"$2\"" ;;
    rdma_send) echo "RDMA send task was done successfully" ;;
    rdma_receive_immediate) echo "Got from sender: \"$2\" with immediate: 43981" ;;
    rdma_send_immediate) echo "RDMA send with immediate task was done successfully" ;;
    rdma_read_responder) echo "Wait till the requester has finished reading and press enter" ;;
    rdma_read_requester) echo "Read from responder: \"$2\"" ;;
    rdma_write_responder) echo "Requester has written: \"$2\"" ;;
    rdma_write_requester) echo "Written to responder \"$2\"" ;;
    rdma_write_immediate_responder)
        echo "Requester has written: \"$2\" with immediate data: 43981" ;;
    rdma_write_immediate_requester)
        echo "Written to responder \"$2\" with immediate value 43981" ;;
    *) fail "$1 is in no pair" ;;
    esac
}

check_end() { # NAME LOG TEXT
    grep -qF "$(proofs "$1" "$3")" "$2" || fail "$1: $(cat "$2")"
    grep -q 'Sample finished successfully' "$2" || fail "$1 did not end well: $(cat "$2")"
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
    check_end rdma_receive "$dir/recv.log" 'Hi DOCA RDMA!'
    check_end rdma_send "$dir/send.log" 'Hi DOCA RDMA!'
}

# Two samples, without waiting longer than it takes: the first is started first, and gets a second
# Enter when the other is done, which it needs when it only looks on.
run_pair() { # OUT FOLDER FIRST SECOND TEXT
    local first files=(-d soft_lo -g 0 -m "$2/resource")
    mkdir "$2"
    mkfifo "$2/keys"
    "$1/$3/doca_$3" "${files[@]}" -ld "$2/first.desc" -re "$2/second.desc" \
        <"$2/keys" >"$2/first.log" 2>&1 &
    first=$!
    exec 7<>"$2/keys" # for reading, too, so that the last Enter needs no reader
    wait_for_file "$2/first.desc" $first || fail "$3 writes no descriptor: $(cat "$2/first.log")"
    case $3 in
    *_responder) wait_for_file "$2/resource" $first || fail "$3 does not describe its memory" ;;
    esac
    (
        wait_for_file "$2/second.desc" $$
        echo >&7
        echo
    ) | "$1/$4/doca_$4" "${files[@]}" -ld "$2/second.desc" -re "$2/first.desc" \
        >"$2/second.log" 2>&1 || fail "$4: $(cat "$2/second.log")"
    echo >&7
    wait $first || fail "$3: $(cat "$2/first.log")"
    exec 7>&-
    check_end "$3" "$2/first.log" "$5"
    check_end "$4" "$2/second.log" "$5"
}

run_all_pairs() { # OUT
    run_pair "$1" "$work/pair1" rdma_receive rdma_send 'Hi DOCA RDMA!'
    run_pair "$1" "$work/pair2" rdma_receive_immediate rdma_send_immediate 'Hi DOCA RDMA!'
    run_pair "$1" "$work/pair3" rdma_read_responder rdma_read_requester 'Hi DOCA RDMA!'
    run_pair "$1" "$work/pair4" rdma_write_responder rdma_write_requester 'Hi DOCA RDMA!'
    run_pair "$1" "$work/pair5" rdma_write_immediate_responder rdma_write_immediate_requester \
        'Hi DOCA RDMA!'
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
    run_pair "$1" "$work/changed" rdma_receive rdma_send 'Another text'
    grep -q 'Proof: 12 bytes' "$work/changed/first.log" || fail "the changed receiver proves nothing"
}

mkdir "$work"
check_version
mapfile -t names < <(find "$prefix"/samples/doca_rdma/* -maxdepth 0 -type d -printf '%f\n')
[ ${#names[@]} -ge 10 ] || fail "only ${#names[@]} samples were installed"
build "$prefix/samples/doca_rdma" "$work/built" "${names[@]}"
run_as_told "$work/built"
run_all_pairs "$work/built"
run_in_wrong_order "$work/built"
change_copy "$work/changed-built"
echo "doca_rdma: the samples build where they are installed, run as told, and can be changed"
