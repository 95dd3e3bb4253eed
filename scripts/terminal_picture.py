# SPDX-License-Identifier: Apache-2.0
"""A picture (SVG) of what a command prints on a terminal, colours and all, made from a real run."""

import os
import pty
import re
import struct
import subprocess
from fcntl import ioctl
from termios import TIOCSWINSZ
from xml.sax.saxutils import escape

# Cells of a terminal, in pixels.
CELL_WIDTH, LINE_HEIGHT, MARGIN, TITLE = 8.4, 18, 16, 34
BACKGROUND, FOREGROUND, FAINT = "#1b1f27", "#d8dee9", "#7d8694"
# Black, red, green, yellow, blue, magenta, cyan, white; the bright ones look the same.
COLOURS = ["#4c566a", "#ef6b73", "#8fd07a", "#e8c468", "#6cb0f5", "#c792ea", "#5fd0d6", FOREGROUND]
ERASED = re.compile(r"[^\n]*\r\x1b\[K")  # progress, which a slow machine shows more of
SGR = re.compile(r"\x1b\[([0-9;]*)m")
OTHER = re.compile(r"\x1b\[[0-9;?]*[A-Za-ln-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\r")


def record(command, columns, rows, environment, folder):
    """What the command leaves on a terminal of that size, and its exit code."""
    ours, theirs = pty.openpty()
    ioctl(theirs, TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, cwd=folder,
                          env={**environment, "TERM": "xterm-256color"}) as process:
        os.close(theirs)
        written = b""
        try:
            while piece := os.read(ours, 65536):
                written += piece
        except OSError:  # the other end is closed
            pass
        os.close(ours)
    return ERASED.sub("", written.decode()), process.returncode


def plain(written):
    """The text alone, without what moves the cursor or sets colours."""
    return SGR.sub("", OTHER.sub("", written))


def spans(line, style):
    """[(column, text, style)] of a line; the style, (colour, bold, dim), goes on in the next line."""
    found, column, position = [], 0, 0
    for code in [*SGR.finditer(line), None]:
        text = line[position:code.start() if code else len(line)]
        if text:
            found.append((column, text, style))
            column += len(text)
        if code:
            position = code.end()
            style = change(style, [int(word or 0) for word in code[1].split(";")])
    return found, style


def change(style, codes):
    colour, bold, dim = style
    for code in codes:
        if code == 0:
            colour, bold, dim = FOREGROUND, False, False
        elif code == 1:
            bold = True
        elif code == 2:
            dim = True
        elif code == 22:
            bold = dim = False
        elif 30 <= code <= 37 or 90 <= code <= 97:
            colour = COLOURS[code % 10]
        elif code == 39:
            colour = FOREGROUND
    return colour, bold, dim


def draw(title, written, columns, lines):
    """The first lines of what was written, below the command that wrote it."""
    shown = OTHER.sub("", written).split("\n")[:lines]
    width, height = columns * CELL_WIDTH + 2 * MARGIN, TITLE + len(shown) * LINE_HEIGHT + MARGIN
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
           f'height="{height:g}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" '
           'font-size="14" xml:space="preserve">',
           f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>']
    svg += [f'<circle cx="{MARGIN + 4 + 18 * i}" cy="17" r="5.5" fill="{COLOURS[number]}"/>'
            for i, number in enumerate((1, 3, 2))]
    svg.append(f'<text x="{MARGIN + 62}" y="22" fill="{FAINT}">$ {escape(title)}</text>')
    style = (FOREGROUND, False, False)
    for number, line in enumerate(shown):
        found, style = spans(line, style)
        for column, text, (colour, bold, dim) in found:
            bare = text.strip(" ")
            if not bare:
                continue
            x = MARGIN + (column + len(text) - len(text.lstrip(" "))) * CELL_WIDTH
            look = f'fill="{FAINT if dim else colour}"' + (' font-weight="bold"' if bold else "")
            # The length keeps columns in line whatever font the reader has.
            svg.append(f'<text x="{x:.1f}" y="{TITLE + number * LINE_HEIGHT + 13}" {look} '
                       f'textLength="{len(bare) * CELL_WIDTH:.1f}">{escape(bare)}</text>')
    return "\n".join([*svg, "</svg>", ""])
