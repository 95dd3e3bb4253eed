#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The completion scripts: valid, and bash offers with them what can be typed."""
import shutil
import subprocess
import unittest

from support import DONE, TIMEOUT_S, TestCase, run

# Prints what the script offers for the last word.
DRIVER = """
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_proofline
printf '%s\\n' "${COMPREPLY[@]}"
"""


class Completion(TestCase):
    def setUp(self):
        super().setUp()
        self.scripts = {}
        for shell in "bash", "zsh", "fish":
            done = run("completion", shell)
            self.assertEqual((done.returncode, done.stderr), (DONE, b""))
            self.scripts[shell] = self.write(shell, done.stdout)

    def offers(self, *words):
        """None: bash goes on to file names."""
        done = subprocess.run(["bash", "-c", DRIVER, "driver", self.scripts["bash"], "proofline",
                               *words], capture_output=True, timeout=TIMEOUT_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return set(done.stdout.decode().split()) or None

    def test_valid(self):
        for shell, script in self.scripts.items():
            if shutil.which(shell):
                done = subprocess.run([shell, "-n", script], capture_output=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_commands(self):
        self.assertLessEqual({"completion", "help", "list", "show"}, self.offers(""))
        self.assertEqual(self.offers("sh"), {"show"})
        self.assertEqual(self.offers("--"), {"--help", "--version"})

    def test_options(self):
        self.assertLessEqual({"--help", "--kernel", "--format"}, self.offers("show", "--"))
        self.assertEqual(self.offers("show", "report", "--sess"), {"--session"})
        self.assertNotIn("--kernel", self.offers("list", "--"))

    def test_choices(self):
        views = {"csv", "json", "markdown", "terminal"}
        self.assertEqual(self.offers("show", "--format", ""), views)
        self.assertEqual(self.offers("show", "--format", "="), views)
        self.assertEqual(self.offers("show", "report", "--format", "=", "j"), {"json"})
        self.assertEqual(self.offers("list", "readers", "--color", ""), {"auto", "always", "never"})

    def test_arguments(self):
        self.assertLessEqual({"readers", "views", "commands", "rules"}, self.offers("list", ""))
        self.assertEqual(self.offers("completion", "z"), {"zsh"})
        self.assertLessEqual({"list", "show"}, self.offers("help", ""))

    def test_file_names_otherwise(self):
        for words in (["show", ""], ["show", "rep"], ["show", "--kernel", ""],
                      ["show", "--kernel", "-x"], ["nonsense", ""]):
            self.assertIsNone(self.offers(*words), words)


if __name__ == "__main__":
    unittest.main()
