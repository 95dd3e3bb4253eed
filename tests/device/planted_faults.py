#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks on a GPU that `proofline` finds, names and classifies every fault planted in
kernels/faults, and finds nothing in the clean twins.

    python3 tests/device/planted_faults.py --proofline PATH [--out FOLDER]

Needs nvcc, ncu and compute-sanitizer and, for the Python programs, a Python (variable PYTHON) with
PyTorch and Triton; without one they are left out with a word. Prints a table; with --out it is
written to FOLDER/planted-faults.md, with date and versions, and every result beside it. The exit
code is 1 where anything was missed or falsely found.
"""
import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import subprocess
import sys

from machine import (FAULTS, PLAIN_ALLOCATOR, PYTHON, arguments, build, has_python_gpu, surroundings,
                     table, temporary_folder)

AT_ONCE = 4
LIMIT_S, HANG_LIMIT_S, PYTHON_LIMIT_S = 60, 8, 120


@dataclasses.dataclass
class Fault:
    program: str  # of kernels/faults
    tool: str  # that finds it
    kind: str
    kernel: str = ""  # that is named; "" where the fault is in no kernel
    line: str = ""  # what stands in the line of the source that is named; "" where none is
    code: int = 1
    flags: tuple = ()


SANITIZE = [
    Fault("out_of_bounds", "memcheck", "out-of-bounds", "write_past_end", "out[i] ="),
    Fault("misaligned", "memcheck", "misaligned", "load_misaligned", "out[threadIdx.x] ="),
    Fault("leak", "memcheck", "leak"),
    Fault("api_error", "memcheck", "api-error"),
    Fault("shared_race", "racecheck", "shared-race", "reverse_block", "tile["),
    Fault("missing_arrive", "racecheck", "shared-race", "hand_over", "tile[slot]"),
    Fault("uninitialised", "initcheck", "uninitialised-read", "sum_unwritten", "in[threadIdx.x]"),
    Fault("divergent_barrier", "synccheck", "divergent-barrier", "barrier_in_branch",
          "__syncthreads()"),
    Fault("missing_wait", "synccheck", "invalid-barrier", "arrive_twice"),
    Fault("barrier_hang", "synccheck", "hang", code=6, flags=("--no-alone",)),
    Fault("barrier_hang", "racecheck", "deadlock", "barrier<", code=6,
          flags=("--no-alone", "--only", "racecheck")),
    Fault("divergent_hang", "synccheck", "hang", code=6, flags=("--no-alone",)),
]
PYTHON_SANITIZE = [
    Fault("pytorch_uninitialised.py", "initcheck", "uninitialised-read", "reduce_kernel",
          flags=("--only", "initcheck")),
    Fault("triton_wrong_mask.py", "memcheck", "out-of-bounds", "scale_with_mask", "tl.store",
          flags=("--only", "memcheck")),
]

# The program's own failures: command, program, exit code, and words that must be said.
Failure = collections.namedtuple("Failure", "command program code words")
FAILURES = [
    Failure("sanitize", "segfault", 4, "died of signal 11"),
    Failure("sanitize", "exit_code", 4, "returned exit code 3"),
    Failure("profile", "segfault", 0, "died, with code 11"),
    Failure("profile", "exit_code", 0, "returned exit code 3"),
    Failure("profile", "no_kernel", 3, "launched no kernel"),
    Failure("profile", "barrier_hang", 6, "--time-limit"),
]


class Bench:
    """Runs the programs and judges the results."""

    def __init__(self, proofline, programs, out):
        self.proofline, self.programs, self.out = proofline, programs, out

    def command(self, program, fixed):
        if program.endswith(".py"):
            return [PYTHON, str(FAULTS / program)] + (["--fixed"] if fixed else [])
        return [str(self.programs / (program + ("_fixed" if fixed else "")))]

    def limit(self, program, fixed):
        if program.endswith(".py"):
            return PYTHON_LIMIT_S
        return HANG_LIMIT_S if program.endswith("hang") and not fixed else LIMIT_S

    def run(self, command, program, fixed, *flags):
        words = [self.proofline, command, "--format", "json", "--time-limit",
                 self.limit(program, fixed), "--runs", self.programs / "runs", *flags, "--",
                 *self.command(program, fixed)]
        done = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={**os.environ, **PLAIN_ALLOCATOR}, check=False)
        if self.out:
            name = "-".join([command, program, *(["fixed"] if fixed else []), *flags])
            (self.out / f"{name}.json").write_bytes(done.stdout)
            (self.out / f"{name}.stderr").write_bytes(done.stderr)
        try:
            result = json.loads(done.stdout)
        except ValueError:
            result = {"tools": []}
        return done.returncode, done.stderr.decode(errors="replace"), result

    # --- each gives (row, what is wrong; "" where all is right)

    def judge_fault(self, fault):
        code, errors, result = self.run("sanitize", fault.program, False, *fault.flags)
        found = [finding for tool in result["tools"] if tool["name"] == fault.tool
                 for finding in tool["findings"]]
        matching = [finding for finding in found if self.matches(fault, finding)]
        kinds = ", ".join(sorted({finding["kind"] for finding in found})) or "nothing"
        wrong = []
        if code != fault.code:
            wrong.append(f"exit code {code}, not {fault.code}")
        if not matching:
            wrong.append(f"{fault.tool} found {kinds}, not {fault.kind} {fault.kernel} {fault.line}")
        if wrong and errors:
            wrong.append(errors.strip())
        place = place_of(matching[0]) if matching else ""
        return [f"`{fault.program}`", f"sanitize, {fault.tool}", kinds, place, code], wrong

    def matches(self, fault, finding):
        if finding["kind"] != fault.kind:
            return False
        places = places_of(finding)
        if fault.kernel and not any(fault.kernel in (place["function"] or "") for place in places):
            return False
        if not fault.line:
            return True
        source = FAULTS / (fault.program if fault.program.endswith(".py") else fault.program + ".cu")
        lines = source.read_text().splitlines()
        return any(0 < (place["line"] or 0) <= len(lines) and fault.line in lines[place["line"] - 1]
                   for place in places)

    def judge_twin(self, program):
        code, errors, result = self.run("sanitize", program, True, "--keep-going")
        # Warnings are shown, but are no findings: the memory that PyTorch's pool keeps.
        found = [f"{tool['name']}: {finding['kind']}" for tool in result["tools"]
                 for finding in tool["findings"] if finding["level"] == "error"]
        outcomes = {tool["outcome"] for tool in result["tools"]}
        wrong = []
        if code != 0 or found or outcomes != {"clean"} or len(result["tools"]) != 4:
            wrong.append(f"not clean: exit code {code}, {found}, {outcomes}, {errors.strip()}")
        return [f"`{program}`, fixed", "sanitize, all four", ", ".join(found) or "nothing", "",
                code], wrong

    def judge_failure(self, failure):
        flags = ["--clock-control", "none", "--preset", "quick"] if failure.command == "profile" \
            else []
        code, errors, result = self.run(failure.command, failure.program, False, *flags)
        said = errors + json.dumps(result)
        wrong = []
        if code != failure.code or failure.words not in said:
            wrong.append(f"exit code {code}, not {failure.code}, or nothing of "
                         f"'{failure.words}': {said[-600:]}")
        return [f"`{failure.program}`", failure.command,
                failure.words if failure.words in said else "", "", code], wrong


def places_of(finding):
    """Everything in device code that it names: its place, its frames, and the sides of a race."""
    return [finding["at"], *finding["device_frames"], *(side["at"] for side in finding["sides"])]


def place_of(finding):
    for place in places_of(finding):
        if place["line"]:
            return f"`{place['function']}` in {place['file']}:{place['line']}"
    return f"`{finding['kernel']}`" if finding["kernel"] else ""


def main():
    given = arguments(__doc__)
    faults = list(SANITIZE)
    if has_python_gpu():
        faults += PYTHON_SANITIZE
    else:
        print("planted_faults: no PyTorch and Triton on a GPU: those are left out", file=sys.stderr)
    with temporary_folder() as temporary:
        bench = Bench(given.proofline, pathlib.Path(temporary), given.out)
        build(bench.programs)
        twins = list(dict.fromkeys([fault.program for fault in faults] + ["segfault", "exit_code"]))
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            results = [*pool.map(bench.judge_fault, faults), *pool.map(bench.judge_twin, twins),
                       *map(bench.judge_failure, FAILURES)]
    rows = [[*row, "NO" if wrong else "yes"] for row, wrong in results]
    problems = [f"{row[0]} {row[1]}: {'; '.join(wrong)}" for row, wrong in results if wrong]
    text = (f"{len(rows) - len(problems)} of {len(rows)} as planned. "
            f"{surroundings(given.proofline)}.\n\n" +
            table(["program", "command, tool", "found", "place", "exit code", "right"], rows))
    print(text)
    if given.out:
        (given.out / "planted-faults.md").write_text("# Planted faults\n\n" + text)
    sys.exit("\n".join(problems) if problems else 0)


if __name__ == "__main__":
    main()
