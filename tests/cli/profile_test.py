#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`profile` against an ncu that repeats what the real one did, and worse."""
import json
import os
import shlex
import subprocess
import unittest

from fake_tools import PERMISSION, TIME_LIMIT, TOOL, TOOLS, FakeToolsTest
from schemas import errors, validator
from support import DONE, INPUT, ROOT, STORAGE, USAGE

VALIDATOR = validator("profile")
LOGS = TOOLS / "ncu"
CUDA_PROGRAM = os.environ["PROOFLINE_FAKE_CUDA_PROGRAM"]
CUPTI = os.environ["PROOFLINE_FAKE_CUPTI"]


class ProfileTest(FakeToolsTest):
    def profile(self, *flags, program=("/bin/echo", "hello"), listing=False, **options):
        flags = [*flags, *([] if listing else ["--no-listing"])]
        return self.run_it("profile", "--runs", self.runs, *flags, "--", *program, **options)

    def by_schema(self, done):
        """What it printed, which `proofline schema profile` describes."""
        result = json.loads(done.stdout)
        self.assertEqual(errors(VALIDATOR, result), [])
        return result

    def value_of(self, option):
        argv = self.calls()[-1].argv
        return argv[argv.index(option) + 1]


class Results(ProfileTest):
    def test_diagnoses_and_keeps_the_report(self):
        self.ncu(*self.recorded("ncu", "normal"))
        done = self.profile("--format", "json")
        self.expect_code(done, DONE)
        result = self.by_schema(done)
        self.assertGreater(len(result["kernels"]), 0)
        self.assertIn("verdict", result["kernels"][0])
        folder, described = self.run_folder()
        self.assertEqual((folder / "report.ncu-rep").read_bytes(), self.report().read_bytes())
        self.assertEqual((folder / "ncu.log").read_bytes(),
                         (LOGS / "normal" / "log").read_bytes())
        self.assertEqual((folder / "ncu.stdout").read_bytes(), b"no error\n")
        self.assertEqual(described["steps"][-1]["label"], "ncu")

    def test_the_same_from_the_kept_report(self):
        self.ncu(*self.recorded("ncu", "normal"))
        ours = json.loads(self.profile("--format", "json").stdout)
        folder, _ = self.run_folder()
        again = self.run_it("diagnose", "--format", "json", folder / "report.ncu-rep")
        self.assertEqual(ours["kernels"], json.loads(again.stdout)["kernels"])

    def test_every_view(self):
        self.ncu(*self.recorded("ncu", "normal"))
        for view in "terminal", "markdown", "csv", "json":
            with self.subTest(view):
                done = self.profile("--format", view)
                self.expect_code(done, DONE)
                self.assertNotEqual(done.stdout, b"")

    def test_a_program_that_fails_after_its_kernels_is_still_diagnosed(self):
        for scenario, words in ("exit-code", b"exit code 3"), ("segfault", b"11"):
            with self.subTest(scenario):
                self.ncu(*self.recorded("ncu", scenario))
                done = self.profile()
                self.expect_code(done, DONE)
                self.assertIn(words, done.stdout + done.stderr)


