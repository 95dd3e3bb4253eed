#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run of a tool leaves: a folder that is complete, or none, and no process, however the run
ends."""
import json
import signal
import time
import unittest

from fake_tools import INTERRUPTED, FakeToolsTest
from support import DONE, STORAGE, THOROUGH, TIMEOUT_S


class RunFolder:
    """The tests; each command below takes them all."""

    def prepare(self, *steps):
        """The tools do these steps, then what the real ones did on a good day."""
        self.sanitizer({"memcheck": [*steps, *self.recorded("sanitizer", "memcheck-clean")]})
        self.ncu(*steps, *self.recorded("ncu", "normal"))

    def words(self, runs=None):
        return [*self.COMMAND, "--runs", runs or self.runs, "--", "/bin/true"]

    def expect_complete_or_absent(self):
        for folder in self.runs.iterdir() if self.runs.exists() else []:
            self.assertFalse(folder.name.startswith("."), folder)
            json.loads((folder / "run.json").read_text())

    def test_holds_all_that_was_run(self):
        self.prepare()
        self.expect_code(self.run_it(*self.words()), DONE)
        folder, described = self.run_folder()
        self.assertRegex(folder.name, r"^\d{8}T\d{6}Z-true")
        step = described["steps"][-1]
        self.assertEqual(step["label"], self.LABEL)
        self.assertEqual(step["tool"], str(self.bin / self.TOOL))
        self.assertEqual(step["version"], "2025.3.1.0")
        self.assertEqual((step["ending"], step["exit_code"]), ("exited", 0))
        self.assertTrue((folder / f"{self.LABEL}.stdout").exists())
        self.assertTrue((folder / f"{self.LABEL}.stderr").exists())

    def test_many_at_once(self):
        self.prepare()
        rounds = self.ROUNDS if THOROUGH else 2
        for _ in range(rounds):
            many = [self.start(*self.words()) for _ in range(8)]
            for process in many:
                output, errors = process.communicate(timeout=TIMEOUT_S)
                self.assertEqual(process.returncode, DONE, output + errors)
                self.assertNotIn(b"left by a run that was killed", output + errors)
        self.assertEqual(len(list(self.runs.iterdir())), 8 * rounds)
        self.expect_complete_or_absent()

    def test_no_place_for_it(self):
        self.prepare()
        done = self.run_it(*self.words("/proc/runs"))
        self.expect_code(done, STORAGE)
        self.assertIn(b"/proc/runs", done.stderr)
        self.assertEqual(self.calls(), [])

    def test_interrupted(self):
        self.prepare("hang")
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            with self.subTest(number):
                with self.start(*self.words()) as process:
                    self.wait_for_calls(process)
                    done = self.interrupt(process, number)
                self.expect_code(done, INTERRUPTED)
                self.expect_no_survivor()
                self.expect_complete_or_absent()
                self.forget_calls()

    def test_interrupted_twice_it_does_not_wait(self):
        self.prepare("ignore", "hang")
        with self.start(*self.words()) as process:
            self.wait_for_calls(process)
            process.send_signal(signal.SIGINT)
            done = self.interrupt(process)
        self.expect_code(done, INTERRUPTED)
        self.expect_no_survivor()
        self.expect_complete_or_absent()

    def test_killed(self):
        """Nothing goes on, and the next run removes what was left."""
        self.prepare("daemonise", "ignore", "hang")
        with self.start(*self.words()) as process:
            self.wait_for_calls(process)
            self.assertNotEqual(self.survivors(), [])
            process.kill()
        give_up = time.monotonic() + TIMEOUT_S
        while self.survivors() and time.monotonic() < give_up:
            pass
        self.expect_no_survivor()
        self.forget_calls()
        self.prepare()
        self.expect_code(self.run_it(*self.words()), DONE)
        self.run_folder()

    def test_the_reader_of_our_output_leaves(self):
        self.prepare("hang")
        with self.start(*self.words()) as process:
            self.wait_for_calls(process)
            process.stdout.close()
            process.send_signal(signal.SIGINT)
            process.stderr.read()
            process.wait(TIMEOUT_S)
        self.expect_no_survivor()
        self.expect_complete_or_absent()


class OfSanitize(RunFolder, FakeToolsTest):
    ROUNDS = 20
    COMMAND = ["sanitize", "--only", "memcheck", "--no-alone"]
    LABEL, TOOL = "memcheck", "compute-sanitizer"


class OfProfile(RunFolder, FakeToolsTest):
    ROUNDS = 20
    COMMAND = ["profile", "--no-listing"]
    LABEL, TOOL = "ncu", "ncu"


class OfBench(FakeToolsTest):
    """Its folders live for a few milliseconds, so that neighbours meet them half made."""
    ROUNDS = 75  # 600 runs

    def prepare(self):
        pass

    def words(self):
        return ["bench", "--time-by", "wall", "--starts", "1", "--warm-up", "0", "--runs", self.runs,
                "--a", "/bin/true"]

    expect_complete_or_absent = RunFolder.expect_complete_or_absent
    test_many_at_once = RunFolder.test_many_at_once


if __name__ == "__main__":
    unittest.main()
