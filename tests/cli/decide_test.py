#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`decide` on files: which sides are compared, what each verdict exits with, and what is refused."""
import gzip
import json
import random
import subprocess
import unittest

from support import INPUT, PARTIAL, ROOT, USAGE, TestCase, run

KEEP, REVERT, INCONCLUSIVE, INVALID, NO_DIFFERENCE = 0, 1, 10, 3, 11
MACHINE = {"gpu": "NVIDIA H200", "uuid": "GPU-1", "compute_capability": "9.0",
           "driver": "580.95.05", "cuda": "13.0", "clocks_locked": True}
PROFILES = ROOT / "tests" / "fixtures" / "ncu_rep"
LOGS = ROOT / "tests" / "fixtures" / "sanitizer"


def measurement(median, n="8192", runs=20, spread=0.002, implementation="", **members):
    noise = random.Random(f"{median} {n} {implementation}")
    samples = [median * (1 + spread * (2 * noise.random() - 1)) for _ in range(5 * runs)]
    return {"benchmark": "transpose", "implementation": implementation,
            "axes": [{"name": "n", "value": n}], "state": "measured", "reason": "",
            "correctness": {"state": "passed"}, "timed_by": "cuda-graph", "cache": "hot",
            "samples": {"ns": samples, "run": [i // 5 for i in range(5 * runs)]}, **members}


def side(*measurements, label="a", machine=None):
    return {"label": label, "format": "proofline-bench", "producer": "proofline 0.1.0",
            "command": "./bench", "machine": {**MACHINE, **(machine or {})}, "notes": [],
            "measurements": list(measurements)}


def series(*sides, interleaved=False):
    return {"schema_version": "1.0", "tool": {"name": "proofline", "version": "0.1.0"},
            "result": "benchmark", "interleaved": interleaved, "sides": list(sides)}


class DecideTest(TestCase):
    def file(self, name, content):
        return self.write(name, json.dumps(content).encode())

    def two_files(self, a, b, machine_b=None):
        return (self.file("a.json", series(side(a))),
                self.file("b.json", series(side(b, label="b", machine=machine_b))))

    def decided(self, *arguments, code):
        done = run("decide", "--format", "json", *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout)


class Verdicts(DecideTest):
    def test_keep(self):
        files = self.two_files(measurement(1e5), measurement(7.63e4))
        result = self.decided(*files, code=KEEP)
        self.assertEqual(result["verdict"], "KEEP")
        self.assertAlmostEqual(result["overall"]["ratio"], 0.763, delta=0.002)
        done = run("decide", *files)
        self.assertEqual(done.returncode, KEEP)
        self.assertTrue(done.stdout.startswith(b"KEEP: 1.31"), done.stdout)

    def test_revert(self):
        files = self.two_files(measurement(1e5), measurement(1.08e5))
        self.assertIn("1.080 times as long", self.decided(*files, code=REVERT)["reason"])

    def test_no_difference(self):
        same = self.file("same.json", series(side(measurement(1e5)),
                                             side(measurement(1.0001e5), label="b"),
                                             interleaved=True))
        for flags, code in ((), NO_DIFFERENCE), (("--keep-same",), KEEP):
            self.assertEqual(self.decided(same, *flags, code=code)["verdict"], "NO DIFFERENCE")
        done = run("decide", same)
        self.assertTrue(done.stdout.startswith(b"NO DIFFERENCE (above 0.5 %): any change"), done.stdout)

    def test_sides_measured_apart_show_no_small_change(self):
        files = self.two_files(measurement(1e5), measurement(1.02e5))
        result = self.decided(*files, code=INCONCLUSIVE)
        self.assertIn("measured apart", result["next"][0])
        self.assertEqual(result["configurations"][0]["margin"], 0.03)

    def test_weights(self):
        small = {"n": "64"}
        path = self.file("two.json", series(
            side(measurement(1e5), measurement(1e2, **small)),
            side(measurement(8e4), measurement(1.1e2, **small), label="b"), interleaved=True))
        self.decided(path, code=KEEP)
        result = self.decided(path, "--weight", "n=64=10000", code=REVERT)
        self.assertEqual([one["weight"] for one in result["configurations"]], [1, 10000])
        other = self.decided(path, "--weight", "n=65=3", code=INCONCLUSIVE)
        self.assertIn('no configuration is called "n=65"', [note["what"] for note in other["notes"]])
        for wrong in "n", "n=64=0", "=3", "n=64=x":
            self.expect_error(run("decide", path, "--weight", wrong), USAGE)

    def test_inconclusive(self):
        files = self.two_files(measurement(1e5, runs=8, spread=0.1),
                               measurement(1.001e5, runs=8, spread=0.1))
        result = self.decided(*files, code=INCONCLUSIVE)
        self.assertIn("measure the sides alternately", result["next"][0])
        few = self.two_files(measurement(1e5, samples={"ns": [1e5, 1e5]}), measurement(5e4))
        self.assertIn("cannot compare", self.decided(*few, code=INCONCLUSIVE)["reason"])
        summary = measurement(1e5, samples={"ns": []}, summary={"ns": 1e5, "kind": "mean", "of": 9})
        near = self.two_files(summary, measurement(9.5e4))
        self.assertIn("--jsonbin", self.decided(*near, code=INCONCLUSIVE)["next"][0])
        far = self.two_files(summary, measurement(5e4))
        self.assertIn("only changes beyond 10 %", self.decided(*far, code=KEEP)["reason"])

    def test_invalid(self):
        files = self.two_files(measurement(1e5), measurement(5e4), {"driver": "570.1"})
        result = self.decided(*files, code=INVALID)
        self.assertEqual(result["configurations"], [])
        self.assertEqual([one["what"] for one in result["differences"]], ["driver"])
        forced = self.decided(*files, "--force", code=KEEP)
        self.assertEqual([one["what"] for one in forced["differences"]], ["driver"])

    def test_wrong_results(self):
        wrong = {"state": "wrong", "correctness": {"state": "failed", "wrong": 3, "checked": 9}}
        files = self.two_files(measurement(1e5), measurement(5e4, **wrong))
        self.assertIn("3 of 9 elements", self.decided(*files, code=REVERT)["reason"])
        files = self.two_files(measurement(1e5, **wrong), measurement(5e4))
        self.decided(*files, code=INVALID)

    def test_thresholds(self):
        files = self.two_files(measurement(1e5), measurement(1.05e5))
        self.decided(*files, code=REVERT)
        self.decided(*files, "--threshold", "10%", "--keep-same", code=KEEP)
        result = self.decided(*files, "--confidence", "99%", code=REVERT)
        self.assertEqual(result["confidence"], 0.99)
        for flag, value in (("--threshold", "0.5"), ("--threshold", "-1%"), ("--threshold", "x%"),
                            ("--confidence", "100%"), ("--clear-gain", "nan%")):
            with self.subTest(flag=flag, value=value):
                self.expect_error(run("decide", *files, f"{flag}={value}"), USAGE)


class Sides(DecideTest):
    def test_one_file_with_two_sides(self):
        path = self.file("ab.json", series(side(measurement(1e5)),
                                           side(measurement(5e4), label="b"), interleaved=True))
        result = self.decided(path, code=KEEP)
        self.assertTrue(result["configurations"][0]["interleaved"])
        self.assertEqual((result["a"], result["b"]), (str(path), str(path)))
        self.assertEqual((result["a_label"], result["b_label"]), ("a: ./bench", "b: ./bench"))
        swapped = self.decided(path, "--a", "b", "--b", "a", code=REVERT)
        self.assertEqual((swapped["a_label"], swapped["b_label"]), ("b: ./bench", "a: ./bench"))
        for view in "terminal", "markdown":
            self.assertRegex(run("decide", path, "--format", view).stdout.decode(),
                             r"A\b.*a: .*\n.*B\b.*b: .*\n.*in\b.*ab\.json")

    def test_two_implementations_in_one_file(self):
        path = self.file("one.json", series(side(measurement(1e5, implementation="naive"),
                                                 measurement(5e4, implementation="tiled"))))
        result = self.decided(path, "--a", "naive", "--b", "tiled", code=KEEP)
        one = result["configurations"][0]
        self.assertEqual((one["implementation_a"], one["implementation_b"]), ("naive", "tiled"))
        self.assertEqual((result["a_label"], result["b_label"]), ("naive", "tiled"))
        self.expect_error(run("decide", path), USAGE)
        done = run("decide", path, "--a", "naive", "--b", "titled")
        self.expect_error(done, INPUT)
        self.assertIn(b'"naive", "transpose", "tiled"', done.stderr)

    def test_two_benchmarks_in_one_file(self):
        path = self.file("one.json", series(side(
            measurement(1e5, benchmark="naive"), measurement(5e4, benchmark="tiled"))))
        result = self.decided(path, "--a", "naive", "--b", "tiled", code=KEEP)
        self.assertEqual(result["unmatched"], [])
        self.assertEqual((result["a_label"], result["b_label"]), ("naive", "tiled"))

    def test_a_side_of_another_file(self):
        before = self.file("a.json", series(side(measurement(1e5))))
        both = self.file("ab.json", series(side(measurement(1e5), label="naive"),
                                           side(measurement(5e4), label="tiled")))
        result = self.decided(before, both, "--b", "tiled", code=KEEP)
        self.assertEqual((result["a_label"], result["b_label"]), ("", "tiled: ./bench"))

    def test_google_benchmark(self):
        def google(median):
            return {"context": {"num_cpus": 1, "library_build_type": "release"}, "benchmarks": [
                {"name": "BM_copy/8", "run_name": "BM_copy/8", "run_type": "iteration",
                 "repetitions": 20, "repetition_index": i, "iterations": 10,
                 "real_time": median * (1 + 0.001 * (i % 3)), "cpu_time": median,
                 "time_unit": "ns"} for i in range(20)]}

        self.decided(self.file("a.json", google(1000)), self.file("b.json", google(800)), code=KEEP)

    def test_what_is_no_benchmark(self):
        good = self.file("a.json", series(side(measurement(1e5))))
        for content in b"", b"{}", b"NVR\0", b'{"result":"benchmark"':
            self.expect_error(run("decide", good, self.write("bad", content)), INPUT)
        self.expect_error(run("decide", good, self.folder / "absent.json"), INPUT)
        self.expect_error(run("decide"), USAGE)


class Evidence(DecideTest):
    def test_sanitizer(self):
        files = self.two_files(measurement(1e5), measurement(5e4))
        self.decided(*files, "--sanitizer", LOGS / "memcheck-clean.log", code=KEEP)
        result = self.decided(*files, "--sanitizer", LOGS / "memcheck-clean.log",
                              "--sanitizer", LOGS / "shared-race.log", code=REVERT)
        self.assertIn("shared-race", result["reason"])
        self.decided("--sanitizer", LOGS / "memcheck-clean.log", *files, code=KEEP)
        self.expect_error(run("decide", *files, "--sanitizer", files[0]), INPUT)

    def test_profiles_explain(self):
        files = self.two_files(measurement(1e5), measurement(5e4))
        report = PROFILES / "h200-memory.ncu-rep.gz"
        result = self.decided(*files, "--profile-a", report, "--profile-b", report, code=KEEP)
        self.assertRegex(result["explanation"][0], "machine code of [0-9]+ .* is the same")
        self.expect_error(run("decide", *files, "--profile-a", report), USAGE)

    def test_a_change_may_rename_the_kernel(self):
        files = self.two_files(measurement(1e5), measurement(5e4))
        reports = [self.first_kernel(name) for name in ("h200-memory", "h200-compute")]
        result = self.decided(*files, "--profile-a", reports[0], "--profile-b", reports[1],
                              code=KEEP)
        self.assertRegex(result["explanation"][0], "^copy.* -> gemm.*: ")
        self.assertRegex(result["explanation"][1], "^code of copy.* -> gemm.*: instructions ")

    def first_kernel(self, name):
        whole = self.write("whole", gzip.decompress((PROFILES / f"{name}.ncu-rep.gz").read_bytes()))
        first = self.folder / f"{name}.ncu-rep"
        subprocess.run([ROOT / "scripts" / "trim-report", "--keep-results", "1", whole, first],
                       check=True, capture_output=True)
        return first


class Output(DecideTest):
    def test_hostile_names(self):
        name = "\x1b[2J\u202e\"</script>|\n=cmd()"
        slow = measurement(1.5e5, n=name, benchmark=name, implementation=name, reason=name)
        quick = {**measurement(1e5), **{key: slow[key] for key in ("axes", "benchmark")}}
        files = self.two_files(quick, slow, {"gpu": name})
        both = self.file("both.json", series(side(quick, label="a"), side(slow, label=name)))
        self.expect_inert(run("decide", both).stdout)
        for view in "terminal", "markdown", "csv":
            for flags in (), ("--force",):
                with self.subTest(view=view, flags=flags):
                    done = run("decide", *files, "--format", view, *flags)
                    self.assertEqual(done.returncode, REVERT if flags else INVALID, done.stderr)
                    self.expect_inert(done.stderr)
                    self.assertNotIn(b"\x1b", done.stdout)
                    if view != "csv":  # which keeps all that a terminal does not obey
                        self.expect_inert(done.stdout)

    def test_same_bytes_each_time(self):
        files = self.two_files(measurement(1e5), measurement(5e4))
        arguments = ("decide", "--format", "json", *files)
        self.assertEqual(run(*arguments).stdout, run(*arguments).stdout)

    def test_a_loss_is_not_kept_in_silence(self):
        broken = measurement(1e5, n="16", samples={"ns": "none"})
        broken["state"] = 7
        a = self.file("a.json", series(side(measurement(1e5), broken)))
        b = self.file("b.json", series(side(measurement(5e4))))
        result = self.decided(a, b, code=PARTIAL)
        self.assertEqual(result["verdict"], "KEEP")
        self.assertIn("loss", [note["kind"] for note in result["notes"]])


if __name__ == "__main__":
    unittest.main()
