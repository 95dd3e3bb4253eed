#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`trace` on programs without a GPU: by our recorder on a CUPTI that makes times up, and by an nsys
that leaves what it is told. No real nsys was at hand: how it is called is from its manual."""
import json
import os
import pathlib
import unittest

from fake_tools import TIME_LIMIT, TOOL, FakeToolsTest
from support import DONE, INPUT, PARTIAL, USAGE

CUDA_PROGRAM = os.environ["PROOFLINE_FAKE_CUDA_PROGRAM"]
CUPTI = os.environ["PROOFLINE_FAKE_CUPTI"]


class TraceTest(FakeToolsTest):
    def setUp(self):
        super().setUp()
        self.environment["PROOFLINE_CUPTI"] = CUPTI

    def trace(self, *flags, program, **options):
        return self.run_it("trace", "--runs", self.runs, *flags, "--", *program, **options)

    def traced(self, *flags, program, code=DONE):
        done = self.trace("--format", "json", *flags, program=program)
        self.expect_code(done, code)
        return json.loads(done.stdout)


class ByRecorder(TraceTest):
    def test_says_what_was_recorded_and_keeps_it(self):
        result = self.traced(program=[CUDA_PROGRAM, "a*100:5000", "--do=copy 1 1 3 4096 2000",
                                      "--do=sync 1000"])
        self.assertEqual(result["notes"], [])
        folder, described = self.run_folder()
        self.assertEqual(result["source"]["path"], str(folder / "recording"))
        self.assertEqual(len(list((folder / "recording").glob("*.recording"))), 1)
        step, = described["steps"]
        self.assertEqual(step["label"], "trace")
        self.assertIn("PROOFLINE_TIMELINE=", step["command"])

    def test_every_process_is_in_it(self):
        self.traced(program=[CUDA_PROGRAM, "a*5", "--child", "b*6", "--child", "c*7"])
        folder, _ = self.run_folder()
        self.assertEqual(len(list((folder / "recording").glob("*.recording"))), 3)

    def test_two_recordings_are_compared(self):
        folders = []
        for length in 5000, 9000:
            result = self.traced(program=[CUDA_PROGRAM, f"a*200:{length}"])
            folders.append(result["source"]["path"])
        done = self.run_it("compare", "--format", "json", *folders)
        self.expect_code(done, DONE)
        kernel, = json.loads(done.stdout)["kernels"]
        self.assertEqual(kernel["change_ns"], 200 * 4000)

    def test_a_recording_is_exported_for_perfetto(self):
        result = self.traced(program=[CUDA_PROGRAM, "a*200:5000"])
        out = self.folder / "trace.json"
        self.expect_code(self.run_it("timeline", result["source"]["path"], "--chrome", out), DONE)
        self.assertEqual(sum(event.get("cat") == "kernel"
                             for event in json.loads(out.read_text())["traceEvents"]), 200)

    def test_every_view(self):
        for view in "terminal", "markdown", "csv", "json":
            with self.subTest(view):
                done = self.trace("--format", view, program=[CUDA_PROGRAM, "a*200:5000"])
                self.expect_code(done, DONE)
                self.assertNotEqual(done.stdout, b"")

    def test_the_programs_own_failure_is_a_note(self):
        result = self.traced(program=[CUDA_PROGRAM, "a*10", "--exit=3"])
        self.assertIn("the program exited with 3", [note["what"] for note in result["notes"]])

    def test_a_program_that_dies_leaves_what_was_written(self):
        result = self.traced(program=[CUDA_PROGRAM, "a*20000", "--crash"], code=PARTIAL)
        said = " ".join(note["what"] for note in result["notes"])
        self.assertIn("did not end in order", said)
        self.assertIn("died of signal 11", said)

    def test_time_limit_ends_the_program_and_shows_what_there_is(self):
        result = self.traced("--time-limit", "1", program=[CUDA_PROGRAM, "a*20000", "--hang"],
                             code=TIME_LIMIT)
        self.assertIn("--time-limit", " ".join(note["what"] for note in result["notes"]))
        _, described = self.run_folder()
        self.assertEqual(described["outcome"], "time-limit")

    def test_nothing_before_the_delay(self):
        self.traced("--delay", "3600", program=[CUDA_PROGRAM, "a*10"])
        _, described = self.run_folder()
        self.assertNotIn("PROOFLINE_TIMELINE='0 0'", described["steps"][0]["command"])

    def test_without_cuda_there_is_nothing_to_show(self):
        done = self.trace(program=["/bin/echo", "hello"])
        self.expect_code(done, INPUT)
        self.assertIn(b"used no CUDA", done.stderr)

    def test_says_why_nothing_could_be_recorded(self):
        self.environment["FAKE_CUPTI"] = "refuse"
        done = self.trace(program=[CUDA_PROGRAM, "a*10"])
        self.expect_code(done, TOOL)
        self.assertIn(b"CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED", done.stderr)

    def test_dry_run_runs_nothing(self):
        done = self.trace("--dry-run", program=[CUDA_PROGRAM, "a"])
        self.expect_code(done, DONE)
        self.assertIn(b"PROOFLINE_TIMELINE=", done.stdout)
        self.expect_no_run_folder()

    def test_wrong_flags(self):
        self.expect_code(self.trace("--by", "perf", program=["/bin/true"]), USAGE)
        self.expect_code(self.trace("--delay", "-1", program=["/bin/true"]), USAGE)


class ByNsys(TraceTest):
    """The export is a recording of ours: what is read is told by content, and which of nsys' own
    exports can be read is the reader's test."""

    def setUp(self):
        super().setUp()
        self.runs = self.folder / "made"
        self.traced(program=[CUDA_PROGRAM, "a*300:5000"])
        made, = self.runs.glob("*/recording/*.recording")
        self.runs = self.folder / "runs"
        self.export = self.write("export.sqlite", made.read_bytes())
        self.report = self.write("report.nsys-rep", b"NVIDIA Tegra Profiler Report \x00")

    def nsys(self, profile, export):
        self.tool("nsys", ["[profile]", f"record {self.records}", *profile,
                           "[export]", f"record {self.records}", *export])

    def test_records_exports_and_reads(self):
        self.nsys([f"output {self.report}"], [f"output {self.export}"])
        result = self.traced("--by", "nsys", "--delay", "2", "--duration", "3",
                             program=["/bin/echo", "hello"])
        folder, described = self.run_folder()
        self.assertEqual(result["source"]["path"], str(folder / "trace.sqlite"))
        self.assertEqual((folder / "trace.nsys-rep").read_bytes(), self.report.read_bytes())
        record, export = (call.argv for call in self.calls())
        self.assertEqual(record[1], "profile")
        self.assertEqual(record[-2:], ["/bin/echo", "hello"])
        self.assertIn("--delay=2", record)
        self.assertIn("--duration=3", record)
        self.assertEqual(export[1:3], ["export", "--type=sqlite"])
        self.assertEqual([step["label"] for step in described["steps"]], ["nsys", "nsys-export"])
        self.assertEqual(described["steps"][0]["version"], "2025.1.1.131")

    def timeline(self, path):
        return self.run_it("timeline", path, "--format", "json")

    def test_timeline_has_a_report_exported(self):
        self.nsys([], [f"output {self.export}"])
        done = self.timeline(self.report)
        self.expect_code(done, DONE)
        self.assertEqual(json.loads(done.stdout)["source"]["path"], str(self.report))
        call, = self.calls()
        self.assertEqual(call.argv[-1], str(self.report))
        self.assertFalse(pathlib.Path(call.argv[-2]).exists(), "the export is left behind")

    def test_timeline_says_why_an_export_failed(self):
        self.nsys([], ["exit 1"])
        done = self.timeline(self.report)
        self.expect_code(done, TOOL)
        self.assertIn(b"nsys could not export it", done.stderr)

    def test_timeline_without_nsys_says_how_to_export(self):
        done = self.timeline(self.report)
        self.expect_code(done, INPUT)
        self.assertIn(b"nsys export -t sqlite", done.stderr)

    def test_a_report_that_is_missing(self):
        self.nsys(["exit 1"], [])
        done = self.trace("--by", "nsys", program=["/bin/echo", "hello"])
        self.expect_code(done, TOOL)
        self.assertIn(b"nsys left no report (exited with 1)", done.stderr)

    def test_an_export_that_fails(self):
        self.nsys([f"output {self.report}"], ["exit 1"])
        done = self.trace("--by", "nsys", program=["/bin/echo", "hello"])
        self.expect_code(done, TOOL)
        self.assertIn(b"could not export", done.stderr)

    def test_time_limit(self):
        self.nsys(["hang"], [])
        done = self.trace("--by", "nsys", "--time-limit", "0.5", program=["/bin/echo", "hello"])
        self.expect_code(done, TIME_LIMIT)

    def test_without_nsys(self):
        done = self.trace("--by", "nsys", program=["/bin/echo", "hello"])
        self.expect_code(done, TOOL)
        self.assertIn(b"nsys was not found", done.stderr)
        self.expect_no_run_folder()


if __name__ == "__main__":
    unittest.main()
