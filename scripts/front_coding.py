# SPDX-License-Identifier: Apache-2.0
"""Writes a table of names that src/vocabulary/name_table.h reads: sorted and front coded, as C++ string
literals that a source file includes.

A row is the number of characters it shares with the row above (two digits), the rest of the name, a
space and the row's data.
"""

import itertools

# Compilers must accept literals of 65,536 characters, not more.
CHUNK = 60_000


def encoded(rows):
    above = ""
    for name in sorted(rows):
        shared = 0
        while shared < min(len(name), len(above), 99) and name[shared] == above[shared]:
            shared += 1
        yield f"{shared:02}{name[shared:]} {rows[name]}\n"
        above = name


def write_chunks(target, maker, head, rows):
    """`head` are lines that stand before the rows as they are."""
    chunks = [""]
    for line in itertools.chain((f"{line}\n" for line in head), encoded(rows)):
        if len(chunks[-1]) + len(line) > CHUNK:
            chunks.append("")
        chunks[-1] += line
    literals = "".join(f'R"({chunk})",\n' for chunk in chunks)
    target.write_text(f"// SPDX-License-Identifier: Apache-2.0\n// Made by {maker}; do not edit.\n"
                      f"{literals}")
    print(f"{target}: {len(rows)} names, {sum(map(len, chunks))} bytes")
