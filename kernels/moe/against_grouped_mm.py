#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every variant of the layer of experts and times it beside PyTorch's grouped_mm and bmm on bf16 weights, in turn.

    kernels/moe/against_grouped_mm.py [--layer w1|w2] [--tokens 64,256,1024,4096] [--routing uniform,poisson,hot,empty]

32 experts, 4 a token, as in gpt-oss: w1 is 5760 x 2880, w2 2880 x 2880. Right means a relative error (of the whole,
against FP64, on sampled rows of every expert) of at most 2e-3, and 4e-3 with SwiGLU. Needs a Hopper GPU, PyTorch and nvcc.
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

EXPERTS = 32
K = 2880
ROWS = {"w1": 5760, "w2": 2880}


class Layer(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint) for name in ("experts", "n", "k")]


class Weights(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("packed", "codes", "scales", "bf16")]


def make_weights(n):
    """Random codes and scales (as of N(0, 1 / sqrt(k)) weights), and the bf16 matrices that these mean, exactly."""
    codes = torch.randint(0, 256, (EXPERTS, n, K // 2), dtype=torch.uint8, device="cuda")
    scales = torch.randint(118, 123, (EXPERTS, n, K // 32), dtype=torch.uint8, device="cuda")
    magnitudes = coded.E2M1.cuda()
    table = torch.cat([magnitudes, -magnitudes])
    values = torch.empty(EXPERTS, n, K, dtype=torch.bfloat16, device="cuda")
    for expert in range(EXPERTS):
        nibbles = torch.stack([codes[expert] & 15, codes[expert] >> 4], -1).view(n, K)
        powers = torch.exp2(scales[expert].float() - 127).repeat_interleave(32, -1)
        values[expert] = (table[nibbles.int()] * powers).bfloat16()
    return codes, scales, values


def routed(rows, routing):
    """How many of the rows each expert gets."""
    if routing == "uniform":
        return torch.full((EXPERTS,), rows // EXPERTS)
    if routing == "poisson":
        weights = torch.ones(EXPERTS)
    elif routing == "hot":  # half of all rows for four
        weights = torch.ones(EXPERTS)
        weights[[3, 9, 17, 30]] = 7.0
    else:  # a third of the experts gets nothing
        weights = torch.ones(EXPERTS)
        weights[::3] = 0
    return torch.bincount(torch.multinomial(weights, rows, replacement=True), minlength=EXPERTS)


def swiglu(z):
    gate, value = z[..., 0::2].clamp(max=7), z[..., 1::2].clamp(-7, 7)
    return gate * torch.sigmoid(1.702 * gate) * (value + 1)


class Experts:
    """The library, and one layer's weights in every form."""

    def __init__(self, n):
        self.library = peers.build(HERE / "moe.cu")
        self.library.moe_packed_bytes.restype = ctypes.c_ulonglong
        self.variants = peers.names(self.library.moe_variants)
        self.layer = Layer(EXPERTS, n, K)
        self.codes, self.scales, self.values = make_weights(n)
        self.packed = torch.empty(self.library.moe_packed_bytes(ctypes.byref(self.layer)), dtype=torch.uint8, device="cuda")
        self.weights = Weights(*(tensor.data_ptr() for tensor in (self.packed, self.codes, self.scales, self.values)))
        refused = torch.zeros(1, dtype=torch.int32, device="cuda")
        result = self.library.moe_pack(ctypes.byref(self.layer),
                                       *map(peers.pointer, (self.codes, self.scales, self.packed, refused)), peers.stream())
        if result != 0 or int(refused) != 0:
            raise SystemExit(f"moe_pack: CUDA error {result}, {int(refused)} scales refused")

    def launch(self, variant, x, ends, y, gated):
        return self.library.moe_launch(variant.encode(), ctypes.byref(self.layer), ctypes.byref(self.weights),
                                       *map(peers.pointer, (x, ends, y)), ctypes.c_uint(x.shape[0]), ctypes.c_int(gated),
                                       peers.stream())


def is_sensible(variant, rows):
    """Whether anybody would run it with so many rows an expert."""
    return not variant.startswith("stream") or rows <= 128  # it reads the weights again for every few rows


def compare(experts, options, tokens, routing):
    """Checks and times one case; the number of variants that are wrong."""
    n, rows, wrong = experts.layer.n, 4 * tokens, 0
    counts = routed(rows, routing)
    ends = counts.cumsum(0).int().cuda()
    expert_of = torch.repeat_interleave(torch.arange(EXPERTS), counts).cuda()
    x = torch.randn(rows, K, device="cuda", dtype=torch.bfloat16)
    # The first, the last and some rows of every expert.
    firsts = torch.cumsum(counts, 0) - counts
    sampled = torch.cat([firsts[counts > 0], (torch.cumsum(counts, 0) - 1)[counts > 0],
                         torch.randint(0, rows, (256,))]).unique().cuda()
    expected = torch.empty(len(sampled), n, dtype=torch.float64, device="cuda")
    for expert in range(EXPERTS):
        mine = (expert_of[sampled] == expert).nonzero().flatten()
        expected[mine] = x[sampled[mine]].double() @ experts.values[expert].double().T
    implementations = {}
    for variant in options.variants.split(",") if options.variants else experts.variants + ["auto"]:
        if not is_sensible(variant, rows / EXPERTS):
            continue
        for gated in (False, True) if n == ROWS["w1"] and not variant.startswith("staged") else (False,):
            y = torch.full((rows, n // 2 if gated else n), float("nan"), device="cuda", dtype=torch.bfloat16)
            result = experts.launch(variant, x, ends, y, gated)
            torch.cuda.synchronize()
            name = variant + (" gated" if gated else "")
            error = peers.frobenius(y[sampled], swiglu(expected) if gated else expected) if result == 0 else float("inf")
            whole = bool(torch.isfinite(y).all())
            if result != 0 or error > (4e-3 if gated else 2e-3) or not whole:
                wrong += 1
                print(f"{tokens:5} {routing:8} {name:21} WRONG: CUDA error {result}, relative error {error:.2e}, "
                      f"all finite {whole}", flush=True)
                continue
            implementations[name] = lambda v=variant, out=y, g=gated: experts.launch(v, x, ends, out, g)
    if not options.no_peers:
        transposed = experts.values.transpose(1, 2)
        implementations["grouped_mm"] = lambda: torch._grouped_mm(x, transposed, offs=ends)
        if routing == "uniform":
            implementations["bmm"] = lambda: torch.bmm(x.view(EXPERTS, -1, K), transposed)
    times = peers.interleaved(implementations, options.rounds)
    for name, time in times.items():
        speed = "".join(f"  {times[peer] / time:5.2f} x {peer}" for peer in ("grouped_mm", "bmm") if peer in times)
        print(f"{tokens:5} {routing:8} {name:21} {time:8.1f} us {2.0 * rows * n * K / time / 1e6:6.1f} TFLOP/s{speed}",
              flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layer", choices=ROWS, default="w1")
    parser.add_argument("--tokens", default="64,256,1024,4096")
    parser.add_argument("--routing", default="uniform", help="of uniform, poisson, hot, empty, joined by commas")
    parser.add_argument("--variants", help="names, joined by commas")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    torch.manual_seed(5)
    experts = Experts(ROWS[options.layer])
    wrong = sum(compare(experts, options, tokens, routing) for tokens in map(int, options.tokens.split(","))
                for routing in options.routing.split(","))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
