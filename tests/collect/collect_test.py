#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cmake/collect.cmake as the script that a build runs: what it lists, and when it writes.

    tests/collect/collect_test.py CMAKE
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "cmake" / "collect.cmake"
CMAKE = sys.argv.pop(1) if len(sys.argv) > 1 else "cmake"


class CollectTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.out = self.folder / "rules.gen.cpp"

    def write(self, stem, line):
        (self.folder / f"{stem}.cpp").write_text(f"namespace proofline {{\n{line}\n}}\n",
                                                 encoding="utf-8")

    def collect(self):
        files = ";".join(str(file) for file in self.folder.iterdir() if file != self.out)
        subprocess.run([CMAKE, f"-DOUT={self.out}", "-DTYPE=Rule", "-DFUNCTION=rules",
                        "-DHEADER=rules/rule.h", f"-DFILES={files}", "-P", SCRIPT], check=True)
        return self.out.read_text(encoding="utf-8")

    def test_lists_the_files_that_define_their_function(self):
        self.write("second", "Rule second() { return {}; }")
        self.write("first", "Rule first() {\n  return {};\n}")
        self.write("helper", "int helper() { return first().gain; }")
        self.write("other", "Rule another() { return {}; }")
        text = self.collect()
        self.assertIn('#include "rules/rule.h"', text)
        self.assertIn("Rule first();\nRule second();\n", text)
        self.assertIn("{first(), second(), }", text)
        self.assertNotIn("other", text)
        self.assertNotIn("helper", text)

    def test_leaves_the_list_alone_until_it_changes(self):
        self.write("one", "Rule one() { return {}; }")
        before = self.collect()
        os.utime(self.out, (1, 1))
        self.write("one", "Rule one() { return {1}; }")
        self.assertEqual(self.collect(), before)
        self.assertEqual(self.out.stat().st_mtime, 1)
        self.write("one", "int one();")
        self.assertNotIn("one()", self.collect())
        self.assertNotEqual(self.out.stat().st_mtime, 1)


if __name__ == "__main__":
    unittest.main()
