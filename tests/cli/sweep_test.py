#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cases and axes of `bench` and `try`: one table over all of them, and a verdict that says where it holds."""
import json
import os
import shlex
import stat
import unittest

from fake_tools import FakeToolsTest
from support import DONE, USAGE

BENCHMARK = os.environ["PROOFLINE_FAKE_BENCHMARK"]
FAILED = 1
FACTORS = {"64": 0.7, "256": 0.9, "1024": 1.2}


class Sweeps(FakeToolsTest):
    def setUp(self):
        super().setUp()
        cases = "".join(f"{m}) factor={factor};;" for m, factor in FACTORS.items())
        self.after = self.folder / "after"
        self.after.write_text(f'#!/bin/sh\ncase "$1" in {cases} esac\n'
                              f'exec {BENCHMARK} --count={self.folder}/b --factor=$factor\n')
        self.after.chmod(self.after.stat().st_mode | stat.S_IXUSR)
        self.before = shlex.join([BENCHMARK, f"--count={self.folder}/a"])

    def flags(self, *more):
        return ["--runs", self.runs, "--starts", "9", "--warm-up", "0", "--time-by", "program",
                "--format", "json", *more]

    def axis(self, *more, command="bench", axis="m=64,256,1024", code=DONE):
        sides = {"bench": ["--a", f"{self.before} --m={{m}}", "--b", f"{self.after} {{m}}"],
                 "try": ["--a", f"{self.before} --m={{m}}", "--", self.after, "{m}"]}[command]
        words = [command, *(["wider tiles"] if command == "try" else []),
                 *self.flags("--axis", axis, *more), *sides]
        done = self.run_it(*words)
        self.expect_code(done, code)
        return json.loads(done.stdout)

    def test_one_table_and_where_it_crosses(self):
        result = self.axis()
        decision = result["decision"]
        changes = {one["axes"][0]["value"]: one["change"] for one in decision["configurations"]}
        self.assertEqual(changes, {"64": "faster", "256": "faster", "1024": "slower"})
        self.assertEqual(decision["verdict"], "REVERT")
        self.assertIn("it pays for m <= 256 only: the crossover lies between m=256 and m=1024",
                      decision["reason"])
        folder = self.runs / os.path.basename(result["folder"])
        self.assertEqual(json.loads((folder / "benchmark.json").read_text()), result["benchmark"])
        self.assertEqual(result["benchmark"]["sides"][0]["command"], f"{self.before} '--m={{m}}'")

    def test_where_it_pays_everywhere_it_is_kept(self):
        decision = self.axis(axis="m=64,256")["decision"]
        self.assertEqual((decision["verdict"], len(decision["configurations"])), ("KEEP", 2))

    def test_of_an_attempt(self):
        result = self.axis("--journal", self.folder / "journal.sqlite", "--check",
                           f"{shlex.quote(str(self.after))} {{m}}", command="try", code=FAILED)
        self.assertIn("it pays for m <= 256 only", result["decision"]["reason"])
        attempt = result["journal"]["attempts"][0]
        self.assertEqual(attempt["state"], "reverted")

    def test_named_cases(self):
        done = self.run_it("bench", *self.flags("--case", "small=--m=64", "--case", "big=--m=1024"),
                           "--a", self.before, "--b", f"{self.before} --factor=0.9")
        self.expect_code(done, DONE)
        decision = json.loads(done.stdout)["decision"]
        self.assertEqual([one["axes"][0] for one in decision["configurations"]],
                         [{"name": "case", "value": "small"}, {"name": "case", "value": "big"}])

    def test_all_combinations(self):
        done = self.run_it("bench", *self.flags("--axis", "x=1,2", "--axis", "y=3,4,5"), "--dry-run",
                           "--a", "/bin/echo {x} {y}")
        self.expect_code(done, DONE)
        self.assertEqual(done.stdout.count(b"# case x="), 6)
        self.assertIn(b"/bin/echo 2 5\n", done.stdout)

    def test_mistakes(self):
        for axis, words in (("m", "NAME=VALUE"), ("m=", "NAME=VALUE"), ("m=1,,2", "is empty"),
                            ("k=1,2", "has no {k}")):
            with self.subTest(axis):
                error = self.axis(axis=axis, code=USAGE)["error"]
                self.assertIn(words, error["message"])


if __name__ == "__main__":
    unittest.main()
