#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`sanitize` against a compute-sanitizer that repeats what the real one did, and worse."""
import json
import os
import shlex
import unittest

from fake_tools import FINDINGS, TIME_LIMIT, TOOL, TOOLS, FakeToolsTest
from support import DONE, INPUT, PARTIAL

ALL = ["synccheck", "racecheck", "memcheck", "initcheck"]
LOGS = TOOLS / "sanitizer"
CUDA_PROGRAM = os.environ["PROOFLINE_FAKE_CUDA_PROGRAM"]
CUPTI = os.environ["PROOFLINE_FAKE_CUPTI"]


class SanitizeTest(FakeToolsTest):
    def sanitize(self, *flags, program=("/bin/echo", "hello"), **options):
        return self.run_it("sanitize", "--runs", self.runs, *flags, "--", *program, **options)

    def result(self, *flags, code, **options):
        done = self.sanitize("--format", "json", *flags, **options)
        self.expect_code(done, code)
        return json.loads(done.stdout)

    def tools_called(self):
        return [call.argv[call.argv.index("--tool") + 1] for call in self.calls()]


class Results(SanitizeTest):
    def test_nothing_found(self):
        self.sanitizer({})
        result = self.result(code=DONE)
        self.assertEqual([(tool["name"], tool["outcome"]) for tool in result["tools"]],
                         [(tool, "clean") for tool in ALL])
        self.assertEqual(self.tools_called(), ALL)
        _, described = self.run_folder()
        self.assertEqual([step["label"] for step in described["steps"]][-4:], ALL)

    FOUND = [  # scenario, tool, kind, function, line
        ("memcheck-out-of-bounds", "memcheck", "out-of-bounds", "write_past_end(float *, int)", 8),
        ("memcheck-misaligned", "memcheck", "misaligned", "load_misaligned(const char *, float4 *)",
         8),
        ("memcheck-leak", "memcheck", "leak", None, None),
        ("racecheck-shared-race", "racecheck", "shared-race", "reverse_block(int *)", 8),
        ("initcheck-uninitialised", "initcheck", "uninitialised-read",
         "sum_unwritten(const int *, int *)", 6),
        ("memcheck-api-error", "memcheck", "api-error", None, None),
        ("racecheck-missing-arrive", "racecheck", "shared-race", "hand_over(int *)", 21),
        ("synccheck-divergent-barrier", "synccheck", "divergent-barrier",
         "barrier_in_branch(int *)", 7),
        ("synccheck-missing-wait", "synccheck", "invalid-barrier", "arrive_twice(int *)", 17)]

    def test_what_the_tools_found(self):
        for scenario, tool, kind, function, line in self.FOUND:
            with self.subTest(scenario):
                self.sanitizer({tool: self.recorded("sanitizer", scenario)})
                result = self.result("--only", tool, code=FINDINGS)
                finding = result["tools"][0]["findings"][0]
                self.assertEqual(finding["kind"], kind)
                if function:
                    places = [finding["at"], *finding["device_frames"],
                              *(side["at"] for side in finding["sides"])]
                    self.assertIn((function, line), [(place["function"], place["line"])
                                                     for place in places])

    def test_a_finding_is_told_in_every_view(self):
        self.sanitizer({"memcheck": self.recorded("sanitizer", "memcheck-out-of-bounds")})
        for view in "terminal", "markdown", "json":
            with self.subTest(view):
                done = self.sanitize("--format", view)
                self.expect_code(done, FINDINGS)
                for words in b"write_past_end", b"out_of_bounds.cu", b"memcheck":
                    self.assertIn(words, done.stdout)

    def test_stops_at_the_first_that_fails_unless_told_otherwise(self):
        self.sanitizer({"racecheck": self.recorded("sanitizer", "racecheck-shared-race")})
        self.expect_code(self.sanitize(), FINDINGS)
        self.assertEqual(self.tools_called(), ALL[:2])
        self.expect_code(self.sanitize("--keep-going"), FINDINGS)
        self.assertEqual(self.tools_called(), ALL[:2] + ALL)

    def test_a_filter_that_matches_no_kernel_is_no_pass(self):
        self.sanitizer({})
        self.environment["PROOFLINE_CUPTI"] = CUPTI
        program = (CUDA_PROGRAM, "_Z5scalePff*3:1000")
        done = self.sanitize("--kernel", "gemm", program=program)
        self.expect_code(done, INPUT)
        self.assertIn(b"_Z5scalePff", done.stderr)
        self.assertEqual(self.tools_called(), [])
        self.result("--kernel", "scale", program=program, code=DONE)
        self.assertEqual(self.tools_called(), ALL)

    def test_only(self):
        self.sanitizer({})
        self.expect_code(self.sanitize("--only", "initcheck"), DONE)
        self.assertEqual(self.tools_called(), ["initcheck"])


