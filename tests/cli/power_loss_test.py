#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Power that is cut at any point (I2): whatever the disk had not been told to keep is lost, torn or out
of order (power_loss.py). What was acknowledged is there, nothing is half-written, and the program goes
on. Needs strace."""
import json
import os
import random
import shutil
import sqlite3
import subprocess
import unittest

import power_loss
import support
from store_crash_test import can_trace
from support import BINARY, SANITIZED, THOROUGH

WRITER = os.environ["PROOFLINE_JOURNAL_WRITER"]
FATES = 20 if THOROUGH else 1


@unittest.skipIf(SANITIZED, "traced without its runtime, which traces too")
@unittest.skipUnless(can_trace(), "needs strace, and leave to use it")
class PowerLoss(support.TestCase):
    def setUp(self):
        super().setUp()
        self.root = self.folder / "disk"
        self.root.mkdir()
        self.trace = self.folder / "trace"
        self.after = self.folder / "after"

    def cuts(self, *command, **options):
        """Lays out in self.after what a power cut may leave, and yields what was acknowledged."""
        seed = random.randrange(1 << 32)
        chance = random.Random(seed)
        for number, disk in enumerate(
                power_loss.recorded(self.root, self.trace, *command, **options)):
            fates = [power_loss.nothing, power_loss.names_only]
            fates = fates if THOROUGH else [fates[number % 2]]
            for fate in fates + [power_loss.by(chance)] * FATES:
                shutil.rmtree(self.after, ignore_errors=True)
                disk.lay_out(self.after, fate)
                self.cut = f"after call {number}, seed {seed}"
                yield disk.acknowledged.decode()

    def test_journal(self):
        for acknowledged in self.cuts(WRITER, "append", self.root / "new" / "journal.sqlite", "3"):
            journal = self.after / "new" / "journal.sqlite"
            stored = []
            if journal.exists():
                done = subprocess.run([WRITER, "verify", journal], stdout=subprocess.PIPE, text=True,
                                      stderr=subprocess.PIPE, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), self.cut)
                stored = done.stdout.split()
                with sqlite3.connect(journal) as database:
                    self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)],
                                     self.cut)
                database.close()
            self.assertEqual(stored[:len(acknowledged.split())], acknowledged.split())
        self.assertEqual(len(acknowledged.split()), 3)
        self.assertEqual(len(stored), 3)

    def test_run_folder(self):
        """A folder that has its name is whole; when the program is done, it is there."""
        files = ["a-1.stderr", "a-1.stdout", "benchmark.json", "run.json"]
        for acknowledged in self.cuts(BINARY, "bench", "--runs", self.root / "runs", "--time-by", "wall",
                                      "--warm-up", "0", "--starts", "1", "--a", "/bin/echo hello",
                                      "--format", "csv"):
            runs = self.after / "runs"
            kept = [run for run in (runs.iterdir() if runs.exists() else [])
                    if not run.name.startswith(".")]
            for run in kept:
                self.assertEqual(sorted(file.name for file in run.iterdir()), files, self.cut)
                for name in files[2:]:
                    json.loads((run / name).read_text())
                self.assertEqual((run / "a-1.stdout").read_text(), "hello\n", self.cut)
        self.assertEqual(len(kept), 1)
        self.assertNotEqual(acknowledged, "")

    def test_file(self):
        """What --out names is the old file or the new one, and in the end the new one."""
        results = support.ROOT / "tests" / "fixtures" / "benchmark" / "ours.json"
        whole = support.run("show", results, "--format", "json").stdout
        for _ in self.cuts(BINARY, "show", results, "--format", "json", "--out", self.root / "out"):
            path = self.after / "out"
            content = path.read_bytes() if path.exists() else b""
            self.assertIn(content, (b"", whole), self.cut)
        self.assertEqual(content, whole)


if __name__ == "__main__":
    unittest.main()
