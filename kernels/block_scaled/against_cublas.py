#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every variant of the block-scaled GEMM and times it beside cuBLAS in bf16 and fp8, in turn.

    kernels/block_scaled/against_cublas.py [--size 8192,8192,1024] [--group 16] [--scales ue8m0|ue4m3] [--type fp16|bf16]

The peers multiply matrices of the same shape that were decoded before; ours decode inside the clock. Right means a
relative error (of the whole, against FP64 on sampled rows) of at most 5e-4 (fp16) or 2e-3 (bf16), and 5e-3 where the
tensor cores sum fp8, which they do with about 14 bits. Needs a Hopper GPU, PyTorch and nvcc.
"""
import argparse
import ctypes
import pathlib
import sys

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "hopper"))
import coded  # noqa: E402
import peers  # noqa: E402


class Problem(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("a", "b", "a_scales", "b_scales", "c", "scratch")] + [
        (name, ctypes.c_uint) for name in ("m", "n", "k", "group")] + [
        (name, ctypes.c_int) for name in ("ue4m3", "half")]


def scale_order(rows, groups):
    """For each byte of the scales as Blackwell wants them: which (row, group) it is."""
    padded = (rows + 127) // 128 * 128
    block = torch.arange(padded // 128 * groups // 4).view(-1, 1, 1, 1)
    r32 = torch.arange(32).view(1, -1, 1, 1)
    r4 = torch.arange(4).view(1, 1, -1, 1)
    s = torch.arange(4).view(1, 1, 1, -1)
    row = block // (groups // 4) * 128 + r4 * 32 + r32 + 0 * s
    group = block % (groups // 4) * 4 + s + 0 * (r4 + r32)
    return row.flatten().cuda(), group.flatten().cuda()


def stored_scales(codes, ue4m3):
    """(rows, groups) codes of scales in Blackwell's order; rows beyond the last are 1."""
    row, group = scale_order(*codes.shape)
    stored = codes[row.clamp(max=len(codes) - 1), group]
    return torch.where(row < len(codes), stored, 0x38 if ue4m3 else 127).to(torch.uint8)


def quantise(x, group, ue4m3):
    """Codes (rows, k / 2), scales in Blackwell's order, and the values that these mean."""
    rows, k = x.shape
    blocks = x.view(rows, k // group, group)
    wanted = blocks.abs().amax(-1) / 6
    if ue4m3:
        scales = wanted.clamp(2.0 ** -9, 448).to(torch.float8_e4m3fn)
        codes = scales.view(torch.uint8)
        scales = scales.float()
    else:
        exponents = torch.ceil(torch.log2(wanted)).clamp(-127, 127)
        codes = (exponents + 127).to(torch.uint8)
        scales = torch.exp2(exponents)
    magnitudes = coded.E2M1.cuda()
    bounds = (magnitudes[1:] + magnitudes[:-1]) / 2
    scaled = blocks / scales.unsqueeze(-1)
    indices = torch.bucketize(scaled.abs(), bounds)
    signs = scaled < 0
    nibbles = (indices + 8 * signs).to(torch.uint8).view(rows, k // 2, 2)
    values = (magnitudes[indices] * torch.where(signs, -1.0, 1.0) * scales.unsqueeze(-1)).view(rows, k)
    return nibbles[..., 0] | nibbles[..., 1] << 4, stored_scales(codes, ue4m3), values


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="8192,8192,1024")
    parser.add_argument("--group", type=int, default=16)
    parser.add_argument("--scales", choices=["ue8m0", "ue4m3"], default="ue8m0")
    parser.add_argument("--type", choices=["fp16", "bf16"], default="fp16")
    parser.add_argument("--variants", help="names, joined by commas")
    parser.add_argument("--rounds", type=int, default=21)
    options = parser.parse_args()
    m, n, k = map(int, options.size.split(","))
    half = options.type == "fp16"
    torch.manual_seed(11)
    a_codes, a_scales, a = quantise(torch.randn(m, k, device="cuda"), options.group, options.scales == "ue4m3")
    b_codes, b_scales, b = quantise(torch.randn(n, k, device="cuda"), options.group, options.scales == "ue4m3")
    rows = torch.cat([torch.tensor([0, m - 1]), torch.randint(0, m, (126,))]).cuda()
    expected = a[rows].double() @ b.double().T
    c = torch.empty(m, n, device="cuda", dtype=torch.float16 if half else torch.bfloat16)
    library = peers.build(HERE / "block_scaled.cu")
    library.block_scaled_scratch_bytes.restype = ctypes.c_ulonglong
    problem = Problem(*(t.data_ptr() for t in (a_codes, b_codes, a_scales, b_scales, c)), None, m, n, k, options.group,
                      options.scales == "ue4m3", half)
    scratch = torch.empty(library.block_scaled_scratch_bytes(ctypes.byref(problem)), dtype=torch.uint8, device="cuda")
    problem.scratch = scratch.data_ptr()

    every = peers.names(library.block_scaled_variants)
    wrong = 0
    implementations = {}
    for variant in options.variants.split(",") if options.variants else every:
        def launch(v=variant.encode()):
            return library.block_scaled_launch(v, ctypes.byref(problem), peers.stream())
        c.fill_(float("nan"))
        scratch[:4] = 0
        result = launch()
        torch.cuda.synchronize()
        if result != 0:
            print(f"{variant:18} not run: CUDA error {result}")
            continue
        lost = int(scratch[:4].view(torch.int32)[0]) if variant.startswith("fp8") else 0
        error = peers.frobenius(c[rows], expected)
        limit = 5e-3 if variant.startswith("fp8") else 5e-4 if half else 2e-3
        whole = bool(torch.isfinite(c).all())
        if error > limit or not whole:
            wrong += 1
            print(f"{variant:18} WRONG: relative error {error:.2e}, allowed {limit:.0e}; all finite: {whole}", flush=True)
            continue
        print(f"{variant:18} right: relative error {error:.2e}, not represented {lost}", flush=True)
        if variant != "naive":
            implementations[variant] = launch
    a16, b16 = a.bfloat16(), b.bfloat16()
    c16 = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    implementations["cublas bf16"] = lambda: torch.matmul(a16, b16.T, out=c16)
    if m % 16 == 0 and n % 16 == 0:
        a8, b8 = a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn)
        one = torch.ones((), device="cuda")
        for fast in (False, True):
            implementations["cublas fp8" + (" fast" if fast else "")] = lambda f=fast: torch._scaled_mm(
                a8, b8.T, one, one, out_dtype=torch.bfloat16, use_fast_accum=f)
    times = peers.interleaved(implementations, options.rounds)
    for name, time in times.items():
        print(f"{name:18} {time:8.1f} us  {2.0 * m * n * k / time / 1e6:7.1f} TFLOP/s  "
              f"{time / times['cublas bf16']:.3f} of cublas bf16"
              + (f", {time / times['cublas fp8 fast']:.3f} of fp8 fast" if "cublas fp8 fast" in times else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
