#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`diagnose --brief --format json`: what `proofline schema brief` says, in at most 1 KB per kernel
(median, its name apart), and the same answers as the full diagnosis."""
import json
import shlex
import statistics
import unittest

from schemas import errors, validator
from support import DONE, INPUT, PARTIAL, ROOT, SANITIZED, TestCase, kernel, report, run

VALIDATOR = validator("brief")
FIXTURES = ROOT / "tests" / "fixtures"
ZOO = FIXTURES / "zoo" / "h200-zoo-access.ncu-rep.gz"
MOST_BYTES = 1024


def captures():
    """Reports in the tree; those of strangers where they are at hand."""
    found = sorted(FIXTURES.glob("*/*.ncu-rep.gz")) + sorted(ROOT.glob("examples/*.ncu-rep*"))
    if SANITIZED:
        return found[::4]
    return found + sorted(ROOT.glob("build/corpus/ncu-*/*"))


def size(entry):
    """Bytes of a kernel, its name apart."""
    text = json.dumps(entry, separators=(",", ":"), ensure_ascii=False)
    return len(text.encode()) - len(json.dumps(entry["name"], ensure_ascii=False).encode())


class Brief(TestCase):
    def brief(self, *arguments, codes=(DONE,)):
        done = run("diagnose", "--brief", "--format", "json", *arguments)
        self.assertIn(done.returncode, codes, done.stderr)
        if done.returncode == INPUT:
            return {"kernels": []}
        result = json.loads(done.stdout, parse_constant=self.fail)  # NaN and Infinity
        self.assertEqual(errors(VALIDATOR, result), [])
        return result

    def test_a_kilobyte_per_kernel(self):
        sizes = []
        for capture in captures():
            with self.subTest(capture.name):
                # A stranger's file may be of a kind that is not read.
                result = self.brief(capture, codes=(DONE, PARTIAL, INPUT))
                sizes += [size(entry) for entry in result["kernels"]]
        self.assertGreater(len(sizes), 20)
        self.assertLessEqual(max(sizes), 2 * MOST_BYTES)
        if not SANITIZED:  # a quarter of them has another median
            self.assertLessEqual(statistics.median(sizes), MOST_BYTES)

    def test_same_answers_as_in_full(self):
        brief = self.brief(ZOO)
        full = json.loads(run("diagnose", "--format", "json", "--facts", ZOO).stdout)
        self.assertEqual(len(brief["kernels"]), len(full["kernels"]))
        for short, whole in zip(brief["kernels"], full["kernels"]):
            facts = {fact["name"]: fact["value"] for fact in whole["facts"]}
            self.assertEqual(short["verdict"], whole["verdict"])
            self.assertEqual([cause["id"] for cause in short["causes"]] + short.get("also", []),
                             [finding["id"] for finding in whole["findings"]])
            self.assertEqual(short["launch"]["grid"], whole["grid"])
            self.assertEqual(short["launch"]["id"], whole["launches"]["representative"])
            self.assertEqual(short["not_evaluated"], len(whole["not_evaluated"]))
            for cause, finding in zip(short["causes"], whole["findings"]):
                self.assertAlmostEqual(cause["gain"]["high"], finding["gain"]["high"], delta=6e-4)
                evidence = {item["fact"]: item["value"] for item in finding["evidence"]}
                for fact, value in cause["evidence"].items():
                    if isinstance(value, str):
                        self.assertEqual(value, evidence[fact])
                    else:
                        self.assertAlmostEqual(value, evidence[fact], delta=6e-3 * abs(value))
            for reason, share in short["stalls"].items():
                self.assertAlmostEqual(share, facts[f"stall.{reason}.share"], delta=6e-4)
            for level in "dram", "l2", "l1":
                self.assertAlmostEqual(short["levels"][level], facts[f"throughput.{level}.share"],
                                       delta=6e-4)

    def test_what_a_capture_lacks_is_null(self):
        path = self.write("report", report([kernel(b"\xff\x1b[2J\"</script>")]))
        entry = self.brief(path)["kernels"][0]
        for name in "duration_ns", "time_share", "levels", "stalls", "hot_lines":
            self.assertIsNone(entry[name], name)
        self.assertIsNone(entry["launch"]["registers"])
        self.assertTrue(entry["verdict"]["provisional"])
        self.assertEqual(entry["command"][:2], ["proofline", "profile"])

    def test_loss_is_told(self):
        result = self.brief(FIXTURES / "damaged" / "damaged-result.ncu-rep", codes=(PARTIAL,))
        self.assertIn("loss", [note["kind"] for note in result["notes"]])

    def test_next_command_runs(self):
        commands = {}
        for capture in sorted(FIXTURES.glob("ncu_rep/*.ncu-rep.gz")):
            for entry in self.brief(capture)["kernels"]:
                if entry["command"]:
                    commands.setdefault(entry["command"][1], entry["command"])
        self.assertEqual(set(commands), {"sass", "explain", "profile"})
        for name, command in commands.items():
            if name == "profile":
                command = command[:-1] + ["true"]
                command.insert(2, "--dry-run")
            done = run(*command[1:], cwd=ROOT)
            # Without ncu there is nothing to print a command for.
            self.assertIn(done.returncode, (DONE, 5) if name == "profile" else (DONE,),
                          shlex.join(command))

    def test_is_json(self):
        done = run("diagnose", "--brief", ZOO)
        self.expect_error(done, 2)
        self.assertIn(b"--format json", done.stderr)


if __name__ == "__main__":
    unittest.main()
