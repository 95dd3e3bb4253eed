#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory that runs out: each allocation in turn fails, once or with all after it. No signal ends the
program, what it says is one of its exit codes, and what was stored before stays whole.

In `./check` some of them, in `./check --all` all of the first and every twentieth of the others."""
import os
import shlex
import unittest

from support import CAPTURE, DONE, ROOT, SANITIZED, THOROUGH, TestCase, run

PRELOAD = os.environ["PROOFLINE_FAIL_ALLOCATION"]
FAKE = os.environ["PROOFLINE_FAKE_BENCHMARK"]
FIXTURES = ROOT / "tests" / "fixtures"
CODES = {0, 1, 2, 3, 4, 5, 7, 8, 10, 11}


def numbers(count):
    """Which allocations fail, of so many: those at the start close together."""
    dense, ratio = (400, 1.05) if THOROUGH else (4, 1.9)
    number = 1
    while number <= count:
        yield number
        number = number + 1 if number < dense else int(number * ratio) + 1


@unittest.skipIf(SANITIZED, "a sanitizer has an allocator of its own")
class Allocations(TestCase):
    def run_failing(self, command, wish):
        return run(*command, cwd=self.folder, env={
            "LD_PRELOAD": PRELOAD, "FAIL_ALLOCATION": wish, "HOME": str(self.folder),
            "PATH": os.environ.get("PATH", ""),
            "FAIL_ALLOCATION_COUNT": str(self.folder / "count")})

    def sweep(self, *command, after=lambda: None):
        whole = self.run_failing(command, "0")
        self.assertIn(whole.returncode, CODES, whole.stderr)
        count = int((self.folder / "count").read_text())
        self.assertGreater(count, 100, "the shim is not in use")
        for number in numbers(count):
            for wish in f"{number}", f"{number}+":
                with self.subTest(command=command, wish=wish):
                    done = self.run_failing(command, wish)
                    self.assertIn(done.returncode, CODES, done.stderr[-300:])
                    after()

    def test_reading(self):
        self.sweep("show", CAPTURE)
        self.sweep("diagnose", CAPTURE)
        self.sweep("sass", FIXTURES / "sass" / "copies.sm_120.cubin.gz", "--function", "copy_8")
        self.sweep("diagnose", FIXTURES / "sanitizer" / "shared-race.log")
        self.sweep("explain", "dram-bandwidth")

    def test_deciding(self):
        results = FIXTURES / "benchmark" / "ours.json"
        self.sweep("decide", results, results)

    def test_listing_a_folder(self):
        for i in range(30):
            self.write(f"cubin{i}.json", b"{}")
        self.sweep("sass", self.folder)

    def test_the_journal(self):
        journal = self.folder / "journal.sqlite"
        self.assertEqual(run("journal", "note", "first", "--journal", journal).returncode, DONE)

        def whole():
            done = run("journal", "verify", "--journal", journal)
            self.assertEqual(done.returncode, DONE, done.stdout)
        self.sweep("journal", "note", "x", "--journal", journal, after=whole)

    def test_measuring(self):
        """Its children have memory."""
        self.sweep("bench", "--starts", "2", "--warm-up", "0", "--a", shlex.join([FAKE]))


if __name__ == "__main__":
    unittest.main()
