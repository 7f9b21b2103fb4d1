#!/usr/bin/env python3
"""Says how many lines of the decoders their fuzz targets' corpora reach, and fails under 95 %.

fuzz_coverage.py [TARGET...]    all of them when none is named
fuzz_coverage.py --lines ...    lists each line that is not reached, too

The corpora are those of tests/fuzz/corpus, as they are: nothing is fuzzed. What no input of a
target can reach is listed below, each with its reason; it does not count.
"""
# SPDX-License-Identifier: BSD-3-Clause
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / 'build' / 'fuzzcov'
LIMIT = 95

# The files that a target is for.
TARGETS = {
    'fuzz_argp_json': ['src/argp/argp_json.c'],
    'fuzz_chan_address': ['src/urom/chan/chan.c', 'src/urom/chan/chan_address.c'],
    'fuzz_chan_stream': ['src/urom/chan/chan_stream.c', 'src/urom/chan/chan_message.c'],
    'fuzz_daemon': [
        'src/urom/daemon/handshake.c', 'src/urom/daemon/session.c',
        'src/urom/daemon/session_host.c', 'src/urom/daemon/session_worker.c',
        'src/urom/daemon/conns.c', 'src/urom/daemon/workers.c', 'src/urom/daemon/requests.c',
        'src/urom/daemon/reap.c'
    ],
    'fuzz_daemon_lists': [
        'src/urom/daemon/cpus.c', 'src/urom/daemon/env.c', 'src/urom/daemon/candidates.c'
    ],
    'fuzz_host': [
        'src/urom/host/service_start.c', 'src/urom/host/service_welcome.c',
        'src/urom/host/service_ctx.c', 'src/urom/host/service_seat.c',
        'src/urom/host/worker_ctx.c', 'src/urom/host/worker_cmd.c'
    ],
    'fuzz_mmap_blob': ['src/core/mmap_blob.c'],
    'fuzz_plugin_elf': ['src/urom/worker/elf.c'],
    'fuzz_probe_answer': ['src/urom/daemon/answer.c', 'src/urom/daemon/complaints.c'],
    'fuzz_rdma_conn_blob': ['src/rdma/connect_oob.c'],
    'fuzz_rdma_stream': ['src/rdma/providers/software/soft_respond.c', 'src/rdma/providers/software/soft_frame.c'],
    'fuzz_service_file': ['src/urom/host/service_file.c'],
    'fuzz_sync_event_blob': ['src/core/sync_event_export.c'],
    'fuzz_wire': ['src/urom/wire/wire_codec.c', 'src/urom/wire/wire_frame.c'],
    'fuzz_worker': [
        'src/urom/worker/link.c', 'src/urom/worker/attach.c', 'src/urom/worker/dispatch.c',
        'src/urom/worker/conns.c', 'src/urom/worker/notify.c', 'src/urom/worker/outstanding.c'
    ],
}

# What cannot be reached, and why. A missing line counts as one of these when it has the text in it,
# or the one behind which it stands; all files, or one.
NO_MEMORY = 'memory does not run out'
OWN_BUG = 'only a fault of our own leads here'
SYSTEM = 'the system does not refuse it'
EXCUSES = {
    '*': [('NO_MEMORY', NO_MEMORY), ('no memory', NO_MEMORY)],
}


def build():
    subprocess.run([ROOT / 'scripts' / 'build.sh', 'fuzzcov'], check=True)


def replay(target):
    """The lines of a target's files: {file: {line: how often}}."""
    program = BUILD / 'tests' / 'fuzz' / target
    raw, data = BUILD / f'{target}.profraw', BUILD / f'{target}.profdata'
    corpus = ROOT / 'tests' / 'fuzz' / 'corpus' / target
    subprocess.run([program, '-runs=0', corpus], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, env=dict(os.environ, LLVM_PROFILE_FILE=str(raw)))
    subprocess.run(['llvm-profdata', 'merge', '-sparse', raw, '-o', data], check=True)
    report = subprocess.run(
        ['llvm-cov', 'export', '-format=lcov', f'-instr-profile={data}', program] +
        [str(ROOT / file) for file in TARGETS[target]],
        check=True, capture_output=True, text=True).stdout
    files, lines = {}, None
    for row in report.splitlines():
        if row.startswith('SF:'):
            lines = files.setdefault(os.path.relpath(row[3:], ROOT), {})
        elif row.startswith('DA:'):
            number, count = row[3:].split(',')[:2]
            lines[int(number)] = int(count)
    return {file: files[file] for file in TARGETS[target]}


def excuse(file, texts, number):
    """Why that line need not be reached, or None."""
    for text, why in EXCUSES['*'] + EXCUSES.get(file, []):
        if any(text in texts[at] for at in (number - 1, max(number - 2, 0))):
            return why
    return None


def judge(target, shows_lines):
    """Prints how a target does; True: well enough."""
    is_good = True
    for file, lines in sorted(replay(target).items()):
        texts = (ROOT / file).read_text(encoding='utf-8').splitlines()
        missing = [number for number, count in lines.items() if count == 0]
        excused = {number: excuse(file, texts, number) for number in missing}
        left = [number for number in missing if excused[number] is None]
        counted = len(lines) - (len(missing) - len(left))
        share = 100 * (counted - len(left)) / max(counted, 1)
        is_good &= share >= LIMIT
        print(f'{"ok  " if share >= LIMIT else "FAIL"} {target}: {file}: {share:.1f} % of {counted} '
              f'lines, {len(missing) - len(left)} more cannot be reached')
        if shows_lines:
            for number in missing:
                print(f'     {number}: {texts[number - 1].strip()}'
                      f'{"" if excused[number] is None else "  <- " + excused[number]}')
    return is_good


def main():
    names = [name for name in sys.argv[1:] if name != '--lines']
    sources = {path.stem for path in (ROOT / 'tests' / 'fuzz').glob('fuzz_*.c')}
    if sources != set(TARGETS):
        sys.exit(f'fuzz_coverage.py: the table of targets is not that of tests/fuzz: '
                 f'{", ".join(sorted(sources ^ set(TARGETS)))}')
    build()
    verdicts = [judge(target, '--lines' in sys.argv) for target in names or TARGETS]
    if not all(verdicts):
        sys.exit(f'fuzz_coverage.py: under {LIMIT} %; --lines shows what is not reached')


if __name__ == '__main__':
    main()
