#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""On a terminal: a pager for what is longer than the screen, Unicode where there is UTF-8, colour
never alone; in a pipe nothing of all that."""
import fcntl
import os
import pty
import struct
import subprocess
import termios
import unittest

from support import BINARY, ROOT, SANITIZER, TIMEOUT_S, TestCase, run

EXAMPLE = ROOT / "examples" / "h200-kernels.ncu-rep.gz"


class Pager(TestCase):
    def on_terminal(self, *arguments, rows=24, **environment):
        """What the terminal got, and the exit code."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))
        env = {"PATH": os.environ.get("PATH", ""), "TERM": "xterm", **SANITIZER, **environment}
        process = subprocess.Popen([BINARY, *map(os.fspath, arguments)], stdin=subprocess.DEVNULL,
                                   stdout=theirs, stderr=subprocess.PIPE, env=env)
        os.close(theirs)
        got = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # Linux says so when nobody has the other end open any more
                break
            if not piece:
                break
            got += piece
        os.close(ours)
        _, errors = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(errors, b"")
        return got.decode().replace("\r\n", "\n"), process.returncode

    def test_a_long_result_goes_through_the_pager(self):
        script = self.write("pager", b"#!/bin/sh\necho PAGED\ncat\n")
        script.chmod(0o755)
        for variables in ({"PAGER": str(script)}, {"PROOFLINE_PAGER": str(script), "PAGER": "false"},
                          {"PAGER": f"'{script}' | cat"}):
            text, code = self.on_terminal("show", EXAMPLE, NO_COLOR="1", **variables)
            self.assertEqual(code, 0)
            self.assertTrue(text.startswith("PAGED\n"), text[:80])
            self.assertIn("taken as absent", text)

    def test_what_fits_or_is_switched_off_is_printed(self):
        plain, _ = self.on_terminal("show", EXAMPLE, "--no-pager", NO_COLOR="1")
        for variables in ({"PAGER": "cat"}, {"PAGER": ""}, {"PAGER": "no-such-pager-anywhere"},
                          {"PROOFLINE_PAGER": "", "PAGER": "false"}):
            text, code = self.on_terminal("show", EXAMPLE, NO_COLOR="1", **variables)
            self.assertEqual((text, code), (plain, 0))
        text, _ = self.on_terminal("show", EXAMPLE, rows=200, NO_COLOR="1", PAGER="false")
        self.assertEqual(text, plain)

    def test_a_pager_that_ends_early_is_no_error(self):
        text, code = self.on_terminal("show", EXAMPLE, PAGER="true")
        self.assertEqual((text, code), ("", 0))

    def test_json_is_not_paged(self):
        text, _ = self.on_terminal("show", EXAMPLE, "--format", "json", PAGER="false")
        self.assertTrue(text.startswith("{"))

    def test_unicode_and_colour_follow_the_terminal(self):
        command = ("diagnose", EXAMPLE, "--kernel", "3", "--no-pager")
        text, _ = self.on_terminal(*command, LANG="en_US.UTF-8")
        self.assertIn("\u2717 high, gain", text)
        self.assertIn("\x1b[31m", text)
        self.assertIn("\u2588\u2588\u2591", text)
        text, _ = self.on_terminal(*command, LANG="en_US.UTF-8", NO_COLOR="1")
        self.assertNotIn("\x1b", text)
        self.assertIn("\u2717 high, gain", text)
        text, _ = self.on_terminal(*command, LC_ALL="C", LANG="en_US.UTF-8")
        self.assertTrue(text.isascii())
        self.assertIn(" x high, gain", text)
        self.assertIn("\x1b[31m", text)
        piped = run(*command, env={"LANG": "en_US.UTF-8", "TERM": "xterm"}).stdout.decode()
        self.assertTrue(piped.isascii())
        self.assertIn("uncoalesced-global  high, gain", piped)


if __name__ == "__main__":
    unittest.main()
