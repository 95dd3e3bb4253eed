#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `sass --format json` prints is what docs/sass.schema.json says, for listings, binaries and
reports; and `sass` survives what is no code, or only half of it."""
import gzip
import json
import pathlib
import tempfile
import unittest

from diagnose_schema_test import closed, jsonschema
from support import DONE, INPUT, PARTIAL, ROOT, USAGE, TestCase, run

SCHEMA = json.loads((ROOT / "docs" / "sass.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(closed(SCHEMA))
SASS = ROOT / "tests" / "fixtures" / "sass"
REPORTS = ROOT / "tests" / "fixtures" / "ncu_rep"


class Sass(TestCase):
    def test_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def read(self, path, *arguments, codes=(DONE,)):
        done = run("sass", "--format", "json", str(path), *arguments)
        self.assertIn(done.returncode, codes, done.stderr)
        result = json.loads(done.stdout, parse_constant=self.fail)
        errors = [f"{error.json_path}: {error.message[:300]}"
                  for error in VALIDATOR.iter_errors(result)]
        self.assertEqual(errors, [])
        return result

    def test_listings_and_binaries(self):
        for name in ("roles.sm_90a.cubin", "roles.sm_90a.hex.txt", "tcgen05.sm_100a.cubin",
                     "loops.sm_90a.cfg.dot", "copies.sm_120.cuobjdump.txt", "loops.size.so",
                     "spills.sm_80.registers.txt", "loops.sm_90a.all.txt"):
            self.read(SASS / f"{name}.gz", "--listing", "--expect", "FFMA|MOV|S2R",
                      codes=(DONE, 1, 10))

    def test_report(self):
        result = self.read(REPORTS / "h200-detailed.ncu-rep.gz", "--listing")
        hot = result["functions"][0]["hot"]
        self.assertEqual(hot["instructions"][0]["reason"], "long_scoreboard")
        first = hot["instructions"][0]
        awaited = first["waits_on"][0]
        self.assertEqual(awaited["via"], "result")
        self.assertRegex(awaited["opcode"], "^LDG")
        self.assertRegex(awaited["carrier"], "^R[0-9]+$")
        self.assertIn(f"{awaited['opcode']} at {awaited['address']}", first["waits"])

    def test_all_ways_to_print_a_cubin_are_read_alike(self):
        def counts(name):
            # With -plr nvdisasm leaves the padding out, so only what is reachable is compared.
            return {f["name"]: f["opcodes"]
                    for f in self.read(SASS / f"{name}.gz")["functions"]}
        truth = counts("loops.sm_90a.hex.txt")
        for suffix in ("plain.txt", "lines.txt", "registers.txt", "cuobjdump.txt", "all.txt",
                       "live.txt", "cubin"):
            self.assertEqual(counts(f"loops.sm_90a.{suffix}"), truth, suffix)

    def test_cut_listing_is_partial(self):
        whole = gzip.decompress((SASS / "loops.sm_90a.hex.txt.gz").read_bytes())
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cut.txt"
            path.write_bytes(whole[:len(whole) // 2])
            result = self.read(path, codes=(PARTIAL,))
            self.assertFalse(result["functions"][-1]["complete"])
            done = run("sass", str(path), "--forbid", "HGMMA")
            self.assertEqual(done.returncode, 10, "what was cut off could have it")

    def test_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "flow.svg"
            done = run("sass", str(SASS / "roles.sm_90a.cubin.gz"), "--function", "roles_mbarrier",
                       "--cfg", str(path))
            self.assertEqual(done.returncode, DONE, done.stderr)
            picture = path.read_text()
            for word in ("<svg", "warp == 8 (load)", "loop at 0x05c0", "HGMMA"):
                self.assertIn(word, picture)
            self.assertEqual([path], list(pathlib.Path(folder).iterdir()), "nothing is left behind")

    def test_pictures_are_what_their_name_says(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, start in (("flow.png", b"\x89PNG"), ("flow.dot", b"digraph")):
                path = pathlib.Path(folder) / name
                done = run("sass", str(SASS / "sum_blocks.source.csv.gz"), "--cfg", str(path))
                self.assertEqual(done.returncode, DONE, done.stderr)
                self.assertTrue(path.read_bytes().startswith(start), name)
            done = run("sass", str(SASS / "sum_blocks.source.csv.gz"), "--cfg", f"{folder}/flow.jpg")
            self.assertEqual(done.returncode, USAGE)
            self.assertIn(b".svg, .png or .pdf", done.stderr)

    def test_a_report_on_standard_input_keeps_its_samples(self):
        path = REPORTS / "h200-detailed.ncu-rep.gz"
        piped = run("sass", "--format", "json", "-", input=path.read_bytes())
        self.assertEqual(piped.returncode, DONE, piped.stderr)
        self.assertEqual(json.loads(piped.stdout)["functions"], self.read(path)["functions"])

    def test_code_of_an_architecture_without_tables_is_unknown(self):
        result = self.read(ROOT / "tests" / "fixtures" / "cubin" / "undecoded.3.sm_70.cubin.gz",
                           "--disassembler", "native", codes=(PARTIAL,))
        function = result["functions"][0]
        self.assertFalse(function["wholly_read"])
        self.assertIsNone(function["live_registers"])

    def test_what_is_no_code(self):
        for path, why in ((ROOT / "README.md", b"no known format"),
                          (REPORTS / "h200-detailed.raw-base.csv.gz", b"is Nsight Compute's CSV")):
            done = run("sass", str(path))
            self.assertEqual(done.returncode, INPUT)
            self.assertIn(why, done.stderr)


if __name__ == "__main__":
    unittest.main()
