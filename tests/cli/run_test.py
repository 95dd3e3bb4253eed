#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`proofline run`: a playbook played with tools that repeat recordings, to the choice and on."""
import json
import os
import pathlib
import unittest

from played import PLAYBOOK, STEPS, PlayedTest
from schemas import errors, validator
from support import DONE, INPUT, USAGE

FAILED, TOOL, TIME_LIMIT, INCONCLUSIVE = 1, 5, 6, 10


class Phases(PlayedTest):
    def test_from_the_first_phase_to_the_choice(self):
        result, said = self.played(self.playbook)
        self.assertEqual([step["id"] for step in result["steps"]], STEPS)
        self.assertEqual(set(self.states(result).values()), {"done"}, result["steps"])
        self.assertEqual((result["outcome"], result["choice"]), ("waiting", "unroll"))
        self.assertEqual(result["checks"]["checks"][0]["verdict"], "FAIL")
        self.assertIn("[4/6] time", said)
        self.assertEqual(errors(validator("run"), result), [])
        folder = pathlib.Path(result["folder"])
        self.assertIn("time", (folder / "sheet.md").read_text())
        self.assertEqual(json.loads((folder / "choice.json").read_text())["task"]["steps"],
                         ["unroll the loop"])
        self.assertEqual((folder / "playbook.toml").read_text(), PLAYBOOK)
        self.assertEqual([path for path in self.plays.iterdir() if path != folder], [])

    def test_the_workload_tells_the_program_its_arguments(self):
        self.played(self.playbook, "--workload", "n=128", "--until", "profile")
        self.assertEqual(self.calls()[-1].argv[-1], "--n=128")

    def test_the_arguments_themselves_are_told(self):
        texts = self.write("texts.toml", b'[workload]\nargs = ["--n={n}", "two words"]\n')
        for told, arguments in [("args=128", ["128"]), ("args=--tile {n} 'two words'",
                                                        ["--tile", "64", "two words"]),
                                ("args=", []), (texts, ["--n=64", "two words"])]:
            with self.subTest(told):
                self.played(self.playbook, "--workload", told, "--from", "profile", "--until",
                            "profile")
                argv = self.calls()[-1].argv
                program = [word.rsplit("/", 1)[-1] for word in argv].index("program")
                self.assertEqual(argv[program + 1:], arguments)

    def test_arguments_that_are_no_texts_are_refused(self):
        number = self.write("number.toml", b"args = [64]\n")
        shape = self.write("shape.toml", b"shape = [1, 2]\n")
        for told, reason in [("args='two", "a quote that is not closed"),
                             (number, '"args" must be a text or an array of texts'),
                             (shape, '"shape" must be a number, a text, true or false')]:
            with self.subTest(told):
                _, said = self.played(self.playbook, "--workload", told, code=USAGE)
                self.assertIn(reason, said)
        self.assertEqual(self.calls(), [])

    def test_unchanged_phases_are_not_done_again(self):
        self.played(self.playbook)
        calls = len(self.calls())
        result, said = self.played(self.playbook)
        self.assertEqual(len(self.calls()), calls)
        self.assertEqual(self.states(result)["profile-poly"], "taken")
        self.assertIn("its inputs are as they were in an earlier run", said)
        self.assertIn("left", said)
        (self.work / "program").write_bytes((self.work / "program").read_bytes() + b"# new\n")
        result, _ = self.played(self.playbook)
        self.assertEqual(self.states(result)["profile-poly"], "done")
        self.assertGreater(len(self.calls()), calls)
        result, _ = self.played(self.playbook, "--again", "profile")
        self.assertEqual([self.states(result)[step] for step in ("time", "profile-poly")],
                         ["taken", "done"])

    def test_a_threshold_costs_no_measurement(self):
        self.played(self.playbook)
        calls = len(self.calls())
        self.playbook.write_text(PLAYBOOK.replace("< 1 us", "< 1 s"))
        result, _ = self.played(self.playbook)
        self.assertEqual(len(self.calls()), calls)
        self.assertEqual((result["outcome"], result["choice"]), ("finished", ""))

    def test_checks_may_ask_what_doctor_said(self):
        result, _ = self.played(self.playbook, "--until", "machine")
        doctor, = pathlib.Path(result["folder"]).glob("**/doctor.json")
        said = {one["id"]: one["status"] for one in json.loads(doctor.read_text())["checks"]}
        for word, verdict in (said["run-folder"], "PASS"), ("nonsense", "FAIL"):
            self.playbook.write_text(PLAYBOOK.replace("duration < 1 us",
                                                      f'preflight[run-folder] == "{word}"'))
            result, _ = self.played(self.playbook)
            self.assertEqual(result["checks"]["checks"][0]["verdict"], verdict, result["checks"])

    def test_from_and_until(self):
        result, _ = self.played(self.playbook, "--until", "time")
        self.assertEqual([step["id"] for step in result["steps"]], STEPS[:4])
        self.assertEqual((result["outcome"], result["checks"]), ("measured", None))
        (self.work / "factor").write_text("2\n")
        (self.work / "program").write_bytes((self.work / "program").read_bytes() + b"# new\n")
        result, said = self.played(self.playbook, "--from", "profile")
        self.assertEqual(self.states(result)["time"], "taken")
        self.assertIn("taken from an earlier run", said)
        result, _ = self.played(self.playbook, "--until", "check", code=FAILED)
        self.assertEqual(result["outcome"], "checked")
        _, said = self.played(self.playbook, "--until", "nothing", code=USAGE)
        self.assertIn("there is no such phase; there are machine, make, right", said)

    def test_dry_run_runs_nothing(self):
        done = self.run_it(*self.words(self.playbook), "--dry-run", "--", "./program",
                           cwd=self.work)
        self.expect_code(done, DONE)
        self.assertIn(b"# [2/6] make\n./build\n", done.stdout)
        self.assertIn(b"--n=64", done.stdout)
        self.assertEqual((self.calls(), self.plays.exists()), ([], False))
        self.assertFalse((self.folder / "starts").exists())

    def test_wrong_results_are_never_timed(self):
        (self.work / "answer").write_text("41\n")
        result, _ = self.played(self.playbook, code=FAILED)
        self.assertEqual(result["outcome"], "wrong")
        self.assertEqual([step["id"] for step in result["steps"]], STEPS[:3])
        self.assertFalse((self.folder / "starts").exists())

    def test_a_build_that_fails_stops_it_and_is_done_again(self):
        (self.work / "broken").write_text("")
        _, said = self.played(self.playbook, code=TOOL)
        self.assertIn("the build exited with 1", said)
        self.assertIn("run --resume", said)
        (self.work / "broken").unlink()
        result, said = self.played("--resume", command=())
        self.assertEqual(result["outcome"], "waiting")
        self.assertIn("[1/6] machine: skipped", said)

    def test_a_journal_that_somebody_only_began_is_an_empty_one(self):
        self.journal.write_bytes(b"")
        result, _ = self.played(self.playbook)
        self.assertEqual(result["choice"], "unroll")

    def test_the_time_is_up(self):
        result, _ = self.played(self.playbook, "--max-time", "0.001", code=TIME_LIMIT)
        self.assertEqual(result["outcome"], "out-of-time")
        result, _ = self.played("--resume", command=())
        self.assertEqual(result["outcome"], "waiting")

    def test_the_usual_loop_where_the_playbook_has_no_phases(self):
        mine = self.write("short.toml", b'[playbook]\nid = "short"\ntitle = "Short"\n')
        result, _ = self.played(mine)
        self.assertEqual([step["does"] for step in result["steps"]],
                         ["preflight", "build", "correctness", "bench", "timeline", "profile"])
        self.assertEqual(result["outcome"], "finished")

    def test_options_that_nothing_leads_to(self):
        self.playbook.write_text(PLAYBOOK.replace("[[task]]", "[[option]]"))
        result, _ = self.played(self.playbook)
        self.assertEqual((result["outcome"], result["choice"]), ("finished", ""))
        self.assertIn("leads to none of unroll, widen; --task takes one", result["headline"])

    def test_conditions_of_phases(self):
        text = PLAYBOOK.replace('does = "diagnose"', 'does = "diagnose"\nwhen = \'check[short]\'')
        self.playbook.write_text(text)
        result, _ = self.played(self.playbook)
        self.assertEqual(self.states(result)["causes"], "skipped")


