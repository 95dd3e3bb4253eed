#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# timeline: none
"""As item_each_step.py, on larger batches and with the sum kept on the GPU and read once."""
import torch

model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(4)]).cuda()
data = torch.randn(8192, 1024, device="cuda")
total = torch.zeros((), device="cuda")
with torch.no_grad():
    for step in range(2020):
        if step == 20:  # warm
            torch.cuda.synchronize()
            torch.cuda.nvtx.range_push("steps")
        total += model(data).square().mean()
torch.cuda.synchronize()
torch.cuda.nvtx.range_pop()
print(total.item())
