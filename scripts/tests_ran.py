#!/usr/bin/env python3
"""Compares the tests and gates that ran with tests/expected.txt.

tests_ran.py BUILD...      check the tests of these builds (gcc clang asan tsan vm users)
tests_ran.py --summary     check all builds and gates; the last line is "N passed, N failed"
tests_ran.py --update      rewrite tests/expected.txt from what ran last

A line of expected.txt is SUITE/PROGRAM:TEST or gate:NAME. Tests of the suite "vm" run in the
virtual machine only, those of "users" where there are several users, all others in every other
build. A test that was skipped has failed.
"""
# SPDX-License-Identifier: BSD-3-Clause
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXPECTED = ROOT / 'tests/expected.txt'
GATES = ROOT / 'build/gates.txt'
BUILDS = ['gcc', 'clang', 'asan', 'tsan', 'vm', 'users']
# Their tests are those of no other build, and each program leaves a file build/NAME/PROGRAM.tap.
APART = ['vm', 'users']
# "ok 1 - name", "not ok 2 - name", and for a skipped test "ok 3 # SKIP name".
TAP_LINE = re.compile(r'^(ok|not ok)\s+\d+\s+(-|#\s*SKIP)\s+(\S+)$', re.IGNORECASE)


def read_tap(program, text):
    """The tests of one program: {SUITE/PROGRAM:TEST: None, or why it failed}."""
    found = {}
    name = None
    for line in text.splitlines():
        match = TAP_LINE.match(line.strip())
        if match:
            name = f'{program}:{match[3]}'
            if match[2] != '-':
                found[name] = '    skipped\n'
            elif match[1] != 'ok':
                found[name] = ''
            else:
                found.setdefault(name, None)
        elif line.startswith('#') and found.get(name) is not None:
            found[name] += f'    {line}\n'
    return found


def read_build(build):
    """What ran in one build; a program that ended badly brings a failure of its own."""
    ran = {}
    if build in APART:
        for tap in sorted((ROOT / 'build' / build).glob('*.tap')):
            ran.update(read_tap(f'{build}/{tap.stem}', tap.read_text(errors='replace')))
        return ran
    log = ROOT / 'build' / build / 'meson-logs/testlog.json'
    if not log.exists():
        return ran
    for line in log.read_text().splitlines():
        entry = json.loads(line)
        path = pathlib.Path(entry['command'][-1])
        program = f'{path.parent.name}/{path.name}'
        tests = read_tap(program, entry.get('stdout', ''))
        if entry['result'] != 'OK' and not any(why is not None for why in tests.values()):
            tests[f'{program}:(the program itself)'] = f'    {entry["result"].lower()}\n'
        ran.update(tests)
    return ran


def read_gates():
    if not GATES.exists():
        return {}
    rows = [line.split() for line in GATES.read_text().splitlines()]
    return {f'gate:{name}': None if verdict == 'ok' else '' for verdict, name, *_ in rows}


def read_expected():
    if not EXPECTED.exists():
        return []
    lines = EXPECTED.read_text().splitlines()
    return [line for line in lines if line and not line.startswith('#')]


def belongs_to(name, build):
    if name.startswith('gate:'):
        return build == 'gates'
    suite = name.partition('/')[0]
    return build == suite if suite in APART else build not in [*APART, 'gates']


def compare(build, ran):
    """Prints what is wrong; returns the numbers of what passed and what did not."""
    expected = {name for name in read_expected() if belongs_to(name, build)}
    failed = [name for name, why in ran.items() if why is not None]
    missing = expected - ran.keys()
    unknown = {name for name in ran.keys() - expected if ran[name] is None}
    for name in sorted(failed):
        print(f'{build}: failed: {name}\n{ran[name]}', end='')
    for name in sorted(missing):
        print(f'{build}: did not run: {name}')
    for name in sorted(unknown):
        print(f'{build}: not listed: {name}; add it to tests/expected.txt (make expected)')
    bad = len(failed) + len(missing) + len(unknown)
    return len(ran) - len(failed) - len(unknown), bad


def update():
    names = set(read_build('gcc'))
    if not names:
        sys.exit('tests_ran.py: build/gcc has no results; run make test first')
    for build in APART:
        ran = set(read_build(build))
        names |= ran or {name for name in read_expected() if name.startswith(f'{build}/')}
    names = {name for name in names if not name.endswith(')')}
    gates = subprocess.run([ROOT / 'scripts/check.sh', '--list'], check=True, text=True,
                           stdout=subprocess.PIPE).stdout.split()
    names |= {f'gate:{name}' for name in gates}
    EXPECTED.write_text(''.join(f'{name}\n' for name in sorted(names)))
    print(f'{EXPECTED.relative_to(ROOT)}: {len(names)} lines')


def main():
    arguments = sys.argv[1:]
    if arguments == ['--update']:
        return update()
    summary = arguments == ['--summary']
    builds = BUILDS if summary else arguments
    if not builds or not set(builds) <= set(BUILDS):
        sys.exit(__doc__)
    passed = failed = 0
    results = [(build, read_build(build)) for build in builds]
    if summary:
        results.append(('gates', read_gates()))
    for build, ran in results:
        good, bad = compare(build, ran)
        passed, failed = passed + good, failed + bad
    what = '' if summary else ', '.join(builds) + ': '
    print(f'{what}{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
