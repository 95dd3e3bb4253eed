#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`explain` knows the words that screens print: heads of tables, and the words below those heads that
say what became of something."""
import re
import unittest

from support import DONE, ROOT, TestCase, run

FIXTURES = ROOT / "tests" / "fixtures"
EXAMPLE = ROOT / "examples" / "h200-kernels.ncu-rep.gz"

SCREENS = [
    ["diagnose", EXAMPLE],
    ["diagnose", EXAMPLE, FIXTURES / "ncu_rep" / "h200-pytorch.ncu-rep.gz"],
    ["diagnose", EXAMPLE, "--kernel", "transpose_naive", "--verbose"],
    ["show", EXAMPLE],
    ["show", EXAMPLE, "--source"],
    ["show", EXAMPLE, "--launch", "3", "--metrics", "dram__*"],
    ["show", FIXTURES / "benchmark" / "google.json"],
    ["show", FIXTURES / "ceilings" / "ceilings.json"],
    ["show", FIXTURES / "sanitizer" / "shared-race.log"],
    ["compare", FIXTURES / "ncu_rep" / "h200-basic.ncu-rep.gz", EXAMPLE],
    ["compare", FIXTURES / "timeline" / "host_bound.pt.trace.json.gz",
     FIXTURES / "timeline" / "host_bound.pt.trace.json.gz"],
    ["sass", EXAMPLE],
    ["sass", FIXTURES / "sass" / "loops.sm_90a.cubin.gz", "--function", "counted_loop", "--listing"],
    ["timeline", FIXTURES / "timeline" / "host_bound.pt.trace.json.gz"],
    ["timeline", FIXTURES / "timeline" / "ranks"],
    ["decide", ROOT / "examples" / "before.json", ROOT / "examples" / "after.json"],
    ["journal", "--journal", ROOT / "examples" / "journal.sqlite"],
    ["journal", "regressions", "--journal", ROOT / "examples" / "journal.sqlite"],
    ["identify", EXAMPLE],
    ["doctor"],
    ["list", "facts"],
    ["list", "readers"],
]
# Below these heads stand words of ours, apart by commas.
WORDS_BELOW = ["Verdict", "State", "Status", "Gate", "Remarks", "Timed by", "First cause", "Bound by", "Class",
               "Outcome", "Format"]
# Titles of tables, not columns: the GPU's name stands in them. And axes that a benchmark names itself.
NOT_OURS = re.compile(r"Where the time of .* goes|arg\d+|")


def tables(text):
    """(head, cells below it) of every column."""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if i == 0 or not re.fullmatch(r"-+(  -+)*", line) or "---" not in line:
            continue
        rows = []
        for row in lines[i + 1:]:
            if not row.strip():
                break
            rows.append(row)
        for column in re.finditer("-+", line):
            part = slice(column.start(), column.end())
            yield lines[i - 1][part].strip(), {row[part].strip() for row in rows} - {"", "-"}


class ExplainedWords(TestCase):
    def test_heads_and_the_words_below_them(self):
        words = {}
        for screen in SCREENS:
            for head, cells in tables(run(*screen, "--width", "240").stdout.decode()):
                if not NOT_OURS.fullmatch(head):
                    words.setdefault(head, screen[0])
                if head in WORDS_BELOW:
                    for cell in cells:
                        for word in cell.split(", "):
                            words.setdefault(word, screen[0])
        self.assertGreater(len(words), 100)
        unknown = {word: command for word, command in words.items()
                   if run("explain", word).returncode != DONE}
        self.assertEqual(unknown, {})


if __name__ == "__main__":
    unittest.main()
