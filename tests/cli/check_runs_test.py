#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run's folder is evidence: what it measured is read, not what its programs printed, what single
starts left, nor the recorder that lies beside a recording."""
import json
import os
import unittest

from fake_tools import FakeToolsTest
from support import DONE

FAKE = os.environ["PROOFLINE_FAKE_BENCHMARK"]
CUDA_PROGRAM = os.environ["PROOFLINE_FAKE_CUDA_PROGRAM"]


class RunFolders(FakeToolsTest):
    def setUp(self):
        super().setUp()
        self.environment["PROOFLINE_CUPTI"] = os.environ["PROOFLINE_FAKE_CUPTI"]

    def kept(self, *words):
        """The folder of a run of this command."""
        self.expect_code(self.run_it(*words[:1], "--runs", self.runs, *words[1:]), DONE)
        return self.run_folder()[0]

    def passed(self, expression, folder):
        """The result of a check that holds."""
        playbook = self.write("one.toml", f"""
            [playbook]
            id = "one"
            title = "One"
            [[kernel]]
            id = "any"
            name = '.'
            [[check]]
            id = "it"
            expr = '{expression}'
            """.encode())
        done = self.run_it("check", playbook, folder, "--format", "json")
        self.expect_code(done, DONE)
        result = json.loads(done.stdout)
        self.assertEqual([check["verdict"] for check in result["checks"]], ["PASS"])
        return result

    def test_of_trace(self):
        folder = self.kept("trace", "--", CUDA_PROGRAM, "a*100:5000")
        self.assertTrue((folder / "recording" / "libproofline_recorder.so").exists())
        for place in folder, folder / "recording":
            self.passed("timeline.kernels.share > 1%", place)
            self.expect_code(self.run_it("timeline", place), DONE)

    def test_of_profile(self):
        self.ncu(*self.recorded("ncu", "normal"))
        folder = self.kept("profile", "--", "/bin/true")
        self.assertTrue((folder / "ncu.log").exists())
        self.passed("duration > 0 ns", folder)

    def test_of_bench(self):
        folder = self.kept("bench", "--starts", "6", "--warm-up", "0", "--keep-same", "--a", FAKE,
                           "--b", f"{FAKE} --factor=0.5")
        self.assertTrue((folder / "a-1.json").exists())
        result = self.passed('change.gain > 45% and change.verdict == "KEEP"', folder)
        self.assertEqual(result["sources"], [str(folder / "benchmark.json")])


if __name__ == "__main__":
    unittest.main()
