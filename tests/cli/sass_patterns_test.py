#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every assertion that the documents, the help and the public header show is run here on machine
code from ptxas: it must hold on a kernel that is as it should be and fail on its bad twin. One that
is shown and not in the table below fails the test."""
import json
import re
import unittest

from support import DONE, ROOT, TestCase, run

FAILED, INCONCLUSIVE = 1, 10

DIRECT = ("tests/fixtures/sass/tcgen05.sm_100a.cubin.gz", "tcgen05_direct")
STAGED = ("tests/fixtures/sass/tcgen05.sm_100a.cubin.gz", "tcgen05_staged")
ONCE = ("tests/fixtures/sass/shared_stores.sm_90a.cubin.gz", "decode_once")
TWICE = ("tests/fixtures/sass/shared_stores.sm_90a.cubin.gz", "decode_twice")
OLD_TENSOR = ("tests/fixtures/sass/shared_stores.sm_80.cubin.gz", "decode_once")
FITS = ("tests/fixtures/sass/spills.sm_90a.cubin.gz", "spills_not")
SPILLS = ("tests/fixtures/sass/spills.sm_90a.cubin.gz", "spills$")
APART = ("tests/fixtures/sass/roles.sm_90a.cubin.gz", "roles_mbarrier")
JOINED = ("tests/fixtures/sass/roles.sm_90a.cubin.gz", "roles_joined")
ARRIVES = ("tests/fixtures/cubin/mbarrier_pairs.sm_90a.cubin.gz", "^arrives")
NEVER_ARRIVES = ("tests/fixtures/cubin/mbarrier_pairs.sm_90a.cubin.gz", "never_arrives")
STACKLESS = ("tests/fixtures/sass/dynamic_index.sm_90a.cubin.gz", "static_index")
STACK = ("tests/fixtures/sass/dynamic_index.sm_90a.cubin.gz", "dynamic_index")
WHOLE_WARPS = ("examples/h200-kernels.ncu-rep.gz", "transpose_naive")
IDLE_LANES = ("examples/h200-kernels.ncu-rep.gz", "softmax_warp_per_row")
STRAIGHT = ("examples/h200-kernels.ncu-rep.gz", "polynomial")
SMALL_TILE = ("examples/h200-kernels.ncu-rep.gz", "transpose_tiled<.*1")
LARGE_TILE = ("examples/h200-kernels.ncu-rep.gz", "gemm_wmma")

# (flag, pattern): on which it holds, on which it fails.
TWINS = {
    ("expect", "HGMMA"): (ONCE, OLD_TENSOR),
    ("expect", "HGMMA in loop"): (ONCE, OLD_TENSOR),
    ("expect", "HGMMA >= 4"): (ONCE, OLD_TENSOR),
    ("expect", "4 <= HGMMA"): (ONCE, OLD_TENSOR),
    ("expect", "4 <= HGMMA <= 8"): (ONCE, OLD_TENSOR),
    ("expect", "HGMMA >= 4 in loop"): (ONCE, OLD_TENSOR),
    ("expect", "wgmma >= 4 in loop"): (ONCE, OLD_TENSOR),
    ("expect", "count(wgmma)/count(tensor|fp32) >= 50%"): (ONCE, OLD_TENSOR),
    ("expect", "count(wgmma)/count(tensor|fp32) >= 50% in loop"): (ONCE, OLD_TENSOR),
    ("expect", "LDTM > FADD > F2FP > STG"): (DIRECT, STAGED),
    ("expect", "UTMASTG >> UTMACMDFLUSH"): (STAGED, DIRECT),
    ("expect", "STS width >= 16"): (ONCE, TWICE),
    ("expect", "STS width >= 16 in loop"): (ONCE, TWICE),
    ("expect", "st.shared width >= 16 in loop"): (ONCE, TWICE),
    ("expect", "bytes(shared-store)/count(shared-store) >= 16 in loop"): (ONCE, TWICE),
    ("expect", "passes(shared-store) <= 1 in loop"): (ONCE, TWICE),
    ("expect", "LOP3|PRMT|SHF > HFMA2|HMUL2 > st.shared.v* > wgmma in loop"): (ONCE, TWICE),
    ("forbid", "STS > LDS > STS in loop"): (ONCE, TWICE),
    ("forbid", "cvt > 8 in loop"): (ONCE, TWICE),
    ("forbid", "STS width < 16 in loop"): (ONCE, TWICE),
    ("forbid", "spill"): (FITS, SPILLS),
    ("forbid", "LDL"): (FITS, SPILLS),
    ("expect", "bytes(spill) = 0 in loop"): (FITS, SPILLS),
    ("expect", "registers >= 48"): (FITS, SPILLS),
    ("expect", "live >= 48 in loop"): (FITS, SPILLS),
    ("expect", "stack = 0"): (STACKLESS, STACK),
    ("expect", "LDTM > FADD > F2FP > STS > FENCE > UTMASTG > UTMACMDFLUSH > DEPBAR "
               "in loop with LDTM"): (STAGED, DIRECT),
    ("expect", "STS = 2 in loop with LDTM"): (STAGED, DIRECT),
    ("expect", "LDTM > FADD > F2FP > STG.*256 in loop with LDTM"): (DIRECT, STAGED),
    ("expect", "STG = 1 in loop with LDTM"): (DIRECT, STAGED),
    ("expect", "STG width = 32 in role epilogue"): (DIRECT, STAGED),
    ("expect", "instructions <= 45 in loop of role epilogue"): (DIRECT, STAGED),
    ("forbid", "FENCE after LDTM"): (DIRECT, STAGED),
    ("forbid", "FENCE|WARPSYNC|UTMASTG after LDTM in loop with LDTM"): (DIRECT, STAGED),
    ("expect", "TCGEN05.LD > FADD > CVT > STG.E.V8 in loop with TCGEN05.LD"): (DIRECT, STAGED),
    ("forbid", "FENCE.PROXY.ASYNC|BAR.SYNC.WARP|CP.ASYNC.BULK after TCGEN05.LD in role epilogue"):
        (DIRECT, STAGED),
    ("expect", "mbarriers >= 4"): (APART, JOINED),
    ("expect", "1 <= working-loops <= 1 in role mma"): (APART, JOINED),
    ("forbid", "BAR in any loop"): (APART, JOINED),
    ("expect", "unpaired-mbarriers = 0"): (ARRIVES, NEVER_ARRIVES),
    ("expect", "shared <= 8KiB"): (SMALL_TILE, LARGE_TILE),
    ("expect", "predicated(all) <= 10%"): (STRAIGHT, IDLE_LANES),
    ("expect", "useful-lanes(all) >= 95%"): (WHOLE_WARPS, IDLE_LANES),
}

FLAG = re.compile(r"--(expect|forbid) (?:'([^']+)'|(spill|LDL)\b)")
VERDICT = re.compile(r"^ *(?:PASS|FAIL|UNKNOWN) +(expect|forbid) (.+)$", re.MULTILINE)


def flags(text):
    return {(kind, (quoted or bare).replace("\\|", "|")) for kind, quoted, bare in
            FLAG.findall(text)}


def shown():
    """All assertions that people are shown, each with where it stands."""
    found = {}

    def add(where, patterns):
        for pattern in patterns:
            found.setdefault(pattern, where)

    language = (ROOT / "docs" / "sass-patterns.md").read_text(encoding="utf-8")
    add("docs/sass-patterns.md", flags(language))
    table = language[language.index("| pattern |"):].split("\n\n")[0]
    add("the table of patterns", {
        ("expect", text.replace("\\|", "|")) for text in re.findall("`([^`]+)`", table)
        if re.search(r"\w", text)})
    for document in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = document.read_text(encoding="utf-8")
        add(document.name, set(VERDICT.findall(text)))
        add(document.name, flags("\n".join(line for line in text.splitlines()
                                           if "proofline sass" in line)))
    done = run("sass", "--help")
    help_text = " ".join(done.stdout.decode().split())
    add("sass --help", flags(help_text))
    add("sass --help", {("expect", p) for p in
                        re.findall(r"must have, such as '([^']+)'", help_text)})
    unwanted = re.search(r"must not have, such as '([^']+)' or '([^']+)'", help_text)
    add("sass --help", {("forbid", p) for p in unwanted.groups()})
    header = (ROOT / "include" / "proofline" / "code.h").read_text(encoding="utf-8")
    add("code.h", {("expect", p) for p in re.findall(r'check\("([^"]+)"\)', header)})
    return found


class Patterns(TestCase):
    def verdicts(self, kernel, assertions):
        """What the program says of each (flag, pattern), in their order."""
        path, function = kernel
        # The program answers all that is expected before all that is forbidden.
        ordered = sorted(assertions)
        arguments = [text for kind, pattern in ordered for text in (f"--{kind}", pattern)]
        done = run("sass", ROOT / path, "--function", function, "--format", "json", *arguments)
        self.assertIn(done.returncode, (DONE, FAILED, INCONCLUSIVE), done.stderr)
        functions = json.loads(done.stdout)["functions"]
        self.assertEqual(len(functions), 1, (path, function))
        return dict(zip(ordered, functions[0]["expectations"]))

    def verdict(self, kernel, kind, pattern):
        return self.verdicts(kernel, [(kind, pattern)])[kind, pattern]["verdict"]

    def test_every_shown_assertion_tells_a_good_kernel_from_a_bad_one(self):
        found = shown()
        self.assertGreater(len(found), 30)
        for (kind, pattern), where in found.items():
            with self.subTest(pattern=pattern, shown=where):
                self.assertTrue((kind, pattern) in TWINS, "is shown, but never run")
                good, bad = TWINS[kind, pattern]
                self.assertEqual(self.verdict(good, kind, pattern), "PASS", good)
                self.assertEqual(self.verdict(bad, kind, pattern), "FAIL", bad)

    def test_nothing_is_run_that_is_not_shown(self):
        self.assertEqual(set(TWINS) - set(shown()), set())

    def test_output_in_the_documents_is_real(self):
        """What follows an assertion in a document is what the program says of the twin."""
        text = (ROOT / "docs" / "sass-patterns.md").read_text(encoding="utf-8")
        rows = re.findall(r"^    (PASS|FAIL|UNKNOWN) +(expect|forbid) (.+)\n      +(\S.*)$", text,
                          re.MULTILINE)
        self.assertGreater(len(rows), 8)
        assertions = {(kind, pattern) for _, kind, pattern, _ in rows}
        said = set()
        for kernel in {kernel for twins in TWINS.values() for kernel in twins}:
            for (kind, pattern), one in self.verdicts(kernel, assertions).items():
                said.add((one["verdict"], kind, pattern, one["text"]))
        for row in rows:
            self.assertTrue(row in said, row)


if __name__ == "__main__":
    unittest.main()
