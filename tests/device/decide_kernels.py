#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether `proofline decide` is right about changes whose truth is known.

    python3 tests/device/decide_kernels.py record --proofline PATH --programs FOLDER --out FOLDER
    python3 tests/device/decide_kernels.py judge  --proofline PATH --out FOLDER

record, on a machine with a GPU: `proofline bench` measures kernels/bench's delay as it is, once more
as it is, and slowed by exactly 1, 2, 3, 5 and 10 %; its transposes; and its reductions. The sides
take turns. FOLDER gets delay.json, transpose.json and reduce.json.

judge, anywhere: 100 times draws 10 of the recorded starts, gives them to
`decide` and counts what it finds. A slower B has to be reverted and a faster one kept; INCONCLUSIVE is
never wrong. Of equal ones nothing may be called faster or slower: there is NO DIFFERENCE. Exit code 1
where anything is wrong. Writes FOLDER/decide_kernels.md.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

from machine import table

PERCENTS = [1, 2, 3, 5, 10]
REPETITIONS = 100
STARTS_DRAWN = 10
NO_DIFFERENCE = "NO DIFFERENCE"
VERDICTS = ["KEEP", "REVERT", NO_DIFFERENCE, "INCONCLUSIVE", "INVALID"]
RECORDINGS = {
    "delay": (16, "--us 20,100,1000",
              {"same": "", "again": "", **{f"slower{p}": f"--percent {p}" for p in PERCENTS}}),
    "transpose": (16, "--n 2048,8192", {"all": ""}),
    "reduce": (16, "--n 16777216,67108864 --cache rotating", {"all": ""}),
}


def record(given):
    for program, (starts, flags, sides) in RECORDINGS.items():
        if given.only not in (None, program):
            continue
        path = given.programs.resolve() / program
        with tempfile.TemporaryDirectory() as runs:
            command = [given.proofline, "bench", "--starts", starts, "--runs", runs]
            for name, more in sides.items():
                command += ["--side", f"{name}={path} {flags} {more}"]
            subprocess.run(list(map(str, command)), check=True)
            result, = pathlib.Path(runs).glob("*/benchmark.json")
            shutil.copy(result, given.out / f"{program}.json")


Comparison = collections.namedtuple("Comparison", "program what a b right")


def comparisons():
    """`a` and `b` as decide takes them, and the verdict that is right besides INCONCLUSIVE."""
    yield Comparison("delay", "the same twice", "same", "again", NO_DIFFERENCE)
    for percent in PERCENTS:
        slow = f"slower{percent}"
        yield Comparison("delay", f"{percent} % slower", "same", slow, "REVERT")
        yield Comparison("delay", f"{percent} % less slow", slow, "same", "KEEP")
    yield Comparison("transpose", "naive to tiled", "naive", "tiled", "KEEP")
    yield Comparison("transpose", "tiled to padded", "tiled", "padded", "KEEP")
    yield Comparison("transpose", "tiled to naive", "tiled", "naive", "REVERT")
    yield Comparison("reduce", "scalar to vector loads", "scalar", "vector", "KEEP")
    yield Comparison("reduce", "vector to scalar loads", "vector", "scalar", "REVERT")


def drawn(recording, axes, starts):
    """The recording with one configuration, and of it these starts, counted anew."""
    position = {start: i for i, start in enumerate(starts)}
    sides = []
    for side in recording["sides"]:
        measurements = []
        for each in side["measurements"]:
            if each["axes"] != axes:
                continue
            samples = each["samples"]
            kept = [i for i, run in enumerate(samples["run"]) if run in position]
            throttled = set(samples["throttled"])
            fewer = {key: [values[i] for i in kept] for key, values in samples.items()
                     if key not in ("run", "throttled")}
            fewer["run"] = [position[samples["run"][i]] for i in kept]
            fewer["throttled"] = [new for new, old in enumerate(kept) if old in throttled]
            measurements.append({**each, "samples": fewer})
        sides.append({**side, "measurements": measurements})
    return {**recording, "sides": sides}


def configurations(recording):
    """The axes of each, once."""
    found = []
    for each in recording["sides"][0]["measurements"]:
        if each["axes"] not in found:
            found.append(each["axes"])
    return found


def verdict(proofline, path, comparison):
    done = subprocess.run([str(proofline), "decide", path, "--a", comparison.a, "--b", comparison.b,
                           "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)
    if not done.stdout:
        sys.exit(f"decide_kernels: {done.stderr}")
    return json.loads(done.stdout)["verdict"]


def count_verdicts(given, recording, axes, asked):
    """For each comparison how often each verdict was given."""
    starts = sorted({run for run in recording["sides"][0]["measurements"][0]["samples"]["run"]})
    chance = random.Random(1)
    counts = [collections.Counter() for _ in asked]

    def one(seed):
        chosen = random.Random(seed).sample(starts, STARTS_DRAWN)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(drawn(recording, axes, chosen), file)
            file.flush()
            return [verdict(given.proofline, file.name, each) for each in asked]

    with concurrent.futures.ThreadPoolExecutor() as pool:
        for verdicts in pool.map(one, [chance.random() for _ in range(REPETITIONS)]):
            for count, given_verdict in zip(counts, verdicts):
                count[given_verdict] += 1
    return counts


def judge(given):
    rows, wrong = [], 0
    for program in RECORDINGS:
        recording = json.loads((given.out / f"{program}.json").read_text())
        asked = [each for each in comparisons() if each.program == program]
        for axes in configurations(recording):
            size = " ".join(f"{axis['name']}={axis['value']}" for axis in axes)
            for each, count in zip(asked, count_verdicts(given, recording, axes, asked)):
                bad = REPETITIONS - count["INCONCLUSIVE"] - count[each.right]
                wrong += bad
                rows.append([f"{program} {size}", each.what, each.right,
                             *(count[name] for name in VERDICTS), bad])
    text = table(["kernel", "change", "right", *VERDICTS, "wrong"], rows)
    print(text)
    (given.out / "decide_kernels.md").write_text(text)
    sys.exit(1 if wrong else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["record", "judge"])
    parser.add_argument("--proofline", required=True, type=pathlib.Path, help="the program to test")
    parser.add_argument("--programs", type=pathlib.Path,
                        help="record: folder with the built programs of kernels/bench")
    parser.add_argument("--only", choices=list(RECORDINGS), help="record: only this program")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="folder of the recordings")
    given = parser.parse_args()
    given.proofline = given.proofline.resolve()
    given.out.mkdir(parents=True, exist_ok=True)
    if given.part == "record" and not given.programs:
        parser.error("record needs --programs")
    (record if given.part == "record" else judge)(given)


if __name__ == "__main__":
    main()
