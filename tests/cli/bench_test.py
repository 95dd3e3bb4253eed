#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`bench` with programs whose times are known, and with programs that fail."""
import json
import os
import shlex
import unittest

from schemas import errors, unnoticed, validator
from fake_tools import INTERRUPTED, TIME_LIMIT, TOOL, FakeToolsTest
from support import DONE, INPUT, PARTIAL, USAGE

BENCHMARK = os.environ["PROOFLINE_FAKE_BENCHMARK"]
CUDA_PROGRAM = os.environ["PROOFLINE_FAKE_CUDA_PROGRAM"]
CUPTI = os.environ["PROOFLINE_FAKE_CUPTI"]
REVERT, INCONCLUSIVE, NO_DIFFERENCE = 1, 10, 11
ABBA = "2"  # a seed by which the first block is a b b a


class BenchTest(FakeToolsTest):
    def setUp(self):
        super().setUp()
        self.starts = self.folder / "starts"

    def fake(self, name, *more):
        """A command whose starts are lines of self.starts."""
        return shlex.join([BENCHMARK, f"--name={name}", f"--count={self.starts}", *more])

    def started(self):
        return self.starts.read_text().split() if self.starts.exists() else []

    def bench(self, *flags, **options):
        return self.run_it("bench", "--runs", self.runs, *flags, **options)

    def result(self, *flags, code=DONE):
        done = self.bench("--format", "json", *flags)
        self.expect_code(done, code)
        return json.loads(done.stdout, parse_constant=self.fail)


