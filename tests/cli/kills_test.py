#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Commands that are killed at random times, and many that work in one folder and one journal at once.

Whatever was acknowledged is there, folders are complete or removed by the next run, the journal is
whole, and no process is left. 1,000 kills in `./check --all`, a few in `./check`."""
import json
import os
import random
import shlex
import subprocess
import time
import unittest

from fake_tools import FakeToolsTest
from support import DONE, THOROUGH, TIMEOUT_S

FAKE = os.environ["PROOFLINE_FAKE_BENCHMARK"]
KILLS = 1000 if THOROUGH else 16
NEIGHBOURS = 8


class InOnePlace(FakeToolsTest):
    def setUp(self):
        super().setUp()
        self.journal = self.folder / "journal.sqlite"

    def words(self, hypothesis):
        return ["try", hypothesis, "--runs", self.runs, "--journal", self.journal, "--time-by",
                "program", "--warm-up", "0", "--starts", "3", "--a", shlex.join([FAKE]), "--", FAKE]

    def shown(self, *words):
        done = self.run_it("journal", *words, "--journal", self.journal, "--format", "json")
        self.expect_code(done, DONE)
        return json.loads(done.stdout)

    def expect_whole(self):
        """After one more run, which removes what those before it left."""
        done = self.run_it("bench", "--runs", self.runs, "--time-by", "wall", "--warm-up", "0",
                           "--starts", "1", "--a", "/bin/true")
        self.expect_code(done, DONE)
        for folder in self.runs.iterdir():
            self.assertFalse(folder.name.startswith("."), folder)
            json.loads((folder / "run.json").read_text())
        if self.journal.exists() and self.journal.stat().st_size > 0:
            self.assertTrue(self.shown("verify")["whole"])

    def test_killed_at_random_times(self):
        seed = random.randrange(1 << 32)
        chance = random.Random(seed)
        began = time.monotonic()
        whole = self.run_it(*self.words("whole"))
        length = time.monotonic() - began
        acknowledged = {"whole"}
        self.assertIn(whole.returncode, (DONE, 1, 10, 11), whole.stderr)
        for number in range(KILLS):
            hypothesis = f"attempt {number}"
            with self.subTest(seed=seed, number=number):
                with self.start(*self.words(hypothesis)) as process:
                    try:
                        process.wait(chance.uniform(0, 1.1 * length))
                    except subprocess.TimeoutExpired:
                        process.kill()
                    process.communicate(timeout=TIMEOUT_S)
                if process.returncode >= 0:
                    acknowledged.add(hypothesis)
                give_up = time.monotonic() + TIMEOUT_S
                while self.survivors() and time.monotonic() < give_up:
                    pass
                self.expect_no_survivor()
                if number % 50 == 0 or number + 1 == KILLS:
                    self.expect_whole()
        closed = {attempt["hypothesis"] for attempt in self.shown("list")["attempts"]
                  if attempt["state"] != "open"}
        self.assertLessEqual(acknowledged, closed)

    def test_many_attempts_at_once(self):
        rounds = 20 if THOROUGH else 1
        for number in range(rounds):
            many = [self.start(*self.words(f"attempt {number}-{i}")) for i in range(NEIGHBOURS)]
            for process in many:
                output, errors = process.communicate(timeout=TIMEOUT_S)
                self.assertIn(process.returncode, (DONE, 1, 10, 11), output + errors)
        attempts = self.shown("list", "--limit", "1000")["attempts"]
        self.assertEqual(len(attempts), rounds * NEIGHBOURS)
        self.assertNotIn("open", {attempt["state"] for attempt in attempts})
        self.assertEqual(len(list(self.runs.iterdir())), rounds * NEIGHBOURS)
        self.expect_whole()


if __name__ == "__main__":
    unittest.main()
