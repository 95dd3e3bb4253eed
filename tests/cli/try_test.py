#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`proofline try`: from a hypothesis to a verdict that the journal keeps, whatever comes of it."""
import json
import os
import pathlib
import re
import shlex
import signal
import sqlite3
import subprocess
import unittest

from schemas import errors, unnoticed, validator
from fake_tools import FakeToolsTest
from support import BINARY, DONE, INPUT, STORAGE, TIMEOUT_S, USAGE, TestCase, run

FAKE = os.environ["PROOFLINE_FAKE_BENCHMARK"]
REVERT, TOOL, INTERRUPTED = 1, 5, 130
ABBA = "2"  # a seed by which the first block is a b b a


class Try(TestCase):
    def proofline(self, *arguments):
        return run(*arguments, cwd=self.folder)

    def attempt(self, hypothesis, *flags, before=(), after=()):
        """Measured with enough starts for noise of 0.5 %; each start has its own."""
        count = f"--count={self.folder / 'starts'}"
        return self.proofline("try", hypothesis, "--starts", "13", "--a",
                              shlex.join([FAKE, count, *before]), *flags, "--",
                              FAKE, count, *after)

    def journal(self, *arguments):
        done = self.proofline("journal", *arguments, "--format", "json")
        self.assertEqual(done.returncode, DONE, done.stderr)
        return json.loads(done.stdout)["attempts"]

    def entries(self):
        (attempt,) = self.journal()
        (shown,) = self.journal("show", attempt["id"])
        return attempt, [entry["kind"] for entry in shown["entries"]]

    def test_faster_is_kept(self):
        done = self.attempt("float4 loads", "--expect", "5-15%", after=["--factor=0.9"])
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn(b"KEEP", done.stdout)
        attempt, kinds = self.entries()
        self.assertEqual(kinds, ["open", "benchmark", "decision", "close"])
        self.assertEqual(attempt["state"], "kept")
        self.assertEqual(attempt["hypothesis"], "float4 loads")
        self.assertTrue(0.08 < attempt["realised"]["gain"] < 0.12, attempt)

    def test_slower_is_reverted_and_kept_in_mind(self):
        done = self.attempt("wider tiles", "--expect", "20%", after=["--factor=1.1"])
        self.assertEqual(done.returncode, REVERT, done.stderr)
        attempt, _ = self.entries()
        self.assertEqual(attempt["state"], "reverted")
        self.assertIn("as long", attempt["reason"])

    def test_no_difference_is_a_state(self):
        for flags, code in ((), 11), (["--keep-same"], DONE):
            done = self.attempt("renamed", *flags, "--threshold", "5%")
            self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual([one["state"] for one in self.journal()], ["no-difference"] * 2)

    def test_a_regression_between_attempts_is_found(self):
        self.attempt("float4 loads", after=["--factor=0.8"])
        self.attempt("unrolled", before=["--factor=1.2"], after=["--factor=1.4"])
        done = self.proofline("journal", "regressions", "--format", "json")
        self.assertEqual(done.returncode, DONE, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(errors(validator("regressions"), found), [])
        self.assertEqual(unnoticed(validator("regressions"), found), [])
        (one,) = found["regressions"]
        self.assertEqual((one["attempt"], one["hypothesis"]), ("", "float4 loads"))
        self.assertAlmostEqual(one["ratio"], 1.5, delta=0.02)
        self.assertTrue(1 < one["low"] < one["ratio"] < one["high"], one)
        shown = self.proofline("journal", "regressions").stdout
        self.assertIn(b"1 regression in 2 attempts", shown)
        self.assertIn(b"no attempt: after", shown)

    def test_wrong_results_are_not_timed(self):
        done = self.attempt("no barrier", "--check", "/bin/false", after=["--factor=0.5"])
        self.assertEqual(done.returncode, REVERT, done.stderr)
        self.assertIn(b"/bin/false did not return 0", done.stdout)
        self.assertFalse((self.folder / "starts").exists())
        (name,) = re.findall(rb"see run (\S+-check)", self.proofline("journal", "export", "--format", "markdown").stdout)
        self.assertEqual(self.proofline("runs", "show", name.decode()).returncode, DONE)
        attempt, kinds = self.entries()
        self.assertEqual(kinds, ["open", "correctness", "close"])
        self.assertEqual(attempt["state"], "failed")

    def test_right_results_are_a_gate_of_the_decision(self):
        done = self.attempt("x", "--check", "/bin/true --token hush", "--format", "json",
                            after=["--factor=0.9"])
        self.assertEqual(done.returncode, DONE, done.stderr)
        decision = json.loads(done.stdout)["decision"]
        (check,) = [gate for gate in decision["gates"] if gate["name"] == "check"]
        self.assertEqual(check["state"], "passed")
        self.assertEqual(check["detail"], "/bin/true --token <redacted> returned 0")
        self.assertEqual([step for step in decision["next"] if "check" in step], [])
        self.assertEqual(self.entries()[1],
                         ["open", "correctness", "benchmark", "decision", "close"])

    def test_a_program_that_fails_closes_the_attempt(self):
        done = self.attempt("crash", "--seed", ABBA, after=["--fail-at=5"])
        self.assertEqual(done.returncode, TOOL, done.stdout)
        attempt, kinds = self.entries()
        self.assertEqual(kinds, ["open", "close"])
        self.assertEqual(attempt["state"], "failed")
        self.assertIn("exited with 3", attempt["reason"])
        self.assertNotIn("\n", attempt["reason"])
        self.assertIn(f"attempt {attempt['id']} is recorded as failed in ", done.stderr.decode())

    def test_a_journal_that_is_removed_meanwhile(self):
        """The attempt is written anew, and verify misses its first beginning until that is back."""
        journal = self.folder / ".proofline" / "journal.sqlite"
        self.proofline("journal", "note", "older")
        done = self.attempt("float4 loads", "--check", f"/bin/mv {journal} {self.folder / 'old.sqlite'}",
                            after=["--factor=0.8"])
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn(b"was removed or replaced while the attempt ran", done.stderr)
        attempt, kinds = self.entries()
        self.assertEqual((attempt["hypothesis"], attempt["state"]), ("float4 loads", "kept"))
        self.assertEqual(kinds, ["open", "missed", "correctness", "benchmark", "decision", "close"])
        verified = self.proofline("journal", "verify")
        self.assertEqual(verified.returncode, STORAGE, verified.stdout)
        self.assertIn(b"an attempt began with this entry, and it is missing", verified.stdout)
        synced = self.proofline("journal", "sync", "--from", self.folder / "old.sqlite")
        self.assertEqual(synced.returncode, DONE, synced.stderr)
        self.assertEqual(self.proofline("journal", "verify").returncode, DONE)
        self.assertCountEqual([one["state"] for one in self.journal()], ["open", "kept"])

    def test_an_interrupted_attempt_is_abandoned(self):
        count = self.folder / "starts"
        with subprocess.Popen(
                [BINARY, "try", "hang", "--starts", "5", "--time-by", "program", "--seed", ABBA, "--a",
                 shlex.join([FAKE, f"--count={count}"]), "--", FAKE, f"--count={count}",
                 "--hang-at=4"], cwd=self.folder, stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE) as started:
            while not count.exists() or len(count.read_text().splitlines()) < 4:
                self.assertIsNone(started.poll(), "it ended before the start that hangs")
            started.send_signal(signal.SIGINT)
            started.communicate(timeout=TIMEOUT_S)
        self.assertEqual(started.returncode, INTERRUPTED)
        attempt, kinds = self.entries()
        self.assertEqual(kinds, ["open", "close"])
        self.assertEqual(attempt["state"], "abandoned")

    def test_against_a_baseline(self):
        measured = self.proofline("bench", "--starts", "13", "--a",
                                  shlex.join([FAKE, f"--count={self.folder / 'starts'}"]))
        self.assertEqual(measured.returncode, DONE, measured.stderr)
        (result,) = pathlib.Path(self.folder, ".proofline/runs").glob("*/benchmark.json")
        set_ = self.proofline("journal", "baseline", "set", "main", result)
        self.assertEqual(set_.returncode, DONE, set_.stderr)
        done = self.proofline("try", "unrolled", "--baseline", "main", "--starts", "13",
                              "--format", "json", "--", FAKE,
                              f"--count={self.folder / 'starts'}", "--factor=0.8")
        self.assertEqual(done.returncode, DONE, done.stderr)
        shown = json.loads(done.stdout)
        self.assertEqual(shown["decision"]["verdict"], "KEEP")
        self.assertIn("measured-apart", shown["decision"]["configurations"][0]["flags"])
        self.assertTrue(shown["decision"]["a"].endswith("benchmark.json"), shown)
        self.assertTrue(shown["decision"]["a_label"].startswith("baseline main"), shown)
        self.assertTrue(shown["decision"]["b_label"].startswith("b: "), shown)
        self.assertEqual(shown["journal"]["attempts"][0]["state"], "kept")

    def baseline(self, *sides):
        """A file of measurements of these sides, and what `try` says to the baseline 'main'."""
        measured = self.proofline("bench", "--starts", "3", *sides)
        self.assertEqual(measured.returncode, DONE, measured.stderr)
        (result,) = pathlib.Path(self.folder, ".proofline/runs").glob("*/benchmark.json")
        return result, lambda: self.proofline("try", "x", "--baseline", "main", "--starts", "3",
                                              "--", FAKE)

    def test_a_baseline_whose_file_was_overwritten_is_refused(self):
        file, attempt = self.baseline("--a", FAKE)
        self.assertEqual(self.proofline("journal", "baseline", "set", "main", file).returncode,
                         DONE)
        file.write_bytes(file.read_bytes() + b"\n")
        done = attempt()
        self.expect_error(done, INPUT)
        self.assertIn(b"was changed since it was set", done.stderr)
        self.assertEqual(self.journal(), [])

    def test_an_old_baseline_of_several_sides_is_refused(self):
        """Versions before wrote neither side nor hash, and took the first side."""
        file, attempt = self.baseline("--a", FAKE, "--b", FAKE)
        self.assertEqual(self.proofline("journal", "note", "x").returncode, DONE)
        body = json.dumps({"name": "main", "path": str(file)})
        with sqlite3.connect(self.folder / ".proofline" / "journal.sqlite") as database:
            database.execute("UPDATE entries SET kind = 'baseline', body = ?", [body])
        database.close()
        done = attempt()
        self.expect_error(done, USAGE)
        self.assertIn(b"holds 2 sides", done.stderr)
        file.write_text(json.dumps({**json.loads(file.read_text()),
                                    "sides": json.loads(file.read_text())["sides"][:1]}))
        self.assertNotIn(attempt().returncode, [USAGE, INPUT])

    def test_dry_run_runs_and_writes_nothing(self):
        done = self.attempt("x", "--dry-run", after=["--factor=0.9"])
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn(b"--factor=0.9", done.stdout)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_nothing_is_written_for_a_request_that_makes_no_sense(self):
        for arguments, code in [
                (["", "--a", FAKE, "--", FAKE], USAGE),
                (["x", "--", FAKE], USAGE),
                (["x", "--a", FAKE, "--baseline", "b", "--", FAKE], USAGE),
                (["x", "--expect", "lots", "--a", FAKE, "--", FAKE], USAGE),
                (["x", "--a", "absent-program", "--", FAKE], INPUT),
                (["x", "--sanitize-with", "absent-program", "--a", FAKE, "--", FAKE], INPUT),
                (["x", "--profile-kernel", "(", "--a", FAKE, "--", FAKE], USAGE),
                (["x", "--a", f"{FAKE} | tee log", "--", FAKE], USAGE)]:
            with self.subTest(arguments):
                done = self.proofline("try", *arguments)
                self.assertEqual(done.returncode, code, done.stderr)
        self.assertFalse((self.folder / ".proofline").exists())


class Sanitized(FakeToolsTest):
    def attempt(self, *flags):
        count = f"--count={self.folder / 'starts'}"
        return self.run_it("try", "pooled buffers", *flags, "--starts", "10", "--runs",
                           self.runs, "--journal", str(self.folder / "journal.sqlite"), "--a",
                           shlex.join([FAKE, count]), "--", FAKE, count, "--factor=0.8")

    def test_a_leak_is_told_and_fails_only_where_asked(self):
        self.sanitizer({"memcheck": self.recorded("sanitizer", "memcheck-leak")})
        told = self.attempt("--sanitize")
        self.expect_code(told, DONE)
        self.assertIn(b"KEEP", told.stdout)
        self.assertIn(b"memory leaks when it ends, and nothing else", told.stderr)
        self.expect_code(self.attempt("--sanitize", "--gate-leaks"), REVERT)

    def test_any_other_error_fails(self):
        self.sanitizer({"memcheck": self.recorded("sanitizer", "memcheck-out-of-bounds")})
        self.expect_code(self.attempt("--sanitize"), REVERT)

    def test_another_program_in_its_place(self):
        """It alone is looked at, and nobody is told that the timed program was."""
        self.sanitizer({})
        done = self.attempt("--sanitize-with", f"{FAKE} --name=small", "--format", "json")
        self.expect_code(done, DONE)
        self.assertEqual([call.argv[-2:] for call in self.calls()], [[FAKE, "--name=small"]] * 4)
        (gate,) = [gate for gate in json.loads(done.stdout)["decision"]["gates"]
                   if gate["name"] == "sanitizer"]
        self.assertEqual(gate, {"name": "sanitizer", "state": "passed",
                                "detail": f'no errors in "{FAKE} --name=small", run in B\'s place'})

    def test_only_the_kernels_in_question(self):
        self.sanitizer({})
        self.expect_code(self.attempt("--sanitize-kernel", "4poly"), DONE)
        narrowed = {call.argv[call.argv.index("--tool") + 1]: "regex=4poly" in call.argv
                    for call in self.calls()}
        self.assertEqual(narrowed, {"synccheck": True, "racecheck": True, "memcheck": True,
                                    "initcheck": False})

    def test_an_error_of_that_program_fails(self):
        self.sanitizer({"memcheck": self.recorded("sanitizer", "memcheck-out-of-bounds")})
        done = self.attempt("--sanitize-with", f"{FAKE} --name=small")
        self.expect_code(done, REVERT)
        self.assertIn(b"--name=small: findings", done.stdout)


class Profiled(FakeToolsTest):
    def attempt(self, *flags):
        return self.run_it("try", "float4 loads", *flags, "--starts", "6", "--runs", self.runs,
                           "--journal", str(self.folder / "journal.sqlite"), "--a", FAKE, "--",
                           FAKE, "--factor=0.8")

    def chosen(self):
        """The kernels that ncu was asked to profile, one call for each side."""
        return [call.argv[call.argv.index("--kernel-id") + 1] for call in self.calls()
                if "--kernel-id" in call.argv]

    def test_the_kernels_that_matter(self):
        self.ncu(*self.recorded("ncu", "normal"))
        done = self.attempt("--profile-kernel", "^poly")
        self.expect_code(done, DONE)
        self.assertEqual(len(self.chosen()), 2, self.calls())
        self.assertTrue(all("polynomial" in one for one in self.chosen()), self.chosen())
        self.assertIn(b"What explains it", done.stdout)

    def test_a_name_that_no_kernel_has_is_said_and_decides_nothing(self):
        self.ncu(*self.recorded("ncu", "normal"))
        done = self.attempt("--profile-kernel", "no_such_kernel")
        self.expect_code(done, DONE)
        self.assertEqual(self.chosen(), [])
        self.assertIn(b"no_such_kernel", done.stdout)
        self.assertNotIn(b"What explains it", done.stdout)


class DryRun(FakeToolsTest):
    def test_names_all_steps_in_their_order(self):
        self.ncu()
        self.sanitizer({})
        done = self.run_it("try", "x", "--dry-run", "--sanitize", "--profile", "--check",
                           "/bin/true the-check", "--a", FAKE, "--", FAKE, "--factor=0.9")
        self.expect_code(done, DONE)
        steps = [done.stdout.index(part) for part in [
            b"/bin/true the-check", b"--tool synccheck", b"# measured", b"# profiles a\n",
            b"# profiles b\n"]]
        self.assertEqual(steps, sorted(steps), done.stdout)
        self.assertEqual(self.calls(), [])


if __name__ == "__main__":
    unittest.main()
