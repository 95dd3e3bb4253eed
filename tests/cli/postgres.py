# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of a test's own: its files and its socket lie in one folder, and nothing
listens on the network. Gone with the test, also when that is killed."""
import ctypes
import os
import pathlib
import pwd
import signal
import subprocess
import tempfile
import time
import urllib.parse

LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def find_programs():
    for folder in (*sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin")),
                   pathlib.Path("/usr/bin")):
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    return None


def missing():
    """Why there is none, "" where one can be started."""
    if find_programs() is None:
        return "there is no PostgreSQL server on this machine (Debian: postgresql)"
    try:
        ctypes.CDLL("libpq.so.5")
    except OSError:
        return "libpq is not installed (Debian: libpq5)"
    return ""


def die_with_the_test():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)  # its "immediate shutdown"


class Server:
    def __init__(self):
        self._temporary = tempfile.TemporaryDirectory()
        os.chmod(self._temporary.name, 0o755)
        self.folder = pathlib.Path(self._temporary.name) / "pg"
        self.folder.mkdir(mode=0o700)
        self._options = {"cwd": self.folder, "stdin": subprocess.DEVNULL,
                         "preexec_fn": die_with_the_test}
        if os.geteuid() == 0:  # it does not run as root
            nobody = pwd.getpwnam("nobody")
            os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
            self._options.update(user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[])
        with self._log() as log:
            subprocess.run([find_programs() / "initdb", "-D", "data", "-U", "tester", "-A", "trust",
                            "-E", "UTF8", "--locale=C", "--no-sync"],
                           check=True, stdout=log, stderr=log, **self._options)
        self.start()

    def start(self):
        with self._log() as log:
            # Not synced to the disk: only the machine's own crash would need that.
            self._process = subprocess.Popen(
                [find_programs() / "postgres", "-D", "data", "-k", self.folder, "-h", "",
                 "-c", "fsync=off", "-c", "shared_buffers=8MB"],
                stdout=log, stderr=log, **self._options)
        while not self._is_ready():
            if self._process.poll() is not None:
                raise RuntimeError((self.folder / "log").read_text(encoding="utf-8"))
            time.sleep(0.005)

    def _log(self):
        return open(self.folder / "log", "ab")

    def _is_ready(self):
        try:
            lines = (self.folder / "data" / "postmaster.pid").read_bytes().split(b"\n")
        except FileNotFoundError:
            return False
        return any(line.strip() == b"ready" for line in lines)

    def address(self):
        return f"postgresql://tester@{urllib.parse.quote(str(self.folder), safe='')}/postgres"

    def pid(self):
        return self._process.pid

    def crash(self):
        """It can be started again."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait()

    def stop(self):
        self.crash()
        self._temporary.cleanup()
