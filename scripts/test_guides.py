#!/usr/bin/env python3
"""Does what the guides in docs/ tell a newcomer to do, and compares what comes of it.

test_guides.py [GUIDE...]   all guides that have such blocks by default

Everything is looked up by PATH, PKG_CONFIG_PATH and LD_LIBRARY_PATH: scripts/test_install.sh sets
them for an installation of its own. The blocks of a guide that count are those whose fence says
what they are:

    c FILE      a file
    sh run      commands that must succeed
    text output what the last ones have printed
    sh daemon   the daemon, which runs in the background from then on
    c +FILE     what is added to a file; then all commands are given once more
"""
# SPDX-License-Identifier: BSD-3-Clause
import contextlib
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from urom_daemon import Daemon, Fault, find_free_port

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r'^```(c|sh|text) (\S+)\n(.*?)^```$', re.MULTILINE | re.DOTALL)
RUN_SECONDS = 60


def run(what, commands, folder, env):
    try:
        result = subprocess.run(['bash', '-euc', commands], cwd=folder, env=env, check=False,
                                stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                errors='replace', timeout=RUN_SECONDS)
    except subprocess.TimeoutExpired as hung:
        raise Fault(f'"{what}" has not ended after {RUN_SECONDS} s\n{hung.stderr}') from None
    if result.returncode != 0:
        raise Fault(f'"{what}" has ended with {result.returncode}\n{result.stdout}{result.stderr}')
    return result.stdout


def compare(promised, printed):
    if promised != printed:
        lines = difflib.unified_diff(promised.splitlines(), printed.splitlines(), 'promised',
                                     'printed', lineterm='')
        raise Fault('the output differs\n' + '\n'.join(lines))


def show_logs(folder):
    for log in sorted(folder.rglob('urom_*_dev.log')):
        print(f'--- {log.name}\n{log.read_text(errors="replace")}')


class Reader:
    """Somebody who does what a guide says, block after block."""

    def __init__(self, folder, env):
        self.folder = folder
        self.env = env
        self.printed = None
        self.background = contextlib.ExitStack()

    def follow(self, kind, name, text):
        if kind == 'c':
            mode = 'a' if name.startswith('+') else 'w'
            with open(self.folder / name.lstrip('+'), mode, encoding='utf-8') as file:
                file.write(text)
        elif kind == 'text':
            compare(text, self.printed)
        elif name == 'daemon':
            self.background.enter_context(Daemon(text, self.folder, self.env))
        else:
            self.printed = run(name, text, self.folder, self.env)

    def read(self, blocks):
        with self.background:
            for block in blocks:
                self.follow(*block)
                if block[1].startswith('+'):
                    self.again(blocks)

    def again(self, blocks):
        """With the files as they are now, and the daemon that is there."""
        for kind, name, text in blocks:
            if kind != 'c' and name != 'daemon':
                self.follow(kind, name, text)


def check_guide(path):
    blocks = BLOCK.findall(path.read_text())
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(('DOCA_', 'UROM_', 'UCX_'))}
    env['DOCA_UROM_PORT'] = str(find_free_port())
    # Short, as the path of a socket is.
    with tempfile.TemporaryDirectory(prefix='guide') as work:
        folder = pathlib.Path(work)
        try:
            Reader(folder, env).read(blocks)
        except Fault as fault:
            print(f'{path.relative_to(ROOT)}: {fault}')
            show_logs(folder)
            return 1
    print(f'{path.relative_to(ROOT)}: holds')
    return 0


def main():
    guides = [pathlib.Path(name).resolve() for name in sys.argv[1:]] or [
        path for path in sorted((ROOT / 'docs').glob('*.md'))
        if ('sh', 'run') in {(kind, name) for kind, name, _ in BLOCK.findall(path.read_text())}]
    if not guides:
        sys.exit('test_guides.py: no guide with anything to do')
    return 1 if sum(map(check_guide, guides)) else 0


if __name__ == '__main__':
    sys.exit(main())
