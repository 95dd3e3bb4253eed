#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `check` prints is what `proofline schema check` says, and the playbooks are what
`proofline schema playbook` says."""
import copy
import json
import tomllib
import unittest

from schemas import errors, jsonschema, schema, validator
from support import ROOT, TestCase, run

RESULTS = validator("check")
FILES = jsonschema.Draft202012Validator(schema("playbook"))
PLAYBOOKS = sorted((ROOT / "playbooks").glob("*.toml"))
FIXTURES = ROOT / "tests" / "fixtures"
REPORT = ROOT / "examples" / "h200-kernels.ncu-rep.gz"
PASS, FAIL, UNKNOWN = 0, 1, 10


class Schemas(TestCase):
    def judged(self, *arguments):
        done = run("check", "--format", "json", *arguments)
        self.assertIn(done.returncode, (PASS, FAIL, UNKNOWN), done.stderr)
        result = json.loads(done.stdout, parse_constant=self.fail)
        self.assertEqual(errors(RESULTS, result), [])
        self.assertEqual(result["verdict"],
                         {PASS: "PASS", FAIL: "FAIL", UNKNOWN: "UNKNOWN"}[done.returncode])
        return result

    def test_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(schema("playbook"))

    def test_results(self):
        transpose = FIXTURES / "playbooks" / "transpose.toml"
        result = self.judged(transpose, REPORT)
        self.assertEqual([check["verdict"] for check in result["checks"]],
                         ["FAIL", "PASS", "UNKNOWN", "REFUTED"])
        self.assertEqual(result["next"], "pad")
        before = FIXTURES / "playbooks" / "transpose-before.ncu-rep.gz"
        pair = self.judged(transpose, REPORT, "--kernel", "1>", "--before", before)
        self.assertEqual(pair["tasks"][0]["state"], "accepted")
        self.assertEqual(pair["tasks"][0]["readings"][0]["before"], 17003567)
        self.judged("blockscaled-profile", REPORT, "--kernel", "gemm_wmma")
        self.judged("gemm-roadmap", REPORT, "--kernel", "gemm_wmma")
        self.judged("attention-guide", REPORT, FIXTURES / "benchmark" / "ours.json")
        self.judged("moe-evidence", FIXTURES / "sass" / "shared_stores.sm_90a.cubin.gz")
        self.judged("epilogue-tasks", FIXTURES / "sass" / "tcgen05.sm_100a.cubin.gz")

    def test_playbooks(self):
        self.assertEqual(len(PLAYBOOKS), 7)
        for path in [*PLAYBOOKS, FIXTURES / "playbooks" / "transpose.toml"]:
            with self.subTest(path=path.name):
                self.assertEqual(errors(FILES, tomllib.loads(path.read_text(encoding="utf-8"))), [])

    def test_the_file_schema_tells_right_from_wrong(self):
        right = tomllib.loads((FIXTURES / "playbooks" / "transpose.toml").read_text(encoding="utf-8"))
        self.assertTrue(FILES.is_valid(right))
        for table, key, value in (("check", "kind", "maybe"), ("check", "kid", "x"),
                                  ("check", "id", "a b"), ("check", "expr", 1),
                                  ("task", "change", ["sink"]), ("task", "priority", 4)):
            wrong = copy.deepcopy(right)
            wrong[table][0][key] = value
            self.assertFalse(FILES.is_valid(wrong), (table, key))
        for table, key in (("check", "expr"), ("task", "change"), ("kernel", "name")):
            wrong = copy.deepcopy(right)
            del wrong[table][0][key]
            self.assertFalse(FILES.is_valid(wrong), (table, key))
        phase = {"id": "p", "does": "bench", "starts": 3}
        self.assertEqual(errors(FILES, right | {"phase": [phase]}), [])
        for key, value in (("does", "tune"), ("starts", "many"), ("tarts", 3)):
            self.assertFalse(FILES.is_valid(right | {"phase": [phase | {key: value}]}), key)


if __name__ == "__main__":
    unittest.main()
