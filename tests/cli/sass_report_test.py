#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which functions of a report `sass` looks at: those that were profiled, unless others are named."""
import gzip
import json
import unittest

from support import DONE, ROOT, TestCase, kernel, report, run, source


class SassReport(TestCase):
    def setUp(self):
        super().setUp()
        with gzip.open(ROOT / "tests/fixtures/cubin/kernels.sm_90a.cubin.gz") as packed:
            cubin = packed.read()  # chooses, divides and shares
        self.path = self.write("one.ncu-rep", report([kernel("divides", (5, "divides"))],
                                                     sources=[source(1, cubin=cubin)]))

    def sass(self, *arguments):
        done = run("sass", self.path, "--format", "json", *arguments)
        self.assertEqual(done.returncode, DONE, done.stderr)
        result = json.loads(done.stdout)
        return [f["name"] for f in result["functions"]], [n["what"] for n in result["notes"]]

    def test_all_that_were_profiled(self):
        names, notes = self.sass()
        self.assertEqual(names, ["divides"])
        self.assertIn("--kernel shows them", notes[0])

    def test_of_a_name_those_that_were_profiled(self):
        names, notes = self.sass("--function", "divides|shares")
        self.assertEqual(names, ["divides"])
        self.assertEqual(notes, ["functions of such a name were not profiled and are left out"])

    def test_others_where_none_of_the_name_was_profiled(self):
        names, notes = self.sass("--function", "shares|chooses")
        self.assertEqual(sorted(names), ["chooses", "shares"])
        self.assertEqual(notes, [])


if __name__ == "__main__":
    unittest.main()
