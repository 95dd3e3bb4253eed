#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`sass` over every recorded cubin and listing, held against what NVIDIA's tools print of it."""
import collections
import gzip
import json
import sys
import unittest

from support import DONE, PARTIAL, ROOT, SANITIZED, TestCase, run

sys.path.insert(0, str(ROOT / "tests" / "support"))
import nvdisasm_truth as truth  # noqa: E402

FIXTURES = ROOT / "tests" / "fixtures" / "sass"
CUBINS = sorted(path.name[:-len(".cubin.gz")] for path in FIXTURES.glob("*.cubin.gz"))


def text(name):
    return gzip.decompress((FIXTURES / f"{name}.gz").read_bytes()).decode()


@unittest.skipIf(SANITIZED, "what is compared is the same, and the golden cases read such files with a sanitizer")
class Truth(TestCase):
    def differences(self, suffix):
        """{what: {"cubin function": [differences]}} over all recorded functions, and how many."""
        found, functions = collections.defaultdict(dict), set()
        for cubin in CUBINS:
            path = FIXTURES / f"{cubin}.{suffix}.gz"
            done = run("sass", "--format", "json", "--listing", str(path))
            self.assertIn(done.returncode, (DONE, PARTIAL), done.stderr)
            for function, what, differences in truth.compare(
                    json.loads(done.stdout), truth.opcodes(text(f"{cubin}.json")),
                    truth.graphs(text(f"{cubin}.bbcfg.dot")),
                    truth.live_registers(text(f"{cubin}.live.txt"))):
                functions.add((cubin, function))
                if differences:
                    found[what][f"{cubin} {function}"] = differences
        self.assertGreaterEqual(len(functions), 150)
        return found

    def check(self, suffix):
        found = self.differences(suffix)
        for what in ("opcodes", "blocks", "edges", "loops"):
            self.assertEqual(found[what], {}, what)
        return found

    def test_listings(self):
        found = self.check("hex.txt")
        # At a call nvdisasm counts by a calling convention; proofline follows it into the function.
        for function in found["live"]:
            cubin, name = function.split()
            self.assertIn("CALL", [opcode.split(".")[0] for opcode in
                                   truth.opcodes(text(f"{cubin}.json"))[name][1]], function)

    def test_encodings(self):
        # Not live registers: the decoder's tables do not place every operand of every opcode.
        self.check("cubin")

    def test_operands_are_written_as_nvdisasm_writes_them(self):
        def texts(path):
            done = run("sass", "--format", "json", "--listing", str(path))
            self.assertIn(done.returncode, (DONE, PARTIAL), done.stderr)
            return {(function["name"], row["address"]): row["text"]
                    for function in json.loads(done.stdout)["functions"]
                    for row in function["listing"]}
        total, different = 0, []
        for cubin in CUBINS:
            decoded = texts(FIXTURES / f"{cubin}.cubin.gz")
            for place, printed in texts(FIXTURES / f"{cubin}.hex.txt.gz").items():
                if "`" in printed:  # a label, where a cubin has an address
                    continue
                printed = printed.split("(*")[0].rstrip()  # without remarks
                total += 1
                if decoded[place] != printed:
                    different.append((cubin, place, decoded[place], printed))
        self.assertGreater(total, 10_000)
        self.assertLess(len(different), total / 1000, different)

    def test_encodings_say_what_text_says(self):
        def answers(path):
            done = run("sass", "--format", "json", str(path))
            self.assertIn(done.returncode, (DONE, PARTIAL), done.stderr)
            for function in json.loads(done.stdout)["functions"]:
                # The tables do not place how many threads a named barrier is for.
                del function["roles"]["barriers"]
                rounds = [(loop["address"], loop["rounds"], loop["rounds_by"])
                          for loop in function["loops"]]
                yield function["name"], [function[key] for key in (
                    "staging", "local_memory", "roles", "mbarriers", "widths")] + [rounds]
        for cubin in CUBINS:
            self.assertEqual(dict(answers(FIXTURES / f"{cubin}.cubin.gz")),
                             dict(answers(FIXTURES / f"{cubin}.hex.txt.gz")), cubin)


if __name__ == "__main__":
    unittest.main()
