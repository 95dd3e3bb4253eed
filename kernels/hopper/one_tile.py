#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks level_1.cu, and one_tile.cu for each shape of wgmma, with values that encode row and column (coded.py).

    kernels/hopper/one_tile.py

The workloads have a one_tile.py for all their variants. Needs a Hopper GPU, PyTorch and nvcc.
"""
import functools
import pathlib
import sys

import torch

import coded
import peers

HERE = pathlib.Path(__file__).resolve().parent
M = 64
TYPES = {"bf16": (torch.bfloat16, 64), "e4m3": (torch.float8_e4m3fn, 128)}  # and K: 128 bytes


def gemm(multiply, k, n):
    return coded.Gemm(multiply, k, torch.arange(n, device="cuda").expand(M, n), M)


def multiply_with(launch, name, n, dtype):
    """launch: (pointers to a, b and d, stream) -> CUDA error."""
    def multiply(a, b):
        a, b = a.values.to(dtype), b.values.to(dtype)
        d = torch.full((M, n), float("nan"), device="cuda")
        peers.require(launch(*map(peers.pointer, (a, b, d)), peers.stream()), name)
        return d
    return multiply


def rows_exchanged(a, b):
    """A GEMM that confuses rows 8 and 9, as a wrong swizzle would."""
    d = a.values @ b.values.T
    return d[[*range(8), 9, 8, *range(10, M)]]


def main():
    found = coded.faults(gemm(rows_exchanged, 64, 128))
    if not found:
        raise SystemExit("two exchanged rows were not found")
    print(f"rows 8 and 9 exchanged: found, {found[0]}")
    launch = peers.build(HERE / "level_1.cu").level_1_launch
    wrong = coded.report("level 1", coded.faults(gemm(multiply_with(launch, "level 1", 64, torch.bfloat16), 64, 64)))
    library = peers.build(HERE / "one_tile.cu")
    for shape in peers.names(library.one_tile_shapes):
        kind, n, _ = shape.split()
        dtype, k = TYPES[kind]
        launch = functools.partial(library.one_tile_launch, shape.encode())
        wrong += coded.report(shape, coded.faults(gemm(multiply_with(launch, shape, int(n), dtype), k, int(n))))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
