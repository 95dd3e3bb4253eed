#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where input comes from and output goes to: full disks, closed pipes, things that are no files,
tight limits, other locales, and a file that changes while it is read."""
import os
import pathlib
import resource
import socket
import stat
import subprocess
import threading
import unittest

from support import (BINARY, CAPTURE, DONE, INPUT, PARTIAL, STORAGE, TIMEOUT_S, USAGE, TestCase,
                     kernel, report, run)

SANITIZED = b"__asan_init" in pathlib.Path(BINARY).read_bytes()


class Output(TestCase):
    COMMANDS = [["show", CAPTURE], ["show", CAPTURE, "--format", "csv"],
                ["show", CAPTURE, "--format", "json"], ["list", "readers"], ["--help"], ["--version"],
                ["help", "show"], ["completion", "bash"]]

    def test_full_disk_is_an_error(self):
        for command in self.COMMANDS:
            with self.subTest(command), open("/dev/full", "wb") as full:
                done = run(*command, stdout=full)
                self.expect_error(done, STORAGE)
                self.assertIn(b"No space left on device", done.stderr)

    def test_closed_stdout_is_an_error(self):
        for command in self.COMMANDS:
            with self.subTest(command):
                done = run(*command, preexec_fn=lambda: os.close(1))
                self.expect_error(done, STORAGE)

    def test_reader_that_has_enough_is_no_error(self):
        """As in `| head -1`; the output is larger than a pipe holds."""
        large = self.write("large", report([kernel(f"kernel {i}" + "x" * 900) for i in range(999)]))
        for view in "terminal", "csv", "json":
            with self.subTest(view):
                with subprocess.Popen([BINARY, "show", large, "--format", view],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                    self.assertNotEqual(process.stdout.read(10), b"")
                    process.stdout.close()
                    self.assertEqual(process.stderr.read(), b"")
                    self.assertEqual(process.wait(TIMEOUT_S), DONE)

    def test_file_size_limit_is_an_error(self):
        target = self.folder / "out.csv"
        with open(target, "wb") as out:
            done = run("show", CAPTURE, "--format", "csv", stdout=out,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        self.expect_error(done, STORAGE)

    def test_colour_only_on_request(self):
        plain = run("show", CAPTURE)
        self.assertNotIn(b"\x1b", plain.stdout)
        self.assertNotIn(b"\x1b", run("show", CAPTURE, env={"TERM": "xterm"}).stdout)
        coloured = run("show", CAPTURE, "--color", "always", env={"NO_COLOR": "1"})
        self.assertIn(b"\x1b[", coloured.stdout)


class Messages(TestCase):
    """What is said on standard error and cannot be shown changes nothing."""

    def bench(self, **options):
        runs = self.folder / f"runs-{len(list(self.folder.iterdir()))}"
        done = subprocess.run([BINARY, "bench", "--a", "/bin/true", "--starts", "3", "--runs", runs],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=self.folder,
                              timeout=TIMEOUT_S, check=False, **options)
        self.assertEqual(done.returncode, DONE)
        self.assertIn(b"process", done.stdout)
        (folder,) = runs.iterdir()
        self.assertTrue((folder / "run.json").exists())

    def test_full(self):
        with open("/dev/full", "wb") as full:
            self.bench(stderr=full)

    def test_closed(self):
        self.bench(preexec_fn=lambda: os.close(2))

    def test_broken_pipe(self):
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "wb") as broken:
            self.bench(stderr=broken)

    def test_an_error_keeps_its_code(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([BINARY, "show", self.folder / "missing"], stderr=full,
                                  timeout=TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, INPUT)

    def test_a_closed_stream_lends_its_number_to_no_file(self):
        """The journal would be the next file to open."""
        journal = self.folder / "journal.db"
        for _ in range(2):
            done = subprocess.run([BINARY, "journal", "note", "x", "--journal", journal],
                                  stdout=subprocess.DEVNULL, timeout=TIMEOUT_S, check=False,
                                  preexec_fn=lambda: os.closerange(1, 3))
        self.assertEqual(run("journal", "verify", "--journal", journal).returncode, DONE, done)


class NamedOutput(TestCase):
    """Files that a flag names."""

    def export(self, out, **options):
        journal = self.folder / "journal.db"
        run("journal", "note", "x", "--journal", journal)
        done = run("journal", "export", "--journal", journal, "--out", out, **options)
        self.assertEqual(done.returncode, DONE, done.stderr)
        return done

    def test_a_device_stays_one(self):
        with open("/dev/null", "rb") as null:
            same = os.fstat(null.fileno())
        self.export("/dev/null")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        self.assertEqual(os.stat("/dev/null").st_ino, same.st_ino)

    def test_standard_output(self):
        self.assertIn(b"Notes", self.export("/dev/stdout").stdout)

    def test_a_fifo_that_somebody_reads(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        with subprocess.Popen(["cat", fifo], stdout=subprocess.PIPE) as reader:
            self.export(fifo)
            self.assertIn(b"Notes", reader.communicate(timeout=TIMEOUT_S)[0])
        self.assertTrue(stat.S_ISFIFO(os.stat(fifo).st_mode))


class Input(TestCase):
    def expect_refused(self, path, kind):
        done = run("show", path)
        self.expect_error(done, INPUT)
        self.assertIn(kind, done.stderr)

    def test_what_is_no_regular_file_is_refused_unread(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        self.expect_refused(fifo, b"FIFO")
        self.expect_refused(self.folder, b"directory")
        self.expect_refused("/dev/zero", b"character device")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.folder / "socket"))
            self.expect_refused(self.folder / "socket", b"socket")

    def test_endless_standard_input_ends_at_the_limit(self):
        with open("/dev/zero", "rb") as zeros:
            done = run("show", "-", "--max-size", "1mb", stdin=zeros)
        self.expect_error(done, INPUT)

    def test_dash_is_standard_input(self):
        """From a file, from a pipe, and closed."""
        expected = run("show", CAPTURE, "--format", "csv").stdout
        with open(CAPTURE, "rb") as capture:
            self.assertEqual(run("show", "-", "--format", "csv", stdin=capture).stdout, expected)
        done = run("show", "-", "--format", "csv", input=CAPTURE.read_bytes())
        self.assertEqual((done.returncode, done.stdout, done.stderr), (DONE, expected, b""))
        self.expect_error(run("show", "-"), INPUT)
        self.expect_error(run("show", "-", preexec_fn=lambda: os.close(0)), INPUT)

    def test_file_that_changes_while_it_is_read(self):
        """Any honest end will do, but not a signal."""
        content = report([kernel(f"kernel {i}" + "x" * 5000) for i in range(4000)])
        path = self.write("changing", content)
        stop = threading.Event()

        def disturb():
            with open(path, "r+b") as file:
                while not stop.is_set():
                    file.truncate(len(content) // 3)
                    file.truncate(len(content))
                    os.pwrite(file.fileno(), content, 0)

        disturber = threading.Thread(target=disturb)
        disturber.start()
        try:
            codes = {run("show", path, "--format", "csv").returncode for _ in range(20)}
        finally:
            stop.set()
            disturber.join()
        self.assertLessEqual(codes, {DONE, INPUT, PARTIAL})


class FileNames(TestCase):
    ODD = [b"a\nb", b"\x1b[31mred", b"\x1b]0;title\x07", b"tab\tquote\"", b"-x", b"--format",
           b"\xff\xfe", "\u202eabc".encode(), b"%s%n{}", b" "]

    def test_missing_files_with_odd_names(self):
        for name in self.ODD:
            with self.subTest(name):
                self.expect_error(run("show", b"./" + name, cwd=self.folder), INPUT)

    def test_existing_files_with_odd_names(self):
        content = CAPTURE.read_bytes()
        expected = run("show", CAPTURE, "--format", "csv").stdout
        for name in self.ODD:
            with self.subTest(name):
                path = os.path.join(os.fsencode(self.folder), name)
                with open(path, "wb") as file:
                    file.write(content)
                done = run("show", b"./" + name, cwd=self.folder)
                self.assertEqual(done.returncode, DONE, done.stderr)
                self.expect_inert(done.stdout)
                done = run("show", b"./" + name, "--format", "csv", cwd=self.folder)
                self.assertEqual(done.stdout, expected)

    def test_a_leading_dash_is_an_option(self):
        self.expect_error(run("show", b"-x\x1b[31m"), USAGE)
        self.expect_error(run("show", b"--form\nat", CAPTURE), USAGE)

    def test_a_bad_pattern_is_shown_escaped(self):
        self.expect_error(run("show", CAPTURE, "--kernel", b"(\x1b[31m]"), USAGE)

    def test_names_that_are_too_long(self):
        for name in "x" * 300, "x/" * 2100, "x" * 100_000:
            done = run("show", name)
            self.expect_error(done, INPUT)
            self.assertLess(len(done.stderr), 400)


class Surroundings(TestCase):
    def outputs(self, **options):
        results = [run("show", CAPTURE, "--session", "--format", view, **options)
                   for view in ("terminal", "csv", "json")]
        self.assertEqual([done.returncode for done in results], [DONE] * 3, results[0].stderr)
        return [done.stdout + done.stderr for done in results]

    def test_the_same_bytes_whatever_the_environment(self):
        expected = self.outputs()
        self.assertEqual(self.outputs(), expected)
        for environment in [{}, {"LC_ALL": "C"}, {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
                            {"LC_NUMERIC": "de_DE.UTF-8"}, {"TZ": "Asia/Kathmandu"},
                            {"HOME": "/nonexistent"}, {"TERM": "dumb"}, {"COLUMNS": "10"}]:
            with self.subTest(environment):
                self.assertEqual(self.outputs(env=environment), expected)
        self.assertEqual(self.outputs(cwd="/"), expected)

    @unittest.skipIf(SANITIZED, "a sanitizer needs terabytes of address space")
    def test_small_address_space(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (256 << 20, 256 << 20))

        self.assertEqual(self.outputs(preexec_fn=limit), self.outputs())
        huge = self.write("huge", report([kernel("x" * (200 << 20))]))
        done = run("show", huge, preexec_fn=limit)
        self.expect_error(done, INPUT)
        self.assertIn(b"memory", done.stderr)

    def test_few_descriptors_and_a_small_stack(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))
            resource.setrlimit(resource.RLIMIT_STACK, (256 << 10, 256 << 10))

        self.assertEqual(self.outputs(preexec_fn=limit), self.outputs())


if __name__ == "__main__":
    unittest.main()
