#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/man_pages.py: help texts, however they are wrapped and grouped, become pages that roff takes literally."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import man_pages

HELP = """Say what bounds
each kernel.

Usage: proofline diagnose FILE
       [OPTIONS]

Look at a report:
  show      Print kernels
  --format csv|json|markdown|terminal
            How to print
            the result
  --odd     .dotted \\n

Examples:
  proofline diagnose a.ncu-rep
      a verdict

Exit codes, of every command:
    0  done
  130  interrupted
"""


class ManPages(unittest.TestCase):
    def setUp(self):
        self.page = man_pages.page("proofline-diagnose", HELP, "1.2", 0, ["proofline"])

    def test_name_and_synopsis(self):
        self.assertIn(".SH NAME\nproofline\\-diagnose \\- Say what bounds each kernel\n", self.page)
        self.assertIn(".SH SYNOPSIS\n.B proofline diagnose FILE [OPTIONS]\n", self.page)
        self.assertIn('"1970-01-01" "proofline 1.2"', self.page)

    def test_rows(self):
        self.assertIn('.SH "LOOK AT A REPORT"\n.TP\n.B show\nPrint kernels\n.TP\n', self.page)
        self.assertIn("|\\:terminal\nHow to print the result\n", self.page)

    def test_nothing_is_obeyed(self):
        self.assertIn(".B \\-\\-odd\n\\&.dotted \\en\n", self.page)

    def test_examples_and_exit_codes_stay_as_they_are(self):
        self.assertIn(".nf\nproofline diagnose a.ncu\\-rep\n    a verdict\n.fi\n", self.page)
        self.assertIn(".nf\n  0  done\n130  interrupted\n.fi\n", self.page)


if __name__ == "__main__":
    unittest.main()
