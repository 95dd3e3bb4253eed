#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# timeline: none
"""As item_each_step.py, with the sum kept on the GPU and read once."""
import torch

model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(4)]).cuda()
data = torch.randn(8192, 1024, device="cuda")
total = torch.zeros((), device="cuda")
with torch.no_grad():
    for _ in range(300):
        total += model(data).square().mean()
print(total.item())
