#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A product of two BF16 matrices of 4096 x 4096 in Triton: one kernel, a few times."""
import sys

import torch
import triton
import triton.language as tl

SIZE, PRODUCTS = 4096, 4
BLOCK_M, BLOCK_N, BLOCK_K = 128, 256, 64


@triton.jit
def matmul(left, right, product, SIZE: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
           BLOCK_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    lefts = left + rows[:, None] * SIZE + inner[None, :]  # (BLOCK_M, BLOCK_K)
    rights = right + inner[:, None] * SIZE + columns[None, :]  # (BLOCK_K, BLOCK_N)
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, SIZE, BLOCK_K):
        sums = tl.dot(tl.load(lefts), tl.load(rights), sums)
        lefts += BLOCK_K
        rights += BLOCK_K * SIZE
    tl.store(product + rows[:, None] * SIZE + columns[None, :], sums.to(tl.bfloat16))


def main():
    if not torch.cuda.is_available():
        sys.exit("matmul: PyTorch sees no CUDA device")
    torch.manual_seed(0)
    left = torch.randn(SIZE, SIZE, device="cuda", dtype=torch.bfloat16)  # (SIZE, SIZE)
    right = torch.randn(SIZE, SIZE, device="cuda", dtype=torch.bfloat16)  # (SIZE, SIZE)
    product = torch.empty_like(left)
    grid = (SIZE // BLOCK_M, SIZE // BLOCK_N)
    for _ in range(PRODUCTS):
        matmul[grid](left, right, product, SIZE, BLOCK_M, BLOCK_N, BLOCK_K, num_warps=8,
                     num_stages=3)
    row = left[0].float() @ right.float()  # (SIZE)
    if not torch.allclose(product[0].float(), row, rtol=2e-2, atol=2.0):
        sys.exit("matmul: the product is wrong")
    print("matmul: ok")


if __name__ == "__main__":
    main()
