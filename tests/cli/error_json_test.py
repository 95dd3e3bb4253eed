#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where JSON was asked for, a failure is JSON on standard output, as `proofline schema error` says,
for every command; standard error has the sentence for people."""
import json
import unittest

from schemas import errors, unnoticed, validator
from support import INPUT, ROOT, USAGE, TestCase, run

VALIDATOR = validator("error")


class ErrorJson(TestCase):
    def failed(self, *arguments):
        done = run(*arguments, cwd=self.folder)
        self.assertNotEqual(done.returncode, 0)
        result = json.loads(done.stdout)
        self.assertEqual(errors(VALIDATOR, result), [])
        self.assertEqual(unnoticed(VALIDATOR, result), [])
        error = result["error"]
        self.assertEqual(error["code"], done.returncode)
        self.assertTrue(done.stderr.decode().startswith("proofline: " + error["message"]))
        return error

    def test_every_command(self):
        """Each with a flag that it does not know."""
        names = [row["name"] for row in json.loads(
            run("list", "commands", "--format", "json").stdout)["commands"]]
        self.assertGreater(len(names), 15)
        for name in names:
            with self.subTest(name):
                error = self.failed(name, "--no-such-flag", "--format", "json")
                self.assertEqual((error["code"], error["kind"], error["command"]),
                                 (USAGE, "usage", name))
                self.assertEqual(error["help"], ["proofline", name, "--help"])

    def test_missing_file(self):
        for command in (["diagnose", "gone"], ["show", "gone"], ["sass", "gone"],
                        ["timeline", "gone"], ["compare", "gone", "gone"], ["check", "gone", "x"]):
            with self.subTest(command[0]):
                error = self.failed(*command, "--format=json")
                self.assertEqual((error["code"], error["kind"]), (INPUT, "input"))
                self.assertEqual((error["argument"], error["offset"]), ("gone", None))

    def test_place_in_a_file(self):
        path = ROOT / "tests/fixtures/damaged/cut-before-first-result.ncu-rep.gz"
        error = self.failed("diagnose", "--format", "json", path)
        self.assertEqual((error["argument"], error["offset"]), (str(path), 13044))

    def test_hostile_name(self):
        name = "\x1b[2J\"</script>\u202e"
        error = self.failed("diagnose", "--format", "json", name)
        self.assertEqual(error["argument"], name)
        self.assertNotIn("\x1b", error["message"])

    def test_no_command(self):
        for arguments in ([], ["no-such-command"]):
            error = self.failed(*arguments, "--format", "json")
            self.assertIsNone(error["command"])
            self.assertEqual(error["help"], ["proofline", "--help"])

    def test_only_where_it_was_asked_for(self):
        self.expect_error(run("diagnose", "gone"), INPUT)
        self.expect_error(run("diagnose", "gone", "--format", "csv"), INPUT)
        # Of another program.
        done = run("profile", "--", "./gone", "--format", "json", cwd=self.folder)
        self.assertEqual(done.stdout, b"")


if __name__ == "__main__":
    unittest.main()
