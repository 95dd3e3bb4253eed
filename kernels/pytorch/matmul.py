#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's product of two BF16 matrices of 8192 x 8192: one kernel of cuBLAS, a few times."""
import sys

import torch

SIZE, PRODUCTS = 8192, 6


def main():
    if not torch.cuda.is_available():
        sys.exit("matmul: PyTorch sees no CUDA device")
    torch.manual_seed(0)
    left = torch.randn(SIZE, SIZE, device="cuda", dtype=torch.bfloat16)  # (SIZE, SIZE)
    right = torch.randn(SIZE, SIZE, device="cuda", dtype=torch.bfloat16)  # (SIZE, SIZE)
    for _ in range(PRODUCTS):
        product = left @ right  # (SIZE, SIZE)
    row = left[0].float() @ right.float()  # (SIZE)
    if not torch.allclose(product[0].float(), row, rtol=2e-2, atol=2.0):
        sys.exit("matmul: the product is wrong")
    print("matmul: ok")


if __name__ == "__main__":
    main()
