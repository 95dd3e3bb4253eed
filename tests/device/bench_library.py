#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the measurement library (bench/) measures right, on a machine with a GPU.

    python3 tests/device/bench_library.py [--programs FOLDER | --build FOLDER] [--out FOLDER]
                                          [--part accuracy|spread]

 - accuracy: kernels from 5 us to 50 ms (kernels/bench/delay and transpose), timed by graph replay, by
   events and by CUPTI. The three take turns in one process over the same memory, since a kernel's
   time depends on where its buffers lie: from one process to the next a transpose's differs by some
   per cent. CUPTI comes last, because it lengthens the pauses within graphs. Graph replay, which
   is the library's own choice, has to be within 1 % of CUPTI from 20 us on, and within 3 % from
   5 us on. With a cold cache CUPTI is the choice; events have to be within 2 % from 100 us on.
 - spread: cold kernels again and again, in programs of their own, as nvbench does it (by events, the
   mean) and as the library does it (by CUPTI, the median). Both recordings are cut off where
   nvbench's rule stops; what our own rule gives stands beside it. Smaller is better, and the
   library's may not be larger.

nvbench's rule, by its documentation and its source (criterion "stdrel", defaults): at least 10 samples
and more than 0.5 s of GPU time in all. Then it stops when the standard deviation of all samples so
far is below 0.5 % of their mean; or, looked at every 16 samples once there are more than 64 such
noise figures, when the last 512 figures differ from the newest one by less than 5 % (root mean
square): more samples would not change the noise. Its limit of 15 s is not needed here, since a
recording is shorter; where the rule is not satisfied before its end, all of it counts. What nvbench
discards while the GPU is throttled, and its blocking kernel, are not imitated.

--programs names a folder with the built programs of kernels/bench; otherwise they are built there
(--build, default build/device). Needs a GPU, and for building nvcc and CMake. Exit code 1 where a
bound is missed. With --out the tables are written to FOLDER/bench_library.md.
"""
import argparse
import collections
import json
import math
import pathlib
import statistics
import subprocess
import sys

from machine import ROOT, table, temporary_folder

DELAYS_US = [5, 10, 20, 50, 100, 200, 500, 1000, 5000, 20000, 50000]
TRANSPOSES = [1024, 2048, 4096, 8192]
STARTS = 3
SPREAD_DELAYS_US = [20, 100, 1000]
SPREAD_TRANSPOSES = [2048, 8192]
SPREAD_RUNS = 10
SPREAD_SECONDS = 2


def build(folder):
    run(["cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release",
         "-DCMAKE_CUDA_ARCHITECTURES=native"])
    run(["cmake", "--build", folder, "--target", "bench_kernels", "-j"])
    return folder / "kernels" / "bench"


def run(command):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"bench_library: {' '.join(map(str, command))}: exit code {done.returncode}:\n"
                 f"{done.stdout}")


def measure(folder, program, *flags):
    """The result's only side: machine, notes and measurements."""
    with temporary_folder() as temporary:
        result = pathlib.Path(temporary) / "result.json"
        run([folder / program, "--out", result, *flags])
        side, = json.loads(result.read_text())["sides"]
        return side


def joined(values):
    return ",".join(map(str, values))


def cases():
    """Programs and their flags; each is a process of its own."""
    for us in DELAYS_US:
        yield "delay", ["--us", us]
    for n in TRANSPOSES:
        for implementation in ("naive", "tiled", "padded"):
            yield "transpose", ["--n", n, "--implementation", implementation]


def medians(side):
    """By way of timing; only of what was measured."""
    return {each["timed_by"]: statistics.median(each["samples"]["ns"])
            for each in side["measurements"] if each["state"] == "measured"}


def differences(folder, program, flags, ways, cache):
    """CUPTI's time in ns, the median of several starts', and each way's difference from it."""
    truths, off = [], collections.defaultdict(list)
    for _ in range(STARTS):
        found = medians(measure(folder, program, *flags, "--cache", cache, "--time-by",
                                joined([*ways, "cupti"])))
        truths.append(found["cupti"])
        for way in ways:
            off[way].append(found[f"cuda-{way}"] / found["cupti"] - 1)
    return statistics.median(truths), {way: statistics.median(each) for way, each in off.items()}


def percent(share):
    return f"{100 * share:+.2f} %"


def accuracy(folder):
    """Rows of the tables, and the bounds that are missed."""
    rows, cold_rows, missed = [], [], []
    for program, flags in cases():
        name = f"{program} {' '.join(map(str, flags[1::2]))}"
        truth, off = differences(folder, program, flags, ["graph", "events"], "hot")
        rows.append([name, f"{truth / 1e3:.2f}", percent(off["graph"]), percent(off["events"])])
        bound = 0.01 if truth >= 20e3 else 0.03
        if truth >= 5e3 and abs(off["graph"]) > bound:
            missed.append(f"{name}: graph replay is more than {100 * bound:.0f} % off")
        if program != "transpose":
            continue
        truth, off = differences(folder, program, flags, ["events"], "cold")
        cold_rows.append([name, f"{truth / 1e3:.2f}", percent(off["events"])])
        if truth >= 100e3 and abs(off["events"]) > 0.02:
            missed.append(f"{name}, cold: events are more than 2 % off")
    return rows, cold_rows, missed


