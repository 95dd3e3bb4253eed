#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Listing text to control flow and loops, against `wc -l` over the same file.

    sass_listing_ratios.py SASS_LISTING LISTING WORKDIR

Makes listings of about 10 and 100 MB by repeating LISTING (what cuobjdump or nvdisasm printed) with
its functions renamed each time, and runs SASS_LISTING and wc on them in turn, all on one core, so
that a machine that slows down slows both. Times are user and system time of the process: on a busy
machine wall time measures the neighbours. Peak memory is the kernel's count for that child; it
includes this script's own pages before exec, about 13 MB, which is the resolution here.
"""

import os
import re
import statistics
import sys

REPETITIONS = 9
SMALL, LARGE = 10_000_000, 100_000_000
NAME = re.compile(rb"(?:Function : |\.section\t\.text\.|cluster_)([^\s,\"]+)")


def repeat(listing, size, path):
    """Writes the listing until the file has that size; returns how often."""
    with open(listing, "rb") as source:
        text = source.read()
    names = sorted(set(NAME.findall(text)), key=len, reverse=True)
    if not names:
        sys.exit(f"sass_listing: no functions in {listing}")
    pattern = re.compile(b"|".join(map(re.escape, names)))
    copies = 0
    with open(path, "wb") as target:
        while target.tell() < size:
            suffix = b"_%d" % copies
            target.write(pattern.sub(lambda found: found[0] + suffix, text))
            copies += 1
    return copies


def run(command):
    """Processor seconds, peak kilobytes and output of one run."""
    read, write = os.pipe()
    child = os.posix_spawnp(command[0], command, os.environ,
                            file_actions=[(os.POSIX_SPAWN_DUP2, write, 1)])
    os.close(write)
    with os.fdopen(read) as pipe:
        output = pipe.read().strip()
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"sass_listing: exit status {os.waitstatus_to_exitcode(status)} of "
                 f"{' '.join(command)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss, output


def measure(commands):
    """Median seconds, peak kilobytes and last output by name; the first round warms the cache."""
    seconds = {name: [] for name in commands}
    result = {}
    for repetition in range(REPETITIONS + 1):
        for name, command in commands.items():
            used, peak, output = run(command)
            if repetition > 0:
                seconds[name].append(used)
            result[name] = (statistics.median(seconds[name] or [used]),
                            max(peak, result.get(name, (0, 0, ""))[1]), output)
    return result


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: sass_listing_ratios.py SASS_LISTING LISTING WORKDIR")
    program, listing, work = map(os.path.abspath, sys.argv[1:])
    os.makedirs(work, exist_ok=True)
    small, large = os.path.join(work, "small.txt"), os.path.join(work, "large.txt")
    repeat(listing, SMALL, small)
    copies = repeat(listing, LARGE, large)

    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    results = measure({"wc-small": ["wc", "-l", small], "small": [program, small],
                       "wc": ["wc", "-l", large], "large": [program, large]})

    print(f"{listing}, {copies} times: {os.path.getsize(large) / 1e6:.1f} MB, "
          f"medians of {REPETITIONS} interleaved runs\n")
    for name, (seconds, peak, output) in results.items():
        print(f"{name:10}{seconds * 1e3:9.1f} ms{peak / 1024:9.1f} MB   {output}")
    print()
    ratio = results["large"][0] / results["wc"][0]
    growth = results["large"][0] / results["small"][0]
    memory = results["large"][1] / results["small"][1]
    verdicts = [
        ("our time over that of wc -l", ratio, "at most 25", ratio <= 25),
        ("our time on ten times the bytes", growth, "at most 12", growth <= 12),
        ("our peak memory on ten times the bytes", memory, "at most 1.5", memory <= 1.5),
    ]
    for what, value, target, met in verdicts:
        print(f"{'PASS' if met else 'FAIL'}  {what}: {value:.2f} (target: {target})")
    sys.exit(0 if all(met for *_, met in verdicts) else 1)


if __name__ == "__main__":
    main()
