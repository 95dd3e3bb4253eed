#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`proofline mcp` and the official TypeScript SDK's clients, which are installed from npm into the
build folder; where there is no node (of that version), npm or registry a test is skipped and says
so."""
import hashlib
import pathlib
import shutil
import subprocess
import unittest

from support import BINARY, CAPTURE, ROOT, SANITIZED, TestCase

HERE = ROOT / "tests" / "mcp"
NODE = {1: 18, 2: 20}  # what each major version of the client needs
INSTALL_S, CLIENT_S = 300, 60


def installed(major):
    """The folder with the client and its packages; installed once for each version of the lock."""
    for tool in "node", "npm":
        if shutil.which(tool) is None:
            raise unittest.SkipTest(f"no {tool} here: scripts/install-deps check installs it")
    node = subprocess.run(["node", "--version"], capture_output=True, check=True).stdout.decode()
    if int(node.strip().lstrip("v").split(".")[0]) < NODE[major]:
        raise unittest.SkipTest(f"node is {node.strip()}, this client needs {NODE[major]}")
    packages = HERE / f"sdk-{major}"
    folder = pathlib.Path(BINARY).resolve().parent / f"mcp_client_{major}"
    folder.mkdir(exist_ok=True)
    marker = folder / "installed"
    version = hashlib.sha256((packages / "package-lock.json").read_bytes()).hexdigest()
    if not marker.exists() or marker.read_text() != version:
        for name in "package.json", "package-lock.json":
            shutil.copy(packages / name, folder)
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


@unittest.skipIf(SANITIZED, "mcp_test.py has it all")
class Sdk(TestCase):
    def talk(self, major):
        folder = installed(major)
        done = subprocess.run(["node", "client.mjs", str(major), BINARY, CAPTURE, self.folder],
                              cwd=folder, capture_output=True, timeout=CLIENT_S, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, b"done\n"), done.stderr.decode())

    def test_version_1(self):
        self.talk(1)

    def test_version_2(self):
        self.talk(2)


if __name__ == "__main__":
    unittest.main()
