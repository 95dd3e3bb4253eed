#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# timeline: copy-bound
"""The tour's training loop: batches come from ordinary memory, and the loss is read at every step.

    training_loop.py            as it was written
    training_loop.py --fixed    batches from pinned memory, copied beside the step before; the loss is
                                read once
"""
import sys

import torch

FIXED = "--fixed" in sys.argv
STEPS, WARM = 320, 20

model = torch.nn.Sequential(torch.nn.Linear(2048, 4096), torch.nn.GELU(),
                            torch.nn.Linear(4096, 2048)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
batches = [torch.randn(8192, 2048) for _ in range(4)]
if FIXED:
    batches = [batch.pin_memory() for batch in batches]
copies = torch.cuda.Stream()


def fetch(step):
    if not FIXED:
        return batches[step % 4].cuda()
    with torch.cuda.stream(copies):
        return batches[step % 4].cuda(non_blocking=True)


losses = torch.zeros((), device="cuda")
following = fetch(0)
for step in range(STEPS):
    if step == WARM:
        torch.cuda.synchronize()
        torch.cuda.nvtx.range_push("steps")
    if FIXED:
        torch.cuda.current_stream().wait_stream(copies)
        batch, following = following, fetch(step + 1)
        batch.record_stream(torch.cuda.current_stream())
    else:
        batch = fetch(step)
    optimizer.zero_grad()
    loss = model(batch).square().mean()
    loss.backward()
    optimizer.step()
    losses += loss.detach() if FIXED else loss.item()
torch.cuda.synchronize()
torch.cuda.nvtx.range_pop()
print(f"mean loss {losses.item() / STEPS:.4f}")
