#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/accuracy.md names the rules that have no kernel in the zoo, and that alone fails nothing; how a
diagnosis is judged where the answer is known; the chart of gains."""
import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest
import xml.etree.ElementTree as ElementTree

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "accuracy"
sys.path.insert(0, str(SCRIPT.parent))
import accuracy_corpus  # noqa: E402 (the folder of scripts has to be known first)
import gains_chart  # noqa: E402
from accuracy_parts import Gain  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("accuracy", str(SCRIPT))
accuracy = importlib.util.module_from_spec(importlib.util.spec_from_loader("accuracy", LOADER))
LOADER.exec_module(accuracy)

FIGURES = {"first": 1, "three": 1, "alone": 1, "held": 1, "width": 0.2, "nvidia_first": 0,
           "nvidia_alone": 0, "planted": 1, "healthy": 1, "twins": 1, "causes_with_twins": 1}


def document(missing, planted_row=("memory-fence", "`publish`", "memory-fence", "nothing (0 %)")):
    return accuracy.compose(accuracy.Zoo(), missing, FIGURES, "", [planted_row], [], [])


class RulesWithoutAKernel(unittest.TestCase):
    def test_planted_healthy_and_capture_rules_are_not_missing(self):
        rules = ["dram-bandwidth", "memory-fence", "peer-memory", "capture-invalid", "above-roofline"]
        self.assertEqual(accuracy.Zoo().missing([*rules, "texture-bound"]), ["texture-bound"])

    def test_the_document_names_them(self):
        self.assertIn("tested on made-up facts only: texture-bound.\n", document(["texture-bound"]))
        self.assertNotIn("made-up facts", document([]))

    def test_a_document_that_does_not_name_them_yet_is_as_good(self):
        self.assertEqual(accuracy.lines_but_missing(document([])),
                         accuracy.lines_but_missing(document(["texture-bound"])))

    def test_any_other_difference_counts(self):
        other = ("memory-fence", "`publish`", "barrier-stalls", "nothing (0 %)")
        self.assertNotEqual(accuracy.lines_but_missing(document([])),
                            accuracy.lines_but_missing(document([], other)))


HELD = {"file": "ncu-rep/owner__name__folder__slow.ncu-rep", "launch": "3", "kernel": "sum",
        "cause": "l1-bandwidth or lsu-pipe", "defensible": "tail-effect",
        "faster": "ncu-rep/owner__name__fast.ncu-rep#0", "from": "its source"}
HEALTHY = HELD | {"cause": "healthy at dram-bandwidth", "faster": ""}


def finding(id_, low=0.2, high=0.6, severity="high"):
    return {"id": id_, "severity": severity, "gain": {"low": low, "high": high}}


def kernels(*findings, fast_ns=60):
    return {(HELD["file"], "3"): {"name": "sum(int)", "findings": list(findings), "duration_ns": 100,
                                  "verdict": {"at": ""}},
            ("ncu-rep/owner__name__fast.ncu-rep", "0"): {"function": "wide", "duration_ns": fast_ns}}


class StrangersKernels(unittest.TestCase):
    def judge(self, label, *findings, at=""):
        return accuracy_corpus.judge(label, {"findings": list(findings), "verdict": {"at": at}})

    def test_the_first_finding_is_judged(self):
        self.assertEqual(self.judge(HELD, finding("lsu-pipe"), finding("tail-effect")), "right")
        self.assertEqual(self.judge(HELD, finding("tail-effect"), finding("lsu-pipe")), "defensible")
        self.assertEqual(self.judge(HELD, finding("barrier-stalls"), finding("lsu-pipe")), "wrong")
        self.assertEqual(self.judge(HELD), "wrong")
        # Where only a level could be told, that is the answer.
        self.assertEqual(self.judge({**HELD, "cause": "sm or lsu-pipe"}, at="sm"), "right")

    def test_a_healthy_kernel_is_to_be_left_alone(self):
        roof = finding("dram-bandwidth", severity="info")
        self.assertEqual(self.judge(HEALTHY, roof), "right")
        self.assertEqual(self.judge(HEALTHY, roof, finding("tail-effect")), "defensible")
        self.assertEqual(self.judge(HEALTHY, finding("dram-bandwidth")), "defensible")
        self.assertEqual(self.judge(HEALTHY, finding("tail-effect"), roof), "wrong")

    def test_what_is_drawn_is_what_the_document_shows(self):
        for fast_ns, held in ((60, True), (20, False)):
            text = accuracy_corpus.compose(
                *accuracy_corpus.measure([HELD], kernels(finding("lsu-pipe"), fast_ns=fast_ns)))
            self.assertEqual(accuracy_corpus.gains_in(text), [Gain(0.2, 0.6, 1 - fast_ns / 100, held)])
            self.assertIn("1 of 1 kernels right", accuracy_corpus.summary_in(text))
            self.assertIn("| owner/name slow.ncu-rep |", text)

    def test_a_cause_that_was_not_found_holds_nothing(self):
        other = HELD | {"kernel": "sum"}
        measured = kernels(finding("lsu-pipe"))
        measured[HELD["file"], "4"] = measured[HELD["file"], "3"] | {"findings": []}
        text = accuracy_corpus.compose(
            *accuracy_corpus.measure([HELD, other | {"launch": "4"}], measured))
        self.assertIn("1 of 2 kernels right, 0 defensible, 1 wrong. Of 2 pairs", text)
        self.assertIn("found on 1, and its gain range holds the measured gain on 1;", text)

    def test_a_label_of_another_kernel_is_an_error(self):
        with self.assertRaises(SystemExit):
            accuracy_corpus.measure([HELD | {"kernel": "product"}], kernels(finding("lsu-pipe")))

    def test_every_label_names_known_rules_and_files(self):
        rules = {path.stem.replace("_", "-") for path in (SCRIPT.parents[1] / "src" / "rules").glob("*.cpp")}
        labels = accuracy_corpus.read_labels(accuracy_corpus.LABELS.read_text().splitlines())
        places = {(label["file"], label["launch"]) for label in labels}
        self.assertEqual(len(places), len(labels))
        for label in labels:
            causes = label["cause"].removeprefix(accuracy_corpus.HEALTHY).split(" or ")
            defensible = label["defensible"].split(" or ") if label["defensible"] else []
            self.assertLessEqual({*causes, *defensible}, {*rules, "sm"}, label)
            self.assertTrue(label["from"], label)
            if label["faster"]:
                self.assertIn(tuple(label["faster"].split("#")), places)


class Chart(unittest.TestCase):
    def test_a_range_that_does_not_hold_has_a_dot_at_its_nearer_end(self):
        drawn = gains_chart.draw([("ours", [Gain(0.2, 0.6, 0.4, True), Gain(0.2, 0.6, 0.8, False)]),
                                  ("strangers'", [Gain(0.5, 0.6, 0.1, False)])])
        root = ElementTree.fromstring(drawn)
        dots = [dot.get("cy") for dot in root.iter("{http://www.w3.org/2000/svg}circle")]
        self.assertEqual(dots, [gains_chart.y(0.6), gains_chart.y(0.5)])
        self.assertIn("ours: 1 of 2 hold", drawn)


if __name__ == "__main__":
    unittest.main()
