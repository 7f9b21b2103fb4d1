#!/usr/bin/env bash
# Does each fuzz target find what it is for? Plants a fault, off by one, and has the target look for
# it from its corpus, for a minute at most.
#   scripts/fuzz_plant.sh [TARGET...]    all of them when none is named
# Long, so by hand; the tree with the faults is build/plant, a copy. Fails when a target finds none.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
cd "$(dirname "$0")/.."

SECONDS_A_FAULT=60
TREE=build/plant/tree

# Target, file, and what sed does to it.
FAULTS=(
    "fuzz_argp_json|src/argp/argp_json.c|s/i + 1 < len; i++/i < len; i++/"
    "fuzz_auth|src/urom/auth/auth_proof.c|s/proof->len != sizeof(right)/proof->len > sizeof(right)/"
    "fuzz_auth|src/urom/auth/auth_proof.c|s/bytes->len != sizeof(right)/bytes->len < sizeof(right)/"
    "fuzz_chan_address|src/urom/chan/chan_address.c|s/(size_t)(to - from) >= size/(size_t)(to - from) > size/"
    "fuzz_chan_stream|src/urom/chan/chan_stream.c|s/stream->in_capacity - end, MSG/stream->in_capacity - end + 1, MSG/"
    "fuzz_daemon|src/urom/daemon/sessions/handshake.c|s/hello->role < CORE_ARRAY_LEN/hello->role <= CORE_ARRAY_LEN/"
    "fuzz_daemon_lists|src/urom/daemon/config/cpus.c|s/take_number(text, UROMD_NUM_CPUS - 1, &last)/take_number(text, UROMD_NUM_CPUS, \&last)/"
    "fuzz_daemon_lists|src/urom/daemon/plugins/sight.c|s/note->place >= sight->num_places/note->place > sight->num_places/"
    "fuzz_host|src/urom/host/worker_cmd.c|s/index >= worker->num_slots/index > worker->num_slots/"
    "fuzz_mmap_blob|src/core/mmap_blob.c|s/addr > UINT64_MAX - record->len/addr > UINT64_MAX - record->len + 1/"
    "fuzz_plugin_elf|src/urom/worker/elf.c|s/size > part.len - offset/size > part.len - offset + 1/"
    "fuzz_probe_answer|src/urom/daemon/plugins/answer.c|s/line->len + 1 < sizeof(line->text)/line->len < sizeof(line->text)/"
    "fuzz_rdma_conn_blob|src/core/blob.c|s/crc32_of(blob, size - CRC_SIZE))/crc32_of(blob, size - CRC_SIZE - 1))/"
    "fuzz_rdma_hello|src/rdma/providers/software/soft_frame.c|s/from\[7\] > DRDMA_RNR_FOR_EVER/from[7] > DRDMA_RNR_FOR_EVER + 1/"
    "fuzz_rdma_hello|src/rdma/providers/software/soft_listen.c|s/own->secret, sizeof(own->secret))/own->secret, sizeof(own->secret) - 1)/"
    "fuzz_rdma_requester|src/rdma/providers/software/soft_request.c|s/response->len > task->len - requester->read_done/response->len > task->len - requester->read_done + 1/"
    "fuzz_rdma_requester|src/rdma/providers/software/soft_request.c|s/->psn - psn) >= 0/->psn - psn) > 0/"
    "fuzz_rdma_stream|src/rdma/providers/software/soft_respond.c|s/sum != request->len/sum > request->len/"
    "fuzz_rdma_stream|src/rdma/providers/software/soft_respond.c|s/(piece->addr + skipped)/(piece->addr)/"
    "fuzz_rdma_stream|src/rdma/providers/software/soft_respond_out.c|s/request->len <= range.len - (request/request->len <= range.len + 1 - (request/"
    "fuzz_service_file|src/urom/host/service_file.c|s/count < NUM_FIELDS)/count <= NUM_FIELDS)/"
    "fuzz_sync_event_blob|src/core/blob.c|s/crc32_of(blob, size - CRC_SIZE))/crc32_of(blob, size - CRC_SIZE - 1))/"
    "fuzz_wire|src/urom/wire/wire_codec.c|s/if (len > reader->left)/if (len > reader->left + 1)/"
    "fuzz_wire|src/urom/wire/wire_frame.c|s/header->id != assembly->header.id)/header->id != assembly->header.id || header->len <= 0)/"
    "fuzz_worker|src/urom/worker/notify.c|s/len > limit)/len > limit + 1)/"
)

# A copy of what is there, committed or not, with a build directory of its own.
make_tree() {
    mkdir -p "$TREE"
    git ls-files -z --cached --others --exclude-standard |
        xargs -0 cp --update --parents --preserve=mode -t "$TREE"
}

is_asked_for() { # NAME
    local asked
    [ ${#only[@]} -gt 0 ] || return 0
    for asked in "${only[@]}"; do
        [ "$asked" != "$1" ] || return 0
    done
    return 1
}

try_fault() { # TARGET FILE EXPRESSION
    local learnt=build/plant/corpus log=build/plant/$1.log start status=0
    sed -i "$3" "$TREE/$2"
    if cmp -s "$2" "$TREE/$2"; then
        echo "FAIL $1: $2 has no place for its fault any more: $3"
        return 1
    fi
    "$TREE/scripts/build.sh" fuzz >"$log" 2>&1 || {
        tail -n 20 "$log"
        echo "FAIL $1: the fault in $2 does not compile"
        cp -p "$2" "$TREE/$2"
        touch "$TREE/$2"
        return 1
    }
    rm -rf "$learnt"
    mkdir -p "$learnt"
    start=$(date +%s%N)
    "$TREE/build/fuzz/tests/fuzz/$1" -max_total_time="$SECONDS_A_FAULT" -timeout=10 \
        -rss_limit_mb=2048 -artifact_prefix=build/plant/found- \
        "$learnt" "tests/fuzz/corpus/$1" >"$log" 2>&1 || status=$?
    cp "$2" "$TREE/$2"
    touch "$TREE/$2"
    if [ "$status" = 0 ]; then
        echo "FAIL $1: does not find the fault in $2 within $SECONDS_A_FAULT s: $3"
        return 1
    fi
    printf 'ok   %s: finds the fault in %s after %d.%03d s\n' "$1" "$2" \
        $((($(date +%s%N) - start) / 1000000000)) $((($(date +%s%N) - start) / 1000000 % 1000))
}

only=("$@")
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
make_tree
failed=0
for row in "${FAULTS[@]}"; do
    IFS='|' read -r target file expression <<<"$row"
    is_asked_for "$target" || continue
    try_fault "$target" "$file" "$expression" || failed=1
done
for source in tests/fuzz/fuzz_*.c; do
    target=$(basename "$source" .c)
    if [[ "${FAULTS[*]}" != *"$target|"* ]]; then
        echo "FAIL $target: has no fault to find"
        failed=1
    fi
done
exit "$failed"
