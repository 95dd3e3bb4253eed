#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `proofline trace` costs, whether it agrees with PyTorch's profiler, and what it says of
programs that are held back by one thing each.

    python3 tests/device/trace_programs.py --proofline PATH [--out FOLDER] [--parts PART...]
            [--keep FOLDER]

 - cost: 100,000 launches of 14 us kernels, and of the shortest there are, alone, under the recorder
   as `profile` uses it and under the recorder of whole timelines, in turn; ratios of medians.
 - agreement: kernels/timeline/deterministic.py twice under our recorder and twice under torch.profiler,
   in turn (only one of them can have CUPTI at a time): counts equal, and the mean time of each kernel
   within 3 %, or within what two runs under the same profiler are apart.
 - verdicts: each program of kernels/timeline says in its head which rules have to find something
   ("// timeline: launch-gaps"; any of several), or that none may ("none").

With --keep the recordings are left in FOLDER, to be judged again elsewhere.
Needs a GPU, nvcc and, for two parts of three, a Python (variable PYTHON) with PyTorch. With --out the
tables are written to FOLDER/trace-programs.md.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

from machine import (PYTHON, ROOT, arguments, build, has_python_gpu, surroundings, table,
                     temporary_folder)
from overhead import LENGTHS, in_turn, ratio, step, wall_s
from recording import demangled, recordings

PROGRAMS = ROOT / "kernels" / "timeline"
LAUNCHES, ROUNDS = "100000", 5
TIME_LIMIT_S = 120
MOST_APART = 0.03
PARTS = ["cost", "agreement", "verdicts"]


def build_programs(folder):
    def compile_one(source):
        return subprocess.run(["nvcc", "-std=c++17", "-arch=native", "-o", folder / source.stem,
                               source], check=False).returncode
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        if any(pool.map(compile_one, sorted(PROGRAMS.glob("*.cu")))):
            sys.exit("nvcc failed")


