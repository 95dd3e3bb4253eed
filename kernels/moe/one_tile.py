#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every variant of the MoE layer with values and scales that encode row, column and expert (hopper/coded.py):
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
LEAST = 8  # step of the selector's shifts; the expert with a single row covers one of eight k
N = 136
K = 640  # stream-split needs ten blocks of 64
SCALES = torch.exp2(torch.arange(-7.0, 1.0))  # used as digits


class OneTile:
    """A variant. The weights of all experts are one matrix, B of coded.Gemm; x is A."""

    def __init__(self, library, variant):
        self.library, self.variant = library, variant
        self.layer = Layer(len(ROWS), N, K)
        self.ends = torch.tensor(ROWS).cumsum(0).int().cuda()
        self.packing = None, None  # of the last operand, since many launches share it

    def weights_of(self, b):
        if self.packing[0] is b:
            return self.packing[1]
        codes = coded.e2m1_codes(b.values)
        scales = (torch.log2(b.scales) + 127).to(torch.uint8)
        packed = torch.empty(self.library.moe_packed_bytes(ctypes.byref(self.layer)), dtype=torch.uint8, device="cuda")
        refused = torch.zeros(1, dtype=torch.int32, device="cuda")
        peers.require(self.library.moe_pack(ctypes.byref(self.layer), *map(peers.pointer, (codes, scales, packed, refused)),
                                            peers.stream()), "moe_pack")
        bf16 = (b.values * b.scales.repeat_interleave(32, -1)).bfloat16()
        self.packing = b, (packed, codes, scales, bf16)
        return self.packing[1]

    def multiply(self, a, b, gated=False):
        x = a.values.bfloat16()
        y = torch.full((len(x), N // 2 if gated else N), float("nan"), device="cuda", dtype=torch.bfloat16)
        weights = Weights(*(tensor.data_ptr() for tensor in self.weights_of(b)))
        peers.require(self.library.moe_launch(
            self.variant.encode(), ctypes.byref(self.layer), ctypes.byref(weights), *map(peers.pointer, (x, self.ends, y)),
            ctypes.c_uint(len(x)), ctypes.c_int(gated), peers.stream()), self.variant)
        return y

    def gemm(self, multiply, columns, **epilogue):
        expert = torch.repeat_interleave(torch.arange(len(ROWS)), torch.tensor(ROWS)).cuda()
        b_rows = expert.unsqueeze(1) * columns + torch.arange(columns, device="cuda")
        return coded.Gemm(multiply, K, b_rows, LEAST, group=32, scaled=("B",), scales=SCALES, **epilogue)

    def gated(self, value):
        """SwiGLU whose gate and value have the same weights, or where `value` is false a value of 0."""
        def multiply(a, b):
            if self.doubled[0] is not b:
                values = b.values.repeat_interleave(2, 0)
                if not value:
                    values[1::2] = 0
                self.doubled = b, coded.Operand(values, b.scales.repeat_interleave(2, 0))
            return self.multiply(a, self.doubled[1], gated=True)
        self.doubled = None, None
        return self.gemm(multiply, N // 2, tolerance=1 / 128,
                         epilogue=lambda z: swiglu(torch.stack([z, z * value], -1)).squeeze(-1))


def main():
    library = peers.build(HERE / "moe.cu")
    library.moe_packed_bytes.restype = ctypes.c_ulonglong
    wrong = 0
    for variant in peers.names(library.moe_variants):
        tile = OneTile(library, variant)
        wrong += coded.report(variant, coded.faults(tile.gemm(tile.multiply, N)))
        if variant.startswith("staged"):
            continue  # has no SwiGLU
        for value in (True, False):
            wrong += coded.report(f"{variant} SwiGLU, {'both' if value else 'the gate alone'}", coded.faults(tile.gated(value)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