class InPlace(PlayedTest):
    """The user makes the change, and --resume tries it."""

    def faster(self, factor):
        (self.work / "factor").write_text(f"{factor}\n")

    def test_what_is_faster_is_kept_and_the_next_task_comes(self):
        self.played(self.playbook)
        self.faster(0.7)
        before = f"{self.script('old', self.program_text('1'))}"
        result, _ = self.played("--resume", "--a", before, command=())
        self.assertEqual([one["state"] for one in self.attempts()], ["kept"])
        self.assertEqual((result["outcome"], result["choice"]), ("waiting", "widen"))
        self.faster(0.9)
        before = f"{self.script('old', self.program_text('0.7'))}"
        result, _ = self.played("--resume", "--a", before, command=(), code=FAILED)
        self.assertEqual([one["state"] for one in self.attempts()], ["kept", "reverted"])
        self.assertEqual((result["outcome"], result["choice"]), ("finished", ""))
        self.assertEqual([one["state"] for one in result["attempts"]], ["kept", "reverted"])

    def program_text(self, factor):
        text = (self.work / "program").read_text().splitlines()[1]
        return text.replace('"$(cat factor)"', factor)

    def test_a_stored_measurement_stands_in_for_a_script(self):
        self.played(self.playbook)
        self.faster(0.7)
        result, said = self.played("--resume", command=())
        self.assertIn("stored measurement", said)
        self.assertEqual(result["attempts"][0]["state"], "kept")

    def test_skipped_and_chosen_tasks(self):
        result, _ = self.played(self.playbook, "--skip", "unroll=the compiler does it")
        self.assertEqual(result["choice"], "widen")
        result, _ = self.played("--resume", "--skip", "widen=no", command=())
        self.assertEqual(result["outcome"], "finished")
        result, _ = self.played(self.playbook, "--task", "widen")
        self.assertEqual(result["choice"], "widen")
        self.played(self.playbook, "--task", "none", code=USAGE)