class Listing(ProfileTest):
    """The light pass that finds out what there is to profile."""

    TWO = (CUDA_PROGRAM, "_Z5shiftPff*20:3000", "_Z5scalePff*100:5000")

    def setUp(self):
        super().setUp()
        self.environment["PROOFLINE_CUPTI"] = CUPTI
        self.ncu(*self.recorded("ncu", "normal"))

    def listed(self, *flags, program=TWO, **options):
        return self.profile(*flags, program=program, listing=True, **options)

    def test_the_costliest_kernel_is_chosen_after_its_warm_up(self):
        self.expect_code(self.listed(), DONE)
        self.assertEqual(self.value_of("--kernel-name-base"), "mangled")
        chosen = self.value_of("--kernel-id")
        self.assertRegex(chosen, r"^::regex:\^\(_Z5scalePff[^:]*\)\$:\d+$")
        self.assertGreater(int(chosen.rsplit(":", 1)[1]), 1)
        _, described = self.run_folder()
        self.assertEqual([step["label"] for step in described["steps"]], ["listing", "ncu"])

    def test_kernels_are_taken_until_four_fifths_are_covered(self):
        even = (CUDA_PROGRAM, *(f"kernel_{i}*10:2000" for i in range(20)))
        for flags, count in ([], 8), (["--kernels", "3"], 3):
            with self.subTest(flags):
                self.expect_code(self.listed(*flags, program=even), DONE)
                self.assertEqual(self.value_of("--kernel-id").count("kernel_"), count)

    def test_says_first_whether_kernels_are_the_problem(self):
        for program, share, words in ((self.TWO, 0.82, "Kernels are what takes the time."),
                                      ((CUDA_PROGRAM, "a*100:100"), 0.09,
                                       "Kernels are not the main problem")):
            with self.subTest(words):
                result = self.by_schema(self.listed("--format", "json", program=program))
                self.assertAlmostEqual(result["run"]["time"]["kernels"], share, 2)
                shown = self.listed(program=program).stdout.decode().split()
                self.assertIn(words, " ".join(shown))
                self.assertIn("savings", result)

    def test_the_kernel_that_was_asked_for(self):
        self.expect_code(self.listed("--kernel", "shift"), DONE)
        self.assertIn("^(_Z5shiftPff)$", self.value_of("--kernel-id"))

    def test_no_match_tells_what_ran_before_any_long_pass(self):
        done = self.listed("--kernel", "scales")
        self.expect_code(done, INPUT)
        self.assertLess(done.stderr.index(b"scale("), done.stderr.index(b"shift("))
        self.assertEqual(self.calls(), [])

    def test_no_kernel(self):
        done = self.listed(program=[CUDA_PROGRAM, "--init"])
        self.expect_code(done, INPUT)
        self.assertIn(b"launched no kernel", done.stderr)
        self.assertEqual(self.calls(), [])

    def test_a_program_that_hangs(self):
        done = self.listed("--time-limit", "1", program=[CUDA_PROGRAM, "a", "--hang"])
        self.expect_code(done, TIME_LIMIT)
        self.assertEqual(self.calls(), [])

    def test_without_permission_there_is_still_something_to_say(self):
        log = self.write("log", b"==PROF== Connected to process 1 (/home/user/leak)\n"
                         b"==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access "
                         b"NVIDIA GPU Performance Counters on the target device 0.\n")
        self.ncu(f"log {log}", "exit 1")
        done = self.listed("--format", "json")
        self.expect_code(done, PERMISSION)
        kernel = json.loads(done.stdout)["kernels"][0]
        self.assertEqual(kernel["function"], "scale")
        not_evaluated = {rule["id"] for rule in kernel["not_evaluated"]}
        self.assertLessEqual({"dram-bandwidth", "memory-latency", "barrier-stalls"}, not_evaluated)

    def test_without_permission_the_programs_code_is_read(self):
        program = self.folder / "program"
        fatbin = ROOT / "tests" / "fixtures" / "cubin" / "kernels.zstd.fatbin"
        subprocess.run(["objcopy", "--add-section", f".nv_fatbin={fatbin}", CUDA_PROGRAM, program],
                       check=True)
        log = self.write("log", b"==ERROR== ERR_NVGPUCTRPERM\n")
        self.ncu(f"log {log}", "exit 1")
        kernel = "shares*3:1000"
        done = self.listed("--format", "json", program=(program, kernel))
        self.expect_code(done, PERMISSION)
        functions = self.by_schema(done)["code"]["functions"]
        self.assertEqual({function["name"] for function in functions}, {"shares"})

    def test_a_program_that_dies_at_once_is_listed_by_ncu(self):
        done = self.listed(program=(CUDA_PROGRAM, "_Z4fillPi*1:1000", "--crash"))
        _, described = self.run_folder()
        self.assertEqual([step["label"] for step in described["steps"]],
                         ["listing", "listing-ncu", "ncu"], done.stderr)

    def test_configurations_stand_side_by_side(self):
        flags = ["--config", "short=--exit=0", "--config", "long='--print=a b'"]
        done = self.listed(*flags)
        self.expect_code(done, DONE)
        for words in b"short", b"long", b"duration", b"the same time":
            self.assertIn(words, done.stdout)
        result = json.loads(self.listed(*flags, "--format", "json").stdout)
        self.assertEqual([(one["name"], one["arguments"]) for one in result["configs"]],
                         [("short", "--exit=0"), ("long", "'--print=a b'")])
        self.assertIn("kernels", result["configs"][0]["diagnosis"])

    def test_without_cupti_ncu_lists_them(self):
        self.environment["PROOFLINE_CUPTI"] = "/nonexistent/libcupti.so"
        self.expect_code(self.listed(), DONE)
        _, described = self.run_folder()
        self.assertEqual([step["label"] for step in described["steps"]], ["listing-ncu", "ncu"])
        # Launches are counted from 1.
        self.assertRegex(self.value_of("--kernel-id"), r"^::regex:\^.*\$:[1-9]\d*$")


