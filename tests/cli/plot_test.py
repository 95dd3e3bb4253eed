#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`plot`: pictures of benchmark results, and what becomes of results that allow none."""
import json
import unittest
import xml.etree.ElementTree as ElementTree

from support import DONE, INPUT, PARTIAL, ROOT, STORAGE, USAGE, TestCase, run

TOOL = 5
SVG = "{http://www.w3.org/2000/svg}"
PNG = b"\x89PNG\r\n\x1a\n"
CEILINGS = ROOT / "tests" / "fixtures" / "ceilings" / "ceilings.json"
UUID = "GPU-00000000-0000-0000-0000-000000000000"  # of the GPU in it


def measurement(implementation, n, ns, **members):
    return {"benchmark": "transpose", "implementation": implementation,
            "axes": [{"name": "n", "value": str(n)}], "state": "measured",
            "samples": {"ns": [ns * (1 + i / 100) for i in range(-6, 7)]}, **members}


def result(*measurements, label="a", **machine):
    side = {"label": label, "format": "proofline-bench", "producer": "proofline 0.1.0",
            "machine": {"gpu": "NVIDIA H200", **machine}, "notes": [],
            "measurements": list(measurements)}
    return {"schema_version": "1.0", "tool": {"name": "proofline", "version": "0.1.0"},
            "result": "benchmark", "interleaved": False, "sides": [side]}


def sweep(factor=1, **members):
    return [measurement("tiled", n, factor * n * n / 1000, **members)
            for n in (256, 512, 1024, 2048)]


