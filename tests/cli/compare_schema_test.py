#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `compare --format json` prints is what `proofline schema comparison` says, for captures
against themselves and each other, for odd names and for launches without a metric."""
import json
import unittest

from schemas import errors, validator
from support import DONE, INPUT, PARTIAL, ROOT, TestCase, kernel, message, report, run

VALIDATOR = validator("comparison")
CODE_VALIDATOR = validator("code-comparison")
SASS = ROOT / "tests" / "fixtures" / "sass"
FIXTURES = ROOT / "tests" / "fixtures" / "ncu_rep"


class Comparison(TestCase):
    def compared(self, *arguments, codes=(DONE,)):
        done = run("compare", "--format", "json", *arguments)
        self.assertIn(done.returncode, codes, done.stderr)
        result = json.loads(done.stdout, parse_constant=self.fail)  # NaN and Infinity
        self.assertEqual(errors(VALIDATOR, result), [])
        for pair in result["pairs"]:
            if not pair["refused"]:
                self.assertEqual(pair["facts"][0]["name"], "duration")
        return result

    def compared_code(self, *arguments, codes=(DONE,)):
        done = run("compare", "--format", "json", *arguments)
        self.assertIn(done.returncode, codes, done.stderr)
        result = json.loads(done.stdout, parse_constant=self.fail)
        self.assertEqual(errors(CODE_VALIDATOR, result), [])
        return result

    def test_code(self):
        """Each instruction that is not common is named once, with what happened to it."""
        result = self.compared_code(SASS / "loops.sm_90a.cubin.gz", SASS / "loops.sm_100a.cubin.gz")
        different = [f for f in result["functions"] if f["sameness"] == "different"]
        self.assertTrue(different)
        for function in different:
            changes = [one["change"] for block in function["blocks"]
                       for one in block["instructions"]]
            for change in ("removed", "added", "moved"):
                self.assertEqual(changes.count(change), function["instructions"][change])
        counted = [f for f in different if f["a"] == "counted_loop"][0]
        self.assertTrue(counted["blocks"][0]["a"]["hot"], "the hot loop comes first")

    def test_same_code_has_no_blocks(self):
        result = self.compared_code(SASS / "loops.sm_90a.cubin.gz", SASS / "loops.sm_90a.cubin.gz")
        for function in result["functions"]:
            self.assertTrue(function["same_code"])
            self.assertEqual(function["blocks"], [])

    def test_undecoded_code_is_compared_by_position(self):
        cubins = [ROOT / f"tests/fixtures/cubin/undecoded.{i}.sm_70.cubin.gz" for i in (3, 5)]
        result = self.compared_code(*cubins, "--disassembler", "native", codes=(PARTIAL,))
        function = result["functions"][0]
        self.assertTrue(function["by_bytes"])
        self.assertEqual(len(function["blocks"][0]["instructions"]),
                         function["instructions"]["bytes_changed"])

    def test_reports_show_their_code(self):
        report_path = FIXTURES / "h200-detailed.ncu-rep.gz"
        result = self.compared(report_path, report_path)
        self.assertEqual([f["sameness"] for f in result["code"]["functions"]], ["identical"])

    def test_captures_against_themselves(self):
        captures = [ROOT / "examples/h200-kernels.ncu-rep.gz", *sorted(FIXTURES.glob("*.ncu-rep.gz"))]
        self.assertGreater(len(captures), 5)
        for capture in captures:
            with self.subTest(capture.name):
                result = self.compared(capture, capture, "--all")
                self.assertTrue(result["pairs"])
                self.assertEqual(result["only_in_a"] + result["only_in_b"], [])
                for pair in result["pairs"]:
                    self.assertEqual([fact["name"] for fact in pair["facts"]], ["duration"])

    def test_two_runs(self):
        result = self.compared(FIXTURES / "h200-memory.ncu-rep.gz",
                               FIXTURES / "h200-detailed.ncu-rep.gz", "--all")
        self.assertEqual({pair["a"]["function"] for pair in result["pairs"]}, {"sum_blocks"})
        self.assertTrue(result["only_in_a"])
        absent = [fact for fact in result["pairs"][0]["facts"] if fact["b"] is None]
        self.assertTrue(absent)
        for fact in absent:
            self.assertTrue(fact["absence"])
            self.assertIsNone(fact["change"])

    def test_report_and_printed_page(self):
        """Two formats, one result: units are normalised on the way in."""
        result = self.compared(FIXTURES / "h200-basic.ncu-rep.gz",
                               FIXTURES / "h200-basic.details.csv.gz", "--metrics", "duration")
        for pair in result["pairs"]:
            self.assertAlmostEqual(pair["duration"]["ratio"], 1, delta=0.01)

    def test_same_bytes_each_time(self):
        arguments = ("compare", "--format", "json", "--all", FIXTURES / "h200-memory.ncu-rep.gz",
                     FIXTURES / "h200-detailed.ncu-rep.gz")
        self.assertEqual(run(*arguments).stdout, run(*arguments).stdout)

    def test_hostile_and_bare(self):
        names = [kernel(b"\xff\x1b[2J\"</script>"), kernel(b"")]
        path = self.write("report", report(names))
        result = self.compared(path, path)
        self.assertEqual(len(result["pairs"]), 2)
        self.assertIsNone(result["pairs"][0]["duration"]["ratio"])
        for view in "terminal", "markdown", "csv":
            done = run("compare", path, path, "--all", "--format", view)
            self.assertEqual(done.returncode, DONE, done.stderr)
            self.expect_inert(done.stdout)

    def test_refusal_is_one_line(self):
        def wide(name, width):
            return message((6, name), (7, name), (10, message((1, width), (2, 1), (3, 1))),
                           (11, message((1, 32), (2, 1), (3, 1))))

        a = self.write("a", report([wide("k\x1b[2J", 8), wide("other", 8)]))
        b = self.write("b", report([wide("k\x1b[2J", 16), wide("other", 8)]))
        c = self.write("c", report([wide("k\x1b[2J", 16)]))
        result = self.compared(a, b, codes=(PARTIAL,))
        self.assertEqual([pair["refused"] for pair in result["pairs"]], [False, True])
        done = run("compare", a, c)
        self.expect_error(done, INPUT)
        self.assertIn(b"grid 8x1x1 against 16x1x1", done.stderr)
        self.compared(a, c, "--force")


if __name__ == "__main__":
    unittest.main()
