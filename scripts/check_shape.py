#!/usr/bin/env python3
"""Prints how long files and functions are, and fails when they are longer than the style allows.

check_shape.py [ROOT]       ROOT is the tree to look at, this one by default
"""
# SPDX-License-Identifier: BSD-3-Clause
import math
import pathlib
import re
import statistics
import sys

CODE_PLACES = ['include', 'src', 'plugins', 'samples', 'tools', 'bench', 'tests']
SCRIPT_PLACES = ['scripts', '.ci']

MAX_FILE = 600
MAX_FILE_MEDIAN = 250
LONG_FUNCTION = 60
MAX_LONG_SHARE = 0.01
MAX_FUNCTION_MEDIAN = 12
MAX_FUNCTION_NINE_IN_TEN = 40

STRING_OR_COMMENT = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
# The last line of what stands before a function's body: it ends in a parameter list.
HEAD_END = re.compile(r'\)\s*(?:__attribute__\s*\(\(.*\)\)\s*)?$', re.DOTALL)
# A continued macro is no function, whatever braces it has.
MACRO = re.compile(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.MULTILINE)
NAME = re.compile(r'(?<!\w)(?!__attribute__)(\w+)\s*\((?!\()')


def blank(match):
    """The same number of lines, without any text."""
    return '\n' * match[0].count('\n')


def find_functions(text):
    """The functions of a C file: [(name, first line, lines)], braces and head included."""
    text = MACRO.sub(blank, STRING_OR_COMMENT.sub(blank, text))
    functions = []
    depth = 0
    head_start = body_of = 0
    for position, char in enumerate(text):
        if char == '{':
            if depth == 0:
                head = text[head_start:position]
                body_of = head if HEAD_END.search(head) else None
            depth += 1
        elif char == '}':
            depth -= 1
            if depth == 0:
                if body_of is not None:
                    start = head_start + len(body_of) - len(body_of.lstrip())
                    first = text.count('\n', 0, start) + 1
                    last = text.count('\n', 0, position) + 1
                    name = NAME.search(body_of)
                    functions.append((name[1] if name else '?', first, last - first + 1))
                head_start = position + 1
        elif char == ';' and depth == 0:
            head_start = position + 1
    return functions


def nine_in_ten(values):
    return sorted(values)[math.ceil(len(values) * 0.9) - 1]


class Report:
    """Figures against their limits."""

    def __init__(self):
        self.failed = False

    def line(self, what, value, limit):
        good = value <= limit
        self.failed |= not good
        print(f'{"ok  " if good else "FAIL"} {what}: {value:g} (limit {limit:g})')


def read_files(root, places, patterns):
    files = {}
    for place in places:
        for pattern in patterns:
            for file in (root / place).rglob(pattern):
                if file.is_file():
                    files[file.relative_to(root).as_posix()] = file.read_text(encoding='utf-8')
    return files


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    root = root.resolve()
    code = read_files(root, CODE_PLACES, ['*.c', '*.h'])
    scripts = read_files(root, SCRIPT_PLACES, ['*.sh', '*.py', 'run'])
    functions = [(f'{path}:{first}: {name}', lines) for path, text in code.items()
                 for name, first, lines in find_functions(text)]
    if not code or not functions:
        sys.exit('check_shape.py: no C code found')
    code_lines = {path: text.count('\n') for path, text in code.items()}
    script_lines = {path: text.count('\n') for path, text in scripts.items()}
    lengths = [lines for _, lines in functions]
    # A public header has its name and its rows from the API: its length is not ours to choose.
    bounded = {path: lines for path, lines in (code_lines | script_lines).items()
               if not str(path).startswith('include/')}
    longest = sorted(functions, key=lambda row: -row[1])
    over = [row for row in longest if row[1] > LONG_FUNCTION]

    report = Report()
    print(f'{len(code)} C files of {sum(code_lines.values())} lines, {len(functions)} functions, '
          f'{len(scripts)} scripts')
    report.line('median C file', statistics.median(code_lines.values()), MAX_FILE_MEDIAN)
    report.line('longest file', max(bounded.values()), MAX_FILE)
    report.line('median function', statistics.median(lengths), MAX_FUNCTION_MEDIAN)
    report.line('nine functions in ten', nine_in_ten(lengths), MAX_FUNCTION_NINE_IN_TEN)
    report.line(f'percent of functions over {LONG_FUNCTION} lines',
                round(100 * len(over) / len(functions), 2), 100 * MAX_LONG_SHARE)
    for path, lines in sorted(bounded.items()):
        if lines > MAX_FILE:
            print(f'too long: {path}: {lines} lines')
    for name, lines in over or longest[:3]:
        print(f'{"over" if over else "longest"}: {name}: {lines} lines')
    return 1 if report.failed else 0


if __name__ == '__main__':
    sys.exit(main())
