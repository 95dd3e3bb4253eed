#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# timeline: any
"""The same kernels in every run, so that two profilers can be compared over two runs of it.

    deterministic.py [TRACE.json]    under torch.profiler, with the trace in this file
"""
import sys

import torch

torch.manual_seed(0)
torch.use_deterministic_algorithms(True, warn_only=True)
model = torch.nn.Sequential(torch.nn.Linear(2048, 2048), torch.nn.GELU(),
                            torch.nn.LayerNorm(2048), torch.nn.Linear(2048, 2048)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
data = torch.randn(8192, 2048)


def train():
    for _ in range(60):
        batch = data.cuda()
        optimizer.zero_grad()
        loss = torch.nn.functional.softmax(model(batch), dim=-1).square().mean()
        loss.backward()
        optimizer.step()
    torch.cuda.synchronize()


# All that is loaded, chosen or allocated at first is over before either profiler is compared.
train()
if len(sys.argv) > 1:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU,
                                            torch.profiler.ProfilerActivity.CUDA]) as profiler:
        train()
    profiler.export_chrome_trace(sys.argv[1])
else:
    torch.cuda.nvtx.range_push("compared")
    train()
    torch.cuda.nvtx.range_pop()
