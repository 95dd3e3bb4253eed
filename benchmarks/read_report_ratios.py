#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The measuring half of benchmarks/read_report: runs the readers in turn, takes medians, and holds
the ratios against the targets.

    read_report_ratios.py PROOFLINE WIRE_WALK REPORT TENFOLD_REPORT OUTDIR

Repetitions are interleaved (one of each, then the next of each), so that a machine that slows down
slows all of them. Each command writes to a file, as `... > report.csv` would. Peak memory is the
kernel's count for that child; it includes this script's own pages before exec, about 10 MB, which
is the resolution here. Where there is no ncu, what is measured against it is left out.
"""

import json
import os
import shutil
import statistics
import sys
import time

REPETITIONS = 9


def run(command, output):
    """Wall seconds and peak kilobytes of one run."""
    with open(output, "wb") as target, open(os.devnull, "rb") as nothing:
        start = time.perf_counter()
        child = os.posix_spawnp(
            command[0], command, os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, nothing.fileno(), 0),
                          (os.POSIX_SPAWN_DUP2, target.fileno(), 1)])
        _, status, usage = os.wait4(child, 0)
        seconds = time.perf_counter() - start
    if status != 0:
        sys.exit(f"read_report: exit status {os.waitstatus_to_exitcode(status)} of {' '.join(command)}")
    return seconds, usage.ru_maxrss


def measure(commands, work):
    """Median seconds and peak kilobytes by name; the first round warms the page cache."""
    seconds = {name: [] for name in commands}
    kilobytes = {name: 0 for name in commands}
    for repetition in range(REPETITIONS + 1):
        for name, command in commands.items():
            wall, peak = run(command, os.path.join(work, f"{name}.out"))
            if repetition > 0:
                seconds[name].append(wall)
                kilobytes[name] = max(kilobytes[name], peak)
    return {name: {"command": commands[name], "median_s": statistics.median(seconds[name]),
                   "min_s": min(seconds[name]), "max_s": max(seconds[name]),
                   "peak_kb": kilobytes[name]} for name in commands}


def judge(results):
    """(what, ratio or amount, target in words, met) for each target."""

    def seconds(name):
        return results[name]["median_s"]

    floor = seconds("csv") / seconds("floor")
    scalars = seconds("csv") / seconds("floor-scalars")
    growth = seconds("csv-tenfold") / seconds("csv")
    floor_growth = seconds("floor-tenfold") / seconds("floor")
    listing = seconds("listing") / seconds("csv")
    judging = seconds("diagnose") / seconds("listing")
    megabytes = results["diagnose"]["peak_kb"] / 1024
    verdicts = [
        ("our time over the wire walk's", floor, "at most 3", floor <= 3),
        ("our time over a walk that leaves instances out", scalars, "at most 3", scalars <= 3),
        ("our time on ten times the bytes", growth, "at most 12", growth <= 12),
        ("the wire walk's, likewise", floor_growth, "at most 12", floor_growth <= 12),
        ("listing kernels over printing all", listing, "at most 1", listing <= 1),
        ("diagnosing over listing kernels", judging, "at most 1.5", judging <= 1.5),
        ("peak memory of a diagnosis in MB", megabytes, "at most 32", megabytes <= 32),
    ]
    if "ncu-csv" not in results:
        return verdicts
    speed = seconds("ncu-csv") / seconds("csv")
    memory = results["csv"]["peak_kb"] / results["ncu-csv"]["peak_kb"]
    diagnosis = seconds("ncu-details") / seconds("diagnose")
    return [
        ("time of ncu over ours", speed, "at least 30", speed >= 30),
        ("our peak memory over ncu's", memory, "at most 0.25", memory <= 0.25),
        *verdicts,
        ("time of ncu's details page over our diagnosis", diagnosis, "at least 30",
         diagnosis >= 30),
    ]


def main():
    if len(sys.argv) != 6:
        sys.exit("usage: read_report_ratios.py PROOFLINE WIRE_WALK REPORT TENFOLD_REPORT OUTDIR")
    proofline, wire_walk, report, tenfold, out = map(os.path.abspath, sys.argv[1:])
    work = os.path.join(out, "work")
    os.makedirs(work, exist_ok=True)

    of_ncu = {
        "ncu-csv": ["ncu", "--import", report, "--page", "raw", "--csv"],
        "ncu-details": ["ncu", "--import", report, "--page", "details"],
    }
    results = measure({
        **(of_ncu if shutil.which("ncu") else {}),
        "diagnose": [proofline, "diagnose", report],
        "csv": [proofline, "show", "--format", "csv", report],
        "listing": [proofline, "show", report],
        "floor": [wire_walk, report],
        "floor-scalars": [wire_walk, "--scalars", report],
        "csv-tenfold": [proofline, "show", "--format", "csv", tenfold],
        "floor-tenfold": [wire_walk, tenfold],
    }, work)
    verdicts = judge(results)

    with open(os.path.join(out, "read_report.tsv"), "w", encoding="utf-8") as table:
        print("name", "median_s", "min_s", "max_s", "peak_kb", "command", sep="\t", file=table)
        for name, row in results.items():
            print(name, f"{row['median_s']:.6f}", f"{row['min_s']:.6f}", f"{row['max_s']:.6f}",
                  row["peak_kb"], " ".join(row["command"]), sep="\t", file=table)
    with open(os.path.join(out, "read_report.json"), "w", encoding="utf-8") as document:
        json.dump({"report_bytes": os.path.getsize(report),
                   "tenfold_bytes": os.path.getsize(tenfold), "repetitions": REPETITIONS,
                   "runs": results,
                   "verdicts": [{"what": what, "ratio": ratio, "target": target, "met": met}
                                for what, ratio, target, met in verdicts]}, document, indent=2)
        document.write("\n")

    print(f"{os.path.getsize(report) / 1e6:.1f} MB report, medians of {REPETITIONS} interleaved runs\n")
    print(f"{'':15}{'median':>11}{'min':>11}{'max':>11}{'peak memory':>14}")
    for name, row in results.items():
        print(f"{name:15}{row['median_s'] * 1e3:8.1f} ms{row['min_s'] * 1e3:8.1f} ms"
              f"{row['max_s'] * 1e3:8.1f} ms{row['peak_kb'] / 1024:11.1f} MB")
    print()
    for what, ratio, target, met in verdicts:
        print(f"{'PASS' if met else 'FAIL'}  {what}: {ratio:.2f} (target: {target})")
    sys.exit(0 if all(met for *_, met in verdicts) else 1)


if __name__ == "__main__":
    main()
