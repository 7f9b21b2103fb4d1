#!/usr/bin/env python3
"""Fails when the man pages in docs/man and the headers disagree, or when a page is not in order.

check_man.py [--not-built PAGE,...] [LIBDIR...]
check_man.py --links

LIBDIR are the directories of the shared libraries that examples are linked with: those of
build/gcc by default, which is built first. Of the pages named by --not-built the libraries or the
program are not there yet: their examples are only parsed by the compiler, and the end says so.
--links prints each function with its page and section, for docs/man/meson.build.

Checked of a page with a synopsis of C: each function of include/*.h stands in that of exactly one,
with the header's prototype and on the right side of DOCA_ALLOW_EXPERIMENTAL_API; every other
declaration and macro there is one of the headers; the codes among its errors are those of the
header's comments; a program among its examples compiles, ends with 0 within 10 seconds, and writes
nothing to standard error. Programs of UROM find a daemon of build/gcc with the plugin that is the
example of doca_urom_plugin(7). Of one in section 1: its options are those of --help. Of all: whatever
is called doca_ or DOCA_ exists, pages referred to are there, and scdoc, man and mandoc (the latter
two where installed) have nothing to say.
"""
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from urom_daemon import Daemon, Fault

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ROOT / 'docs/man'
BUILD = ROOT / 'build/gcc'

SECTIONS = {
    '1': ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'OPTIONS', 'SEE ALSO'],
    '3': ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'RETURN VALUE', 'NOTES', 'EXAMPLE', 'SEE ALSO'],
    '7': ['NAME', 'DESCRIPTION', 'SEE ALSO'],
}
EXPERIMENTAL = 'DOCA_ALLOW_EXPERIMENTAL_API'
MAX_LINES = 600
MAX_LITERAL_COLUMNS = 69  # what is left of 80 by the indents of a literal block
RUN_SECONDS = 10

# Scdoc brings this about whatever is in the page.
MANDOC_IGNORED = 'WARNING: skipping paragraph macro'

COMMENT = re.compile(r'/\*.*?\*/', re.DOTALL)
DIRECTIVE = re.compile(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.MULTILINE)
ATTRIBUTE = re.compile(r'__attribute__\s*\(\(.*?\)\)\s*(?=;)', re.DOTALL)
FUNCTION = re.compile(r'(?:static inline )?[\w *]+?\b(\w+)\([^()]*\)$')
CONTRACT = re.compile(r'/\*\s*\* (\w+)\(\) - ((?:(?!\*/).)*)\*/', re.DOTALL)

# Where the programs of section 1 are built.
PROGRAM_PLACES = ['tools', 'src/urom/daemon', 'src/urom/worker']

faults = []


def squeeze(code):
    """A declaration in the one form in which two of them can be compared."""
    code = re.sub(r'\s+', ' ', code).strip()
    return re.sub(r',(?=\})', '', re.sub(r' ?([^\w ]) ?', r'\1', code))


def split_declarations(text):
    """What stands at file scope, without bodies of functions."""
    start = depth = 0
    is_function = False
    for at, char in enumerate(text):
        if char == '{':
            depth += 1
            if depth == 1 and text[start:at].rstrip().endswith(')'):
                is_function = True
                yield text[start:at].strip()
        elif char == '}':
            depth = max(0, depth - 1)  # the one of extern "C" has no partner left
            if depth == 0 and is_function:
                is_function = False
                start = at + 1
        elif char == ';' and depth == 0:
            yield text[start:at].strip()
            start = at + 1


class Function:
    """What a header says of a function."""

    def __init__(self, header, prototype, is_experimental):
        self.header = header
        self.prototype = prototype
        self.is_experimental = is_experimental
        self.errors = set()


