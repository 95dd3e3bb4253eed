#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A command that cannot use a file names commands that can, and those really do."""
import re
import unittest

from support import CAPTURE, INPUT, ROOT, TestCase, run

FIXTURES = ROOT / "tests" / "fixtures"
# One of each kind, and a command that is not for it.
WRONG = {
    CAPTURE: "decide",
    FIXTURES / "ncu_rep" / "h200-basic.raw-base.csv.gz": "sass",
    FIXTURES / "cubin" / "kernels.sm_90a.cubin.gz": "show",
    FIXTURES / "benchmark" / "google.json": "diagnose",
    FIXTURES / "sanitizer" / "memcheck-clean.log": "sass",
    FIXTURES / "ceilings" / "ceilings.json": "decide",
}
TAKES_TWO = ("compare", "decide")


class InputsTest(TestCase):
    def arguments(self, command, file):
        """The words that make this command take the file."""
        words = [command, str(file)] + [str(file)] * (command in TAKES_TWO)
        return words + ["--out", str(self.folder)] * (command == "plot")

    def test_what_an_error_recommends_works(self):
        for file, wrong in WRONG.items():
            refused = run(*self.arguments(wrong, file))
            self.assertEqual(refused.returncode, INPUT, file)
            advice = re.search(r": use ([\w, ]+)$", refused.stderr.decode().strip())
            self.assertTrue(advice, refused.stderr)
            commands = re.split(r", | or ", advice[1])
            self.assertNotIn(wrong, commands)
            for command in commands:
                done = run(*self.arguments(command, file))
                self.assertNotEqual(done.stdout, b"", f"{command} {file}: {done.stderr}")


if __name__ == "__main__":
    unittest.main()
