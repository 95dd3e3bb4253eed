#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/agents.md: every command in it prints what is written below it.

    tests/cli/agents_doc_test.py --update    writes the outputs anew: look at the diff
"""
import json
import re
import shlex
import sys
import unittest

from support import ROOT, TestCase, run

DOCUMENT = ROOT / "docs" / "agents.md"
BLOCK = re.compile(r"```console\n\$ (proofline [^\n]*)\n(.*?)```\n", re.DOTALL)


def pretty(value, indent=1):
    """JSON in which what fits into a line stands on one."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= 110 or not isinstance(value, (dict, list)):
        return line
    separator = ",\n" + " " * indent
    if isinstance(value, list):
        return "[" + separator.join(pretty(item, indent + 1) for item in value) + "]"
    members = (f"{json.dumps(name)}: {pretty(item, indent + 2)}" for name, item in value.items())
    return "{" + separator.join(members) + "}"


def output_of(command):
    """Of a failure its exit code besides."""
    done = run(*shlex.split(command)[1:], cwd=ROOT)
    text = done.stdout.decode() or done.stderr.decode()
    text = pretty(json.loads(text)) + "\n"
    return text + (f"(exit code {done.returncode})\n" if done.returncode else "")


def played(text):
    return BLOCK.sub(lambda match: f"```console\n$ {match[1]}\n{output_of(match[1])}```\n", text)


class Document(TestCase):
    def test_outputs(self):
        text = DOCUMENT.read_text(encoding="utf-8")
        self.assertTrue(BLOCK.search(text))
        self.maxDiff = None
        self.assertEqual(text, played(text))


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        DOCUMENT.write_text(played(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        unittest.main()