class PlotTest(TestCase):
    def setUp(self):
        super().setUp()
        self.plots = self.folder / "plots"

    def save(self, name, content):
        return self.write(name, json.dumps(content).encode())

    def plot(self, *arguments, code=DONE, **options):
        done = run("plot", *arguments, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def parse(self, path):
        """The picture's elements; it holds nothing that runs or that lies elsewhere."""
        root = ElementTree.parse(path).getroot()
        for element in root.iter():
            self.assertNotIn(element.tag, (f"{SVG}script", f"{SVG}foreignObject", f"{SVG}image"))
            for name in element.attrib:
                self.assertFalse(name.endswith("href") or name.startswith("on"), name)
        return root

    def texts(self, path):
        return [element.text for element in self.parse(path).iter(f"{SVG}text")]


class Pictures(PlotTest):
    def test_every_chart_that_the_measurements_allow(self):
        file = self.save("a.json", result(*sweep(bytes=1e6, flops=4e6), *sweep(2)))
        done = self.plot(file, "--out", self.plots)
        names = ["latency", "throughput-bytes", "throughput-flops", "scaling", "roofline"]
        self.assertEqual(done.stdout.decode().split(),
                         [f"{self.plots}/{name}.svg" for name in names])
        for name in names:
            self.assertIn("NVIDIA H200", " ".join(self.texts(self.plots / f"{name}.svg")))
        self.assertIn(b"no speedup: there are no two implementations", done.stderr)

    def test_files_are_compared_by_their_names(self):
        before = self.save("before.json", result(*sweep(3)))
        after = self.save("after.json", result(*sweep(1)))
        picture = self.folder / "speedup.svg"
        self.plot(before, after, "--kind", "speedup", "--out", picture)
        texts = self.texts(picture)
        self.assertIn("before", texts)
        self.assertIn("after", texts)
        titles = [title.text for title in self.parse(picture).iter(f"{SVG}title")]
        self.assertTrue(any(title.startswith("after, n=256: 3×") for title in titles), titles)

    def test_sides_that_took_turns_are_compared_in_pairs(self):
        def runs(factor):
            """The times of a run vary by far more than B's ratio to A."""
            return {"samples": {"ns": [factor * 1000 * (1 + i / 10) for i in range(20)],
                                "run": list(range(20))}}

        before = measurement("", 256, 0, **runs(1))
        after = measurement("", 256, 0, **runs(0.8))
        both = {**result(before), "interleaved": True,
                "sides": result(before, label="old")["sides"] +
                         result(after, label="new")["sides"]}
        picture = self.folder / "speedup.svg"
        self.plot(self.save("ab.json", both), "--kind", "speedup", "--out", picture)
        texts = " ".join(self.texts(picture))
        for words in "old", "new", "Against old, in pairs":
            self.assertIn(words, texts)
        titles = [title.text for title in self.parse(picture).iter(f"{SVG}title")]
        self.assertIn("new, n=256: 1.25× (1.25× to 1.25×)", titles)
        # Where they took no turns, the first of one is not beside the first of the other.
        self.plot(self.save("ab.json", {**both, "interleaved": False}), "--kind", "speedup",
                  "--out", picture)
        self.assertIn("by medians", " ".join(self.texts(picture)))

    def test_the_same_input_gives_the_same_bytes(self):
        file = self.save("a.json", result(*sweep()))
        pictures = []
        for folder in "one", "two":
            self.plot(file, "--out", self.folder / folder, "--kind", "latency,scaling")
            pictures.append([(self.folder / folder / f"{name}.svg").read_bytes()
                             for name in ("latency", "scaling")])
        self.assertEqual(*pictures)

    def test_roofs(self):
        file = self.save("a.json", result(*sweep(bytes=1e6, flops=4e6)))
        self.plot(file, "--kind", "roofline", "--roof", "DRAM=4.1TB/s", "--roof", "fp32=60TFLOP/s",
                  "--out", self.plots)
        texts = self.texts(self.plots / "roofline.svg")
        self.assertIn("DRAM 4.1 TB/s", texts)
        self.assertIn("fp32 60 TFLOP/s", texts)

    def test_hostile_names_stay_text(self):
        evil = "</text><script>alert(1)</script>\x1b[31m\u202e/../x"
        hostile = [{**one, "benchmark": evil, "implementation": evil,
                    "axes": [{"name": evil, "value": one["axes"][0]["value"]}]} for one in sweep()]
        file = self.save("a.json", result(*hostile, *sweep()))
        done = self.plot(file, "--out", self.plots, "--markdown", self.plots / "report.md")
        self.expect_inert(done.stdout + done.stderr)
        pictures = list(self.plots.glob("*.svg"))
        self.assertEqual(len(pictures), 4, pictures)  # latency and scaling of both
        for picture in pictures:
            self.parse(picture)
        self.assertNotRegex((self.plots / "report.md").read_text(), r"(?<!\\)<script")

    def test_markdown_has_the_table_and_the_pictures(self):
        file = self.save("a.json", result(*sweep()))
        report = self.folder / "report.md"
        self.plot(file, "--kind", "latency", "--out", self.folder / "my plots",
                  "--markdown", report)
        text = report.read_text()
        self.assertIn("| transpose | tiled | 256 |", text)
        self.assertIn("![latency](my%20plots/latency.svg)", text)


class MeasuredRoofs(PlotTest):
    """Below what `proofline calibrate` stored."""

    def setUp(self):
        super().setUp()
        self.store(CEILINGS.read_bytes())

    def store(self, content):
        stored = self.folder / ".proofline" / "ceilings" / f"{UUID}.json"
        stored.parent.mkdir(parents=True, exist_ok=True)
        stored.write_bytes(content)

    def roofline(self, *flags, flop_kind="", uuid=UUID, gpu="NVIDIA H200", code=DONE):
        """What stands in the picture, and what was said, from a folder below the stored ones."""
        below = self.folder / "below"
        below.mkdir(exist_ok=True)
        file = self.save("a.json", result(
            *sweep(bytes=1e6, flops=4e6, flop_kind=flop_kind), uuid=uuid, gpu=gpu))
        done = self.plot(file, "--kind", "roofline", "--out", self.plots, *flags, cwd=below,
                         code=code)
        if code not in (DONE, PARTIAL):
            return "", done.stderr.decode()
        return "\n".join(self.texts(self.plots / "roofline.svg")), done.stderr.decode()

    def test_those_of_this_gpu(self):
        texts, said = self.roofline()
        self.assertEqual(said, "")
        for roof in "dram 2 TB/s", "l2 4 TB/s", "fp32 30 TFLOP/s":
            self.assertIn(roof, texts)
        self.assertNotIn("tensor", texts)
        self.assertIn("NVIDIA H200, 2026-01-02T03:04:05Z", texts.replace("\n", " "))

    def test_of_the_kind_that_is_declared(self):
        texts, _ = self.roofline(flop_kind="tensor-f16")
        self.assertIn("tensor-f16 at least 500 TFLOP/s", texts)
        self.assertNotIn("fp32", texts)
        texts, _ = self.roofline(flop_kind="dram")
        self.assertIn("fp32", texts)

    def test_by_hand_instead(self):
        texts, _ = self.roofline("--roof", "mine=1TB/s")
        self.assertIn("mine 1 TB/s", texts)
        self.assertNotIn("dram", texts)
        _, said = self.roofline("--roof", "mine=1TB/s", "--ceilings", str(CEILINGS), code=USAGE)
        self.assertIn("--ceilings", said)

    def test_of_another_gpu(self):
        texts, said = self.roofline(uuid="GPU-1")
        self.assertIn("No roofs", texts)
        self.assertEqual(said, "")
        texts, said = self.roofline("--ceilings", str(CEILINGS), uuid="GPU-1")
        self.assertIn("dram 2 TB/s", texts)
        self.assertIn("another GPU of the same name", said)
        _, said = self.roofline("--ceilings", str(CEILINGS), gpu="NVIDIA A100", code=INPUT)
        self.assertIn("\"NVIDIA A100\"", said)
        texts, said = self.roofline(gpu="NVIDIA A100")
        self.assertIn("No roofs", texts)
        self.assertIn("note: no measured roofs", said)

    def test_damaged_ones(self):
        damaged = self.write("damaged.json", CEILINGS.read_bytes()[:500])
        _, said = self.roofline("--ceilings", str(damaged), code=INPUT)
        self.assertIn("damaged.json", said)
        self.store(damaged.read_bytes())
        texts, said = self.roofline()
        self.assertIn("No roofs", texts)
        self.assertIn(f"{UUID}.json", said)
        part = json.loads(CEILINGS.read_bytes())
        part["ceilings"][0]["per_second"] = 0
        self.store(json.dumps(part).encode())
        texts, said = self.roofline(code=PARTIAL)
        self.assertIn("l2 4 TB/s", texts)
        self.assertIn("loss", said)

    def test_another_chart_needs_none(self):
        self.store(b"{")
        file = self.save("a.json", result(*sweep(bytes=1e6), uuid=UUID))
        done = self.plot(file, "--kind", "latency", "--out", self.plots, cwd=self.folder)
        self.assertEqual(done.stderr, b"")


class Png(PlotTest):
    def converter(self, name, script):
        folder = self.folder / "bin"
        folder.mkdir(exist_ok=True)
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def plot_png(self, **options):
        file = self.save("a.json", result(*sweep()))
        environment = {"PATH": str(self.folder / "bin"), "TMPDIR": str(self.folder)}
        return self.plot(file, "--kind", "latency", "--png", "--out", self.plots, env=environment,
                         **options)

    def test_by_the_first_program_that_can(self):
        self.converter("rsvg-convert", "echo 'no such font' >&2; exit 1")
        self.converter("convert", r"""printf '\211PNG\r\n\032\n%s' "$*" """)
        done = self.plot_png()
        self.assertEqual(done.stdout.decode().split(),
                         [f"{self.plots}/latency.svg", f"{self.plots}/latency.png"])
        content = (self.plots / "latency.png").read_bytes()
        self.assertTrue(content.startswith(PNG))
        self.assertIn(b"svg:", content)

    def test_none_installed(self):
        done = self.plot_png(code=TOOL)
        self.expect_error(done, TOOL)
        self.assertIn(b"librsvg2-bin", done.stderr)
        self.assertFalse(self.plots.exists())

    def test_one_that_somebody_planted_is_refused(self):
        mark = self.folder / "ran"
        self.converter("rsvg-convert", f"echo ran > '{mark}'")
        for unsafe in "writable", "relative":
            with self.subTest(unsafe):
                (self.folder / "bin").chmod(0o777 if unsafe == "writable" else 0o755)
                path = str(self.folder / "bin") if unsafe == "writable" else "bin"
                file = self.save("a.json", result(*sweep()))
                done = run("plot", file, "--png", "--out", self.plots, cwd=self.folder,
                           env={"PATH": path, "TMPDIR": str(self.folder)})
                self.expect_error(done, TOOL)
                self.assertIn(b"not safe to run", done.stderr)
                self.assertFalse(mark.exists())

    def test_none_that_can(self):
        self.converter("rsvg-convert", "echo 'no such font' >&2; exit 1")
        done = self.plot_png(code=TOOL)
        self.assertIn(b"no such font", done.stderr)
        self.assertFalse((self.plots / "latency.png").exists())


class Refused(PlotTest):
    def refuse(self, code, words, *arguments):
        done = run("plot", *arguments)
        self.expect_error(done, code)
        self.assertIn(words, done.stderr)

    def test_nothing_to_draw(self):
        file = self.save("a.json", result(measurement("tiled", 8, 100, state="wrong")))
        self.refuse(INPUT, b"nothing in it was timed", file, "--out", self.plots)
        self.assertFalse(self.plots.exists())
        file = self.save("b.json", result(*sweep()))
        self.refuse(INPUT, b"declares", file, "--kind", "roofline", "--out", self.plots)

    def test_flags_that_make_no_sense(self):
        file = self.save("a.json", result(*sweep(bytes=1e6)))
        self.refuse(USAGE, b"there are \"n\"", file, "--x", "m", "--out", self.plots)
        self.refuse(USAGE, b"2 charts (latency, scaling)", file, "--kind", "latency,scaling",
                    "--out", self.folder / "a.svg")
        self.refuse(USAGE, b"DRAM=4.1TB/s", file, "--roof", "DRAM=fast", "--out", self.plots)
        self.refuse(USAGE, b"--kind", file, "--kind", "pie", "--out", self.plots)

    def test_not_a_benchmark(self):
        self.refuse(INPUT, b"a.json", self.write("a.json", b"{\"sides\": ["), "--out", self.plots)

    def test_a_folder_that_is_a_file(self):
        file = self.save("a.json", result(*sweep()))
        self.refuse(STORAGE, b"cannot make the folder", file, "--out", file)


if __name__ == "__main__":
    unittest.main()
