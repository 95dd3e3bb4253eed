#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels of cuBLAS, cuBLASLt, cuDNN, cuFFT, cuSOLVER, CUTLASS, CUB, FlashAttention and PyTorch itself, each called
once between cudaProfilerStart and cudaProfilerStop: what `tests/device/judged_waits.py` profiles."""
import sys

import torch
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel


def attend(backend):
    query, key, value = (torch.randn(4, 16, 4096, 128, device="cuda", dtype=torch.bfloat16,
                                     requires_grad=True) for _ in range(3))
    with sdpa_kernel(backend):
        output = functional.scaled_dot_product_attention(query, key, value)  # as query
        output.backward(torch.ones_like(output))


def call_all():
    single = torch.randn(4096, 4096, device="cuda")
    double = single.double()
    bf16 = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    eighth = torch.randint(-8, 8, (4096, 4096), device="cuda", dtype=torch.int8)
    fp8 = single.to(torch.float8_e4m3fn)
    one = torch.ones((), device="cuda")
    images = torch.randn(32, 64, 128, 128, device="cuda")
    integers = torch.randint(0, 1 << 30, (1 << 22,), device="cuda", dtype=torch.int32)
    rows = torch.randint(0, 4096, (8192,), device="cuda")
    torch.cuda.synchronize()
    torch.cuda.profiler.start()
    bf16 @ bf16
    functional.linear(bf16[:8, :4096].contiguous(), bf16[:4096, :4096].contiguous())
    single @ single
    double @ double
    torch.mv(single, single[0])
    torch._int_mm(eighth, eighth.t())
    torch._scaled_mm(fp8, fp8.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
    functional.conv2d(images, torch.randn(128, 64, 3, 3, device="cuda"), padding=1)
    functional.conv2d(images, torch.randn(64, 1, 3, 3, device="cuda"), padding=1, groups=64)
    functional.max_pool2d(images, 2)
    integers.sort()
    torch.topk(single[:16].reshape(1, -1), 64)
    torch.masked_select(single, single > 0)
    torch.nonzero(single > 0)
    torch.zeros(4096, 4096, device="cuda").index_put_((rows,), torch.randn(8192, 4096, device="cuda"),
                                                      accumulate=True)
    torch.fft.rfft(single)
    torch.linalg.lu_factor(single[:2048, :2048].contiguous(), pivot=False)
    attend(SDPBackend.FLASH_ATTENTION)
    attend(SDPBackend.CUDNN_ATTENTION)
    torch.cuda.synchronize()
    torch.cuda.profiler.stop()


def main():
    if not torch.cuda.is_available():
        sys.exit("library_kernels: PyTorch sees no CUDA device")
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    call_all()
    print("library_kernels: ok")


if __name__ == "__main__":
    main()
