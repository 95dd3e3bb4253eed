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
SAYS = "#!/bin/sh\necho 'stat::number_of_executed_units: {}' >&2\nexit {}\n"


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
