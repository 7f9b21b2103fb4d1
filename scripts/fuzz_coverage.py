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

from check_shape import find_functions

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / 'build' / 'fuzzcov'
LIMIT = 95

# The files that a target is for. One that several are for is theirs together.
TARGETS = {
    'fuzz_argp_json': ['src/argp/argp_json.c'],
    'fuzz_auth': [
        'src/urom/auth/auth_cookie.c', 'src/urom/auth/auth_method.c', 'src/urom/auth/auth_proof.c',
        'src/urom/auth/auth_verdict.c'
    ],
    'fuzz_chan_address': ['src/urom/chan/chan.c', 'src/urom/chan/chan_address.c'],
    'fuzz_chan_stream': ['src/urom/chan/chan_stream.c', 'src/urom/chan/chan_message.c'],
    'fuzz_daemon': [
        'src/urom/daemon/sessions/handshake.c', 'src/urom/daemon/sessions/challenge.c',
        'src/urom/daemon/sessions/credential.c', 'src/urom/daemon/sessions/session.c',
        'src/urom/daemon/sessions/session_host.c', 'src/urom/daemon/sessions/session_worker.c',
        'src/urom/daemon/sessions/conns.c', 'src/urom/daemon/workers/workers.c',
        'src/urom/daemon/sessions/requests.c', 'src/urom/daemon/workers/reap.c'
    ],
    'fuzz_daemon_lists': [
        'src/urom/daemon/config/cpus.c', 'src/urom/daemon/process/env.c',
        'src/urom/daemon/plugins/candidates.c', 'src/urom/daemon/plugins/sight.c'
    ],
    'fuzz_host': [
        'src/urom/host/service_start.c', 'src/urom/host/service_welcome.c',
        'src/urom/host/service_auth.c',
        'src/urom/host/service_ctx.c', 'src/urom/host/service_seat.c',
        'src/urom/host/worker_ctx.c', 'src/urom/host/worker_cmd.c'
    ],
    'fuzz_mmap_blob': ['src/core/mmap_blob.c'],
    'fuzz_plugin_elf': ['src/urom/worker/elf.c'],
    'fuzz_probe_answer': ['src/urom/daemon/plugins/answer.c',
                          'src/urom/daemon/plugins/complaints.c'],
    'fuzz_rdma_conn_blob': ['src/rdma/connect_oob.c'],
    'fuzz_rdma_hello': [
        'src/rdma/providers/software/soft_listen.c', 'src/rdma/providers/software/soft_frame.c'
    ],
    'fuzz_rdma_requester': [
        'src/rdma/providers/software/soft_request.c', 'src/rdma/providers/software/soft_dial.c',
        'src/rdma/providers/software/soft_frame.c'
    ],
    'fuzz_rdma_stream': [
        'src/rdma/providers/software/soft_respond.c',
        'src/rdma/providers/software/soft_respond_out.c',
        'src/rdma/providers/software/soft_frame.c'
    ],
    'fuzz_service_file': ['src/urom/host/service_file.c'],
    'fuzz_sync_event_blob': ['src/core/sync_event_export.c'],
    'fuzz_wire': ['src/urom/wire/wire_codec.c', 'src/urom/wire/wire_frame.c'],
    'fuzz_worker': [
        'src/urom/worker/link.c', 'src/urom/worker/attach.c', 'src/urom/worker/dispatch.c',
        'src/urom/worker/conns.c', 'src/urom/worker/notify.c', 'src/urom/worker/outstanding.c'
    ],
}