def nvbench_stop(seconds):
    """How many of these times nvbench's rule takes; the module's text says what the rule is."""
    mean, squares, total = 0.0, 0.0, 0.0
    noises = collections.deque(maxlen=512)
    for count, time in enumerate(seconds, 1):
        total += time
        step = time - mean
        mean += step / count
        squares += step * (time - mean)
        noise = math.sqrt(squares / (count - 1)) / mean if count > 1 else math.inf
        if math.isfinite(noise):
            noises.append(noise)
        if count < 10 or total <= 0.5:
            continue
        if noise < 0.005:
            return count
        if len(noises) > 64 and count % 16 == 0:
            change = math.sqrt(sum((each - noise) ** 2 for each in noises) / (len(noises) - 1))
            if change / noise < 0.05:
                return count
    return len(seconds)


def median_interval(ordered):
    """Order statistics that hold the median with 95 %; by the normal approximation."""
    n = len(ordered)
    cut = math.floor(n / 2 - 0.98 * math.sqrt(n))
    return (ordered[cut - 1], ordered[n - cut]) if cut >= 1 else (-math.inf, math.inf)


def our_stop(times):
    """How many of these times our rule takes: the median's interval is within 0.5 %."""
    count = 20
    while count < len(times):
        ordered = sorted(times[:count])
        low, high = median_interval(ordered)
        if high - low <= 0.005 * statistics.median(ordered):
            return count
        count = max(count + 1, int(count * 1.1))
    return len(times)


def spread(values):
    """Standard deviation over the mean, of the results of several runs."""
    return statistics.stdev(values) / statistics.mean(values)


def percent_of(share):
    return f"{100 * share:.3f} %"


def recorded(side):
    """The times in ns of each kernel, by its name without the way of timing, and that way."""
    found = collections.defaultdict(dict)
    for each in side["measurements"]:
        name = f"{each['benchmark']} {' '.join(axis['value'] for axis in each['axes'])}"
        found[name][each["timed_by"]] = each["samples"]["ns"]
    return found


def cut_by_nvbench(times):
    return times[:nvbench_stop([ns / 1e9 for ns in times])]


def spread_rows(folder):
    """Rows of the table, and where the library's spread is the larger one."""
    flags = ["--time-by", "events,cupti", "--cache", "cold", "--precision", "0.0001",
             "--max-samples", "1000000", "--max-time", SPREAD_SECONDS]
    results = collections.defaultdict(list)
    for _ in range(SPREAD_RUNS):
        for program, axis in (("delay", ["--us", joined(SPREAD_DELAYS_US)]),
                              ("transpose", ["--n", joined(SPREAD_TRANSPOSES),
                                             "--implementation", "tiled"])):
            for name, times in recorded(measure(folder, program, *axis, *flags)).items():
                theirs, ours = cut_by_nvbench(times["cuda-events"]), cut_by_nvbench(times["cupti"])
                stopped = times["cupti"][:our_stop(times["cupti"])]
                results[name].append((statistics.mean(theirs), len(theirs), statistics.median(ours),
                                      len(ours), statistics.median(stopped), len(stopped)))
    rows, missed = [], []
    for name, runs in results.items():
        theirs, their_count, ours, our_count, own, own_count = zip(*runs)
        rows.append([name, percent_of(spread(theirs)), int(statistics.median(their_count)),
                     percent_of(spread(ours)), int(statistics.median(our_count)),
                     percent_of(spread(own)), int(statistics.median(own_count))])
        if spread(ours) > spread(theirs):
            missed.append(f"{name}: the library's spread is larger than nvbench's")
    return rows, missed


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, help="folder with the built programs")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "device",
                        help="folder to build them in")
    parser.add_argument("--out", type=pathlib.Path, help="folder for the tables; default: none")
    parser.add_argument("--part", choices=["accuracy", "spread"], help="only this; default: both")
    given = parser.parse_args()
    folder = given.programs.resolve() if given.programs else build(given.build.resolve())
    side = measure(folder, "delay", "--us", "100")
    machine = side["machine"]
    lines = [f"{machine['gpu']}, driver {machine['driver']}, CUDA {machine['cuda']}",
             *(note["what"] for note in side["notes"]), ""]
    missed = []
    if given.part != "spread":
        rows, cold_rows, missed = accuracy(folder)
        lines += [table(["kernel", "CUPTI, us", "graph", "events"], rows),
                  table(["kernel, cold", "CUPTI, us", "events"], cold_rows)]
    if given.part != "accuracy":
        rows, larger = spread_rows(folder)
        missed += larger
        lines.append(table(["kernel, cold", "nvbench's mean, spread", "samples",
                            "our median, same rule", "samples", "our median, our rule", "samples"],
                           rows))
    lines += missed or ["every bound is kept"]
    text = "\n".join(lines) + "\n"
    print(text)
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
        (given.out / "bench_library.md").write_text(text)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
