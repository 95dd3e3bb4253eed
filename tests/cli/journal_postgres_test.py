#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`journal sync` with a team's journal in a real PostgreSQL: each entry is there once, whoever
sends it and however often."""
import json
import os
import shlex
import subprocess
import unittest

import postgres
from journal_test import VALIDATOR, Journal
from support import BINARY, PARTIAL, SANITIZER, STORAGE, THOROUGH, TIMEOUT_S, USAGE, run

FAKE = os.environ["PROOFLINE_FAKE_BENCHMARK"]
MISSING = postgres.missing()


@unittest.skipIf(MISSING, MISSING)
class Team(Journal):
    def setUp(self):
        super().setUp()
        self.server = postgres.Server()
        self.addCleanup(self.server.stop)
        self.team = self.server.address()


class Sync(Team):
    def test_copies_what_is_missing_once(self):
        self.open("mine")
        self.open("mine too")
        first = self.parsed("sync", "--to", self.team)
        self.assertEqual((first["entries"], first["adopted"]), (2, 2))
        self.assertEqual(self.parsed("sync", "--to", self.team)["adopted"], 0)
        self.open("theirs", "--journal", self.team)
        self.assertEqual(self.listed("--journal", self.team), ["mine", "mine too", "theirs"])
        self.assertEqual(self.parsed("sync", "--from", self.team)["adopted"], 1)
        self.assertEqual(self.parsed("sync", "--from", self.team)["adopted"], 0)
        self.assertEqual(self.listed(), ["mine", "mine too", "theirs"])
        for journal in [], ["--journal", self.team]:
            verified = self.parsed("verify", *journal)
            self.assertEqual((verified["whole"], verified["entries"]), (True, 3))

    def test_two_at_the_same_time(self):
        for i in range(20):
            self.open(f"attempt {i}")
        command = [BINARY, "journal", "sync", "--to", self.team, "--format", "json"]
        both = [subprocess.Popen(command, cwd=self.folder, env={**SANITIZER, **self.environment},
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                for _ in range(2)]
        adopted = 0
        for one in both:
            out, err = one.communicate(timeout=TIMEOUT_S)
            self.assertEqual(one.returncode, 0, err)
            adopted += json.loads(out)["adopted"]
        self.assertEqual(adopted, 20)
        self.assertEqual(len(self.listed("--journal", self.team, "--limit", "100")), 20)
        self.assertTrue(self.parsed("verify", "--journal", self.team)["whole"])

    def test_without_a_server(self):
        self.open("mine")
        absent = self.team.replace("tester@", "tester:hush@").replace("pg/", "no-server/")
        said = self.refused("sync", "--to", absent, code=STORAGE)
        self.assertNotIn("hush", said)
        self.assertEqual(self.listed(), ["mine"])


class ServerAway(Team):
    """What is written meanwhile waits in the project, and is delivered once."""
    def setUp(self):
        super().setUp()
        self.address = self.team.replace("tester@", "tester:hush@")
        self.environment["PROOFLINE_JOURNAL"] = self.address + "?connect_timeout=1"

    def waiting(self):
        return sorted((self.folder / ".proofline" / "unsent").glob("*"))

    def test_by_hand(self):
        self.open("before")
        self.server.crash()
        done = run("journal", "open", "meanwhile", "--format", "json", cwd=self.folder,
                   env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"waits in", done.stderr)
        written = json.loads(done.stdout)
        self.assertEqual([error.message for error in VALIDATOR.iter_errors(written)], [])
        (file,) = self.waiting()
        content = file.read_bytes()
        self.assertNotIn(b"hush", content)
        self.server.start()
        (note,) = self.parsed("list")["notes"]
        self.assertIn("wait in this project", note["what"])
        self.assertEqual(self.parsed("sync")["adopted"], 1)
        self.assertEqual(self.waiting(), [])
        file.write_bytes(content)  # as if it had been killed before it could remove it
        self.parsed("sync")
        self.assertEqual(self.waiting(), [])
        self.assertEqual(self.listed(), ["before", "meanwhile"])
        (shown,) = self.parsed("show", written["id"])["attempts"]
        self.assertEqual(shown["opened"], written["written"])
        verified = self.parsed("verify")
        self.assertEqual((verified["whole"], verified["entries"]), (True, 2))

    def test_notes_and_closes_of_attempts(self):
        before = self.open("before")
        self.server.crash()
        meanwhile = self.open("meanwhile")
        self.journal("note", "spills", "--attempt", meanwhile[:8])
        self.journal("close", meanwhile[:8], "--reason", "no gain")
        self.assertIn("is abandoned already; --state",
                      self.refused("close", meanwhile[:8], "--reason", "again", code=USAGE))
        # Of one that only the server knows: by its whole id, and never "if it is still open".
        self.assertIn("by its whole id",
                      self.refused("note", "x", "--attempt", before[:8], code=STORAGE))
        self.assertIn("--state says",
                      self.refused("close", before, "--reason", "r", code=STORAGE))
        self.journal("note", "occupancy", "--attempt", before)
        self.journal("close", before, "--state", "kept", "--reason", "faster")
        nobody = "0" * len(before)
        self.journal("note", "of none", "--attempt", nobody)
        self.server.start()
        done = run("journal", "sync", cwd=self.folder, env=self.environment)
        self.assertEqual(done.returncode, PARTIAL, done.stderr)
        self.assertIn(b"an attempt that this journal does not have", done.stderr)
        self.assertEqual(len(self.waiting()), 1)
        self.assertEqual({attempt["hypothesis"]: attempt["state"]
                          for attempt in self.parsed("list")["attempts"]},
                         {"before": "kept", "meanwhile": "abandoned"})
        (shown,) = self.parsed("show", meanwhile)["attempts"]
        self.assertEqual([entry["kind"] for entry in shown["entries"]], ["open", "note", "close"])
        self.assertTrue(self.parsed("verify")["whole"])

    def test_a_damaged_file_is_told_and_stays(self):
        self.server.crash()
        self.open("meanwhile")
        (file,) = self.waiting()
        whole = file.read_bytes()
        self.server.start()
        for cut in 0, 10, len(whole) // 2, len(whole) - 1:
            file.write_bytes(whole[:cut])
            self.journal("sync", code=PARTIAL)
        file.write_bytes(whole)
        other = whole.replace(b"dbname=postgres", b"dbname=another_")
        self.write(".proofline/unsent/00000000-x.entry", other)
        self.journal("sync")
        self.assertEqual([left.name for left in self.waiting()], ["00000000-x.entry"])
        self.assertEqual(self.listed(), ["meanwhile"])

    def test_an_attempt_whose_server_goes_away(self):
        count = f"--count={self.folder / 'starts'}"
        done = run("try", "float4 loads", "--check", f"/bin/kill -QUIT {self.server.pid()}", "--starts",
                   "13", "--a", shlex.join([FAKE, count]), "--", FAKE, count, "--factor=0.8",
                   cwd=self.folder, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"KEEP", done.stdout)
        self.assertEqual(done.stderr.count(b"waits in"), 1, done.stderr)
        self.server.crash()
        self.server.start()
        (attempt,) = self.parsed("list")["attempts"]
        self.assertEqual(attempt["state"], "open")
        self.parsed("sync")
        (attempt,) = self.parsed("list")["attempts"]
        self.assertEqual(attempt["state"], "kept")
        (shown,) = self.parsed("show", attempt["id"])["attempts"]
        self.assertEqual([entry["kind"] for entry in shown["entries"]],
                         ["open", "correctness", "benchmark", "decision", "close"])
        self.assertTrue(self.parsed("verify")["whole"])

    def test_a_restart_is_waited_for(self):
        """A server that comes back while the program asks for it: nothing has to be kept."""
        self.environment["PROOFLINE_JOURNAL"] = self.address
        self.open("before")
        for i in range(8 if THOROUGH else 2):
            self.server.crash()
            with subprocess.Popen([BINARY, "journal", "note", f"note {i}"], cwd=self.folder,
                                  env={**SANITIZER, **self.environment}, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as writer:
                self.server.start()
                _, error = writer.communicate(timeout=TIMEOUT_S)
            self.assertEqual(writer.returncode, 0, error)
        self.parsed("sync")
        verified = self.parsed("verify")
        self.assertEqual((verified["whole"], verified["entries"]), (True, i + 2))


if __name__ == "__main__":
    unittest.main()
