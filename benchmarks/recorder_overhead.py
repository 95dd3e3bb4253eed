#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording costs a program: its wall time with the recorder against without. Needs a GPU.

    recorder_overhead.py RECORDER LIBCUPTI PROGRAM [ARGUMENT...]

RECORDER is libproofline_recorder.so of a build (in trace/), PROGRAM best kernels/faults'
many_launches: 100,000 short kernels. Both kinds of run take turns, so that a machine that slows
down slows both; the first round warms the caches. The launches in the recordings are counted, for
one that drops them would be cheap. Exit code 1: the median costs more than a tenth.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

REPETITIONS = 15
LIMIT = 0.10
MAGIC = b"\x89PLREC\n\x01"
LAUNCH, DROPPED, TROUBLE, END = 4, 5, 6, 7


def run(command, folder, recorder, cupti):
    """Wall seconds of one run; with a folder to record into, or None."""
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("CUDA_INJECTION64_PATH", "PROOFLINE_RECORDING")}
    if folder is not None:
        environment.update(CUDA_INJECTION64_PATH=recorder, PROOFLINE_RECORDING=folder,
                           PROOFLINE_CUPTI=cupti)
    begin = time.monotonic()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def count(folder):
    """Launches and bytes of the recordings in a folder; says what is wrong with them."""
    launches = size = 0
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read()
        size += len(data)
        kinds = []
        at = len(MAGIC)
        while at + 3 <= len(data):
            kinds.append(data[at])
            length = data[at + 1] | data[at + 2] << 8
            if data[at] == TROUBLE:
                sys.exit(f"recorder_overhead: {data[at + 3:at + 3 + length].decode()}")
            at += 3 + length
        if DROPPED in kinds or END not in kinds:
            print(f"{name}: launches are missing", file=sys.stderr)
        launches += kinds.count(LAUNCH)
    return launches, size


def main():
    if len(sys.argv) < 4:
        sys.exit("usage: recorder_overhead.py RECORDER LIBCUPTI PROGRAM [ARGUMENT...]")
    recorder, cupti, program = map(os.path.abspath, sys.argv[1:4])
    command = [program, *sys.argv[4:]]
    bare, recorded = [], []
    launches = size = 0
    for repetition in range(REPETITIONS + 1):
        without = run(command, None, recorder, cupti)
        with tempfile.TemporaryDirectory() as folder:
            with_it = run(command, folder, recorder, cupti)
            launches, size = count(folder)
        if repetition > 0:
            bare.append(without)
            recorded.append(with_it)
    if launches == 0:
        sys.exit("recorder_overhead: nothing was recorded")
    before, after = statistics.median(bare), statistics.median(recorded)
    share = after / before - 1
    print(f"{launches:,} launches, {size / launches:.1f} bytes each")
    print(f"bare {before:.3f} s ({min(bare):.3f} to {max(bare):.3f}), "
          f"recorded {after:.3f} s ({min(recorded):.3f} to {max(recorded):.3f})")
    print(f"overhead {100 * share:.1f} %, {1e6 * (after - before) / launches:.2f} us a launch")
    return 1 if share > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
