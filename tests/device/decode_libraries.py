#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How right the decoder is on libraries that its tables were not derived from.

    decode_libraries.py --decode-pairs build/dev/tests/decode_pairs [--seconds 200]
        [--arch sm_80]... [--out FOLDER] LIBRARY...

Takes the cubins out of the libraries (cuobjdump -xelf; or as they are in a folder), disassembles them in random order with
cuobjdump, as many of each architecture as the seconds allow, and compares each instruction with
what the decoder says. Prints a row for each architecture; FOLDER/ARCH.txt gets the differences with
an example of each. Nothing of the libraries is to be kept but such rows.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import tempfile
import time

ARCHS = "sm_75 sm_80 sm_86 sm_89 sm_90 sm_90a sm_100 sm_103 sm_120".split()
ENOUGH = 5_500_000  # instructions of one architecture
ASPECT = re.compile(r"^(\w+) +\d+ compared, (\d+) agree, (\d+) unknown, (\d+) wrong")
DIFFERENCE = re.compile(r"^ *(\d+) (\w+ (?:unknown|wrong): \S+) \| (.*)")
LARGEST = 6_000_000  # bytes of a cubin


class Tally:
    def __init__(self):
        self.instructions, self.cubins = 0, 0
        self.aspects = collections.defaultdict(collections.Counter)
        self.differences, self.examples = collections.Counter(), {}

    def add(self, text):
        for line in text.splitlines():
            aspect, difference = ASPECT.match(line), DIFFERENCE.match(line)
            if aspect:
                for what, count in zip(("agree", "unknown", "wrong"), aspect.groups()[1:]):
                    self.aspects[aspect[1]][what] += int(count)
            elif difference:
                self.differences[difference[2]] += int(difference[1])
                self.examples.setdefault(difference[2], difference[3])
            elif line.endswith(" instructions"):
                self.instructions += int(line.split()[0])
                self.cubins += 1

    def row(self):
        parts = [f"{self.instructions:>9} in {self.cubins:>5} cubins"]
        for name, counts in self.aspects.items():
            total = sum(counts.values())
            parts.append(f"{name} {100 * counts['agree'] / max(total, 1):.4f}% "
                         f"({counts['unknown']} unknown, {counts['wrong']} wrong)")
        return "; ".join(parts)

    def write(self, path):
        with open(path, "w") as out:
            print(self.row(), file=out)
            for what, count in self.differences.most_common():
                print(f"{count:>8} {what} | {self.examples[what]}", file=out)


def extract(library, folder):
    if os.path.isdir(library):
        return pathlib.Path(library)
    folder.mkdir(parents=True)
    subprocess.run(["cuobjdump", "-xelf", "all", os.path.abspath(library)], cwd=folder,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder


def compare(cubin, arch, decode_pairs):
    text = subprocess.Popen(["cuobjdump", "-sass", cubin], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL)
    done = subprocess.run([decode_pairs, arch], stdin=text.stdout, capture_output=True, text=True,
                          errors="replace")
    text.wait()
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("libraries", nargs="+")
    parser.add_argument("--decode-pairs", required=True)
    parser.add_argument("--seconds", type=float, default=200)
    parser.add_argument("--arch", action="append")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."))
    options = parser.parse_args()
    tallies = {arch: Tally() for arch in options.arch or ARCHS}
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = pathlib.Path(folder)
        folders = list(pool.map(extract, options.libraries,
                                [folder / str(i) for i in range(len(options.libraries))]))
        waiting = {}
        for arch in tallies:
            waiting[arch] = sorted(c for some in folders for c in some.rglob(f"*.{arch}.cubin")
                                   if c.stat().st_size < LARGEST)
            random.Random(7).shuffle(waiting[arch])
            print(f"{arch}: {len(waiting[arch])} cubins", flush=True)
        deadline, jobs = time.time() + options.seconds, {}
        while True:
            while len(jobs) < 2 * os.cpu_count() and time.time() < deadline:
                open_archs = [arch for arch, cubins in waiting.items()
                              if cubins and tallies[arch].instructions < ENOUGH]
                if not open_archs:
                    break
                arch = min(open_archs, key=lambda a: tallies[a].instructions + 50_000 * sum(
                    other == a for other in jobs.values()))
                cubin = waiting[arch].pop()
                jobs[pool.submit(compare, cubin, arch, options.decode_pairs)] = arch
            if not jobs:
                break
            done, _ = concurrent.futures.wait(jobs, timeout=5,
                                              return_when=concurrent.futures.FIRST_COMPLETED)
            for job in done:
                tallies[jobs.pop(job)].add(job.result())
    for arch, tally in tallies.items():
        print(f"{arch}: {tally.row()}; {len(waiting[arch])} cubins not read")
        tally.write(options.out / f"{arch}.txt")


if __name__ == "__main__":
    main()
