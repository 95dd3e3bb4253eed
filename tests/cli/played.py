# SPDX-License-Identifier: Apache-2.0
"""What the tests of `run` share: a program whose speed stands in a file, tools that repeat
recordings, and a playbook with two tasks."""
import json
import os
import pathlib
import stat
import subprocess

from fake_tools import FakeToolsTest

FAKE = os.environ["PROOFLINE_FAKE_BENCHMARK"]

PLAYBOOK = """
[playbook]
id = "variants"
title = "Variants of a kernel"
[workload]
n = 64
args = ["--n={n}"]
[[kernel]]
id = "poly"
name = 'polynomial'
[[phase]]
id = "machine"
does = "preflight"
[[phase]]
id = "make"
does = "build"
[[phase]]
id = "right"
does = "correctness"
[[phase]]
id = "time"
does = "bench"
starts = 3
warm_up = 0
time_by = "program"
[[phase]]
id = "profile"
does = "profile"
[[phase]]
id = "causes"
does = "diagnose"
[[check]]
id = "short"
expr = 'duration < 1 us'
[[task]]
id = "unroll"
change = ["launch"]
when = 'not check[short]'
steps = ["unroll the loop"]
accept = ['after.duration <= before.duration', 'change.gain > 10% and change.arguments == "same"']
expect = "10-30%"
[[task]]
id = "widen"
change = ["launch"]
when = 'not check[short]'
accept = ['after.duration <= before.duration']
[[deliverable]]
id = "sheet"
file = "sheet.md"
title = "What it takes"
parts = [{ fields = [["time", 'duration']] }]
"""

STEPS = ["machine", "make", "right", "time", "profile-poly", "causes"]


class PlayedTest(FakeToolsTest):
    """A folder `work` with ./program, which takes as many times 100 us as the file `factor` says,
    and ./build, which fails where the file `broken` is there."""

    def setUp(self):
        super().setUp()
        self.work = self.folder / "work"
        self.work.mkdir()
        self.playbook = self.write("variants.toml", PLAYBOOK.encode())
        self.script("program", f'cd "$(dirname "$0")" && exec {FAKE} --noise=0.002 '
                               f'--count={self.folder}/starts $(cat flags) '
                               '--factor="$(cat factor)"')
        self.script("build", "test ! -e broken")
        self.script("right", 'test "$(cat answer)" = 42')
        for name, text in ("factor", "1\n"), ("flags", "\n"), ("answer", "42\n"):
            (self.work / name).write_text(text)
        self.ncu(*self.recorded("ncu", "normal"))
        self.journal = self.folder / "journal.sqlite"
        self.plays = self.folder / "plays"

    def script(self, name, text, folder=None):
        path = (folder or self.work) / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def words(self, *flags):
        return ["run", *flags, "--plays", self.plays, "--journal", self.journal, "--build",
                "./build", "--check", "./right", "--starts", "9", "--warm-up", "0", "--time-by",
                "program", "--format", "json"]

    def played(self, *flags, code=0, command=("./program",)):
        done = self.run_it(*self.words(*flags), *(["--", *command] if command else []),
                           cwd=self.work)
        self.expect_code(done, code)
        return json.loads(done.stdout) if done.stdout else None, done.stderr.decode()

    def states(self, result):
        return {step["id"]: step["state"] for step in result["steps"]}

    def attempts(self):
        done = self.run_it("journal", "list", "--journal", self.journal, "--format", "json")
        self.expect_code(done, 0)
        return json.loads(done.stdout)["attempts"]

    def git(self, *words, folder=None):
        return subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e@x", *words],
                              cwd=folder or self.work, check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    def files(self):
        """All of the work folder but git's and our own, with their content."""
        return {str(path.relative_to(self.work)): path.read_bytes()
                for path in pathlib.Path(self.work).rglob("*")
                if path.is_file() and ".git" not in path.parts and ".proofline" not in path.parts}
