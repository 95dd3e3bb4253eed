#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`show --extract`: whatever names a report stores, files land in the given folder and nowhere else,
and nothing that exists is touched."""
import json
import os
import unittest

from support import (DONE, INPUT, STORAGE, USAGE, TestCase, block, kernel, message, report, run,
                     source)

NAMES = [b"../evil", b"../../../../tmp/evil", b"/evil", b"..", b".", b"/", b"", b".hidden", b"-rf",
         b"a/../../b\\..\\c.cu", b"C:\\evil.cu", b"nul\0.cu", b"new\nline.cu", b"\x1b[31mred.cu",
         b"\xff\xfe.cu", "\u202e.cu".encode(), b"x" * 5000 + b".cu", b"same.cu", b"same.cu",
         b"dir/same.cu", b"SAME.cu", b"$(touch evil)`touch evil`.cu"]


class Extract(TestCase):
    def setUp(self):
        super().setUp()
        files = [(name, b"content %d" % i) for i, name in enumerate(NAMES)]
        self.report = self.write("report", report(
            [kernel("k")],
            sources=[source(1, *files, cubin=b"\x7fELF cubin", ptx=b".version 8.0"),
                     source(2, (b"same.cu", b"other module"), cubin=b"\x7fELF other")]))
        self.before = set(os.listdir(self.folder))
        self.out = self.folder / "out"

    def extract(self, kind, *arguments):
        return run("show", self.report, "--extract", kind, self.out, *arguments)

    def snapshot(self, folder):
        """Everything in the folder that an overwrite would change."""
        return {entry.name: (entry.is_symlink(), entry.stat(follow_symlinks=False).st_mtime_ns,
                             os.readlink(entry) if entry.is_symlink() else
                             (folder / entry.name).read_bytes())
                for entry in os.scandir(folder)}

    def test_sources_land_in_the_folder(self):
        done = self.extract("source")
        self.assertEqual((done.returncode, done.stderr), (DONE, b""))
        self.expect_inert(done.stdout)
        self.assertEqual(set(os.listdir(self.folder)), self.before | {"out"})
        contents = set()
        for entry in os.scandir(self.out):
            self.assertTrue(entry.is_file(follow_symlinks=False), entry.name)
            self.assertRegex(entry.name, r"^module-[0-9]+\.[0-9]+\.[A-Za-z0-9_-][A-Za-z0-9._-]*$")
            contents.add((self.out / entry.name).read_bytes())
        self.assertEqual(contents, {b"content %d" % i for i in range(len(NAMES))} | {b"other module"})

    def test_code_is_extracted_unchanged(self):
        self.assertEqual(self.extract("cubin").returncode, DONE)
        self.assertEqual(self.extract("ptx").returncode, DONE)
        self.assertEqual({name: content for name, (_, _, content) in self.snapshot(self.out).items()},
                         {"module-0.sm_90.cubin": b"\x7fELF cubin",
                          "module-1.sm_90.cubin": b"\x7fELF other",
                          "module-0.sm_90.ptx": b".version 8.0"})

    def test_processes_have_modules_of_their_own(self):
        """References are handed out anew in each process."""
        parts = [{"sources": [source(1, cubin=cubin)], "process": message((1, pid))}
                 for pid, cubin in enumerate([b"\x7fELF first", b"\x7fELF second"])]
        self.report = self.write("report", report([kernel("k")], **parts[0]) +
                                 block([kernel("k")], **parts[1]))
        self.assertEqual(self.extract("cubin").returncode, DONE)
        self.assertEqual({path.read_bytes() for path in self.out.iterdir()},
                         {b"\x7fELF first", b"\x7fELF second"})

    def test_stored_names_are_reported(self):
        files = json.loads(self.extract("source", "--format", "json").stdout)["files"]
        self.assertEqual([file["stored_name"] for file in files],
                         [name.decode("utf-8", "replace") for name in [*NAMES, b"same.cu"]])
        for file in files:
            self.assertEqual(os.path.getsize(file["path"]), file["bytes"])

    def test_existing_files_stay(self):
        self.extract("cubin")
        before = self.snapshot(self.out)
        self.expect_error(self.extract("cubin"), STORAGE)
        self.assertEqual(self.snapshot(self.out), before)

    def test_planted_links_are_not_followed(self):
        victim = self.write("victim", b"precious")
        for target in victim, self.folder / "absent", self.folder:
            with self.subTest(target):
                self.out.mkdir()
                (self.out / "module-0.sm_90.cubin").symlink_to(target)
                before = self.snapshot(self.out)
                self.expect_error(self.extract("cubin"), STORAGE)
                self.assertEqual(self.snapshot(self.out), before)
                self.assertEqual(victim.read_bytes(), b"precious")
                self.assertEqual(set(os.listdir(self.folder)), self.before | {"out", "victim"})
                (self.out / "module-0.sm_90.cubin").unlink()
                self.out.rmdir()

    def test_folder_that_cannot_be(self):
        self.out.write_bytes(b"a file")
        self.expect_error(self.extract("cubin"), STORAGE)
        self.assertEqual(self.out.read_bytes(), b"a file")
        self.out = self.folder / "no" / "such" / "parent"
        self.expect_error(self.extract("cubin"), STORAGE)

    def test_nothing_embedded(self):
        self.report = self.write("report", report([kernel("k")], sources=[source(1, (b"a.cu", b""))]))
        for kind in "cubin", "ptx", "source":
            self.expect_error(self.extract(kind), INPUT)
        self.assertFalse(self.out.exists())

    def test_unknown_kind(self):
        self.expect_error(self.extract("sass"), USAGE)
        self.expect_error(run("show", self.report, "--extract", "cubin"), USAGE)


if __name__ == "__main__":
    unittest.main()
