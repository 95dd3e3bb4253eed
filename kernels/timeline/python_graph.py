#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# timeline: none
"""A forward pass of large tensors, captured once and replayed: Python launches one graph a step."""
import torch

model = torch.nn.Sequential(*[torch.nn.Linear(2048, 2048) for _ in range(8)]).cuda().half()
data = torch.randn(4096, 2048, device="cuda", dtype=torch.half)
with torch.no_grad():
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            model(data)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        model(data)
    graph.replay()
    torch.cuda.synchronize()
    torch.cuda.nvtx.range_push("steps")
    for _ in range(500):
        graph.replay()
    torch.cuda.synchronize()
    torch.cuda.nvtx.range_pop()
