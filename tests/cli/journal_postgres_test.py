#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`journal sync` with a team's journal in a real PostgreSQL: each entry is there once, whoever
sends it and however often."""
import json
import subprocess
import unittest

import postgres
from journal_test import Journal
from support import BINARY, SANITIZER, STORAGE, TIMEOUT_S

MISSING = postgres.missing()


@unittest.skipIf(MISSING, MISSING)
class Sync(Journal):
    def setUp(self):
        super().setUp()
        server = postgres.Server()
        self.addCleanup(server.stop)
        self.team = server.address()

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


if __name__ == "__main__":
    unittest.main()