# What cannot be reached, and why. A missing line counts as one of these when it has the text in it,
# or stands right behind one that has; '*': in any file.
NO_MEMORY = 'memory does not run out'
OWN_BUG = 'only a fault of our own leads here'
SYSTEM = 'the system refuses it'
CROWD = 'takes hundreds of connections, as in test_daemon_strangers and test_worker_conns'
NO_DESCRIPTOR = 'descriptors do not run out'
EXCUSES = {
    '*': [('NO_MEMORY', NO_MEMORY), ('no memory', NO_MEMORY), ('#define', 'used elsewhere'),
          ('errno', SYSTEM), ('core_null_argument', 'the application gives none')],
    'src/core/sync_event_export.c': [('imports no sync events', 'devices of another kind'),
                                     ('dev->info.ibdev_name', 'devices of another kind')],
    'src/rdma/providers/software/soft_listen.c': [
        ('stranger == NULL', CROWD), ('close(fd);', CROWD), ('free(stranger);', NO_MEMORY),
        ('look_for_clients(port', NO_DESCRIPTOR)],
    'src/rdma/providers/software/soft_request.c': [
        ('DOCA_ERROR_INVALID_VALUE', 'the application changes no buf in flight'),
        ('changed in flight', 'the application changes no buf in flight'),
        ('fault_result, requester->fault)', 'the application changes no buf in flight')],
    'src/rdma/providers/software/soft_dial.c': [
        ('!send_hello(requester)', SYSTEM), ('dial_next(requester);', SYSTEM),
        ('free(requester);', NO_MEMORY), ('host is silent', 'only TCP knows'),
        ('case SOFT_DIAL_', 'the port looks at it directly'),
        ('soft_requester_poll', 'the port looks at it directly')],
    'src/rdma/providers/software/soft_respond.c': [
        ('free(responder)', NO_MEMORY), ('soft_sock_drop', NO_MEMORY),
        ('responder_destroy(&responder->sock)', NO_MEMORY)],
    'src/rdma/providers/software/soft_respond_out.c': [
        ('soft_respond_nak(responder, status);', 'no memory is taken away, as in test_rdma_messages'),
        ('is_revoked = true', 'no memory is taken away, as in test_rdma_messages')],
    'src/urom/chan/chan_stream.c': [
        ('KEPT_CAPACITY', 'takes 256 KiB'), ('free(stream->out)', 'takes 256 KiB'),
        ('stream->out_capacity = 0', 'takes 256 KiB'), ('len > WIRE_MAX_BODY', OWN_BUG), ('EINTR', SYSTEM),
                                    ('return chan_error_from_wire(encoded)', OWN_BUG)],
    'src/urom/daemon/plugins/candidates.c': [
        ('cannot be read to its end', SYSTEM), ('place->directory, strerror', SYSTEM),
        ('is no place for plugins', 'takes 4096 files; test_plugin_limits does it'),
        ('UROMD_MAX_', 'takes 513 files; test_plugin_limits does it'),
        ('"are left out"', 'as above'), ('are left out', 'as above'), ('break;', 'as above'),
        ('path = NULL;', NO_MEMORY), ('free(path);', NO_MEMORY), ('return NULL;', NO_MEMORY)],
    'src/urom/daemon/plugins/complaints.c': [('return false;', NO_MEMORY), ('return;', NO_MEMORY)],
    'src/urom/daemon/sessions/conns.c': [('return NULL;', NO_MEMORY), ('no random bytes', SYSTEM)],
    'src/urom/daemon/sessions/handshake.c': [('break; /* the size', OWN_BUG)],
    'src/urom/auth/auth_cookie.c': [
        ('is no regular file', 'the file system'), ('S_ISREG', 'the file system'),
        ('it belongs to user', 'takes another user'), ('must belong to root', 'takes another user'),
        ('path, status->st_uid, self', 'takes another user')],
    'src/urom/auth/auth_proof.c': [('OPERATING_SYSTEM', SYSTEM)],
    'src/urom/daemon/sessions/challenge.c': [('no random bytes', SYSTEM), ('OPERATING_SYSTEM', SYSTEM),
                                    ('return;', SYSTEM)],
    'src/urom/daemon/sessions/requests.c': [('bytes of environment', 'takes 8 MiB of requests'),
                                   ('than %u', 'takes 8 MiB of requests'),
                                   ('len, UROMD_MAX', 'takes 8 MiB of requests'),
                                   ('this host has', CROWD), ('num_conns', CROWD),
                                   ('connections already', CROWD)],
    'src/urom/daemon/sessions/session.c': [
        ('cannot be waited for', SYSTEM), ('cannot be watched', SYSTEM), ('has no address', SYSTEM),
        ('UROMD_MAX_HALF_OPEN', CROWD), ('without a handshake', CROWD), ('UROMD_MAX_SESSIONS', CROWD),
        ('there are %d already', CROWD), ('TAILQ_FOREACH (session', CROWD),
        ('DOCA_ERROR_OPERATING_SYSTEM', SYSTEM), ('DOCA_ERROR_FULL', CROWD),
        ('UROMD_SESSION_OVER)', CROWD), ('close(fd);', NO_MEMORY),
        ('does not read; closed', 'takes 8 MiB that nobody reads'),
        ('cannot be sent', OWN_BUG), ('wire_message_find(type)->name', OWN_BUG),
        ('were there before', NO_MEMORY), ('doca_error_get_descr(result));', NO_MEMORY)],
    'src/urom/daemon/sessions/session_host.c': [
        ('DOCA_SUCCESS) {', NO_MEMORY), ('WIRE_WORKER_REFUSED, id', NO_MEMORY),
        ('one request too many', 'takes 1024 requests')],
    'src/urom/daemon/workers/workers.c': [
        ('is_draining', 'no more sessions then'), ('is ending', 'no more sessions then'),
        ('UROMD_MAX_WORKERS', CROWD), ('workers already', CROWD),
        ('next_any = FIRST_ANY', 'takes 2^63 workers'), ('return NULL;', NO_MEMORY),
        ('close(fd);', NO_MEMORY), ('kill(created', NO_MEMORY), ('waitpid', NO_MEMORY)],
    'src/urom/host/service_auth.c': [
        ('authenticates nobody', 'the daemon of the target has no address'),
        ('this machine', 'the daemon of the target has no address'),
        ('peer);', 'the daemon of the target has no address')],
    'src/urom/host/service_ctx.c': [('set_dev() first', 'the application\'s settings'),
                                    ('(void *)service);', 'the application\'s settings')],
    'src/urom/host/service_start.c': [('no random bytes', SYSTEM), ('return core_error', SYSTEM)],
    'src/urom/daemon/workers/reap.c': [('ended itself, as a plugin', 'takes the page of a real worker')],
    'src/urom/host/worker_ctx.c': [('case UROMH_', 'nothing is due in that phase'),
                                   ('break;', 'nothing is due in that phase')],
    'src/urom/worker/dispatch.c': [('free(desc);', 'takes 65536 commands'),
                                   ('return DOCA_ERROR_CONNECTION_ABORTED;',
                                    'the channel has the same limit'), ('return NULL;', NO_MEMORY)],
    'src/urom/worker/conns.c': [('assert(oldest', CROWD), ('UROMW_MAX_HOSTS', CROWD)],
    'src/urom/worker/link.c': [('the channel has no address', OWN_BUG),
                               ('host[0]', SYSTEM), ('TOO_BIG', 'takes 17 plugins'),
                               ('the addresses of the plugins cannot', 'takes 17 plugins'),
                               ('cannot be told', 'takes 17 plugins'),
                               ('is one too many', CROWD), ('ticket.connection, doca', CROWD)],
    'src/urom/worker/outstanding.c': [('UROMW_MAX', 'takes 65536 commands')],
}

