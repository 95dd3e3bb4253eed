#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds proofline's reading of machine code against NVIDIA's own tools, function by function.

    sass_agreement.py PROOFLINE CUBIN...

Decodes each cubin natively and compares opcodes, blocks, edges, loops and live registers with what
nvdisasm prints of it (tests/support/nvdisasm_truth.py). Prints how many functions agree in each, and
the differences of the first few that do not. Needs nvdisasm.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import nvdisasm_truth as truth  # noqa: E402


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          errors="replace", check=False).stdout


def compare(proofline, cubin):
    try:
        ours = json.loads(output(proofline, "sass", "--format", "json", "--listing",
                                 "--disassembler", "native", cubin))
        return list(truth.compare(ours, truth.opcodes(output("nvdisasm", "-json", cubin)),
                                  truth.graphs(output("nvdisasm", "-bbcfg", "-poff", cubin)),
                                  truth.live_registers(output("nvdisasm", "-c", "-lrm", "count",
                                                              cubin))))
    except ValueError as error:
        return [("all", "unreadable", [str(error)])]


def main():
    proofline, cubins = sys.argv[1], sys.argv[2:]
    results, shown = collections.Counter(), collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        for cubin, rows in zip(cubins, pool.map(compare, [proofline] * len(cubins), cubins)):
            for function, what, differences in rows:
                results[what, not differences] += 1
                if differences and shown[what] < 12:
                    shown[what] += 1
                    print(f"{os.path.basename(cubin)} {function[:60]} {what}: {differences[:4]}")
    for what in sorted({what for what, _ in results}):
        print(f"{what}: {results[what, True]} functions agree, {results[what, False]} do not")


if __name__ == "__main__":
    main()
