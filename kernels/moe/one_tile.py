#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries every variant of the layer of experts with values and scales that code row, column and expert (hopper/coded.py):
experts with few and many rows, one and none, and a tile of weights and a part. Needs a Hopper GPU, PyTorch and nvcc.

    kernels/moe/one_tile.py
"""
import ctypes
import pathlib
import sys

import torch

from against_grouped_mm import Layer, Weights, swiglu
import coded
import peers

HERE = pathlib.Path(__file__).resolve().parent
ROWS = [8, 16, 0, 33, 250, 1, 300]  # of each expert
LEAST = 8  # of them; the one with a single row is asked for one of eight k
N = 136
K = 640  # stream-split wants ten blocks
SCALES = torch.exp2(torch.arange(-7.0, 1.0))  # that serve as digits


class OneTile:
    """A variant; the weights of all experts are one matrix, an expert's below the one before."""

    def __init__(self, library, variant):
        self.library, self.variant = library, variant
        self.layer = Layer(len(ROWS), N, K)
        self.ends = torch.tensor(ROWS).cumsum(0).int().cuda()
        self.packing = None, None  # of the last operand, since many products share one

    def weights_of(self, right):
        if self.packing[0] is right:
            return self.packing[1]
        codes = coded.e2m1_codes(right.values)
        scales = (torch.log2(right.scales) + 127).to(torch.uint8)
        packed = torch.empty(self.library.moe_packed_bytes(ctypes.byref(self.layer)), dtype=torch.uint8, device="cuda")
        refused = torch.zeros(1, dtype=torch.int32, device="cuda")
        peers.require(self.library.moe_pack(ctypes.byref(self.layer), *map(peers.pointer, (codes, scales, packed, refused)),
                                            peers.stream()), "moe_pack")
        bf16 = (right.values * right.scales.repeat_interleave(32, -1)).bfloat16()
        self.packing = right, (packed, codes, scales, bf16)
        return self.packing[1]

    def multiply(self, left, right, gated=False):
        x = left.values.bfloat16()
        y = torch.full((len(x), N // 2 if gated else N), float("nan"), device="cuda", dtype=torch.bfloat16)
        weights = Weights(*(tensor.data_ptr() for tensor in self.weights_of(right)))
        peers.require(self.library.moe_launch(
            self.variant.encode(), ctypes.byref(self.layer), ctypes.byref(weights), *map(peers.pointer, (x, self.ends, y)),
            ctypes.c_uint(len(x)), ctypes.c_int(gated), peers.stream()), self.variant)
        return y

    def product(self, multiply, columns, **finish):
        expert = torch.repeat_interleave(torch.arange(len(ROWS)), torch.tensor(ROWS)).cuda()
        right_rows = expert.unsqueeze(1) * columns + torch.arange(columns, device="cuda")
        return coded.Product(multiply, K, right_rows, LEAST, group=32, scaled=("right",), scales=SCALES,
                             **finish)

    def gated(self, value):
        """The product of SwiGLU whose gate and value have the same weights, or where `value` is false a value of 0."""
        def multiply(left, right):
            if self.doubled[0] is not right:
                values = right.values.repeat_interleave(2, 0)
                if not value:
                    values[1::2] = 0
                self.doubled = right, coded.Operand(values, right.scales.repeat_interleave(2, 0))
            return self.multiply(left, self.doubled[1], gated=True)
        self.doubled = None, None
        return self.product(multiply, N // 2, tolerance=1 / 128,
                            finish=lambda z: swiglu(torch.stack([z, z * value], -1)).squeeze(-1))


def main():
    library = peers.build(HERE / "moe.cu")
    library.moe_packed_bytes.restype = ctypes.c_ulonglong
    wrong = 0
    for variant in peers.names(library.moe_variants):
        tile = OneTile(library, variant)
        wrong += coded.report(variant, coded.faults(tile.product(tile.multiply, N)))
        if variant.startswith("staged"):
            continue  # has no SwiGLU
        for value in (True, False):
            wrong += coded.report(f"{variant} SwiGLU, {'both' if value else 'the gate alone'}", coded.faults(tile.gated(value)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
