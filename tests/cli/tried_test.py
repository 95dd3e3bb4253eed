#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Advice that was tried before says so: try --task puts it into the journal, check and diagnose
read it from there."""
import json
import os
import unittest

from support import DONE, ROOT, TestCase, run

REPORT = ROOT / "examples" / "h200-kernels.ncu-rep.gz"
PLAYBOOK = ROOT / "tests" / "fixtures" / "playbooks" / "transpose.toml"
FAST = os.environ["PROOFLINE_FAKE_BENCHMARK"]
FAILED = 1


class Tried(TestCase):
    def setUp(self):
        super().setUp()
        self.playbook = self.write("transpose.toml", PLAYBOOK.read_bytes().replace(
            b'expect = "40-70%"\n', b'expect = "40-70%"\nanswers = ["shared-bank-conflicts"]\n'))

    def attempt(self, *flags):
        """One that fails its check, so that nothing has to be measured."""
        return run("try", "pad the tile", "--task", f"{self.playbook}/pad", "--on",
                   "transpose_tiled", "--cc", "9.0", "--a", FAST, "--check", "/bin/false", *flags,
                   "--", FAST, cwd=self.folder)

    def checked(self):
        done = run("check", self.playbook, REPORT, "--format", "json", cwd=self.folder)
        self.assertEqual(done.returncode, FAILED, done.stderr)
        return json.loads(done.stdout)

    def test_check_does_not_offer_it_again(self):
        self.assertEqual(self.checked()["next"], "pad")
        self.assertEqual(self.attempt().returncode, FAILED)
        result = self.checked()
        self.assertEqual(result["next"], "")
        self.assertEqual(result["tasks"][0]["state"], "reverted")
        self.assertRegex(result["tasks"][0]["reason"], r"^tried 20\d\d-\d\d-\d\d, failed \([0-9a-f]{8}\)$")

    def test_diagnose_says_so(self):
        before = run("diagnose", REPORT, "--kernel", "transpose", cwd=self.folder)
        self.assertEqual(self.attempt().returncode, FAILED)
        after = run("diagnose", REPORT, "--kernel", "transpose", cwd=self.folder)
        self.assertEqual(after.returncode, before.returncode)
        self.assertNotIn(b"tried 20", before.stdout)
        self.assertEqual(after.stdout.count(b"before: tried 20"), 1)
        done = run("diagnose", REPORT, "--kernel", "transpose", "--format", "json", cwd=self.folder)
        for kernel in json.loads(done.stdout)["kernels"]:
            for finding in kernel["findings"]:
                self.assertEqual("tried" in finding, finding["id"] == "shared-bank-conflicts")

    def test_another_kernel_is_another_matter(self):
        done = self.attempt("--journal", str(self.folder / "other.sqlite"))
        self.assertEqual(done.returncode, FAILED, done.stderr)
        self.assertEqual(self.checked()["next"], "pad")
        done = run("check", self.playbook, REPORT, "--journal", self.folder / "other.sqlite",
                   "--format", "json", cwd=self.folder)
        self.assertEqual(json.loads(done.stdout)["next"], "")

    def test_mistakes(self):
        for task, words in (("nothing", b"PLAYBOOK/ID"), (f"{self.playbook}/pod", b"no task"),
                            ("moe-evidence/none", b"no task")):
            done = run("try", "x", "--task", task, "--a", FAST, "--", FAST, cwd=self.folder)
            self.assertNotEqual(done.returncode, DONE)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
