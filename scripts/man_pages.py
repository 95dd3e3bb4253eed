# SPDX-License-Identifier: Apache-2.0
"""Man pages from the program's own help texts: proofline(1), and proofline-COMMAND(1) for each command.

A help text is a summary, "Usage: ...", and sections: a title with a colon at the left edge, then rows
"  NAME  WORDS", which go on in lines that are indented more. Examples and exit codes stay as they are.
"""

import json
import re
import time

VERBATIM = ("EXAMPLES", "EXIT CODES")


def roff(text):
    """Text as roff takes it literally; a leading dot or quote would be a request. Long lists of choices
    may break at their bars."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("|", "|\\:")
    return "\\&" + text if text.startswith((".", "'")) else text


def parts(help_text):
    """Summary, usage and [(title, lines)] of a help text."""
    summary, usage, sections = [], "", []
    for line in help_text.splitlines():
        if line.startswith("Usage: "):
            usage = line.removeprefix("Usage: ")
        elif usage and re.fullmatch(r"\S.*:", line):
            sections.append((line[:-1].upper(), []))
        elif sections:
            sections[-1][1].append(line)
        elif usage:
            usage = f"{usage} {line.strip()}".rstrip()
        else:
            summary.append(line)
    return " ".join(summary).strip().rstrip("."), usage, sections


def rows(lines):
    """[name, words] of a section's lines, however they are wrapped."""
    found = []
    for line in filter(str.strip, lines):
        if re.match(r"  \S", line) or not found:
            name, _, words = line.strip().partition("  ")
            found.append([name, words.strip()])
        else:
            found[-1][1] = f"{found[-1][1]} {line.strip()}".strip()
    return found


def page(name, help_text, version, seconds, see_also):
    summary, usage, sections = parts(help_text)
    day = time.strftime("%Y-%m-%d", time.gmtime(seconds))
    lines = [f'.TH "{roff(name.upper())}" 1 "{day}" "proofline {version}" "User Commands"', ".nh", ".ad l",
             ".SH NAME", f"{roff(name)} \\- {roff(summary)}", ".SH SYNOPSIS", ".B " + roff(usage)]
    for title, body in sections:
        lines.append(f'.SH "{roff(title)}"')
        if title.startswith(VERBATIM):
            text = "\n".join(line.removeprefix("  ") for line in body).strip("\n")
            lines += [".nf", *(roff(line) for line in text.split("\n")), ".fi"]
            continue
        for term, words in rows(body):
            lines += [".TP", ".B " + roff(term), *([roff(words)] if words else [])]
    lines += [".SH SEE ALSO", ",\n".join(f".BR {roff(other)} (1)" for other in see_also)]
    return "\n".join(lines) + "\n"


def pages(ask, version, seconds):
    """File name to page; ask(ARGUMENT...) is what the program prints."""
    commands = [one["name"] for one in json.loads(ask("list", "commands", "--format", "json"))["commands"]]
    made = {"proofline.1": page("proofline", ask("help"), version, seconds,
                                [f"proofline-{command}" for command in commands])}
    for command in commands:
        name = f"proofline-{command}"
        made[f"{name}.1"] = page(name, ask("help", command), version, seconds, ["proofline"])
    return made
