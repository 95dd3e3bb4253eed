#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/fuzz-hunt counts what the targets say, goes on until it is enough, and fails with them."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAYS = """#!/bin/sh
echo "$@" >> "$0.calls"
echo 'stat::number_of_executed_units: {}' >&2
exit {}
"""


class FuzzHunt(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.build = pathlib.Path(temporary.name)
        (self.build / "tests" / "fuzz").mkdir(parents=True)

    def target(self, name, count, code=0):
        path = self.build / "tests" / "fuzz" / f"fuzz_{name}"
        path.write_text(SAYS.format(count, code))
        os.chmod(path, 0o755)

    def hunt(self, *flags):
        return subprocess.run([sys.executable, ROOT / "scripts" / "fuzz-hunt", self.build, *flags],
                              capture_output=True, text=True, timeout=60, check=False)

    def test_goes_on_until_it_is_enough(self):
        self.target("a", 600)
        self.target("b", 50)
        self.target("planted_bug", 1, code=1)
        done = self.hunt("--executions", "1000")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1,300  executions of 2 targets", done.stdout)

    def calls(self, name):
        """The longest input and the seconds of each round."""
        lines = (self.build / "tests" / "fuzz" / f"fuzz_{name}.calls").read_text().splitlines()
        flags = [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in lines]
        return [(int(one["-max_len"]), int(one["-max_total_time"])) for one in flags]

    def test_all_get_their_time_and_the_cheap_ones_more(self):
        for name, count in ("a", 10), ("b", 600), ("c", 20):
            self.target(name, count)
        self.assertEqual(self.hunt("--executions", "1500", "--round", "7").returncode, 0)
        for name in "a", "c":
            self.assertEqual(self.calls(name), [(65536, 7), (4096, 7), (65536, 7)])
        self.assertEqual(self.calls("b"), [(65536, 7), (4096, 21), (65536, 21)])

    def test_too_few_in_time(self):
        self.target("a", 600)
        done = self.hunt("--executions", "1000", "--seconds", "0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("fewer than 1,000", done.stderr)

    def test_a_target_that_fails(self):
        self.target("a", 600, code=77)
        done = self.hunt("--executions", "1000")
        self.assertEqual(done.returncode, 1)
        self.assertIn("fuzz_a failed", done.stderr)

    def test_no_targets(self):
        self.assertIn("no fuzz targets", self.hunt().stderr)


if __name__ == "__main__":
    unittest.main()
