#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One numbering of kernels for tables, --kernel and --launch; --sort and --top; the table at the end
of several files."""
import json
import re
import unittest

from support import INPUT, ROOT, TestCase, run

EXAMPLE = ROOT / "examples" / "h200-kernels.ncu-rep.gz"
OTHER = ROOT / "tests" / "fixtures" / "ncu_rep" / "h200-basic.ncu-rep.gz"


def rows(text):
    """The numbers and names of the first table."""
    return re.findall(r"^ *(\d+)  (\S+)", text, re.MULTILINE)


class Order(TestCase):
    def test_a_number_means_the_same_kernel_everywhere(self):
        diagnosed = rows(run("diagnose", EXAMPLE, "--top", "3").stdout.decode())[:3]
        shown = dict(rows(run("show", EXAMPLE).stdout.decode()))
        for number, name in diagnosed:
            self.assertEqual(shown[number], name)
            for flag in ("--kernel", "--launch"):
                one = run("diagnose", EXAMPLE, flag, number).stdout.decode()
                self.assertIn(f"kernel {number}  {name}\n", one)

    def test_a_number_takes_all_launches_of_its_kernel(self):
        def launches(*flags):
            done = run("show", EXAMPLE, *flags, "--format", "json")
            return [launch["id"] for launch in json.loads(done.stdout)["launches"]]
        self.assertEqual(launches("--kernel", "8"), [7, 8])
        self.assertEqual(launches("--launch", "8"), [8])
        self.assertEqual(launches("--kernel", "8", "--launch", "8"), [8])

    def test_a_number_that_is_not_there_is_said(self):
        done = run("diagnose", EXAMPLE, "--kernel", "99")
        self.expect_error(done, INPUT)
        self.assertIn(b"no kernel 99; launches are numbered 0 to 17", done.stderr)

    def test_top_and_sort(self):
        def names(*flags):
            done = run("diagnose", EXAMPLE, "--format", "json", *flags)
            return [kernel["function"] for kernel in json.loads(done.stdout)["kernels"]]
        self.assertEqual(names("--top", "3"),
                         ["mix_with_spills", "transpose_naive", "index_private_array"])
        self.assertEqual(names("--top", "3", "--sort", "could-save"),
                         ["mix_with_spills", "index_private_array", "transpose_naive"])
        by_name = names("--sort", "name")
        self.assertEqual(len(by_name), 17)
        self.assertEqual(by_name[0], "gemm_wmma")
        self.assertEqual(names("--sort", "count", "--top", "1"), ["histogram_global"])
        first = rows(run("show", EXAMPLE, "--sort", "duration", "--top", "2").stdout.decode())
        self.assertEqual([name for _, name in first], ["mix_with_spills", "transpose_naive"])

    def test_several_files_end_with_where_to_start(self):
        text = run("diagnose", EXAMPLE, OTHER).stdout.decode()
        table = text[text.index("Where to start, over all 2 files"):]
        self.assertLess(table.index("mix_with_spills"), table.index("index_private_array"))
        self.assertLess(table.index("index_private_array"), table.index("transpose_naive"))
        self.assertNotIn("Where to start", run("diagnose", EXAMPLE).stdout.decode())


if __name__ == "__main__":
    unittest.main()
