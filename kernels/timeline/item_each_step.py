#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# timeline: host-synchronisation
"""The loss is read back after each step, so the GPU runs dry while Python prepares the next."""
import torch

model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(4)]).cuda()
data = torch.randn(512, 1024, device="cuda")
total = 0.0
with torch.no_grad():
    for step in range(2020):
        if step == 20:  # warm
            torch.cuda.nvtx.range_push("steps")
        total += model(data).square().mean().item()
torch.cuda.nvtx.range_pop()
print(total)
