#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`proofline mcp` over raw lines: the protocol's rules, every tool, progress and cancellation, and
what a client must not be able to do to it."""
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import unittest

from support import BINARY, CAPTURE, ROOT, SANITIZED, TIMEOUT_S, TestCase

TOOLS = ["bench", "check", "compare", "diagnose", "explain", "identify", "journal", "sass", "show",
         "timeline", "try"]
# What writes where it likes, or prints something else than a result.
KEPT_BACK = {"out", "format", "extract", "cfg", "chrome", "journal", "runs", "dry_run", "print",
             "lint", "disassembler", "unsafe_disassembler"}
PARSE, INVALID, NO_METHOD, PARAMS, NOT_FOUND = -32700, -32600, -32601, -32602, -32002


def waits(pid_file):
    """A program that says who it is and then waits for ever."""
    return ["sh", "-c", f"echo $$ > {pid_file}; exec sleep 1000"]


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Client:
    """One that sends what it likes."""

    def __init__(self, folder):
        self.process = subprocess.Popen([BINARY, "mcp"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder)
        self.last_id = 0
        self.notifications = []

    def send(self, message):
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self):
        if not select.select([self.process.stdout], [], [], TIMEOUT_S)[0]:
            raise AssertionError("no answer")
        return json.loads(self.process.stdout.readline())

    def notify(self, method, **params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method, **params):
        """Sends it and returns its id."""
        self.last_id += 1
        self.send({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params})
        return self.last_id

    def answer(self, to):
        """The answer to this id; what is told before it is kept."""
        while True:
            message = self.receive()
            if message.get("id") == to and "method" not in message:
                return message
            self.notifications.append(message)

    def ask(self, method, **params):
        return self.answer(self.request(method, **params))

    def call(self, tool, /, **arguments):
        return self.ask("tools/call", name=tool, arguments=arguments)["result"]

    def initialize(self, version="2025-11-25"):
        result = self.ask("initialize", protocolVersion=version, capabilities={},
                          clientInfo={"name": "test", "version": "1"})["result"]
        self.notify("notifications/initialized")
        return result

    def close(self):
        if not self.process.stdin.closed:
            self.process.stdin.close()
        code = self.process.wait(TIMEOUT_S)
        self.process.stdout.close()
        self.process.stderr.close()
        return code


class McpTestCase(TestCase):
    def setUp(self):
        super().setUp()
        self.client = self.connect()

    def connect(self):
        client = Client(self.folder)
        self.addCleanup(client.close)
        return client

    def expect_refused(self, answer, code):
        self.assertEqual(answer["error"]["code"], code, answer)
        self.assertTrue(answer["error"]["message"])
        return answer["error"]["message"]


class Protocol(McpTestCase):
    def test_initialize(self):
        result = self.client.initialize()
        self.assertEqual(result["protocolVersion"], "2025-11-25")
        self.assertEqual(result["capabilities"], {"tools": {}, "resources": {}})
        self.assertEqual(result["serverInfo"]["name"], "proofline")

    def test_revisions(self):
        for wanted, given in (("2025-06-18", "2025-06-18"), ("2025-03-26", "2025-03-26"),
                              ("1999-01-01", "2025-11-25")):
            client = self.connect()
            self.assertEqual(client.initialize(wanted)["protocolVersion"], given)

    def test_order(self):
        self.assertEqual(self.client.ask("ping")["result"], {})
        self.expect_refused(self.client.ask("tools/list"), INVALID)
        self.expect_refused(self.client.ask("initialize"), PARAMS)
        self.client.initialize()
        self.assertIn("result", self.client.ask("tools/list"))
        self.expect_refused(self.client.ask("initialize", protocolVersion="2025-11-25"), INVALID)

    def test_ids(self):
        for good in (0, 7, -3, 2**60, "", "a\n\"b", "\u00fc"):
            self.client.send({"jsonrpc": "2.0", "id": good, "method": "ping"})
            self.assertEqual(self.client.receive(), {"jsonrpc": "2.0", "id": good, "result": {}})
        for bad in (None, 1.5, True, [1], {"a": 1}):
            self.client.send({"jsonrpc": "2.0", "id": bad, "method": "ping"})
            answer = self.client.receive()
            self.assertNotIn("id", answer)
            self.expect_refused(answer, INVALID)

    def test_what_is_no_message(self):
        for line, code in ((b"{", PARSE), (b"nonsense", PARSE), (b"\xff\xfe", PARSE),
                           (b'{"a":1}x', PARSE), (b"[" * 100000, PARSE), (b"1", INVALID),
                           (b"[]", INVALID), (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', INVALID),
                           (b"{}", INVALID), (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', INVALID),
                           (b'{"jsonrpc":"2.0","id":1}', INVALID),
                           (b'{"jsonrpc":"2.0","id":1,"method":7}', INVALID),
                           (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', PARAMS)):
            with self.subTest(line[:40]):
                self.client.send(line)
                self.expect_refused(self.client.receive(), code)
        # Answers to nothing and notifications that nobody knows are passed over.
        self.client.send({"jsonrpc": "2.0", "id": 1, "result": {}})
        self.client.notify("notifications/nothing")
        self.client.send(b"\r")
        self.assertEqual(self.client.ask("ping")["result"], {})

    def test_long_line(self):
        """64 MiB are neither kept nor the end."""
        self.client.process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"')
        for _ in range(64):
            self.client.process.stdin.write(b"x" * (1 << 20))
        self.client.send(b'"}')
        self.expect_refused(self.client.receive(), INVALID)
        self.assertEqual(self.client.ask("ping")["result"], {})
        status = pathlib.Path(f"/proc/{self.client.process.pid}/status").read_text()
        peak = int(status.split("VmHWM:")[1].split()[0])
        if not SANITIZED:
            self.assertLess(peak, 32 << 10)

    def test_unknown(self):
        self.client.initialize()
        self.expect_refused(self.client.ask("no/such"), NO_METHOD)
        self.expect_refused(self.client.ask("logging/setLevel", level="info"), NO_METHOD)
        self.expect_refused(self.client.ask("tools/call", name="mcp", arguments={}), PARAMS)
        self.expect_refused(self.client.ask("tools/call", name=3), PARAMS)
        self.expect_refused(self.client.ask("tools/call"), PARAMS)
        self.expect_refused(self.client.ask("tools/list", cursor="x"), PARAMS)
        self.expect_refused(self.client.ask("resources/read"), PARAMS)

    def test_end_of_input(self):
        self.client.initialize()
        self.assertEqual(self.client.close(), 0)

    def test_interrupt(self):
        self.client.initialize()
        self.client.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.client.process.wait(TIMEOUT_S), 130)


class Tools(McpTestCase):
    def setUp(self):
        super().setUp()
        self.client.initialize()

    def test_list(self):
        tools = {tool["name"]: tool for tool in self.client.ask("tools/list")["result"]["tools"]}
        self.assertEqual(list(tools), TOOLS)
        for name, tool in tools.items():
            schema = tool["inputSchema"]
            self.assertEqual((schema["type"], schema["additionalProperties"]), ("object", False))
            self.assertLessEqual(set(schema["required"]), set(schema["properties"]))
            self.assertEqual(tool["annotations"]["readOnlyHint"],
                             name not in ("bench", "try", "journal"))
            self.assertEqual(tool["annotations"]["openWorldHint"], name in ("bench", "try"))
            self.assertFalse(KEPT_BACK & set(schema["properties"]))
            for member in schema["properties"].values():
                self.assertNotIn("--", member["description"])

    def test_inputs_are_the_commands_flags(self):
        tools = {tool["name"]: tool["inputSchema"]
                 for tool in self.client.ask("tools/list")["result"]["tools"]}
        inputs = tools["bench"]["properties"]
        self.assertEqual(inputs["max_starts"]["type"], "integer")
        self.assertEqual(inputs["time_limit"]["type"], "number")
        self.assertEqual(inputs["keep_same"]["type"], "boolean")
        self.assertEqual(inputs["time_by"]["enum"], ["auto", "program", "cupti", "wall"])
        for name in ("a", "command"):
            self.assertEqual((inputs[name]["type"], inputs[name]["minItems"]), ("array", 1))
        self.assertTrue(tools["diagnose"]["properties"]["brief"]["default"])
        self.assertEqual(tools["compare"]["required"], ["a", "b"])
        self.assertEqual(tools["try"]["required"], ["hypothesis", "command"])
        self.assertEqual(tools["explain"]["properties"]["name"]["type"], "string")

    def succeed(self, tool, /, **arguments):
        result = self.client.call(tool, **arguments)
        self.assertFalse(result["isError"], result)
        self.assertEqual(json.loads(result["content"][0]["text"]), result["structuredContent"])
        return result["structuredContent"]

    def test_reading_tools(self):
        capture = str(CAPTURE)
        self.assertEqual(self.succeed("identify", files=[capture])["files"][0]["format"], "ncu-rep")
        self.assertIn("levels", self.succeed("diagnose", files=[capture])["kernels"][0])
        self.assertIn("clean", self.succeed("diagnose", files=[capture],
                                            brief=False)["kernels"][0])
        self.assertIn("facts", self.succeed("diagnose", files=[capture],
                                            facts=True)["kernels"][0])
        shown = self.succeed("show", file=capture, metrics=["gpu__time_duration.sum"], launch=[0])
        self.assertEqual([launch["id"] for launch in shown["launches"]], [0])
        self.assertTrue(self.succeed("compare", a=capture, b=capture)["pairs"])
        code = str(ROOT / "examples" / "h200-kernels.ncu-rep.gz")
        self.assertTrue(self.succeed("sass", file=code, kernel="transpose_naive",
                                     forbid=["spill"])["functions"])
        timeline = str(ROOT / "tests/fixtures/timeline/allocations.pt.trace.json.gz")
        self.assertEqual(self.succeed("timeline", files=[timeline])["result"], "timeline")
        self.assertEqual(self.succeed("explain", name="long_scoreboard")["name"], "long_scoreboard")
        self.assertEqual(self.succeed("journal", action="open", texts=["-a dash"])["result"],
                         "journal-entry")
        self.assertEqual(len(self.succeed("journal", action="list")["attempts"]), 1)

    def test_check(self):
        shutil.copy(ROOT / "tests/fixtures/playbooks/transpose-before.ncu-rep.gz", self.folder)
        result = self.client.call("check", playbook="gone", files=["transpose-before.ncu-rep.gz"])
        self.assertTrue(result["isError"])
        self.assertEqual(result["structuredContent"]["error"]["argument"], "gone")

    def test_measuring_tools(self):
        """Arguments reach the program as they are: no shell, whatever is in them."""
        odd = ["it's", "$HOME", "a|b;c", "", "-x", "*"]
        script = self.write("program.sh", b'#!/bin/sh\nfor a in "$@"; do echo "<$a>"; done >> args\n')
        script.chmod(0o755)
        result = self.succeed("bench", a=[str(script), *odd], b=["true"], starts=2)
        self.assertEqual(result["result"], "bench")
        lines = (self.folder / "args").read_text().splitlines()
        self.assertEqual(lines[:len(odd)], [f"<{word}>" for word in odd])
        tried = self.succeed("try", hypothesis="--nothing", command=["true", "--format", "csv"],
                             a=["true"], starts=2)
        self.assertIn("journal", tried)

    def test_wrong_arguments(self):
        """They are the tool's result, so that a model can mend them."""
        for tool, arguments in (("diagnose", {}), ("diagnose", {"files": []}),
                                ("diagnose", {"files": "a"}), ("diagnose", {"files": [1]}),
                                ("diagnose", {"files": ["a\0b"]}), ("diagnose", {"file": "a"}),
                                ("diagnose", {"files": ["a"], "brief": "all"}),
                                ("diagnose", {"files": ["a"], "launch": [-1]}),
                                ("show", {"file": "a", "all": "yes"}),
                                ("bench", {"a": "true", "b": ["true"]}),
                                ("bench", {"a": [], "b": ["true"]}),
                                ("journal", {"action": "gone"}),
                                ("journal", {"action": "sync"})):
            with self.subTest(tool=tool, arguments=arguments):
                result = self.client.call(tool, **arguments)
                self.assertTrue(result["isError"])
                self.assertTrue(result["content"][0]["text"])
        self.assertTrue(self.client.ask("tools/call", name="show", arguments=[])["result"]["isError"])

    def test_no_flag_gets_through(self):
        result = self.client.call("diagnose", files=["--help"])
        self.assertTrue(result["isError"])
        self.assertEqual(result["structuredContent"]["error"]["argument"], "--help")
        result = self.client.call("explain", name="--version")
        self.assertTrue(result["isError"])

    def test_failure_of_a_tool(self):
        result = self.client.call("diagnose", files=["gone"])
        self.assertTrue(result["isError"])
        self.assertEqual(result["structuredContent"]["error"]["kind"], "input")
        self.assertEqual(result["_meta"]["proofline/exit-code"], 3)

    def test_options_are_named_as_parameters(self):
        result = self.client.call("diagnose", files=[str(CAPTURE)], fail_on=["none-such"])
        message = result["structuredContent"]["error"]["message"]
        self.assertTrue(message.startswith("fail_on: "), message)

    def test_progress(self):
        asked = self.client.request("tools/call", name="bench", _meta={"progressToken": "t"},
                                    arguments={"a": ["sleep", "0.4"], "b": ["sleep", "0.4"],
                                               "starts": 1})
        self.client.answer(asked)
        told = [one["params"] for one in self.client.notifications
                if one["method"] == "notifications/progress"]
        self.assertTrue(told)
        self.assertEqual({one["progressToken"] for one in told}, {"t"})
        progress = [one["progress"] for one in told]
        self.assertEqual(progress, sorted(set(progress)))
        # The command's own words, not only that it goes on.
        self.assertTrue([one for one in told if not one["message"].startswith("running for")])

    def test_programs_get_the_clients_environment(self):
        self.succeed("bench", a=["sh", "-c", "env > variables"], b=["true"], starts=1)
        self.assertNotIn("PROOFLINE_AGENT", (self.folder / "variables").read_text())

    def test_cancel(self):
        pid_file = self.folder / "pid"
        running = self.client.request("tools/call", name="bench",
                                      arguments={"a": waits(pid_file), "b": ["true"]})
        waiting = self.client.request("tools/call", name="explain", arguments={"name": "dram"})
        while not pid_file.exists() or not pid_file.read_text():
            # Answered while a call runs.
            self.assertEqual(self.client.ask("ping")["result"], {})
        pid = int(pid_file.read_text())
        self.client.notify("notifications/cancelled", requestId=waiting)
        self.client.notify("notifications/cancelled", requestId=running)
        self.client.notify("notifications/cancelled", requestId="of nothing")
        # Neither is answered; the next call begins when nothing is left of the first.
        result = self.client.call("explain", name="long_scoreboard")
        self.assertFalse(result["isError"])
        self.assertEqual([one for one in self.client.notifications if "id" in one], [])
        self.assertFalse(is_alive(pid))

    def test_end_while_a_call_runs(self):
        for end in ("input", "kill"):
            with self.subTest(end):
                client = self.connect()
                client.initialize()
                pid_file = self.folder / f"pid-{end}"
                client.request("tools/call", name="bench",
                               arguments={"a": waits(pid_file), "b": ["true"]})
                while not pid_file.exists() or not pid_file.read_text():
                    client.ask("ping")
                pid = int(pid_file.read_text())
                if end == "kill":
                    client.process.kill()
                client.close()
                # By the keepers, where we were killed and could order nothing.
                while is_alive(pid):
                    select.select([], [], [], 0.01)

    def test_calls_come_in_order(self):
        first = self.client.request("tools/call", name="explain", arguments={"name": "barrier"})
        second = self.client.request("tools/call", name="explain", arguments={"name": "drain"})
        self.assertEqual(self.client.receive()["id"], first)
        self.assertEqual(self.client.receive()["id"], second)


