#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long an SQLite export of Nsight Systems takes, as a multiple of counting the same tables' rows
by SQLite, in one run and from the page cache.

  timeline_nsys_ratios.py PROOFLINE EXPORT.sqlite [--rounds 5]

make_nsys_export.py makes a large export. The limit is 3 times; peak memory at most 64 MB and 75
bytes an event.
"""

import argparse
import os
import sqlite3
import statistics
import subprocess
import sys
import time

from make_nsys_export import TABLES

# Read besides those with events.
ALSO = ["StringIds", "PROFILER_OVERHEAD", "ThreadNames"]
UNREAD = ["CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"]
MOST_TIMES = 3
FREE_BYTES = 64 << 20
EVENT_BYTES = 75


def count(path):
    """Seconds to count the rows of each table that is read, and how many there are."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    present = [row[0] for row in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    tables = [t for t in TABLES + ALSO if t in present and t not in UNREAD]
    start = time.perf_counter()
    rows = sum(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables)
    return time.perf_counter() - start, rows


def analyse(proofline, path):
    """Seconds and peak bytes of the whole command."""
    start = time.perf_counter()
    process = subprocess.Popen([proofline, "timeline", path, "--format", "json"],
                               stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 4):
        sys.exit(f"proofline timeline ended with {process.returncode}")
    return time.perf_counter() - start, used.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("proofline")
    parser.add_argument("export")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    count(arguments.export)  # into the page cache
    counted, analysed, peaks = [], [], []
    for _ in range(arguments.rounds):
        seconds, rows = count(arguments.export)
        counted.append(seconds)
        seconds, peak = analyse(arguments.proofline, arguments.export)
        analysed.append(seconds)
        peaks.append(peak)
    ratio = statistics.median(analysed) / statistics.median(counted)
    most_bytes = FREE_BYTES + EVENT_BYTES * rows
    print(f"{rows} rows: count(*) {statistics.median(counted):.3f} s, "
          f"timeline {statistics.median(analysed):.3f} s, {ratio:.2f} times (at most {MOST_TIMES}); "
          f"{max(peaks) / 1e6:.0f} MB (at most {most_bytes / 1e6:.0f})")
    return 0 if ratio <= MOST_TIMES and max(peaks) <= most_bytes else 1


if __name__ == "__main__":
    sys.exit(main())
