#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `timeline --format json` prints is what docs/timeline.schema.json says, for every trace at
hand, for damaged ones and for a folder of ranks; and what `compare` prints of two of them is what
docs/timeline-comparison.schema.json says."""
import gzip
import json
import pathlib
import tempfile
import unittest

from diagnose_schema_test import closed, jsonschema
from support import DONE, PARTIAL, ROOT, TestCase, run

SCHEMA = json.loads((ROOT / "docs" / "timeline.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(closed(SCHEMA))
COMPARISON = json.loads(
    (ROOT / "docs" / "timeline-comparison.schema.json").read_text(encoding="utf-8"))
TRACES = ROOT / "tests" / "fixtures" / "timeline"


class Schema(TestCase):
    def test_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def result(self, *arguments, codes=(DONE,)):
        done = run("timeline", "--format", "json", *arguments)
        self.assertIn(done.returncode, codes, done.stderr)
        result = json.loads(done.stdout, parse_constant=self.fail)  # NaN and Infinity
        errors = [f"{error.json_path}: {error.message[:300]}"
                  for error in VALIDATOR.iter_errors(result)]
        self.assertEqual(errors, [])
        for part in result["devices"] + result["ranks"]:
            whole = (part["kernels_ns"] + part["communication_ns"] + part["copies_ns"] +
                     part["idle_ns"])
            self.assertEqual(whole, part["span_ns"])
            self.assertEqual(sum(part["idle"].values()), part["idle_ns"])
        return result

    def test_every_trace(self):
        for trace in sorted(TRACES.glob("*.json*")):
            with self.subTest(trace=trace.name):
                self.result(str(trace))

    def test_what_is_planted_is_found(self):
        planted = {
            "healthy": ("kernels", []),
            "host_bound": ("host", ["launch-gaps"]),
            "synchronised": ("kernels", ["host-synchronisation"]),
            "pageable_copies": ("copies", ["copy-bound", "host-synchronisation"]),
            "copies_in_line": ("copies", ["copy-bound"]),
            "allocations": ("host", ["allocation-churn"]),
            "data_loading": ("host", ["launch-gaps"]),
        }
        for name, (bound, findings) in planted.items():
            with self.subTest(trace=name):
                result = self.result(str(TRACES / f"{name}.pt.trace.json.gz"))
                self.assertEqual(result["verdict"]["bound"], bound)
                self.assertEqual(sorted(finding["id"] for finding in result["findings"]), findings)

    def test_ranks_of_a_folder(self):
        result = self.result(str(TRACES / "ranks"))
        self.assertEqual([row["rank"] for row in result["ranks"]], [0, 1])
        self.assertEqual(result["rank"], 1)  # the slow one
        self.assertEqual(result["ranks"][1]["wait_ns"], 0)
        self.assertEqual(self.result(str(TRACES / "ranks"), "--rank", "0")["rank"], 0)

    def test_a_part(self):
        trace = str(TRACES / "host_bound.pt.trace.json.gz")
        step = self.result(trace, "--step", "2")
        self.assertEqual(step["selected"], "ProfilerStep#2")
        whole = self.result(trace)
        self.assertEqual(step["kernels"][0]["count"] * 4, whole["kernels"][0]["count"])
        self.result(trace, "--range", "ProfilerStep#3")
        self.result(trace, "--from", "1ms", "--to", "2ms")
        self.result(trace, "--stream", "7")

    def test_cut_off_and_empty(self):
        text = gzip.decompress((TRACES / "host_bound.pt.trace.json.gz").read_bytes())
        with tempfile.TemporaryDirectory() as folder:
            cut = pathlib.Path(folder) / "cut.json"
            cut.write_bytes(text[:len(text) // 2])
            self.result(str(cut), codes=(PARTIAL,))
            nothing = pathlib.Path(folder) / "nothing.json"
            nothing.write_text('{"traceEvents": []}')
            result = self.result(str(nothing))
            self.assertEqual(result["verdict"]["bound"], "nothing")


class Comparison(TestCase):
    def compared(self, a, b):
        done = run("compare", "--format", "json", str(TRACES / a), str(TRACES / b))
        self.assertEqual(done.returncode, DONE, done.stderr)
        result = json.loads(done.stdout, parse_constant=self.fail)
        validator = jsonschema.Draft202012Validator(closed(COMPARISON))
        self.assertEqual([f"{error.json_path}: {error.message[:300]}"
                          for error in validator.iter_errors(result)], [])
        for i, side in enumerate(("a_ns", "b_ns")):
            parts = sum(part[side] for part in result["parts"])
            self.assertAlmostEqual(parts, result["sources"][i]["span_ns"], delta=1)
        return result

    def test_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(COMPARISON)

    def test_what_changed_most_is_named(self):
        result = self.compared("host_bound.pt.trace.json.gz", "healthy.pt.trace.json.gz")
        changes = {part["name"]: part["change_ns"] for part in result["parts"]}
        self.assertLess(changes["idle: host"], 0)
        largest = max(changes, key=lambda name: abs(changes[name]))
        self.assertIn(largest, result["headline"])

    def test_a_timeline_with_itself(self):
        result = self.compared("healthy.pt.trace.json.gz", "healthy.pt.trace.json.gz")
        self.assertEqual({part["change_ns"] for part in result["parts"]}, {0})


if __name__ == "__main__":
    unittest.main()
