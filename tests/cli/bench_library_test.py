#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The measurement library (bench/) in a program of its own, on a CUDA runtime without a GPU."""
import json
import os
import subprocess
import unittest

from schemas import validator
from support import DONE, INPUT, ROOT, STORAGE, TIMEOUT_S, USAGE, TestCase, run

WRONG, TOOL = 1, 5
PROGRAM = os.environ.get("PROOFLINE_FAKE_GPU_BENCHMARK")
VALIDATOR = validator("bench")
PAUSES_NS = 1500  # of tests/programs/fake_cudart.h, round each kernel that events time


@unittest.skipUnless(PROGRAM, "built without CUDA's headers")
class BenchLibraryTest(TestCase):
    def measure(self, *flags, n="10", code=DONE, gpu="", stdout=subprocess.PIPE,
                **environment):
        """The measurements by implementation, of kernels of n microseconds."""
        for name in ("libcuda.so.1", "libcupti.so"):
            self.write(name, b"")  # not a library: there is no driver, and no CUPTI
        result = self.folder / "result.json"
        done = subprocess.run(
            [PROGRAM, "--n", n, "--out", result, *flags], stdout=stdout,
            stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False, cwd=self.folder,
            env={"LD_LIBRARY_PATH": str(self.folder), "HOME": str(self.folder), "FAKE_GPU": gpu,
                 "PROOFLINE_CUPTI": str(self.folder / "libcupti.so"), **environment})
        self.assertEqual(done.returncode, code, done.stderr)
        self.stderr = done.stderr.decode()
        text = result.read_text() if result.exists() else ""
        if not text:
            return None
        document = json.loads(text)
        VALIDATOR.validate(document)
        side, = document["sides"]
        self.notes = " ".join(note["what"] for note in side["notes"])
        return {each["implementation"]: each for each in side["measurements"]}

    def expect_times(self, measurement, timed_by, ns):
        self.assertEqual((measurement["state"], measurement["timed_by"]), ("measured", timed_by))
        self.assertGreaterEqual(len(measurement["samples"]["ns"]), 20)
        for sample in measurement["samples"]["ns"]:
            self.assertAlmostEqual(sample / ns, 1, places=3)

    def test_a_graph_sees_the_kernel_alone_however_long_it_is(self):
        for us in (10, 2000, 20_000):
            plain = self.measure("--implementation", "plain", n=str(us))["plain"]
            self.expect_times(plain, "cuda-graph", us * 1e3)
            self.assertEqual(plain["correctness"]["state"], "passed")
            self.assertEqual(plain["stopped"], "tight")

    def test_events_say_that_they_see_more_where_that_is_not_known(self):
        found = self.measure("--implementation", "plain", "--time-by", "events")
        self.expect_times(found["plain"], "cuda-events", 10e3 + PAUSES_NS)
        self.assertIn("hold the GPU's pauses", self.notes)

    def test_several_ways_to_compare_them(self):
        found = self.measure("--implementation", "plain", "--time-by", "graph,events")
        self.expect_times(found["plain by graph"], "cuda-graph", 10e3)
        self.expect_times(found["plain by events"], "cuda-events", 10e3 + PAUSES_NS)

    def test_what_cannot_be_captured_is_timed_by_events_and_says_so(self):
        found = self.measure("--implementation", "plain", gpu="no-capture")
        self.expect_times(found["plain"], "cuda-events", 10e3 + PAUSES_NS)
        self.assertIn("cannot be captured", self.notes)

    def test_a_way_that_was_asked_for_is_not_replaced(self):
        found = self.measure("--implementation", "plain", "--time-by", "graph", gpu="no-capture",
                             code=TOOL)
        self.assertEqual(found["plain"]["state"], "failed")
        found = self.measure("--implementation", "plain", "--time-by", "cupti", code=TOOL)
        self.assertIn("libcupti", found["plain"]["reason"])

    def test_a_cold_cache_without_cupti(self):
        found = self.measure("--implementation", "plain,with-memset", "--cache", "cold")
        self.expect_times(found["plain"], "cuda-events", 10e3 + PAUSES_NS)
        self.assertIn("with a cold cache are timed by events", self.notes)
        # CUPTI would not see the memset, with or without the library.
        self.expect_times(found["with-memset"], "cuda-events", 10e3 + 100 + PAUSES_NS)
        self.assertIn("more than kernels", self.notes)

    def test_what_cupti_may_not_see_whole_is_timed_by_events(self):
        """This CUPTI works, but sees nothing of the fake runtime."""
        found = self.measure("--implementation", "with-memset", "--cache", "cold", gpu="no-capture",
                             PROOFLINE_CUPTI=os.environ["PROOFLINE_FAKE_CUPTI"])
        self.expect_times(found["with-memset"], "cuda-events", 10e3 + 100 + PAUSES_NS)
        self.assertIn("more than kernels", self.notes)

    def test_peak_memory_is_that_of_the_implementation(self):
        found = self.measure("--implementation", "with-workspace,with-memset")
        self.assertGreaterEqual(found["with-workspace"]["peak_memory_bytes"], 1 << 20)
        self.assertLess(found["with-memset"]["peak_memory_bytes"], 1 << 20)

    def test_large_integers_are_compared_exactly(self):
        found = self.measure("--implementation", "large,large-off-by-one", code=WRONG)
        self.assertEqual(found["large"]["state"], "measured")
        self.assertEqual(found["large-off-by-one"]["state"], "wrong")
        self.assertEqual(found["large-off-by-one"]["correctness"]["max_abs_error"], 1)
        self.assertIn("off by 1", found["large-off-by-one"]["reason"])

    def test_files_are_written_whoever_reads_the_table(self):
        reading, writing = os.pipe()
        os.close(reading)
        with open(writing, "wb") as closed_pipe:
            found = self.measure("--implementation", "plain", stdout=closed_pipe)
        self.assertEqual(found["plain"]["state"], "measured")
        (self.folder / "result.json").unlink()
        with open("/dev/full", "wb") as full:
            found = self.measure("--implementation", "plain", stdout=full, code=STORAGE)
        self.assertEqual(found["plain"]["state"], "measured")
        self.assertIn("No space left on device", self.stderr)

    def test_an_earlier_file_stays_until_there_is_a_result(self):
        before = self.measure("--implementation", "plain")
        self.assertEqual(self.measure(gpu="none", code=TOOL), before)
        self.assertEqual([each.name for each in self.folder.glob("result.json*")], ["result.json"])

    def test_what_is_wrong_is_not_timed(self):
        found = self.measure("--implementation", "plain,wrong,unwritten", code=WRONG)
        self.assertEqual(found["plain"]["state"], "measured")
        self.assertEqual(found["wrong"]["state"], "wrong")
        self.assertEqual(found["wrong"]["correctness"]["wrong"], 3)
        self.assertEqual(found["unwritten"]["correctness"]["nans"], 4)
        for name in ("wrong", "unwritten"):
            self.assertEqual(found[name]["samples"]["ns"], [])

    def test_check_only(self):
        for flags, environment in ((["--check-only"], {}), ([], {"PROOFLINE_BENCH_CHECK_ONLY": "1"})):
            found = self.measure("--implementation", "plain", *flags, **environment)
            self.assertEqual(found["plain"]["state"], "skipped")
            self.assertEqual(found["plain"]["correctness"]["state"], "passed")
            self.assertEqual(found["plain"]["samples"]["ns"], [])
            self.measure("--implementation", "wrong", *flags, code=WRONG, **environment)

    def test_what_launches_nothing(self):
        found = self.measure("--implementation", "elsewhere", code=TOOL)
        self.assertIn("launch.stream", found["elsewhere"]["reason"])

    def test_a_broken_context_ends_it_and_says_what_is_missing(self):
        found = self.measure(n="10,20,30", gpu="breaks", code=TOOL)
        self.assertIn("cudaErrorLaunchFailure", found["plain"]["reason"])
        self.assertIn("2 more configurations are left out", self.stderr)

    def test_no_gpu_and_no_memory(self):
        self.assertIsNone(self.measure(gpu="none", code=TOOL))
        self.assertIn("GPU 0 cannot be used", self.stderr)
        failed = self.measure(gpu="full", code=TOOL)[""]
        self.assertEqual(failed["state"], "failed")
        self.assertIn("cudaMalloc", failed["reason"])

    def test_shares_of_measured_ceilings(self):
        ceilings = json.loads((ROOT / "tests" / "fixtures" / "ceilings" / "ceilings.json").read_text())
        ceilings["machine"]["gpu"] = "Fake GPU"
        dram, = (one for one in ceilings["ceilings"] if one["name"] == "dram")
        dram["per_second"] = 1e12  # 8 MB in 10 us are 0.8 TB/s
        path = self.write("ceilings.json", json.dumps(ceilings).encode())
        found = self.measure("--implementation", "plain", PROOFLINE_CEILINGS=str(path))
        self.assertEqual(found["plain"]["roof"]["name"], "dram")
        self.assertAlmostEqual(found["plain"]["roof"]["share"], 0.8, places=3)
        dram["per_second"] = 0.6e12
        dram["interval"] = None
        ceilings["ceilings"] = [dram]
        path.write_text(json.dumps(ceilings))
        found = self.measure("--implementation", "plain", PROOFLINE_CEILINGS=str(path), code=INPUT)
        self.assertEqual(found["plain"]["state"], "invalid")
        self.assertIn("calibrate again", found["plain"]["reason"])

    def test_bad_flags(self):
        self.assertIsNone(self.measure("--implementation", "fast", code=USAGE))
        self.assertIn("there are only", self.stderr)
        self.assertIsNone(self.measure("--time-by", "guess", code=USAGE))

    def test_bench_starts_it_and_decides(self):
        done = run("bench", "--a", f"{PROGRAM} --n 10 --implementation plain", "--b",
                   f"{PROGRAM} --n 10 --implementation plain", "--starts", "3", "--format", "json",
                   cwd=self.folder)
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn(b"program's own result", done.stderr)


if __name__ == "__main__":
    unittest.main()
