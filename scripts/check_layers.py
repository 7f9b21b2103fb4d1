#!/usr/bin/env python3
"""Fails when a file includes a header of a layer that it may not use.

check_layers.py [ROOT]      ROOT is the tree to look at, this one by default
"""
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import re
import sys

# Module below src/: the modules whose private headers it may include, besides its own.
MODULES = {
    'core': [],
    'argp': ['core'],
    'dma': ['core'],
    'rdma': ['core'],
    'rdma/providers': ['core', 'rdma'],
    'urom/wire': [],
    'urom/auth': ['core', 'urom/wire'],
    'urom/chan': ['core', 'urom/wire'],
    'urom/host': ['core', 'urom/wire', 'urom/auth', 'urom/chan'],
    'urom/daemon': ['core', 'urom/wire', 'urom/auth', 'urom/chan'],
    'urom/daemon/base': ['core', 'urom/wire'],
    'urom/daemon/process': ['core', 'urom/wire', 'urom/daemon/base'],
    'urom/daemon/plugins': ['core', 'urom/wire', 'urom/daemon/base', 'urom/daemon/process'],
    'urom/daemon/config': ['core', 'urom/wire', 'urom/auth', 'urom/chan', 'urom/daemon/base',
                           'urom/daemon/process', 'urom/daemon/sessions'],
    'urom/daemon/sessions': ['core', 'urom/wire', 'urom/auth', 'urom/chan', 'urom/daemon'],
    'urom/daemon/workers': ['core', 'urom/wire', 'urom/chan', 'urom/daemon'],
    'urom/worker': ['core', 'urom/wire', 'urom/chan'],
}

# A header of a fabric library: the places that may include it. All else may not.
FABRIC = {
    re.compile(r'(infiniband|rdma)/(?!fabric\.h|fi_)'): [
        'src/core/dev_ibv.c', 'src/rdma/', 'include/doca_rdma', 'samples/doca_rdma/'],
    re.compile(r'(ucp|ucs|uct|ucm)/'): [
        'src/urom/', 'include/doca_urom', 'plugins/', 'samples/doca_urom/', 'bench/'],
}

# Libfabric, which benchmarks compare with, has its headers in a folder called as ours.
LIBFABRIC = re.compile(r'rdma/(fabric|fi_\w+)\.h$')

# Programs that see what any application sees: public headers and those beside them.
PUBLIC_ONLY = ['samples', 'bench', 'tools']

# The plugins' half that runs in a worker.
PLUGIN_HEADERS = {'doca_urom_plugin.h', 'doca_log.h', 'doca_error.h'}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')


def starts_with_module(path, module):
    return path.startswith(module + '/')


def module_of(path):
    inside = [name for name in MODULES if starts_with_module(path, f'src/{name}')]
    return max(inside, key=len, default=None)


def check_module(path, header):
    """A private header of the project, named from src/ as in "core/ctx.h"."""
    own = module_of(path)
    layer = module_of(f'src/{header}')
    if own is None or layer is None:
        return None
    allowed = any(layer == name or starts_with_module(layer, name)
                  for name in [own, *MODULES[own]])
    return None if allowed else f'{own} may not include headers of {layer}'


def check_fabric(path, header):
    for pattern, places in FABRIC.items():
        if pattern.match(header) and not path.startswith(tuple(places)):
            return 'fabric headers belong to ' + ', '.join(places)
    return None


def check_public_only(path, header):
    if LIBFABRIC.match(header):
        return None if path.startswith('bench/') else 'libfabric is for benchmarks'
    if path.split('/')[0] in PUBLIC_ONLY and module_of(f'src/{header}'):
        return 'only public headers are allowed here'
    return None


def check_plugin(path, header):
    is_dpu_side = path.startswith('plugins/') and '/dpu/' in path
    if is_dpu_side and header.startswith('doca_') and header not in PLUGIN_HEADERS:
        return 'a plugin sees ' + ', '.join(sorted(PLUGIN_HEADERS)) + ' alone'
    return None


def check_wire(path, header):
    if path.startswith('src/urom/wire/') and header.startswith('doca_'):
        return 'the wire protocol knows libc alone, and never logs'
    return None


def check_public_header(path, header):
    if path.startswith('include/') and module_of(f'src/{header}'):
        return 'a public header may not include a private one'
    return None


def check_upwards(path, header):
    if '..' in header.split('/') and not path.startswith('samples/'):
        return 'headers are named from src/, never by way of ..'
    return None


CHECKS = [check_module, check_fabric, check_public_only, check_plugin, check_wire,
          check_public_header, check_upwards]


def check_file(root, file):
    """Prints what is wrong with one file; returns how much."""
    path = file.relative_to(root).as_posix()
    wrong = 0
    for number, line in enumerate(file.read_text(encoding='utf-8').splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        for complaint in filter(None, (check(path, match[2]) for check in CHECKS)):
            print(f'{path}:{number}: {match[2]}: {complaint}')
            wrong += 1
    return wrong


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    root = root.resolve()
    files = [file for place in ['include', 'src', 'plugins', *PUBLIC_ONLY]
             for file in sorted((root / place).rglob('*.[ch]'))]
    wrong = sum(check_file(root, file) for file in files)
    print(f'{len(files)} files, {wrong} includes across a layer')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
