#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`proofline run` on a task with a sweep: it tries the settings itself, keeps what is faster as the
workload, and goes on with the rest after a kill. Changes are timed in every case of the playbook."""
import json
import subprocess
import unittest

from played import FAKE, PLAYBOOK, PlayedTest
from support import BINARY, SANITIZED, TIMEOUT_S

SWEEP = PLAYBOOK.replace('''n = 64
args = ["--n={n}"]''', '''n = 64
tile = 128
args = ["--n={n}", "--tile={tile}"]''').replace('''[[task]]
id = "unroll"''', '''[[task]]
id = "tile"
change = ["launch"]
when = 'not check[short]'
legal = ['workload.tile <= 512']
sweep = { tile = [64, 128, 256, 512, 1024] }
accept = ['change.gain > 0% and change.arguments == "different"']
[[task]]
id = "unroll"''')

CASES = SWEEP.replace('''[[kernel]]''', '''[[case]]
id = "small"
set = { n = 16 }
args = ["--brief"]
[[kernel]]''').replace('''does = "bench"
''', '''does = "bench"
cases = ["small"]
''').replace('''[[phase]]
id = "profile"''', '''[[phase]]
id = "large"
does = "bench"
starts = 3
[[phase]]
id = "profile"''')

TRIED = [("tile", "reverted", ["tile=64"]), ("tile", "kept", ["tile=256"]),
         ("tile", "failed", ["tile=512"])]


class Sweeps(PlayedTest):
    def setUp(self):
        super().setUp()
        # With the largest tile it fails, once the file `go` lets it.
        self.script("program", f'''cd "$(dirname "$0")"
echo "$@" >> {self.folder}/arguments
case "$*" in
  *tile=64*) factor=1.3 ;;
  *tile=256*) factor=0.7 ;;
  *tile=512*) while [ ! -e {self.folder}/go ]; do sleep 0.01; done; exit 3 ;;
  *) factor=1 ;;
esac
exec {FAKE} --noise=0.002 --count={self.folder}/starts --factor=$factor''')
        self.script("right", f'echo "$@" >> {self.folder}/checked')
        (self.folder / "go").touch()

    def settings(self, result):
        return [(one["task"], one["state"], one["setting"]) for one in result["attempts"]]

    def lines(self, name):
        return (self.folder / name).read_text().splitlines()

    def expect_swept(self, result):
        self.assertEqual(self.settings(result), TRIED)
        self.assertEqual((result["outcome"], result["choice"]), ("waiting", "unroll"))
        # What follows is measured with the setting that was kept.
        self.assertEqual(self.lines("arguments")[-1], "--n=64 --tile=256")
        self.assertNotIn("--n=64 --tile=1024", self.lines("arguments"))
        tasks = {one["id"]: one for one in result["checks"]["tasks"]}
        self.assertEqual(tasks["tile"]["state"], "kept")
        self.assertIn("tile=256", tasks["tile"]["reason"])
        self.assertEqual([one["state"] for one in self.attempts() if one["state"] != "abandoned"],
                         ["reverted", "kept", "failed"])

    def test_what_is_faster_becomes_the_workload(self):
        playbook = self.write("sweep.toml", SWEEP.encode())
        result, told = self.played(playbook)
        self.expect_swept(result)
        self.assertIn("attempt 2, tile with tile=256: kept", told)
        shown = self.run_it("journal", "show", self.attempts()[1]["id"], "--journal", self.journal)
        self.assertIn(b"tile accepted", shown.stdout)
        # Nothing is swept twice: the journal has it.
        again, _ = self.played(playbook, "--workload", "tile=256")
        self.assertEqual((again["attempts"], again["choice"]), ([], "unroll"))

    @unittest.skipIf(SANITIZED, "the same again, with the value elsewhere")
    def test_a_command_takes_values_too(self):
        playbook = self.write("sweep.toml", SWEEP.replace(', "--tile={tile}"', "").encode())
        result, _ = self.played(playbook, command=("./program", "--tile={tile}", "{none}"))
        self.assertEqual(self.settings(result), TRIED)
        self.assertEqual(self.lines("arguments")[-1], "--tile=256 {none} --n=64")

    def test_what_no_argument_takes_is_for_people(self):
        playbook = self.write("sweep.toml", SWEEP.replace(', "--tile={tile}"', "").encode())
        result, _ = self.played(playbook)
        self.assertEqual((result["attempts"], result["choice"]), ([], "tile"))

    @unittest.skipIf(SANITIZED, "the same again, with a kill")
    def test_a_kill_in_the_middle(self):
        (self.folder / "go").unlink()
        playbook = self.write("sweep.toml", SWEEP.encode())
        command = [str(word) for word in [BINARY, *self.words(playbook), "--", "./program"]]
        with subprocess.Popen(command, cwd=self.work, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            arguments = self.folder / "arguments"
            while not arguments.exists() or "tile=512" not in arguments.read_text():
                self.assertIsNone(process.poll())
            process.kill()
            process.wait(timeout=TIMEOUT_S)
        (self.folder / "go").touch()
        before = self.lines("arguments")
        result, _ = self.played("--resume", command=None)
        self.expect_swept(result)
        # What was decided on is not tried again.
        self.assertNotIn("--n=64 --tile=64", self.lines("arguments")[len(before):])

    def test_changes_are_checked_and_timed_in_every_case(self):
        playbook = self.write("cases.toml", CASES.encode())
        result, _ = self.played(playbook)
        self.assertEqual(self.settings(result), TRIED)
        for line in "--n=16 --tile=256 --brief", "--n=64 --tile=256":
            self.assertGreaterEqual(self.lines("arguments").count(line), 9)
            self.assertIn(line, self.lines("checked"))
        benchmark = next((self.plays / result["name"] / "attempts" / "2").glob(
            "*program/benchmark.json"))
        axes = [[(axis["name"], axis["value"]) for axis in one["axes"][:2]]
                for one in json.loads(benchmark.read_text())["sides"][0]["measurements"]]
        self.assertEqual(axes, [[("case", "small"), ("n", "16")],
                                [("case", "workload"), ("n", "64")]])


if __name__ == "__main__":
    unittest.main()