class Headers:
    """Everything that include/*.h declares."""

    def __init__(self):
        self.functions = {}
        self.declarations = set()
        self.macros = set()  # NAME(parameters)
        self.words = set()
        self.numbers = {}  # of enumerators
        self.variables = read_variables()
        for path in sorted((ROOT / 'include').glob('*.h')):
            self.read(path)
        for path in sorted((ROOT / 'include').glob('*.h')):
            self.read_contracts(path.read_text())

    def read(self, path):
        text = path.read_text()
        self.words |= set(re.findall(r'\w+', text)) | {path.stem}
        code = COMMENT.sub('', text)
        self.macros |= {squeeze(m) for m in re.findall(r'#define (\w+\([^)]*\))', code)}
        self.numbers |= {name: int(n) for name, n in re.findall(r'(DOCA_\w+) = (\d+),', code)}
        code = DIRECTIVE.sub('', code).replace('extern "C" {', '')
        for declaration in split_declarations(ATTRIBUTE.sub('', code)):
            marks = re.match(r'((?:DOCA_(?:STABLE|EXPERIMENTAL|DEPRECATED)\s+)*)', declaration)[1]
            prototype = squeeze(declaration[len(marks):])
            self.declarations.add(prototype)
            name = FUNCTION.match(prototype)
            if name and not prototype.startswith('typedef'):
                self.functions[name[1]] = Function(path.name, prototype, 'EXPERIMENTAL' in marks)

    def read_contracts(self, text):
        """The codes that a comment lists behind "Errors:"."""
        for name, comment in CONTRACT.findall(text):
            errors = re.search(r'Errors:(.*?)(?:Thread:|$)', comment, re.DOTALL)
            if errors and name in self.functions:
                words = {'DOCA_ERROR_' + word for word in re.findall(r'\b[A-Z_]+\b', errors[1])}
                self.functions[name].errors = words & set(self.numbers)


def read_variables():
    """The names that the sources look up in the environment."""
    texts = (path.read_text() for path in (ROOT / 'src').rglob('*.c'))
    return {name for text in texts for name in re.findall(r'"(DOCA_[A-Z_]+)"', text)}


class Page:
    """A page, taken apart."""

    def __init__(self, path):
        self.path = path
        self.name, self.number = path.name[:-len('.scd')].rsplit('.', 1)
        self.text = path.read_text()
        self.sections = {}
        for part in re.split(r'^# ', self.text, flags=re.MULTILINE)[1:]:
            title, _, body = part.partition('\n')
            self.sections[title] = body
        self.synopsis = self.sections.get('SYNOPSIS', '')
        # The example may need more than the page's own library.
        modules = re.findall(r'--cflags --libs ([\w -]+)\)', self.text)
        self.libraries = modules[-1].replace('-', '_').split() if modules else []

    def fault(self, what):
        faults.append(f'{self.path.relative_to(ROOT)}: {what}')

    def blocks(self, title):
        """The literal blocks of a section; a backslash stands before what scdoc would read."""
        found = re.findall(r'^```\n(.*?)^```$', self.sections.get(title, ''), re.M | re.S)
        return [re.sub(r'\\(.)', r'\1', block) for block in found]

    def prototypes(self):
        """The declarations of the synopsis, as (text, is experimental)."""
        sides = ['', '']
        is_experimental = is_code = False
        for line in self.synopsis.splitlines():
            is_experimental |= EXPERIMENTAL in line
            is_code ^= line == '```'
            sides[is_experimental] += line.strip('`') + '\n' if is_code else ''
        for side, code in enumerate(sides):
            for declaration in split_declarations(DIRECTIVE.sub('', COMMENT.sub('', code))):
                yield squeeze(declaration), side == 1

    def program(self):
        """The example that is a whole program."""
        whole = [block for block in self.blocks('EXAMPLE') if 'int main(' in block]
        return whole[0] if whole else None


def check_form(page):
    if not page.text.startswith(f'{page.name}({page.number}) "OpenUROM" "'):
        page.fault('does not begin with its name and "OpenUROM"')
    wanted = [title for title in page.sections if title in SECTIONS[page.number]]
    if wanted != SECTIONS[page.number]:
        page.fault('sections are not ' + ', '.join(SECTIONS[page.number]) + ' in this order')
    if f"'{page.name}.{page.number}'," not in (PAGES / 'meson.build').read_text():
        page.fault('is not in docs/man/meson.build')
    lines = page.text.splitlines()
    if len(lines) > MAX_LINES:
        page.fault(f'{len(lines)} lines, of which {MAX_LINES} are allowed')
    for title in page.sections:
        for line in '\n'.join(page.blocks(title)).splitlines():
            if len(line) > MAX_LITERAL_COLUMNS or '\t' in line:
                page.fault(f'literal line is too wide or has a tab: {line.strip()}')


def check_words(page, headers, pages):
    known = headers.words | headers.variables | {other.name for other in pages}
    for word in sorted(set(re.findall(r'\b(?:doca|DOCA)_\w+', page.text)) - known):
        page.fault(f'{word} is in no header')
    callable_names = {macro.split('(')[0] for macro in headers.macros} | set(headers.functions)
    for name in sorted(set(re.findall(r'\b(doca_\w+|DOCA_\w+)\*?\(\)', page.text))):
        if name not in callable_names:
            page.fault(f'{name}() is no function')
    there = {(other.name, other.number) for other in pages}
    for name, number in sorted(set(re.findall(r'\b(doca_\w+)\*\((\d)\)', page.text))):
        if (name, number) not in there:
            page.fault(f'refers to {name}({number}), which is not there')
    for number, name in re.findall(r'^ *(\d+) +(DOCA_\w+) ', page.text, re.MULTILINE):
        if headers.numbers.get(name) != int(number):
            page.fault(f'{name} is not {number}')


