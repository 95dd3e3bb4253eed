# SPDX-License-Identifier: Apache-2.0
"""Runs a composite GitHub Action as GitHub's runner does: its steps in their order, each in a bash of its own,
with its environment filled from inputs and earlier outputs. It knows the expressions that action.yml uses and
refuses others, so that the action cannot rely on what is not tested."""
import os
import pathlib
import re
import subprocess

import yaml

EXPRESSION = re.compile(r"\$\{\{ *([\w.-]+) *\}\}")
STEP_KEYS = {"id", "shell", "env", "run"}


class Runner:
    def __init__(self, action, folder, github):
        """action: the folder of action.yml. github: variables such as GITHUB_API_URL."""
        self.action, self.folder, self.github = action, folder, github
        self.description = yaml.safe_load((action / "action.yml").read_text())
        self.summary = folder / "summary.md"

    def run(self, **inputs):
        """(exit code, log, outputs of the action); inputs by their names, with _ for -."""
        given = {name: str(about.get("default", "")) for name, about in self.description["inputs"].items()}
        for name, value in inputs.items():
            name = name.replace("_", "-")
            if name not in given:
                raise KeyError(f"action.yml has no input {name}")
            given[name] = value
        known = {f"inputs.{name}": value for name, value in given.items()}
        known["github.action_repository"] = ""
        self.summary.write_text("")
        log = ""
        for step in self.description["runs"]["steps"]:
            code, text, outputs = self.step(step, known)
            log += text
            if code:
                return code, log, {}
            known |= {f"steps.{step['id']}.outputs.{name}": value for name, value in outputs.items()}
        return 0, log, {name: fill(about["value"], known)
                        for name, about in self.description["outputs"].items()}

    def step(self, step, known):
        if set(step) - STEP_KEYS or step["shell"] != "bash" or "${{" in step["run"]:
            raise ValueError(f"not a step that this runner knows: {step}")
        outputs = self.folder / f"{step['id']}.outputs"
        outputs.write_text("")
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), **self.github,
                       "GITHUB_ACTION_PATH": str(self.action), "RUNNER_TEMP": str(self.folder),
                       "GITHUB_OUTPUT": str(outputs), "GITHUB_STEP_SUMMARY": str(self.summary),
                       **{name: fill(value, known) for name, value in step["env"].items()}}
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                              cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
        return done.returncode, done.stdout, dict(line.split("=", 1) for line in outputs.read_text().splitlines())


def fill(text, known):
    return EXPRESSION.sub(lambda found: known[found[1]], str(text))
