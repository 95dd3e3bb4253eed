#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One training step of a small multi-layer perceptron: about sixteen kernels of PyTorch and cuBLAS
in forward, loss, backward and optimizer, each under an NVTX range of that name.

The steps before it warm up the allocator and cuBLAS and stand outside the profiler's start and
stop, so record it with

    ncu --profile-from-start off --nvtx --nvtx-push-pop-scope process ... python3 mlp_step.py

(PyTorch launches the backward kernels from a thread of its own, hence the scope.)
"""

import math
import sys

import torch
from torch import nn
from torch.nn import functional

BATCH, INPUTS, HIDDEN, CLASSES = 2048, 1024, 2048, 256
WARM_UP_STEPS = 3


def step(model, optimizer, inputs, targets):
    optimizer.zero_grad(set_to_none=True)
    with torch.cuda.nvtx.range("forward"):
        scores = model(inputs)  # (BATCH, CLASSES)
    with torch.cuda.nvtx.range("loss"):
        loss = functional.cross_entropy(scores, targets)
    with torch.cuda.nvtx.range("backward"):
        loss.backward()
    with torch.cuda.nvtx.range("optimizer"):
        optimizer.step()
    return loss


def main():
    if not torch.cuda.is_available():
        sys.exit("mlp_step: PyTorch sees no CUDA device")
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high")  # TF32: the matrix products run on the tensor cores

    model = nn.Sequential(nn.Linear(INPUTS, HIDDEN), nn.GELU(), nn.Linear(HIDDEN, CLASSES)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    inputs = torch.randn(BATCH, INPUTS, device="cuda")  # (BATCH, INPUTS)
    targets = torch.randint(CLASSES, (BATCH,), device="cuda")  # (BATCH)

    losses = [step(model, optimizer, inputs, targets).item() for _ in range(WARM_UP_STEPS)]
    torch.cuda.synchronize()
    torch.cuda.cudart().cudaProfilerStart()
    with torch.cuda.nvtx.range("profiled step"):
        profiled = step(model, optimizer, inputs, targets)
        torch.cuda.synchronize()
    torch.cuda.cudart().cudaProfilerStop()
    losses.append(profiled.item())

    # Untrained, the loss is that of a guess; on a fixed batch every step must lower it.
    if not math.isclose(losses[0], math.log(CLASSES), rel_tol=0.1):
        sys.exit(f"mlp_step: the first loss is {losses[0]}, expected about {math.log(CLASSES)}")
    if losses != sorted(losses, reverse=True):
        sys.exit(f"mlp_step: the loss does not fall: {losses}")
    print(f"mlp_step: ok, loss {losses[0]:.4f} -> {losses[-1]:.4f}")


if __name__ == "__main__":
    main()
