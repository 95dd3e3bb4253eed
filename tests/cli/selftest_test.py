#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`selftest`: a program against itself, and what `proofline schema selftest` says of the result."""
import json
import os
import unittest

from schemas import errors, unnoticed, validator
from fake_tools import TOOL, FakeToolsTest
from support import DONE, INPUT, USAGE

BENCHMARK = os.environ["PROOFLINE_FAKE_BENCHMARK"]
VALIDATOR = validator("selftest")


class SelftestTest(FakeToolsTest):
    def selftest(self, *flags, program=()):
        return self.run_it("selftest", "--runs", self.runs, *flags, "--", BENCHMARK,
                           f"--count={self.folder / 'starts'}", *program)

    def result(self, *flags, program=(), code=DONE):
        done = self.selftest("--format", "json", *flags, program=program)
        self.expect_code(done, code)
        result = json.loads(done.stdout, parse_constant=self.fail)
        self.assertEqual(errors(VALIDATOR, result), [])
        self.assertEqual(unnoticed(VALIDATOR, result), [])
        return result

    def test_plain_noise_keeps_the_promise(self):
        result = self.result("--starts", "20", program=["--configurations=3", "--noise=0.01"])
        alarms = result["false_alarms"]
        self.assertIs(alarms["kept"], True)
        self.assertLessEqual(alarms["low"], alarms["rate"])
        self.assertLessEqual(alarms["rate"], alarms["high"])
        self.assertEqual(result["starts"], 20)
        self.assertEqual(len(result["configurations"]), 3)
        for one in result["configurations"]:
            # Two starts, each with a deviation of 1 %.
            self.assertTrue(0.005 < one["spread"] < 0.03, one["spread"])
            self.assertEqual([seen["starts"] for seen in one["detectable"]], [5, 10, 20, 50, 100])

    def test_the_same_starts_give_the_same_answer(self):
        first = self.result("--starts", "10", "--seed", "1")
        (self.folder / "starts").unlink()
        again = self.result("--starts", "10", "--seed", "1")
        del first["folder"], again["folder"]
        self.assertEqual(first, again)

    def test_every_view(self):
        for view in "terminal", "markdown", "csv":
            with self.subTest(view):
                done = self.selftest("--starts", "10", "--format", view)
                self.expect_code(done, DONE)
                self.assertIn(b"fake n=1024", done.stdout)

    def test_failures(self):
        self.expect_code(self.selftest("--starts", "3"), USAGE)
        self.expect_code(self.selftest(program=["--fail-at=4"]), TOOL)
        self.expect_code(self.selftest("--time-by", "program", program=["--silent"]), INPUT)
        self.expect_code(self.selftest(program=["--wrong"]), INPUT)


if __name__ == "__main__":
    unittest.main()
