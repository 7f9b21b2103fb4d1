#!/usr/bin/env python3
"""Fails when a pointer argument of a public function has no row in the tests of NULL arguments.

check_null_table.py

A row is one of the macros of tests/unit/null_arguments.h: a function and the arguments for one
call, of which those that are NULL are what the row is about. Every pointer that a function of
include/*.h takes needs a row with NULL in its place, or an entry in MAY_BE_NULL that says why not.
"""
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import re
import sys

from check_comments import COMMENT, FUNCTION, MACRO, find_functions, split_declarations

ROOT = pathlib.Path(__file__).resolve().parent.parent
TESTS = sorted((ROOT / 'tests' / 'unit').glob('test_null_arguments*.c'))

# The log says nothing about itself, so its refusals have no line; they are in test_log*.c.
OTHER_HEADERS = {'doca_log.h'}

# (function, parameter): why NULL is allowed there.
MAY_BE_NULL = {
    ('doca_argp_init', 'program_name'): 'argv[0] is used then',
    ('doca_argp_init', 'program_config'): 'a value that is only handed on',
    ('doca_buf_inc_refcount', 'refcount'): 'the count is not wanted',
    ('doca_buf_dec_refcount', 'refcount'): 'the count is not wanted',
    ('doca_mmap_create_from_export', 'user_data'): 'there is no value to keep',
    ('doca_mmap_set_free_cb', 'opaque'): 'a value that is only handed on',
    ('doca_mmap_set_dmabuf_memrange', 'addr'): 'not looked at: NOT_SUPPORTED always',
    ('doca_dma_task_memcpy_alloc_init', 'src'): 'may be set later; submit looks at it',
    ('doca_dma_task_memcpy_alloc_init', 'dst'): 'may be set later; submit looks at it',
    ('doca_dma_task_memcpy_set_src', 'src'): 'submit looks at it',
    ('doca_dma_task_memcpy_set_dst', 'dst'): 'submit looks at it',
    ('doca_rdma_task_receive_allocate_init', 'dst_buf'): 'may be set later; submit looks at it',
    ('doca_rdma_task_receive_set_dst_buf', 'dst_buf'): 'submit looks at it',
    ('doca_rdma_task_send_allocate_init', 'src_buf'): 'may be set later; submit looks at it',
    ('doca_rdma_task_send_set_src_buf', 'src_buf'): 'submit looks at it',
    ('doca_rdma_task_send_allocate_init', 'rdma_connection'):
        'may be set later; submit looks at it',
    ('doca_rdma_task_send_set_rdma_connection', 'rdma_connection'): 'submit looks at it',
    ('doca_rdma_task_send_imm_allocate_init', 'src_buf'): 'may be set later; submit looks at it',
    ('doca_rdma_task_send_imm_set_src_buf', 'src_buf'): 'submit looks at it',
    ('doca_rdma_task_send_imm_allocate_init', 'rdma_connection'):
        'may be set later; submit looks at it',
    ('doca_rdma_task_send_imm_set_rdma_connection', 'rdma_connection'): 'submit looks at it',
    ('doca_rdma_task_read_allocate_init', 'src_buf'): 'may be set later; submit looks at it',
    ('doca_rdma_task_read_set_src_buf', 'src_buf'): 'submit looks at it',
    ('doca_rdma_task_read_allocate_init', 'dst_buf'): 'may be set later; submit looks at it',
    ('doca_rdma_task_read_set_dst_buf', 'dst_buf'): 'submit looks at it',
    ('doca_rdma_task_read_allocate_init', 'rdma_connection'):
        'may be set later; submit looks at it',
    ('doca_rdma_task_read_set_rdma_connection', 'rdma_connection'): 'submit looks at it',
    ('doca_rdma_task_write_allocate_init', 'src_buf'): 'may be set later; submit looks at it',
    ('doca_rdma_task_write_set_src_buf', 'src_buf'): 'submit looks at it',
    ('doca_rdma_task_write_allocate_init', 'dst_buf'): 'may be set later; submit looks at it',
    ('doca_rdma_task_write_set_dst_buf', 'dst_buf'): 'submit looks at it',
    ('doca_rdma_task_write_allocate_init', 'rdma_connection'):
        'may be set later; submit looks at it',
    ('doca_rdma_task_write_set_rdma_connection', 'rdma_connection'): 'submit looks at it',
    ('doca_rdma_task_write_imm_allocate_init', 'src_buf'): 'may be set later; submit looks at it',
    ('doca_rdma_task_write_imm_set_src_buf', 'src_buf'): 'submit looks at it',
    ('doca_rdma_task_write_imm_allocate_init', 'dst_buf'): 'may be set later; submit looks at it',
    ('doca_rdma_task_write_imm_set_dst_buf', 'dst_buf'): 'submit looks at it',
    ('doca_rdma_task_write_imm_allocate_init', 'rdma_connection'):
        'may be set later; submit looks at it',
    ('doca_rdma_task_write_imm_set_rdma_connection', 'rdma_connection'): 'submit looks at it',
    ('doca_sync_event_task_get_alloc_init', 'ret_val_ptr'): 'may be set later; submit looks at it',
    ('doca_sync_event_task_get_set_ret_val_ptr', 'ret_val_ptr'): 'submit looks at it',
    ('doca_sync_event_task_notify_add_alloc_init', 'fetched_val_ptr'): 'the value is not wanted',
    ('doca_sync_event_task_notify_add_set_fetched_val_ptr', 'fetched_val_ptr'):
        'the value is not wanted',
    ('doca_sync_event_update_add', 'fetched'): 'the value is not wanted',
}