class Measuring(BenchTest):
    def test_sides_are_started_in_turn(self):
        result = self.result("--a", self.fake("a"), "--b", self.fake("b"), "--starts", "4",
                             "--time-by", "program", "--seed", "3")
        started = "".join(self.started())
        self.assertRegex(started, "^ab(abba|baab){2}$")
        self.assertEqual(result["benchmark"]["order_seed"], 3)
        self.assertEqual((result["result"], result["timed_by"], result["starts"]),
                         ("bench", "program", 4))
        self.assertIs(result["benchmark"]["interleaved"], True)
        for side in result["benchmark"]["sides"]:
            samples = side["measurements"][0]["samples"]
            self.assertEqual(samples["run"], [start for start in range(4) for _ in range(5)])

    def test_the_folder_holds_the_result_and_each_start(self):
        result = self.result("--a", self.fake("a"), "--b", self.fake("b"), "--starts", "3")
        folder, described = self.run_folder()
        self.assertEqual(result["folder"], str(folder))
        self.assertEqual(json.loads((folder / "benchmark.json").read_text()), result["benchmark"])
        labels = [step["label"] for step in described["steps"]]
        self.assertEqual(sorted(labels[-6:]), ["a-1", "a-2", "a-3", "b-1", "b-2", "b-3"])

    def test_the_seed_is_the_order(self):
        orders = []
        for seed in "1", "1", "2", "3", "4":
            self.result("--a", self.fake("a"), "--b", self.fake("b"), "--starts", "6", "--time-by",
                        "program", "--warm-up", "0", "--seed", seed)
            orders.append("".join(self.started()))
            self.starts.unlink()
        self.assertEqual(orders[0], orders[1])
        self.assertGreater(len(set(orders)), 1)

    def test_it_stops_when_it_is_clear(self):
        calm = self.result("--a", self.fake("a", "--noise=0.0001"),
                           "--b", self.fake("b", "--noise=0.0001"))
        self.assertEqual((calm["starts"], calm["decision"]["verdict"]), (8, "NO DIFFERENCE"))
        self.assertIs(calm["decision"]["until_clear"], True)
        noisy = self.bench("--a", self.fake("a", "--noise=0.1"), "--b",
                           self.fake("b", "--noise=0.1"), "--max-starts", "15", "--seed", "2")
        self.expect_code(noisy, DONE)
        self.assertIn(b"not clear after 15 runs of each side", noisy.stderr)

    def test_one_side_is_only_measured(self):
        result = self.result("--a", self.fake("a"))
        self.assertEqual((result["starts"], result["decision"]), (10, None))

    def test_a_command_in_words(self):
        alone = self.result("--", *shlex.split(self.fake("x")))
        self.assertEqual([side["label"] for side in alone["benchmark"]["sides"]], ["a"])
        after = self.result("--starts", "3", "--a", self.fake("a"), "--", *shlex.split(
            self.fake("b", "--factor=0.5")))
        self.assertEqual([side["label"] for side in after["benchmark"]["sides"]], ["a", "b"])
        self.assertEqual(set(self.started()), {"x", "a", "b"})

    def test_more_than_two_sides(self):
        factors = {"x": "1", "y": "0.8", "z": "1.2"}
        sides = [flag for name, factor in factors.items()
                 for flag in ("--side", f"{name}={self.fake(name, '--factor=' + factor)}")]
        result = self.result(*sides, "--starts", "8", "--warm-up", "0", "--time-by", "program")
        self.assertEqual([side["label"] for side in result["benchmark"]["sides"]], ["x", "y", "z"])
        started = "".join(self.started())
        for block in range(0, 24, 6):
            self.assertEqual(started[block:block + 3], started[block + 3:block + 6][::-1])
            self.assertEqual(sorted(started[block:block + 3]), ["x", "y", "z"])
        # Each against the first, at the confidence that two comparisons need.
        self.assertIsNone(result["decision"])
        self.assertEqual([one["verdict"] for one in result["decisions"]], ["KEEP", "REVERT"])
        self.assertEqual([one["confidence"] for one in result["decisions"]], [0.975] * 2)

    def test_what_a_program_prints_is_read_too(self):
        self.assertEqual(self.result("--a", self.fake("a", "--print"), "--starts", "1")["timed_by"],
                         "program")

    def test_the_wall_clock(self):
        result = self.result("--a", self.fake("a"), "--time-by", "wall", "--starts", "3")
        measurement, = result["benchmark"]["sides"][0]["measurements"]
        self.assertEqual(measurement["timed_by"], "wall-clock")
        self.assertEqual(len(measurement["samples"]["ns"]), 3)

    def test_kernels(self):
        self.environment["PROOFLINE_CUPTI"] = CUPTI
        command = f"{CUDA_PROGRAM} '_Z5scalePff*3:{{}}' _Z5shiftPff:2000"
        sides = "--a", command.format(5000), "--b", command.format(4000)
        result = self.result(*sides, "--starts", "6")
        self.assertEqual(result["timed_by"], "cupti")
        times = [[(m["benchmark"], m["samples"]["ns"][0]) for m in side["measurements"]]
                 for side in result["benchmark"]["sides"]]
        self.assertEqual(times, [[("scale(float*, float)", 5000), ("shift(float*, float)", 2000)],
                                 [("scale(float*, float)", 4000), ("shift(float*, float)", 2000)]])
        chosen = self.result(*sides, "--starts", "6", "--kernel", "scale")
        self.assertEqual(len(chosen["benchmark"]["sides"][0]["measurements"]), 1)
        self.expect_code(self.bench(*sides, "--kernel", "gemm"), INPUT)

    def test_the_sum_of_kernels_is_no_measure_of_a_program_that_measures_itself(self):
        self.environment["PROOFLINE_CUPTI"] = CUPTI
        flags = "--starts", "6", "--time-by", "cupti"
        commands = f"{CUDA_PROGRAM} naive", f"{CUDA_PROGRAM} tiled"
        own = self.write("own.sh", b"#!/bin/sh\n" + self.fake("own").encode() + b"\nexec \"$@\"\n")
        own.chmod(0o755)
        for prefix, kernels in ("", ["naive", "all kernels"]), (f"{own} ", ["naive"]):
            a, b = (prefix + command for command in commands)
            result = self.result("--a", a, "--b", b, *flags)["benchmark"]["sides"][0]
            self.assertEqual([m["benchmark"] for m in result["measurements"]], kernels)
        self.assertIn("measures itself", " ".join(note["what"] for note in result["notes"]))

    def test_every_view_shows_the_decision(self):
        for view in "terminal", "markdown":
            with self.subTest(view):
                done = self.bench("--a", self.fake("a"), "--b", self.fake("b", "--factor=1.2"),
                                  "--starts", "12", "--format", view)
                self.expect_code(done, DONE)
                self.assertIn(b"REVERT", done.stdout)
                self.expect_inert(done.stdout)

    def test_the_verdict_comes_first(self):
        done = self.bench("--a", self.fake("a"), "--b", self.fake("b", "--factor=0.8"), "--starts", "12")
        self.expect_code(done, DONE)
        self.assertRegex(done.stdout.decode().splitlines()[0], "^KEEP: ")

    def test_dry_run_starts_nothing(self):
        done = self.bench("--a", self.fake("a"), "--b", self.fake("b"), "--starts", "2",
                          "--dry-run")
        self.expect_code(done, DONE)
        lines = [line for line in done.stdout.decode().splitlines() if not line.startswith("#")]
        self.assertIn(b"the order is random, for example this", done.stdout)
        measured = [line.split("--name=")[1][0] for line in lines[2:]]
        self.assertIn("".join(measured), ("abba", "baab"))
        self.assertEqual([line.split("--name=")[1][0] for line in lines], list("ab") + measured)
        self.assertEqual(self.started(), [])
        self.expect_no_run_folder()


