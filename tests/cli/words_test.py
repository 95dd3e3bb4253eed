#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a user reads is written the way kernel engineers talk: ways of saying that were found to be
hard to read do not come back, in goldens, help texts, README and documents."""
import re
import unittest

from support import ROOT, run

# What not to say, and what to say instead. JSON keys and names of facts are no words.
PATTERNS = {
    r"\b(registers?|bytes|work|operations|threads?|atomics?|instructions?|fewer|memory|elements|address|chain|one)"
    r" an? (thread|block|warp|SM|lane|cycle|second)\b(?! (group|has|can|may|that))": "per thread, registers/thread",
    r"\b(memory|compute|latency|launch|sync|occupancy) bound at\b": "memory-bound: uncoalesced global access",
    r"threads of a warp are not packed": "the threads of a warp access scattered addresses",
    r"share of the (duration|time) that would go": "how much of the time a fix could save",
    r"measured in turn, and whether": "Time two programs alternately and decide which is faster",
    r"equal things look different": "false-positive rate of A/B comparisons",
    r"[Mm]ost that the default may come to": "upper limit for the automatic number of runs",
    r"wall clock, round the whole": "timing the whole process",
    r"\b\d+ starts of each side": "runs of each side",
    r"starts would show a change": "detecting 3 % would take 1,739 runs",
    r"too short: 0 bytes": "the file is empty",
    r"that is to take a": "takes you through",
}
# Heads of columns, which stand between gaps or bars.
HEADS = {r"(?:^|  |\| )(Is|Rounds|In cycles|Rate)(?=$|  | \|)": "Verdict, Trip count, Cycle ratio, Throughput"}
# An evidence line names no facts but on request.
FACT = re.compile(r"\b[a-z]+\.[a-z_]+\.?[a-z_.]* -?[\d.,]+ ")


def is_code(path):
    """Machine formats keep their keys and names."""
    command = (path.parent / "cmd").read_text()
    return "--format json" in command or "--format csv" in command or "completion" in command


class Words(unittest.TestCase):
    def check(self, name, text):
        for pattern, instead in {**PATTERNS, **HEADS}.items():
            with self.subTest(pattern=pattern, where=str(name)):
                found = re.search(pattern, text, re.MULTILINE)
                self.assertIsNone(found, f"{name}: {found and found.group(0)!r}; say: {instead}")

    def test_goldens_say_it_plainly(self):
        goldens = [path for path in (ROOT / "tests" / "golden").rglob("expected*") if not is_code(path)]
        self.assertGreater(len(goldens), 100)
        for path in goldens:
            self.check(path, path.read_text())

    def test_evidence_is_shown_by_label(self):
        seen = 0
        for path in (ROOT / "tests" / "golden").rglob("expected"):
            if is_code(path) or "--verbose" in (path.parent / "cmd").read_text():
                continue
            # An evidence line goes on until the next label.
            for evidence in re.findall(r"evidence: ((?:.|\n {6,})*)", path.read_text()):
                seen += 1
                found = FACT.search(evidence)
                self.assertIsNone(found, f"{path}: {found and found.group(0)}")
        self.assertGreater(seen, 5)

    def test_helps_say_it_plainly(self):
        listed = run("list", "commands", "--format", "csv").stdout.decode().splitlines()[1:]
        names = [line.split(",")[0].strip('"') for line in listed]
        self.assertIn("diagnose", names)
        self.check("--help", run("--help").stdout.decode())
        for name in names:
            self.check(f"help {name}", run("help", name).stdout.decode())

    def test_rules_say_it_plainly(self):
        listed = run("list", "rules", "--format", "csv").stdout.decode().splitlines()[1:]
        rules = [line.split(",")[0].strip('"') for line in listed]
        self.assertIn("uncoalesced-global", rules)
        for rule in rules:
            # Whole sentences: what is looked for may stand at the end of a line.
            self.check(f"explain {rule}", " ".join(run("explain", rule).stdout.decode().split()))

    def test_documents_say_it_plainly(self):
        for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
            self.check(path, path.read_text())


if __name__ == "__main__":
    unittest.main()