def cost_rows(proofline, folder):
    """A run of `trace` and one of `profile` leave the recorder and say how it is started."""
    program = [str(folder / "many_launches"), "64"]
    runs = folder / "runs-trace"
    wall_s([proofline, "trace", "--runs", runs, "--", *program])
    variables, _ = step(runs, "trace")
    kernels_only = {name: value for name, value in variables.items()
                    if name not in ("PROOFLINE_TIMELINE", "NVTX_INJECTION64_PATH")}
    rows = []
    for length, rounds in LENGTHS.items():
        command = [str(folder / "many_launches"), LAUNCHES, rounds]

        def bare(_, command=command):
            return wall_s(command)

        def kernels(_, command=command):
            return wall_s(command, env={**os.environ, **kernels_only})

        def timeline(_, command=command):
            return wall_s(command, env={**os.environ, **variables})

        times = in_turn(ROUNDS, bare=bare, kernels=kernels, timeline=timeline)
        each = 1e6 * sorted(times["bare"])[ROUNDS // 2] / int(LAUNCHES)
        rows.append([f"{LAUNCHES} launches, {length} kernels ({each:.1f} us of wall time each)",
                     f"{ratio(times, 'kernels', 'bare'):.3f}",
                     f"{ratio(times, 'timeline', 'bare'):.3f}"])
    return rows


def kernels_of_trace(path):
    """[(name, ns)] of the kernels of PyTorch's profiler, and the number of copies and sets."""
    events = json.loads(path.read_text())["traceEvents"]
    kernels = [(event["name"], 1000 * event["dur"]) for event in events
               if event.get("cat") == "kernel"]
    others = sum(event.get("cat") in ("gpu_memcpy", "gpu_memset") for event in events)
    return kernels, others


def kernels_of_recording(folder):
    """The same of our recorder, within the range that the program marks."""
    recording, = recordings(folder)
    compared, = (one for one in recording.ranges if one.name == "compared")
    inside = [one for one in recording.kernels if compared.start <= one.start < compared.end]
    others = sum(compared.start <= one.start < compared.end for one in recording.copies)
    names = demangled(one.name for one in inside)
    return [(names[one.name], one.end - one.start) for one in inside], others


def totals(kernels):
    counts, sums = collections.Counter(), collections.Counter()
    for name, ns in kernels:
        counts[name] += 1
        sums[name] += ns
    return counts, sums


def spread(values):
    return max(values) / min(values) - 1 if min(values) else float("inf")


def agreement(proofline, folder):
    """(rows of the table, what is wrong)"""
    program = [PYTHON, str(PROGRAMS / "deterministic.py")]
    # Each launch waits for the one before. Otherwise calls that cost one profiler more than the other
    # leave the GPU idle before a kernel or not, which alone changes short ones by 3 to 8 %.
    paced = {**os.environ, "CUDA_LAUNCH_BLOCKING": "1"}
    ours, theirs = [], []
    for turn in range(2):
        runs, trace = folder / f"runs-agreement-{turn}", folder / f"torch-{turn}.json"
        wall_s([proofline, "trace", "--runs", runs, "--", *program], env=paced)
        wall_s([*program, trace], env=paced)
        ours.append(kernels_of_recording(runs))
        theirs.append(kernels_of_trace(trace))
    others = sorted({count for _, count in ours + theirs})
    ours, theirs = ([totals(kernels) for kernels, _ in runs] for runs in (ours, theirs))
    rows, wrong = [], []
    names = {name for counts, _ in ours + theirs for name in counts}
    for name in sorted(names, key=lambda name: -theirs[0][1][name]):
        counts = sorted({counts[name] for counts, _ in ours + theirs})
        our_sums, their_sums = ([sums[name] for _, sums in runs] for runs in (ours, theirs))
        apart = sum(our_sums) / sum(their_sums) - 1 if sum(their_sums) else float("inf")
        noise = max(spread(our_sums), spread(their_sums))
        rows.append([f"`{name[:70]}`", " or ".join(map(str, counts)),
                     *(" and ".join(f"{ns / 1000:.1f}" for ns in sums)
                       for sums in (our_sums, their_sums)),
                     f"{100 * apart:+.2f} %", f"{100 * noise:.2f} %"])
        if len(counts) != 1 or abs(apart) > max(MOST_APART, noise):
            wrong.append(f"{name}: {rows[-1]}")
    if len(others) != 1:
        wrong.append(f"copies and sets: {others}")
    rows.append(["copies and sets", " or ".join(map(str, others)), "", "", "", ""])
    return rows, wrong


def expected_of(source):
    return re.search(r"timeline: (.*)", source.read_text())[1].split()


def verdict(proofline, folder, runs, source):
    """(row of the table, what is wrong)"""
    command = [PYTHON, str(source)] if source.suffix == ".py" else [str(folder / source.stem)]
    done = subprocess.run([str(proofline), "trace", "--format", "json", "--time-limit",
                           str(TIME_LIMIT_S), "--runs", str(runs), "--", *command],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    result = json.loads(done.stdout) if done.stdout else {}
    # That kernels take the time is information, no fault.
    found = [finding["id"] for finding in result.get("findings", [])
             if finding["severity"] != "info"]
    expected = expected_of(source)
    right = expected == ["any"] or (not found if expected == ["none"] else
                                    bool(set(found) & set(expected)))
    headline = result.get("verdict", {}).get("headline", "")
    row = [f"`{source.name}`", " or ".join(expected), ", ".join(found) or "none", headline,
           "yes" if right and done.returncode == 0 else "NO"]
    wrong = "" if row[-1] == "yes" else (f"{source.name}: exit code {done.returncode}, {row}, "
                                         f"{done.stderr.decode(errors='replace').strip()}")
    return row, wrong


def verdicts(proofline, folder, runs, has_torch):
    """(rows of the table, what is wrong)"""
    build_programs(folder)
    rows, problems = [], []
    for source in sorted(PROGRAMS.glob("*.*")):
        if source.suffix not in (".cu", ".py") or (source.suffix == ".py" and not has_torch):
            continue
        row, wrong = verdict(proofline, folder, runs / source.stem, source)
        rows.append(row)
        problems += [wrong] if wrong else []
    return rows, problems


def add_flags(parser):
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="default: all")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the recordings of verdicts")


def main():
    given = arguments(__doc__, add_flags)
    has_torch = has_python_gpu()
    if not has_torch:
        print("trace_programs: no PyTorch on a GPU: its programs are left out", file=sys.stderr)
    problems, text = [], f"{surroundings(given.proofline)}\n"
    with temporary_folder() as temporary:
        folder = pathlib.Path(temporary)
        if "cost" in given.parts:
            build(folder, ["many_launches"])
            text += "\n" + table(["what", "kernels alone / bare", "timeline / bare"],
                                 cost_rows(given.proofline, folder))
        if "agreement" in given.parts and has_torch:
            rows, wrong = agreement(given.proofline, folder)
            problems += wrong
            text += "\n" + table(["kernel", "launches", "us, ours", "us, torch.profiler", "apart",
                                  "two runs under one profiler"], rows)
        if "verdicts" in given.parts:
            rows, wrong = verdicts(given.proofline, folder, given.keep or folder / "runs",
                                   has_torch)
            problems += wrong
            text += "\n" + table(["program", "planted", "found", "verdict", "right"], rows)
    print(text)
    if given.out:
        (given.out / "trace-programs.md").write_text(text)
    sys.exit("\n".join(problems) if problems else 0)


if __name__ == "__main__":
    main()
