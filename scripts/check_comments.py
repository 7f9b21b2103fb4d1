#!/usr/bin/env python3
"""Fails when a public function lacks its contract.

check_comments.py [DIR]     DIR holds the headers, include/ of this tree by default

Directly above every function stands one comment that says "Thread:" and "Source:", and "Errors:" too
when the function returns doca_error_t. Its first line names the function.
"""
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import re
import sys

COMMENT = re.compile(r'/\*.*?\*/', re.DOTALL)
# Without macros and bodies a header is a row of declarations, each with the comment before it.
MACRO = re.compile(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.MULTILINE)
LINKAGE = re.compile(r'extern "C" \{|__attribute__\s*\(\([^;]*\)\)')
FUNCTION = re.compile(r'^(?:DOCA_\w+\s+|static\s+inline\s+)*(?P<result>[\w\s*]+?)\b(?P<name>\w+)\s*\('
                      r'(?!\s*\*)[^()]*(?:\([^()]*\)[^()]*)*\)$')


def keep_lines(match):
    """The same number of lines, without any text."""
    return '\n' * match[0].count('\n')


def split_declarations(text):
    """The file-scope declarations: [(comment directly above or '', declaration, its line)]."""
    comments = []

    def hide(match):
        comments.append(match[0])
        return f'@{len(comments) - 1}@' + keep_lines(match)

    text = COMMENT.sub(hide, text)
    text = LINKAGE.sub(keep_lines, MACRO.sub(keep_lines, text))
    declarations = []
    start = depth = 0
    for position, char in enumerate(text):
        # The brace that closes extern "C" has no partner left.
        depth = max(0, depth + {'{': 1, '}': -1}.get(char, 0))
        # Of a function with a body the head is what counts; what ends in ");" is one without.
        if (char == '{' and depth == 1) or (char == ';' and depth == 0):
            piece = text[start:position]
            code = re.sub(r'@\d+@', '', piece)
            found = re.search(r'@(\d+)@\s*$', piece[:len(piece) - len(code.lstrip())])
            line = text.count('\n', 0, position - len(code.lstrip())) + 1
            declarations.append((comments[int(found[1])] if found else '', code.strip(), line))
        if char in ';}' and depth == 0:
            start = position + 1
    return declarations


def find_functions(path):
    """The functions that a header declares, as (name, result, is inline, comment, line)."""
    for comment, code, line in split_declarations(path.read_text()):
        match = FUNCTION.match(re.sub(r'\s+', ' ', code))
        if match and not code.startswith('typedef'):
            yield (match['name'], match['result'].strip(), code.startswith('static'), comment, line)


def find_faults(result, name, comment):
    """What the comment of one function lacks."""
    if not comment:
        return ['no comment directly above it']
    faults = []
    if not re.match(r'/\*\s*(?:\*\s*)?' + name + r'\(\) - \S', comment):
        faults.append(f'comment does not begin with "{name}() - "')
    wanted = ['Thread:', 'Source:'] + (['Errors:'] if result == 'doca_error_t' else [])
    return faults + [f'comment lacks "{word}"' for word in wanted if word not in comment]


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / 'include'
    functions = bad = 0
    for path in sorted(folder.glob('*.h')):
        for name, result, _, comment, line in find_functions(path):
            functions += 1
            for fault in find_faults(result, name, comment):
                print(f'{path}:{line}: {name}: {fault}')
                bad += 1
    if functions == 0:
        print(f'check_comments.py: no function in {folder}', file=sys.stderr)
        return 1
    print(f'{functions} functions, {bad} faults')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
