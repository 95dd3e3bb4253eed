# SPDX-License-Identifier: Apache-2.0
"""What NVIDIA's tools say of a cubin's functions, and how proofline's JSON compares with it.

Truth is counted here, by other means than proofline's: opcodes by `nvdisasm -json`, blocks and edges
by `nvdisasm -bbcfg -poff`, live registers by `nvdisasm -lrm count`, loops by removing edges into
blocks that dominate their start, found by plain set intersection.
"""
import json
import re

NODE = re.compile(r'^"([^"]+)"$')
EDGE = re.compile(r'^"([^"]+)":\w+:(\w) -> "([^"]+)":entry:n')
OFFSET = re.compile(r"(?:^|\\l|>|\{|\|)([0-9a-f]{4,}):(?:\\ )+(@!?U?P\w+(?:\\ )+)?([A-Z][\w.]*)")
LIVE = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/.*//\s\|\s*(\d*)\s")


def opcodes(text):
    """{function: (first address, [opcode, ...])}"""
    return {f["function-name"]: (f["start"], [i["opcode"] for i in f["sass-instructions"]])
            for f in json.loads(text)[1]}


def graphs(text):
    """{function: ({first address: instructions}, {(from, to)})}, by first addresses of blocks."""
    found, name, node = {}, None, None
    for line in text.splitlines():
        start = re.match(r'^subgraph "cluster_(.*)" \{', line)
        if start:
            name = start[1]
            found[name] = ({}, [], {}, {})
            continue
        if name is None:
            continue
        blocks, edges, first_of, last_of = found[name]
        if NODE.match(line):
            node = NODE.match(line)[1]
        elif line.startswith("[label=") and node is not None:
            rows = OFFSET.findall(line)
            if rows:
                first_of[node] = int(rows[0][0], 16)
                last_of[node] = rows[-1][2]
                blocks[first_of[node]] = len(rows)
            node = None
        elif EDGE.match(line):
            edges.append(EDGE.match(line).groups())
    graphs_found = {}
    for name, (blocks, edges, first_of, last_of) in found.items():
        # Without a call's edge to the function that it calls: it comes back.
        pairs = {(first_of[a], first_of[b]) for a, port, b in edges
                 if a in first_of and b in first_of
                 and not (last_of[a].startswith("CALL") and port == "e" and
                          (b == name or b.startswith("$")))
                 # Nobody comes back from a trap; nvdisasm goes on behind it.
                 and not last_of[a].startswith("BPT.TRAP")}
        for node, first in first_of.items():
            # nvdisasm gives an indirect branch a block of its own.
            before = [a for a, b in pairs if b == first]
            alone = last_of[node].startswith("BRX") and blocks[first] == 1 and len(before) == 1
            if alone and before[0] + 16 * blocks[before[0]] == first:
                blocks[before[0]] += blocks.pop(first)
                pairs = {(before[0] if a == first else a, b) for a, b in pairs if b != first}
        graphs_found[name] = (blocks, pairs)
    return graphs_found


def reachable(edges, roots):
    """Blocks that can be reached: nvdisasm leaves the others out."""
    after = {}
    for a, b in edges:
        after.setdefault(a, []).append(b)
    seen, todo = set(roots), list(roots)
    while todo:
        for following in after.get(todo.pop(), []):
            if following not in seen:
                seen.add(following)
                todo.append(following)
    return seen


def live_registers(text):
    """{section: {address: general registers}}"""
    found, name = {}, None
    for line in text.splitlines():
        start = re.match(r"^//-+ \.text\.(\S+)", line)
        if start:
            name = start[1]
            found[name] = {}
        row = LIVE.match(line)
        if row and name is not None:
            found[name][int(row[1], 16)] = int(row[2] or 0)
    return found


def loop_headers(blocks, edges, roots):
    """Addresses of blocks with an edge from a block that they dominate."""
    after = {}
    for a, b in edges:
        after.setdefault(a, []).append(b)
    order, seen, todo = [], set(roots), list(roots)
    while todo:
        block = todo.pop()
        order.append(block)
        for following in after.get(block, []):
            if following not in seen:
                seen.add(following)
                todo.append(following)
    before = {block: [] for block in seen}
    for a, b in edges:
        if a in seen:
            before[b].append(a)
    dominators = {block: {block} if block in roots else set(seen) for block in seen}
    changed = True
    while changed:
        changed = False
        for block in order:
            if block in roots or not before[block]:
                continue
            new = set.intersection(*(dominators[a] for a in before[block])) | {block}
            if new != dominators[block]:
                dominators[block], changed = new, True
    return {b for a, b in edges if a in seen and b in dominators[a]}


def compare(ours, opcode_truth, graph_truth, live_truth):
    """Yields (function, what, [differences]) for each function of proofline's JSON."""
    for function in ours["functions"]:
        name = function["name"]
        if name not in opcode_truth:
            continue
        listing = function["listing"]
        by_address = {int(row["address"], 16): row for row in listing}
        # Functions inside the section are separate ones for nvdisasm.
        inner = {other: start for other, (start, _) in opcode_truth.items()
                 if other == name or (other.startswith("$") and
                                      (other.startswith(f"${name}$") or
                                       other in function.get("inner", [])))}
        differences = []
        for other, start in inner.items():
            for i, opcode in enumerate(opcode_truth[other][1]):
                row = by_address.get(start + 16 * i)
                if row is None or row["opcode"] != opcode:
                    mine = row["opcode"] if row else "nothing"
                    differences.append(f"{start + 16 * i:#x}: {opcode}, here {mine}")
        yield name, "opcodes", differences

        first = {}
        size = {}
        for row in listing:
            first.setdefault(row["block"], int(row["address"], 16))
            size[row["block"]] = size.get(row["block"], 0) + 1
        my_blocks = {first[b]: size[b] for b in first}
        my_edges = {(first[a], first[b]) for a, b in function["edges"]}
        seen = reachable(my_edges, inner.values())
        my_blocks = {a: count for a, count in my_blocks.items() if a in seen}
        my_edges = {(a, b) for a, b in my_edges if a in seen}
        blocks, edges = {}, set()
        for other in inner:
            blocks.update(graph_truth.get(other, ({}, set()))[0])
            edges |= graph_truth.get(other, ({}, set()))[1]
        seen = reachable(edges, inner.values())
        blocks = {a: count for a, count in blocks.items() if a in seen}
        edges = {(a, b) for a, b in edges if a in seen}
        differences = [f"block {a:#x} of {blocks.get(a)}, here {my_blocks.get(a)}"
                       for a in sorted(set(blocks) | set(my_blocks))
                       if blocks.get(a) != my_blocks.get(a)]
        yield name, "blocks", differences
        differences = [f"edge {a:#x} -> {b:#x} {'missing' if (a, b) in edges else 'too many'}"
                       for a, b in sorted(edges ^ my_edges)]
        yield name, "edges", differences
        # Of nvdisasm's own graph.
        headers = loop_headers(blocks, edges, set(inner.values()))
        mine = {int(loop["address"], 16) for loop in function["loops"]}
        yield name, "loops", [f"loop {a:#x}" for a in sorted(headers ^ mine)]

        truth = live_truth.get(name, {})
        yield name, "live", [f"{a:#x}: {count}, here {by_address[a]['live']}"
                             for a, count in truth.items()
                             if a in by_address and by_address[a]["live"] != count]
