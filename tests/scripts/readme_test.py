#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""README shows what ./demo really prints (its lines stand in that golden, in their order) and how strangers'
kernels were judged."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/golden/diagnose/example"


class Readme(unittest.TestCase):
    def test_output_of_the_demo(self):
        readme = (ROOT / "README.md").read_text()
        command, block = re.search(r"What `./demo` shows \(`(.*?)`\).*?\n```\n(.*?)```", readme,
                                   re.DOTALL).groups()
        self.assertIn(command, (GOLDEN / "cmd").read_text())
        printed = iter((GOLDEN / "expected").read_text().splitlines())
        for line in block.splitlines():
            self.assertIn(line, printed, "not, or not here, in the golden")

    def test_verdicts_on_strangers_kernels(self):
        document = (ROOT / "docs/accuracy-corpus.md").read_text()
        verdicts = re.search(r"\d+ of \d+ kernels right, \d+ defensible, \d+ wrong", document)
        self.assertIn(verdicts[0], (ROOT / "README.md").read_text())


if __name__ == "__main__":
    unittest.main()
