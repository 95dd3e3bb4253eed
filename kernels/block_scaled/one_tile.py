#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every variant of the block-scaled GEMM with values and scales that encode row and column (hopper/coded.py): one
tile, and more than one with odd sides. Needs a Hopper GPU, PyTorch and nvcc.

    kernels/block_scaled/one_tile.py
"""
import ctypes
import itertools
import pathlib
import sys

import torch

from against_cublas import Problem, stored_scales
import coded
import peers

HERE = pathlib.Path(__file__).resolve().parent
SIZES = [(128, 256, 128), (130, 264, 256)]
# Eight scales that serve as digits, within the binades that fp8 can fold.
SCALES = {"ue8m0": torch.exp2(torch.arange(-7.0, 1.0)), "ue4m3": 1 + torch.arange(8) / 8}


def scale_codes_of(scales, kind):
    codes = (torch.log2(scales) + 127).to(torch.uint8) if kind == "ue8m0" else scales.to(torch.float8_e4m3fn).view(torch.uint8)
    return stored_scales(codes, kind == "ue4m3")


def gemm(library, variant, size, group, kind, dtype):
    m, n, k = size

    def multiply(a, b):
        c = torch.full((m, n), float("nan"), device="cuda", dtype=dtype)
        tensors = (*(coded.e2m1_codes(operand.values) for operand in (a, b)),
                   *(scale_codes_of(operand.scales, kind) for operand in (a, b)), c)
        problem = Problem(*(tensor.data_ptr() for tensor in tensors), None, m, n, k, group, kind == "ue4m3",
                          dtype == torch.float16)
        scratch = torch.zeros(library.block_scaled_scratch_bytes(ctypes.byref(problem)), dtype=torch.uint8, device="cuda")
        problem.scratch = scratch.data_ptr()
        peers.require(library.block_scaled_launch(variant.encode(), ctypes.byref(problem), peers.stream()), variant)
        return c

    return coded.Gemm(multiply, k, torch.arange(n, device="cuda").expand(m, n), m, group=group, scales=SCALES[kind])


def main():
    library = peers.build(HERE / "block_scaled.cu")
    library.block_scaled_scratch_bytes.restype = ctypes.c_ulonglong
    wrong = 0
    for variant, size, group, kind, dtype in itertools.product(
            peers.names(library.block_scaled_variants), SIZES, (16, 32), SCALES, (torch.float16, torch.bfloat16)):
        if variant.startswith("fp8") and kind == "ue4m3":
            continue  # ue4m3 scales are not powers of two
        name = f"{variant}, {'x'.join(map(str, size))}, {group}, {kind}, {str(dtype)[6:]}"
        wrong += coded.report(name, coded.faults(gemm(library, variant, size, group, kind, dtype)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
