#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`proofline journal` with real journals: found where it should be, written, read, filtered,
exported, verified and synced; JSON by `proofline schema journal`."""
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import unittest

from schemas import errors, unnoticed, validator
from support import DONE, INPUT, SANITIZED, STORAGE, USAGE, TestCase, run

VALIDATOR = validator("journal")
HOSTILE = "\x1b]0;title\x07=1+1 <script>alert(1)</script> [a](http://b) | \u202e\n# x @all"
BENCHMARK = {
    "schema_version": "1.0", "tool": {"name": "proofline", "version": "0.1.0"},
    "result": "benchmark", "interleaved": False,
    "sides": [{"label": "a", "format": "proofline-bench", "producer": "proofline 0.1.0",
               "command": "./bench", "machine": {"gpu": "NVIDIA H200"}, "notes": [],
               "measurements": [{
                   "benchmark": "transpose", "implementation": "tiled",
                   "axes": [{"name": "n", "value": "8192"}], "state": "measured", "reason": "",
                   "timed_by": "cuda-graph", "cache": "hot", "stopped": "tight",
                   "samples": {"ns": [1000.0 + i % 7 for i in range(60)]}}]}]}


class Journal(TestCase):
    def setUp(self):
        super().setUp()
        self.environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(self.folder)}

    def journal(self, *arguments, code=DONE, **options):
        """What it prints."""
        options = {"cwd": self.folder, "env": self.environment, **options}
        done = run("journal", *arguments, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout.decode()

    def parsed(self, *arguments, **options):
        result = json.loads(self.journal(*arguments, "--format", "json", **options))
        self.assertEqual(errors(VALIDATOR, result), [])
        self.assertEqual(unnoticed(VALIDATOR, result), [])
        return result

    def refused(self, *arguments, code):
        done = run("journal", *arguments, cwd=self.folder, env=self.environment)
        self.expect_error(done, code)
        return done.stderr.decode()

    def open(self, hypothesis, *flags, **options):
        return self.journal("open", hypothesis, *flags, **options).strip()

    def listed(self, *flags):
        return [attempt["hypothesis"] for attempt in self.parsed("list", *flags)["attempts"]]


class Attempts(Journal):
    def test_from_open_to_close(self):
        identity = self.open("wider loads", "--expect", "10-20%", "--kind", "loads",
                             "--risk", "spills")
        self.assertRegex(identity, "^[0-9a-f]{32}$")
        self.journal("note", "168 registers", "--attempt", identity[:8])
        self.journal("close", identity[:8], "--reason", "no gain in the epilogue")
        shown = self.parsed("show", identity[:8])["attempts"][0]
        self.assertEqual(shown["expected"], {"low": 0.1, "high": 0.2})
        self.assertEqual((shown["state"], shown["reason"], shown["risk"], shown["kind"]),
                         ("abandoned", "no gain in the epilogue", "spills", "loads"))
        self.assertEqual([entry["kind"] for entry in shown["entries"]], ["open", "note", "close"])
        text = self.journal("show", identity)
        for part in "wider loads", "168 registers", "no gain in the epilogue", "10 to 20 %":
            self.assertIn(part, text)
        self.assertIn("wider loads", self.journal())

    def test_what_is_closed_is_closed_anew_only_with_a_state(self):
        identity = self.open("x")
        self.journal("close", identity, "--state", "kept", "--reason", "faster")
        self.assertIn("is kept already; --state",
                      self.refused("close", identity, "--reason", "again", code=USAGE))
        self.assertEqual(self.parsed("list")["attempts"][0]["state"], "kept")
        self.journal("close", identity, "--state", "reverted", "--reason", "wrong on sm_80")
        self.assertEqual(self.parsed("list")["attempts"][0]["state"], "reverted")

    def test_every_written_entry_says_its_id(self):
        opened = self.parsed("open", "x")
        self.assertEqual(opened["id"], opened["attempt"])
        noted = self.parsed("note", "y", "--attempt", opened["id"])
        self.assertEqual((noted["kind"], noted["attempt"]), ("note", opened["id"]))

    def test_an_id_must_name_one_attempt(self):
        self.open("one")
        self.open("two")
        self.assertIn("2 attempts", self.refused("show", "", code=INPUT))
        self.refused("show", "xyz", code=INPUT)
        self.refused("close", "xyz", "--reason", "r", code=INPUT)
        self.refused("note", "text", "--attempt", "xyz", code=INPUT)

    def test_filters(self):
        self.open("Alpha", "--kind", "loads")
        beta = self.open("beta", "--kind", "stores")
        self.journal("close", beta, "--state", "reverted", "--reason", "slower by far")
        self.journal("note", "of no attempt")
        self.assertEqual(self.listed(), ["Alpha", "beta"])
        self.assertEqual(self.listed("--state", "reverted,kept"), ["beta"])
        self.assertEqual(self.listed("--kind", "loads"), ["Alpha"])
        self.assertEqual(self.listed("--grep", "ALPHA"), ["Alpha"])
        self.assertEqual(self.listed("--grep", "by far"), ["beta"])
        self.assertEqual(self.listed("--limit", "1"), ["beta"])
        self.assertEqual(self.listed("--since", "2020-01-01"), ["Alpha", "beta"])
        self.assertEqual(self.listed("--since", "9999-01-01T00:00"), [])
        self.assertEqual(self.parsed("--grep", "no attempt")["remarks"][0]["text"], "of no attempt")

    def test_export(self):
        self.open("kept for now")
        gone = self.open("reverted one")
        self.journal("close", gone, "--state", "reverted", "--reason", "spilled")
        printed = self.journal("export")
        self.assertTrue(printed.startswith("# Optimisations\n"), printed)
        self.assertLess(printed.index("## Reverted"), printed.index("## Open"))
        self.assertIn("spilled", printed)
        self.assertIn("How well expectations are met", printed)
        target = self.write("OPTIMIZATIONS.md", b"old")
        done = run("journal", "export", "--out", target, cwd=self.folder, env=self.environment)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (DONE, b"", b""))
        self.assertEqual(target.read_text(encoding="utf-8"), printed)
        self.refused("export", "--out", self.folder / "none" / "x.md", code=STORAGE)
        self.assertEqual(list(self.folder.glob("*.part")), [])

    def test_hostile_text_is_inert(self):
        identity = self.open(HOSTILE, "--kind", HOSTILE, "--risk", HOSTILE)
        self.journal("note", HOSTILE, "--attempt", identity)
        self.journal("note", HOSTILE)
        for action in ["list"], ["show", identity], ["export"]:
            for view in "terminal", "markdown", "json":
                done = run("journal", *action, "--format", view, cwd=self.folder,
                           env=self.environment)
                self.assertEqual(done.returncode, DONE, done.stderr)
                if view != "json":
                    self.expect_inert(done.stdout)
                if view == "markdown":
                    self.assertNotIn(b"<script>alert", done.stdout)
        self.assertNotIn('"=1+1', self.journal("list", "--format", "csv"))

    @unittest.skipUnless(shutil.which("git"), "needs git")
    def test_open_remembers_the_commit(self):
        def git(*words):
            subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=b", *words], check=True,
                           cwd=self.folder, env=self.environment, capture_output=True)
        git("init", "--quiet")
        self.write("a.cu", b"1\n")
        git("add", "a.cu")
        git("commit", "-m", "first")
        self.write("a.cu", b"2\n")
        shown = self.parsed("show", self.open("x"))["attempts"][0]
        self.assertRegex(shown["commit"], "^[0-9a-f]{40}$")
        self.assertEqual(shown["diff_stat"], "1 file changed, 1 insertion(+), 1 deletion(-)")

    def test_requests_that_make_no_sense(self):
        self.open("x")
        for words in (["frobnicate"], ["show"], ["show", "a", "b"], ["list", "x"],
                      ["list", "--reason", "r"], ["verify", "--limit", "1"], ["open", " "],
                      ["open", "x", "--expect", "fast"], ["list", "--state", "good"],
                      ["list", "--since", "yesterday"], ["list", "--since", "2026-13-45"],
                      ["list", "--since", "2026-02-29"], ["list", "--since", "2026-11-01T25"],
                      ["baseline", "list", "--side", "a"], ["close", "x"], ["sync"],
                      ["close", "x", "--state", "open", "--reason", "r"], ["baseline", "set", "x"],
                      ["sync", "--to", "a", "--from", "b"], ["list", "--limit", "0"]):
            with self.subTest(words=words):
                self.assertLess(len(self.refused(*words, code=USAGE)), 200)


class Places(Journal):
    def test_none(self):
        for words in ["list"], ["show", "x"], ["export"], ["verify"], ["baseline", "list"]:
            self.assertIn("there is no journal", self.refused(*words, code=INPUT))
        self.assertFalse((self.folder / ".proofline").exists())

    def test_given_as_a_file_it_is_known(self):
        self.open("x")
        done = run("show", self.folder / ".proofline" / "journal.sqlite")
        self.assertEqual(done.returncode, INPUT)
        self.assertIn(b"looks like a journal of Proofline", done.stderr)

    def test_found_in_a_parent_up_to_the_home_folder(self):
        self.open("above")
        deep = self.folder / "a" / "b"
        deep.mkdir(parents=True)
        self.assertIn("above", self.journal(cwd=deep))
        self.open("from below", cwd=deep)
        self.assertEqual(self.listed(), ["above", "from below"])
        home = {**self.environment, "HOME": str(deep)}
        self.journal(cwd=deep, env=home, code=INPUT)

    def test_flag_before_variable_before_folder(self):
        self.open("usual")
        variable = {**self.environment, "PROOFLINE_JOURNAL": str(self.folder / "v.sqlite")}
        self.open("variable", env=variable)
        self.open("flag", "--journal", self.folder / "f.sqlite", env=variable)
        self.assertEqual(self.listed(), ["usual"])
        self.assertIn("variable", self.journal(env=variable))
        self.assertIn("flag", self.journal("--journal", self.folder / "f.sqlite", env=variable))
        for action in "list", "verify":
            self.refused(action, "--journal", self.folder / "missing.sqlite", code=INPUT)
        self.assertFalse((self.folder / "missing.sqlite").exists())

    def test_an_empty_file_is_no_journal_and_stays_empty(self):
        empty = self.write("empty.sqlite", b"")
        for action in "list", "verify":
            self.assertIn("is empty, not a journal",
                          self.refused(action, "--journal", empty, code=INPUT))
        self.assertEqual(empty.read_bytes(), b"")

    def test_read_only_is_read_with_a_note_and_not_written(self):
        self.open("x")
        journal = self.folder / ".proofline" / "journal.sqlite"
        os.link(journal, self.folder / "second-name")  # works for root too, unlike permissions
        result = self.parsed("list")
        self.assertEqual(len(result["attempts"]), 1)
        self.assertIn("can only be read", result["notes"][0]["what"])
        self.assertIn("can only be read", self.journal("list"))
        self.assertIn("cannot write", self.refused("note", "y", code=STORAGE))


    @unittest.skipIf(SANITIZED, "a sanitizer's runtime must come first")
    def test_on_a_network_disk_it_says_so_at_the_beginning_and_when_verified(self):
        self.environment["LD_PRELOAD"] = os.environ["PROOFLINE_NETWORK_DISK"]

        def warned(*words):
            done = run("journal", *words, cwd=self.folder, env=self.environment)
            self.assertEqual(done.returncode, DONE, done.stderr)
            return b"network disk (NFS)" in done.stderr
        self.assertTrue(warned("open", "first"))
        self.assertFalse(warned("note", "second"))
        self.assertTrue(warned("verify"))
        with sqlite3.connect(self.folder / ".proofline" / "journal.sqlite") as database:
            self.assertEqual(database.execute("PRAGMA journal_mode").fetchone(), ("delete",))
        database.close()


class Chains(Journal):
    def test_verify(self):
        self.open("first")
        self.open("second")
        whole = self.parsed("verify")
        self.assertEqual((whole["whole"], whole["entries"], whole["chains"]), (True, 2, 1))
        with sqlite3.connect(self.folder / ".proofline" / "journal.sqlite") as database:
            database.execute("UPDATE entries SET body = '{}' WHERE sequence = 1")
        database.close()
        broken = self.parsed("verify", code=STORAGE)
        self.assertFalse(broken["whole"])
        self.assertEqual(broken["breaks"][0]["sequence"], 1)
        self.assertIn("Journal broken", self.journal("verify", code=STORAGE))

    def test_verify_misses_the_record_of_the_last_entry(self):
        self.open("first")
        self.open("second")
        with sqlite3.connect(self.folder / ".proofline" / "journal.sqlite") as database:
            database.executescript("DELETE FROM chains; DELETE FROM entries WHERE sequence > 1")
        database.close()
        self.assertFalse(self.parsed("verify", code=STORAGE)["whole"])

    def test_sync_copies_what_is_missing_once(self):
        team = self.folder / "team.sqlite"
        self.open("mine")
        first = self.parsed("sync", "--to", team)
        self.assertEqual((first["entries"], first["adopted"]), (1, 1))
        self.open("mine too")
        self.assertEqual(self.parsed("sync", "--to", team)["adopted"], 1)
        self.assertEqual(self.parsed("sync", "--to", team)["adopted"], 0)
        self.open("theirs", "--journal", team)
        self.assertEqual(self.parsed("sync", "--from", team)["adopted"], 1)
        self.assertEqual(self.listed(), ["mine", "mine too", "theirs"])
        for journal in [], ["--journal", team]:
            verified = self.parsed("verify", *journal)
            self.assertEqual((verified["whole"], verified["entries"]), (True, 3))
        self.refused("sync", "--to", self.folder / ".proofline" / "journal.sqlite", code=USAGE)

    def test_sync_refuses_chains_that_went_apart(self):
        copy = self.folder / "copy.sqlite"
        self.open("of both")
        shutil.copy(self.folder / ".proofline" / "journal.sqlite", copy)
        self.open("here alone")
        self.assertEqual(self.parsed("sync", "--to", copy)["adopted"], 1)
        self.open("here again")
        self.open("there alone", "--journal", copy)
        self.open("there again", "--journal", copy)
        for flags in ["--to", copy], ["--from", copy]:
            self.refused("sync", *flags, code=INPUT)


class Baselines(Journal):
    def test_set_list_show(self):
        file = self.write("bench.json", json.dumps(BENCHMARK).encode())
        self.journal("baseline", "set", "v1", file)
        self.assertIn("v1", self.journal("baseline", "list"))
        shown = self.parsed("baseline", "show", "v1")["baselines"][0]
        self.assertEqual((shown["path"], shown["gpu"]), (str(file), "NVIDIA H200"))
        measured = shown["measurements"][0]
        self.assertEqual((measured["median_ns"], measured["samples"]), (1003.0, 60))
        self.assertLessEqual(measured["low_ns"], 1003.0)
        self.assertIn("transpose tiled", self.journal("baseline", "show", "v1"))
        self.refused("baseline", "show", "v2", code=INPUT)
        self.refused("baseline", "set", "v2", self.write("x", b"not a benchmark"), code=INPUT)
        self.refused("baseline", "set", "v2", self.folder / "missing", code=INPUT)

    def test_a_baseline_is_one_side(self):
        (side,) = BENCHMARK["sides"]
        two = {**BENCHMARK, "sides": [side, {**side, "label": "b", "machine": {"gpu": "other"}}]}
        file = self.write("bench.json", json.dumps(two).encode())
        said = self.refused("baseline", "set", "v1", file, code=USAGE)
        self.assertIn('holds 2 sides ("a", "b")', said)
        self.assertIn("--side", said)
        self.refused("baseline", "set", "v1", file, "--side", "c", code=INPUT)
        self.journal("baseline", "set", "v1", file, "--side", "b")
        (shown,) = self.parsed("baseline", "show", "v1")["baselines"]
        self.assertEqual((shown["side"], shown["gpu"]), ("b", "other"))
        self.assertEqual(shown["sha256"], hashlib.sha256(file.read_bytes()).hexdigest())
        self.assertEqual(len(shown["measurements"]), 1)


if __name__ == "__main__":
    unittest.main()
