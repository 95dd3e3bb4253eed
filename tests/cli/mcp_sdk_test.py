#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`proofline mcp` and the official TypeScript SDK's client, which is installed from npm into the
build folder; where there is no node, npm or registry the test is skipped and says so."""
import hashlib
import pathlib
import shutil
import subprocess
import unittest

from support import BINARY, CAPTURE, ROOT, SANITIZED, TestCase

HERE = ROOT / "tests" / "mcp"
PACKAGE = ("package.json", "package-lock.json")
INSTALL_S, CLIENT_S = 300, 60


def installed():
    """The folder with the client and its packages; installed once for each version of the lock."""
    for tool in "node", "npm":
        if shutil.which(tool) is None:
            raise unittest.SkipTest(f"no {tool} here: scripts/install-deps check installs it")
    folder = pathlib.Path(BINARY).resolve().parent / "mcp_client"
    folder.mkdir(exist_ok=True)
    marker = folder / "installed"
    version = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in PACKAGE)).hexdigest()
    if not marker.exists() or marker.read_text() != version:
        for name in PACKAGE:
            shutil.copy(HERE / name, folder)
        try:
            done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
                                  cwd=folder, capture_output=True, timeout=INSTALL_S, check=False)
            failure = done.stderr.decode() if done.returncode else ""
        except subprocess.TimeoutExpired:
            failure = "it takes too long"
        if failure:
            raise unittest.SkipTest(f"npm cannot install the client: {failure[-500:]}")
        marker.write_text(version)
    shutil.copy(HERE / "client.mjs", folder)
    return folder


class Sdk(TestCase):
    @unittest.skipIf(SANITIZED, "mcp_test.py has it all")
    def test_client(self):
        folder = installed()
        done = subprocess.run(["node", "client.mjs", BINARY, CAPTURE, self.folder], cwd=folder,
                              capture_output=True, timeout=CLIENT_S, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, b"done\n"), done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