class Resources(McpTestCase):
    def setUp(self):
        super().setUp()
        self.client.initialize()

    def listed(self):
        return [one["uri"] for one in self.client.ask("resources/list")["result"]["resources"]]

    def read(self, uri):
        return self.client.ask("resources/read", uri=uri)["result"]["contents"][0]

    def test_documents(self):
        self.assertIn("proofline://explain/uncoalesced-global", self.listed())
        page = self.read("proofline://explain/long_scoreboard")
        self.assertEqual(page["mimeType"], "text/markdown")
        self.assertIn("long_scoreboard", page["text"])
        templates = self.client.ask("resources/templates/list")["result"]["resourceTemplates"]
        self.assertEqual({one["name"] for one in templates}, {"explain", "report", "run"})

    def test_reports(self):
        shutil.copy(CAPTURE, self.folder / "a b%.ncu-rep")
        self.write("notes.txt", b"no report")
        here = "proofline://report/a%20b%25.ncu-rep"
        self.assertEqual([uri for uri in self.listed() if "/report/" in uri], [here])
        self.assertTrue(json.loads(self.read(here)["text"])["kernels"])
        self.client.call("show", file=str(CAPTURE))
        self.assertEqual(len([uri for uri in self.listed() if "/report/" in uri]), 2)

    def test_runs(self):
        self.client.call("bench", a=["true"], b=["true"], starts=1)
        runs = [uri for uri in self.listed() if "/run/" in uri]
        self.assertEqual(len(runs), 1)
        self.assertIn("steps", json.loads(self.read(runs[0])["text"]))

    def test_not_there(self):
        self.write("secret", b"{}")
        for uri in ("proofline://run/../../secret", "proofline://run/%2e%2e%2fsecret",
                    "proofline://run/none", "proofline://report/gone", "proofline://explain/",
                    "proofline://explain/no-such-name-at-all", "file:///etc/passwd", "%",
                    "proofline://report/%zz", "proofline://report/a%00b"):
            with self.subTest(uri):
                answer = self.client.ask("resources/read", uri=uri)
                self.expect_refused(answer, NOT_FOUND)
                self.assertEqual(answer["error"]["data"], {"uri": uri})


if __name__ == "__main__":
    os.environ.pop("PROOFLINE_JOURNAL", None)
    unittest.main()
