#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`proofline run --change`: a program makes the changes, in a work tree of its own. What is faster is a
commit on a branch; whatever else it does, the user's own files stay as they are."""
import json
import pathlib
import sys
import unittest

from played import PlayedTest
from support import DONE, SANITIZED

# Each task is a variant: its factor.
SWITCH = """
import json, pathlib, sys
choice = json.load(sys.stdin)
pathlib.Path("factor").write_text({"unroll": "0.7", "widen": "0.9"}[choice["task"]["id"]] + "\\n")
"""

# Nonsense at every odd attempt: another kind each time.
NONSENSE = """
import json, os, pathlib, sys
choice = json.load(sys.stdin)
count = pathlib.Path(sys.argv[1])
number = int(count.read_text()) if count.exists() else 0
count.write_text(str(number + 1))
nonsense = [
    lambda: pathlib.Path("broken").write_text("no program any more"),
    lambda: pathlib.Path("answer").write_text("41"),
    lambda: sys.exit(3),
    lambda: os.kill(os.getpid(), 9),
    lambda: pathlib.Path("flags").write_text("--fail-at=1 --count=own"),
    lambda: pathlib.Path("flags").write_text("--hang-at=1 --count=own"),
    lambda: pathlib.Path("program").unlink(),
    lambda: None,
]
if number % 2 == 0:
    nonsense[(number // 2 + int(sys.argv[2])) % len(nonsense)]()
else:
    pathlib.Path("factor").write_text({"unroll": "0.7", "widen": "0.9"}[choice["task"]["id"]])
"""


class Changes(PlayedTest):
    def changed(self, script, *arguments, flags=(), **options):
        path = self.folder / "change.py"
        path.write_text(script)
        command = " ".join([sys.executable, str(path), *map(str, arguments)])
        return self.played(self.playbook, "--change", command, *flags, **options)

    def repository(self):
        """A repository with something committed, something changed and something new."""
        self.git("init", "--quiet")
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", "first")
        (self.work / "notes").write_text("of my own\n")
        (self.work / "factor").write_text("1.0\n")
        self.before = self.git("status", "--porcelain"), self.git("rev-parse", "HEAD"), self.files()

    def expect_untouched(self):
        after = self.git("status", "--porcelain"), self.git("rev-parse", "HEAD"), self.files()
        self.assertEqual(after, self.before)
        self.assertEqual(self.git("branch", "--show-current").strip(),
                         self.git("rev-parse", "--abbrev-ref", "HEAD").strip())

    def test_variants(self):
        self.repository()
        result, _ = self.changed(SWITCH)
        self.assertEqual([(one["task"], one["state"]) for one in result["attempts"]],
                         [("unroll", "kept"), ("widen", "reverted")])
        self.assertEqual(result["outcome"], "finished")
        self.expect_untouched()
        branch = f"proofline/{result['name']}"
        self.assertEqual(self.git("show", f"{branch}:factor"), "0.7\n")
        self.assertEqual(self.git("show", f"{branch}:notes"), "of my own\n")
        self.assertEqual(self.git("log", "--format=%s", branch).splitlines(),
                         ["variants/unroll: attempt 1",
                          f"The work tree as it was before {branch}", "first"])
        journal = self.attempts()
        self.assertEqual([one["state"] for one in journal], ["kept", "reverted"])
        # Both sides' reports and benchmark say whether the task brought what it promises.
        shown = self.run_it("journal", "show", journal[0]["id"], "--journal", self.journal)
        self.expect_code(shown, DONE)
        self.assertIn(b"unroll accepted", shown.stdout)
        # Evidence is of what is kept: it was measured again after the change.
        folder = pathlib.Path(result["folder"])
        self.assertTrue((folder / "05-profile-poly.2").exists())

    def test_half_a_tree_that_a_killed_git_left(self):
        """It is of a play that was deleted since; the user's own trees stay."""
        self.repository()
        mine = self.folder / "mine"
        self.git("worktree", "add", "--quiet", "--detach", mine)
        mine.rename(self.folder / "elsewhere")  # git would forget it, and it is none of ours
        half = self.work / ".git" / "worktrees" / "tree"
        half.mkdir()
        for name, text in ("locked", "initializing"), ("HEAD", "0" * 40), ("commondir", ""), \
                ("gitdir", f"{self.plays}/deleted/attempts/1/tree/.git\n"):
            (half / name).write_text(text)
        result, _ = self.changed(SWITCH, flags=["--attempts", "1"])
        self.assertEqual([one["state"] for one in result["attempts"]], ["kept"])
        self.assertFalse(half.exists() and (half / "commondir").read_text() == "")
        self.assertTrue((self.work / ".git" / "worktrees" / "mine").exists())

    def test_without_a_repository(self):
        before = self.files()
        result, _ = self.changed(SWITCH)
        self.assertEqual([one["state"] for one in result["attempts"]], ["kept", "reverted"])
        self.assertEqual(self.files(), before)
        self.assertFalse((self.work / ".git").exists())
        own = f"--git-dir={result['folder']}/repository.git"
        self.assertEqual(self.git(own, "show", f"proofline/{result['name']}:factor"), "0.7\n")

    @unittest.skipIf(SANITIZED, "many attempts of what one shows, each ten times slower")
    def test_nonsense_half_of_the_time(self):
        self.repository()
        for first in range(0, 8, 2):
            with self.subTest(first=first):
                count = self.folder / f"count-{first}"
                self.journal = self.folder / f"journal-{first}.sqlite"
                result, _ = self.changed(NONSENSE, count, first, flags=["--time-limit", "5"])
                self.assertEqual([one["state"] for one in result["attempts"]],
                                 ["failed", "kept", "failed", "reverted"], result["attempts"])
                self.assertEqual([one["state"] for one in self.attempts()],
                                 ["failed", "kept", "failed", "reverted"])
                for attempt in result["attempts"]:
                    self.assertNotEqual(attempt["reason"], "")
                self.expect_untouched()
                self.assertEqual(self.git("show", f"proofline/{result['name']}:factor").strip(),
                                 "0.7")
                verified = self.run_it("journal", "verify", "--journal", self.journal)
                self.expect_code(verified, DONE)

    def test_a_budget_of_attempts(self):
        self.repository()
        result, _ = self.changed(SWITCH, flags=["--attempts", "1"])
        self.assertEqual((result["outcome"], len(result["attempts"])), ("spent", 1))
        result, _ = self.played("--resume", "--attempts", "5", command=())
        self.assertEqual((result["outcome"], len(result["attempts"])), ("finished", 2))
        self.expect_untouched()

    @unittest.skipIf(SANITIZED, "many attempts of what one shows, each ten times slower")
    def test_an_idea_that_always_fails_is_given_up(self):
        self.repository()
        result, _ = self.changed("raise SystemExit(1)")
        self.assertEqual([one["task"] for one in result["attempts"]],
                         ["unroll"] * 3 + ["widen"] * 3)
        self.assertEqual(result["outcome"], "finished")
        self.expect_untouched()

    def test_what_the_change_is_told(self):
        told = self.folder / "told.json"
        self.changed("import pathlib, sys\n"
                     f"pathlib.Path('{told}').write_text(sys.stdin.read())\n"
                     "sys.exit(1)", flags=["--attempts", "1"])
        choice = json.loads(told.read_text())
        self.assertEqual(choice["task"]["id"], "unroll")
        self.assertEqual(choice["command"], ["./program"])
        self.assertEqual([check["id"] for check in choice["failing"]], ["short"])


if __name__ == "__main__":
    unittest.main()
