#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `show` prints of benchmark results is what `proofline schema bench` says, whoever wrote them;
and it reads that again."""
import copy
import json
import unittest

from schemas import errors, validator
from support import DONE, INPUT, PARTIAL, ROOT, TestCase, run

VALIDATOR = validator("bench")
FOLDER = ROOT / "tests" / "fixtures" / "benchmark"
FILES = sorted(FOLDER.glob("*.json"))


class SavedResults(TestCase):
    def shown(self, *arguments, expected=(DONE, PARTIAL), **options):
        done = run("show", "--format", "json", *arguments, **options)
        self.assertIn(done.returncode, expected, done.stderr)
        return json.loads(done.stdout, parse_constant=self.fail)

    def expect_valid(self, result):
        self.assertEqual(errors(VALIDATOR, result), [])

    def test_results(self):
        self.assertGreater(len(FILES), 5)
        for path in FILES:
            with self.subTest(path=path.name):
                result = self.shown(path)
                self.expect_valid(result)
                again = self.shown(self.write("again.json", json.dumps(result).encode()))
                self.assertEqual(again, result)

    def test_the_file_that_the_schema_describes(self):
        self.expect_valid(json.loads((FOLDER / "ours.json").read_text(encoding="utf-8")))

    def test_schema_tells_right_from_wrong(self):
        right = json.loads((FOLDER / "ours.json").read_text(encoding="utf-8"))
        for place, value in ((("state",), "MEASURED"), (("samples", "ns"), [0]),
                             (("timed_by",), None), (("bytes",), -1)):
            wrong = copy.deepcopy(right)
            part = wrong["sides"][0]["measurements"][0]
            for name in place[:-1]:
                part = part[name]
            part[place[-1]] = value
            self.assertFalse(VALIDATOR.is_valid(wrong), place)

    def test_standard_input_has_no_files_beside_it(self):
        text = (FOLDER / "nvbench-jsonbin.json").read_bytes()
        result = self.shown("-", input=text, expected=(PARTIAL,))
        self.expect_valid(result)
        self.assertEqual(result["sides"][0]["measurements"][0]["samples"]["ns"], [])
        result = self.shown(FOLDER / "nvbench-jsonbin.json", expected=(DONE,))
        self.assertEqual(len(result["sides"][0]["measurements"][0]["samples"]["ns"]), 5)

    def test_cut_file(self):
        text = (FOLDER / "ours.json").read_bytes()
        cut = self.write("cut.json", text[:text.index(b"naive")])
        result = self.shown(cut, expected=(PARTIAL,))
        self.expect_valid(result)
        self.assertEqual(len(result["sides"][0]["measurements"]), 1)
        early = self.write("early.json", text[:text.index(b"tiled")])
        self.expect_error(run("show", early), INPUT)

    def test_rows(self):
        done = run("show", "--format", "csv", FOLDER / "ours.json")
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 4)


if __name__ == "__main__":
    unittest.main()
