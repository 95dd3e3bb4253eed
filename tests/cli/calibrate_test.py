#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`calibrate` without a driver and on the fake one: what it stores, and what `show` makes of it."""
import copy
import json
import os
import shutil
import unittest

from schemas import errors, validator
from support import DONE, INPUT, PARTIAL, ROOT, STORAGE, USAGE, TestCase, run

TOOL = 5
VALIDATOR = validator("ceilings")
FIXTURE = ROOT / "tests" / "fixtures" / "ceilings" / "ceilings.json"
FAKE_CUDA = os.environ["PROOFLINE_FAKE_CUDA"]


def ceilings(result):
    return {one["name"]: one for one in result["ceilings"]}


class CalibrateTest(TestCase):
    def setUp(self):
        super().setUp()
        self.work = self.folder / "work"
        self.work.mkdir()

    def calibrate(self, *arguments, library=None, **options):
        """In self.work, with this file as the driver; one that is no library at all without it."""
        driver = self.folder / "driver"
        driver.mkdir(exist_ok=True)
        if library:
            shutil.copy(library, driver / "libcuda.so.1")
        else:
            (driver / "libcuda.so.1").write_bytes(b"")
        environment = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": str(driver),
                       "HOME": str(self.folder)}
        return run("calibrate", *arguments, cwd=self.work, env=environment, **options)

    def expect_valid(self, result):
        self.assertEqual(errors(VALIDATOR, result), [])

    def stored(self):
        """The one file below the folder that has been calibrated in."""
        files = list(self.folder.glob("**/.proofline/ceilings/*"))
        self.assertEqual(len(files), 1, files)
        return files[0]


class WithoutADriver(CalibrateTest):
    def test_says_so_and_stores_nothing(self):
        self.expect_error(self.calibrate(), TOOL)
        self.assertEqual(list(self.work.iterdir()), [])

    def test_unknown_ceiling(self):
        done = self.calibrate("--only", "l2,drma")
        self.expect_error(done, USAGE)
        self.assertIn(b"--only \"drma\": there is no such ceiling, nearest dram", done.stderr)
        self.assertIn(b"fp32", done.stderr)

    def test_flags_that_make_no_sense(self):
        for flags in ("--seconds", "0"), ("--seconds", "nan"), ("--device", "-1"), ("--only",):
            self.expect_error(self.calibrate(*flags), USAGE)


class OnAFakeDriver(CalibrateTest):
    def measure(self, *flags, expected=(DONE, PARTIAL), **options):
        done = self.calibrate("--seconds", "0.02", "--format", "json", *flags, library=FAKE_CUDA,
                              **options)
        self.assertIn(done.returncode, expected, done.stderr)
        result = json.loads(done.stdout, parse_constant=self.fail)
        self.expect_valid(result)
        return result

    def test_what_is_printed_is_stored(self):
        result = self.measure("--only", "dram,fp32")
        self.assertEqual(list(ceilings(result)), ["dram", "fp32"])
        self.assertEqual([one["unit"] for one in result["ceilings"]], ["B/s", "FLOP/s"])
        path = self.stored()
        self.assertEqual(path.name, result["machine"]["uuid"] + ".json")
        self.assertEqual(json.loads(path.read_text()), result)

    def test_only_some_leaves_the_others(self):
        self.measure("--only", "dram,fp32")
        path = self.stored()
        before = json.loads(path.read_text())
        before["measured_at"] = "2020-01-01T00:00:00Z"
        for one in before["ceilings"]:
            one["how"] = "long ago"
        path.write_text(json.dumps(before))
        after = self.measure("--only", "fp32")
        self.assertEqual(json.loads(path.read_text()), after)
        self.assertEqual(list(ceilings(after)), ["dram", "fp32"])
        self.assertEqual(ceilings(after)["dram"], ceilings(before)["dram"])
        self.assertNotEqual(ceilings(after)["fp32"]["how"], "long ago")
        self.assertIn("kept from the file of \"2020-01-01T00:00:00Z\": dram",
                      [note["what"] for note in after["notes"]])

    def test_damaged_earlier_ones_are_dropped(self):
        self.measure("--only", "dram")
        self.stored().write_bytes(b"{")
        after = self.measure("--only", "fp32")
        self.assertEqual(list(ceilings(after)), ["fp32"])
        self.assertTrue(any("earlier ceilings are dropped" in note["what"]
                            for note in after["notes"]), after["notes"])

    def test_nearest_folder_above(self):
        (self.folder / ".proofline").mkdir()
        self.measure("--only", "dram")
        self.assertEqual(self.stored().parents[2], self.folder)

    def test_a_file_of_ones_own(self):
        self.measure("--only", "dram", "--out", self.folder / "mine" / "a.json")
        self.assertTrue((self.folder / "mine" / "a.json").exists())
        self.assertEqual(list(self.work.iterdir()), [])

    def test_shown_although_it_cannot_be_stored(self):
        (self.work / ".proofline").write_bytes(b"in the way")
        result = self.measure("--only", "dram", expected=(STORAGE,))
        self.assertEqual(list(ceilings(result)), ["dram"])

    def test_table(self):
        done = self.calibrate("--only", "dram", "--seconds", "0.02", library=FAKE_CUDA)
        self.assertIn(done.returncode, (DONE, PARTIAL), done.stderr)
        self.assertRegex(done.stdout, rb"dram +[0-9.]+ GB/s")
        self.expect_inert(done.stdout)


class Shown(CalibrateTest):
    def shown(self, *arguments, expected=DONE, **options):
        done = run("show", "--format", "json", *arguments, **options)
        self.assertEqual(done.returncode, expected, done.stderr)
        result = json.loads(done.stdout, parse_constant=self.fail)
        self.expect_valid(result)
        return result

    def test_stored_ceilings(self):
        right = json.loads(FIXTURE.read_text(encoding="utf-8"))
        self.expect_valid(right)
        shown = self.shown(FIXTURE)
        # Whoever prints it is the tool, not who measured.
        self.assertEqual(shown | {"tool": right["tool"]}, right)
        self.assertEqual(self.shown("-", input=FIXTURE.read_bytes()), shown)

    def test_schema_tells_right_from_wrong(self):
        right = json.loads(FIXTURE.read_text(encoding="utf-8"))
        for name, value in (("unit", "GB/s"), ("per_second", 0), ("interval", 1), ("name", "")):
            wrong = copy.deepcopy(right)
            wrong["ceilings"][0][name] = value
            self.assertFalse(VALIDATOR.is_valid(wrong), name)

    def test_table_and_rows(self):
        done = run("show", FIXTURE)
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn(b"at least 500.0 TFLOP/s", done.stdout)
        done = run("show", "--format", "csv", FIXTURE)
        self.assertEqual(len(done.stdout.splitlines()), 6)

    def test_part_of_it_is_damaged(self):
        damaged = json.loads(FIXTURE.read_text(encoding="utf-8"))
        damaged["ceilings"][0]["per_second"] = -1
        path = self.write("damaged.json", json.dumps(damaged).encode())
        self.assertEqual(len(self.shown(path, expected=PARTIAL)["ceilings"]), 4)
        self.expect_error(run("show", self.write("none.json", json.dumps(
            {**damaged, "ceilings": []}).encode())), INPUT)


if __name__ == "__main__":
    unittest.main()
