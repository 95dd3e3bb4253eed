#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tarball and the Debian package: made twice they are the same bytes, and unpacked in an empty root,
with nothing beside them but glibc, the program diagnoses the example that came along."""
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ["PROOFLINE_BINARY"]
EXAMPLE = "share/proofline/examples/h200-kernels.ncu-rep.gz"


def call(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, **options).stdout


def make_packages(folder):
    return subprocess.Popen([sys.executable, ROOT / "scripts/package", "--binary", BINARY, "--out", folder],
                            stdout=subprocess.PIPE)


def add_glibc(root):
    """Lays the loader and the libraries that the program names into a root."""
    for library in re.findall(r"(/\S+) \(0x", call("ldd", BINARY, text=True)):
        target = root / library[1:]
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, target)


def run_in(root, *command):
    """Runs a program with that root and an empty environment, or None where the system lets nobody do so."""
    chroot = shutil.which("chroot", path=os.defpath + ":/usr/sbin:/sbin")
    for prefix in ([], ["unshare", "--user", "--map-root-user"]):
        if subprocess.run([*prefix, chroot, root, "/bin/nothing"], capture_output=True,
                          check=False).returncode == 127:  # 125: chroot itself failed
            return call(*prefix, "env", "-i", chroot, root, *command, text=True)
    return None


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        runs = [make_packages(cls.folder / name) for name in ("first", "second")]
        if any(run.wait() for run in runs):
            raise AssertionError("scripts/package failed")
        cls.tarball, cls.deb = (pathlib.Path(line) for line in runs[0].stdout.read().decode().split())
        for run in runs:
            run.stdout.close()
        cls.roots = {"tarball": cls.folder / "tar", "deb": cls.folder / "deb"}
        for root in cls.roots.values():
            (root / "bin").mkdir(parents=True)
        call("tar", "-xzf", cls.tarball, "--strip-components=1", "-C", cls.roots["tarball"])
        call("dpkg-deb", "-x", cls.deb, cls.roots["deb"])
        cls.prefixes = {"tarball": cls.roots["tarball"], "deb": cls.roots["deb"] / "usr"}

    def test_same_bytes_twice(self):
        for package in (self.tarball, self.deb):
            again = self.folder / "second" / package.name
            self.assertEqual(package.read_bytes(), again.read_bytes(), package.name)

    def test_both_hold_the_same(self):
        names = [sorted(path.relative_to(prefix) for path in prefix.rglob("*") if path.is_file())
                 for prefix in self.prefixes.values()]
        self.assertEqual(*names)
        for part in ("bin/proofline", "share/doc/proofline/LICENSE", "share/doc/proofline/copyright",
                     "share/proofline/schemas/diagnosis.schema.json", "share/proofline/playbooks/moe-evidence.toml"):
            self.assertIn(pathlib.Path(part), names[0])

    def test_links_of_the_readme(self):
        folder = self.prefixes["tarball"] / "share/doc/proofline"
        links = re.findall(r"\]\(([^)#]+)\)", (folder / "README.md").read_text())
        for link in links:
            if "://" not in link and link != "../../releases":
                self.assertTrue((folder / link).exists(), link)

    def test_debian_says_what_it_needs(self):
        version = call(BINARY, "--version", text=True).split()[1]
        fields = call("dpkg-deb", "-f", self.deb, "Package", "Version", "Depends", text=True)
        self.assertEqual(fields, f"Package: proofline\nVersion: {version}\nDepends: libc6 (>= 2.35)\n")
        owners = {line.split()[1] for line in call("dpkg-deb", "-c", self.deb, text=True).splitlines()}
        self.assertEqual(owners, {"root/root"})

    def test_diagnoses_in_an_empty_root(self):
        here = str(ROOT / "examples/h200-kernels.ncu-rep.gz")
        expected = call(BINARY, "diagnose", here, "--format", "csv", text=True)
        for name, root in self.roots.items():
            prefix = "/usr" if name == "deb" else ""
            add_glibc(root)
            printed = run_in(root, f"{prefix}/bin/proofline", "diagnose", f"{prefix}/{EXAMPLE}", "--format", "csv")
            if printed is None:
                self.skipTest("no root of our own is to be had here")
            self.assertEqual(printed, expected.replace(here, f"{prefix}/{EXAMPLE}"))

    def test_commands_of_the_readme(self):
        readme = (ROOT / "README.md").read_text()
        self.assertIn(f"sudo dpkg -i {self.deb.name.replace('arm64', 'amd64')} ", readme)
        block = re.search(r"Without root:\n\n```sh\n(.*?)```", readme, re.DOTALL)[1]
        printed = call("bash", "-ec", block.replace("x86-64", self.tarball.name.split("linux-")[1].split(".")[0]),
                       cwd=self.tarball.parent, env={"PATH": os.defpath}, text=True)
        self.assertIn("uncoalesced-global", printed)

    def test_man_pages(self):
        pages = sorted((self.prefixes["deb"] / "share/man/man1").iterdir())
        commands = call(BINARY, "list", "commands", "--format", "csv", text=True).count("\n") - 1
        self.assertEqual(len(pages), commands + 1)
        if not shutil.which("groff"):
            self.skipTest("no groff")
        text = "\n".join(gzip.decompress(page.read_bytes()).decode() for page in pages)
        done = subprocess.run(["groff", "-man", "-ww", "-Tutf8"], input=text.encode(), capture_output=True,
                              check=True)
        self.assertEqual(done.stderr, b"")
        self.assertIn("--nvidia-rules", re.sub("\x1b\\[[0-9;]*m|.\b", "", done.stdout.decode()))

    def test_completions(self):
        share = self.prefixes["tarball"] / "share"
        for shell, path in (("bash", "bash-completion/completions/proofline"),
                            ("zsh", "zsh/site-functions/_proofline"),
                            ("fish", "fish/vendor_completions.d/proofline.fish")):
            self.assertIn("diagnose", (share / path).read_text())
            if shutil.which(shell):
                call(shell, "-n", share / path)


if __name__ == "__main__":
    unittest.main()
