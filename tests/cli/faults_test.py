#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""System calls that fail while something is kept: of each command and each kind of call one after the
other, until a run has none of them left to fail. What is kept is complete, or absent and said to be;
the journal is whole; the next run works. In `./check` a few of them."""
import json
import os
import shlex
import subprocess
import unittest

from fake_tools import FakeToolsTest
from store_crash_test import can_trace
from support import BINARY, DONE, PARTIAL, SANITIZED, STORAGE, THOROUGH, TIMEOUT_S

FAKE = os.environ["PROOFLINE_FAKE_BENCHMARK"]
SHORT_WRITES = os.environ["PROOFLINE_SHORT_WRITES"]
TOOL = 5
SAID = b"result " * 20
# A verdict on two programs that are the same, from too few starts.
VERDICTS = {DONE, 1, 10, 11}
# What changes a file; the errors that each may have.
CALLS = {"write": ("ENOSPC", "EIO"), "pwrite64": ("ENOSPC", "EIO"), "fsync": ("EIO",),
         "fdatasync": ("EIO",), "ftruncate": ("EIO",), "renameat2": ("EIO", "ENOSPC"),
         "fchmod": ("EIO",)}


@unittest.skipIf(SANITIZED, "a sanitizer makes system calls of its own, and minds their faults")
class Faults(FakeToolsTest):
    def setUp(self):
        super().setUp()
        self.journal = self.folder / "journal.sqlite"
        self.ncu(*self.recorded("ncu", "normal"))
        self.sanitizer({})
        common = ["--runs", str(self.runs)]
        measured = ["--time-by", "wall", "--warm-up", "0", "--starts", "2"]
        program = f"/bin/echo {SAID.decode()}"
        # Each with what it says where all went well.
        self.commands = {
            "bench": (["bench", *common, *measured, "--a", program], {DONE}),
            "try": (["try", "x", *common, *measured, "--journal", str(self.journal), "--a", program,
                     "--", *shlex.split(program)], VERDICTS),
            "profile": (["profile", "--no-listing", *common, "--", "/bin/true"], {DONE}),
            "sanitize": (["sanitize", "--only", "memcheck", "--no-alone", *common, "--", "/bin/true"],
                         {DONE}),
            "journal": (["journal", "note", "x", "--journal", str(self.journal)], {DONE})}

    def traced(self, command, call, fault):
        """With a fault at a call of our own process; its children have none. And whether there was
        one."""
        log = self.folder / "trace"
        done = subprocess.run(
            ["strace", "-o", log, "-e", f"trace={call}", "-e", f"inject={call}:{fault}", BINARY,
             *command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=TIMEOUT_S, check=False)
        return done, b"INJECTED" in log.read_bytes()

    def kept(self):
        """The folders, each with all that it says it has."""
        folders = sorted(self.runs.iterdir()) if self.runs.exists() else []
        for folder in folders:
            self.assertFalse(folder.name.startswith("."), folders)
            described = json.loads((folder / "run.json").read_text())
            if described["outcome"] == "measured":
                json.loads((folder / "benchmark.json").read_text())
        return folders

    def expect_whole_journal(self):
        if self.journal.exists() and self.journal.stat().st_size > 0:
            done = subprocess.run([BINARY, "journal", "verify", "--journal", self.journal],
                                  capture_output=True, timeout=TIMEOUT_S, check=False)
            self.assertEqual(done.returncode, DONE, done.stdout + done.stderr)

    def sweep(self, name, call, error, numbers):
        command, good = self.commands[name]
        for number in numbers:
            with self.subTest(command=name, call=call, error=error, number=number):
                before = self.kept()
                done, injected = self.traced(command, call, f"error={error}:when={number}")
                self.assertIn(done.returncode, {*good, PARTIAL, TOOL, STORAGE}, done.stderr)
                new = [folder for folder in self.kept() if folder not in before]
                self.expect_whole_journal()
                if done.returncode in (TOOL, STORAGE):
                    self.assertIn(b"proofline: ", done.stderr)
                elif name != "journal":
                    self.assertEqual(len(new), 1, done.stderr)
                if name == "bench" and done.returncode == DONE:
                    for label in "a-1", "a-2":
                        self.assertEqual((new[0] / f"{label}.stdout").read_bytes().strip(),
                                         SAID.strip())
            if not injected:
                return number
        return None

    @unittest.skipUnless(can_trace(), "needs strace, and leave to use it")
    def test_each_call_that_writes(self):
        for name in self.commands:
            for call, errors in CALLS.items():
                # The first calls differ most; those of many writes come last.
                few = (1, 3) if call in ("write", "pwrite64") else (1,)
                for error in errors if THOROUGH else errors[:1]:
                    self.sweep(name, call, error, range(1, 200) if THOROUGH else few)

    @unittest.skipUnless(can_trace(), "needs strace, and leave to use it")
    def test_interrupted_writes_are_invisible(self):
        for name, (command, good) in self.commands.items():
            for call in "write", "pwrite64":
                for number in range(1, 40 if THOROUGH else 3):
                    done, injected = self.traced(command, call, f"error=EINTR:when={number}")
                    self.assertIn(done.returncode, good, (name, call, number, done.stderr))
                    if not injected:
                        break
        self.kept()
        self.expect_whole_journal()

    def test_short_writes_are_invisible(self):
        for name, (command, good) in self.commands.items():
            with self.subTest(name):
                before = self.kept()
                done = self.run_it(*command, env={**self.environment, "LD_PRELOAD": SHORT_WRITES})
                self.assertIn(done.returncode, good, done.stderr)
                new = [folder for folder in self.kept() if folder not in before]
                if name == "bench":
                    self.assertEqual((new[0] / "a-1.stdout").read_bytes().strip(), SAID.strip())
        self.expect_whole_journal()


if __name__ == "__main__":
    unittest.main()
