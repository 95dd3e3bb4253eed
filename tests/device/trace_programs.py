#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `proofline trace` costs, whether it agrees with PyTorch's profiler, and what it says of
programs that are held back by one thing each.

    python3 tests/device/trace_programs.py --proofline PATH [--out FOLDER]

 - cost: 100,000 launches of 14 us kernels, and of the shortest there are, alone, under the recorder
   as `profile` uses it and under the recorder of whole timelines, in turn; ratios of medians.
 - agreement: kernels/timeline/deterministic.py once under our recorder and once under torch.profiler
   (only one of them can have CUPTI at a time): counts equal, and the time of each kernel within 3 %.
 - verdicts: each program of kernels/timeline says in its head which rules have to find something
   ("// timeline: launch-gaps"; any of several), or that none may ("none").

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


def agreement(proofline, folder):
    """(rows of the table, what is wrong)"""
    program = [PYTHON, str(PROGRAMS / "deterministic.py")]
    runs, trace = folder / "runs-agreement", folder / "torch.json"
    wall_s([proofline, "trace", "--runs", runs, "--", *program])
    wall_s([*program, trace])
    ours, our_others = kernels_of_recording(runs)
    theirs, their_others = kernels_of_trace(trace)
    our_counts, our_sums = totals(ours)
    their_counts, their_sums = totals(theirs)
    rows, wrong = [], []
    for name in sorted(set(our_counts) | set(their_counts), key=lambda name: -their_sums[name]):
        apart = our_sums[name] / their_sums[name] - 1 if their_sums[name] else float("inf")
        rows.append([f"`{name[:70]}`", our_counts[name], their_counts[name],
                     f"{our_sums[name] / 1000:.1f}", f"{their_sums[name] / 1000:.1f}",
                     f"{100 * apart:+.2f} %"])
        if our_counts[name] != their_counts[name] or abs(apart) > MOST_APART:
            wrong.append(f"{name}: {rows[-1]}")
    if our_others != their_others:
        wrong.append(f"copies and sets: {our_others} and {their_others}")
    rows.append(["copies and sets", our_others, their_others, "", "", ""])
    return rows, wrong


def expected_of(source):
    return re.search(r"timeline: (.*)", source.read_text())[1].split()


def verdict(proofline, folder, source):
    """(row of the table, what is wrong)"""
    command = [PYTHON, str(source)] if source.suffix == ".py" else [str(folder / source.stem)]
    done = subprocess.run([str(proofline), "trace", "--format", "json", "--time-limit",
                           str(TIME_LIMIT_S), "--runs", str(folder / "runs" / source.stem), "--",
                           *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    result = json.loads(done.stdout) if done.stdout else {}
    if done.returncode == 0 and '"steps"' in source.read_text():
        # Python's first seconds load and allocate; the program marks what comes after.
        again = subprocess.run([str(proofline), "timeline", "--format", "json", "--range", "steps",
                                result["source"]["path"]], stdout=subprocess.PIPE, check=False)
        result = json.loads(again.stdout) if again.stdout else {}
    found = [finding["id"] for finding in result.get("findings", [])]
    expected = expected_of(source)
    right = expected == ["any"] or (not found if expected == ["none"] else
                                    bool(set(found) & set(expected)))
    headline = result.get("verdict", {}).get("headline", "")
    row = [f"`{source.name}`", " or ".join(expected), ", ".join(found) or "none", headline,
           "yes" if right and done.returncode == 0 else "NO"]
    wrong = "" if row[-1] == "yes" else (f"{source.name}: exit code {done.returncode}, {row}, "
                                         f"{done.stderr.decode(errors='replace').strip()}")
    return row, wrong


def main():
    given = arguments(__doc__)
    has_torch = has_python_gpu()
    if not has_torch:
        print("trace_programs: no PyTorch on a GPU: its programs are left out", file=sys.stderr)
    problems, text = [], f"{surroundings(given.proofline)}\n"
    with temporary_folder() as temporary:
        folder = pathlib.Path(temporary)
        build(folder, ["many_launches"])
        build_programs(folder)
        text += "\n" + table(["what", "kernels alone / bare", "timeline / bare"],
                             cost_rows(given.proofline, folder))
        if has_torch:
            rows, wrong = agreement(given.proofline, folder)
            problems += wrong
            text += "\n" + table(["kernel", "launches, ours", "torch.profiler", "us, ours",
                                  "torch.profiler", "apart"], rows)
        rows = []
        for source in sorted(PROGRAMS.glob("*.*")):
            if source.suffix not in (".cu", ".py") or (source.suffix == ".py" and not has_torch):
                continue
            row, wrong = verdict(given.proofline, folder, source)
            rows.append(row)
            problems += [wrong] if wrong else []
        text += "\n" + table(["program", "planted", "found", "verdict", "right"], rows)
    print(text)
    if given.out:
        (given.out / "trace-programs.md").write_text(text)
    sys.exit("\n".join(problems) if problems else 0)


if __name__ == "__main__":
    main()
