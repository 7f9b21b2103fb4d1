#!/usr/bin/env python3
"""Writes the first inputs of the fuzz targets that go through steps (script.h).

  tests/fuzz/seeds.py [TARGET...]

Each seed is a conversation as it should be, or one that goes wrong on purpose; the fuzzer takes it
from there. Run it again when a message changes. What the fuzzer has added is left alone.
"""
# SPDX-License-Identifier: BSD-3-Clause

import pathlib
import struct
import sys

CORPUS = pathlib.Path(__file__).parent / "corpus"

MAGIC = 0x314D4F5255454E4F
ANY = 0xFFFFFFFFFFFFFFFF
MORE = 0x80
HELLO, CHALLENGE, PROOF, WELCOME, REFUSED = 1, 2, 3, 4, 5
WORKER_START, WORKER_STARTED, WORKER_REFUSED, WORKER_STOP, WORKER_STOPPED = 16, 17, 18, 19, 20
WORKER_DIED, GROUP_GET, GROUP, STATUS_GET, CONNECTION_ENDED = 21, 22, 23, 24, 26
WORKER_READY, WORKER_FAILED, TICKET, TICKET_KNOWN, TICKET_VOID, SHUTDOWN, HOST_DEAF = 32, 33, 34, 35, 36, 37, 38
TICKET_REFUSED = 39
ATTACH, ATTACHED, COMMAND, NOTIFY, DETACH, DETACHED = 48, 49, 50, 51, 52, 53


def step(what, who=0, kind=0, flags=0, data=b""):
    return struct.pack("<BBBBH", what, who, kind, flags, len(data)) + data


def at_once(one):
    """The step, without a turn for anybody behind it."""
    return bytes([one[0] | 0x80]) + one[1:]


def frame(kind, data=b"", number=0, more=0):
    return struct.pack("<IHHQ", len(data), kind, more, number) + data


def blob(data):
    if isinstance(data, str):
        data = data.encode()
    return struct.pack("<I", len(data)) + data


