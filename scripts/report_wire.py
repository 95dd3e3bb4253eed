# SPDX-License-Identifier: Apache-2.0
"""The container of a .ncu-rep file, as far as our scripts need it: blocks, their messages, and the
fields of a message as byte ranges. Protobuf wire format, read by hand so that the scripts run
wherever python3 does.

    "NVR\\0", u32 n, FileHeader (n bytes), then blocks until the end of the file:
    u32 n, BlockHeader (n bytes), payload: a run of (u32 size, message)

Nothing here holds more than one block at a time, so a file of any size is one forward pass.
"""

import struct

MAGIC = b"NVR\0"

# Fields of BlockHeader.
SESSION, STRINGS, PAYLOAD_SIZE = 3, 4, 5
# Also fields of BlockHeader: the number of messages of each kind, in the order of the payload.
SOURCES, KERNELS, RANGES, COMMAND_LISTS, GRAPHS = 1, 2, 7, 8, 9
MESSAGE_KINDS = (SOURCES, KERNELS, RANGES, COMMAND_LISTS, GRAPHS)
RESULT_KINDS = (KERNELS, RANGES, COMMAND_LISTS, GRAPHS)

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class ReportError(Exception):
    """The input is no report, or a damaged one; the text says what and where."""


def varint(data, at):
    """The varint at `at` and the position after it."""
    result = shift = 0
    while True:
        byte = data[at]
        at += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result, at
        shift += 7
        if shift > 63:
            raise ReportError("a varint of more than ten bytes")


def encode_varint(value):
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def encode_field(number, content):
    """A field whose value is an integer or the bytes of a string or message."""
    if isinstance(content, int):
        return encode_varint(number << 3 | VARINT) + encode_varint(content)
    return encode_varint(number << 3 | BYTES) + encode_varint(len(content)) + content


def fields(data, start=0, end=None):
    """Yields (number, wire type, start of the field, start of its value, end) for each field."""
    end = len(data) if end is None else end
    at = start
    try:
        while at < end:
            begin = at
            key, at = varint(data, at)
            wire = key & 7
            if wire == BYTES:
                size, at = varint(data, at)
                value, at = at, at + size
            elif wire == VARINT:
                value = at
                while data[at] > 0x7F:
                    at += 1
                at += 1
            elif wire == FIXED64:
                value, at = at, at + 8
            elif wire == FIXED32:
                value, at = at, at + 4
            else:
                raise ReportError(f"a field of unknown wire type {wire}")
            if at > end:
                raise ReportError("a field that reaches past the end of its message")
            yield key >> 3, wire, begin, value, at
    except IndexError:
        raise ReportError("a message that ends inside a field") from None


class Block:
    """One block's header; the payload is still in the stream."""

    def __init__(self, header, payload_at):
        self.header = header
        self.payload_at = payload_at
        self.counts = dict.fromkeys(MESSAGE_KINDS, 0)
        self.payload_size = 0
        for number, wire, _, value, _ in fields(header):
            if wire != VARINT:
                continue
            if number in self.counts:
                self.counts[number] = varint(header, value)[0]
            elif number == PAYLOAD_SIZE:
                self.payload_size = varint(header, value)[0]

    def results(self):
        return sum(self.counts[kind] for kind in RESULT_KINDS)


def _read(stream, size, what):
    data = stream.read(size)
    if len(data) != size:
        raise ReportError(f"the file ends at byte {stream.tell()}, inside {what}")
    return data


def _read_sized(stream, what):
    (size,) = struct.unpack("<I", _read(stream, 4, f"the size of {what}"))
    return _read(stream, size, what)


def read_preamble(stream):
    """Checks that the stream is a report and returns its bytes up to the first block."""
    start = stream.read(4)
    if start[:2] == b"\x1f\x8b" or start == b"\x28\xb5\x2f\xfd":
        raise ReportError("this is a compressed file; unpack it first (gzip -d or zstd -d)")
    if start != MAGIC:
        raise ReportError("this is no Nsight Compute report: it does not begin with 'NVR'")
    header = _read_sized(stream, "the file header")
    return MAGIC + struct.pack("<I", len(header)) + header


def read_blocks(stream):
    """Yields each Block. Between two of them the caller may read the payload with `messages`, or
    leave it alone: the stream is put right either way."""
    while True:
        at = stream.tell()
        if not stream.read(1):
            return
        stream.seek(at)
        try:
            block = Block(_read_sized(stream, "a block header"), stream.tell())
        except ReportError as error:
            raise ReportError(f"block at byte {at}: {error}") from None
        yield block
        stream.seek(block.payload_at + block.payload_size)


def messages(stream, block):
    """Yields (kind, message) for each message of the block's payload."""
    stream.seek(block.payload_at)
    left = block.payload_size
    for kind in MESSAGE_KINDS:
        for _ in range(block.counts[kind]):
            at = stream.tell()
            message = _read_sized(stream, "a message")
            left -= 4 + len(message)
            if left < 0:
                raise ReportError(f"message at byte {at}: it reaches past the end of its block")
            yield kind, message
    if left:
        raise ReportError(f"block with payload at byte {block.payload_at}: {left} bytes belong to "
                          "no message")


def encode_block_header(block, counts, payload_size, without=()):
    """The block's header with new counts and payload size, less the fields in `without`; all else
    byte for byte."""
    wanted = {**counts, PAYLOAD_SIZE: payload_size}
    header = bytearray()
    for number, _, begin, _, end in fields(block.header):
        if number in without:
            continue
        if number in wanted:
            header += encode_field(number, wanted.pop(number))
        else:
            header += block.header[begin:end]
    for number, value in wanted.items():
        if value:
            header += encode_field(number, value)
    return struct.pack("<I", len(header)) + bytes(header)


def encode_message(message):
    return struct.pack("<I", len(message)) + message
