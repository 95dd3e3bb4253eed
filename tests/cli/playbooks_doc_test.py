#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/playbooks.md: its playbook grows block by block, and every command prints what it says.

    tests/cli/playbooks_doc_test.py --update    writes the outputs anew: look at the diff
"""
import pathlib
import re
import shlex
import sys
import tempfile
import unittest

from support import ROOT, TestCase, run

DOCUMENT = ROOT / "docs" / "playbooks.md"
BLOCK = re.compile(r"```(toml|console)\n(.*?)```\n", re.DOTALL)


def output_of(command, mine):
    """What the command prints, with the exit code where it is not 0."""
    words = shlex.split(command)
    assert words[0] == "proofline", command
    words = [str(mine) if word == "mine.toml" else word for word in words[1:]]
    done = run(*words, cwd=ROOT)
    text = (done.stdout + done.stderr).decode().replace(str(mine), "mine.toml")
    return text + (f"(exit code {done.returncode})\n" if done.returncode else "")


def played():
    """The document with the outputs that its commands give now."""
    with tempfile.TemporaryDirectory() as folder:
        mine = pathlib.Path(folder) / "mine.toml"
        mine.write_text("", encoding="utf-8")

        def play(match):
            kind, text = match.groups()
            if kind == "toml":
                with mine.open("a", encoding="utf-8") as file:
                    file.write(text + "\n")
                return match[0]
            commands = [line[2:] for line in text.splitlines() if line.startswith("$ ")]
            shown = "".join(f"$ {command}\n{output_of(command, mine)}" for command in commands)
            return f"```console\n{shown}```\n"

        return BLOCK.sub(play, DOCUMENT.read_text(encoding="utf-8"))


class Document(TestCase):
    def test_every_command_prints_what_it_says(self):
        self.maxDiff = None
        self.assertEqual(played(), DOCUMENT.read_text(encoding="utf-8"))


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        DOCUMENT.write_text(played(), encoding="utf-8")
    else:
        unittest.main()
