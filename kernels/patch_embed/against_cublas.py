#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every variant of the patch embedding and times it beside cuBLAS' plain GEMM, interleaved.

    kernels/patch_embed/against_cublas.py [--images 4736] [--variants ring,cluster] [--compile]

Right means: within |reference| / 256 + 0.02 of FP64 on sampled rows, tile edges and image edges among them, and the
same as plain loops on the GPU everywhere. Needs a Hopper GPU, PyTorch and nvcc.
"""
import argparse
import ctypes
import pathlib
import sys

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "hopper"))
import peers  # noqa: E402

WIDTH = 768
POSITIONS = 196


class PatchEmbed:
    def __init__(self):
        self.library = peers.build(HERE / "patch_embed.cu")
        self.variants = peers.names(self.library.patch_embed_variants)
        self.library.patch_embed_table_bytes.restype = ctypes.c_ulonglong

    def table(self, variant, positions):
        table = torch.empty(self.library.patch_embed_table_bytes(), dtype=torch.uint8, device="cuda")
        peers.require(self.library.patch_embed_make_table(variant.encode(), peers.pointer(positions), peers.pointer(table),
                                                          peers.stream()), "make_table")
        return table

    def launch(self, variant, x, w, bias, table, y):
        peers.require(self.library.patch_embed_launch(variant.encode(), *map(peers.pointer, (x, w, bias, table, y)),
                                                      ctypes.c_uint(x.shape[0]), peers.stream()), variant)

    def reference(self, x, w, bias, positions, y):
        # A grid has at most 65535 rows of blocks.
        step = 65535 // 49 * 49 * 32
        for i in range(0, x.shape[0], step):
            part = slice(i, min(i + step, x.shape[0]))
            peers.require(self.library.patch_embed_reference(
                *map(peers.pointer, (x[part], w, bias, positions, y[part])), ctypes.c_uint(x[part].shape[0]),
                peers.stream()), "reference")


def sampled_rows(rows, count=4096):
    """Edges of tiles and images, and random ones."""
    edges = torch.cat([torch.arange(0, rows, 128 * 197), torch.arange(127, rows, 128 * 191),
                       torch.arange(0, rows, POSITIONS * 31), torch.arange(POSITIONS - 1, rows, POSITIONS * 29),
                       torch.tensor([rows - 1])])
    return torch.cat([edges, torch.randint(0, rows, (count,))]).unique().cuda()


def exact(x, w, bias, positions, rows):
    return x[rows].double() @ w.double().T + bias.double() + positions.double()[rows % POSITIONS]


def check(name, y, reference, rows, expected):
    """What is wrong, or None."""
    if not torch.isfinite(y).all():
        return "not every result is a number"
    got = y[rows].double()
    off = (got - expected).abs() > expected.abs() / 256 + 0.02
    if off.any():
        return f"{int(off.sum())} of {off.numel()} sampled results are off"
    error = float((got - expected).norm() / expected.norm())
    if error > 2e-3:
        return f"relative error {error:.2e}"
    # One rounding each, accumulated in another order: at most two bf16 steps apart.
    worst = 0.0
    for part in range(0, y.shape[0], 1 << 16):
        a, b = y[part:part + (1 << 16)].float(), reference[part:part + (1 << 16)].float()
        worst = max(worst, float(((a - b).abs() - b.abs() / 64).max()))
    return None if worst <= 0.02 else f"differs from plain loops by {worst:.3f} beyond rounding"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=4736)
    parser.add_argument("--rows", type=int, help="rows of x, instead of whole images")
    parser.add_argument("--variants", help="names, joined by commas")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--compile", action="store_true", help="also torch.compile's fused one")
    options = parser.parse_args()
    rows_of_x = options.rows or options.images * POSITIONS
    torch.manual_seed(7)
    x = torch.randn(rows_of_x, WIDTH, device="cuda", dtype=torch.bfloat16)
    w = torch.randn(WIDTH, WIDTH, device="cuda", dtype=torch.bfloat16)
    bias = torch.randn(WIDTH, device="cuda")
    positions = torch.randn(POSITIONS, WIDTH, device="cuda", dtype=torch.bfloat16)
    rows = sampled_rows(rows_of_x)
    expected = exact(x, w, bias, positions, rows)
    y = torch.empty_like(x)
    reference = torch.empty_like(x)
    embed = PatchEmbed()
    embed.reference(x, w, bias, positions, reference)
    wanted = options.variants.split(",") if options.variants else embed.variants
    wrong = {}
    implementations = {}
    for variant in wanted:
        table = embed.table(variant, positions)
        y.fill_(float("nan"))
        embed.launch(variant, x, w, bias, table, y)
        torch.cuda.synchronize()
        fault = check(variant, y, reference, rows, expected)
        if fault:
            wrong[variant] = fault
            print(f"{variant:14} WRONG: {fault}", flush=True)
            continue
        implementations[variant] = (lambda v=variant, t=table: embed.launch(v, x, w, bias, t, y))
    del reference
    implementations["cublas"] = lambda: torch.matmul(x, w.T, out=y)
    if options.compile:
        fused = torch.compile(lambda: (x.view(-1, POSITIONS, WIDTH) @ w.T + bias.bfloat16() + positions))
        implementations["torch.compile"] = fused
    times = peers.interleaved(implementations, options.rounds)
    flops = 2.0 * rows_of_x * WIDTH * WIDTH
    for name, time in times.items():
        print(f"{name:14} {time:9.1f} us  {flops / time / 1e6:6.1f} TFLOP/s  {time / times['cublas']:.3f} of cublas")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
