#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No line of a result is wider than the terminal, narrow or wide, whatever the command."""
import unicodedata
import unittest

from support import ROOT, SANITIZED, run

FIXTURES = ROOT / "tests" / "fixtures"
EXAMPLE = ROOT / "examples" / "h200-kernels.ncu-rep.gz"
SASS = FIXTURES / "sass"

COMMANDS = {
    "diagnose": ["diagnose", EXAMPLE],
    "diagnose several": ["diagnose", EXAMPLE, FIXTURES / "ncu_rep" / "h200-pytorch.ncu-rep.gz"],
    "diagnose --verbose": ["diagnose", FIXTURES / "zoo" / "h200-zoo-access.ncu-rep.gz",
                           "--kernel", "^relax_tiles$", "--verbose"],
    "show": ["show", EXAMPLE],
    "show long names": ["show", FIXTURES / "ncu_rep" / "h200-pytorch.ncu-rep.gz"],
    "show --session": ["show", FIXTURES / "ncu_rep" / "h200-basic.ncu-rep.gz", "--session"],
    "show --source": ["show", FIXTURES / "ncu_rep" / "h200-triton.ncu-rep.gz", "--source"],
    "show --metrics": ["show", EXAMPLE, "--launch", "3", "--metrics", "dram__bytes*,smsp__*"],
    "show --instances": ["show", FIXTURES / "ncu_rep" / "h200-graph.ncu-rep.gz", "--launch", "0",
                         "--instances"],
    "show --nvidia-rules": ["show", EXAMPLE, "--nvidia-rules", "--launch", "1"],
    "show benchmark": ["show", FIXTURES / "benchmark" / "ours.json"],
    "compare": ["compare", FIXTURES / "ncu_rep" / "h200-basic.ncu-rep.gz", EXAMPLE,
                "--kernel", "polynomial"],
    "compare code": ["compare", SASS / "loops.sm_90a.cubin.gz", SASS / "loops.sm_100a.cubin.gz",
                     "--function", "counted"],
    "sass": ["sass", SASS / "roles.sm_90a.hex.txt.gz"],
    "sass of a report": ["sass", FIXTURES / "ncu_rep" / "h200-detailed.ncu-rep.gz"],
    "sass --listing": ["sass", SASS / "loops.sm_90a.hex.txt.gz", "--function", "counted_loop",
                       "--listing"],
    "sass --source": ["sass", SASS / "loops.sm_90a.lines.txt.gz", "--function", "counted",
                      "--source-folder", ROOT / "kernels" / "sass"],
    "timeline": ["timeline", FIXTURES / "timeline" / "host_bound.pt.trace.json.gz"],
    "timeline ranks": ["timeline", FIXTURES / "timeline" / "ranks"],
    "check": ["check", "attention-guide", EXAMPLE, "--kernel", "warp_per_row"],
    "decide": ["decide", FIXTURES / "benchmark" / "ours.json", FIXTURES / "benchmark" / "ours.json"],
    "explain": ["explain", "uncoalesced-global"],
    "explain a section": ["explain", "SchedulerStats"],
    "list rules": ["list", "rules"],
    "list commands": ["list", "commands"],
    "list facts": ["list", "facts"],
    "doctor": ["doctor"],
}


def columns(line):
    """What a terminal shows of it, counted as src/base/text.cpp does."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in line)
    return len(line) + wide - sum(unicodedata.combining(c) != 0 for c in line)


class Width(unittest.TestCase):
    def test_no_line_is_wider_than_the_terminal(self):
        for name, command in COMMANDS.items():
            for width in [60] if SANITIZED else [60, 80, 120, 200]:
                with self.subTest(command=name, width=width):
                    text = run(*command, "--width", str(width)).stdout.decode()
                    self.assertTrue(text)
                    widest = max(text.splitlines(), key=columns)
                    self.assertLessEqual(columns(widest), width, widest)

    def test_metrics_stay_apart_when_their_names_are_shortened(self):
        report = FIXTURES / "ncu_rep" / "h200-basic.ncu-rep.gz"
        text = run("show", report, "--launch", "0", "--metrics", "device__attribute_*", "--width", "60").stdout.decode()
        names = [line.split()[0] for line in text.splitlines() if line.startswith("device__")]
        self.assertGreater(len(names), 50)
        self.assertEqual(len(names), len(set(names)))

    def test_in_a_file_nothing_is_cut(self):
        text = run("show", EXAMPLE).stdout.decode()
        self.assertIn("softmax_warp_per_row<16>", text)
        self.assertNotIn("...", text)


if __name__ == "__main__":
    unittest.main()
