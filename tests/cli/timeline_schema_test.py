#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `timeline --format json` prints is what `schema timeline` says, for every trace at hand, for
damaged ones and for a folder of ranks; what `compare` prints of two of them is what
`schema timeline-comparison` says, and of one and a report what `schema timeline-join` says."""
import gzip
import json
import pathlib
import tempfile
import unittest

from schemas import errors, validator
from support import DONE, PARTIAL, ROOT, USAGE, TestCase, run

TIMELINE = validator("timeline")
COMPARISON = validator("timeline-comparison")
JOIN = validator("timeline-join")
REPORT = ROOT / "examples" / "h200-kernels.ncu-rep.gz"
TRACES = ROOT / "tests" / "fixtures" / "timeline"


def parsed(text):
    """JSON without NaN and Infinity, and without a member that stands twice."""
    def object_of(members):
        names = [name for name, _ in members]
        assert len(names) == len(set(names)), names
        return dict(members)

    def refuse(number):
        raise AssertionError(number)

    return json.loads(text, parse_constant=refuse, object_pairs_hook=object_of)


class Schema(TestCase):
    def result(self, *arguments, codes=(DONE,)):
        done = run("timeline", "--format", "json", *arguments)
        self.assertIn(done.returncode, codes, done.stderr)
        result = parsed(done.stdout)
        self.assertEqual(errors(TIMELINE, result), [])
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

    def test_a_wrong_member_is_seen(self):
        result = self.result(str(TRACES / "healthy.pt.trace.json.gz"))
        for wrong in ({"verdict": {**result["verdict"], "bound": "weather"}},
                      {"devices": [{**result["devices"][0], "idle": {"host": 0}}]},
                      {"more": 1}):
            self.assertNotEqual(errors(TIMELINE, {**result, **wrong}), [])

    def test_what_is_planted_is_found(self):
        planted = {
            "healthy": ("kernels", ["kernel-bound"]),
            "host_bound": ("host", ["launch-gaps"]),
            "synchronised": ("kernels", ["kernel-bound", "host-synchronisation"]),
            "pageable_copies": ("copies", ["copy-bound", "host-synchronisation"]),
            "copies_in_line": ("copies", ["copy-bound"]),
            "allocations": ("host", ["allocation-churn"]),
            "data_loading": ("host", ["launch-gaps"]),
        }
        for name, (bound, findings) in planted.items():
            with self.subTest(trace=name):
                result = self.result(str(TRACES / f"{name}.pt.trace.json.gz"))
                verdict = result["verdict"]
                self.assertEqual(verdict["bound"], bound)
                self.assertEqual([finding["id"] for finding in result["findings"]], findings)
                self.assertIn(result["findings"][0]["statement"], verdict["headline"])
                self.assertIn(result["findings"][0]["next"], verdict["next"])

    def test_ranks_of_a_folder(self):
        result = self.result(str(TRACES / "ranks"))
        self.assertEqual([row["rank"] for row in result["ranks"]], [0, 1])
        self.assertEqual(result["rank"], 1)  # the slow one
        self.assertEqual(result["ranks"][1]["wait_ns"], 0)
        self.assertEqual(self.result(str(TRACES / "ranks"), "--rank", "0")["rank"], 0)

    def test_one_rank_twice(self):
        trace = str(TRACES / "ranks" / "job.rank0.pt.trace.json.gz")
        result = self.result(trace, trace)
        self.assertEqual([row["rank"] for row in result["ranks"]], [0, 1])
        self.assertIn("rank 0", result["notes"][-1]["what"])

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


class Chrome(TestCase):
    def test_the_timeline_itself_is_not_written_over(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder) / "trace.json"
            trace.write_bytes((TRACES / "minified.json").read_bytes())
            link = pathlib.Path(folder) / "link.json"
            link.symlink_to(trace)
            for out in (trace, link):
                done = run("timeline", str(trace), "--chrome", str(out))
                self.assertEqual(done.returncode, USAGE, done.stderr)
                self.assertEqual(trace.read_bytes(), (TRACES / "minified.json").read_bytes())

    def test_a_part_is_not_asked_for_in_vain(self):
        for part in (("--step", "2"), ("--from", "1ms"), ("--stream", "7")):
            done = run("timeline", str(TRACES / "minified.json"), "--chrome", "-", *part)
            self.assertEqual(done.returncode, USAGE, done.stdout)

    def test_what_was_lost_is_said(self):
        text = (TRACES / "minified.json").read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            cut = pathlib.Path(folder) / "cut.json"
            cut.write_bytes(text[:len(text) // 2])
            done = run("timeline", str(cut), "--chrome", str(pathlib.Path(folder) / "out.json"))
            self.assertEqual(done.returncode, PARTIAL, done.stderr)
            self.assertIn(b"loss", done.stderr)


class Comparison(TestCase):
    def compared(self, a, b):
        done = run("compare", "--format", "json", str(TRACES / a), str(TRACES / b))
        self.assertEqual(done.returncode, DONE, done.stderr)
        result = parsed(done.stdout)
        self.assertEqual(errors(COMPARISON, result), [])
        for i, side in enumerate(("a_ns", "b_ns")):
            parts = sum(part[side] for part in result["parts"])
            self.assertAlmostEqual(parts, result["sources"][i]["span_ns"], delta=1)
        return result

    def test_what_changed_most_is_named(self):
        result = self.compared("host_bound.pt.trace.json.gz", "healthy.pt.trace.json.gz")
        changes = {part["name"]: part["change_ns"] for part in result["parts"]}
        self.assertLess(changes["idle: host"], 0)
        largest = max(changes, key=lambda name: abs(changes[name]))
        self.assertIn(largest, result["headline"])

    def test_a_timeline_with_itself(self):
        result = self.compared("healthy.pt.trace.json.gz", "healthy.pt.trace.json.gz")
        self.assertEqual({part["change_ns"] for part in result["parts"]}, {0})


class Join(TestCase):
    def joined(self, *arguments):
        done = run("compare", "--format", "json", *map(str, arguments))
        self.assertEqual(done.returncode, DONE, done.stderr)
        result = parsed(done.stdout)
        self.assertEqual(errors(JOIN, result), [])
        return result

    def test_in_either_order_and_from_what_ncu_printed(self):
        trace = TRACES / "reported.pt.trace.json.gz"
        result = self.joined(trace, REPORT)
        savings = result["savings"]
        self.assertEqual(savings, self.joined(REPORT, trace)["savings"])
        rows = {(row["name"].split("(")[0], tuple(row["grid"])): row for row in savings["kernels"]}
        self.assertEqual(rows["transpose_naive", (128, 128, 1)]["launches"], 3)
        self.assertEqual(rows["transpose_naive", (128, 128, 1)]["total_ns"], 840_000)
        self.assertEqual(rows["void transpose_tiled<", (94, 32, 1)]["total_ns"], 270_000)
        self.assertLessEqual(savings["high"], result["timeline"]["kernels"])
        self.assertIn("void fill<float, 4>(float*, float)",
                      [row["name"] for row in result["only_in_timeline"]])
        csv = run("show", "--all", "--format", "csv", str(REPORT))
        self.assertEqual(csv.returncode, DONE, csv.stderr)
        with tempfile.TemporaryDirectory() as folder:
            printed = pathlib.Path(folder) / "printed.csv"
            printed.write_bytes(csv.stdout)
            again = self.joined(trace, printed)["savings"]["kernels"]
        self.assertEqual([row["total_ns"] for row in again],
                         [row["total_ns"] for row in savings["kernels"]])

    def test_one_kernel(self):
        result = self.joined(TRACES / "reported.pt.trace.json.gz", REPORT, "-k", "transpose_naive")
        self.assertEqual(len(result["savings"]["kernels"]), 1)

    def test_a_gate_that_would_never_close_is_refused(self):
        trace = str(TRACES / "healthy.pt.trace.json.gz")
        for other in (trace, str(REPORT)):
            done = run("compare", trace, other, "--fail-above", "5%")
            self.assertEqual(done.returncode, USAGE, done.stdout)
            self.assertIn(b"--fail-above", done.stderr)


if __name__ == "__main__":
    unittest.main()
