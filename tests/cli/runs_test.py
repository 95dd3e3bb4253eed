#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`runs`: kept runs are listed, shown and removed, JSON by `proofline schema runs`; what something
refers to stays, and whoever kills a prune leaves whole runs."""
import datetime
import fcntl
import json
import os
import shutil
import subprocess
import unittest

from schemas import errors, unnoticed, validator
from store_crash_test import can_trace
from support import BINARY, DONE, INPUT, ROOT, SANITIZED, TIMEOUT_S, USAGE, TestCase, run

VALIDATOR = validator("runs")
BENCH = ["bench", "--time-by", "wall", "--starts", "1", "--warm-up", "0"]


class RunsTest(TestCase):
    def setUp(self):
        super().setUp()
        self.project = self.folder / ".proofline"
        self.runs, self.plays = self.project / "runs", self.project / "plays"
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder)}

    def proofline(self, *arguments, code=DONE):
        done = run(*arguments, cwd=self.folder, env=self.environment)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def json(self, *arguments, code=DONE):
        result = json.loads(self.proofline("runs", *arguments, "--format", "json", code=code).stdout)
        self.assertEqual(errors(VALIDATOR, result), [])
        self.assertEqual(unnoticed(VALIDATOR, result), [])
        return result

    def make(self, name, days=0, size=0):
        """A run that began so many days ago."""
        start = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=days)
        folder = self.runs / f"{start:%Y%m%dT%H%M%SZ}-{name}"
        folder.mkdir(parents=True)
        record = {"started": f"{start:%Y-%m-%dT%H:%M:%SZ}", "outcome": "measured", "steps": [],
                  "invocation": f"proofline bench --a ./{name}"}
        (folder / "run.json").write_text(json.dumps(record))
        (folder / "data").write_bytes(b"x" * size)
        return folder

    def make_play(self, name, outcome, evidence=()):
        folder = self.plays / name
        folder.mkdir(parents=True)
        (folder / "play.json").write_text(json.dumps({
            "name": name, "playbook": "moe", "outcome": outcome, "request": {"command": ["./a"]},
            "steps": [{"id": "bench", "state": "done", "seconds": 1, "evidence": list(evidence)}]}))
        return folder

    def names(self):
        return sorted(path.name for path in self.runs.iterdir())

    def reasons(self, *arguments):
        pruned = self.json("prune", *arguments)
        return pruned, {spared["name"]: spared["reason"] for spared in pruned["spared"]}

    def test_what_bench_left(self):
        self.proofline(*BENCH, "--a", "/bin/echo hello --token=hush")
        listed = self.json()
        self.assertEqual(listed["total_runs"], 1)
        one = listed["runs"][0]
        self.assertEqual((one["kind"], one["outcome"]), ("bench", "measured"))
        self.assertIn("/bin/echo hello", one["command"])
        self.assertNotIn("hush", json.dumps(listed))
        self.assertGreater(one["bytes"], 0)
        shown = self.json("show", one["name"][:12])
        self.assertEqual(shown["run"], one)
        self.assertEqual({step["ending"] for step in shown["steps"]}, {"exit code 0"})
        files = {file["path"]: file for file in shown["files"]}
        self.assertEqual(files["a-1.stdout"]["what"], "output of a-1")
        self.assertIn("decide", files["benchmark.json"]["commands"])
        for command in shown["next"]:
            self.assertIn(one["folder"], command)
        text = self.proofline("runs", "show", one["name"]).stdout.decode()
        self.assertIn("output of a-1", text)

    def test_list(self):
        self.assertIn(b"No runs are kept here", self.proofline("runs").stdout)
        new, old = self.make("new"), self.make("old", days=3)
        play = self.make_play("20200101T000000Z-moe", "waiting")
        (self.runs / "mine").mkdir()
        (self.runs / "link").symlink_to(new)
        self.assertEqual([one["name"] for one in self.json("list")["runs"]],
                         [new.name, old.name, play.name])
        limited = self.json("--limit", "1")
        self.assertEqual((limited["total_runs"], len(limited["runs"])), (3, 1))
        self.assertEqual(self.json("show", play.name)["run"]["command"], "proofline run moe -- ./a")

    def test_a_folder_that_is_not_there(self):
        for flag in "--runs", "--plays":
            done = run("runs", flag, "nowhere", cwd=self.folder, env=self.environment)
            self.assertEqual(done.returncode, INPUT, done.stderr)
            self.assertIn(f'{flag}: no folder "nowhere"'.encode(), done.stderr)

    def test_names(self):
        first, _ = self.make("one"), self.make("two")
        for words, message in (["show", first.name[:10]], b"2 runs begin with"), \
                (["show", "nowhere"], b"no run is called"), (["show"], b"write 'runs show NAME'"), \
                (["burn"], b"is no action of runs"), (["prune"], b"takes one of"), \
                (["prune", "--keep", "1", "--older-than", "1d"], b"takes one of"), \
                (["prune", "--older-than", "soon"], b"12h"), (["list", "--keep", "1"], b"--keep"):
            with self.subTest(words):
                done = run("runs", *words, cwd=self.folder, env=self.environment)
                self.assertEqual(done.returncode, USAGE, done.stderr)
                self.assertIn(message, done.stderr)
        self.assertEqual(len(self.names()), 2)

    def test_a_strangers_words(self):
        folder = self.make("\x1b[2J\u202e", days=9)
        (folder / "\x1b[31m.stdout").write_text("x")
        for words in ["list"], ["show", "2"], ["prune", "--older-than", "1d"]:
            self.expect_inert(self.proofline("runs", *words).stdout)
        torn = self.make("torn", days=9)
        (torn / "run.json").write_text('{"started": ')
        self.assertEqual(self.json("prune", "--older-than", "1d")["removed"], [])
        self.assertTrue(torn.exists())

    def test_prune(self):
        new, old, oldest = self.make("a"), self.make("b", days=40), self.make("c", days=50)
        dry = self.json("prune", "--older-than", "30d", "--dry-run")
        self.assertEqual([one["name"] for one in dry["removed"]], [oldest.name, old.name])
        self.assertEqual(len(self.names()), 3)
        self.assertEqual(self.json("prune", "--older-than", "45d")["removed"][0]["name"],
                         oldest.name)
        kept = self.json("prune", "--keep", "1")
        self.assertEqual((kept["kept_runs"], self.names()), (1, [new.name]))
        self.assertGreater(kept["freed_bytes"], 0)

    def test_max_size(self):
        new, middle, old = (self.make(str(days), days, 1 << 20) for days in range(3))
        self.assertEqual(self.json("prune", "--max-size", "10mb")["removed"], [])
        pruned = self.json("prune", "--max-size", "2500kb")
        self.assertEqual([one["name"] for one in pruned["removed"]], [old.name])
        self.assertLessEqual(pruned["kept_bytes"], 2500 * 1024)
        self.assertEqual(self.names(), sorted([new.name, middle.name]))

    def test_what_is_referred_to_stays(self):
        noted, evidence, played, free = (self.make(name, days=9) for name in
                                         ("noted", "evidence", "played", "free"))
        similar = self.make("noted-2", days=9)
        shutil.copy(ROOT / "examples" / "before.json", evidence / "benchmark.json")
        self.proofline("journal", "note", f"spills, see:\n{noted.name}.")
        self.proofline("journal", "baseline", "set", "release", evidence / "benchmark.json")
        waiting = self.make_play("20200101T000000Z-moe", "waiting",
                                 [f"../../runs/{played.name}/data"])
        finished = self.make_play("20200102T000000Z-moe", "finished")
        pruned, reasons = self.reasons("--older-than", "1d")
        self.assertEqual(set(reasons), {noted.name, evidence.name, played.name, waiting.name})
        self.assertIn("journal", reasons[noted.name])
        self.assertIn("baseline", reasons[evidence.name])
        self.assertIn(waiting.name, reasons[played.name])
        self.assertIn("not finished", reasons[waiting.name])
        self.assertEqual({one["name"] for one in pruned["removed"]},
                         {similar.name, free.name, finished.name})

    def test_a_journal_that_cannot_be_read(self):
        old = self.make("old", days=9)
        (self.project / "journal.sqlite").write_bytes(b"no database" * 100)
        done = run("runs", "prune", "--older-than", "1d", cwd=self.folder, env=self.environment)
        self.assertNotEqual(done.returncode, DONE)
        self.assertTrue(old.exists())

    def test_in_use(self):
        old = self.make("old", days=9)
        handle = os.open(old, os.O_RDONLY)
        self.addCleanup(os.close, handle)
        fcntl.flock(handle, fcntl.LOCK_EX)
        _, reasons = self.reasons("--older-than", "1d")
        self.assertEqual(reasons, {old.name: "another process uses it"})

    def test_never_beyond_the_run(self):
        outside = self.folder / "outside"
        outside.mkdir()
        (outside / "file").write_text("mine")
        old = self.make("old", days=9)
        (old / "link").symlink_to(outside)
        (self.runs / "20200101T000000Z-link").symlink_to(outside)
        (self.runs / "20200101T000000Z-mine").mkdir()
        self.json("prune", "--older-than", "1d")
        self.assertEqual(self.names(), ["20200101T000000Z-link", "20200101T000000Z-mine"])
        self.assertEqual((outside / "file").read_text(), "mine")

    @unittest.skipUnless(can_trace() and not SANITIZED, "needs strace, and leave to use it")
    def test_killed(self):
        """At each of the deletions: a run is whole or has no name."""
        count, hidden = 6, 0
        for number in range(2 * count):
            shutil.rmtree(self.runs, ignore_errors=True)
            for i in range(count):
                self.make(str(i), days=9)
            traced = ["strace", "-f", "-o", "/dev/null", "-e", "trace=unlinkat", "-e",
                      f"inject=unlinkat:signal=KILL:when={1 + number}"]
            subprocess.run([*traced, BINARY, "runs", "prune", "--older-than", "1d"],
                           cwd=self.folder, env=self.environment, capture_output=True,
                           timeout=TIMEOUT_S, check=False)
            for name in self.names():
                if name.startswith("."):
                    hidden += 1
                else:
                    self.assertEqual({path.name for path in (self.runs / name).iterdir()},
                                     {"run.json", "data"})
        self.assertGreater(hidden, 0)
        self.json("prune", "--older-than", "1d")
        self.assertEqual(self.names(), [])

    def test_much_output_takes_little_room(self):
        head, filler = "first line", 80 << 20
        script = self.folder / "loud"
        script.write_text(f"#!/bin/sh\necho {head}\nhead -c {filler} /dev/zero | tr '\\0' x\n"
                          "echo\necho last line\n")
        script.chmod(0o755)
        self.proofline(*BENCH, "--a", script)
        one = self.json()["runs"][0]
        folder = self.folder / one["folder"]
        packed = folder / "a-1.stdout.zst"
        self.assertFalse((folder / "a-1.stdout").exists())
        self.assertLess(packed.stat().st_size, 1 << 20)
        step = json.loads((folder / "run.json").read_text())["steps"][-1]
        printed = len(f"{head}\n") + filler + len("\nlast line\n")
        self.assertEqual((step["stdout_bytes"], step["output_truncated"]), (printed, True))

    def test_git_ignores_it(self):
        self.proofline(*BENCH, "--a", "/bin/true")
        ignore = self.project / ".gitignore"
        self.assertEqual(ignore.read_text(), "*\n")
        ignore.write_text("runs\n")
        self.proofline(*BENCH, "--a", "/bin/true")
        self.assertEqual(ignore.read_text(), "runs\n")
        ignore.unlink()
        self.proofline("journal", "open", "x")
        self.assertFalse(ignore.exists())

    def test_git_ignores_a_new_journal(self):
        self.proofline("journal", "open", "x")
        self.assertEqual((self.project / ".gitignore").read_text(), "*\n")


if __name__ == "__main__":
    unittest.main()