def check_declaration(page, code, is_experimental, headers):
    """One declaration of a synopsis; returns the function's name if it is one."""
    if code in headers.macros:
        return None
    match = FUNCTION.match(code)
    name = match[1] if match and not code.startswith('typedef') else None
    function = headers.functions.get(name)
    if function is None:
        if code not in headers.declarations:
            page.fault(f'is in no header: {code}')
        return None
    if code != function.prototype:
        page.fault(f'differs from the header: {code}\n    {function.prototype}')
    if is_experimental != function.is_experimental:
        page.fault(f'{name} stands on the wrong side of {EXPERIMENTAL}')
    return name


def check_errors(page, names, headers):
    wanted = set().union(*(headers.functions[name].errors for name in names))
    listed = re.findall(r'^\*(DOCA_ERROR_\w+)\*$', page.sections.get('ERRORS', ''), re.MULTILINE)
    for code in sorted(wanted - set(listed)):
        page.fault(f'ERRORS lacks {code}')
    for code in sorted(set(listed) - wanted):
        page.fault(f'ERRORS has {code}, which no comment of its functions names')
    for code in sorted({code for code in listed if listed.count(code) > 1}):
        page.fault(f'ERRORS has {code} more than once')


def check_functions(pages, headers):
    homes = {}
    for page in pages:
        if page.number == '1':
            continue
        names = [name for code, is_experimental in page.prototypes()
                 if (name := check_declaration(page, code, is_experimental, headers))]
        for name in names:
            homes.setdefault(name, []).append(page)
            header = headers.functions[name].header
            if f'#include <{header}>' not in page.synopsis:
                page.fault(f'{name} needs {header}, which the synopsis does not include')
        check_errors(page, names, headers)
    for name, function in headers.functions.items():
        count = len(homes.get(name, []))
        if count != 1:
            faults.append(f'include/{function.header}: {name} is in the synopsis of {count} pages')
    return homes


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, errors='replace', check=False,
                          **options)


def check_rendering(page, work):
    made = work / f'{page.name}.{page.number}'
    with open(page.path, 'rb') as source:
        result = run([str(ROOT / 'scripts/build_man.sh')], stdin=source)
    if result.returncode or result.stderr:
        page.fault(f'scdoc: {result.stderr.strip()}')
        return
    made.write_text(result.stdout)
    if shutil.which('man'):
        result = run(['man', '--warnings', '-E', 'UTF-8', '-l', '-Tutf8', '-Z', str(made)],
                     env={**os.environ, 'LC_ALL': 'C.UTF-8', 'MANWIDTH': '80'})
        for line in result.stderr.splitlines():
            page.fault(f'man: {line}')
    if shutil.which('mandoc'):
        result = run(['mandoc', '-Tlint', '-W', 'warning', str(made)])
        for line in (result.stdout + result.stderr).splitlines():
            if MANDOC_IGNORED not in line:
                page.fault(f'mandoc: {line}')


def build_plugin(pages, folder):
    """Makes FOLDER/echo.so of the example of doca_urom_plugin(7)."""
    for page in pages:
        for source in page.blocks('EXAMPLE') if page.name == 'doca_urom_plugin' else []:
            (folder / 'echo.c').write_text(source)
            result = run(['gcc', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC',
                          f'-I{ROOT / "include"}', '-o', str(folder / 'echo.so'),
                          str(folder / 'echo.c')])
            if result.returncode:
                page.fault(f'the example does not compile\n{result.stderr}')


@contextlib.contextmanager
def run_service(pages, folder, libdirs):
    """A daemon with that plugin; gives what programs need in their environment to find it."""
    folder.mkdir()
    build_plugin(pages, folder)
    env = {**os.environ, 'LD_LIBRARY_PATH': ':'.join(map(str, libdirs)),
           'UROM_PLUGIN_PATH': str(folder)}
    command = f'{BUILD}/src/urom/daemon/doca_urom_daemon --listen 127.0.0.1:0' \
              f' --port-file {folder}/port --log-dir {folder}'
    with Daemon(command, folder, env):
        line = run([f'{BUILD}/tools/doca_caps', '--device', 'soft_lo', '--service-line'], env=env)
        words = line.stdout.split()
        words[2] = (folder / 'port').read_text().strip()
        (folder / 'service').write_text(' '.join(words) + '\n')
        yield {'DOCA_UROM_SERVICE_FILE': str(folder / 'service'),
               'DOCA_UROM_COOKIE': env['DOCA_UROM_COOKIE']}


