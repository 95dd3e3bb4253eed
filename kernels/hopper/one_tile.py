#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries each shape of product on one tile whose values code row and column (coded.py).

    kernels/hopper/one_tile.py

The workloads' own one_tile.py do the same with all their variants. Needs a Hopper GPU, PyTorch and nvcc.
"""
import pathlib
import sys

import torch

import coded
import peers

HERE = pathlib.Path(__file__).resolve().parent
ROWS = 64
TYPES = {"bf16": (torch.bfloat16, 64), "e4m3": (torch.float8_e4m3fn, 128)}  # and values along K


def product(multiply, k, columns):
    return coded.Product(multiply, k, torch.arange(columns, device="cuda").expand(ROWS, columns), ROWS)


def multiply_with(library, shape, columns, dtype):
    def multiply(left, right):
        y = torch.full((ROWS, columns), float("nan"), device="cuda")
        a, b = left.values.to(dtype), right.values.to(dtype)
        peers.require(library.one_tile_launch(shape.encode(), *map(peers.pointer, (a, b, y)), peers.stream()), shape)
        return y
    return multiply


def rows_exchanged(left, right):
    """A product whose rows 8 and 9 were confused: what a wrong swizzle looks like."""
    y = left.values @ right.values.T
    return y[[*range(8), 9, 8, *range(10, ROWS)]]


def main():
    found = coded.faults(product(rows_exchanged, 64, 128))
    if not found:
        raise SystemExit("two rows were exchanged, and nobody saw it")
    print(f"rows 8 and 9 exchanged: seen, {found[0]}")
    library = peers.build(HERE / "one_tile.cu")
    wrong = 0
    for shape in peers.names(library.one_tile_shapes):
        kind, columns, _ = shape.split()
        dtype, k = TYPES[kind]
        wrong += coded.report(shape, coded.faults(product(multiply_with(library, shape, int(columns), dtype), k, int(columns))))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
