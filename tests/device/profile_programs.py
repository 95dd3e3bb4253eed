#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `proofline profile` on programs whose kernels nobody here wrote, and on two of our own.

    python3 tests/device/profile_programs.py --proofline PATH [--out FOLDER]

Checks that the kernel that matters was chosen, by its name, and prints what the diagnosis says of
it, for a person to judge. Needs a GPU, nvcc, ncu, and a Python (variable PYTHON) with PyTorch and
Triton. With --out the table is written to FOLDER/profile-programs.md and each result beside it.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

from machine import PYTHON, ROOT, arguments, build, surroundings, table, temporary_folder

TIME_LIMIT_S = 120

# The program, and what the name of one of the kernels in the result must contain.
Case = collections.namedtuple("Case", "name command kernel")


def cases(programs):
    kernels = ROOT / "kernels"
    return [
        Case("PyTorch matmul", [PYTHON, kernels / "pytorch" / "matmul.py"],
             r"gemm|nvjet|cutlass|xmma"),
        Case("PyTorch attention", [PYTHON, kernels / "pytorch" / "attention.py"],
             r"flash|fmha|attention|sdpa"),
        Case("PyTorch softmax", [PYTHON, kernels / "pytorch" / "softmax.py"], r"softmax"),
        Case("Triton GELU", [PYTHON, kernels / "triton" / "gelu.py"], r"gelu_kernel"),
        Case("many launches", [programs / "many_launches", "2000"], r"scale"),
    ]


def profile(proofline, case, folder):
    command = [proofline, "profile", "--clock-control", "none", "--format",
               "json", "--time-limit", TIME_LIMIT_S, "--runs", folder / "runs", "--",
               *case.command]
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    result = json.loads(done.stdout) if done.stdout else {"kernels": []}
    return done.returncode, done.stderr.decode(errors="replace"), result


def judge(case, code, errors, result):
    """(row of the table, whether the right kernel is among those that were chosen)"""
    if not result["kernels"]:
        return [case.name, f"exit code {code}", "", errors.strip().splitlines()[-1:], ""], False
    matching = [kernel for kernel in result["kernels"]
                if re.search(case.kernel, kernel["name"], re.IGNORECASE)]
    kernel = (matching or result["kernels"])[0]
    causes = ", ".join(finding["id"] for finding in kernel["findings"]) or "none"
    verdict = kernel["verdict"]
    return [case.name, f"`{kernel['function'][:60]}`",
            f"{verdict['bound']}, {verdict.get('at') or '-'}", verdict["headline"],
            causes], code == 0 and bool(matching)


def main():
    given = arguments(__doc__)
    rows, wrong = [], []
    with temporary_folder() as temporary:
        programs = pathlib.Path(temporary)
        build(programs, ["many_launches"])
        for case in cases(programs):
            code, errors, result = profile(given.proofline, case, programs)
            row, right = judge(case, code, errors, result)
            rows.append([*row, "yes" if right else "NO"])
            if not right:
                wrong.append(f"{case.name}: {errors.strip()}")
            if given.out:
                name = case.name.lower().replace(" ", "-")
                (given.out / f"{name}.json").write_text(json.dumps(result, indent=1))
    text = f"{surroundings(given.proofline)}\n\n" + table(
        ["program", "kernel", "bound", "verdict", "causes", "right kernel"], rows)
    print(text)
    if given.out:
        (given.out / "profile-programs.md").write_text(text)
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
