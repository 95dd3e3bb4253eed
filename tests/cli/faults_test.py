#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""System calls that fail while a run is kept: each call of each kind in turn, until a run has none
of them left to fail. What is kept is complete, or absent and said to be; the next run works."""
import json
import os
import subprocess
import unittest

from fake_tools import FakeToolsTest
from store_crash_test import can_trace
from support import BINARY, DONE, PARTIAL, SANITIZED, STORAGE, THOROUGH, TIMEOUT_S

SAID = b"result " * 20


@unittest.skipIf(SANITIZED, "a sanitizer makes system calls of its own, and minds their faults")
@unittest.skipUnless(can_trace(), "needs strace, and leave to use it")
class Faults(FakeToolsTest):
    def bench(self, call, fault):
        """With a fault at a call of our own process; its children have none."""
        trace = ["strace", "-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={call}:{fault}"]
        return subprocess.run(
            [*trace, BINARY, "bench", "--runs", self.runs, "--time-by", "wall", "--warm-up", "0",
             "--starts", "2", "--a", f"/bin/echo {SAID.decode()}"], cwd=self.folder,
            env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=TIMEOUT_S, check=False)

    def kept(self):
        """The folders, each with all that it says it has."""
        folders = sorted(self.runs.iterdir()) if self.runs.exists() else []
        for folder in folders:
            self.assertFalse(folder.name.startswith("."), folders)
            described = json.loads((folder / "run.json").read_text())
            if described["outcome"] == "measured":
                json.loads((folder / "benchmark.json").read_text())
        return folders

    def sweep(self, call, error, most):
        for number in range(1, most + 1):
            with self.subTest(call=call, error=error, number=number):
                before = self.kept()
                done = self.bench(call, f"error={error}:when={number}")
                self.assertIn(done.returncode, (DONE, PARTIAL, STORAGE), done.stderr)
                new = [folder for folder in self.kept() if folder not in before]
                if done.returncode == STORAGE:
                    self.assertIn(b"proofline: ", done.stderr)
                    continue
                self.assertEqual(len(new), 1, done.stderr)
                if done.returncode == DONE:
                    for label in "a-1", "a-2":
                        self.assertEqual((new[0] / f"{label}.stdout").read_bytes().strip(),
                                         SAID.strip())

    def test_writes(self):
        for error in ("ENOSPC", "EIO") if THOROUGH else ("ENOSPC",):
            self.sweep("write", error, 40 if THOROUGH else 8)

    def test_syncs(self):
        self.sweep("fsync", "EIO", 20 if THOROUGH else 4)

    def test_interrupted_writes_are_invisible(self):
        for number in range(1, 20 if THOROUGH else 4):
            done = self.bench("write", f"error=EINTR:when={number}")
            self.assertEqual(done.returncode, DONE, done.stderr)
        self.kept()


if __name__ == "__main__":
    unittest.main()
