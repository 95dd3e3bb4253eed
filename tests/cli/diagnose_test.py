#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line of `diagnose`: which launches it looks at, and what it says of odd requests."""
import json
import unittest

from support import CAPTURE, DONE, INPUT, PARTIAL, ROOT, USAGE, TestCase, kernel, report, run

DAMAGED = ROOT / "tests" / "fixtures" / "damaged" / "cut-in-last-result.ncu-rep"


def diagnosed(*arguments, **options):
    return json.loads(run("diagnose", "--format", "json", *arguments, **options).stdout)


class Selection(TestCase):
    def test_launches_of_one_kernel_are_one_entry(self):
        path = self.write("report", report([kernel("a"), kernel("b"), kernel("a")]))
        launches = [(entry["name"], entry["launches"]["ids"])
                    for entry in diagnosed(path)["kernels"]]
        self.assertEqual(launches, [("a", [0, 2]), ("b", [1])])

    def test_kernel_and_launch(self):
        path = self.write("report", report([kernel("a"), kernel("b"), kernel("a")]))
        self.assertEqual([entry["name"] for entry in diagnosed("--kernel", "^b$", path)["kernels"]],
                         ["b"])
        # The file may follow, and numbers stay those of `show`.
        entry, = diagnosed("--launch", "2", path)["kernels"]
        self.assertEqual(entry["launches"]["ids"], [2])
        self.assertEqual(entry["launches"]["representative"], 2)

    def test_several_files_and_standard_input(self):
        result = diagnosed(CAPTURE, "-", input=report([kernel("piped")]))
        self.assertEqual(len(result["sources"]), 2)
        piped, = [entry for entry in result["kernels"] if entry["source"] == 1]
        self.assertEqual(piped["name"], "piped")

    def test_kernel_in_one_file_of_two(self):
        other = self.write("other", report([kernel("only_here")]))
        entry, = diagnosed("--kernel", "only_here", CAPTURE, other)["kernels"]
        self.assertEqual(entry["source"], 1)

    def test_many_kernels_get_few_screens(self):
        path = self.write("report", report([kernel(f"k{i}") for i in range(9)]))
        heading = b"\nkernel 8  k8\n"
        self.assertNotIn(heading, run("diagnose", path).stdout)
        self.assertIn(b"--all", run("diagnose", path).stdout)
        self.assertIn(heading, run("diagnose", path, "--all").stdout)
        self.assertIn(heading, run("diagnose", path, "--kernel", "k").stdout)


class CodeFacts(TestCase):
    def facts(self, name, *flags):
        entry, = diagnosed(ROOT / "examples" / "h200-kernels.ncu-rep.gz", "--kernel", name,
                           *flags)["kernels"]
        return ({fact["name"]: fact["value"] for fact in entry["facts"]},
                {fact["name"]: fact["reason"] for fact in entry["absent"]})

    def test_code_is_read_where_facts_are_listed(self):
        facts, absent = self.facts("^mix_with_spills", "--facts")
        self.assertEqual(facts["sass.registers"], 32)
        self.assertGreater(facts["sass.spill.bytes"], 0)
        self.assertEqual(absent["sass.role[mma].waiting.share"], "the kernel has no mma role")
        facts, _ = self.facts("^mix_in_registers", "--facts")
        self.assertEqual(facts["sass.spill.bytes"], 0)

    def test_the_screen_has_them(self):
        screen = run("diagnose", ROOT / "examples" / "h200-kernels.ncu-rep.gz", "--verbose",
                     "--kernel", "^mix_with_spills").stdout
        self.assertIn(b"sass.spill.bytes", screen)


class UniqueBytes(TestCase):
    def declared(self, word):
        path = self.write("report", report([kernel("a==b"), kernel("other")]))
        for entry in diagnosed(path, "--facts", "--unique-bytes", word)["kernels"]:
            for fact in entry["facts"]:
                if fact["name"] == "memory.declared.unique_bytes":
                    return entry["function"], fact["value"]
        return None

    def test_suffixes(self):
        for text, value in (("4096", 4096), ("1.5K", 1536), ("2MiB", 2 << 20), ("1g", 1 << 30)):
            with self.subTest(text):
                self.assertEqual(self.declared("a==b=" + text), ("a==b", value))

    def test_wrong(self):
        path = self.write("report", report([kernel("a")]))
        for word in "a", "a=", "a=x", "a=0", "a=-1", "a=1Q", "a=nan", "a=1e999":
            with self.subTest(word):
                done = run("diagnose", path, "--unique-bytes", word)
                self.expect_error(done, USAGE)
        done = run("diagnose", path, "--unique-bytes", "b=1")
        self.assertEqual(done.returncode, INPUT)
        self.assertIn(b'no kernel is called "b"', done.stderr)


class Exits(TestCase):
    def test_nothing_to_read(self):
        self.expect_error(run("diagnose"), USAGE)
        self.expect_error(run("diagnose", "-", "-", input=b""), USAGE)
        self.expect_error(run("diagnose", self.folder / "absent"), INPUT)
        self.expect_error(run("diagnose", self.write("bad", b"what is this")), INPUT)

    def test_no_such_launch(self):
        self.expect_error(run("diagnose", CAPTURE, "--launch", "999"), INPUT)
        self.expect_error(run("diagnose", CAPTURE, "--kernel", "("), USAGE)

    def test_loss_is_a_partial_result(self):
        for view in "terminal", "markdown", "csv", "json":
            with self.subTest(view):
                done = run("diagnose", DAMAGED, "--format", view)
                self.assertEqual(done.returncode, PARTIAL, done.stderr)
                # CSV has no place for it.
                self.assertIn(b"loss", done.stderr if view == "csv" else done.stdout)

    def test_loss_in_one_of_several_files_is_named(self):
        done = run("diagnose", CAPTURE, DAMAGED)
        self.assertEqual(done.returncode, PARTIAL)
        self.assertIn(b"loss: " + bytes(DAMAGED), done.stdout)


class Views(TestCase):
    def test_bare_capture_says_so(self):
        """A kernel without a single metric gets an answer, not a guess."""
        path = self.write("report", report([kernel("bare")]))
        done = run("diagnose", path)
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn(b"no duration in the capture", done.stdout)
        self.assertIn(b"rules not evaluated", done.stdout)

    def test_fits_the_width(self):
        for width in 80, 100:
            with self.subTest(width):
                done = run("diagnose", CAPTURE.relative_to(ROOT), "--width", str(width), cwd=ROOT)
                self.assertLessEqual(max(map(len, done.stdout.decode().splitlines())), width)


if __name__ == "__main__":
    unittest.main()
