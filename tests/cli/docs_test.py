#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""README.md and the documents: their outputs are what the program prints, their commands and links exist, and
README's figures are those of the measurements."""
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

from support import BINARY, ROOT, SANITIZED, TIMEOUT_S, run

README = (ROOT / "README.md").read_text()
TOUR = (ROOT / "docs/tour.md").read_text()


def commands(text):
    """The words of each `proofline` line in its blocks of shell commands, as far as the user's own command."""
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            if words and pathlib.Path(words[0]).name == "proofline":
                yield line, words[1:words.index("--")] if "--" in words else words[1:]


class Documents(unittest.TestCase):
    @unittest.skipIf(SANITIZED, "the goldens run the same commands")
    def test_outputs_are_what_the_program_prints(self):
        done = subprocess.run([sys.executable, ROOT / "scripts/update-docs", "--check", BINARY], capture_output=True,
                              text=True, timeout=TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_readme_fits_on_three_screens(self):
        self.assertLessEqual(README.count("\n"), 150)

    def test_commands_and_flags_exist(self):
        helps = {}
        for line, words in [*commands(README), *commands(TOUR)]:
            name = words[0]
            if name not in helps:
                helps[name] = run("help", name).stdout.decode()
            self.assertIn("Usage: ", helps[name], line)
            for word in words[1:]:
                if word.startswith("--"):
                    self.assertRegex(helps[name], rf"(?m)^  .*{word}\b", line)

    def test_links_lead_somewhere(self):
        for document in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
            for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text()):
                if target != "../../releases":  # a page of the repository's site
                    self.assertTrue((document.parent / target).exists(), f"{document.name}: {target}")

    def test_figures_of_accuracy(self):
        accuracy = (ROOT / "docs/accuracy.md").read_text()
        first = re.search(r"first cause right .*?\| (\d+ %) \|.*?\| (\d+ %)", accuracy)
        alone = re.search(r"left alone .*?\| (\d+ %) \|.*?\| (\d+ %)", accuracy)
        held, twins = re.search(r"\((\d+) twins, .*?\| (\d+ %)", accuracy).group(2, 1)
        self.assertIn(f"| first cause right | {first[1]} | {first[2]} |", README)
        self.assertIn(f"| healthy kernels left alone | {alone[1]} | {alone[2]} |", README)
        self.assertIn(f"({twins} fixed twins) | {held} |", README)
        corpus = (ROOT / "docs/accuracy-corpus.md").read_text()
        verdicts = re.search(r"\d+ of \d+ kernels right, \d+ defensible, \d+ wrong", corpus)
        self.assertIn(verdicts[0], README)

    def test_version(self):
        version = run("--version").stdout.decode().split()[1]
        for text, name in ((README, "README.md"), ((ROOT / "action.yml").read_text(), "action.yml"),
                           ((ROOT / "CHANGELOG.md").read_text(), "CHANGELOG.md")):
            self.assertTrue(version in text, f"{name} does not name {version}")


if __name__ == "__main__":
    unittest.main()
