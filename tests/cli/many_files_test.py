#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many reports at once, and the gates that CI puts on them."""
import json
import shutil
import unittest

from support import DONE, INPUT, PARTIAL, ROOT, USAGE, TestCase, run

REPORT = ROOT / "examples" / "h200-kernels.ncu-rep.gz"
FAILED, INCONCLUSIVE = 1, 10


class Folders(TestCase):
    def setUp(self):
        super().setUp()
        self.reports = self.folder / "reports"
        (self.reports / "night").mkdir(parents=True)
        for name in "b.ncu-rep.gz", "night/a.ncu-rep.gz":
            shutil.copy(REPORT, self.reports / name)

    def sources(self, *words, code=DONE):
        done = run("diagnose", *words, "--format", "json")
        self.assertEqual(done.returncode, code, done.stderr)
        result = json.loads(done.stdout)
        return [source["path"] for source in result["sources"]], result["notes"]

    def test_a_folder_is_all_its_reports(self):
        (self.reports / "README.md").write_text("no report")
        (self.reports / ".hidden").write_bytes(REPORT.read_bytes())
        paths, notes = self.sources(self.reports)
        self.assertEqual(paths, [str(self.reports / name)
                                 for name in ("b.ncu-rep.gz", "night/a.ncu-rep.gz")])
        self.assertEqual([note["count"] for note in notes if "does not read" in note["what"]], [1])

    def test_links_do_not_lead_in_circles(self):
        (self.reports / "round").symlink_to(self.reports)
        self.assertEqual(len(self.sources(self.reports)[0]), 2)

    def test_a_pattern_that_no_shell_resolved(self):
        self.assertEqual(len(self.sources(f"{self.reports}/*.ncu-rep.gz")[0]), 1)
        self.expect_error(run("diagnose", f"{self.reports}/*.nothing"), INPUT)
        odd = self.folder / "a[1].ncu-rep.gz"
        shutil.copy(REPORT, odd)
        self.assertEqual(self.sources(odd)[0], [str(odd)])

    def test_good_ones_are_shown_where_one_is_bad(self):
        bad = self.write("bad.ncu-rep", b"NVR\0 and no more")
        paths, notes = self.sources(bad, REPORT, self.folder / "missing", code=PARTIAL)
        self.assertEqual(paths, [str(REPORT)])
        lost = [note["what"] for note in notes if note["kind"] == "loss"]
        self.assertEqual(len(lost), 2, notes)
        self.assertIn("bad.ncu-rep", lost[0])
        self.expect_error(run("diagnose", bad, self.folder / "missing"), INPUT)

    def test_an_empty_folder(self):
        empty = self.folder / "empty"
        empty.mkdir()
        self.expect_error(run("diagnose", empty), INPUT)


class Gates(TestCase):
    def found(self):
        done = run("diagnose", REPORT, "--format", "json")
        return {finding["id"] for kernel in json.loads(done.stdout)["kernels"]
                for finding in kernel["findings"]}

    def test_a_finding_trips_it_and_a_clean_rule_does_not(self):
        one = sorted(self.found())[0]
        done = run("diagnose", REPORT, "--fail-on", one)
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(f"--fail-on {one}: ", done.stderr.decode())
        self.assertEqual(run("diagnose", REPORT, "--fail-on", "any").returncode, FAILED)
        # It looks at every kernel, and finds nothing.
        every = json.loads(run("diagnose", REPORT, "--format", "json").stdout)["kernels"]
        clean = set.intersection(*({*kernel["clean"]} for kernel in every))
        self.assertEqual(run("diagnose", REPORT, "--fail-on", sorted(clean)[0]).returncode, DONE)

    def test_what_cannot_be_judged_does_not_pass(self):
        every = json.loads(run("diagnose", REPORT, "--format", "json").stdout)["kernels"]
        unknown = {one["id"] for kernel in every for one in kernel["not_evaluated"]}
        self.assertTrue(unknown - self.found())
        done = run("diagnose", REPORT, "--fail-on", sorted(unknown - self.found())[0])
        self.assertEqual(done.returncode, INCONCLUSIVE, done.stderr)

    def test_select_and_ignore(self):
        found = self.found()
        one = sorted(found)[0]
        for flag, left in ("--select", {one}), ("--ignore", found - {one}):
            done = run("diagnose", REPORT, flag, one, "--format", "json")
            ids = {finding["id"] for kernel in json.loads(done.stdout)["kernels"]
                   for finding in kernel["findings"]}
            self.assertEqual(one in ids, one in left, flag)
            self.assertTrue(flag == "--ignore" or ids <= {one}, ids)
        self.expect_error(run("diagnose", REPORT, "--select", "uncoalesed-global"), USAGE)
        self.expect_error(run("diagnose", REPORT, "--ignore", one, "--fail-on", one), USAGE)

    def test_slower_by_more_than_allowed(self):
        basic = ROOT / "tests" / "fixtures" / "ncu_rep" / "h200-basic.ncu-rep.gz"
        words = ["-k", "polynomial", "--format", "json"]
        sides = [basic, REPORT]
        ratio = json.loads(run("compare", *sides, *words).stdout)["pairs"][0]["duration"]["ratio"]
        if ratio < 1:
            sides.reverse()
            ratio = 1 / ratio
        for share, code in ((ratio - 1) * 0.9, FAILED), ((ratio - 1) * 1.1, DONE):
            done = run("compare", *sides, *words, "--fail-above", f"{100 * share:.6f}%")
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(b"longer" in done.stderr, code == FAILED)


if __name__ == "__main__":
    unittest.main()