class Schemas(BenchTest):
    """The result, and the two others that are in it."""

    def expect_valid(self, result, name):
        self.assertEqual(errors(validator(name), result), [])
        self.assertEqual(unnoticed(validator(name), result), [])

    def test_results(self):
        one = self.result("--a", self.fake("a"), "--starts", "1")
        self.expect_valid(one, "bench-run")
        two = self.result("--a", self.fake("a"), "--b", self.fake("b"), "--starts", "6")
        self.expect_valid(two, "bench-run")
        self.expect_valid(two["benchmark"], "bench")
        self.expect_valid(two["decision"], "decide")


class Gates(BenchTest):
    def gate(self, *more, flags=()):
        return self.bench("--a", self.fake("a"), "--b", self.fake("b", "--seed=2", *more),
                          "--starts", "14", "--gate", *flags)

    def test_the_exit_code_is_the_decision(self):
        self.expect_code(self.gate("--factor=0.8"), DONE)
        self.expect_code(self.gate("--factor=1.2"), REVERT)
        self.expect_code(self.gate("--wrong"), REVERT)
        invalid = self.bench("--a", self.fake("a", "--wrong"), "--b", self.fake("b"), "--starts", "2",
                             "--gate")
        self.expect_code(invalid, INPUT)
        few = self.bench("--a", self.fake("a"), "--b", self.fake("b"), "--starts", "2",
                         "--gate")
        self.expect_code(few, INCONCLUSIVE)

    def test_no_difference_passes_only_where_that_is_enough(self):
        sides = ("--a", self.fake("a", "--noise=0.001"), "--b",
                 self.fake("b", "--noise=0.001", "--seed=2"), "--gate")
        self.expect_code(self.bench(*sides), NO_DIFFERENCE)
        kept = self.bench(*sides, "--keep-same")
        self.expect_code(kept, DONE)
        self.assertIn(b"NO DIFFERENCE (above 0.5 %)", kept.stdout)
        self.expect_code(self.gate("--factor=1.2", flags=["--keep-same"]), REVERT)
        self.expect_code(self.gate("--factor=1.03", flags=["--keep-same", "--threshold", "5%"]), DONE)

    def test_without_it_a_slow_down_is_no_failure(self):
        self.expect_code(self.bench("--a", self.fake("a"), "--b", self.fake("b", "--factor=1.2"),
                                    "--starts", "10"), DONE)


