#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A report is a stranger's text: its names can neither drive a terminal nor a spreadsheet nor break
JSON, and the secrets of the person who recorded it stay hidden."""
import csv
import io
import json
import unittest

from support import DONE, TestCase, kernel, message, report, run, source

NAMES = {
    "clear screen": b"\x1b[2J\x1b[31mk",
    "window title": b"\x1b]0;owned\x07k",
    "clipboard": b"\x1b]52;c;ZXZpbA==\x1b\\k",
    "C1 control": "\u009b31mk".encode(),
    "carriage return": b"k\rfake row",
    "newline": b"k\n0  fake row",
    "NUL": b"k\0hidden",
    "DEL and BEL": b"k\x7f\x07",
    "bidi": "k\u202egnp.\u2066x\u200bz\ufeff".encode(),
    "line separator": "k\u2028fake".encode(),
    "invalid UTF-8": b"k\xff\xc0\x80\xed\xa0\x80\xf5",
    "quotes": b'k"",\'`\\',
    "markup": b"</script><script>alert(1)</script>",
    "formula": b"=cmd()|' /C calc'!A0",
    "formula sign": b"@SUM(1)",
    "format string": b"%s%n{}{0}",
    "empty": b"",
}


class Names(TestCase):
    def show(self, names, *arguments):
        path = self.write("report", report([kernel(name) for name in names]))
        done = run("show", path, *arguments)
        self.assertEqual(done.returncode, DONE, done.stderr)
        return done.stdout

    def test_terminal(self):
        hostile = NAMES.values()
        for arguments in ([], ["--color", "always"], ["--width", "80"], ["--all"],
                          ["--nvidia-rules"]):
            with self.subTest(arguments):
                output = self.show(hostile, *arguments)
                self.expect_inert(output, "\n\x1b" if "always" in arguments else "\n")
        lines = self.show(["plain"]).count(b"\n")
        for title, name in NAMES.items():
            with self.subTest(title):
                self.assertEqual(self.show([name]).count(b"\n"), lines)

    def test_csv(self):
        """Fields may hold line ends and tabs, but nothing else that is not printed."""
        output = self.show(NAMES.values(), "--format", "csv")
        for byte in {*range(0x20), 0x7f} - {ord("\n"), ord("\t")}:
            self.assertNotIn(bytes([byte]), output)
        units, *launches = csv.DictReader(io.StringIO(output.decode("utf-8", "replace")))
        self.assertEqual(len(launches), len(NAMES))
        for title, launch in zip(NAMES, launches):
            with self.subTest(title):
                self.assertNotIn(launch["Kernel Name"][:1], [*"=+-@"])

    def test_json(self):
        shown = json.loads(self.show(NAMES.values(), "--format", "json").decode("utf-8"))
        self.assertEqual(len(shown["launches"]), len(NAMES))
        for (title, name), launch in zip(NAMES.items(), shown["launches"]):
            with self.subTest(title):
                # A nameless launch is called by its kind.
                self.assertEqual(launch["name"], name.decode("utf-8", "replace") or "kernel")

    def test_diagnose(self):
        path = self.write("report", report([kernel(name) for name in [*NAMES.values(), "other"]]))
        for view in "terminal", "markdown":
            for flags in [], ["--verbose", "--nvidia-rules"]:
                with self.subTest(view=view, flags=flags):
                    done = run("diagnose", path, "--all", "--format", view, *flags)
                    self.assertEqual(done.returncode, DONE, done.stderr)
                    self.expect_inert(done.stdout)
                    # A CI system would obey such a line.
                    self.assertNotRegex(done.stdout, rb"(?m)^\s*::")

    def test_long_name(self):
        name = b"k" * 2_000_000
        self.assertLess(max(map(len, self.show([name], "--width", "100").splitlines())), 101)
        self.assertIn(name, self.show([name], "--format", "csv"))
        shown = json.loads(self.show([name], "--format", "json"))
        self.assertEqual(len(shown["launches"][0]["name"]), len(name))

    def test_no_match_lists_names_escaped(self):
        path = self.write("report", report([kernel(name) for name in NAMES.values()]))
        done = run("show", path, "--kernel", "absent\x1b[31m")
        self.expect_inert(done.stderr)

    def test_names_of_files_functions_and_devices(self):
        evil = "\x1b[31m\u202e\n"
        path = self.write("report", report(
            [kernel("k")], sources=[source(1, (evil, b"content"))],
            session=message((6, message((1, 0), (2, evil), (3, message((1, evil))))),
                            (7, evil), (8, message((1, evil), (2, evil)))),
            process=message((1, 1), (2, evil), (3, evil))))
        for flag in "--source", "--session", "--all":
            with self.subTest(flag):
                done = run("show", path, flag)
                self.assertEqual(done.returncode, DONE, done.stderr)
                self.expect_inert(done.stdout)


class Secrets(TestCase):
    def test_session_shows_no_secret(self):
        executable = message(
            (1, "/opt/train"), (3, "--token=hunter2 --password hunter2 --steps 3"),
            (4, "AWS_SECRET=hunter2\nHOME=/home/hunter2\nOMP_NUM_THREADS=8\n"))
        path = self.write("report", report(
            [kernel("k")], session=message(
                (9, executable), (11, "ncu --set full env API_KEY=hunter2 ./train"))))
        for view in "terminal", "csv", "json":
            for flags in [], ["--session"], ["--session", "--all"]:
                with self.subTest(view=view, flags=flags):
                    done = run("show", path, "--format", view, *flags)
                    self.assertEqual(done.returncode, DONE, done.stderr)
                    self.assertNotIn(b"hunter2", done.stdout + done.stderr)
        shown = run("show", path, "--session").stdout
        for harmless in b"AWS_SECRET", b"--steps 3", b"--set full", b"OMP_NUM_THREADS  8":
            self.assertIn(harmless, shown)


if __name__ == "__main__":
    unittest.main()
