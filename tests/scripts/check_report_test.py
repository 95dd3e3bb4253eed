#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/check-report fails for a step that takes longer than its budget, and not for one that others disturbed."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-report"


class CheckReport(unittest.TestCase):
    def report(self, step="tests", times="150.0 10.0\n0\n"):
        with tempfile.TemporaryDirectory() as folder:
            logs = pathlib.Path(folder)
            (logs / f"{step}.time").write_text(times)
            (logs / "budget.tsv").write_text("tests\t100\n")
            return subprocess.run([sys.executable, SCRIPT, "--enforce-budget", logs, logs / "budget.tsv"],
                                  stdout=subprocess.PIPE, text=True, check=False)

    def test_a_step_beyond_its_budget_fails(self):
        done = self.report()
        self.assertEqual(done.returncode, 1)
        self.assertIn("160.0 (100)  tests  OVER BUDGET\n", done.stdout)

    def test_a_step_within_it_does_not(self):
        self.assertEqual(self.report(times="110.0 10.0\n0\n").returncode, 0)

    def test_one_that_others_disturbed_is_shown_only(self):
        done = self.report(times="150.0 10.0\n40\n")
        self.assertEqual(done.returncode, 0)
        self.assertIn("tests  OVER BUDGET, 40 s stolen by other machines", done.stdout)
        self.assertEqual(self.report(times="150.0 10.0\n5\n").returncode, 1)

    def test_a_step_without_a_budget_fails(self):
        self.assertEqual(self.report(step="new", times="1.0 0.0\n40\n").returncode, 1)


if __name__ == "__main__":
    unittest.main()
