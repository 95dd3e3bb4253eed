#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# timeline: copy-bound host-synchronisation
"""Batches come from ordinary memory: the copy blocks the host and hides behind nothing."""
import torch

model = torch.nn.Linear(1024, 1024).cuda()
batches = [torch.randn(4096, 1024) for _ in range(4)]
with torch.no_grad():
    for step in range(220):
        if step == 20:  # warm
            torch.cuda.synchronize()
            torch.cuda.nvtx.range_push("steps")
        model(batches[step % 4].cuda())
torch.cuda.synchronize()
torch.cuda.nvtx.range_pop()
