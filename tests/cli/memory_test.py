#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Inputs made to take memory, each with the most that the program may take for it: 256 MB for any
input of 1 MiB, and 64 MB and four times its decompressed size in general. In `./check` the inputs
are smaller, but still such that they went far beyond it once."""
import gzip
import os
import subprocess
import unittest

from support import BINARY, DONE, PARTIAL, ROOT, SANITIZED, TestCase, kernel, message, report, sized, source

THOROUGH = "PROOFLINE_THOROUGH" in os.environ
MB = 1_000_000

# What a capture of a few kernels takes, with the program itself.
LEAST = 64 * MB


def csv_of_kernels(size, metric):
    """ncu's CSV of one metric a row; each row another kernel."""
    rows = ['"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream",'
            '"Section Name","Metric Name","Metric Unit","Metric Value"']
    length = len(rows[0])
    while length < size:
        i = len(rows) - 1
        rows.append(f'"{i}","","","","k{i}","","","","{metric(i)}","","{i + 1}"')
        length += len(rows[-1]) + 1
    return "\n".join(rows).encode() + b"\n"


@unittest.skipIf(SANITIZED, "a sanitizer takes memory of its own")
class Memory(TestCase):
    SIZE = 1 << 20 if THOROUGH else 1 << 17
    LIMIT = 256 * MB

    def take(self, limit, *arguments):
        """Runs it, output to nowhere, and holds its memory to the limit."""
        with open(os.devnull, "wb") as nowhere:
            process = subprocess.Popen([BINARY, *map(str, arguments)], stdin=subprocess.DEVNULL,
                                       stdout=nowhere, stderr=subprocess.PIPE)
            errors = process.stderr.read()
            process.stderr.close()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertIn(process.returncode, (DONE, PARTIAL), errors[-500:])
        self.assertLess(usage.ru_maxrss * 1024, limit, arguments)
        return process.returncode, errors

    def test_many_kernels_of_one_metric(self):
        """Each lacks nearly everything, which is said once."""
        path = self.write("kernels.csv", csv_of_kernels(self.SIZE, lambda i: "gpu__time_duration.sum"))
        for view in "terminal", "json":
            code, errors = self.take(self.LIMIT, "diagnose", path, "--format", view)
            self.assertEqual(code, PARTIAL, errors)
        self.assertEqual(self.take(self.LIMIT, "compare", path, path)[0], PARTIAL)
        self.take(LEAST + 4 * self.SIZE, "show", path)

    def test_each_row_another_metric(self):
        """As a page of ncu's it has a column for each."""
        path = self.write("names.csv", csv_of_kernels(self.SIZE // 4, lambda i: f"m__{i}.sum"))
        self.take(LEAST + 4 * self.SIZE, "show", path, "--format", "csv")
        for view in "terminal", "json":
            self.take(LEAST + 40 * MB, "show", path, "--all", "--format", view)

    def test_each_kernel_of_a_report_has_another_metric(self):
        count = 4000 if THOROUGH else 1000
        strings = message(*((1, f"m__{i}.sum") for i in range(count)))
        kernels = [kernel(f"k{i}", (13, message((1, i), (2, message((3, 1.0))))))
                   for i in range(count)]
        path = self.write("names.ncu-rep", report(kernels, strings=strings))
        self.take(LEAST + 4 * self.SIZE, "show", path, "--format", "csv")

    def test_a_long_name_that_all_launches_share(self):
        process = message((1, 7), (2, "host"), (3, "x" * 500_000))
        path = self.write("process.ncu-rep", report([kernel("k")] * (20_000 if THOROUGH else 2_000), process=process))
        for view in "terminal", "csv", "json":
            code, _ = self.take(LEAST + 20 * MB, "show", path, "--format", view)
            self.assertEqual(code, DONE)

    def test_code_of_a_report_is_read_one_cubin_at_a_time(self):
        """Libraries bring many more functions than were profiled."""
        with gzip.open(ROOT / "tests/fixtures/cubin/kernels.sm_90a.cubin.gz") as packed:
            cubin = packed.read()
        each, count = 4 * MB, 64 if THOROUGH else 24
        launch = sized(kernel("divides", (5, "divides")))

        def module(i):
            return sized(source(i, cubin=cubin + i.to_bytes(2, "little") * (each // 2)))

        # Piece by piece: what this process takes counts as the program's while it starts.
        path = os.path.join(self.folder, "code.ncu-rep")
        with open(path, "wb") as file:
            size = sum(len(module(i)) for i in range(count)) + len(launch)
            header = message((1, count), (2, 1), (5, size))
            file.write(b"NVR\0" + sized(message((1, 7))) + sized(header))
            for i in range(count):
                file.write(module(i))
            file.write(launch)
        limit = LEAST + 3 * each
        self.assertLess(limit, os.path.getsize(path))
        self.take(limit, "sass", path)
        for view in "terminal", "csv":
            self.take(limit, "compare", path, path, "--format", view)


if __name__ == "__main__":
    unittest.main()
