#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# timeline: launch-gaps
"""Two ranks on one GPU; one prepares longer than the other, which waits for it at every step."""
import os
import time

import torch
import torch.distributed as distributed
import torch.multiprocessing as processes


def train(rank):
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29531")
    distributed.init_process_group("gloo", rank=rank, world_size=2)
    data = torch.randn(1024, 1024, device="cuda")
    for _ in range(60):
        if rank == 1:
            time.sleep(0.004)
        for _ in range(10):
            data = torch.tanh(data @ data)
        distributed.barrier()
    torch.cuda.synchronize()
    distributed.destroy_process_group()


if __name__ == "__main__":
    processes.spawn(train, nprocs=2)
