#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums a tensor from torch.empty as if it held zeros; with --fixed it is from torch.zeros.

PyTorch keeps freed memory for later, which hides faults from a tool: run it with
PYTORCH_NO_CUDA_MEMORY_CACHING=1.
"""
import sys

import torch

COUNT = 1 << 16


def main():
    if not torch.cuda.is_available():
        sys.exit("pytorch_uninitialised: PyTorch sees no CUDA device")
    make = torch.zeros if "--fixed" in sys.argv[1:] else torch.empty
    counts = make(COUNT, device="cuda")  # (COUNT)
    total = counts.sum()
    torch.cuda.synchronize()
    print("pytorch_uninitialised: summed", total.numel())


if __name__ == "__main__":
    main()