class Failures(BenchTest):
    def test_flags_are_checked_before_anything_starts(self):
        good = self.fake("a")
        for flags in ((), ("--a", ""), ("--a", f"{good} | tee x"), ("--a", f"{good} > x"),
                      ("--a", f"{good} 'x"), ("--a", good, "--side", f"a={good}"),
                      ("--side", good), ("--side", f"../x={good}"), ("--a", good, "--gate"),
                      ("--a", good, "--effect", "3"), ("--a", good, "--starts", "0"),
                      ("--a", good, "--kernel", "("), ("--a", good, "--time-by", "guess"),
                      ("--a", good, "--time-by", "wall", "--kernel", "x"),
                      ("--a", good, "--b", good, "--", good)):
            with self.subTest(flags):
                self.expect_error(self.bench(*flags), USAGE)
        self.expect_error(self.bench("--a", good, "--b", "/nowhere/program"), INPUT)
        self.assertEqual(self.started(), [])
        self.expect_no_run_folder()

    def test_a_start_that_fails_ends_it_and_is_kept(self):
        done = self.bench("--a", self.fake("a"), "--b", self.fake("b", "--fail-at=5"),
                          "--time-by", "program", "--seed", ABBA)
        self.expect_code(done, TOOL)
        self.assertEqual(done.stdout, b"")
        self.assertIn(b"b-2: the program exited with 3", done.stderr)
        self.assertIn(b"out of memory", done.stderr)
        folder, described = self.run_folder()
        self.assertEqual(described["outcome"], "failed")
        self.assertEqual((folder / "b-2.stderr").read_text(), "starting\nout of memory\n")

    def test_keep_going_counts_it_as_a_loss(self):
        result = self.result("--a", self.fake("a"), "--b", self.fake("b", "--fail-at=5"),
                             "--time-by", "program", "--keep-going", "--starts", "4", "--seed", ABBA,
                             code=PARTIAL)
        b = result["benchmark"]["sides"][1]
        self.assertEqual(sorted(set(b["measurements"][0]["samples"]["run"])), [0, 2, 3])
        self.assertEqual([note["kind"] for note in b["notes"]], ["loss"])

    def test_nothing_but_failures_is_no_result(self):
        done = self.bench("--a", self.fake("a", "--silent"), "--time-by", "program",
                          "--keep-going", "--starts", "2")
        self.expect_code(done, TOOL)

    def test_no_result_and_half_a_result(self):
        self.expect_code(self.bench("--a", self.fake("a", "--silent"), "--time-by", "program"),
                         INPUT)
        self.expect_code(self.bench("--a", self.fake("a", "--cut")), INPUT)

    def test_a_start_that_hangs(self):
        done = self.bench("--a", self.fake("a", "--hang-at=1"), "--time-limit", "0.2")
        self.expect_code(done, TIME_LIMIT)
        self.assertEqual(self.run_folder()[1]["outcome"], "time-limit")

    def test_a_folder_that_cannot_be_written(self):
        """The measurement is made all the same, and kept elsewhere."""
        done = self.run_it("bench", "--a", "/bin/true", "--starts", "2", "--time-by", "wall",
                           cwd="/proc", env={**self.environment, "TMPDIR": str(self.folder)})
        self.expect_code(done, DONE)
        self.assertIn(b"the run is kept in", done.stdout)
        (runs,) = self.folder.glob("proofline-*")
        self.run_folder(runs)

    def test_the_record_has_what_was_loaded_and_no_secret(self):
        environment = {**self.environment, "CUDA_INJECTION64_PATH": "/tmp/injected.so"}
        done = self.run_it("bench", "--runs", self.runs, "--time-by", "wall", "--starts", "2", "--a",
                           "/bin/echo 'host=x password=hush' DB_PASS=hush --access-key hush",
                           env=environment)
        self.expect_code(done, DONE)
        folder, described = self.run_folder()
        self.assertEqual(described["environment"]["CUDA_INJECTION64_PATH"], "/tmp/injected.so")
        self.assertNotIn("hush", (folder / "run.json").read_text())
        self.assertNotIn("hush", (folder / "benchmark.json").read_text())

    def interrupted_at(self, start):
        with self.start("bench", "--runs", self.runs, "--time-by", "program", "--a",
                        self.fake("a", f"--hang-at={start}"), "--b", self.fake("b")) as process:
            while len(self.started()) < start:
                self.assertIsNone(process.poll(), "it ended before")
            done = self.interrupt(process)
        self.expect_code(done, INTERRUPTED)
        self.expect_no_survivor()
        return done

    def test_interrupted_before_anything_is_measured_leaves_nothing(self):
        self.interrupted_at(1)
        self.expect_no_run_folder()

    def test_interrupted_keeps_what_was_measured(self):
        done = self.interrupted_at(9)  # two warm-ups, then a b, b a, a b, b
        folder, described = self.run_folder()
        self.assertEqual(described["outcome"], "interrupted")
        self.assertIn(str(folder / "benchmark.json").encode(), done.stderr)
        kept = json.loads((folder / "benchmark.json").read_text())
        self.assertIn("interrupted after 3 runs of each side",
                      [note["what"] for note in kept["sides"][0]["notes"]])
        decided = self.run_it("decide", folder / "benchmark.json", "--format", "json")
        self.assertIn("verdict", json.loads(decided.stdout))

    def test_a_fifo_for_a_result_is_refused(self):
        program = self.folder / "fifo"
        program.write_text("#!/bin/sh\nmkfifo \"$PROOFLINE_BENCH_OUT\"\n")
        program.chmod(0o755)
        done = self.bench("--a", str(program), "--starts", "3")
        self.expect_code(done, INPUT)
        self.assertIn(b"FIFO", done.stderr)

    def test_a_program_that_stops_its_keeper_is_ended(self):
        """Once, and for as long as it lives."""
        for body in "kill -STOP $PPID; sleep 600", "while :; do kill -STOP $PPID; done":
            with self.subTest(body):
                program = self.folder / "stop"
                program.write_text(f"#!/bin/sh\ntrap '' TERM\n{body}\n")
                program.chmod(0o755)
                done = self.bench("--a", str(program), "--time-by", "wall", "--time-limit", "1")
                self.expect_code(done, TIME_LIMIT)
                self.expect_no_survivor()


if __name__ == "__main__":
    unittest.main()
