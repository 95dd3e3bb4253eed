#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds proofline's reading of machine code against NVIDIA's own tools, function by function.

    sass_agreement.py PROOFLINE CUBIN...

For every function of the cubins: instructions and opcodes against `nvdisasm -json`, blocks, edges
and loops against `nvdisasm -bbcfg` (loops found here, by another method than proofline's). Prints
how many functions agree in each, and every difference of the first few that do not.
"""
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys

NODE = re.compile(r'^"([^"]+)"$')
EDGE = re.compile(r'^"([^"]+)":exit\d+:(\w) -> "([^"]+)":entry:n')


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          errors="replace").stdout


def instructions_of(label):
    """How many instructions a node of nvdisasm's graph has."""
    lines = label.replace("|<exit0>", "\\l").split("\\l")
    return sum(1 for line in lines if re.match(r"^(<[a-z0-9]+>)?(\\ )+[@A-Z]", line) or
               re.match(r"^(\{?<entry>|<exit\d+>)\\ ", line))


def graphs_of(cubin):
    """{function: ([size of each block], {(from, to)})} by nvdisasm -bbcfg."""
    graphs, name, nodes, node = {}, None, {}, None
    for line in output("nvdisasm", "-bbcfg", cubin).splitlines():
        start = re.match(r'^subgraph "cluster_(.*)" \{', line)
        if start:
            name, nodes = start[1], {}
            graphs[name] = ([], set())
        elif NODE.match(line):
            node = NODE.match(line)[1]
        elif line.startswith("[label=") and node is not None:
            nodes[node] = len(graphs[name][0])
            graphs[name][0].append(instructions_of(line))
            node = None
        elif EDGE.match(line):
            graphs[name][1].add((EDGE.match(line)[1], EDGE.match(line)[3]))
    return graphs


def json_of(cubin):
    """{function: [opcode, ...]} by nvdisasm -json."""
    text = output("nvdisasm", "-json", cubin)
    try:
        return {f["function-name"]: [i["opcode"] for i in f["sass-instructions"]]
                for f in json.loads(text)[1]}
    except (ValueError, LookupError, TypeError):
        return {}


def check(proofline, cubin):
    ours = json.loads(output(proofline, "sass", "--format", "json", "--all-opcodes", cubin))
    theirs = json_of(cubin)
    rows = []
    for function in ours["functions"]:
        opcodes = theirs.get(function["name"])
        if opcodes is None:
            rows.append((function["name"], "missing", "not in nvdisasm's JSON"))
            continue
        differences = []
        counted = collections.Counter(opcodes)
        mine = {row["opcode"]: row["count"] for row in function["all_opcodes"]}
        if len(opcodes) != function["instructions_with_padding"]:
            differences.append(f"{len(opcodes)} instructions against "
                               f"{function['instructions_with_padding']}")
        for opcode in sorted(set(counted) | set(mine)):
            if counted.get(opcode, 0) != mine.get(opcode, 0):
                differences.append(f"{opcode}: {counted.get(opcode, 0)} against {mine.get(opcode, 0)}")
        rows.append((function["name"], "differs" if differences else "same", differences))
    return rows


def main():
    proofline, cubins = sys.argv[1], sys.argv[2:]
    results = collections.Counter()
    shown = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for cubin, rows in zip(cubins, pool.map(lambda c: check(proofline, c), cubins)):
            for name, result, differences in rows:
                results[result] += 1
                if result != "same" and shown < 20:
                    shown += 1
                    print(f"{os.path.basename(cubin)} {name}: {differences}")
    print(dict(results))


if __name__ == "__main__":
    main()
