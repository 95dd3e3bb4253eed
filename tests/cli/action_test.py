#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""action.yml, step by step as GitHub's runner would, against a stand-in for GitHub: what is diagnosed, said in
the summary and commented, and what fails the job."""
import hashlib
import http.server
import json
import pathlib
import platform
import re
import tarfile
import threading
import unittest

from local_runner import Runner
from support import BINARY, ROOT, SANITIZER, TestCase

EXAMPLE = ROOT / "examples/h200-kernels.ncu-rep.gz"
# Prints its arguments, and trips the gate that it is asked to.
STAND_IN = """#!/bin/sh
echo "$@"
case $* in *spills*) exit 1 ;; *3%*) exit 1 ;; esac
"""


class GitHub(http.server.BaseHTTPRequestHandler):
    """Comments of one pull request, two on a page, and files of a release."""
    server_version = "stand-in"

    def answer(self, code, content):
        self.send_response(code)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def reply(self, value):
        self.answer(200, json.dumps(value).encode())

    def refused(self):
        if self.headers.get("Authorization") == "Bearer secret":
            return False
        self.answer(403, b"{}")
        return True

    def body(self):
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]

    def do_GET(self):
        files = self.server.files
        if self.path in files:
            self.answer(200, files[self.path])
        elif page := re.fullmatch(r"/repos/o/r/issues/7/comments\?per_page=100&page=(\d+)", self.path):
            first = (int(page[1]) - 1) * 2
            _ = self.refused() or self.reply(self.server.comments[first:first + 2])
        else:
            self.answer(404, b"{}")

    def do_POST(self):
        if not self.refused():
            self.server.add("github-actions[bot]", self.body())
            self.reply({})

    def do_PATCH(self):
        if not self.refused():
            self.server.comments[int(self.path.rsplit("/", 1)[1])]["body"] = self.body()
            self.reply({})

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def __init__(self):
        super().__init__(("127.0.0.1", 0), GitHub)
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        self.comments, self.files = [], {}

    def add(self, login, body):
        self.comments.append({"user": {"login": login}, "body": body,
                              "url": f"{self.address}/comments/{len(self.comments)}"})


class Action(TestCase):
    def setUp(self):
        super().setUp()
        self.server = Server()
        thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))
        thread.start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(self.server.shutdown)
        event = self.write("event.json", b'{"pull_request": {"number": 7}}')
        self.runner = Runner(ROOT, self.folder, {
            "GITHUB_API_URL": self.server.address, "GITHUB_SERVER_URL": self.server.address,
            "GITHUB_REPOSITORY": "o/r", "GITHUB_EVENT_PATH": str(event), **SANITIZER})

    def stand_in(self, script=STAND_IN):
        path = self.write("stand-in", script.encode())
        path.chmod(0o755)
        return str(path)

    def bodies(self):
        return [comment["body"] for comment in self.server.comments]

    def test_diagnosis_is_in_the_summary_and_in_one_comment(self):
        for name in "someone", "else":
            self.server.add(name, "<!-- proofline comment: Proofline -->\nnot ours")
        for _ in range(2):
            code, log, outputs = self.runner.run(proofline=BINARY, reports=str(EXAMPLE), token="secret")
            self.assertEqual((code, log), (0, ""))
        summary = self.runner.summary.read_text()
        self.assertIn("uncoalesced-global", summary)
        self.assertEqual(pathlib.Path(outputs["markdown"]).read_text().strip(), summary.strip())
        self.assertEqual(len(self.bodies()), 3, "one comment, updated")
        self.assertIn("uncoalesced-global", self.bodies()[2])
        self.assertTrue(self.bodies()[1].endswith("not ours"))

    def test_gates_fail_after_the_comment(self):
        report = self.write("a.ncu-rep", b"")
        before = self.write("before.ncu-rep", b"")
        code, _, _ = self.runner.run(proofline=self.stand_in(), reports=str(report), token="secret",
                                     select="a,b", ignore="c", fail_on="register-spills")
        self.assertEqual(code, 1)
        self.assertIn(f"diagnose {report} --select a,b --ignore c --fail-on register-spills --format markdown",
                      self.bodies()[0])
        code, _, _ = self.runner.run(proofline=self.stand_in(), reports=str(report), token="secret",
                                     baseline=str(before), fail_above="3%")
        self.assertEqual(code, 1)
        self.assertIn(f"compare {before} {report} --fail-above 3% --format markdown", self.bodies()[0])

    def test_gates_of_the_program_itself(self):
        reports = self.folder / "reports"
        reports.mkdir()
        (reports / EXAMPLE.name).write_bytes(EXAMPLE.read_bytes())
        for rule, failed in ("register-spills", 1), ("constant-cache", 0), ("spill", 2):
            with self.subTest(rule):
                code, _, _ = self.runner.run(proofline=BINARY, reports=str(reports), token="secret",
                                             fail_on=rule)
                self.assertEqual(code, failed)

    def test_globs_and_names_that_a_shell_would_obey(self):
        for name in "b $(touch owned).ncu-rep", "a.ncu-rep":
            self.write(name, b"")
        code, _, _ = self.runner.run(proofline=self.stand_in(), reports="*.ncu-rep\nnone/*.ncu-rep")
        self.assertEqual(code, 0)
        self.assertIn("diagnose a.ncu-rep b $(touch owned).ncu-rep none/*.ncu-rep", self.runner.summary.read_text())
        self.assertFalse((self.folder / "owned").exists())

    def test_long_results_are_cut_at_a_line(self):
        lines = "\\n".join(["```"] + ["kernel @someone é"] * 5000)
        code, _, _ = self.runner.run(proofline=self.stand_in(f"#!/bin/sh\nprintf '{lines}\\n'\n"), reports="a",
                                     token="secret")
        self.assertEqual(code, 0)
        body = self.bodies()[0]
        self.assertLessEqual(len(body), 65_536)
        self.assertGreater(len(body), 65_000)
        self.assertNotIn("@someone", body)
        self.assertEqual(body.count("```"), 2)
        self.assertTrue(body.endswith("see the summary of this run.\n"))
        self.assertEqual(self.runner.summary.read_text().count("kernel"), 5000)

    def test_without_permission_there_is_a_warning(self):
        code, log, _ = self.runner.run(proofline=self.stand_in(), reports="a", token="of a fork")
        self.assertEqual((code, self.bodies()), (0, []))
        self.assertIn("::warning::cannot comment on the pull request: HTTP Error 403", log)
        self.assertNotIn("of a fork", log)

    def test_release_is_fetched_and_checked(self):
        version = re.search(r"project\(proofline VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        architecture = {"x86_64": "x86-64", "aarch64": "arm64"}[platform.machine()]
        name = f"proofline-{version}-linux-{architecture}"
        with tarfile.open(self.folder / "release", "w:gz") as archive:
            archive.add(self.stand_in(), f"{name}/bin/proofline")
        content = (self.folder / "release").read_bytes()
        place = f"/o/r/releases/download/v{version}"
        sums = f"{hashlib.sha256(content).hexdigest()}  {name}.tar.gz\n".encode()
        self.server.files = {f"{place}/{name}.tar.gz": content, f"{place}/SHA256SUMS": sums}
        code, log, _ = self.runner.run(reports="a")
        self.assertEqual((code, log), (0, "no comment: no token was given\n"))
        self.assertIn("diagnose a", self.runner.summary.read_text())
        self.server.files[f"{place}/{name}.tar.gz"] = content[:-1] + b"x"
        code, log, _ = self.runner.run(reports="a")
        self.assertEqual(code, 1)
        self.assertIn("does not have the checksum", log)


if __name__ == "__main__":
    unittest.main()
