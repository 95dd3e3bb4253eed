#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# timeline: none
"""Batches come from pinned memory on a stream of their own while the batch before is worked on."""
import torch

model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(16)]).cuda()
batches = [torch.randn(4096, 1024).pin_memory() for _ in range(4)]
copies = torch.cuda.Stream()


def fetch(step):
    with torch.cuda.stream(copies):
        return batches[step % 4].cuda(non_blocking=True)


with torch.no_grad():
    following = fetch(0)
    for step in range(220):
        if step == 20:  # warm
            torch.cuda.synchronize()
            torch.cuda.nvtx.range_push("steps")
        torch.cuda.current_stream().wait_stream(copies)
        batch, following = following, fetch(step + 1)
        batch.record_stream(torch.cuda.current_stream())
        model(batch)
torch.cuda.synchronize()
torch.cuda.nvtx.range_pop()
