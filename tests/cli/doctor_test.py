#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`doctor` on a machine without a GPU and on one with a fake NVML and fake tools: verdict, exit
code, JSON by `proofline schema doctor`, and what it says of a command.

PROOFLINE_FAKE_NVML in the environment names the library of tests/programs/fake_nvml.cpp.
"""
import csv
import io
import json
import os
import shutil
import unittest

from schemas import errors, validator
from support import DONE, INPUT, USAGE, TestCase, run

TOOL = 5
TIME_LIMIT = 6
VALIDATOR = validator("doctor")

VERSIONS = {
    "ncu": "Version 2025.3.1.0 (build 36398880) (public-release)",
    "compute-sanitizer": "Version 2025.3.1.0 (build 36400806) (public-release)",
    "nvcc": "Cuda compilation tools, release 13.0, V13.0.88",
    "cuobjdump": "Cuda compilation tools, release 13.0, V13.0.85",
    "nvdisasm": "Cuda compilation tools, release 13.0, V13.0.85",
}
CHIPS = "ad102, ga100, gb100, gh100, tu102"


class Doctor(TestCase):
    """Each test chooses the whole environment, so that the machine's own tools play no part."""

    def setUp(self):
        super().setUp()
        self.environment = {"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin",
                            "CUDA_HOME": os.fspath(self.folder / "none"),
                            "TMPDIR": os.fspath(self.folder)}
        (self.folder / "bin").mkdir()

    def write_program(self, name, script):
        path = self.write(name, f"#!/bin/sh\n{script}\n".encode())
        path.chmod(0o755)
        return path

    def doctor(self, *arguments, code, **environment):
        done = run("doctor", *arguments, env={**self.environment, **environment}, cwd=self.folder)
        self.assertEqual(done.returncode, code, (done.stdout, done.stderr))
        return done

    def result(self, *arguments, code, **environment):
        done = self.doctor("--format", "json", *arguments, code=code, **environment)
        result = json.loads(done.stdout, parse_constant=self.fail)
        self.assertEqual(errors(VALIDATOR, result), [])
        return result, {check["id"]: check for check in result["checks"]}


@unittest.skipIf(os.path.exists("/dev/nvidiactl"), "this machine has a GPU")
class WithoutGpu(Doctor):
    def test_schema_tells_right_from_wrong(self):
        right, _ = self.result(code=TOOL)
        for name, value in (("readiness", "READY"), ("checks", [{}]), ("unknown", 1),
                            ("machine", {**right["machine"], "gpus": None})):
            self.assertFalse(VALIDATOR.is_valid({**right, name: value}), name)

    def test_says_so_and_what_works(self):
        result, checks = self.result(code=TOOL)
        self.assertEqual(result["readiness"], "not-ready")
        self.assertEqual(result["machine"]["gpus"], [])
        self.assertIn("no GPU", result["headline"])
        self.assertIn(checks["gpu"]["status"], ("missing", "problem"))
        self.assertIn("diagnose", checks["gpu"]["next"])
        self.assertNotIn("clocks", checks)

    def test_a_command_is_looked_at_but_not_run(self):
        program = self.write_program("program", f"touch {self.folder}/started")
        result, checks = self.result("--", program, code=TOOL)
        self.assertEqual(result["command"]["ending"], "not-run")
        self.assertIsNone(result["command"]["kernels"])
        self.assertIn("no GPU", checks["command/launches"]["statement"])
        self.assertFalse((self.folder / "started").exists())

    def test_a_command_that_is_not_there(self):
        self.expect_error(self.doctor("--", "no-such-program", code=INPUT), INPUT)
        self.expect_error(self.doctor("--", "./none\x1b[31m", code=INPUT), INPUT)

    def test_usage(self):
        self.expect_error(self.doctor("--time-limit", "0", code=USAGE), USAGE)


