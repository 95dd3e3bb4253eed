#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is missing from an input or from what was kept is said, and the exit code tells: nothing is
lost with exit code 0, and nothing that is missing becomes a finding."""
import gzip
import json
import resource
import sqlite3
import subprocess
import unittest

from fake_tools import FakeToolsTest
from support import (BINARY, DONE, INPUT, PARTIAL, ROOT, STORAGE, THOROUGH, TIMEOUT_S, TestCase, block, kernel,
                     message, report, run, source)

FIXTURES = ROOT / "tests" / "fixtures"


class Cut(TestCase):
    """Inputs that end early. Exit code 0 only where the format cannot tell."""

    def codes(self, command, content, offsets):
        path = self.folder / "cut"
        for offset in offsets:
            path.write_bytes(content[:offset])
            done = run(command, path)
            with self.subTest(offset=offset, end=content[max(0, offset - 40):offset]):
                yield offset, done

    def test_a_clean_sanitizer_log(self):
        content = (FIXTURES / "tools" / "sanitizer" / "memcheck-clean" / "log").read_bytes()
        summary_end = content.rindex(b"errors") + len(b"error")
        for offset, done in self.codes("diagnose", content, range(len(content))):
            if offset < summary_end:
                self.assertIn(done.returncode, (INPUT, PARTIAL), done.stdout)
                self.assertNotIn(b"1 error", done.stdout)

    def test_binary_formats_at_every_offset(self):
        """Sampled in `./check`."""
        files = {"show": FIXTURES / "ncu_rep" / "h200-basic.ncu-rep.gz",
                 "sass": FIXTURES / "sass" / "copies.sm_120.cubin.gz"}
        for command, file in files.items():
            content = gzip.decompress(file.read_bytes())
            step = 7 if THOROUGH else len(content) // 40
            # Headers stand at both ends.
            offsets = {*range(0, len(content), step), *range(len(content) - 200, len(content), 19)}
            for _, done in self.codes(command, content, sorted(offsets)):
                self.assertIn(done.returncode, (INPUT, PARTIAL))


    def test_ncu_text_and_graphs(self):
        """The text may end behind a table or behind an empty line, a graph nowhere."""
        files = {"show": FIXTURES / "ncu_rep" / "h200-basic.details.txt.gz",
                 "sass": FIXTURES / "sass" / "copies.sm_120.bbcfg.dot.gz"}
        for command, file in files.items():
            content = gzip.decompress(file.read_bytes()).rstrip(b"\n")
            step = 7 if THOROUGH else len(content) // 25
            lines = [i + 1 for i, byte in enumerate(content) if byte == ord("\n")]
            offsets = {*range(0, len(content), step), *lines[::1 if THOROUGH else 11]}
            for offset, done in self.codes(command, content, sorted(offsets)):
                end = content[:offset]
                boundary = end.endswith(b"\n\n") or end.rstrip(b"\n").endswith(b"--")
                if command == "sass" or not boundary:
                    self.assertIn(done.returncode, (INPUT, PARTIAL))


class Ranks(TestCase):
    """A rank that is missing from a folder, or that cannot be read, may be the one waited for."""

    def trace(self, rank):
        def event(cat, name, ts, args):
            return {"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": 7, "ts": ts, "dur": 5,
                    "args": {"device": 0, "stream": 7, **args}}
        collective = {"Collective name": "allreduce", "Process Group Name": "0", "Group size": 3,
                      "In msg nelems": 8, "dtype": "Float"}
        events = [event("kernel", "ncclDevKernel_AllReduce", 10 * i, {**collective, "Seq": i}) for i in range(4)]
        return json.dumps({"schemaVersion": 1, "distributedInfo": {"rank": rank}, "traceEvents": events})

    def test_are_named(self):
        folder = self.folder / "job"
        folder.mkdir()
        for rank in (0, 2):
            (folder / f"rank{rank}.json").write_text(self.trace(rank))
        (folder / "rank1.json").write_text("no trace")
        done = run("timeline", folder)
        output = " ".join(done.stdout.decode().split())
        self.assertIn("2 of 3 ranks are here", output)
        self.assertRegex(output, r"1 file in the folder is no timeline that can be read: .*rank1\.json")
        self.assertIn("All ranks come to their collectives at the same time", output)


class Report(TestCase):
    def show(self, content, command="show"):
        path = self.write("report.ncu-rep", content)
        return run(command, path)

    def expect_loss(self, done, words):
        self.assertEqual(done.returncode, PARTIAL, done.stderr)
        self.assertIn(words, done.stdout)

    def test_a_block_that_promises_more_than_it_holds(self):
        header = report([])[:-len(block([]))]
        self.expect_loss(self.show(header + block([kernel("a")], promised=3)),
                         b"promises 3 more results than it holds")

    def test_code_that_is_not_there(self):
        dangling = report([kernel("a", (15, message((1, 99))))], sources=[source(1, ptx=b"x")])
        self.expect_loss(self.show(dangling), b"refer to code that the report does not hold")

    def test_a_damaged_cubin(self):
        done = self.show(report([kernel("a")], sources=[source(1, cubin=b"\x7fELF, no more")]),
                         "diagnose")
        self.expect_loss(done, b"embedded cubins are damaged")

    def test_an_unknown_version(self):
        whole = report([kernel("a")])
        self.expect_error(self.show(whole.replace(message((1, 7)), message((1, 99)), 1)), INPUT)

    def test_durations_that_cannot_be(self):
        rows = [b'"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream",'
                b'"Section Name","Metric Name","Metric Unit","Metric Value"']
        for i, value in enumerate(("-5000", "0", "1e30", "100", "300")):
            rows.append(f'"{i}","","","","k","","","","gpu__time_duration.sum","ns","{value}"'.encode())
        path = self.write("times.csv", b"\n".join(rows) + b"\n")
        done = run("diagnose", path, "--format", "json")
        self.assertEqual(done.returncode, PARTIAL, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(result["kernels"][0]["duration_ns"], 200)
        (note,) = [note for note in result["notes"] if "left out" in note["what"]]
        self.assertEqual((note["kind"], note["count"]), ("loss", 3))


class Journal(TestCase):
    def setUp(self):
        super().setUp()
        self.journal = self.folder / "journal.sqlite"
        for text in "one", "two", "three":
            self.assertEqual(run("journal", "note", text, "--journal", self.journal).returncode, DONE)

    def change(self, sql):
        with sqlite3.connect(self.journal) as database:
            database.execute(sql)
        database.close()

    def test_an_entry_that_cannot_be_read(self):
        self.change("UPDATE entries SET body = 'no JSON' WHERE sequence = 2")
        for command in ["journal"], ["journal", "export"], ["journal", "regressions"]:
            done = run(*command, "--journal", self.journal)
            self.assertEqual(done.returncode, PARTIAL, done.stderr)
            self.assertIn(b"cannot be read", done.stdout)

    def test_a_baseline_that_cannot_be_read(self):
        self.change("UPDATE entries SET body = 'no JSON', kind = 'baseline' WHERE sequence = 2")
        done = run("journal", "baseline", "list", "--journal", self.journal)
        self.assertEqual(done.returncode, PARTIAL, done.stderr)
        self.assertIn(b"cannot be read", done.stdout)

    def test_a_head_that_was_set_back(self):
        self.change("UPDATE chains SET sequence = 1, hash = (SELECT hash FROM entries "
                    "WHERE sequence = 1)")
        done = run("journal", "verify", "--journal", self.journal)
        self.assertEqual(done.returncode, STORAGE, done.stdout)
        self.assertIn(b"recorded as the last one, while entries up to 3 follow", done.stdout)


class Kept(FakeToolsTest):
    def test_output_that_could_not_be_kept(self):
        """The file may not grow as a full disk would not let it."""
        done = self.run_it("bench", "--runs", self.runs, "--time-by", "wall", "--starts", "1",
                           "--warm-up", "0", "--a", "/bin/sh -c 'head -c 2000000 /dev/zero'",
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                                 (100_000, 100_000)))
        self.expect_code(done, PARTIAL)
        self.assertIn(b"could not be kept", done.stdout + done.stderr)

    def test_ncu_takes_no_macro_from_the_folder(self):
        self.ncu(*self.recorded("ncu", "normal"))
        runs = self.folder / "100%p"
        self.run_it("profile", "--runs", runs, "--", "/bin/true")
        exports = [call.argv[call.argv.index("--export") + 1] for call in self.calls()]
        self.assertTrue(exports)
        for path in exports:
            self.assertIn("100%%p", path)


class Flags(TestCase):
    def test_a_limit_below_zero(self):
        path = self.write("x", b"x")
        done = subprocess.run([BINARY, "show", path, "--max-size", "-1"], capture_output=True,
                              timeout=TIMEOUT_S, check=False)
        self.expect_error(done, 2)
        self.assertIn(b"below zero", done.stderr)


if __name__ == "__main__":
    unittest.main()
