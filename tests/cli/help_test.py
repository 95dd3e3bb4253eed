#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Help that fits 80 columns, usage errors that say what was meant, and flags that all commands
share."""
import json
import unittest

from support import DONE, ROOT, USAGE, TestCase, run

REPORT = ROOT / "examples" / "h200-kernels.ncu-rep.gz"


class Help(TestCase):
    def text(self, *words):
        done = run(*words)
        self.assertEqual(done.returncode, DONE, done.stderr)
        return done.stdout.decode()

    def commands(self):
        return [one["name"] for one in
                json.loads(self.text("list", "commands", "--format", "json"))["commands"]]

    def test_it_fits_80_columns(self):
        texts = {name: self.text(name, "--help") for name in self.commands()}
        texts[""] = self.text("help")
        for name, text in texts.items():
            with self.subTest(name):
                self.assertEqual([line for line in text.splitlines() if len(line) > 80], [])

    def test_every_command_stands_in_one_group_with_a_verb_first(self):
        text = self.text("help")
        commands, _, _ = text.partition("\nOptions:")
        for name in self.commands():
            rows = [line for line in commands.splitlines() if line.startswith(f"  {name} ")]
            self.assertEqual(len(rows), 1, name)
            self.assertNotRegex(rows[0].split(maxsplit=1)[1], r"^(What|How|The|A|An|Whether) ")

    def test_exit_codes_are_one_table(self):
        codes = [line.split()[0] for line in
                 self.text("help").partition("Exit codes")[2].splitlines()
                 if line[:5].strip().isdigit()]
        self.assertEqual(codes, [str(code) for code in (*range(12), 130)])

    def test_what_was_meant(self):
        for words, meant in ((["shwo", "x"], "did you mean show?"),
                             (["show", "--kernal", "x", "y"], "did you mean --kernel?"),
                             (["show", "x", "--format", "jsn"], "did you mean json?"),
                             (["list", "rule"], "did you mean rules?")):
            with self.subTest(words):
                done = run(*words)
                self.expect_error(done, USAGE)
                self.assertIn(meant, done.stderr.decode())
                own = "" if words[0] == "shwo" else f"{words[0]} "
                self.assertIn(f"see 'proofline {own}--help'", done.stderr.decode())

    def test_numbers_that_are_out_of_range(self):
        for words, wanted in ((["show", "x", "--top", "0"], '"0" is not a whole number from 1 to 1000000'),
                              (["show", "x", "--top", "2.5"], '"2.5" is not a whole number'),
                              (["doctor", "--time-limit", "x"], '"x" is not a number from 0.001 to 1000000')):
            done = run(*words)
            self.expect_error(done, USAGE)
            self.assertIn(wanted, done.stderr.decode())

    def test_help_on_a_command_that_does_not_exist_is_an_error(self):
        for words in ["shwo", "--help"], ["help", "shwo"]:
            done = run(*words)
            self.expect_error(done, USAGE)
            self.assertIn("did you mean show?", done.stderr.decode())

    def test_usage_tells_what_may_be_left_out_or_repeated(self):
        for words, usage in ((["list"], "list [WHAT] [OPTIONS]"), (["diagnose"], "diagnose FILE... [OPTIONS]"),
                             (["show"], "show FILE [OPTIONS]"), (["try"], "try HYPOTHESIS [OPTIONS] -- CMD..."),
                             (["bench"], "bench [OPTIONS] [-- CMD...]")):
            self.assertIn(f"Usage: proofline {usage}\n", self.text("help", *words))

    def test_names_that_begin_with_a_dash_and_words_of_results(self):
        for words in ["--set", "source"], ["--", "--set", "source"]:
            self.assertIn("SourceCounters", self.text("explain", *words))
        self.assertIn("bench, decide", self.text("explain", "--keep-same"))
        for word in "KEEP", "no difference", "global-access", "UNKNOWN", "abandoned":
            self.assertIn("meaning", self.text("explain", word))

    def test_list_alone_says_what_there_is(self):
        self.assertIn("stall-reasons", self.text("list"))


class SharedFlags(TestCase):
    def test_the_result_goes_into_a_file(self):
        out = self.folder / "diagnosis.json"
        said = run("diagnose", REPORT, "--format", "json", "-o", out)
        self.assertEqual(said.returncode, DONE, said.stderr)
        printed = run("diagnose", REPORT, "--format", "json")
        self.assertEqual((said.stdout, out.read_bytes()), (b"", printed.stdout))

    def test_a_file_stays_where_there_is_no_result(self):
        out = self.write("kept.json", b"before")
        done = run("diagnose", self.folder / "missing", "-o", out)
        self.assertNotEqual(done.returncode, DONE)
        self.assertEqual(out.read_bytes(), b"before")

    def test_short_names(self):
        self.assertEqual(run("show", REPORT, "-k", "gemm").stdout,
                         run("show", REPORT, "--kernel", "gemm").stdout)
        self.assertEqual(run("diagnose", REPORT, "-v").stdout,
                         run("diagnose", REPORT, "--verbose").stdout)


if __name__ == "__main__":
    unittest.main()