# Functions that have to do with nothing that a stranger says, or that the target has others for.
FUNCTIONS = {
    'src/core/sync_event_export.c': {
        'what is exported is our own': ['check_exportable', 'export_make',
                                        'doca_sync_event_export_to_remote_net']},
    'src/urom/daemon/plugins/sight.c': {
        'what our own side writes': ['write_note', 'uromd_note_place', 'uromd_note_candidate',
                                     'uromd_note_complaint', 'uromd_note_end']},
    'src/rdma/connect_oob.c': {
        'what follows a descriptor that was read': [
            'refuse', 'check_running', 'conn_take', 'record_init', 'conn_open', 'doca_rdma_export',
            'is_conn_of', 'check_peer', 'doca_rdma_connect']},
    'src/rdma/providers/software/soft_listen.c': {
        'the same over TCP, whose ports would not last': ['soft_on_tcp_client'],
        NO_DESCRIPTOR: ['wait_while_full', 'look_for_clients'],
        'the context does not stop': ['soft_strangers_close']},
    'src/rdma/providers/software/soft_request.c': {
        'the application changes no buf in flight': ['stop_sending']},
    'src/urom/chan/chan.c': {
        'no address in it': ['chan_open', 'chan_close', 'chan_listen', 'chan_get_address',
                             'chan_get_address_text', 'chan_send', 'chan_disconnect',
                             'chan_get_fd', 'chan_arm', 'chan_get_transport']},
    'src/urom/chan/chan_address.c': {
        'sockets': ['chan_address_tune', 'chan_address_tolerate_unread', 'fail',
                    'chan_address_listen', 'chan_address_connect', 'chan_address_attend']},
    'src/urom/chan/chan_message.c': {OWN_BUG: ['chan_error_from_wire']},
    'src/urom/chan/chan_stream.c': {'the target has no descriptor': ['chan_stream_init']},
    'src/urom/auth/auth_cookie.c': {
        'the environment and the file system': ['fail_open', 'auth_cookie_default']},
    'src/urom/daemon/sessions/credential.c': {'in a process of its own': ['ask']},
    'src/urom/host/service_auth.c': {
        'the environment; test_host_auth has it': [
            'load_named', 'load_default', 'find_cookies', 'init_munge', 'answer_munge', 'choose',
            'init_cookie', 'uromh_auth_init']},
    'src/urom/daemon/sessions/session.c': {CROWD: ['make_room']},
    'src/urom/host/service_file.c': {
        'the environment and the file system': ['default_port', 'fail_read', 'read_file',
                                                'uromh_service_file_find']},
    'src/urom/host/service_start.c': {
        'the network; the target brings its own': ['share_of_time', 'try_address', 'resolve',
                                                   'connect_to', 'wait_for']},
    'src/urom/host/worker_ctx.c': {'the application\'s settings': ['check_start']},
    'src/urom/worker/conns.c': {CROWD: ['find_oldest_stranger']},
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
    for why, names in FUNCTIONS.get(file, {}).items():
        for name, first, count in find_functions('\n'.join(texts)):
            if name in names and first <= number < first + count:
                return why
    for text, why in EXCUSES['*'] + EXCUSES.get(file, []):
        if any(text in texts[at] for at in (number - 1, max(number - 2, 0))):
            return why
    return None


def replay_all(targets):
    """The lines of all their files, those of a file added up: {file: {line: how often}}."""
    total = {}
    for target in targets:
        for file, lines in replay(target).items():
            into = total.setdefault(file, dict.fromkeys(lines, 0))
            for number, count in lines.items():
                into[number] += count
    return total


def with_sharers(names):
    """These targets, and those that a file of theirs is of, too."""
    files = {file for name in names for file in TARGETS[name]}
    return [name for name in TARGETS if files & set(TARGETS[name])]


def judge(file, lines, shows_lines):
    """Prints how a file does; True: well enough."""
    texts = (ROOT / file).read_text(encoding='utf-8').splitlines()
    missing = [number for number, count in lines.items() if count == 0]
    excused = {number: excuse(file, texts, number) for number in missing}
    left = [number for number in missing if excused[number] is None]
    counted = len(lines) - (len(missing) - len(left))
    share = 100 * (counted - len(left)) / max(counted, 1)
    targets = ', '.join(name for name in TARGETS if file in TARGETS[name])
    print(f'{"ok  " if share >= LIMIT else "FAIL"} {targets}: {file}: {share:.1f} % of {counted} '
          f'lines, {len(missing) - len(left)} more cannot be reached')
    if shows_lines:
        for number in missing:
            print(f'     {number}: {texts[number - 1].strip()}'
                  f'{"" if excused[number] is None else "  <- " + excused[number]}')
    return share >= LIMIT


def main():
    names = [name for name in sys.argv[1:] if name != '--lines']
    sources = {path.stem for path in (ROOT / 'tests' / 'fuzz').glob('fuzz_*.c')}
    if sources != set(TARGETS):
        sys.exit(f'fuzz_coverage.py: the table of targets is not that of tests/fuzz: '
                 f'{", ".join(sorted(sources ^ set(TARGETS)))}')
    build()
    files = replay_all(with_sharers(names or TARGETS))
    verdicts = [judge(file, lines, '--lines' in sys.argv) for file, lines in files.items()]
    if not all(verdicts):
        sys.exit(f'fuzz_coverage.py: under {LIMIT} %; --lines shows what is not reached')


if __name__ == '__main__':
    main()
