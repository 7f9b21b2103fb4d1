#!/usr/bin/env python3
"""Fails when the tables of docs/wire.md differ from those of src/urom/wire/wire_messages.c.

check_wire_doc.py             compare
check_wire_doc.py --update    rewrite what stands between the two markers

The tables are printed by tests/unit/wire_doc of build/gcc, or of the directory in WIRE_DOC_BUILD.
"""
# SPDX-License-Identifier: BSD-3-Clause
import difflib
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs/wire.md'
BUILD = ROOT / os.environ.get('WIRE_DOC_BUILD', 'build/gcc')
BEGIN = '<!-- made by scripts/check_wire_doc.py --update; not to be edited -->\n'
END = '<!-- end of what was made -->\n'


def make_tables():
    program = BUILD / 'tests/unit/wire_doc'
    if not program.exists():
        sys.exit(f'check_wire_doc.py: {program} is not there; scripts/build.sh gcc makes it')
    return subprocess.run([program], check=True, text=True, stdout=subprocess.PIPE).stdout + '\n'


def main():
    if sys.argv[1:] not in ([], ['--update']):
        sys.exit(__doc__)
    page = PAGE.read_text()
    if page.count(BEGIN) != 1 or page.count(END) != 1 or page.index(BEGIN) > page.index(END):
        sys.exit(f'check_wire_doc.py: {PAGE.name} lacks its two markers')
    before, rest = page.split(BEGIN)
    present, after = rest.split(END)
    tables = make_tables()
    if sys.argv[1:] == ['--update']:
        PAGE.write_text(before + BEGIN + tables + END + after)
        return 0
    differences = list(difflib.unified_diff(present.splitlines(), tables.splitlines(),
                                            'docs/wire.md', 'the table', lineterm=''))
    print('\n'.join(differences), end='\n' if differences else '')
    print('docs/wire.md: ' + ('to be mended with scripts/check_wire_doc.py --update'
                              if differences else 'its tables are right'))
    return 1 if differences else 0


if __name__ == '__main__':
    sys.exit(main())