def check_program(page, work, libdirs, service, is_built):
    source = page.program()
    if source is None:
        page.fault('has no example that is a whole program')
        return
    path = work / f'{page.name}.c'
    path.write_text(source)
    command = ['gcc', '-Wall', '-Wextra', '-Werror', f'-I{ROOT / "include"}', str(path)]
    if is_built:
        command += ['-o', str(path.with_suffix(''))]
        command += [f'-L{d}' for d in libdirs] + [f'-Wl,-rpath-link,{d}' for d in libdirs]
        command += [f'-l{library}' for library in page.libraries]
    else:
        command += ['-fsyntax-only']
    result = run(command)
    if result.returncode:
        page.fault(f'the example does not compile\n{result.stderr}')
    elif is_built:
        run_program(page, path.with_suffix(''), libdirs, service)


def run_program(page, program, libdirs, service):
    # What the caller's environment says of devices and services must not matter.
    clean = {name: value for name, value in os.environ.items() if not name.startswith('DOCA_')}
    clean['LD_LIBRARY_PATH'] = ':'.join(map(str, libdirs))
    clean.update(service)
    try:
        result = run([str(program)], env=clean, cwd=program.parent, timeout=RUN_SECONDS,
                     stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        page.fault(f'the example has not ended after {RUN_SECONDS} s')
        return
    if result.returncode or result.stderr:
        page.fault(f'the example ended with {result.returncode}\n{result.stderr}')


def check_options(page, libdirs):
    programs = [path for place in PROGRAM_PLACES if (path := BUILD / place / page.name).exists()]
    if not programs:
        page.fault(f'{page.name} is not below {BUILD.relative_to(ROOT)}')
        return
    result = run([str(programs[0]), '--help'],
                 env={**os.environ, 'LD_LIBRARY_PATH': ':'.join(map(str, libdirs))})
    option = re.compile(r'(?<![\w-])--?[a-z][a-z-]*')
    listed = set(option.findall(page.sections.get('OPTIONS', '').replace('*', '')))
    for name in sorted(listed ^ set(option.findall(result.stdout))):
        page.fault(f'{name} is not both in OPTIONS and in what --help prints')


def check_pages(pages, headers, work, libdirs, not_built):
    with run_service(pages, work / 'urom', libdirs) as service:
        for page in pages:
            check_form(page)
            check_words(page, headers, pages)
            check_rendering(page, work)
            if page.number == '3':
                check_program(page, work, libdirs, service, page.name not in not_built)
            elif page.number == '1' and page.name not in not_built:
                check_options(page, libdirs)


def find_libdirs():
    """Brings build/gcc up to date and names the places of its libraries."""
    result = run([str(ROOT / 'scripts/build.sh'), 'gcc'])
    if result.returncode:
        sys.exit(f'check_man.py: build/gcc cannot be built\n{result.stdout}{result.stderr}')
    return sorted({path.parent for path in BUILD.glob('src/**/libdoca_*.so')})


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--not-built', default='', metavar='PAGE,...')
    parser.add_argument('--links', action='store_true')
    parser.add_argument('libdirs', nargs='*', metavar='LIBDIR', type=pathlib.Path)
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    headers = Headers()
    pages = [Page(path) for path in sorted(PAGES.glob('*.scd'))]
    homes = check_functions(pages, headers)
    if arguments.links:
        for name, where in homes.items():
            print(name, where[0].name, where[0].number)
        return 0
    if not shutil.which('scdoc'):
        sys.exit('check_man.py: scdoc is not installed; scripts/setup.sh check installs it')

    not_built = set(filter(None, arguments.not_built.split(',')))
    libdirs = [path.resolve() for path in arguments.libdirs] or find_libdirs()
    with tempfile.TemporaryDirectory() as work:
        try:
            check_pages(pages, headers, pathlib.Path(work), libdirs, not_built)
        except Fault as fault:
            faults.append(str(fault))
    for fault in faults:
        print(fault)
    for name in sorted(not_built):
        print(f'not run, as what it needs is not built: {name}')
    for tool in ('man', 'mandoc'):
        if not shutil.which(tool):
            print(f'not asked, as it is not installed: {tool}')
    print(f'{len(pages)} pages, {len(headers.functions)} functions, {len(faults)} faults')
    return 1 if faults or not pages else 0


if __name__ == '__main__':
    sys.exit(main())
