#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# timeline: launch-gaps
"""A training step of tiny tensors: Python and PyTorch take longer for an operator than the GPU."""
import torch

model = torch.nn.Sequential(*[torch.nn.Linear(64, 64) for _ in range(8)]).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
data = torch.randn(32, 64, device="cuda")


def train(steps):
    for _ in range(steps):
        optimizer.zero_grad()
        model(data).square().mean().backward()
        optimizer.step()
    torch.cuda.synchronize()


train(20)
torch.cuda.nvtx.range_push("steps")
train(200)
torch.cuda.nvtx.range_pop()
