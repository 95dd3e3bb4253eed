#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`bench` on a GPU that is held back, or that others use (L3): its samples say so, and a gain that only
one side's throttling explains is not kept. The GPU is that of tests/programs/fake_nvml.cpp."""
import json
import os
import shutil
import unittest

from fake_tools import FakeToolsTest
from support import DONE

INCONCLUSIVE = 10


class HeldBack(FakeToolsTest):
    def setUp(self):
        super().setUp()
        libraries = self.folder / "lib"
        libraries.mkdir()
        shutil.copy(os.environ["PROOFLINE_FAKE_NVML"], libraries / "libnvidia-ml.so.1")
        capped = self.folder / "capped"
        self.environment.update(LD_LIBRARY_PATH=os.fspath(libraries), FAKE_NVML="alone",
                                FAKE_NVML_CAPPED=os.fspath(capped))
        # At the power limit until somebody has seen it.
        script = self.write("capped.sh", f"""#!/bin/sh
            : > {capped}
            until test -e {capped}.seen; do :; done
            rm {capped} {capped}.seen
            """.encode())
        script.chmod(0o755)
        self.capped = os.fspath(script)

    def bench(self, *words, code=DONE):
        done = self.run_it("bench", "--runs", self.runs, "--time-by", "wall", "--warm-up", "0",
                           "--format", "json", *words)
        self.expect_code(done, code)
        (run,) = self.runs.iterdir()
        return json.loads(done.stdout), json.loads((run / "benchmark.json").read_text())

    def test_samples_are_tagged_and_the_gain_is_not_kept(self):
        result, kept = self.bench("--starts", "6", "--gate", "--a", self.capped, "--b", "/bin/true",
                                  code=INCONCLUSIVE)
        samples = [side["measurements"][0]["samples"] for side in kept["sides"]]
        self.assertEqual([one.get("throttled", []) for one in samples], [[0, 1, 2, 3, 4, 5], []])
        self.assertIn("throttled-unequally", json.dumps(result))

    def test_other_processes_are_named(self):
        _, alone = self.bench("--starts", "1", "--a", "/bin/true")
        self.assertEqual(alone["sides"][0]["notes"], [])
        shutil.rmtree(self.runs)
        del self.environment["FAKE_NVML"]
        _, shared = self.bench("--starts", "1", "--a", "/bin/true")
        (note,) = shared["sides"][0]["notes"]
        self.assertIn("4711 (python3), 4712 (python3)", note["what"])
        self.assertEqual(shared["sides"][0]["machine"]["gpu"], "NVIDIA H200")


if __name__ == "__main__":
    unittest.main()
