#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`identify`: every format by its bytes, as `proofline schema identify` says, and commands that do
take the file."""
import json
import unittest

from schemas import errors, unnoticed, validator
from support import DONE, INPUT, PARTIAL, ROOT, TestCase, run

VALIDATOR = validator("identify")
FIXTURES = ROOT / "tests" / "fixtures"
UNKNOWN = FIXTURES / "damaged" / "wrong-magic.ncu-rep"


class Identify(TestCase):
    def identified(self, *paths, code=DONE):
        done = run("identify", "--format", "json", *paths)
        self.assertEqual(done.returncode, code, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(errors(VALIDATOR, result), [])
        self.assertEqual(unnoticed(VALIDATOR, result), [])
        self.assertEqual([file["path"] for file in result["files"]], list(map(str, paths)))
        return result["files"]

    def test_named_commands_take_it(self):
        paths = [FIXTURES / "ncu_rep/h200-basic.ncu-rep.gz", ROOT / "examples/before.json",
                 FIXTURES / "timeline/allocations.pt.trace.json.gz",
                 FIXTURES / "workloads/twins.sm_90a.cubin.gz"]
        files = self.identified(*paths)
        self.assertEqual([file["format"] for file in files],
                         ["ncu-rep", "google-benchmark", "kineto-trace", "cubin"])
        for file in files:
            for command in set(file["commands"]) & {"show", "diagnose", "timeline"}:
                with self.subTest(command=command, format=file["format"]):
                    done = run(command, "--format", "json", file["path"])
                    self.assertIn(done.returncode, (DONE, PARTIAL), done.stderr)

    def test_the_name_says_nothing(self):
        path = self.write("a.txt", (ROOT / "examples/h200-kernels.ncu-rep.gz").read_bytes())
        self.assertEqual(self.identified(path)[0]["kinds"], ["profile", "code"])

    def test_unknown(self):
        files = self.identified(ROOT / "examples/before.json", UNKNOWN, code=PARTIAL)
        self.assertIsNone(files[1]["format"])
        self.assertIn("no known format", files[1]["problem"])
        self.identified(UNKNOWN, self.folder, code=INPUT)
        self.expect_error(run("identify", UNKNOWN), INPUT)


if __name__ == "__main__":
    unittest.main()