POINTER_TYPEDEF = re.compile(r'typedef\b[^;]*?\(\s*\*\s*(\w+)\s*\)\s*\(')
ROW = re.compile(r'\b(?:REFUSES|REFUSES_AS|REFUSES_SILENTLY|RETURNS_ZERO|DOES_NOTHING)\(')


def split_arguments(text):
    """The parts of a list between commas, those within parentheses left whole."""
    parts, depth = [''], 0
    for char in text:
        depth += {'(': 1, ')': -1}.get(char, 0)
        if char == ',' and depth == 0:
            parts.append('')
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


def read_function_pointers(header):
    return set(POINTER_TYPEDEF.findall(COMMENT.sub('', header.read_text())))


def find_pointers(code, function_pointers):
    """The pointer parameters of a declaration, as (index, name)."""
    parameters = code[code.index('(') + 1:code.rindex(')')]
    for index, parameter in enumerate(split_arguments(parameters)):
        words = re.findall(r'\w+', parameter)
        if '*' in parameter or function_pointers.intersection(words):
            yield index, words[-1]


def read_wanted(header):
    """What the functions of a header need rows for: [(function, index, parameter)]."""
    names = {name for name, *_ in find_functions(header)}
    function_pointers = read_function_pointers(header)
    wanted = []
    for _, code, _ in split_declarations(header.read_text()):
        code = re.sub(r'\s+', ' ', code)
        match = FUNCTION.match(code)
        if match and match['name'] in names and not code.startswith('typedef'):
            wanted += [(match['name'], index, parameter)
                       for index, parameter in find_pointers(code[match.start('name'):],
                                                             function_pointers)]
    return wanted


def read_rows(test):
    """The places that rows of a test file give NULL for: {(function, index)}."""
    text = MACRO.sub('', COMMENT.sub('', test.read_text()))
    rows = set()
    for match in ROW.finditer(text):
        end, depth = match.end(), 1
        while depth > 0:
            depth += {'(': 1, ')': -1}.get(text[end], 0)
            end += 1
        parts = split_arguments(text[match.end():end - 1])
        if match[0].startswith('REFUSES_AS'):
            del parts[0]
        rows.update((parts[0], index) for index, part in enumerate(parts[1:]) if part == 'NULL')
    return rows


def main():
    headers = [path for path in sorted((ROOT / 'include').glob('*.h'))
               if path.name not in OTHER_HEADERS]
    wanted = [row for header in headers for row in read_wanted(header)]
    rows = set().union(*map(read_rows, TESTS))
    bad = 0
    for function, index, parameter in wanted:
        allowed = (function, parameter) in MAY_BE_NULL
        if ((function, index) in rows) == allowed:
            bad += 1
            print(f'{function}: {parameter}: ' +
                  ('a row, though it may be NULL' if allowed else 'no row with NULL for it'))
    for function, parameter in MAY_BE_NULL:
        if not any((function, parameter) == (name, other) for name, _, other in wanted):
            bad += 1
            print(f'{function}: {parameter}: in MAY_BE_NULL, but there is no such pointer')
    if not wanted or not rows:
        sys.exit('check_null_table.py: no functions, or no rows')
    print(f'{len(wanted)} pointers of {len({name for name, *_ in wanted})} functions, '
          f'{len(MAY_BE_NULL)} may be NULL, {bad} faults')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