class WithGpu(Doctor):
    def setUp(self):
        super().setUp()
        libraries = self.folder / "lib"
        libraries.mkdir()
        shutil.copy(os.environ["PROOFLINE_FAKE_NVML"], libraries / "libnvidia-ml.so.1")
        self.environment["LD_LIBRARY_PATH"] = os.fspath(libraries)
        for name, version in VERSIONS.items():
            self.write_program(f"bin/{name}",
                               f'test "$1" = --list-chips && echo "{CHIPS}" || echo "{version}"')

    def test_ready(self):
        result, checks = self.result(code=DONE)
        self.assertEqual(result["headline"], "ready to profile on NVIDIA H200 (sm_90)")
        self.assertEqual(result["machine"]["driver"], "580.159.04")
        self.assertIsNone(result["command"])
        bad = {name for name, check in checks.items() if check["status"] in ("problem", "missing")}
        self.assertEqual(bad, set())
        self.assertEqual(checks["ncu"]["statement"], "2025.3.1.0 (CUDA 13.0)")

    def test_all_views(self):
        terminal = self.doctor("--width", "100", code=DONE).stdout
        self.expect_inert(terminal)
        self.assertLessEqual(max(map(len, terminal.decode().splitlines())), 100)
        self.assertTrue(terminal.startswith(b"ready to profile on NVIDIA H200 (sm_90)\n"))
        self.assertIn(b"| ok | GPU | NVIDIA H200",
                      self.doctor("--format", "markdown", code=DONE).stdout)
        rows = list(csv.DictReader(io.StringIO(
            self.doctor("--format", "csv", code=DONE).stdout.decode())))
        self.assertEqual(rows[0]["Check"], "gpu")
        self.assertEqual({row["Status"] for row in rows} - {"ok", "note", "unknown"}, set())

    def test_traps(self):
        result, checks = self.result(code=TOOL, CUDA_LAUNCH_BLOCKING="1",
                                     CUDA_VISIBLE_DEVICES="-1")
        self.assertEqual(result["readiness"], "not-ready")
        self.assertEqual(checks["environment/CUDA_LAUNCH_BLOCKING"]["status"], "problem")
        self.assertEqual(checks["environment/CUDA_VISIBLE_DEVICES"]["status"], "problem")

    def test_missing_tool(self):
        (self.folder / "bin" / "ncu").unlink()
        self.assertEqual(self.result(code=TOOL)[1]["ncu"]["status"], "missing")

    def test_hostile_names_are_inert(self):
        program = self.write_program("program\x1b[31m", "exit 0")
        done = self.doctor("--", program, code=TOOL, NSYS_X="\x1b]0;x\x07")
        self.expect_inert(done.stdout)

    def test_command(self):
        """A program without CUDA: what became of it, and that nothing was launched or counted."""
        program = self.write_program("program", 'echo "got $1"; exit 3')
        result, checks = self.result("--runs", "runs", "--", program, "--flag", code=TOOL)
        command = result["command"]
        self.assertEqual((command["ending"], command["exit_code"]), ("exited", 3))
        self.assertEqual(checks["command/run"]["status"], "note")
        self.assertIn("/bin/sh", checks["command/program"]["statement"])
        self.assertIn(checks["command/launches"]["status"], ("problem", "unknown"))
        kept = self.folder / command["folder"]
        self.assertEqual((kept / "command.stdout").read_text(), "got --flag\n")
        self.assertTrue((kept / "run.json").exists())

    def test_command_that_hangs(self):
        program = self.write_program("program", "sleep 1000")
        result, checks = self.result("--time-limit", "1", "--", program, code=TIME_LIMIT)
        self.assertEqual(result["command"]["ending"], "time-limit")
        self.assertEqual(checks["command/run"]["status"], "problem")

    def test_command_that_crashes(self):
        program = self.write_program("program", "kill -SEGV $$")
        result, _ = self.result("--", program, code=TOOL)
        self.assertEqual((result["command"]["ending"], result["command"]["signal"]),
                         ("signal", 11))


if __name__ == "__main__":
    unittest.main()
