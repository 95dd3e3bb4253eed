#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`proofline run` killed at every write and at random times, and resumed: it ends as if nothing had
happened, does at most one phase again for each kill, and leaves a journal that is whole."""
import json
import random
import shutil
import subprocess
import sys
import time
import unittest

from played import STEPS, PlayedTest
from run_change_test import SWITCH
from store_crash_test import can_trace, known_calls
from support import BINARY, DONE, SANITIZED, THOROUGH, TIMEOUT_S

KILLS = 1000 if THOROUGH else 5 if SANITIZED else 50
WRITES = 3 if SANITIZED else 10  # of all, at which it is killed
MOST_OF_A_PLAY = 50  # kills; a slow machine does not come far between two of them


def changes_files(call):
    """Of a line of strace: no reading, and nothing that is told the user."""
    if call.startswith("openat("):
        return any(flag in call for flag in ("O_CREAT", "O_WRONLY", "O_RDWR"))
    return not call.startswith(("write(1,", "write(2,"))


class Kills(PlayedTest):
    def setUp(self):
        super().setUp()
        self.git("init", "--quiet")
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", "first")
        self.change = self.folder / "change.py"
        self.change.write_text(SWITCH)

    def command(self, resumed):
        flags = ["--resume"] if resumed else [self.playbook]
        flags += ["--change", f"{sys.executable} {self.change}"]
        return [str(word) for word in
                [BINARY, *self.words(*flags), *([] if resumed else ["--", "./program"])]]

    def has_play(self):
        return self.plays.exists() and any(not path.name.startswith(".")
                                           for path in self.plays.iterdir())

    def forget(self):
        for folder in self.plays, self.work / ".proofline":
            shutil.rmtree(folder, ignore_errors=True)
        self.journal.unlink(missing_ok=True)
        self.git("worktree", "prune")

    def play_to_the_end(self, kills):
        """Runs it; the n-th run is killed as kills(n) does, until that gives up. How often steps began."""
        began = []
        for number in range(100):
            done = kills(number, self.command(self.has_play()))
            began += [line.split()[1].rstrip(",:") for line in done.stderr.decode().splitlines()
                      if line.startswith("[") and "skipped" not in line]
            give_up = time.monotonic() + TIMEOUT_S
            while self.survivors() and time.monotonic() < give_up:
                pass
            self.expect_no_survivor()
            if done.returncode == DONE:
                return json.loads(done.stdout), began, number
        raise AssertionError(f"it never comes to its end: {done.returncode}\n"
                             f"{done.stderr.decode()}")

    def run_whole(self, command):
        return subprocess.run(command, cwd=self.work, env=self.environment, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=TIMEOUT_S)

    def expect_same_end(self, result, began, kills):
        self.assertEqual(result["outcome"], "finished")
        self.assertEqual([(one["task"], one["state"]) for one in result["attempts"]],
                         [("unroll", "kept"), ("widen", "reverted")])
        self.assertEqual([step["id"] for step in result["steps"]], STEPS)
        self.assertEqual(set(self.states(result).values()), {"done"})
        self.assertEqual(self.git("show", f"proofline/{result['name']}:factor"), "0.7\n")
        # What measures is done twice, for the program before and after the change; what is done
        # each time costs nothing and is not counted.
        for step in "time", "profile-poly":
            self.assertLessEqual(began.count(step), 2 + kills, began)
        verified = self.run_it("journal", "verify", "--journal", self.journal)
        self.expect_code(verified, DONE)
        states = [one["state"] for one in self.attempts()]
        self.assertEqual([state for state in states if state != "abandoned"],
                         ["kept", "reverted"], states)

    def test_killed_at_random_times(self):
        seed = random.randrange(1 << 32)
        chance = random.Random(seed)
        start = time.monotonic()
        result, began, kills = self.play_to_the_end(lambda _, command: self.run_whole(command))
        length = time.monotonic() - start
        self.expect_same_end(result, began, kills)
        left = KILLS

        def killed(number, command):
            nonlocal left
            if left == 0 or number >= MOST_OF_A_PLAY:
                return self.run_whole(command)
            left -= 1
            with subprocess.Popen(command, cwd=self.work, env=self.environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as process:
                try:
                    output, errors = process.communicate(
                        timeout=chance.uniform(0, 0.7 * length))
                except subprocess.TimeoutExpired:
                    process.kill()
                    output, errors = process.communicate(timeout=TIMEOUT_S)
            return subprocess.CompletedProcess(command, process.returncode, output, errors)

        while left > 0:
            with self.subTest(seed=seed, left=left):
                self.forget()
                self.expect_same_end(*self.play_to_the_end(killed))

    @unittest.skipUnless(can_trace(), "needs strace, and leave to use it")
    def test_killed_at_every_write(self):
        """Of our own process, which alone keeps the state; the n-th call that changes files kills."""
        calls = known_calls()

        def counted():
            log = self.folder / "calls"
            done = self.run_whole(["strace", "-o", str(log), "-e", f"trace={calls}",
                                   *self.command(False)])
            self.assertEqual(done.returncode, DONE, done.stderr)
            return [number for number, call in enumerate(log.read_text().splitlines(), 1)
                    if changes_files(call)]

        numbers = counted()
        self.assertGreater(len(numbers), 100)
        step = 1 if THOROUGH else len(numbers) // WRITES
        for number in numbers[random.randrange(step)::step]:
            with self.subTest(number=number, last=numbers[-1]):
                self.forget()

                def killed(run, command, number=number):
                    if run > 0:
                        return self.run_whole(command)
                    return self.run_whole(["strace", "-o", "/dev/null", "-e", f"trace={calls}",
                                           "-e", f"inject={calls}:signal=KILL:when={number}",
                                           *command])

                self.expect_same_end(*self.play_to_the_end(killed))


if __name__ == "__main__":
    unittest.main()
