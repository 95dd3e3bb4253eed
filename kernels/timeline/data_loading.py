#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# timeline: launch-gaps
"""Samples are made in the process that trains, while the GPU waits; PyTorch's own NVTX ranges say so."""
import torch


class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return 64 * 60

    def __getitem__(self, index):
        return torch.sin(torch.full((4096,), float(index))).sum() * torch.ones(1024)


model = torch.nn.Linear(1024, 1024).cuda()
with torch.no_grad(), torch.autograd.profiler.emit_nvtx():
    for batch in torch.utils.data.DataLoader(Samples(), batch_size=64):
        model(batch.cuda())
torch.cuda.synchronize()
