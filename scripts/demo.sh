#!/usr/bin/env bash
# Shows UROM at work on this machine alone: a daemon on the loopback interface, and a sample that
# starts four workers on it, sends a number through each and asks for their groups; then what RDMA
# and DMA do without a card.
#   scripts/demo.sh [BUILD]          BUILD is where the tree was built, build/gcc by default
# Needs no hardware and no root. Leaves no process and no file behind, whatever ends it.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

build=$(realpath -m "${1:-build/gcc}")
daemon_program=$build/src/urom/daemon/doca_urom_daemon
sample_program=$build/samples/doca_urom_multi_workers_bootstrap
dma_program=$build/samples/doca_dma_memcpy
PATIENCE_S=20
PCI=0000:03:00.0

dir=
daemon=
sample=
pair=()
workers=()
shown=

fail() {
    echo "demo: $1" >&2
    # The logs go away with the directory.
    [ -z "$dir" ] || find "$dir" -name '*.log' -exec tail -n 5 {} + >&2
    exit 1
}

end_process() { # PID
    kill -TERM "$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
}

clean() {
    trap '' INT TERM HUP
    trap - EXIT
    [ -z "$sample" ] || end_process "$sample"
    [ -z "$daemon" ] || end_process "$daemon"
    for pid in "${pair[@]}"; do
        end_process "$pid"
    done
    [ -z "$dir" ] || rm -rf -- "$dir"
}
trap clean EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

for program in "$daemon_program" "$build/src/urom/worker/doca_urom_worker" "$sample_program" \
    "$dma_program" "$build/plugins/worker_graph.so" "$build/samples/doca_rdma_send"; do
    [ -e "$program" ] || fail "$program is not there; make builds it"
done
dir=$(mktemp -d "${TMPDIR:-/tmp}/openurom-demo.XXXXXX")

start_daemon() {
    local until=$((SECONDS + PATIENCE_S)) user=()
    # What root has built here is root's to run; a service would name a user who owns nothing.
    [ "$(id -u)" != 0 ] || user=(--worker-user root)
    # The secret that only programs which may read the file can prove to have.
    "$daemon_program" --make-cookie "$dir/cookie" || fail "there is no cookie"
    export DOCA_UROM_COOKIE=$dir/cookie
    UROM_PLUGIN_PATH=$build/plugins "$daemon_program" --listen 127.0.0.1:0 \
        "${user[@]}" --cpuset 0-7 --port-file "$dir/address" --log-dir "$dir" >"$dir/daemon.out" 2>&1 &
    daemon=$!
    while [ ! -s "$dir/address" ]; do
        kill -0 "$daemon" 2>/dev/null || {
            cat "$dir/daemon.out" >&2
            fail "the daemon did not start"
        }
        [ $SECONDS -lt $until ] || fail "the daemon is not ready after $PATIENCE_S s"
        sleep 0.05
    done
    address=$(cat "$dir/address")
    echo "demo: a daemon, process $daemon, listens on $address"
}

# An entry says which hosts find the service of which device where, and over which interfaces.
write_service_file() {
    echo "127.0.0.1 dpu $address $PCI lo" >"$dir/services"
    echo "demo: service file: $(cat "$dir/services")"
    export DOCA_UROM_SERVICE_FILE=$dir/services
    # The loopback interface stands in for the card of that address.
    export DOCA_SOFT_DEVICES="mlx5_0@$PCI@lo"
}

# The interface has no process numbers; the daemon's log has.
find_process() { # WORKER-ID
    sed -n "s/.*worker $1 (pid \([0-9]*\)) is ready$/\1/p" "$dir/urom_daemon_dev.log" | tail -n 1
}

show_line() { # LINE-OF-THE-SAMPLE
    local text=${1##*] } pid
    shown+=$text$'\n'
    case $text in
    "worker "*" is running on "*)
        pid=$(find_process "$(cut -d' ' -f2 <<<"$text")")
        [ -n "$pid" ] || fail "there is no process for: $text"
        workers+=("$pid")
        text+=", process $pid"
        ;;
    esac
    echo "    $text"
}

run_sample() {
    local line status=0
    mkfifo "$dir/lines"
    echo "demo: four workers of it (doca_urom_multi_workers_bootstrap --once)"
    "$sample_program" --once >"$dir/lines" 2>&1 &
    sample=$!
    while IFS= read -r line; do
        show_line "$line"
    done <"$dir/lines"
    wait "$sample" || status=$?
    sample=
    [ $status = 0 ] || fail "the sample ended with $status"
}

expect() { # COUNT PATTERN
    [ "$(grep -c -x "$2" <<<"$shown")" = "$1" ] || fail "expected $1 lines like \"$2\""
}

copy_memory() {
    echo "demo: a DMA task copies a text (doca_dma_memcpy)"
    "$dma_program" >"$dir/dma" 2>&1 || fail "the copy failed: $(cat "$dir/dma")"
    grep -o 'the destination holds.*' "$dir/dma" | sed 's/^/    /'
}

wait_for_files() { # FILE...
    local until=$((SECONDS + PATIENCE_S)) file
    for file in "$@"; do
        while [ ! -s "$file" ]; do
            [ $SECONDS -lt $until ] || fail "$file was not written within $PATIENCE_S s"
            sleep 0.05
        done
    done
}

# Two programs that find each other by files, with Enter pressed when the other's is there, as at two
# terminals.
run_pair() { # FIRST SECOND PATTERN-OF-LINES-TO-SHOW
    local status=0 number
    rm -f "$dir"/keys? "$dir"/desc?
    mkfifo "$dir/keys1" "$dir/keys2"
    exec 3<>"$dir/keys1" 4<>"$dir/keys2"
    for number in 1 2; do
        "$build/samples/doca_${!number}" -d mlx5_0 -ld "$dir/desc$number" \
            -re "$dir/desc$((3 - number))" <"$dir/keys$number" >"$dir/out$number" 2>&1 3>&- 4>&- &
        pair+=($!)
    done
    wait_for_files "$dir/desc1" "$dir/desc2"
    echo >&3
    echo >&4
    wait "${pair[1]}" || status=$?
    wait "${pair[0]}" || status=$?
    pair=()
    exec 3>&- 4>&-
    [ $status = 0 ] || fail "an RDMA sample failed: $(cat "$dir/out1" "$dir/out2")"
    grep -h -o "$3" "$dir/out1" "$dir/out2" | sed 's/^/    /' || fail "nothing was moved"
}

move_by_rdma() {
    echo "demo: RDMA without a card: a message (doca_rdma_send, doca_rdma_receive)"
    run_pair rdma_receive rdma_send 'Got from sender: .*'
    echo "demo: and a block, into the other's memory (doca_rdma_write_immediate_requester)"
    run_pair rdma_write_immediate_responder rdma_write_immediate_requester 'Requester has written: .*'
}

start_daemon
write_service_file
run_sample
expect 1 'found plugin worker_graph, version 1, .*'
expect 4 'worker [0-3] received loopback data 100[0-3]'
expect 1 'group 0 has workers 0 2'
expect 1 'group 1 has workers 1 3'
[ ${#workers[@]} = 4 ] || fail "expected four workers, there were ${#workers[@]}"
end_process "$daemon"
daemon=
for pid in "${workers[@]}"; do
    ! kill -0 "$pid" 2>/dev/null || fail "worker process $pid has outlived its daemon"
done
move_by_rdma
copy_memory
echo "demo: done, nothing is left running; make install and docs/ are next"
