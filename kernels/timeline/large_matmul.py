#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# timeline: none
"""Large products, queued far ahead: the GPU never waits."""
import torch

a = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
b = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
c = a @ b
torch.cuda.synchronize()
torch.cuda.nvtx.range_push("steps")
for _ in range(1000):
    c = a @ b
torch.cuda.synchronize()
torch.cuda.nvtx.range_pop()
