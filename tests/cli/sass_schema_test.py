#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `sass --format json` prints is what `proofline schema sass` says, for listings, binaries and
reports; and `sass` survives what is no code, or only half of it."""
import gzip
import json
import pathlib
import re
import tempfile
import unittest

from schemas import errors, validator
from support import DONE, INPUT, PARTIAL, ROOT, USAGE, TestCase, run

VALIDATOR = validator("sass")
SASS = ROOT / "tests" / "fixtures" / "sass"
REPORTS = ROOT / "tests" / "fixtures" / "ncu_rep"


class Sass(TestCase):
    def read(self, path, *arguments, codes=(DONE,)):
        done = run("sass", "--format", "json", str(path), *arguments)
        self.assertIn(done.returncode, codes, done.stderr)
        result = json.loads(done.stdout, parse_constant=self.fail)
        self.assertEqual(errors(VALIDATOR, result), [])
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

    def test_source(self):
        """Lines have their text and every reachable instruction once."""
        result = self.read(SASS / "loops.sm_90a.cubin.gz", "--source-folder",
                           ROOT / "kernels" / "sass", "--function", "counted")
        function = result["functions"][0]
        source = function["source"]
        self.assertEqual(source["files"][0]["found"], str(ROOT / "kernels" / "sass" / "loops.cu"))
        self.assertEqual(sum(len(line["instructions"]) for line in source["lines"])
                         + source["unattributed_instructions"], function["instructions"])
        texts = [line["text"] for line in source["lines"] if line["hot"]]
        self.assertTrue(any("for (unsigned i = 0; i < 100" in text for text in texts), texts)

    def test_source_of_a_report_has_the_samples(self):
        result = self.read(REPORTS / "h200-detailed.ncu-rep.gz", "--source")
        function = result["functions"][0]
        lines = function["source"]["lines"]
        self.assertIsNone(lines[0]["text"])
        self.assertEqual(len([note for note in result["notes"]
                              if "source is not at hand" in note["what"]]), 1)
        hottest = max(lines, key=lambda line: line["samples"])
        self.assertEqual(hottest["line"], 29)
        self.assertEqual(max(hottest["reasons"], key=hottest["reasons"].get), "long_scoreboard")
        self.assertLessEqual(hottest["active_lanes"], 32 * hottest["executed"])

    def test_source_that_is_another_version_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "loops.cu").write_text("one line\n", encoding="utf-8")
            result = self.read(SASS / "loops.sm_90a.cubin.gz", "--source-folder", folder)
        self.assertIn("another version", " ".join(note["what"] for note in result["notes"]))

    def test_only_sources_are_shown(self):
        """A line table can name any file of the machine; what is no source is not read."""
        listing = ('\t.target\tsm_90\n\t.section\t.text.f,"ax",@progbits\nf:\n.text.f:\n'
                   '\t//## File "{}", line 1\n'
                   '        /*0000*/                   MOV R1, R2 ;\n'
                   '        /*0010*/                   EXIT ;\n')
        for name, shown in (("key.cu", True), ("id_rsa", False), ("-", False)):
            secret = self.write(name, b"first line\n") if name != "-" else "-"
            result = self.read(self.write("f.txt", listing.format(secret).encode()), "--source",
                               codes=(DONE, PARTIAL))
            text = result["functions"][0]["source"]["lines"][0]["text"]
            self.assertEqual(text, "first line" if shown else None, name)

    def test_triton_cache(self):
        """One kernel of a cache, and the whole cache."""
        cubin = gzip.decompress((SASS / "loops.sm_90a.cubin.gz").read_bytes())
        with tempfile.TemporaryDirectory() as folder:
            for entry, warps in (("AB12", 4), ("CD34", 8)):
                path = pathlib.Path(folder) / entry
                path.mkdir()
                (path / "loops.cubin").write_bytes(cubin)
                (path / "loops.ttgir").write_text("module {}", encoding="utf-8")
                (path / "loops.json").write_text(json.dumps(
                    {"num_warps": warps, "num_stages": 3, "shared": 1024, "name": "loops",
                     "target": {"backend": "cuda", "arch": 90, "warp_size": 32}}), encoding="utf-8")
            whole = self.read(folder)
            one = self.read(pathlib.Path(folder) / "AB12")
            same = run("compare", pathlib.Path(folder) / "AB12", pathlib.Path(folder) / "CD34")
            (pathlib.Path(folder) / "CD34" / "loops.cubin").write_bytes(b"no cubin")
            self.read(folder, codes=(PARTIAL,))
        self.assertEqual(same.returncode, DONE, same.stderr)
        self.assertEqual(one["sources"][0]["format"], "triton-cache")
        self.assertEqual(len(whole["functions"]), 2 * len(one["functions"]))
        kernel = next(f for f in one["functions"] if f["entry"])
        self.assertEqual(kernel["triton"], {
            "entry": "AB12", "warps": 4, "threads": 128, "stages": 3, "blocks_per_cluster": None,
            "shared_bytes": 1024, "target": "cuda 90", "files": ["loops.ttgir"]})
        self.assertEqual(kernel["resources"]["required_threads"], 128)

    def test_what_is_no_machine_code_yet(self):
        for name, text, next_step in (
                ("a.ptx", "//\n.version 8.7\n.target sm_90a\n.address_size 64\n", "ptxas"),
                ("a.ttir", "module {\n  tt.func public @add() {\n", "give the cubin"),
                ("a.llir", "target triple = \"nvptx64-nvidia-cuda\"\n", "give the cubin")):
            path = self.write(name, text.encode())
            done = run("sass", path)
            self.expect_error(done, INPUT)
            self.assertIn(next_step.encode(), done.stderr)

    def test_all_ways_to_print_a_cubin_are_read_alike(self):
        def counts(name):
            # With -plr nvdisasm leaves the padding out, so only what is reachable is compared.
            return {f["name"]: f["opcodes"]
                    for f in self.read(SASS / f"{name}.gz")["functions"]}
        truth = counts("loops.sm_90a.hex.txt")
        for suffix in ("plain.txt", "lines.txt", "registers.txt", "cuobjdump.txt", "all.txt",
                       "live.txt", "cubin"):
            self.assertEqual(counts(f"loops.sm_90a.{suffix}"), truth, suffix)

    def test_nothing_is_called_absent_in_code_that_was_not_decoded(self):
        result = self.read(ROOT / "tests" / "fixtures" / "cubin" / "undecoded.3.sm_70.cubin.gz",
                           "--disassembler", "native", "--listing", codes=(PARTIAL,))
        function = result["functions"][0]
        self.assertFalse(function["wholly_read"])
        self.assertEqual(function["roles"]["verdict"], "unknown")
        self.assertEqual(function["hot_loop_by"], "unknown")
        self.assertEqual({number for use in function["local_memory"].values() for number in use.values()}, {None})
        self.assertEqual({row["live"] for row in function["listing"]}, {None})
        known = self.read(SASS / "loops.sm_90a.cubin.gz", "--function", "counted", "--listing")["functions"][0]
        self.assertEqual(known["roles"]["verdict"], "none")
        self.assertEqual(known["local_memory"]["spill"]["loads"], 0)
        self.assertNotIn(None, {row["live"] for row in known["listing"]})

    def test_what_was_not_read_is_not_called_the_same(self):
        text = gzip.decompress((SASS / "loops.sm_90a.plain.txt.gz").read_bytes())
        coloured = self.write("f.txt", re.sub(rb"/\*([0-9a-f]{4})\*/ +", b"\x1b[36m/*\\1*/\x1b[0m ", text))
        done = run("compare", coloured, coloured)
        self.assertEqual(done.returncode, PARTIAL, done.stderr)
        self.assertIn(b"9 functions on both sides, 0 of them the same code, 9 not known", done.stdout)

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