class Failures(ProfileTest):
    """Each has its exit code and words that help."""

    def expect(self, steps, code, *words, flags=()):
        self.ncu(*steps)
        done = self.profile(*flags)
        self.expect_code(done, code)
        said = (done.stdout + done.stderr).decode()
        for word in words:
            self.assertIn(word, said)
        self.expect_inert(done.stdout + done.stderr)

    RECORDED = [
        ("no-match", INPUT, "scale"),
        ("no-kernel", INPUT, "launched no kernel"),
        ("no-cuda", INPUT, "without using CUDA"),
        ("misaligned", INPUT, "proofline sanitize"),
        ("not-found", INPUT, "could not start"),
        ("bad-section", USAGE, "NoSuch"),
        ("bad-metric", USAGE, "no_such_metric"),
        ("output-exists", STORAGE, "report"),
        ("output-unwritable", STORAGE, "report"),
        ("bad-option", TOOL, "--kernel-id"),
    ]

    def test_recorded_failures(self):
        for scenario, code, words in self.RECORDED:
            with self.subTest(scenario):
                self.expect(self.recorded("ncu", scenario), code, words)

    def test_hang(self):
        for first in [], ["ignore"], ["daemonise"]:
            with self.subTest(first):
                self.expect([*first, *self.recorded("ncu", "hang")], TIME_LIMIT, "wait_for_all",
                            flags=["--time-limit", "1"])

    def test_memory_that_takes_for_ever_to_save(self):
        self.expect(self.recorded("ncu", "big-memory"), TIME_LIMIT, "--replay-mode",
                    flags=["--time-limit", "1"])

    def test_no_permission(self):
        log = self.write("log", b"==PROF== Connected to process 1 (/home/user/leak)\n"
                         b"==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access "
                         b"NVIDIA GPU Performance Counters on the target device 0.\n")
        self.expect([f"log {log}", "exit 1"], PERMISSION, "root")

    def test_no_report(self):
        self.expect([f"log {LOGS / 'normal' / 'log'}", "exit 0"], TOOL, "no report")

    def test_empty_report(self):
        empty = self.write("empty", b"")
        self.expect([f"log {LOGS / 'normal' / 'log'}", f"report {empty}", "exit 0"], TOOL, "report")

    def test_a_report_that_is_none(self):
        text = self.write("text", b"not a report\n")
        self.expect([f"log {LOGS / 'normal' / 'log'}", f"report {text}", "exit 0"], TOOL, "report")

    def test_crash_in_the_middle_of_the_log(self):
        whole = (LOGS / "normal" / "log").read_bytes()
        half = self.write("half", whole[:len(whole) // 2])
        self.expect([f"log {half}", "crash"], TOOL, "signal 11")

    def test_garbage(self):
        for size in 1_000_000, 30_000_000:
            with self.subTest(size):
                self.expect([f"garbage {size}", "exit 1"], TOOL, "ncu")

    def test_no_tool(self):
        self.need_no_tools()
        done = self.profile()
        self.expect_code(done, TOOL)
        self.assertIn(b"ncu", done.stderr)

    def test_too_old_or_no_ncu_at_all(self):
        for printed in (b"NVIDIA (R) Nsight Compute Command Line Profiler\n"
                        b"Version 2019.5.0 (Build 27346997)\n", b"frobnicator 1.0\n", b""):
            with self.subTest(printed):
                version = self.write("version", printed)
                self.ncu(*self.recorded("ncu", "normal"), answers={"version": version})
                done = self.profile()
                self.expect_code(done, TOOL)
                self.assertIn(str(self.bin / "ncu").encode(), done.stderr)
                self.assertEqual(self.calls(), [])
                self.expect_no_run_folder()


class Commands(ProfileTest):
    HOSTILE = ["; rm -rf x", "$(id)", "`id`", "a\nb", "--set", "-o", "*", "", "'\"", "--"]

    def test_arguments_arrive_as_they_are(self):
        self.ncu(*self.recorded("ncu", "normal"))
        program = ["/bin/echo", *self.HOSTILE]
        self.expect_code(self.profile(program=program), DONE)
        call, = self.calls()
        self.assertEqual(call.argv[-len(program):], program)

    def test_the_environment_is_kept(self):
        self.ncu(*self.recorded("ncu", "normal"))
        mine = {"CUDA_VISIBLE_DEVICES": "0", "LD_LIBRARY_PATH": "/nonexistent", "IFS": "x",
                "AWS_SECRET_ACCESS_KEY": "hush-variable"}
        self.expect_code(self.profile(env={**self.environment, **mine}), DONE)
        call, = self.calls()
        self.assertEqual({name: call.environment.get(name) for name in mine}, mine)

    def test_secrets_are_not_kept(self):
        self.ncu(*self.recorded("ncu", "normal"))
        done = self.profile("--format", "json",
                            program=["/bin/true", "--token=hush-flag", "--password", "hush-word"],
                            env={**self.environment, "AWS_SECRET_ACCESS_KEY": "hush-variable"})
        self.expect_code(done, DONE)
        folder, _ = self.run_folder()
        self.assertNotIn(b"hush", (folder / "run.json").read_bytes())
        self.assertNotIn(b"hush", done.stdout + done.stderr)

    def test_dry_run_prints_what_would_run(self):
        self.ncu(*self.recorded("ncu", "normal"))
        program = ["/bin/echo", *self.HOSTILE]
        flags = ["--preset", "full", "--kernel", "a b|c", "--launch-count", "2"]
        done = self.profile("--dry-run", *flags, program=program)
        self.expect_code(done, DONE)
        self.assertEqual(self.calls(), [])
        self.expect_no_run_folder()
        self.expect_code(self.profile(*flags, program=program), DONE)
        words = shlex.split(done.stdout.decode(), comments=True)
        shown = words[words.index(str(self.bin / "ncu")):]
        self.assertEqual(self.without_folder(shown), self.without_folder(self.calls()[0].argv))

    @staticmethod
    def without_folder(words):
        """The folder has its name only when the run is done."""
        words = list(words)
        for option in "--log-file", "--export":
            at = words.index(option) + 1
            words[at] = words[at].rsplit("/", 1)[-1]
        return words

    def test_names_are_checked_before_anything_runs(self):
        self.ncu(*self.recorded("ncu", "normal"))
        for flags, near in (["--section", "SpeedOfLigt"], b"SpeedOfLight"), \
                (["--metric", "no_such_metric"], b"no_such_metric"), (["--preset", "ful"], b"full"):
            with self.subTest(flags):
                done = self.profile(*flags)
                self.expect_code(done, USAGE)
                self.assertIn(near, done.stderr)
                self.assertEqual(self.calls(), [])
                self.expect_no_run_folder()

    def test_presets_and_filters_become_flags(self):
        self.ncu(*self.recorded("ncu", "normal"))
        self.expect_code(self.profile("--preset", "full", "--kernel", "^scale", "--launch-skip", "3",
                                      "--launch-count", "2"), DONE)
        self.assertEqual(self.value_of("--kernel-name"), "regex:^scale")
        self.assertEqual(self.value_of("--launch-skip"), "3")
        self.assertEqual(self.value_of("--launch-count"), "2")


if __name__ == "__main__":
    unittest.main()
