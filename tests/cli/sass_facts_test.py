#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What follows from the sources in kernels/sass must be what `sass` says of their machine code, for
each architecture, from the encodings alone."""
import json
import unittest

from support import DONE, PARTIAL, ROOT, TestCase, run

FIXTURES = ROOT / "tests" / "fixtures" / "sass"
UNKNOWN = 10  # exit code
ARCHS = ("sm_80", "sm_90a", "sm_100a", "sm_120")


def functions(name, archs=ARCHS):
    """(arch, {function: its JSON}) for each architecture that the source is compiled for."""
    for arch in archs:
        path = FIXTURES / f"{name}.{arch}.cubin.gz"
        if not path.exists():
            continue
        done = run("sass", "--format", "json", str(path))
        assert done.returncode in (DONE, PARTIAL), done.stderr
        yield arch, {f["name"]: f for f in json.loads(done.stdout)["functions"]}


def count(part, *mnemonics):
    return sum(number for opcode, number in part["opcodes"].items()
               if opcode.split(".")[0] in mnemonics)


def widths(part, kind):
    return {row["bytes"]: row["count"] for row in part["widths"] if row["class"] == kind}


def local(function, use):
    return function["local_memory"][use]["loads"] + function["local_memory"][use]["stores"]


class Facts(TestCase):
    def test_tensor_paths(self):
        (_, found), = functions("wgmma_tma")
        kernel = found["wgmma_tma"]
        tiles = [loop for loop in kernel["loops"] if count(loop, "HGMMA")]
        self.assertEqual([(count(t, "HGMMA"), count(t, "UTMALDG")) for t in tiles], [(4, 2)])
        self.assertEqual(count(tiles[0], "LDS", "STS", "LDG"), 0)
        self.assertEqual(widths(kernel, "global-store"), {8: 8})
        (_, found), = functions("tcgen05")
        for name, stored, staged in (("tcgen05_direct", {32: 1}, 0), ("tcgen05_staged", {}, 2)):
            epilogue, = [loop for loop in found[name]["loops"] if count(loop, "LDTM")]
            self.assertEqual(epilogue["rounds"], 8)
            self.assertEqual((count(epilogue, "FADD"), count(epilogue, "F2FP")), (16, 8))
            self.assertEqual(widths(epilogue, "global-store"), stored)
            self.assertEqual(widths(epilogue, "shared-store").get(16, 0), staged)
            self.assertEqual(count(epilogue, "UTMASTG") + count(epilogue, "FENCE"), staged)

    def test_roles(self):
        for arch, found in functions("roles"):
            for name, kernel in found.items():
                kinds = sorted(role["kind"] for role in kernel["roles"]["roles"])
                self.assertEqual(kinds, ["epilogue", "load", "mma"], (arch, name))
                verdict = "joined" if name == "roles_joined" else "separate"
                self.assertEqual(kernel["roles"]["verdict"], verdict, (arch, name))
        for source in ("loops", "copies", "spills", "shared_stores"):
            for arch, found in functions(source):
                for name, kernel in found.items():
                    self.assertEqual(kernel["roles"]["verdict"], "none", (arch, name))

    def test_mbarriers_are_paired(self):
        for arch, found in functions("roles", ("sm_90a", "sm_100a", "sm_120")):
            barriers = found["roles_mbarrier"]["mbarriers"]
            self.assertEqual(len(barriers), 4, arch)
            self.assertTrue(all(barrier["paired"] for barrier in barriers), arch)

    def test_local_memory(self):
        for arch, found in [*functions("spills"), *functions("dynamic_index"),
                            *functions("spills_and_index")]:
            for name, kernel in found.items():
                spills = name in ("spills", "spills_and_index")
                array = name in ("dynamic_index", "spills_and_index")
                self.assertEqual(local(kernel, "spill") > 0, spills, (arch, name))
                self.assertEqual(local(kernel, "array") > 0, array, (arch, name))

    def test_playbooks_read_them_from_a_cubin(self):
        playbook = self.write("p.toml", b'''
[playbook]
id = "p"
title = "What a cubin says"
[[kernel]]
id = "k"
name = 'roles_mbarrier'
[[check]]
id = "spills"
expr = 'sass.spill.bytes == 0 B'
[[check]]
id = "roles"
expr = 'sass.roles == 3 and sass.roles.verdict == "separate"'
[[check]]
id = "waits"
expr = 'sass.role[mma].waiting.share < 10%'
''')
        done = run("check", playbook, str(FIXTURES / "roles.sm_90a.cubin.gz"), "--format", "json")
        self.assertEqual(done.returncode, UNKNOWN, done.stderr)
        self.assertEqual({check["id"]: check["verdict"] for check in json.loads(done.stdout)["checks"]},
                         {"spills": "PASS", "roles": "PASS", "waits": "UNKNOWN"})

    def test_shared_stores(self):
        for arch, found in functions("shared_stores"):
            for name, width in (("store_bytes", 1), ("store_halves", 2), ("store_words", 4),
                                ("store_pairs", 8), ("store_quads", 16)):
                self.assertEqual(widths(found[name], "shared-store"), {width: 1}, (arch, name))
            for name, passes, wide in (("decode_once", 1, {16: 2}), ("decode_twice", 2, {2: 16,
                                                                                       4: 16})):
                staging, = [s for s in found[name]["staging"] if s["loop"] is not None]
                self.assertEqual(staging["store_passes"], passes, (arch, name))
                loop = found[name]["loops"][staging["loop"]]
                self.assertEqual(widths(loop, "shared-store"), wide, (arch, name))
                self.assertEqual(staging["conversions"] > 0, passes == 2, (arch, name))

    def test_loops(self):
        for arch, found in functions("loops"):
            def depths(name):
                return sorted(loop["depth"] for loop in found[name]["loops"])
            self.assertEqual(depths("straight_line"), [], arch)
            self.assertEqual(depths("many_cases"), [], arch)
            self.assertEqual(depths("early_break"), [1], arch)
            self.assertEqual(depths("two_loops"), [1, 1], arch)
            self.assertEqual(depths("calls"), [1], arch)
            self.assertEqual(depths("diverging"), [1, 2], arch)
            self.assertEqual(max(depths("nested_loops")), 3, arch)
            self.assertEqual([loop["rounds"] for loop in found["counted_loop"]["loops"]], [100])

    def test_copies(self):
        for arch, found in functions("copies"):
            for width in (1, 2, 4, 8, 16, 32):
                kernel = found.get(f"copy_{width}")
                if kernel is None:
                    self.assertTrue(width == 32 and arch in ("sm_80", "sm_90a"))
                    continue
                self.assertEqual(widths(kernel, "global-load"), {width: 1}, (arch, width))
                self.assertEqual(widths(kernel, "global-store"), {width: 1}, (arch, width))


if __name__ == "__main__":
    unittest.main()
