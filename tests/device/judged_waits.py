#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What hot instructions of other people's kernels wait for, as `proofline sass` says it and as it was
judged by hand from the code (judged_waits.tsv).

    python3 tests/device/judged_waits.py --proofline PATH

The kernels belong to their libraries, so they are recorded anew each time, and another version of a
library has other code: a kernel that was not recorded, or whose instruction is not among the stalled
ones, is counted and left out. An answer is right if all that it names was judged to be waited for.
Needs a GPU, ncu, and a Python (variable PYTHON) with PyTorch and Triton. Exit code 1 below 95 %, or
if fewer than 100 rows were met.
"""
import json
import pathlib
import subprocess
import sys

from machine import PYTHON, ROOT, arguments, surroundings, temporary_folder

SECTIONS = ["SourceCounters", "WarpStateStats", "LaunchStats"]
LEAST_RIGHT, LEAST_ROWS = 0.95, 100
NOT_ALL_KNOWN = 4  # exit code: some instruction is not decoded
PROGRAMS = {
    "pytorch/library_kernels.py": ["--profile-from-start", "off"],
    "triton/matmul.py": ["--kernel-name", "matmul", "--launch-count", "1"],
}


def judged_rows():
    """{kernel: [(address, reason, producers)]}"""
    rows, of_kernel = {}, None
    table = pathlib.Path(__file__).with_name("judged_waits.tsv").read_text(encoding="utf-8")
    for line in table.splitlines():
        columns = line.split("\t")
        if columns[0] == "kernel":
            of_kernel = rows.setdefault(columns[1], [])
        elif columns[0].startswith("0x"):
            of_kernel.append((columns[0], columns[1], set(columns[2].split(","))))
    return rows


def record(program, options, report):
    sections = [word for section in SECTIONS for word in ("--section", section)]
    subprocess.run(["ncu", "--clock-control", "none", "-f", "-o", report, *sections, *options, PYTHON,
                    ROOT / "kernels" / program], check=True, stdout=subprocess.DEVNULL)


def stalled(proofline, report):
    """{kernel: {(address, reason): producers}}"""
    result = subprocess.run([proofline, "sass", report, "--all", "--disassembler", "native",
                             "--format", "json"], stdout=subprocess.PIPE, check=False)
    if result.returncode not in (0, NOT_ALL_KNOWN):
        sys.exit(f"judged_waits: proofline ended with {result.returncode}")
    return {function["name"]: {(row["address"], row["reason"]):
                               {wait["address"] for wait in row["waits_on"]}
                               for row in function["hot"]["instructions"]}
            for function in json.loads(result.stdout)["functions"] if function["hot"]}


def main():
    given = arguments(__doc__)
    print(surroundings(given.proofline))
    answers = {}
    with temporary_folder() as folder:
        for program, options in PROGRAMS.items():
            report = pathlib.Path(folder) / "report.ncu-rep"
            record(program, options, report)
            answers.update(stalled(given.proofline, report))
    right = met = absent = 0
    for kernel, rows in judged_rows().items():
        if kernel not in answers:
            absent += len(rows)
            print(f"not recorded: {kernel[:100]}")
            continue
        for address, reason, judged in rows:
            named = answers[kernel].get((address, reason))
            if named is None:
                absent += 1
                continue
            met += 1
            if named and named <= judged:
                right += 1
            else:
                print(f"{kernel[:60]} {address} {reason}: {sorted(named) or 'nothing'} instead of "
                      f"{sorted(judged)}")
    print(f"{right} of {met} right; {absent} not met")
    sys.exit(0 if met >= LEAST_ROWS and right >= LEAST_RIGHT * met else 1)


if __name__ == "__main__":
    main()
