#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the measurement library (bench/) measures right, on a machine with a GPU.

    python3 tests/device/bench_library.py [--programs FOLDER | --build FOLDER] [--out FOLDER]

 - accuracy: kernels from 5 us to 50 ms (kernels/bench/delay and transpose), timed by events, by
   graph replay and as the library chooses, against CUPTI's times of the same kernels. From 20 us
   on the library's own choice has to be within 1 %, and graph replay from 5 us on within 3 %. With
   a cold cache, events from 100 us on have to be within 2 % of CUPTI.
 - spread: cold kernels timed by events again and again, in programs of their own. Each recording is
   cut off where nvbench's rule stops, which reports the mean of it, and the medians of the same
   samples and of those that our rule takes are set beside it. Smaller is better.

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
LONGEST_GRAPH_US = 1000  # ten launches are a replay, so longer ones take too long
SPREAD_DELAYS_US = [20, 100, 1000]
SPREAD_TRANSPOSES = [2048, 8192]
SPREAD_RUNS = 10
SPREAD_SECONDS = 4


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


def name_of(measurement):
    axes = " ".join(f"{axis['name']}={axis['value']}" for axis in measurement["axes"])
    return f"{measurement['benchmark']} {measurement['implementation']} {axes}"


def medians(side):
    """By name: median in ns and how it was timed; only of what was measured."""
    return {name_of(each): (statistics.median(each["samples"]["ns"]), each["timed_by"])
            for each in side["measurements"] if each["state"] == "measured"}


def joined(values):
    return ",".join(map(str, values))


def all_medians(folder, way):
    delays = [us for us in DELAYS_US if way != "graph" or us <= LONGEST_GRAPH_US]
    flags = ["--time-by", way, "--max-time", "3"]
    found = medians(measure(folder, "delay", "--us", joined(delays), *flags))
    found.update(medians(measure(folder, "transpose", "--n", joined(TRANSPOSES), *flags)))
    return found


def difference(value, truth):
    return value / truth - 1


def percent(share):
    return f"{100 * share:+.2f} %"


def accuracy(folder):
    """Rows of the table, and the bounds that are missed."""
    ways = {way: all_medians(folder, way) for way in ("cupti", "events", "graph", "auto")}
    rows, missed = [], []
    for name, (truth, _) in ways["cupti"].items():
        found = {way: difference(ways[way][name][0], truth) if name in ways[way] else None
                 for way in ("events", "graph", "auto")}
        chosen = ways["auto"][name][1] if name in ways["auto"] else "-"
        rows.append([name, f"{truth / 1e3:.2f}",
                     *("-" if found[way] is None else percent(found[way]) for way in found),
                     chosen])
        if truth >= 20e3 and (found["auto"] is None or abs(found["auto"]) > 0.01):
            missed.append(f"{name}: the library's choice is more than 1 % off")
        if truth >= 5e3 and found["graph"] is not None and abs(found["graph"]) > 0.03:
            missed.append(f"{name}: graph replay is more than 3 % off")
    return rows, missed


def cold_accuracy(folder):
    flags = ["--n", joined(TRANSPOSES), "--cache", "cold", "--time-by"]
    truths = medians(measure(folder, "transpose", *flags, "cupti"))
    events = medians(measure(folder, "transpose", *flags, "events"))
    rows, missed = [], []
    for name, (truth, _) in truths.items():
        off = difference(events[name][0], truth) if name in events else math.inf
        rows.append([name, f"{truth / 1e3:.2f}", percent(off)])
        if truth >= 100e3 and abs(off) > 0.02:
            missed.append(f"{name}, cold: events are more than 2 % off")
    return rows, missed


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
    return f"{100 * statistics.stdev(values) / statistics.mean(values):.3f} %"


def spread_rows(folder):
    flags = ["--time-by", "events", "--cache", "cold", "--precision", "0.0001",
             "--max-samples", "1000000", "--max-time", SPREAD_SECONDS]
    results = collections.defaultdict(list)
    for _ in range(SPREAD_RUNS):
        for program, axis in (("delay", ["--us", joined(SPREAD_DELAYS_US)]),
                              ("transpose", ["--n", joined(SPREAD_TRANSPOSES)])):
            for each in measure(folder, program, *axis, *flags)["measurements"]:
                if each["state"] != "measured":
                    continue
                times = each["samples"]["ns"]
                theirs = nvbench_stop([ns / 1e9 for ns in times])
                ours = our_stop(times)
                results[name_of(each)].append(
                    (statistics.mean(times[:theirs]), statistics.median(times[:theirs]), theirs,
                     statistics.median(times[:ours]), ours))
    rows = []
    for name, runs in results.items():
        means, same, theirs, own, ours = zip(*runs)
        rows.append([name, spread(means), spread(same), int(statistics.median(theirs)),
                     spread(own), int(statistics.median(ours))])
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, help="folder with the built programs")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "device",
                        help="folder to build them in")
    parser.add_argument("--out", type=pathlib.Path, help="folder for the tables; default: none")
    given = parser.parse_args()
    folder = given.programs.resolve() if given.programs else build(given.build.resolve())
    side = measure(folder, "delay", "--us", "100")
    machine = side["machine"]
    rows, missed = accuracy(folder)
    cold_rows, cold_missed = cold_accuracy(folder)
    missed += cold_missed
    lines = [f"{machine['gpu']}, driver {machine['driver']}, CUDA {machine['cuda']}",
             *(note["what"] for note in side["notes"]), "",
             table(["kernel", "CUPTI, us", "events", "graph", "auto", "auto is by"], rows),
             table(["kernel, cold", "CUPTI, us", "events"], cold_rows),
             table(["kernel, cold", "nvbench's mean, spread", "median of the same samples",
                    "samples", "median by our rule", "samples"], spread_rows(folder)),
             *(missed or ["every bound is kept"])]
    text = "\n".join(lines) + "\n"
    print(text)
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
        (given.out / "bench_library.md").write_text(text)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
