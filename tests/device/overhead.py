#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `proofline profile` costs over the bare tools, as ratios of wall times on this machine.

    python3 tests/device/overhead.py --proofline PATH [--out FOLDER]

 - profile over ncu: `proofline profile` against the ncu command that it ran, which its run.json
   holds; with the light pass that lists the kernels, and without it (--no-listing).
 - listing over bare: a program with 100,000 launches under our recorder against the same program
   alone.

Both are run in turn, several rounds, and the ratio is that of the medians. Needs a GPU, nvcc and
ncu. With --out the result is written to FOLDER/overhead.md.
"""
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import time

from machine import arguments, build, surroundings, table, temporary_folder

PROFILE_ROUNDS, LISTING_ROUNDS = 3, 9
LAUNCHES = "100000"
# Rounds of the kernels' loops: as short as kernels get, and some ten microseconds.
LENGTHS = {"shortest": "1", "longer": "3000"}
PROFILE = ["profile", "--preset", "full", "--clock-control", "none", "--kernel", "scale",
           "--launch-count", "4"]


def wall_s(command, **options):
    started = time.monotonic()
    done = subprocess.run(list(map(str, command)), stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False, **options)
    seconds = time.monotonic() - started
    if done.returncode != 0:
        sys.exit(f"overhead: {shlex.join(map(str, command))}: exit code {done.returncode}: "
                 f"{done.stderr.decode(errors='replace')}")
    return seconds


def in_turn(rounds, **timed):
    """The times of each, by name; each is done once before, unmeasured."""
    times = {name: [] for name in timed}
    for number in range(rounds + 1):
        for name, measure in timed.items():
            seconds = measure(number)
            if number > 0:
                times[name].append(seconds)
    return times


def ratio(times, name, base):
    return statistics.median(times[name]) / statistics.median(times[base])


def step(runs, label):
    """A program of the newest run, as (variables, argv)."""
    newest = max(runs.iterdir(), key=lambda folder: folder.stat().st_mtime)
    described = json.loads((newest / "run.json").read_text())
    command, = (step["command"] for step in described["steps"] if step["label"] == label)
    words = shlex.split(command)
    first = next(i for i, word in enumerate(words) if word.startswith("/"))
    return dict(word.split("=", 1) for word in words[:first]), words[first:]


def moved(words, folder):
    """The command with what it writes put into this folder."""
    words = list(words)
    for option in "--export", "--log-file":
        at = words.index(option) + 1
        words[at] = str(folder / pathlib.Path(words[at]).name)
    return words


def profile_rows(proofline, folder):
    program = [folder / "many_launches", "64"]
    runs = folder / "runs"

    def ours(*flags):
        return lambda number: wall_s([proofline, *PROFILE, *flags, "--runs", runs, "--", *program])

    ours()(0)
    _, command = step(runs, "ncu")

    def ncu(number):
        place = folder / f"ncu-{number}"
        place.mkdir()
        return wall_s(moved(command, place))

    times = in_turn(PROFILE_ROUNDS, ncu=ncu, alone=ours("--no-listing"), whole=ours())
    return [["profile without listing / ncu", f"{ratio(times, 'alone', 'ncu'):.3f}"],
            ["profile with listing / ncu", f"{ratio(times, 'whole', 'ncu'):.3f}"]]


def listing_rows(folder):
    """The variables that give the recorder to a program stay the same for another one."""
    variables, _ = step(folder / "runs", "listing")
    rows = []
    for name, rounds in LENGTHS.items():
        program = [str(folder / "many_launches"), LAUNCHES, rounds]

        def bare(_, program=program):
            return wall_s(program)

        def recorded(_, program=program):
            return wall_s(program, env={**os.environ, **variables})

        times = in_turn(LISTING_ROUNDS, bare=bare, recorded=recorded)
        each = 1e6 * statistics.median(times["bare"]) / int(LAUNCHES)
        rows.append([f"{LAUNCHES} launches, {name} kernels ({each:.1f} us of wall time each), "
                     "recorded / bare", f"{ratio(times, 'recorded', 'bare'):.3f}"])
    return rows


def main():
    given = arguments(__doc__)
    with temporary_folder() as temporary:
        folder = pathlib.Path(temporary)
        build(folder, ["many_launches"])
        rows = [*profile_rows(given.proofline, folder), *listing_rows(folder)]
    text = f"{surroundings(given.proofline)}\n\n" + table(["what", "ratio of medians"], rows)
    print(text)
    if given.out:
        (given.out / "overhead.md").write_text(text)


if __name__ == "__main__":
    main()
