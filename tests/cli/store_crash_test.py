#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The journal's file when a writer is killed, or its disk fails, at any point.

Every entry that was acknowledged is there afterwards, the file is whole, and the next writer goes on.
The writer is tests/programs/journal_writer.cpp, named by PROOFLINE_JOURNAL_WRITER.
"""
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import unittest

import support

WRITER = os.environ["PROOFLINE_JOURNAL_WRITER"]

# What changes files. Creating the file itself is openat; the acknowledgement is write.
WRITE_CALLS = ("write,pwrite64,ftruncate,fsync,fdatasync,openat,fchmod,mkdir,mkdirat,unlink,"
               "unlinkat,rename,renameat,renameat2")


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=support.TIMEOUT_S, check=False)


def can_trace():
    return shutil.which("strace") and run("strace", "-o", "/dev/null", "true").returncode == 0


# strace 6.1 takes only names that the machine has: arm64 has no unlink or mkdir.
def known_calls():
    return ",".join(call for call in WRITE_CALLS.split(",")
                    if run("strace", "-o", "/dev/null", "-e", f"trace={call}",
                           "true").returncode == 0)


class StoreCrash(support.TestCase):
    def setUp(self):
        super().setUp()
        self.journal = self.folder / ".proofline" / "journal.sqlite"

    def verify(self):
        """The ids in it, after one more writer has opened and mended it."""
        done = run(WRITER, "verify", self.journal)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with sqlite3.connect(self.journal) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        database.close()
        return done.stdout.split()

    def expect_whole(self, acknowledged):
        stored = self.verify()
        self.assertEqual(len(set(stored)), len(stored))
        self.assertEqual([entry for entry in stored if entry in set(acknowledged)], acknowledged)
        return stored

    def traced(self, rule, count):
        return run("strace", "-f", "-o", "/dev/null", "-e", "trace=" + rule.split(":")[0],
                   "-e", "inject=" + rule, WRITER, "append", self.journal, str(count))

    def test_killed_at_any_time(self):
        acknowledged = []
        for _ in range(8):
            with subprocess.Popen([WRITER, "append", self.journal, "1000"], text=True,
                                  stdout=subprocess.PIPE) as writer:
                for _ in range(random.randint(0, 6)):
                    acknowledged.append(writer.stdout.readline().strip())
                writer.send_signal(signal.SIGKILL)
                acknowledged += writer.stdout.read().split()
            self.expect_whole(acknowledged)

    @unittest.skipUnless(can_trace(), "needs strace, and leave to use it")
    def test_killed_at_each_call_that_writes(self):
        calls = known_calls()
        self.assertIn("fdatasync", calls)
        for anew in (True, False):
            acknowledged = []
            for when in range(1, 1000):
                if anew:  # making the file is killed too
                    shutil.rmtree(self.journal.parent, ignore_errors=True)
                    acknowledged = []
                done = self.traced(f"{calls}:signal=KILL:when={when}", 2)
                acknowledged += done.stdout.split()
                if self.journal.exists():
                    self.expect_whole(acknowledged)
                else:
                    self.assertEqual(acknowledged, [])
                if done.returncode == 0:
                    break
            self.assertGreater(when, 20)

    @unittest.skipUnless(can_trace(), "needs strace, and leave to use it")
    def test_errors_of_the_disk(self):
        """Not acknowledged where it is not sure; what follows is stored again."""
        first = run(WRITER, "append", self.journal, "1")
        self.assertEqual(first.returncode, 0)
        acknowledged = first.stdout.split()
        for call, error in [("fdatasync", "EIO"), ("pwrite64", "ENOSPC"), ("pwrite64", "EIO"),
                            ("pwrite64", "EDQUOT"), ("unlinkat", "EIO")]:
            for when in range(1, 6):
                done = self.traced(f"{call}:error={error}:when={when}", 3)
                acknowledged += done.stdout.split()
                self.expect_whole(acknowledged)
                if call == "fdatasync" and when == 1:
                    self.assertEqual(done.returncode, 7, done.stderr)
                    self.assertEqual(len(done.stdout.split()), 2)

    def test_full_disk(self):
        """A real one: 1 MiB, filled up, then with room again."""
        script = f"""
            set -e
            mount -t tmpfs -o size=1m none {self.folder}
            cd {self.folder}
            {WRITER} append journal.sqlite 3 > stored
            dd if=/dev/zero of=filler bs=4096 2> /dev/null || true
            if why=$({WRITER} append journal.sqlite 3 2>&1); then exit 50; fi
            case $why in *'the disk is full'*) ;; *) echo "$why"; exit 51 ;; esac
            rm filler
            {WRITER} append journal.sqlite 2 >> stored
            {WRITER} verify journal.sqlite > read
            cmp stored read
            wc -l < read
        """
        if run("unshare", "-Urm", "mount", "-t", "tmpfs", "none", self.folder).returncode != 0:
            self.skipTest("may not mount a file system of its own")
        done = run("unshare", "-Urm", "sh", "-c", script)
        self.assertEqual((done.returncode, done.stdout.strip(), done.stderr), (0, "5", ""))

    def test_overlay(self):
        """As in a container whose image has a journal (I7): what is in the lower layer is copied up."""
        script = f"""
            set -e
            mount -t tmpfs none {self.folder}
            cd {self.folder}
            mkdir low disk merged
            {WRITER} append low/journal.sqlite 2 > stored
            mount -t tmpfs none disk
            mkdir disk/upper disk/work
            mount -t overlay overlay -o lowerdir=low,upperdir=disk/upper,workdir=disk/work merged
            {WRITER} append merged/journal.sqlite 2 >> stored
            {WRITER} append merged/journal.sqlite 2 >> stored
            {WRITER} verify merged/journal.sqlite > read
            cmp stored read
            wc -l < read
        """
        done = run("unshare", "-Urm", "sh", "-c", script)
        if "mount" in done.stderr:
            self.skipTest("may not mount file systems of its own: " + done.stderr)
        self.assertEqual((done.returncode, done.stdout.strip(), done.stderr), (0, "6", ""))


if __name__ == "__main__":
    unittest.main()
