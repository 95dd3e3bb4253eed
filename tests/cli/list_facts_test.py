#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `list facts` says of each: its unit, where it comes from, and what a capture must have for it."""
import json
import unittest

from support import DONE, TestCase, run


class ListFacts(TestCase):
    def test_each_has_an_origin_and_those_of_code_say_what_they_need(self):
        done = run("list", "facts", "--format", "json")
        self.assertEqual(done.returncode, DONE, done.stderr)
        facts = {fact["name"]: fact for fact in json.loads(done.stdout)["facts"]}
        self.assertEqual([name for name, fact in facts.items() if not fact["from"]], [])
        self.assertEqual([name for name, fact in facts.items() if not fact["needs"]], [])
        self.assertEqual([name for name, fact in facts.items() if fact["needs"] == "nothing"], ["capture.metrics"])
        self.assertEqual(facts["kernel.name"]["needs"], "a profile")
        opcodes = "sass__inst_executed_per_opcode_with_modifier_all"
        for name in ("instructions.opcode.<opcode>.count", "instructions.wgmma.share",
                     "memory.tma.multicast.share"):
            self.assertEqual(facts[name]["needs"], opcodes)
        for name, unit in (("sass.spill.bytes", "byte"), ("sass.role[<kind>].waiting.share", "share"),
                           ("sass.role[<kind>].warps", "warp"), ("sass.loop.overhead.share", "share"),
                           ("sass.optimised", ""), ("sass.allocates", "")):
            self.assertEqual(facts[name]["unit"], unit)
            self.assertEqual(facts[name]["from"], "machine code")
            self.assertEqual(facts[name]["needs"], "smsp__pcsamp_sample_count")


if __name__ == "__main__":
    unittest.main()
