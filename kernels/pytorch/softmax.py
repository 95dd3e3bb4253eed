#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's softmax over the rows of an FP32 matrix of 16384 x 8192: one kernel, a few times."""
import sys

import torch

ROWS, COLUMNS, CALLS = 16384, 8192, 6


def main():
    if not torch.cuda.is_available():
        sys.exit("softmax: PyTorch sees no CUDA device")
    torch.manual_seed(0)
    scores = torch.randn(ROWS, COLUMNS, device="cuda")  # (ROWS, COLUMNS)
    for _ in range(CALLS):
        shares = torch.softmax(scores, dim=1)  # (ROWS, COLUMNS)
    powers = torch.exp(scores[0].double())  # (COLUMNS)
    if not torch.allclose(shares[0].double(), powers / powers.sum(), rtol=1e-4, atol=1e-9):
        sys.exit("softmax: the result is wrong")
    print("softmax: ok")


if __name__ == "__main__":
    main()
