#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's scaled dot-product attention over 8192 BF16 positions: one fused kernel, a few times."""
import sys

import torch
from torch.nn import functional

BATCH, HEADS, LENGTH, WIDTH, CALLS = 2, 16, 8192, 128, 6


def main():
    if not torch.cuda.is_available():
        sys.exit("attention: PyTorch sees no CUDA device")
    torch.manual_seed(0)
    query, key, value = (torch.randn(BATCH, HEADS, LENGTH, WIDTH, device="cuda",
                                     dtype=torch.bfloat16) for _ in range(3))
    for _ in range(CALLS):
        output = functional.scaled_dot_product_attention(query, key, value)  # as query
    # The first position of the first head, in single precision.
    scores = (key[0, 0].float() @ query[0, 0, 0].float()) / WIDTH**0.5  # (LENGTH)
    expected = torch.softmax(scores, dim=0) @ value[0, 0].float()  # (WIDTH)
    if not torch.allclose(output[0, 0, 0].float(), expected, rtol=5e-2, atol=5e-3):
        sys.exit("attention: the result is wrong")
    print("attention: ok")


if __name__ == "__main__":
    main()