def cpuset(*cpus):
    data = bytearray(128)
    for cpu in cpus:
        data[cpu // 8] |= 1 << cpu % 8
    return bytes(data)


def hello(role=1, auth=0, max_message=4096, low=1, high=1, magic=MAGIC, bits=64, is_big=0):
    return (struct.pack("<QHHBBBBII", magic, low, high, role, is_big, bits, auth, 0x03030000,
                        max_message) + bytes(32) + blob("node1") + blob(b""))


def welcome(version=1, max_message=4096, plugins=b"", magic=MAGIC, daemon="0.1"):
    return (struct.pack("<QHQI", magic, version, 7, max_message) + cpuset(0, 1) + blob(daemon) +
            blob(plugins))


def plugin(number, name="worker_one"):
    return struct.pack("<QQ", number, 3) + blob(name)


def refused(error=8, reason="not you", low=1, high=1, magic=MAGIC):
    return struct.pack("<QHHI", magic, low, high, error) + blob(reason)


def start(worker=ANY, plugins=1, group=None, cpus=None, max_message=4096, env=()):
    entries = b"".join(blob(entry) for entry in env)
    return (struct.pack("<QQBIB", worker, plugins, group is not None, group or 0, cpus is not None)
            + cpuset(*(cpus or ())) + struct.pack("<I", max_message) + blob(entries))


def ready(addr=b"\x02\x04\x10\x00\x7f\x00\x00\x01", addrs=()):
    listed = b"".join(struct.pack("<Q", number) + blob(one) for number, one in addrs)
    return struct.pack("<Q", 5) + blob(addr) + blob(listed)


def failed(error=21, reason="no luck"):
    return struct.pack("<I", error) + blob(reason)


def stop(worker, connection):
    return struct.pack("<QQ", worker, connection)


# --- fuzz_daemon ---

FIRST_ANY = 1 << 63


class Daemon:
    """What the steps of fuzz_daemon.c are called here."""

    @staticmethod
    def say(kind, data=b"", who=0, flags=1):
        return step(0, who, kind, flags, data)

    @staticmethod
    def connect(who=0):
        return step(1, who)

    @staticmethod
    def raw(data, who=0):
        return step(2, who, data=data)

    @staticmethod
    def read(who=0):
        return step(3, who)

    @staticmethod
    def hang_up(who=0):
        return step(4, who)

    @staticmethod
    def work(kind, data=b"", who=0, flags=0):
        return step(5, who, kind, flags, data)

    @staticmethod
    def work_raw(data, who=0):
        return step(6, who, data=data)

    @staticmethod
    def work_hang_up(who=0):
        return step(7, who)

    @staticmethod
    def work_exit(who=0, status=0, is_signal=0):
        return step(8, who, status, is_signal)

    @staticmethod
    def elapse(n=0):
        return step(9, n)

    @staticmethod
    def no_process():
        return step(10)

    @staticmethod
    def slow_scans():
        return step(11)

    @staticmethod
    def method(number, flags=0):
        return step(12, 0, number, flags)

    @staticmethod
    def prove(who=0, data=b""):
        return step(13, who, 0, 2, data)

    @staticmethod
    def verdict(who=0, error=0, flags=0, data=b""):
        return step(14, who, error, flags, data)


def daemon_seeds():
    d = Daemon
    come = d.connect() + d.say(HELLO, hello())
    other = d.connect(1) + d.say(HELLO, hello(), 1)
    work = d.work(HELLO, hello(role=2)) + d.work(WORKER_READY, ready(addrs=[(1, b"abc")]))
    begin = come + d.say(WORKER_START, start(5), flags=2)
    known = d.work(TICKET_KNOWN, flags=1)
    up = begin + work + known
    yield "host", come + d.read() + d.hang_up()
    yield "operator", d.connect() + d.say(HELLO, hello(role=3)) + d.read() + d.say(GROUP_GET)
    operator = d.connect() + d.say(HELLO, hello(role=3))
    yield "status", operator + d.say(STATUS_GET) + d.read()
    yield "status_long", operator + d.say(STATUS_GET, b"1")
    yield "over_time", up + d.work_exit(0, 24, 1)
    yield "over_memory", begin + d.work_exit(0, 11, 1)
    yield "room", begin + d.say(WORKER_START, start(6), flags=3) + d.say(
        WORKER_START, start(7), flags=4) + d.read()
    yield "versions", d.connect() + d.say(HELLO, hello(low=2, high=3)) + d.read() + d.hang_up()
    yield "magic", d.connect() + d.say(HELLO, hello(magic=1))
    yield "cut", d.connect() + d.say(HELLO, hello()[:20])
    yield "role", d.connect() + d.say(HELLO, hello(role=2)) + d.read() + d.raw(b"more")
    yield "role_behind", d.connect() + d.say(HELLO, hello(role=4)) + d.read()
    yield "endian", d.connect() + d.say(HELLO, hello(is_big=1)) + d.read() + d.elapse()
    yield "auth", d.connect() + d.say(HELLO, hello(auth=1))
    yield "cookie", d.connect() + d.say(HELLO, hello(auth=1)) + d.say(PROOF, blob(bytes(32)))
    yield "big", d.connect() + d.say(HELLO, hello(max_message=5000)) + d.read()
    yield "small", d.connect() + d.say(HELLO, hello(max_message=1))
    yield "pieces", (d.connect() + d.say(HELLO, hello()[:30], flags=MORE | 1) +
                     d.say(HELLO, b"", flags=MORE | 1) + d.say(HELLO, hello()[30:]))
    yield "silent", d.connect() + d.elapse() + d.connect()
    yield "crowd", b"".join(d.connect(i) for i in range(4)) + d.elapse(2) + d.hang_up(1)
    yield "welcoming", d.connect() + d.say(HELLO, hello()) + d.hang_up()
    yield "welcoming_long", d.slow_scans() + come + d.hang_up()
    yield "welcomed_late", d.slow_scans() + come + d.elapse(0) + d.elapse(0) + d.read()
    yield "goes_welcoming", d.slow_scans() + come + d.connect(1) + d.hang_up(1) + d.elapse(1)
    asks = struct.pack("<IHHQI", 4, GROUP_GET, 0, 9, 1) * 70
    yield "unread", come + d.raw(asks) + d.read() + d.raw(asks) + d.read() + d.read()
    yield "unread_goes", come + d.raw(asks) + d.hang_up()
    yield "unread_worker", up + d.raw(asks) + d.work_exit() + d.read()
    yield "refused_reads", (d.connect() + d.say(HELLO, hello(low=2, high=3)) + d.read() +
                            d.raw(b"x" * 50) + d.hang_up())
    bad = at_once(d.connect()) + at_once(d.say(HELLO, hello(low=2, high=3)))
    yield "refused_gone", bad + d.hang_up()
    yield "refused_more", bad + at_once(d.raw(b"x" * 50)) + d.read() + d.hang_up()
    yield "last_words_many", (up + at_once(d.work_raw(frame(TICKET_KNOWN) * 70)) +
                              at_once(d.work_exit()))
    yield "many", come + d.raw(frame(WORKER_STOP, stop(1, 1)) * 70) + d.read() * 20
    yield "worker_gone", (up + at_once(d.work(TICKET_KNOWN, flags=1)) + d.work_exit())
    yield "raw", d.connect() + d.raw(b"GET / HTTP/1.1\r\n\r\n")
    yield "up", up + d.read() + d.say(WORKER_STOP, stop(5, 1), flags=3) + d.work_exit() + d.read()
    yield "any", (come + d.say(WORKER_START, start(), flags=2) + work + known +
                  d.say(WORKER_STOP, stop(FIRST_ANY, 1), flags=3) + d.work_exit())
    yield "group", (come + d.say(WORKER_START, start(5, group=4), flags=2) + work + known +
                    d.say(GROUP_GET, struct.pack("<I", 4), flags=4) + d.read())
    yield "dies", up + d.work_exit(0, 11, 1) + d.read()
    yield "exits", up + d.work_exit(0, 3) + d.read()
    yield "fails", begin + d.work(HELLO, hello(role=2)) + d.work(WORKER_FAILED, failed()) + d.read()
    yield "fails_well", (begin + d.work(HELLO, hello(role=2)) + d.work(WORKER_FAILED, failed(0)) +
                         d.work_exit(0, 1))
    yield "late", begin + d.elapse(0) + d.elapse(1) + d.work_exit(0, 9, 1) + d.read()
    yield "late_ticket", begin + work + d.elapse(0) + d.work_exit()
    yield "hangs_up", up + d.work_hang_up() + d.elapse(0) + d.work_exit(0, 9, 1)
    yield "host_goes", up + d.hang_up() + d.elapse(0) + d.work_exit()
    yield "host_goes_early", begin + d.hang_up() + d.work_exit(0, 15, 1)
    yield "two_hosts", (up + other + d.say(WORKER_START, start(5), 1, 2) +
                        d.work(TICKET_KNOWN, flags=2) + d.read(1) +
                        d.say(WORKER_STOP, stop(5, 1), flags=3) + d.hang_up(1) + d.work_exit())
    yield "queue", (up + d.say(WORKER_STOP, stop(5, 1), flags=3) + other +
                    d.say(WORKER_START, start(5, env=["A=b"]), 1, 2) + d.work_exit() + work +
                    d.work(TICKET_KNOWN, flags=2) + d.read(1))
    yield "queue_late", (up + d.say(WORKER_STOP, stop(5, 1), flags=3) + other +
                         d.say(WORKER_START, start(5), 1, 2) + d.elapse(0) + d.work_exit())
    yield "queue_goes", (up + d.say(WORKER_STOP, stop(5, 1), flags=3) + other +
                         d.say(WORKER_START, start(5), 1, 2) + d.hang_up(1) + d.work_exit())
    yield "joins", b"".join([up] + [other] + [
        d.say(WORKER_START, one, 1, 10 + i) for i, one in enumerate([
            start(5, env=["A=b"]), start(5, group=1), start(5, cpus=[1]), start(5, plugins=2)])])
    yield "asks", b"".join([come] + [
        d.say(WORKER_START, one, 0, 10 + i) for i, one in enumerate([
            start(5, plugins=0), start(5, plugins=4), start(5, max_message=1), start(5, cpus=[]),
            start(5, cpus=[1, 2]), start(6, cpus=[900]), start(6, env=["Ab"]),
            start(7, env=["=b"]), start(7, env=[""])])])
    yield "environments", come + d.say(WORKER_START, start(5, env=["A=" + "b" * 300]), flags=2) + d.read()
    yield "no_process", come + d.no_process() + d.say(WORKER_START, start(5), flags=2) + d.read()
    yield "twice", begin + d.say(WORKER_START, start(6), flags=2)
    yield "stops_nothing", come + d.say(WORKER_STOP, stop(1, 1), flags=3) + d.read()
    yield "host_talks", come + d.say(WORKER_READY, ready())
    yield "host_cut", come + d.say(WORKER_START, start(5)[:9])
    yield "worker_talks", begin + d.work(HELLO, hello(role=2)) + d.work(COMMAND)
    yield "worker_cut", begin + d.work(HELLO, hello(role=2)) + d.work(WORKER_READY, ready()[:9])
    yield "ready_twice", begin + work + d.work(WORKER_READY, ready())
    yield "worker_role", begin + d.work(HELLO, hello(role=1)) + d.elapse(0) + d.work_exit()
    yield "worker_magic", begin + d.work(HELLO, hello(role=2, magic=3)) + d.work_exit()
    yield "worker_raw", begin + d.work_raw(b"nonsense of a worker") + d.work_exit(0, 1)
    yield "known_early", begin + d.work(HELLO, hello(role=2)) + known + known
    yield "last_words", begin + work + d.say(HELLO, hello())
    yield "ready_late", (begin + d.work(HELLO, hello(role=2)) + d.hang_up() +
                         d.work(WORKER_READY, ready()) + d.work(TICKET_KNOWN) + d.work_exit())
    cookie = d.method(1) + d.connect() + d.say(HELLO, hello(auth=1))
    yield "cookie_right", cookie + d.prove() + d.read() + d.say(WORKER_START, start(5), flags=3) + work
    yield "cookie_wrong", cookie + d.prove(data=b"\1") + d.read() + d.prove() + d.hang_up()
    yield "cookie_not_offered", d.method(1) + come + d.read()
    yield "cookie_cut", cookie + d.say(PROOF, blob(bytes(32))[:9])
    yield "cookie_short", cookie + d.say(PROOF, blob(bytes(31)))
    yield "cookie_other", cookie + d.say(WORKER_START, start(5), flags=3)
    yield "cookie_twice", cookie + at_once(d.prove()) + d.prove()
    yield "cookie_late", cookie + d.elapse() + d.prove()
    yield "cookie_full", cookie + d.prove() + b"".join(
        d.connect(i) + d.say(HELLO, hello(auth=1), i) + d.prove(i) for i in (1, 2, 3)) + d.read(3)
    munge = d.method(2) + d.connect() + d.say(HELLO, hello(auth=2)) + d.say(PROOF, blob(b"MUNGE:x:"))
    yield "munge_right", munge + d.verdict(9) + d.read() + d.say(WORKER_START, start(5), flags=3)
    yield "munge_wrong", munge + d.verdict(data=b"\1") + d.read()
    yield "munge_no", munge + d.verdict(error=26) + d.read()
    yield "munge_short", munge + d.verdict(flags=1, data=bytes(9)) + d.read()
    yield "munge_mute", munge + d.verdict(flags=1) + d.read()
    yield "munge_late", munge + d.elapse(0) + d.elapse(1) + d.read()
    yield "munge_goes", munge + d.hang_up() + d.verdict()
    yield "munge_empty", d.method(2) + d.connect() + d.say(HELLO, hello(auth=2)) + d.say(PROOF, blob(b"")) + d.verdict()
    yield "munge_no_process", (d.method(2) + d.connect() + d.say(HELLO, hello(auth=2)) + d.no_process() +
                               d.say(PROOF, blob(b"MUNGE:x:")) + d.read())
    yield "munge_two", munge + d.connect(1) + d.say(HELLO, hello(auth=2), 1) + d.say(
        PROOF, blob(b"y"), 1) + d.verdict(1) + d.verdict(0) + d.read(1) + d.read()
    yield "munge_not_offered", d.method(2) + come + d.read()
    yield "munge_end", munge
    one = d.method(2, 2) + d.connect() + d.say(HELLO, hello(auth=2)) + d.say(PROOF, blob(b"x"))
    yield "user_let_in", one + d.verdict(9) + d.read()
    yield "user_not_let_in", one + d.verdict(8) + d.read()
    yield "address_not_let_in", d.method(0, 1) + d.connect() + d.say(HELLO, hello()) + d.read()
    full = struct.pack("<IB", 23, 1) + blob("it is full")
    yield "not_taken", begin + work + d.work(TICKET_REFUSED, full, flags=1) + d.read()
    yield "not_taken_again", (up + d.work(TICKET_REFUSED, full, flags=1) + other +
                              d.say(WORKER_START, start(5), 1, 2) +
                              d.work(TICKET_REFUSED, full, flags=2) + d.read(1))
    yield "not_taken_why", begin + work + d.work(
        TICKET_REFUSED, struct.pack("<IB", 99, 0) + blob(b"\1"), flags=1) + d.read()
    deaf = d.work(HOST_DEAF, struct.pack("<Q", 1))
    yield "deaf", up + deaf + deaf + d.work(HOST_DEAF, struct.pack("<Q", 2)) + d.read()
    yield "deaf_early", begin + d.work(HELLO, hello(role=2)) + deaf + d.work(HOST_DEAF, bytes(7))
    for i in range(4):
        yield "start_late_%d" % i, begin + d.elapse(i) + d.read()
        yield "ticket_late_%d" % i, begin + work + d.elapse(i) + d.read()
        yield "start_late_two_%d" % i, (begin + other + d.say(WORKER_START, start(5), 1, 2) +
                                        d.elapse(i) + d.read())
    for kept, flags in (("kept", 4), ("grace", 8)):
        left = d.method(0, flags) + up + d.hang_up() + other
        yield kept, left + d.say(WORKER_START, start(5), 1, 2) + d.work(TICKET_KNOWN, flags=2)
        yield kept + "_gives_way", left + d.say(WORKER_START, start(5, group=3), 1, 2) + d.work_exit()
        yield kept + "_other", left + d.say(WORKER_START, start(5, env=["A=b"]), 1, 2) + d.work_exit()
        yield kept + "_over", left + d.elapse(0) + d.elapse(1) + d.work_exit()
        yield kept + "_makes_room", (d.method(0, flags) + begin + d.say(WORKER_START, start(6), flags=3) + work +
                                     known + d.work(HELLO, hello(role=2), 1) + d.work(WORKER_READY, ready(), 1) +
                                     d.work(TICKET_KNOWN, who=1, flags=2) + d.hang_up() + other +
                                     d.say(WORKER_START, start(7), 1, 2) + d.say(WORKER_START, start(8), 1, 3) +
                                     d.work_exit() + d.read(1))
    yield "two_workers", (up + d.say(WORKER_START, start(4, group=4), flags=5) +
                          d.work(HELLO, hello(role=2), 1) + d.work(WORKER_READY, ready(), 1) +
                          d.work(TICKET_KNOWN, who=1, flags=2) +
                          d.say(WORKER_STOP, stop(4, 2), flags=6) + d.work_exit(1))


# --- fuzz_worker ---


class Worker:
    """What the steps of fuzz_worker.c are called here."""

    @staticmethod
    def daemon(kind, data=b"", flags=0):
        return step(0, 0, kind, flags, data)

    @staticmethod
    def raw(data):
        return step(1, data=data)

    @staticmethod
    def hang_up():
        return step(2)

    @staticmethod
    def read():
        return step(3)

    @staticmethod
    def begin():
        return step(4)

    @staticmethod
    def accept(who=0):
        return step(5, who)

    @staticmethod
    def host(kind, data=b"", who=0, flags=3):
        return step(6, who, kind, flags, data)

    @staticmethod
    def host_goes(who=0):
        return step(7, who)

    @staticmethod
    def plugin_is(takes=0, packs=0, progress=0):
        return step(8, takes, packs, progress)

    @staticmethod
    def plugin_has(missing=0, addr=6, announced=0, given=0):
        lens = struct.pack("<I", announced)[:3] + struct.pack("<I", given)[:3]
        return step(9, 0, missing, addr, lens)

    @staticmethod
    def notifies(which=0, status=0, wrong=0, data=b""):
        return step(10, which, status, wrong, data)

    @staticmethod
    def elapse():
        return step(11)

    @staticmethod
    def break_channel(how):
        return step(12, 0, 0, how)

    @staticmethod
    def leave_files(number):
        return step(13, number)


def ticket(connection=1, version=1, max_message=4096, host="node1"):
    return (struct.pack("<QHI", connection, version, max_message) + bytes([connection] * 32) +
            blob(host))


def attach(connection=1, secret=None):
    return struct.pack("<Q", connection) + bytes([connection if secret is None else secret] * 32)


def command(plugin_id=4, context=9, payload=b"do this"):
    return struct.pack("<QQ", plugin_id, context) + blob(payload)


def worker_seeds():
    w = Worker
    up = w.daemon(WELCOME, welcome()) + w.begin()
    come = up + w.daemon(TICKET, ticket()) + w.accept() + w.host(ATTACH, attach())
    busy = come + w.host(COMMAND, command())
    for name, data in {
            "alone": w.begin(), "version": w.daemon(WELCOME, welcome(version=9)),
            "magic": w.daemon(WELCOME, welcome(magic=2)), "refused": w.daemon(REFUSED, refused()),
            "refused_well": w.daemon(REFUSED, refused(error=0)),
            "refused_cut": w.daemon(REFUSED, refused()[:9]), "raw": w.raw(b"not a word of UROM"),
            "talk": w.daemon(SHUTDOWN), "gone": w.hang_up()}.items():
        yield "open_" + name, data + w.begin() + w.read()
    for name, has in {
            "none": w.plugin_has(missing=1), "no_progress": w.plugin_has(missing=2),
            "no_iface": w.plugin_has(missing=4), "no_version": w.plugin_has(missing=8),
            "no_open": w.plugin_has(missing=16), "addr": w.plugin_has(0, 6, 40, 30),
            "addr_long": w.plugin_has(0, 6, 40, 41), "addr_fails": w.plugin_has(32, 6, 40, 40),
            "addr_huge": w.plugin_has(0, 6, 70000, 1), "addr_other": w.plugin_has(0, 3, 9, 9)}.items():
        yield "plugin_" + name, has + up + w.read()
    yield "up", up + w.read() + w.daemon(SHUTDOWN)
    yield "hang_up", up + w.hang_up()
    yield "nonsense", up + w.raw(bytes(range(40)))
    yield "foreign", up + w.daemon(GROUP)
    yield "attach", come + w.read() + w.host(DETACH) + w.elapse()
    yield "detach_twice", come + w.host(DETACH) + w.host(DETACH) + w.host_goes()
    yield "wrong", up + w.daemon(TICKET, ticket()) + w.accept() + w.host(ATTACH, attach(1, 2)) + w.elapse()
    yield "wrong_then_right", (up + w.daemon(TICKET, ticket()) + w.accept() +
                               w.host(ATTACH, attach(2)) + w.host(ATTACH, attach()))
    yield "twice", come + w.accept(1) + w.host(ATTACH, attach(), 1) + w.host_goes(1)
    yield "guest", up + w.accept() + w.elapse() + w.accept() + w.host(COMMAND, command())
    yield "guest_cut", up + w.daemon(TICKET, ticket()) + w.accept() + w.host(ATTACH, attach()[:9])
    yield "guest_long", up + w.accept() + w.host(ATTACH, bytes(5000))
    yield "guest_goes", up + w.accept() + w.host_goes()
    yield "ticket_again", up + w.daemon(TICKET, ticket()) + w.daemon(TICKET, ticket())
    yield "ticket_cut", up + w.daemon(TICKET, ticket()[:20])
    yield "ticket_version", up + w.daemon(TICKET, ticket(version=2))
    yield "ticket_big", up + w.daemon(TICKET, ticket(max_message=4097))
    yield "ticket_small", up + w.daemon(TICKET, ticket(max_message=100))
    yield "ticket_name", up + w.daemon(TICKET, ticket(host="a\nb\x1b[2J"))
    yield "ticket_files", up + w.leave_files(6) + w.daemon(TICKET, ticket()) + w.read()
    yield "guest_files", up + w.daemon(TICKET, ticket()) + w.leave_files(2) + w.accept() + w.elapse()
    yield "void", busy + w.daemon(TICKET_VOID, struct.pack("<Q", 1)) + w.notifies()
    yield "void_none", up + w.daemon(TICKET_VOID, struct.pack("<Q", 1))
    yield "void_cut", up + w.daemon(TICKET_VOID, b"1")
    yield "void_unused", up + w.daemon(TICKET, ticket()) + w.daemon(TICKET_VOID, struct.pack("<Q", 1))
    yield "shutdown_long", up + w.daemon(SHUTDOWN, b"1")
    yield "works", busy + w.notifies(data=b"done") + w.host(DETACH)
    yield "works_twice", busy + w.notifies() + w.notifies()
    yield "goes", busy + w.host_goes() + w.notifies()
    yield "detaches", busy + w.host(DETACH) + w.notifies()
    yield "no_plugin", come + w.host(COMMAND, command(8)) + w.host(COMMAND, command(0)) + w.host(
        COMMAND, command(12))
    yield "command_cut", come + w.host(COMMAND, command()[:9])
    yield "command_long", come + w.host(COMMAND, command(payload=bytes(4080)))
    yield "command_full", come + w.host(COMMAND, command(payload=bytes(4072)))
    for habit in range(4):
        yield "habit_%d" % habit, (come + w.plugin_is(takes=habit) + w.host(COMMAND, command()) * 2 +
                                   w.notifies())
    for packing in range(4):
        yield "packing_%d" % packing, busy + w.plugin_is(packs=packing) + w.notifies(data=b"done")
    for wrong in (1, 2, 4, 3):
        yield "untrue_%d" % wrong, busy + w.notifies(wrong=wrong) + w.notifies(0, 5, wrong)
    yield "notify_unread", busy + w.break_channel(4) + w.notifies() + w.read()
    yield "notify_long", busy + w.notifies(data=bytes(4065))
    yield "notify_full", busy + w.notifies(data=bytes(4064))
    yield "progress", busy + w.plugin_is(progress=9) + w.notifies() + w.plugin_is(progress=9)
    yield "broken", come + w.break_channel(1) + w.host(COMMAND, command(8))
    yield "broken_later", busy + w.break_channel(1) + w.notifies() + w.elapse()
    yield "broken_attach", (up + w.daemon(TICKET, ticket()) + w.accept() + w.break_channel(1) +
                            w.host(ATTACH, attach()))
    yield "lost", busy + w.break_channel(2) + w.notifies() + w.host_goes()
    yield "two", (come + w.daemon(TICKET, ticket(2)) + w.accept(1) + w.host(ATTACH, attach(2), 1) +
                  w.host(COMMAND, command(), 1) + w.host(COMMAND, command()) +
                  w.notifies(0) + w.notifies(1) + w.host_goes(1))
    yield "guests", up + b"".join(w.accept(i) for i in range(8)) + w.daemon(TICKET, ticket())
    yield "commands", come + b"".join(
        w.host(COMMAND, command(context=i)) for i in range(4)) + w.notifies(2) + w.host(DETACH)


# --- fuzz_host ---


class Host:
    """What the steps of fuzz_host.c are called here."""

    @staticmethod
    def daemon(kind, data=b"", flags=0):
        return step(0, 0, kind, flags, data)

    @staticmethod
    def raw(data):
        return step(1, data=data)

    @staticmethod
    def hang_up():
        return step(2)

    @staticmethod
    def read():
        return step(3)

    @staticmethod
    def new_daemon():
        return step(4)

    @staticmethod
    def start():
        return step(5)

    @staticmethod
    def stop():
        return step(6)

    @staticmethod
    def start_worker(who=0):
        return step(7, who)

    @staticmethod
    def stop_worker(who=0):
        return step(8, who)

    @staticmethod
    def worker(kind, data=b"", who=0, flags=0):
        return step(9, who, kind, flags, data)

    @staticmethod
    def worker_goes(who=0):
        return step(10, who)

    @staticmethod
    def command(plugins=1, who=0, data=b"do this"):
        return step(11, who, plugins, 0, data)

    @staticmethod
    def group(number=4):
        return step(12, 0, number)

    @staticmethod
    def break_channel(how, who=0):
        return step(13, who, 0, how)

    @staticmethod
    def elapse(seconds):
        return step(14, 0, seconds)

    @staticmethod
    def demand_cookie():
        return step(15, 0, 1)

    @staticmethod
    def challenge(data=b""):
        return step(16, data=data)


def started(worker=5, connection=1, addr=b"\x02\x04\x10\x00\x7f\x00\x00\x01", group=None):
    return (struct.pack("<QQBIQIQ", worker, connection, group is not None, group or 0, 77, 0, 0) +
            bytes(32) + blob(addr) + blob(b""))


def died(worker=5, error=9, reason="worker 5 was killed"):
    return struct.pack("<QI", worker, error) + blob(reason)


def ended(reason="too many answers wait", worker=5, connection=1):
    return struct.pack("<QQ", worker, connection) + blob(reason)


def notify(context, plugin_id=1, status=0, payload=b"done"):
    return struct.pack("<QQI", plugin_id, context, status) + blob(payload)


def group_of(*ids):
    return blob(b"".join(struct.pack("<Q", one) for one in ids))


def host_seeds():
    h = Host
    both = plugin(1) + plugin(2, "worker_two")
    up = h.daemon(WELCOME, welcome(plugins=both)) + h.start()
    asked = up + h.start_worker()
    attaching = asked + h.daemon(WORKER_STARTED, started(), 2)
    run = attaching + h.worker(ATTACHED)
    first = 1 << 32
    busy = run + h.command()
    stop_all = h.stop_worker() + h.worker(DETACHED) + h.daemon(WORKER_STOPPED, flags=3) + h.stop()
    for name, data in {
            "silent": b"", "gone": h.hang_up(), "raw": h.raw(b"HTTP/1.1 400 Bad Request\r\n"),
            "refused": h.daemon(REFUSED, refused()), "refused_well": h.daemon(REFUSED, refused(0)),
            "refused_odd": h.daemon(REFUSED, refused(3000, "a\nb\x1b[2J")),
            "refused_cut": h.daemon(REFUSED, refused()[:9]),
            "refused_short": h.daemon(REFUSED, refused()[:14]),
            "refused_magic": h.daemon(REFUSED, refused(magic=4)),
            "refused_version": h.daemon(REFUSED, refused(low=2, high=3)),
            "challenge": h.daemon(CHALLENGE, struct.pack("<QHB", MAGIC, 1, 1) + bytes(32) + blob(bytes(32))),
            "foreign": h.daemon(GROUP), "version": h.daemon(WELCOME, welcome(version=3)),
            "magic": h.daemon(WELCOME, welcome(magic=3)), "small": h.daemon(WELCOME, welcome(max_message=9)),
            "cut": h.daemon(WELCOME, welcome()[:60]), "bad_plugins": h.daemon(
                WELCOME, welcome(plugins=plugin(3) + plugin(1) + plugin(1) + plugin(1 << 63) +
                                 plugin(2, "") + plugin(0) + plugin(4, "x" * 47) + plugin(8, "a\nb"))),
            "many_plugins": h.daemon(WELCOME, welcome(plugins=b"".join(
                plugin(1 << i, "p%d" % i) for i in range(63)))),
            "pieces": (h.daemon(WELCOME, welcome()[:70], MORE) + h.daemon(WELCOME, b"", MORE) +
                       h.daemon(WELCOME, welcome()[70:]))}.items():
        yield "start_" + name, data + h.start() + h.read() + h.start_worker()
    for name, data in {
            "right": h.challenge() + h.daemon(WELCOME, welcome(plugins=both)),
            "wrong": h.challenge(b"\1") + h.daemon(WELCOME, welcome(plugins=both)),
            "twice": h.challenge() + h.challenge() + h.daemon(WELCOME, welcome()),
            "refused": h.challenge() + h.daemon(REFUSED, refused(26)),
            "none": h.daemon(WELCOME, welcome(plugins=both)), "silent": h.challenge(),
            "gone": at_once(h.challenge()) + h.hang_up(), "munge": h.daemon(
                CHALLENGE, struct.pack("<QHB", MAGIC, 1, 2) + bytes(32) + blob(b"")),
            "zeros": h.daemon(CHALLENGE, struct.pack("<QHB", MAGIC, 1, 1) + bytes(32) + blob(bytes(32))),
            "version": h.daemon(CHALLENGE, struct.pack("<QHB", MAGIC, 2, 1) + bytes(32) + blob(bytes(32))),
            "short": h.daemon(CHALLENGE, struct.pack("<QHB", MAGIC, 1, 1) + bytes(32) + blob(b"")),
            "cut": h.daemon(CHALLENGE, struct.pack("<QHB", MAGIC, 1, 1))}.items():
        yield "cookie_" + name, h.demand_cookie() + data + h.start() + h.read() + h.start_worker() + h.read()
    yield "life", run + h.read() + stop_all
    yield "command", busy + h.worker(NOTIFY, notify(first)) + stop_all
    yield "commands", (run + h.command() * 3 + h.worker(NOTIFY, notify(first | 1)) +
                       h.worker(NOTIFY, notify(first)) + h.command() + h.worker(NOTIFY, notify(first)) +
                       h.worker(NOTIFY, notify(2 * first)) + stop_all)
    yield "slot_behind", busy + h.worker(NOTIFY, notify(2)) + h.worker(NOTIFY, notify(first | 2))
    yield "no_command", busy + h.worker(NOTIFY, notify(7)) + h.worker(NOTIFY, notify(9 * first))
    yield "status", busy + h.worker(NOTIFY, notify(first, status=999))
    yield "empty", busy + h.worker(NOTIFY, notify(first, payload=b""))
    yield "long", busy + h.worker(NOTIFY, notify(first, payload=bytes(4097)))
    yield "full", busy + h.worker(NOTIFY, notify(first, payload=bytes(4096)))
    yield "too_long", busy + h.worker(NOTIFY, bytes(6000))
    yield "notify_cut", busy + h.worker(NOTIFY, notify(first)[:9])
    yield "notify_early", attaching + h.worker(NOTIFY, notify(first))
    yield "wrong_plugin", run + h.command(8) + h.command(3) + h.command(1, data=bytes(4096))
    yield "dies", busy + h.daemon(WORKER_DIED, died()) + h.stop_worker()
    yield "dies_odd", busy + h.daemon(WORKER_DIED, died(reason="a\nb" * 100))
    yield "dies_cut", busy + h.daemon(WORKER_DIED, died()[:9])
    yield "dies_other", busy + h.daemon(WORKER_DIED, died(6))
    yield "dies_attaching", attaching + h.daemon(WORKER_DIED, died())
    yield "dies_leaving", run + h.stop_worker() + h.worker(DETACHED) + h.daemon(WORKER_DIED, died())
    yield "dies_detaching", run + h.stop_worker() + h.daemon(WORKER_DIED, died()) + h.worker(DETACHED)
    yield "parts", busy + h.daemon(CONNECTION_ENDED, ended()) + h.worker_goes() + h.daemon(WORKER_STOPPED, flags=3)
    yield "parts_late", busy + h.worker_goes() + h.daemon(CONNECTION_ENDED, ended("a\nb" * 100))
    yield "parts_other", busy + h.daemon(CONNECTION_ENDED, ended(connection=99)) + h.worker_goes()
    yield "parts_cut", busy + h.daemon(CONNECTION_ENDED, ended()[:17])
    yield "goes", busy + h.worker_goes() + h.start_worker()
    yield "goes_attaching", attaching + h.worker_goes()
    yield "goes_detaching", run + h.stop_worker() + h.worker_goes() + h.daemon(WORKER_STOPPED, flags=3)
    yield "refused", asked + h.daemon(WORKER_REFUSED, failed(), 2)
    yield "refused_well", asked + h.daemon(WORKER_REFUSED, failed(0), 2)
    yield "refused_cut", asked + h.daemon(WORKER_REFUSED, failed()[:3], 2)
    yield "refused_other", asked + h.daemon(WORKER_REFUSED, failed(), 9)
    yield "worker_refuses", attaching + h.worker(REFUSED, refused(reason="a\nb" * 100))
    yield "worker_refuses_cut", attaching + h.worker(REFUSED, refused()[:9])
    yield "worker_refuses_late", run + h.worker(REFUSED, refused())
    yield "attached_twice", run + h.worker(ATTACHED)
    yield "attached_long", attaching + h.worker(ATTACHED, b"1")
    yield "detached_early", busy + h.worker(DETACHED)
    yield "detached_long", run + h.stop_worker() + h.worker(DETACHED, b"1")
    yield "worker_talks", run + h.worker(GROUP)
    yield "no_addr", asked + h.daemon(WORKER_STARTED, started(addr=b""), 2)
    yield "long_addr", asked + h.daemon(WORKER_STARTED, started(addr=bytes(33)), 2)
    yield "kind", asked + h.daemon(WORKER_STARTED, started(addr=b"\x09" * 8), 2)
    yield "short_addr", asked + h.daemon(WORKER_STARTED, started(addr=b"\x02"), 2)
    yield "started_cut", asked + h.daemon(WORKER_STARTED, started()[:9], 2)
    yield "started_other", asked + h.daemon(WORKER_STARTED, started(), 9) + h.read()
    yield "started_twice", run + h.daemon(WORKER_STARTED, started(), 2) + h.read()
    yield "started_none", asked + h.daemon(WORKER_STARTED, started(connection=0), 2) + h.worker(ATTACHED)
    yield "started_zero", asked + h.daemon(WORKER_STARTED, started(), 0)
    yield "stopped_cut", run + h.daemon(WORKER_STOPPED, b"1", 2)
    yield "stopped_early", asked + h.daemon(WORKER_STOPPED, b"", 2)
    yield "cut", busy + h.hang_up() + h.command() + h.group() + h.start_worker(1) + h.stop_worker()
    yield "cut_asked", asked + h.hang_up()
    yield "cut_nonsense", busy + h.raw(bytes(range(60)))
    yield "cut_foreign", busy + h.daemon(HELLO)
    yield "again", up + h.stop() + h.new_daemon() + up + h.group() + h.stop()
    yield "in_use", run + h.stop()
    yield "late_asked", asked + h.elapse(11)
    yield "late_attaching", attaching + h.elapse(11)
    yield "late_detaching", run + h.stop_worker() + h.elapse(3) + h.elapse(8)
    yield "late_leaving", run + h.stop_worker() + h.worker(DETACHED) + h.elapse(8)
    yield "stop_asked", asked + h.stop_worker() + h.daemon(WORKER_STARTED, started(), 2)
    yield "stop_attaching", attaching + h.stop_worker()
    yield "stop_busy", busy + h.stop_worker() + h.worker(NOTIFY, notify(first)) + h.worker(DETACHED)
    yield "stop_refused", run + h.stop_worker() + h.worker(DETACHED) + h.daemon(WORKER_REFUSED, failed(), 3)
    yield "broken", run + h.break_channel(1) + h.command() + h.stop_worker()
    yield "lost", run + h.break_channel(2) + h.command() + h.stop_worker()
    yield "group", up + h.group() + h.daemon(GROUP, group_of(1, 2, 3), 2)
    yield "group_none", up + h.group() + h.daemon(GROUP, group_of(), 2)
    yield "group_other", up + h.group() + h.daemon(GROUP, group_of(1), 3)
    yield "group_cut", up + h.group() + h.daemon(GROUP, group_of(1)[:9], 2)
    yield "group_refused", up + h.group() + h.daemon(WORKER_REFUSED, failed(), 2)
    yield "group_stop", up + h.group() + h.group() + h.stop()
    yield "withdrawn", up + at_once(h.start_worker()) + h.stop_worker() + h.start_worker(1)
    yield "cut_letters", up + at_once(h.hang_up()) + at_once(h.start_worker()) + at_once(
        h.start_worker(1)) + h.stop_worker()
    yield "stop_letters", run + at_once(h.stop_worker()) + h.worker(DETACHED)
    yield "env", up + h.start_worker(2) + h.stop_worker(2)
    yield "three", run + h.start_worker(1) + h.start_worker(2) + h.daemon(
        WORKER_STARTED, started(6, 2), 3) + h.worker(ATTACHED, who=1) + h.command(who=1) + h.worker_goes(1)


# --- fuzz_chan_stream ---


def stream_seeds():
    """The first byte chooses limits, the second portions; see fuzz_chan_stream.c."""
    asks = frame(GROUP_GET, struct.pack("<I", 4)) * 12
    yield "full", bytes([6 + 4, 0x15]) + asks
    yield "gone", bytes([12 + 4, 0x15]) + asks
    yield "gone_at_once", bytes([12 + 4, 0]) + asks
    yield "full_and_gone", bytes([18 + 4, 0x15]) + frame(NOTIFY, notify(1, payload=bytes(4000))) * 3
    yield "slow_out", bytes([4, 0xc3]) + asks * 3
    yield "bytewise", bytes([4, 2]) + frame(NOTIFY, notify(1, payload=bytes(60)))
    yield "empty_pieces", bytes([4, 0]) + stream_empty_pieces()


def wire_seeds():
    yield "empty_pieces", bytes([0x80]) + stream_empty_pieces()
    yield "empty_message", bytes([0x80]) + frame(SHUTDOWN) + frame(SHUTDOWN, more=1) + frame(SHUTDOWN)


def stream_empty_pieces():
    return (frame(NOTIFY, b"", more=1) + frame(NOTIFY, notify(1)[:9], more=1) +
            frame(NOTIFY, b"", more=1) + frame(NOTIFY, notify(1)[9:]) + frame(SHUTDOWN))


# --- fuzz_rdma_stream ---


# What is done to a piece of fuzz_rdma_stream.c; the first two are for all.
RIGHT, IN_PLACE, SMALL, PULLED, SUM = 1, 2, 4, 8, 16


def request(op, flags=0, size=0, place=0, pieces=0):
    return struct.pack("<BBHIIIQQII", op, flags, pieces, 0, size, 0, 0, place, 0, 0)


def pulled(op, *pieces, what=RIGHT | IN_PLACE | PULLED | SUM):
    """A request whose pieces are at those offsets, of those lengths in units of 700 bytes."""
    listed = b"".join(struct.pack("<HB", *piece) for piece in pieces)
    return bytes([what]) + request(op, 2 * (op == 1), pieces=len(pieces) - 1) + listed


def rdma_stream_seeds():
    for op in (1, 2):
        for offset, size in ((255, 32), (255, 33)):  # up to the end of the memory, and over it
            yield "end_%d_%d" % (op, size), (bytes([RIGHT | IN_PLACE | SMALL]) +
                                             request(op, 2, size, offset))
    yield "sends", (bytes([RIGHT | SMALL]) + request(0, 1, 40)) * 6
    big = RIGHT | IN_PLACE
    yield "read_big", bytes([big]) + request(2, 2, 300000) + bytes([big]) + request(2, 2, 9)
    yield "pulled", pulled(1, (0, 1), (9, 0), (5000, 2)) + pulled(1, (7, 1))
    yield "pulled_big", pulled(1, (0, 255), (1, 200)) + pulled(1, (3, 1))
    small = RIGHT | IN_PLACE | SMALL | PULLED | SUM
    yield "pulled_slice", pulled(1, (0, 255), (1, 200)) * 4
    yield "pulled_small", pulled(1, (0, 4), (9, 3), what=small) * 3
    yield "pulled_send", pulled(0, (0, 4), (9, 3), what=small) * 3
    yield "pulled_send_imm", bytes([small]) + request(0, 1, pieces=0) + b"\0\0\7"
    yield "pulled_send_long", pulled(0, (0, 4))
    yield "pulled_unmapped", pulled(1, (0xffff, 255), (1, 200), (0xffff, 255))
    yield "pulled_nowhere", bytes([RIGHT | IN_PLACE | PULLED]) + request(1, 2, 9) + b"\0\0\0"
    yield "pulled_read", pulled(2, (0, 4))
    for size in (699, 700, 701):
        yield "pulled_sum_%d" % size, (bytes([RIGHT | IN_PLACE | PULLED]) +
                                       request(1, 2, size) + b"\0\0\1")
    yield "pulled_cut", pulled(1, (0, 1), what=RIGHT | IN_PLACE | PULLED | SUM | 32)
    yield "pulled_too_long", (bytes([RIGHT | IN_PLACE | PULLED]) + request(1, 2, 700, pieces=1) +
                              b"\0\0\1" + b"\0\0\xfe")
    for op, flags, size in ((0, 0, 0), (0, 0, 100), (0, 0, 5000), (1, 2, 100), (1, 2, 5000),
                            (1, 2, 500000), (2, 2, 300000)):
        yield "gone_%d_%d" % (op, size), (bytes([RIGHT | IN_PLACE | SMALL]) + request(0, 0, 0) +
                                          bytes([RIGHT | IN_PLACE | 32]) + request(op, flags, size))
    for more in range(2):  # an odd input waits, an even one does not
        yield "waits_%d" % more, (bytes([RIGHT | SMALL]) + request(0, 1, 9)) * 7 + bytes(more)
    yield "gone_waiting", (bytes([RIGHT | SMALL]) + request(0)) * 4 + bytes([RIGHT | 32]) + request(0)
    for place in (255, 0):
        yield "into_part_%d" % place, bytes([RIGHT | IN_PLACE]) + request(1, 2, 5000, place) + bytes(4000)


# What is done to a response of fuzz_rdma_requester.c, after RIGHT.
WHOLE, HALF, DATA, APART = 2, 4, 8, 16
SEND, SEND_IMM, READ, WRITE, WRITE_IMM = range(5)


def tasks(*kinds, pull=False, welcome=None, more=0):
    """Each a kind, and which size: 0, 8, 1, 100, 5000, 9000 or 300000 bytes."""
    given = welcome or b""
    return (bytes([pull + 2 * (welcome is not None) + more]) + given + bytes([len(kinds) - 1]) +
            bytes(kind + 5 * size for kind, size in kinds))


def respond(answer, task, what=RIGHT, status=0, size=0):
    return bytes([what]) + struct.pack("<BBHIII", answer, status, 0, task + 1, size, 0)


def rdma_requester_seeds():
    ack, nak, whole = 0, 2, RIGHT | WHOLE | DATA
    two, three = tasks((SEND, 1), (WRITE, 3)), tasks((SEND, 3), (READ, 1), (WRITE_IMM, 2))
    yield "acks", two + respond(ack, 0) + respond(ack, 1)
    yield "acks_once", two + respond(ack, 1)
    yield "ack_twice", two + respond(ack, 0) + respond(ack, 0) + respond(ack, 1)
    yield "ack_before", two + respond(ack, -1) + respond(ack, 1)
    yield "ack_behind", two + respond(ack, 2)
    yield "ack_of_read", three + respond(ack, 2)
    yield "read", three + respond(1, 1, whole) + respond(ack, 2)
    yield "read_apart", three + respond(1, 1, whole | APART) + respond(ack, 2, RIGHT | APART)
    for size in (3, 4, 5):
        reads = tasks((READ, size), (SEND_IMM, 0), (READ, size))
        yield "halves_%d" % size, (reads + respond(1, 0, RIGHT | HALF | DATA) +
                                   respond(1, 0, RIGHT | HALF | DATA | APART) + respond(ack, 1) +
                                   respond(1, 2, whole))
        yield "too_much_%d" % size, (reads + respond(1, 0, whole) + respond(1, 0, whole))
    for size in (100, 101):
        yield "data_%d" % size, tasks((READ, 3)) + respond(1, 0, RIGHT | DATA, size=size)
    yield "data_of_send", two + respond(1, 0, RIGHT, size=8)
    yield "data_for_none", tasks((READ, 0)) + respond(1, 0, RIGHT, size=8)
    yield "read_of_none", tasks((READ, 0)) + respond(ack, 0)
    yield "cut_data", tasks((READ, 3)) + respond(1, 0, RIGHT, size=50) + bytes(7)
    for status in range(4):
        yield "nak_%d" % status, three + respond(nak, 0, status=status)
    yield "nak_behind", three + respond(nak, 1)
    yield "nak_in_read", three + respond(1, 1, RIGHT | HALF | DATA) + respond(nak, 1)
    for pull in (False, True):
        big = tasks((SEND, 1), (WRITE, 6), (SEND, 0), pull=pull)
        yield "big_%d" % pull, big + respond(ack, 2)
        yield "big_first_%d" % pull, big + respond(ack, 0)
        yield "big_nak_%d" % pull, big + respond(nak, 1)
        yield "big_read_%d" % pull, (tasks((SEND, 6), (READ, 1), pull=pull) +
                                     respond(1, 1, whole))
    for answer in range(4):
        for status, size in ((0, 0), (0, 9), (1, 0), (1, 9)):
            yield "answer_%d_%d_%d" % (answer, status, size), (
                tasks((READ, 3)) + b"\0" + struct.pack("<BBHIII", answer, status, 0, 0, size, 0))
    for says, pulls in ((0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (1, 2)):
        welcome = struct.pack("<IHBB", 0x4C57444F, 1, says, pulls)
        yield "welcome_%d_%d" % (says, pulls), (tasks((SEND, 6), (READ, 1), welcome=welcome) +
                                                respond(ack, 0) + respond(1, 1, whole))
    cut, late, silent = 4, 8, 16
    for more in (cut, late, cut | late, silent, cut | silent):
        yield "begins_%d" % more, (tasks((SEND, 1), (READ, 1), (WRITE, 3), more=more) +
                                   respond(ack, 0) + respond(1, 1, whole) + respond(ack, 2))
    yield "welcome_version", (tasks((SEND, 1), welcome=struct.pack("<IHBB", 0x4C57444F, 2, 1, 0)) +
                              respond(ack, 0))


def rdma_hello_seeds():
    say, part, raw, hang_up, connect, disconnect, elapse, offend = range(8)

    def do(what, client=0, target=0, number=0, more=b""):
        return bytes([what, client | target << 4, number]) + more

    yield "welcome", do(connect) + do(say)
    yield "waits", do(say) + do(connect) + do(hang_up)
    yield "two_wait", do(say) + do(say, 1) + do(connect)
    yield "second", do(connect) + do(say) + do(say, 1)
    yield "gone_waiting", do(say) + do(hang_up) + do(say, 1) + do(connect)
    yield "unread_waiting", do(say) + do(hang_up) + do(elapse) + do(connect) + do(say, 1)
    yield "ended_waiting", do(say) + do(disconnect) + do(say, 1)
    yield "parts", do(connect) + do(part, 0, 0, 40) + do(part, 0, 0, 9) + do(say)
    yield "silent", do(part, 0, 0, 40) + do(part, 1) + do(say, 2) + do(elapse) + do(connect)
    yield "raw", do(raw, 0, 0, 96, b"GET / HTTP/1.1\r\n\r\n" * 6) + do(raw, 1, 0, 4, b"abcd")
    yield "offends", do(connect) + do(say) + do(offend) + do(say, 1) + do(disconnect)
    yield "initiators", do(say, 0, 3) + do(say, 1, 3) + do(offend, 0) + do(say, 2, 3) + do(disconnect, 0, 3)
    yield "three", b"".join(do(say, i, i) + do(connect, 0, i) for i in range(3))
    for name, at, bits in (("magic", 0, 1), ("version", 4, 3), ("transport", 6, 1), ("rnr", 7, 7),
                           ("rnr_high", 7, 8), ("from", 8, 1), ("to", 12, 1), ("from_instance", 31, 1),
                           ("to_instance", 47, 1), ("from_secret", 63, 1), ("to_secret", 79, 1),
                           ("nowhere", 80, 1), ("zero", 95, 1)):
        wrong = do(say, 0, 0, 1, bytes([at, bits]))
        yield "wrong_" + name, do(connect) + wrong + do(say, 1)
        yield "initiator_wrong_" + name, do(say, 0, 3, 1, bytes([at, bits])) + do(say, 1, 3)
        yield "waits_wrong_" + name, wrong + do(connect) + do(say, 1)


# --- fuzz_auth ---


def auth_seeds():
    digits = b"0123456789abcdefABCDEF" + b"7" * 42 + b"\n"
    for what, name in ((0, "cookie"), (1, "cookie_file")):
        for i, text in enumerate([digits, digits[:-1], digits[:-1] + b"x", digits + b"\n", b"",
                                  digits[:9] + b"g" + digits[10:], digits[:64] + b"\0"]):
            yield "%s_%d" % (name, i), step(what, data=text)
    for mode in (0o40, 0o20, 0o4, 0o2):
        yield "cookie_mode_%o" % mode, step(1, kind=mode, data=digits)
    for prover in (0, 1):
        yield "proof_%d" % prover, step(3, prover, data=bytes(32)) + step(4, prover)
        yield "proof_changed_%d" % prover, (step(2, data=b"\1\2\3") + step(4, prover, data=b"\0\1") +
                                            step(4, prover, 1) + step(3, prover, data=bytes(31)))
        yield "statement_%d" % prover, (step(5, prover, data=bytes(96)) + step(5, prover) +
                                        step(5, prover, data=bytes(97)))
    yield "verdict", step(6) + step(6, 1) + step(6, 0, 26) + step(6, data=b"\1")
    yield "verdict_raw", step(7) + step(7, data=bytes(600) + b"\x60") + step(7, data=b"\xff" * 800)
    for name in ("none", "cookie", "munge", "cook", ""):
        yield "method_" + name, step(8, kind=len(name), data=name.encode())


# --- fuzz_probe_answer, fuzz_daemon_lists ---


def probe_seeds():
    good = step(0, data=b"plugin 7 0x3030000\n")
    yield "good", good
    yield "portions", step(0, data=b"plugin 7") + step(0, data=b" 0x3030000\n") + step(1, data=b"hm\n")
    yield "more", good + step(0, data=b"more")
    yield "much", step(0, data=b"plugin 7 0x3030000\n" * 5) + good
    yield "nul", step(0, data=b"plugin 7 0x303\0000\n")
    yield "big", step(0, data=b"plugin 99999999999999999999999 0x1\n")
    yield "word", step(0, data=b"plugin x 0x1\n")
    yield "api", step(0, data=b"plugin 1 0xg\n")
    yield "no_api", step(0, data=b"plugin 1 1\n")
    yield "status", step(1, data=b"first\nlast\n") + step(2, 0, 3)
    yield "verdict", step(1, data=b"noise\nit is none\n") + step(2, 0, 1)
    yield "silent", step(2, 0, 1)
    yield "signal", step(1, data=b"a\x1b[2J") + step(1, data=b"b\n") + step(2, 0, 11, 1)
    yield "long", step(1, data=b"x" * 300) + step(2, 0, 11, 1)
    yield "long_status", step(1, data=b"x" * 300 + b"\n" + b"y" * 255 + b"\n") + step(2, 0, 4)


def list_seeds():
    for i, text in enumerate(["0-7,16", "0", "1023", "1024", "3-1", "0-63:2", "0-9:0", "1-2:1025", "",
                              ",", "1,", "1;2", "99999999999999999999", "5-", "0-1023:1024", "-1",
                              "1-2000", "5-1024"]):
        yield "cpus_%d" % i, b"\0" + text.encode()
    yield "cpus_set", b"\0" + cpuset(0)
    for name, entries in {"good": ["A=1", "C=", "B=x=y"], "twice": ["Z=1", "Z=2", "Z="],
                          "none": ["A"], "no_name": ["=1"], "nothing": [], "empty": [""],
                          "own": ["NOTIFY_SOCKET=mine", "ABC=1", "AB=2"]}.items():
        yield "env_" + name, b"\1" + b"".join(blob(entry) for entry in entries)
    yield "dir_none", b"\2"
    yield "dir_names", b"\2" + b"".join(step(what, data=name) for what, name in [
        (0, b"worker_a.so"), (0, b"worker_b.so.1"), (0, b"x.la"), (0, b"none.txt"), (1, b"dir.so"),
        (2, b"link.so"), (3, b"dead.so"), (0, b"n" * 60 + b".so")])
    yield "dir_odd", b"\2" + step(0, data=b"a\nb.so") + step(0, data=b"a\x7f.so") + step(0) + b".;/;//;nowhere"
    yield "dir_twice", b"\2" + step(0, data=b"worker_a.so") + step(0) + b"./;.///"
    yield "dir_long", b"\2" + step(0) + b"/" + b"x" * 300
    a, end = step(0, 0, 1, data=b"a;/p/a.so"), step(0, 0, 3)
    yield "notes_good", b"\3" + step(64) + a + step(0, 2) + step(30, 0, 2, data=b";it is\nleft out") + end
    yield "notes_twice", b"\3" + a + a + step(0, 0, 1, data=b"b;/p/a.so") + end + end
    yield "notes_raw", b"\3" + step(127, data=bytes(300)) + step(1, data=b"x" * 300)
    yield "notes_cut", b"\3" + step(0) + a[:-2]
    yield "notes_more", b"\3" + step(0, 0, 2, 0x50, b";abc") + step(0, 1)
    for i, bad in enumerate([step(0, 0, 4), step(0, 200), step(0, 3) + step(0, 2), step(0, 0, 2, 2),
                             step(0, 0, 1, data=b";/a"), step(0, 0, 1, data=b"a\n;/a"),
                             step(0, 0, 1, data=b"a;a"), step(0, 0, 1, 1, b"a;/a"),
                             step(0, 0, 1, data=b"x" * 60 + b";/a"), step(1, data=b"\2" + bytes(300)),
                             step(0, 0, 2, data=b";a\0b")]):
        yield "notes_bad_%d" % i, b"\3" + bad + a


SEEDS = {
    "fuzz_auth": auth_seeds,
    "fuzz_chan_stream": stream_seeds,
    "fuzz_wire": wire_seeds,
    "fuzz_daemon": daemon_seeds,
    "fuzz_daemon_lists": list_seeds,
    "fuzz_host": host_seeds,
    "fuzz_probe_answer": probe_seeds,
    "fuzz_rdma_hello": rdma_hello_seeds,
    "fuzz_rdma_requester": rdma_requester_seeds,
    "fuzz_rdma_stream": rdma_stream_seeds,
    "fuzz_worker": worker_seeds,
}


def main():
    for name in sys.argv[1:] or SEEDS:
        folder = CORPUS / name
        folder.mkdir(parents=True, exist_ok=True)
        for seed, data in SEEDS[name]():
            (folder / ("seed_" + seed)).write_bytes(data)


if __name__ == "__main__":
    main()
