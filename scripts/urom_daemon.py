"""A UROM daemon on the loopback interface, for the checks of what documents say."""
# SPDX-License-Identifier: BSD-3-Clause
import os
import secrets
import signal
import socket
import subprocess

READY_SECONDS = 30


class Fault(Exception):
    """What a document promises and does not hold."""


def find_free_port():
    """For DOCA_UROM_PORT: commands in documents use the daemon's own."""
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def make_cookie(folder):
    """The secret that the daemon and its hosts share; gives the path of its file."""
    path = folder / 'cookie'
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(fd, 'w', encoding='ascii') as file:
        file.write(secrets.token_hex(32) + '\n')
    return str(path)


class Daemon:
    """
    Commands the last of which is a daemon, in a process group of their own, from when it is ready
    to the end of the block. folder: its path must be short, for that of a socket there. env: gets
    the daemon's cookie, unless it names one, so that hosts with this environment are let in.
    """

    def __init__(self, commands, folder, env):
        # What guides say to users holds for them as it stands; of root the daemon wants to know more.
        self.commands = commands.rstrip('\n')
        if os.geteuid() == 0:
            self.commands += ' --worker-user root'
        self.folder = folder
        self.env = env
        self.env.setdefault('DOCA_UROM_COOKIE', make_cookie(folder))
        self.process = None

    def __enter__(self):
        told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        with told:
            told.bind(str(self.folder / 'notify'))
            told.settimeout(READY_SECONDS)
            with open(self.folder / 'daemon.out', 'wb') as output:
                # With a trap the shell waits for the daemon also when both get the signal.
                self.process = subprocess.Popen(
                    ['bash', '-euc', 'trap : TERM\n' + self.commands], cwd=self.folder,
                    stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
                    env={**self.env, 'NOTIFY_SOCKET': str(self.folder / 'notify')})
            try:
                while b'READY=1' not in told.recv(4096):
                    pass
            except TimeoutError:
                self.end()
                raise Fault('the daemon is not ready\n' + self.output()) from None
        return self

    def output(self):
        return (self.folder / 'daemon.out').read_text(errors='replace')

    def end(self):
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            return self.process.wait(READY_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            return None

    def __exit__(self, kind, value, traceback):
        status = self.end()
        if kind is None and status != 0:
            raise Fault(f'the daemon has ended with {status}\n{self.output()}')