class Failures(SanitizeTest):
    """What goes wrong is never a pass."""

    def expect(self, steps, code, *words, flags=()):
        self.sanitizer({"memcheck": steps})
        done = self.sanitize("--only", "memcheck", *flags)
        self.expect_code(done, code)
        said = (done.stdout + done.stderr).decode()
        for word in words:
            self.assertIn(word, said)
        self.expect_inert(done.stdout + done.stderr)

    def test_findings_count_whatever_the_exit_code(self):
        self.expect([f"log {LOGS / 'memcheck-out-of-bounds' / 'log'}", "exit 0"], FINDINGS,
                    "write_past_end")

    def test_an_exit_code_of_findings_without_any_is_no_pass(self):
        self.expect([f"log {LOGS / 'memcheck-clean' / 'log'}", "exit 86"], TOOL)

    def test_no_summary(self):
        self.expect([f"log {LOGS / 'synccheck-hang' / 'log'}", "exit 0"], TOOL, "memcheck")

    def test_no_log(self):
        self.expect(["exit 0"], TOOL, "memcheck")

    def test_crash_in_the_middle_of_the_log(self):
        whole = (LOGS / "memcheck-out-of-bounds" / "log").read_bytes()
        half = self.write("half", whole[:len(whole) // 2])
        # What it had found by then is kept.
        self.expect([f"log {half}", "crash"], FINDINGS, "write_past_end")
        banner = self.write("banner", whole[:whole.index(b"\n") + 1])
        self.expect([f"log {banner}", "crash"], TOOL, "signal 11")

    def test_garbage(self):
        self.expect(["garbage 1000000", "exit 0"], TOOL)

    def test_much_garbage(self):
        self.expect(["garbage 100000000", "exit 0"], TOOL)

    def test_the_program_cannot_be_checked(self):
        self.expect(self.recorded("sanitizer", "no-cuda"), TOOL, "first instrumented API call")

    def test_a_wrong_option(self):
        self.expect(self.recorded("sanitizer", "bad-option"), TOOL, "unrecognised option")

    def test_the_programs_own_failure_is_told_apart(self):
        for scenario, words in ("memcheck-segfault", "program itself died of signal 11"), \
                ("memcheck-exit-code", "program itself returned exit code 3"):
            with self.subTest(scenario):
                self.expect(self.recorded("sanitizer", scenario), PARTIAL, words)

    def test_hang(self):
        for steps in (self.recorded("sanitizer", "synccheck-hang"),
                      ["ignore", *self.recorded("sanitizer", "synccheck-hang")]):
            with self.subTest(steps[0]):
                self.expect(steps, TIME_LIMIT, "memcheck", flags=["--time-limit", "1"])

    def test_deadlock_that_racecheck_names(self):
        self.sanitizer({"racecheck": self.recorded("sanitizer", "racecheck-deadlock")})
        result = self.result("--only", "racecheck", "--time-limit", "1", code=TIME_LIMIT)
        kinds = [finding["kind"] for finding in result["tools"][0]["findings"]]
        self.assertIn("deadlock", kinds)

    def test_daemon_that_keeps_the_pipes_open(self):
        self.expect(["daemonise", *self.recorded("sanitizer", "memcheck-clean")], DONE)

    def test_no_tool(self):
        self.need_no_tools()
        done = self.sanitize()
        self.expect_code(done, TOOL)
        self.assertIn(b"compute-sanitizer", done.stderr)

    def test_a_program_of_that_name_that_is_no_sanitizer(self):
        version = self.write("version", b"frobnicator 1.0\n")
        self.sanitizer({}, answers={"version": version})
        done = self.sanitize()
        self.expect_error(done, TOOL)
        self.assertEqual(self.calls(), [])
        self.expect_no_run_folder()


class Commands(SanitizeTest):
    HOSTILE = ["; rm -rf x", "$(id)", "`id`", "a\nb", "--tool", "-o", "*", "", "'\"", "--"]

    def test_arguments_arrive_as_they_are(self):
        self.sanitizer({})
        program = ["/bin/echo", *self.HOSTILE]
        self.expect_code(self.sanitize("--only", "memcheck", program=program), DONE)
        call, = self.calls()
        self.assertEqual(call.argv[-len(program):], program)

    def test_the_environment_is_kept(self):
        self.sanitizer({})
        mine = {"CUDA_VISIBLE_DEVICES": "0", "LD_LIBRARY_PATH": "/nonexistent", "IFS": "x",
                "AWS_SECRET_ACCESS_KEY": "hush-variable"}
        self.expect_code(self.sanitize("--only", "memcheck", env={**self.environment, **mine}), DONE)
        call, = self.calls()
        self.assertEqual({name: call.environment.get(name) for name in mine}, mine)

    def test_secrets_are_not_kept(self):
        self.sanitizer({})
        done = self.sanitize("--only", "memcheck", "--format", "json",
                             program=["/bin/true", "--token=hush-flag", "--password", "hush-word"],
                             env={**self.environment, "AWS_SECRET_ACCESS_KEY": "hush-variable"})
        self.expect_code(done, DONE)
        folder, _ = self.run_folder()
        for file in folder.rglob("*"):
            if file.is_file():
                self.assertNotIn(b"hush", file.read_bytes(), file)
        self.assertNotIn(b"hush", done.stdout + done.stderr)

    def test_dry_run_prints_what_would_run(self):
        self.sanitizer({})
        program = ["/bin/echo", *self.HOSTILE]
        done = self.sanitize("--dry-run", program=program)
        self.expect_code(done, DONE)
        self.assertEqual(self.calls(), [])
        self.expect_no_run_folder()
        self.expect_code(self.sanitize(program=program), DONE)
        shown = self.commands(done.stdout.decode())
        self.assertEqual([self.without_folder(words) for words in shown],
                         [self.without_folder(call.argv) for call in self.calls()])

    def commands(self, text):
        """The compute-sanitizer commands in a text for a shell; a word may hold a newline."""
        words = shlex.split(text, comments=True)
        starts = [i for i, word in enumerate(words) if word == str(self.bin / "compute-sanitizer")]
        return [words[start:end] for start, end in zip(starts, [*starts[1:], len(words)])]

    @staticmethod
    def without_folder(words):
        """The folder has its name only when the run is done."""
        words = list(words)
        at = words.index("--log-file") + 1
        words[at] = words[at].rsplit("/", 1)[-1]
        return words


if __name__ == "__main__":
    unittest.main()
