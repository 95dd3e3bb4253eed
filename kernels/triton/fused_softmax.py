#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Triton kernel of our own: scale, mask by each row's length, and softmax, in one pass over the
rows of an attention-like score matrix. Four shapes and three types, each checked against PyTorch.

PyTorch launches kernels of its own around it, so record it with `ncu -k regex:fused_softmax`.
"""

import sys

import torch
import triton
import triton.language as tl

SHAPES = [  # rows, columns, type
    (4096, 1024, torch.float32),
    (4096, 1000, torch.bfloat16),  # no power of two: the tail of each row is masked
    (1024, 8192, torch.float16),
    (64, 32768, torch.float32),  # few rows: most multiprocessors have nothing to do
]


@triton.jit
def fused_softmax_kernel(
    scores,  # (rows, columns)
    lengths,  # (rows), each 1 or more
    output,  # (rows, columns), 0 beyond a row's length
    columns,
    scale,
    BLOCK: tl.constexpr,  # a power of two, columns or more
):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    length = tl.load(lengths + row)
    values = tl.load(scores + row * columns + offsets, mask=offsets < length, other=float("-inf"))
    values = values.to(tl.float32) * scale
    values = tl.exp(values - tl.max(values, axis=0))
    values = values / tl.sum(values, axis=0)
    tl.store(output + row * columns + offsets, values, mask=offsets < columns)


def fused_softmax(scores, lengths, scale):
    rows, columns = scores.shape
    assert scores.is_contiguous() and lengths.shape == (rows,) and scale > 0
    output = torch.empty_like(scores)
    block = triton.next_power_of_2(columns)
    fused_softmax_kernel[(rows,)](
        scores, lengths, output, columns, scale, BLOCK=block, num_warps=min(max(block // 512, 4), 16)
    )
    return output


def reference(scores, lengths, scale):
    beyond = torch.arange(scores.shape[1], device=scores.device) >= lengths[:, None]
    return torch.softmax((scores.float() * scale).masked_fill(beyond, float("-inf")), dim=1)


def main():
    if not torch.cuda.is_available():
        sys.exit("fused_softmax: PyTorch sees no CUDA device")
    torch.manual_seed(0)
    for rows, columns, dtype in SHAPES:
        scores = torch.randn(rows, columns, device="cuda").to(dtype)  # (rows, columns)
        lengths = torch.randint(1, columns + 1, (rows,), device="cuda", dtype=torch.int32)  # (rows)
        scale = 0.125
        actual = fused_softmax(scores, lengths, scale).float()
        expected = reference(scores, lengths, scale)
        tolerance = 1e-6 if dtype == torch.float32 else 1e-2
        if not torch.allclose(actual, expected, rtol=tolerance * 10, atol=tolerance):
            worst = (actual - expected).abs().max().item()
            sys.exit(f"fused_softmax: {rows} x {columns} {dtype}: off by {worst}")
        print(f"fused_softmax: {rows} x {columns} {dtype}: ok")


if __name__ == "__main__":
    main()
