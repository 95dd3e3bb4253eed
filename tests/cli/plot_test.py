#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`plot`: pictures of benchmark results, and what becomes of results that allow none."""
import json
import unittest
import xml.etree.ElementTree as ElementTree

from support import DONE, INPUT, STORAGE, USAGE, TestCase, run

TOOL = 5
SVG = "{http://www.w3.org/2000/svg}"
PNG = b"\x89PNG\r\n\x1a\n"


def measurement(implementation, n, ns, **members):
    return {"benchmark": "transpose", "implementation": implementation,
            "axes": [{"name": "n", "value": str(n)}], "state": "measured",
            "samples": {"ns": [ns * (1 + i / 100) for i in range(-6, 7)]}, **members}


def result(*measurements, label="a"):
    side = {"label": label, "format": "proofline-bench", "producer": "proofline 0.1.0",
            "machine": {"gpu": "NVIDIA H200"}, "notes": [], "measurements": list(measurements)}
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
