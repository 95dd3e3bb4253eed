#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Laying a new capture into tests/fixtures keeps what RECORDED.md says of the others."""
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "record-fixtures"
TABLE = pathlib.PurePath("tests/fixtures/zoo/RECORDED.md")
HEADING = "Recorded.\n\n| report | results | command |\n|---|---|---|\n"


class Unpack(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.tree = self.scratch / "tree"
        (self.tree / "scripts").mkdir(parents=True)
        shutil.copy(SCRIPT, self.tree / "scripts")

    def write(self, root, path, text):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)

    def unpack(self, files):
        recorded = self.scratch / "recorded"
        for path, text in files.items():
            self.write(recorded, path, text)
        archive = self.scratch / "truth.tar"
        with tarfile.open(archive, "w") as tar:
            tar.add(recorded, arcname=".")
        done = subprocess.run([self.tree / "scripts" / "record-fixtures", "--unpack", archive],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_rows_of_other_captures_stay(self):
        self.write(self.tree, TABLE, HEADING + "| h200-zoo-roofs | 22 | `ncu a` |\n"
                   "| h200-zoo-waste | 12 | `ncu b | tee` |\n")
        self.unpack({TABLE: HEADING.replace("Recorded.", "Recorded again.") +
                     "| h200-zoo-waste | 14 | `ncu c` |\n| h200-zoo-texture | 2 | `ncu d` |\n"})
        self.assertEqual((self.tree / TABLE).read_text(),
                         HEADING.replace("Recorded.", "Recorded again.") +
                         "| h200-zoo-roofs | 22 | `ncu a` |\n| h200-zoo-waste | 14 | `ncu c` |\n"
                         "| h200-zoo-texture | 2 | `ncu d` |\n")

    def test_the_first_recording_makes_the_table(self):
        self.unpack({TABLE: HEADING + "| h200-zoo-roofs | 22 | `ncu a` |\n"})
        self.assertEqual((self.tree / TABLE).read_text(),
                         HEADING + "| h200-zoo-roofs | 22 | `ncu a` |\n")

    def test_other_files_are_laid_down_and_replaced(self):
        page = TABLE.parent / "h200-zoo-roofs.raw-base.csv.gz"
        self.write(self.tree, page, "old")
        self.unpack({page: "new", TABLE.parent / "h200-zoo-roofs.ncu-rep.gz": "report"})
        self.assertEqual((self.tree / page).read_text(), "new")
        self.assertTrue((self.tree / TABLE.parent / "h200-zoo-roofs.ncu-rep.gz").exists())


if __name__ == "__main__":
    unittest.main()
