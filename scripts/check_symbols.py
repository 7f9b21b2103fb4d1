#!/usr/bin/env python3
"""Fails when a library exports anything but the functions that its public headers declare.

check_symbols.py [LIBDIR]   LIBDIR holds lib*.so, at any depth; build/gcc/src by default

Names that begin with doca_ are public: each must be declared, each declaration exported, and all
under public version nodes. Other names are for the other libraries of this project and must carry a
version node that begins with DOCA_PRIVATE_.
"""
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import subprocess
import sys

from check_comments import find_functions

ROOT = pathlib.Path(__file__).resolve().parent.parent

HEADERS = {  # library: the headers, without doca_ and .h, whose functions it holds
    'libdoca_common': 'version error log dev mmap buf buf_inventory buf_pool ctx pe sync_event',
    'libdoca_argp': 'argp',
    'libdoca_dma': 'dma',
    'libdoca_rdma': 'rdma',
    'libdoca_urom': 'urom',
    'libdoca_urom_components_comm_ucp_am': '',  # for our own libraries and programs alone
}


def read_declared(names):
    """The functions that the headers declare for a library to hold: {name: header}."""
    declared = {}
    for name in names.split():
        header = ROOT / 'include' / f'doca_{name}.h'
        declared.update((function, header.name)
                        for function, _, is_inline, _, _ in find_functions(header)
                        if not is_inline)
    return declared


def read_exported(library):
    """The dynamic symbols that a library defines: {name: version node or ''}."""
    listing = subprocess.run(['nm', '-D', '--defined-only', '--with-symbol-versions', library],
                             check=False, capture_output=True, text=True)
    if listing.returncode != 0:
        sys.exit(f'check_symbols.py: {listing.stderr.strip()}')
    exported = {}
    for line in listing.stdout.splitlines():
        _, kind, symbol = line.split()
        name, _, node = symbol.partition('@')
        if kind != 'A':  # the version nodes themselves
            exported[name] = node.lstrip('@')
    return exported


def find_faults(declared, exported):
    for name, header in declared.items():
        if name not in exported:
            yield f'{name}: declared in {header}, not exported'
    for name, node in exported.items():
        is_private_node = node.startswith('DOCA_PRIVATE_')
        if not node:
            yield f'{name}: exported without a version'
        elif not name.startswith('doca_'):
            if not is_private_node:
                yield f'{name}: not public, but under {node}'
        elif is_private_node:
            yield f'{name}: public, but under {node}'
        elif name not in declared:
            yield f'{name}: exported, not declared in its headers'


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / 'build' / 'gcc' / 'src'
    libraries = {path.stem: path for path in sorted(folder.rglob('lib*.so'))}
    bad = 0
    for name in sorted({*HEADERS, *libraries}):
        if name not in libraries:
            faults = [f'not found in {folder}']
        elif name not in HEADERS:
            faults = ['no row in the table of check_symbols.py']
        else:
            declared = read_declared(HEADERS[name])
            faults = sorted(find_faults(declared, read_exported(libraries[name])))
            print(f'{name}: {len(declared)} functions declared, {len(faults)} faults')
        for fault in faults:
            print(f'{name}: {fault}')
        bad += len(faults)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
