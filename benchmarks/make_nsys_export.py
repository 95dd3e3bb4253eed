#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a large SQLite export of Nsight Systems from a small one: its events again and again, each
time later and with other correlation ids.

  make_nsys_export.py SMALL.sqlite LARGE.sqlite [--megabytes 355]
"""

import argparse
import os
import shutil
import sqlite3

# What is repeated: tables whose rows have a start and an end.
TABLES = [
    "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET",
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_OVERHEAD",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "NVTX_EVENTS", "OSRT_API",
]


def columns(database, table):
    return [row[1] for row in database.execute(f"PRAGMA table_info({table})")]


def repeat(database, tables, times):
    """Rows of a repetition follow those of the one before, as a long recording would have them."""
    first = min(database.execute(f"SELECT min(start) FROM {t}").fetchone()[0] for t in tables)
    last = max(database.execute(f"SELECT max(end) FROM {t}").fetchone()[0] for t in tables)
    correlations = 1 + max(
        database.execute(f"SELECT max(correlationId) FROM {t}").fetchone()[0] or 0
        for t in tables if "correlationId" in columns(database, t))
    for table in tables:
        database.execute(f"CREATE TEMP TABLE first_{table} AS SELECT * FROM main.{table}")
    for i in range(1, times):
        shift = i * (last - first + 1000)
        for table in tables:
            chosen = []
            for column in columns(database, table):
                added = {"start": shift, "end": shift,
                         "correlationId": i * correlations}.get(column)
                chosen.append(f'"{column}" + {added}' if added else f'"{column}"')
            database.execute(f"INSERT INTO main.{table} SELECT {', '.join(chosen)} FROM first_{table}")


def make_export(small, large, megabytes):
    shutil.copyfile(small, large)
    os.chmod(large, 0o644)
    database = sqlite3.connect(large)
    database.execute("PRAGMA journal_mode = OFF")
    database.execute("PRAGMA synchronous = OFF")
    # nsys writes none; those of other tools would only fill the file.
    for (index,) in database.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL").fetchall():
        database.execute(f'DROP INDEX "{index}"')
    present = [row[0] for row in database.execute("SELECT name FROM sqlite_schema")]
    tables = [t for t in TABLES if t in present
              and database.execute(f"SELECT count(*) FROM {t}").fetchone()[0] > 0]
    database.execute("VACUUM")  # so that its size tells how often it has to be repeated
    before = os.path.getsize(large)
    repeat(database, tables, max(2, megabytes * 1000000 // before))
    database.commit()
    database.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("small")
    parser.add_argument("large")
    parser.add_argument("--megabytes", type=int, default=355)
    arguments = parser.parse_args()
    make_export(arguments.small, arguments.large, arguments.megabytes)
    print(f"{arguments.large}: {os.path.getsize(arguments.large) / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
