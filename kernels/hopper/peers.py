# SPDX-License-Identifier: Apache-2.0
"""Builds kernels as shared libraries, and times several implementations of one operation fairly: in one process,
interleaved, each with a cold L2, by events around the work alone. The order within a round is random, so that no
implementation always follows the same neighbour."""
import ctypes
import hashlib
import pathlib
import random
import statistics
import subprocess

import torch

L2_FLUSH_BYTES = 256 << 20
KERNELS = pathlib.Path(__file__).resolve().parent.parent
LIBRARIES = KERNELS.parent / "build" / "kernels"


def build(source):
    """Compiles a .cu file into a shared library with a C interface and loads it; one of the same sources is reused."""
    make_wgmma = KERNELS / "hopper" / "make-wgmma"
    sources = [make_wgmma, *(path for folder in (KERNELS / "hopper", source.parent) for path in sorted(folder.glob("*.[ch]*")))]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    library = LIBRARIES / f"{source.stem}-{digest[:12]}.so"
    if library.exists():
        return ctypes.CDLL(str(library))
    generated = LIBRARIES / "generated"
    subprocess.run([make_wgmma, generated / "wgmma.cuh"], check=True)
    unfinished = library.with_suffix(".part")
    command = [KERNELS / "hopper" / "refuse-losses", "nvcc", "-std=c++17", "-O3", "-lineinfo",
               "-gencode=arch=compute_90a,code=sm_90a", "-shared", "-I", str(generated),
               "-Xcompiler=-fPIC", "-Xptxas=-v", "-split-compile=0", "-o", str(unfinished), str(source)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(result.stderr)
    unfinished.rename(library)
    return ctypes.CDLL(str(library))


def names(function):
    """The strings of a C function that returns an array of them, ended by a null pointer."""
    function.restype = ctypes.POINTER(ctypes.c_char_p)
    strings = []
    while function()[len(strings)]:
        strings.append(function()[len(strings)].decode())
    return strings


def require(result, what):
    if result != 0:
        raise SystemExit(f"{what}: CUDA error {result}")


def pointer(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


def stream():
    return ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)


def interleaved(implementations, rounds=21, warm_up=3, seed=1):
    """Median microseconds of each of {name: function}."""
    flush = torch.empty(L2_FLUSH_BYTES, dtype=torch.uint8, device="cuda")
    order = random.Random(seed)
    times = {name: [] for name in implementations}
    for index in range(warm_up + rounds):
        names = list(implementations)
        order.shuffle(names)
        for name in names:
            flush.zero_()
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            implementations[name]()
            end.record()
            end.synchronize()
            if index >= warm_up:
                times[name].append(start.elapsed_time(end) * 1e3)
    return {name: statistics.median(values) for name, values in times.items()}


def frobenius(actual, expected):
    """Relative error in the Frobenius norm; infinite if a value is not finite."""
    difference = (actual.double() - expected.double()).norm() / expected.double().norm()
    return float(difference) if torch.isfinite(actual).all() else float("inf")
