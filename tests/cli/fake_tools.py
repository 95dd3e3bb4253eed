# SPDX-License-Identifier: Apache-2.0
"""Tools that replay what the real ones did (tests/fixtures/tools), for commands that run them.

PROOFLINE_FAKE_TOOL names tests/programs/fake_tool, whose source says what a plan can hold.
"""
import collections
import gzip
import json
import os
import pathlib
import shutil
import signal
import subprocess

from support import BINARY, CAPTURE, ROOT, SANITIZER, TIMEOUT_S, TestCase

FAKE_TOOL = os.environ["PROOFLINE_FAKE_TOOL"]
TOOLS = ROOT / "tests" / "fixtures" / "tools"

FINDINGS, TOOL, TIME_LIMIT, PERMISSION, INTERRUPTED = 1, 5, 6, 9, 130

Call = collections.namedtuple("Call", "argv environment")


class FakeToolsTest(TestCase):
    """A test with a folder of fake tools that is first in PATH, and a folder for runs."""

    def setUp(self):
        super().setUp()
        self.bin, self.records = self.folder / "bin", self.folder / "records"
        self.runs = self.folder / "runs"
        for folder in self.bin, self.records:
            folder.mkdir()
        self.environment = {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.folder),
                            "MARK": str(self.folder), **SANITIZER}

    # --- plans

    def tool(self, name, plan, answers=None):
        """A tool that does this on every call but questions, which it answers as recorded."""
        shutil.copy(FAKE_TOOL, self.bin / name)
        questions = {file.name: file for file in (TOOLS / "answers" / name).iterdir()}
        questions.update(answers or {})
        lines = [f"[--{question}]\nprint {file}" for question, file in sorted(questions.items())]
        (self.bin / f"{name}.plan").write_text("\n".join([*lines, *plan, ""]))

    def need_no_tools(self):
        """Skips the test on a machine that has the real ones where they are looked for."""
        for pattern in "usr/local/cuda*/bin/ncu", "opt/nvidia/nsight-compute/*/ncu":
            if list(pathlib.Path("/").glob(pattern)):
                self.skipTest("NVIDIA's tools are installed here")

    def ncu(self, *steps, **options):
        # Questions have no report.
        self.tool("ncu", ["[--export]", f"record {self.records}", *steps], **options)

    def sanitizer(self, steps_of, **options):
        """`steps_of` maps a tool (synccheck, ...) to its steps; the others find nothing."""
        plan = []
        for tool in "synccheck", "racecheck", "memcheck", "initcheck":
            plan += [f"[{tool}]", f"record {self.records}"]
            plan += steps_of.get(tool, self.recorded("sanitizer", f"{tool}-clean"))
        self.tool("compute-sanitizer", plan, **options)

    def recorded(self, tool, scenario):
        """The steps that repeat a recorded scenario; a report is one of another real run."""
        folder = TOOLS / tool / scenario
        streams = {"print": "stdout", "warn": "stderr", "log": "log"}
        steps = [f"{step} {folder / file}" for step, file in streams.items()
                 if (folder / file).exists()]
        described = json.loads((folder / "scenario.json").read_text())
        if "report_bytes" in described:
            steps.append(f"report {self.report()}")
        return steps + (["hang"] if described["ended_at_limit"] else
                        [f"exit {described['exit_code'] % 256}"])

    def report(self):
        """A report of a real ncu, as a file to copy."""
        return self.write("recorded.ncu-rep", gzip.decompress(CAPTURE.read_bytes()))

    # --- runs

    def start(self, *arguments, **options):
        """Starts the program; standard output and error are bytes."""
        options = {"cwd": self.folder, "env": self.environment, **options}
        return subprocess.Popen([BINARY, *map(os.fspath, arguments)], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def run_it(self, *arguments, **options):
        with self.start(*arguments, **options) as process:
            try:
                output, errors = process.communicate(timeout=TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        self.expect_no_survivor()
        return subprocess.CompletedProcess(arguments, process.returncode, output, errors)

    def expect_code(self, done, code):
        self.assertEqual(done.returncode, code, (done.stdout + done.stderr).decode(errors="replace"))

    def calls(self):
        """How the tools were called, questions left out, in the order of their process ids."""
        found = []
        for file in sorted(self.records.glob("*.argv"), key=lambda file: int(file.stem)):
            words = file.read_bytes().decode(errors="surrogateescape").split("\0")[:-1]
            pairs = file.with_suffix(".env").read_bytes().decode(errors="surrogateescape")
            found.append(Call(words, dict(pair.split("=", 1) for pair in pairs.split("\0")[:-1])))
        return found

    def forget_calls(self):
        for file in self.records.iterdir():
            file.unlink()

    def run_folder(self, runs=None):
        """The one folder that a run left, with a run.json in it; nothing unfinished beside it."""
        folders = list((runs or self.runs).iterdir())
        self.assertEqual(len(folders), 1, folders)
        self.assertFalse(folders[0].name.startswith("."), folders)
        return folders[0], json.loads((folders[0] / "run.json").read_text())

    def expect_no_run_folder(self):
        left = list(self.runs.iterdir()) if self.runs.exists() else []
        self.assertEqual(left, [])

    # --- survivors

    def survivors(self):
        """Processes that have this test's mark in their environment."""
        mark = f"MARK={self.folder}\0".encode()
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if mark in (process / "environ").read_bytes():
                    found.append((process / "cmdline").read_bytes())
            except OSError:  # it is gone, or not ours to look at
                pass
        return found

    def expect_no_survivor(self):
        self.assertEqual(self.survivors(), [])

    def wait_for_calls(self, process, count=1):
        """Until so many tools run, while the program runs."""
        while len(self.calls()) < count:
            self.assertIsNone(process.poll(), "it ended before")

    def interrupt(self, process, number=signal.SIGINT):
        """Sends it this and gives how it ended."""
        process.send_signal(number)
        output, errors = process.communicate(timeout=TIMEOUT_S)
        return subprocess.CompletedProcess([], process.returncode, output, errors)
