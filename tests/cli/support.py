# SPDX-License-Identifier: Apache-2.0
"""What the tests in this folder share: running the program, and building reports from bytes.

The program is the one that the environment variable PROOFLINE_BINARY names.
"""
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

BINARY = os.environ["PROOFLINE_BINARY"]
# Its runtime takes memory and makes system calls of its own.
SANITIZED = b"__asan_init" in pathlib.Path(BINARY).read_bytes()
# The long form of tests that have one.
THOROUGH = "PROOFLINE_THOROUGH" in os.environ
ROOT = pathlib.Path(__file__).resolve().parents[2]
CAPTURE = ROOT / "tests" / "fixtures" / "ncu_rep" / "h200-basic.ncu-rep.gz"

DONE, USAGE, INPUT, PARTIAL, STORAGE = 0, 2, 3, 4, 7

# What a sanitizer is told reaches the program even where a test chooses the environment.
SANITIZER = {name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS")
             if name in os.environ}

# Only there so that a program that hangs fails its test; slow machines stay far below it.
TIMEOUT_S = 300 if SANITIZED else 60


def run(*arguments, **options):
    """Runs the program on these arguments; stdout and stderr are bytes."""
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, **options}
    if "input" in options:
        del options["stdin"]
    if "env" in options:
        options["env"] = {**SANITIZER, **options["env"]}
    return subprocess.run([BINARY, *map(os.fspath, arguments)], stderr=subprocess.PIPE,
                          timeout=TIMEOUT_S, check=False, **options)


class TestCase(unittest.TestCase):
    """A test with an empty folder of its own, self.folder."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def expect_error(self, done, code):
        """One line, free of control characters, and nothing on stdout."""
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout or b"", b"")
        self.assertTrue(done.stderr.startswith(b"proofline: "), done.stderr)
        self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        self.expect_inert(done.stderr)

    def expect_inert(self, output, allowed="\n"):
        """Nothing in it that a terminal obeys or that hides or reorders what a person sees."""
        text = output.decode("utf-8")
        bad = {c for c in text if c not in allowed and (
            ord(c) < 0x20 or 0x7f <= ord(c) <= 0x9f or c in "\u200b\u202e\u2066\u2028\ufeff")}
        self.assertEqual(bad, set())


# --- reports; the layout is that of src/readers/ncu/ncu_rep.cpp

def varint(number):
    encoded = bytearray()
    while number > 0x7f:
        encoded.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes(encoded) + bytes([number])


def message(*fields):
    """A protobuf message from (number, value) pairs: int, float, str or bytes."""
    encoded = b""
    for number, value in fields:
        if isinstance(value, int):
            encoded += varint(number << 3) + varint(value)
        elif isinstance(value, float):
            encoded += varint(number << 3 | 1) + struct.pack("<d", value)
        else:
            value = value.encode() if isinstance(value, str) else value
            encoded += varint(number << 3 | 2) + varint(len(value)) + value
    return encoded


def sized(content):
    return struct.pack("<I", len(content)) + content


def kernel(name, *fields):
    shape = message((1, 8), (2, 1), (3, 1))
    return message((6, name), (7, name), (10, shape), (11, shape), *fields)


def source(reference, *files, cubin=b"", ptx=b""):
    """Code of sm_90 with embedded source files, given as (name, content)."""
    stored = message(*((1, message((1, name), (2, content))) for name, content in files))
    return message((1, reference), (3, ptx), (4, cubin), (6, 0x90000), (8, stored))


def block(kernels, sources=(), session=b"", process=b"", strings=b"", promised=0):
    """`promised` kernels more than there are."""
    payload = b"".join(map(sized, [*sources, *kernels]))
    header = message((1, len(sources)), (2, len(kernels) + promised), (3, session), (4, strings),
                     (5, len(payload)), (6, process))
    return sized(header) + payload


def report(kernels, **parts):
    """A report of one block; more blocks may follow it."""
    return b"NVR\0" + sized(message((1, 7))) + block(kernels, **parts)
