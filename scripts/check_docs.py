#!/usr/bin/env python3
"""Fails when docs/architecture.md and the sources disagree.

Every file of src/ must have its row in a table of rooms, every row its file, and every function
that a step names with its file (`core/task.c`: `task_submit()`) must be defined there. Links
between the documents must lead somewhere.
"""
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs/architecture.md'

faults = []


def check_rooms(text):
    """Rows of a table belong to the `src/FOLDER/` that was named last before it."""
    folder, listed = None, set()
    for line in text.splitlines():
        heading = re.match(r'`(src/[\w/]+)/`', line)
        if heading:
            folder = heading[1]
        row = re.match(r'\| `(\w+\.c)` \|', line)
        if row and folder:
            listed.add(f'{folder}/{row[1]}')
    present = {p.relative_to(ROOT).as_posix() for p in (ROOT / 'src').rglob('*.c')}
    faults.extend(f'{name}: has no row in the table of rooms' for name in sorted(present - listed))
    faults.extend(f'{name}: has a row, but is not there' for name in sorted(listed - present))


def check_steps(text):
    """A step names a file and then functions, each as `file.c`: `function()`."""
    flat = re.sub(r'\s+', ' ', text)
    steps = re.findall(r'`([\w/]+\.c)`: `(\w+)\(\)`', flat)
    if not steps:
        faults.append('no step names a function with its file')
    for name, function in steps:
        path = ROOT / 'src' / name
        if not path.is_file():
            faults.append(f'{name}: is named in a step, but is not there')
        elif not re.search(rf'^\w[^;=]*\b{function}\([^;]*\)\n\{{', path.read_text(), re.M):
            faults.append(f'{name}: does not define {function}()')


def check_links():
    for page in [ROOT / 'README.md', ROOT / 'CONTRIBUTING.md', *sorted((ROOT / 'docs').rglob('*.md'))]:
        for target in re.findall(r'\]\(([^)#:]+)\)', page.read_text()):
            if not (page.parent / target).exists():
                faults.append(f'{page.relative_to(ROOT)}: leads to {target}, which is not there')


check_rooms(PAGE.read_text())
check_steps(PAGE.read_text())
check_links()
for fault in faults:
    print(fault)
print(f'documents: {len(faults)} faults')
sys.exit(bool(faults))
