#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long `check` of each shipped playbook takes on its recorded evidence, as a multiple of the readers
and analyses that it needs: `diagnose --facts` of the same kernel's report, `sass` of the same code.

  check_ratios.py PROOFLINE [--rounds 9]

Run from the repository's root. CPU seconds, in turn; the least of each counts. The limit is 1.2 times.
"""
import argparse
import os
import subprocess
import sys

KERNELS = "examples/h200-kernels.ncu-rep.gz"
ROLES = "tests/fixtures/ncu_rep/h200-roles.ncu-rep.gz"
STORES = "tests/fixtures/sass/shared_stores.sm_90a.cubin.gz"
TCGEN05 = "tests/fixtures/sass/tcgen05.sm_100a.cubin.gz"
MOST_TIMES = 1.2

# Playbook, file, kernel.
CASES = [("blockscaled-profile", KERNELS, "gemm_wmma"), ("blockscaled-profile", ROLES, ""),
         ("gemm-roadmap", KERNELS, "gemm_wmma"), ("attention-guide", KERNELS, "block_per_row"),
         ("moe-evidence", STORES, "once"), ("epilogue-tasks", TCGEN05, "direct")]


def seconds(words):
    """CPU seconds of one command, its threads included."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1, 4, 10):
        sys.exit(f"{' '.join(words)} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("proofline")
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    worst = 0
    for playbook, file, kernel in CASES:
        narrow = ["--kernel", kernel] if kernel else []
        check = [arguments.proofline, "check", playbook, file, *narrow]
        if file.endswith(".cubin.gz"):
            needed = [arguments.proofline, "sass", file, "--disassembler", "native"]
        else:
            needed = [arguments.proofline, "diagnose", file, "--facts", *narrow]
        times = [(seconds(check), seconds(needed)) for _ in range(arguments.rounds)]
        checked, read = (min(column) for column in zip(*times))
        worst = max(worst, checked / read)
        print(f"{playbook:20} {kernel or file:20} check {1000 * checked:7.1f} ms  "
              f"needed {1000 * read:7.1f} ms  {checked / read:.2f} times")
    print(f"at most {worst:.2f} times; the limit is {MOST_TIMES}")
    return 0 if worst <= MOST_TIMES else 1


if __name__ == "__main__":
    sys.exit(main())
