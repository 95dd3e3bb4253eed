#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Triton kernel that takes nearly all of its program's time: scale, add and GELU over 64 million
FP32 numbers, twenty times. It reads and writes each number once, so memory must bind it."""
import sys

import torch
import triton
import triton.language as tl

COUNT, CALLS, BLOCK = 1 << 26, 20, 1024


@triton.jit
def gelu_kernel(values, output, count, scale, shift, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(values + offsets, mask=inside) * scale + shift
    tl.store(output + offsets, 0.5 * x * (1.0 + tl.math.erf(x * 0.7071067811865476)), mask=inside)


def main():
    if not torch.cuda.is_available():
        sys.exit("gelu: PyTorch sees no CUDA device")
    torch.manual_seed(0)
    values = torch.randn(COUNT, device="cuda")  # (COUNT)
    output = torch.empty_like(values)  # (COUNT)
    for _ in range(CALLS):
        gelu_kernel[(triton.cdiv(COUNT, BLOCK),)](values, output, COUNT, 2.0, 0.5, BLOCK=BLOCK)
    expected = torch.nn.functional.gelu(values[:4096] * 2.0 + 0.5)
    if not torch.allclose(output[:4096], expected, rtol=1e-4, atol=1e-5):
        sys.exit("gelu: the result is wrong")
    print("gelu: ok")


if __name__ == "__main__":
    main()
