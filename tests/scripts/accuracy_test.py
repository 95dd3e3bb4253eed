#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/accuracy.md names the rules that have no kernel in the zoo; that alone fails nothing."""
import importlib.machinery
import importlib.util
import pathlib
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "accuracy"
LOADER = importlib.machinery.SourceFileLoader("accuracy", str(SCRIPT))
accuracy = importlib.util.module_from_spec(importlib.util.spec_from_loader("accuracy", LOADER))
LOADER.exec_module(accuracy)

FIGURES = {"first": 1, "three": 1, "alone": 1, "held": 1, "width": 0.2, "nvidia_first": 0,
           "nvidia_alone": 0, "planted": 1, "healthy": 1, "twins": 1, "causes_with_twins": 1}


def document(missing, planted_row=("memory-fence", "`publish`", "memory-fence", "nothing (0 %)")):
    return accuracy.compose(accuracy.Zoo(), missing, FIGURES, [planted_row], [], [])


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


if __name__ == "__main__":
    unittest.main()
