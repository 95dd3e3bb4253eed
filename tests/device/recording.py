# SPDX-License-Identifier: Apache-2.0
"""Reads what the recorder leaves, by itself: src/readers/timeline/recording_format.h says how it is
written. Of a timeline only what the scripts here compare: kernels, copies, calls and ranges."""
import collections
import pathlib
import subprocess

MAGIC = b"\x89PLREC\n\x01"
PROCESS, DEVICE, SHAPE, LAUNCH, DROPPED, TROUBLE, END = range(1, 8)
CLOCK, NAME, CALL, COPY, SET, RANGE_START, RANGE_END, OVERHEAD, MIGRATION, MEMORY, WAIT, EVENT, \
    UNAVAILABLE, IDENTITY = range(8, 22)

Event = collections.namedtuple("Event", "name start end")


class Cursor:
    def __init__(self, payload):
        self.bytes, self.at = payload, 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.bytes[self.at]
            self.at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    def difference(self):
        start, value = self.at, self.number()
        bits = 7 * (self.at - start)
        return value - (1 << bits) if value >> (bits - 1) & 1 else value

    def text(self):
        return self.bytes[self.at:].decode(errors="replace")


class Recording:
    """The events of one process, by CUPTI's clock."""

    def __init__(self, path):
        self.kernels, self.copies, self.calls, self.ranges, self.counts = [], [], [], [], \
            collections.Counter()
        self.notes, self.threads, self.in_graphs = [], set(), 0
        self.bytes = path.stat().st_size
        data = path.read_bytes()
        assert data.startswith(MAGIC), path
        shapes, names, open_ranges = [], [], {}
        launch_start = time = thread = 0
        at = len(MAGIC)
        while at < len(data):
            kind, length = data[at], int.from_bytes(data[at + 1:at + 3], "little")
            record = Cursor(data[at + 3:at + 3 + length])
            at += 3 + length
            self.counts[kind] += 1
            if kind == SHAPE:
                for _ in range(17):
                    record.number()
                shapes.append(record.text())
            elif kind == LAUNCH:
                shape = record.number()
                record.difference()
                launch_start += record.difference()
                self.kernels.append(Event(shapes[shape], launch_start,
                                          launch_start + record.difference()))
                self.in_graphs += record.at < length
            elif kind == NAME:
                names.append(record.text())
            elif kind == CALL:
                name = names[record.number()]
                thread += record.difference()
                self.threads.add(thread)
                record.difference()
                time += record.difference()
                self.calls.append(Event(name, time, time + record.difference()))
            elif kind in (COPY, SET):
                for _ in range(8 if kind == COPY else 6):
                    record.number()
                record.difference()
                time += record.difference()
                self.copies.append(Event(kind, time, time + record.difference()))
            elif kind == RANGE_START:
                number = record.number()
                thread += record.difference()
                time += record.difference()
                open_ranges[number] = record.text(), time
            elif kind == RANGE_END:
                number = record.number()
                time += record.difference()
                if number in open_ranges:
                    self.ranges.append(Event(*open_ranges.pop(number), time))
            elif kind == OVERHEAD:
                record.number()
                thread += record.difference()
                time += record.difference()
            elif kind == MIGRATION:
                for _ in range(3):
                    record.number()
                time += record.difference()
            elif kind == MEMORY:
                for _ in range(5):
                    record.number()
                record.difference()
                time += record.difference()
            elif kind == WAIT:
                for _ in range(4):
                    record.number()
                record.difference()
                time += record.difference()
            elif kind == DROPPED:
                self.notes.append(f"{record.number()} dropped")
            elif kind in (TROUBLE, UNAVAILABLE):
                self.notes.append(record.text())
        if self.counts[END] != 1:
            self.notes.append("did not end in order")

    def summary(self):
        words = dict(kernels=LAUNCH, calls=CALL, copies=COPY, sets=SET, ranges=RANGE_START,
                     overheads=OVERHEAD, migrations=MIGRATION, allocations=MEMORY, waits=WAIT,
                     events=EVENT, clocks=CLOCK)
        counted = ", ".join(f"{word} {self.counts[kind]}" for word, kind in words.items())
        return (f"{counted}, in graphs {self.in_graphs}, threads {len(self.threads)}, "
                f"{self.bytes} bytes, notes {self.notes}")


def recordings(folder):
    return [Recording(path) for path in sorted(pathlib.Path(folder).glob("**/*.recording"))]


def demangled(names):
    """By mangled name."""
    names = sorted(set(names))
    text = subprocess.run(["c++filt"], input="\n".join(names), stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    return dict(zip(names, text.splitlines()))
