#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the golden cases: what the program prints, compared with what it should print.

    tests/golden/run.py BINARY [--update] [AREA or AREA/CASE ...]

A case is a folder tests/golden/<area>/<case>/ with

    cmd              one command a line, words as in a shell but without one; the first word is
                     `proofline`, paths are relative to the root of the repository, # is a comment
    expected         standard output of all its commands together
    expected-stderr  standard error; without this file it must be empty
    exit             exit code of the last command, 0 without this file; earlier ones must be 0

{tmp} in a command is an empty folder that the commands of the case share. --update writes the
expectations anew: look at the diff before you commit it.
"""
import argparse
import difflib
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
TIMEOUT_S = 120


def run_case(case, binary):
    """The case's stdout, stderr and exit code."""
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "NO_COLOR": "1"}
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
        if name in os.environ:
            environment[name] = os.environ[name]
    out, err, code = b"", b"", 0
    with tempfile.TemporaryDirectory() as tmp:
        for line in (case / "cmd").read_text().splitlines():
            words = shlex.split(line, comments=True)
            if not words:
                continue
            if words[0] != "proofline":
                return out, f"cmd: {words[0]!r} is not proofline".encode(), -1
            if code != 0:
                return out, err + b"cmd: a command before the last one failed\n", -1
            words = [binary] + [word.replace("{tmp}", tmp) for word in words[1:]]
            done = subprocess.run(words, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=TIMEOUT_S, check=False)
            out += done.stdout.replace(tmp.encode(), b"{tmp}")
            err += done.stderr.replace(tmp.encode(), b"{tmp}")
            code = done.returncode
    return out, err, code


def expectation(case, name, default):
    path = case / name
    return path.read_bytes() if path.exists() else default


def store(case, name, content, default):
    """Writes the file, or removes it when it would only say the default."""
    path = case / name
    if content != default:
        path.write_bytes(content)
    elif path.exists():
        path.unlink()


def differences(name, want, got):
    def lines(text):
        return text.decode("utf-8", "backslashreplace").splitlines()

    diff = list(difflib.unified_diff(lines(want), lines(got), f"{name} (wanted)", f"{name} (got)",
                                     lineterm=""))
    return diff or ["the two differ only in the final newline or in invalid UTF-8"]


def check_case(case, binary, update):
    """The lines that say how the case failed; none when it passed."""
    out, err, code = run_case(case, binary)
    results = [("expected", out, None), ("expected-stderr", err, b""),
               ("exit", b"%d\n" % code, b"0\n")]
    if update:
        for name, got, default in results:
            store(case, name, got, default)
        return []
    failure = []
    for name, got, default in results:
        want = expectation(case, name, default)
        if want is None:
            failure += [f"{name} is missing; scripts/update-goldens writes it"]
        elif want != got:
            failure += differences(name, want, got)
    return failure


def main():
    parser = argparse.ArgumentParser(description="Runs the golden cases.")
    parser.add_argument("binary")
    parser.add_argument("names", nargs="*", help="AREA or AREA/CASE; all without one")
    parser.add_argument("--update", action="store_true", help="rewrite the expectations")
    options = parser.parse_intermixed_args()

    folders = [GOLDEN / name for name in options.names] or [GOLDEN]
    cases = sorted(path.parent for folder in folders for path in folder.rglob("cmd"))
    if not cases:
        print("no golden cases found", file=sys.stderr)
        return 1
    failed = 0
    for case in cases:
        failure = check_case(case, str(pathlib.Path(options.binary).resolve()), options.update)
        if failure:
            failed += 1
            print("\n".join([f"FAILED {case.relative_to(GOLDEN)}", *failure, ""]))
    print(f"{len(cases) - failed} golden cases passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
