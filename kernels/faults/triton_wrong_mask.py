#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Triton kernel whose mask lets one element too many through; with --fixed it is right.

PyTorch keeps freed memory for later, which hides faults from a tool: run it with
PYTORCH_NO_CUDA_MEMORY_CACHING=1.
"""
import sys

import torch
import triton
import triton.language as tl

COUNT, BLOCK = 1000, 256


@triton.jit
def scale_with_mask(values, output, count, last, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    loaded = tl.load(values + offsets, mask=offsets < count)
    tl.store(output + offsets, loaded * 2, mask=offsets <= last)


def main():
    if not torch.cuda.is_available():
        sys.exit("triton_wrong_mask: PyTorch sees no CUDA device")
    last = COUNT - 1 if "--fixed" in sys.argv[1:] else COUNT
    values = torch.ones(COUNT, device="cuda")  # (COUNT)
    output = torch.zeros(COUNT, device="cuda")  # (COUNT)
    scale_with_mask[(triton.cdiv(COUNT, BLOCK),)](values, output, COUNT, last, BLOCK=BLOCK)
    torch.cuda.synchronize()
    print("triton_wrong_mask: done")


if __name__ == "__main__":
    main()