class DamagedState(PlayedTest):
    """A play.json that was cut, edited by hand or written by something else is refused in a
    sentence, and stays as it is."""

    def refused(self, text, reason):
        self.state.write_text(text)
        _, said = self.played("--resume", command=(), code=INPUT)
        self.assertIn(reason, said)
        self.assertEqual(self.state.read_text(), text)

    def test_is_refused(self):
        result, _ = self.played(self.playbook)
        self.state = pathlib.Path(result["folder"]) / "play.json"
        whole = self.state.read_text()

        def changed(*path, value):
            state = json.loads(whole)
            part = state
            for key in path[:-1]:
                part = part[key]
            part[path[-1]] = value
            return json.dumps(state)

        for text in ("", "{", "[]", whole[:-20]):
            with self.subTest(text[-20:]):
                self.refused(text, "is no play of")
        self.refused("{}", "is damaged: schema_version is missing")
        for path, value, reason in (
                (("steps", 0, "does"), "tune", "steps[0].does"),
                (("steps", 0, "does"), "check", "check is no step of its own"),
                (("steps", 0, "state"), "begun", "steps[0].state"),
                (("steps", 0), 3, "steps[0]"),
                (("steps",), {}, "steps"),
                (("request",), {}, "request.command is missing"),
                (("request", "command"), [], "command"),
                (("outcome",), "tired", "outcome"),
                (("choice",), "nosuch", 'has no task or option "nosuch"'),
                (("choice",), 1, "choice")):
            with self.subTest(path=path, value=value):
                self.refused(changed(*path, value=value), reason)
        of_no_task = json.loads(whole) | {"choice": "", "sweep": ["n=1"]}
        self.refused(json.dumps(of_no_task), 'has no task or option ""')
        self.state.write_text(whole)
        self.played("--resume", command=(), code=INCONCLUSIVE)


class Strangers(PlayedTest):
    """A playbook may be anybody's."""

    def test_arguments_are_words(self):
        text = PLAYBOOK.replace('["--n={n}"]', f'["--n=$(touch {self.folder}/shell)", "--n=;a|b"]')
        self.playbook.write_text(text)
        self.played(self.playbook, "--until", "profile")
        self.assertIn(f"--n=$(touch {self.folder}/shell)", self.calls()[-1].argv)
        self.assertFalse((self.folder / "shell").exists())

    def test_no_path_outside_of_the_play(self):
        for name in "../../../outside.md", "/tmp/outside-of-a-play.md", ".hidden", "a/b.md":
            with self.subTest(name):
                self.playbook.write_text(PLAYBOOK.replace("sheet.md", name))
                _, said = self.played(self.playbook, code=USAGE)
                self.assertIn("file is a plain name", said)
        self.assertFalse(self.plays.exists())

    def test_what_is_written_is_in_the_play(self):
        before = set(self.folder.rglob("*"))
        result, _ = self.played(self.playbook)
        for path in result["written"]:
            self.assertEqual(pathlib.Path(path).parent, pathlib.Path(result["folder"]))
        ours = self.plays, self.records
        new = {path for path in set(self.folder.rglob("*")) - before
               if path not in ours and not any(one in path.parents for one in ours)}
        self.assertEqual(new, {self.folder / "starts"})

    def test_keys_that_would_name_a_program_are_errors(self):
        for key in "command", "build", "program", "shell", "change":
            with self.subTest(key):
                self.playbook.write_text(PLAYBOOK.replace(
                    'does = "build"', f'does = "build"\n{key} = "touch {self.folder}/bad"'))
                self.played(self.playbook, code=USAGE)
        self.assertFalse((self.folder / "bad").exists())

    @unittest.skipUnless(os.geteuid() == 0, "only root can give a file away")
    def test_a_file_of_another_user_needs_trust(self):
        os.chown(self.playbook, 12345, 12345)
        _, said = self.played(self.playbook, code=USAGE)
        self.assertIn("--trust", said)
        self.played(self.playbook, "--trust", "--until", "make")


if __name__ == "__main__":
    unittest.main()
