#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `diagnose --format json` prints is what `proofline schema diagnosis` says, for every
capture at hand, for damaged files and for a stranger's names; and the schema tells right from wrong."""
import copy
import json
import unittest

from schemas import errors, jsonschema, schema, validator
from support import DONE, PARTIAL, ROOT, TestCase, kernel, report, run

VALIDATOR = validator("diagnosis")
CONTRACT = ["id", "source", "launches", "name", "function", "grid", "block", "device",
            "duration_ns", "verdict", "findings", "not_evaluated"]


class Schema(TestCase):
    def diagnosed(self, *arguments, codes=(DONE,)):
        done = run("diagnose", "--format", "json", *arguments)
        self.assertIn(done.returncode, codes, done.stderr)
        result = json.loads(done.stdout, parse_constant=self.fail)  # NaN and Infinity
        self.assertEqual(errors(VALIDATOR, result), [])
        for entry in result["kernels"]:
            self.assertEqual(list(entry)[:len(CONTRACT)], CONTRACT)
            self.assertEqual([finding["rank"] for finding in entry["findings"]],
                             list(range(1, len(entry["findings"]) + 1)))
        self.assertEqual([entry["id"] for entry in result["kernels"]],
                         list(range(len(result["kernels"]))))
        return result

    def test_every_capture(self):
        captures = sorted(ROOT.glob("examples/*.ncu-rep*")) + sorted(
            ROOT.glob("tests/fixtures/ncu_rep/*.ncu-rep*"))
        self.assertGreater(len(captures), 5)
        for capture in captures:
            with self.subTest(capture.name):
                self.assertTrue(self.diagnosed(capture)["kernels"])

    def test_printed_pages(self):
        pages = sorted(ROOT.glob("tests/fixtures/ncu_rep/h200-basic.*.csv.gz")) + sorted(
            ROOT.glob("tests/fixtures/ncu_rep/h200-basic.details.txt.gz"))
        self.assertGreater(len(pages), 2)
        for page in pages:
            with self.subTest(page.name):
                self.assertTrue(self.diagnosed(page)["kernels"])

    def test_all_parts(self):
        capture = ROOT / "tests/fixtures/ncu_rep/h200-basic.ncu-rep.gz"
        plain = self.diagnosed(capture)
        full = self.diagnosed(capture, "--facts", "--nvidia-rules")
        self.assertNotIn("facts", plain["kernels"][0])
        self.assertTrue(full["kernels"][0]["facts"])
        self.assertTrue(full["kernels"][0]["absent"])
        self.assertIn("nvidia_rules", full["kernels"][0])
        for entry in full["kernels"]:
            for name in "facts", "absent", "nvidia_rules":
                del entry[name]
        self.assertEqual(full, plain)

    def test_damaged(self):
        damaged = ROOT / "tests/fixtures/damaged"
        for name in "cut-in-last-result.ncu-rep", "damaged-result.ncu-rep":
            with self.subTest(name):
                result = self.diagnosed(damaged / name, codes=(PARTIAL,))
                self.assertIn("loss", [note["kind"] for note in result["notes"]])

    def test_hostile_and_bare(self):
        """Kernels without a single metric, under names that are not even text."""
        path = self.write("report", report([kernel(b"\xff\x1b[2J\"</script>"), kernel(b"")]))
        result = self.diagnosed(path, "--facts", "--nvidia-rules")
        self.assertEqual(len(result["kernels"]), 2)
        self.assertIsNone(result["kernels"][0]["duration_ns"])

    def test_several_files(self):
        captures = [ROOT / "tests/fixtures/ncu_rep/h200-basic.ncu-rep.gz",
                    ROOT / "tests/fixtures/ncu_rep/h200-basic.details.csv.gz"]
        result = self.diagnosed(*captures)
        self.assertEqual([source["format"] for source in result["sources"]],
                         ["ncu-rep", "ncu-csv"])
        self.assertEqual({entry["source"] for entry in result["kernels"]}, {0, 1})

    def test_same_bytes_each_time(self):
        capture = ROOT / "tests/fixtures/ncu_rep/h200-nvtx.ncu-rep.gz"
        first = run("diagnose", "--format", "json", "--facts", capture).stdout
        self.assertEqual(run("diagnose", "--format", "json", "--facts", capture).stdout, first)

    def test_schema_finds_what_is_wrong(self):
        capture = ROOT / "tests/fixtures/ncu_rep/h200-basic.ncu-rep.gz"
        good = self.diagnosed(capture, "--facts")
        open_to_more = jsonschema.Draft202012Validator(schema("diagnosis"))

        def breaks(change):
            bad = copy.deepcopy(good)
            change(bad)
            self.assertFalse(open_to_more.is_valid(bad))

        breaks(lambda bad: bad.pop("kernels"))
        breaks(lambda bad: bad.update(schema_version="2.0"))
        breaks(lambda bad: bad["kernels"][0]["verdict"].update(bound=3))
        breaks(lambda bad: bad["kernels"][0].update(grid=[1, 1]))
        breaks(lambda bad: bad["kernels"][0]["facts"][0].update(value=None))
        breaks(lambda bad: bad["kernels"][0].update(findings=[{"id": "x"}]))
        # What a later 1.x adds is no mistake.
        good["kernels"][0]["more"] = 1
        self.assertTrue(open_to_more.is_valid(good))


if __name__ == "__main__":
    unittest.main()
