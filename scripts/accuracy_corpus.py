# SPDX-License-Identifier: Apache-2.0
"""How the diagnosis fares on strangers' kernels whose answer is known: docs/accuracy-corpus.md.

The reports are not in this repository: PROOFLINE_CORPUS names the folder that holds them, and without
it the document stays as it is. tests/corpus/diagnoses.tsv says what is known, a kernel a line:

    file, launch, kernel   which one
    cause                  CAUSE[ or CAUSE], or "healthy at CAUSE"
    defensible             causes that are true, but are not what holds the kernel most
    faster                 FILE#LAUNCH that does the same work without the cause
    from                   where this is known from; never from our own diagnosis
"""

import csv
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

from accuracy_parts import Gain, first_of, gain_of, gain_text, percent, table, width

LABELS = pathlib.Path(__file__).resolve().parent.parent / "tests" / "corpus" / "diagnoses.tsv"
HEALTHY = "healthy at "


def folder():
    """The corpus, or None where there is none."""
    named = os.environ.get("PROOFLINE_CORPUS")
    if not named:
        return None
    root = pathlib.Path(named)
    return root if (root / "ncu-rep").is_dir() else root / "corpus"


def read_labels(lines):
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def diagnose(proofline, root, files):
    """(file, launch) to kernel."""
    command = [proofline, "diagnose", "--format", "json", *(str(root / file) for file in files)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {(files[kernel["source"]], str(launch)): kernel
            for kernel in json.loads(output)["kernels"] for launch in kernel["launches"]["ids"]}


def first_cause(kernel):
    """The first finding; where only a level could be told, that level."""
    findings = kernel["findings"]
    return findings[0]["id"] if findings else kernel["verdict"]["at"] or "none"


def judge(label, kernel):
    """right, defensible or wrong: what the first finding is, held against what is known."""
    findings, first = kernel["findings"], first_cause(kernel)
    cause = label["cause"]
    if cause.startswith(HEALTHY):
        if first != cause.removeprefix(HEALTHY):
            return "wrong"
        return "right" if len(findings) == 1 and findings[0]["severity"] == "info" else "defensible"
    if first in cause.split(" or "):
        return "right"
    return "defensible" if first in label["defensible"].split(" or ") else "wrong"


def short_name(file):
    """OWNER/REPOSITORY and the file's own name, of OWNER__REPOSITORY__FOLDER__..__NAME."""
    parts = pathlib.PurePath(file).name.split("__")
    return f"{parts[0]}/{parts[1]} {parts[-1]}"


def measure(labels, kernels):
    """Rows of both tables, and the verdicts and gains that they come from; a gain is None where the
    cause was not found."""
    rows, pairs, verdicts, gains = [], [], [], []
    for label in labels:
        kernel = kernels[label["file"], label["launch"]]
        if label["kernel"] not in (kernel["name"] or label["kernel"]):
            sys.exit(f"accuracy: {label['file']}: launch {label['launch']} is no {label['kernel']}")
        findings = kernel["findings"]
        verdict = judge(label, kernel)
        verdicts.append(verdict)
        name = f"`{label['kernel']}`"
        rows.append([short_name(label["file"]), name, label["cause"],
                     first_cause(kernel),
                     verdict if verdict == "right" else f"**{verdict}**", label["from"]])
        if label["faster"]:
            fast = kernels[tuple(label["faster"].split("#"))]
            cause = first_of(findings, label["cause"].split(" or "))
            gain = gain_of(cause, kernel, fast) if cause else None
            gains.append(gain)
            measured = 1 - fast["duration_ns"] / kernel["duration_ns"]
            pairs.append([short_name(label["file"]), name, f"`{fast['function']}`",
                          cause["id"] if cause else "not found", gain_text(gain) if gain else "",
                          percent(measured), "yes" if gain and gain.held else "**no**"])
    return rows, pairs, verdicts, gains


def summary(verdicts, gains):
    found = [gain for gain in gains if gain]
    return (f"{verdicts.count('right')} of {len(verdicts)} kernels right, {verdicts.count('defensible')} "
            f"defensible, {verdicts.count('wrong')} wrong. Of {len(gains)} pairs of a slow kernel and a faster one the "
            f"cause is found on {len(found)}, and its gain range holds the measured gain on "
            f"{sum(gain.held for gain in found)}; its median width is {statistics.median(map(width, found)):.2f}.")


def compose(rows, pairs, verdicts, gains):
    return "\n".join([
        "# The diagnosis of strangers' kernels", "",
        "Made by `scripts/accuracy` from reports that lie in public repositories; do not edit. The reports are not "
        "in this one: `PROOFLINE_CORPUS` names the folder that holds them. What is known of each kernel stands in "
        "[tests/corpus/diagnoses.tsv](../tests/corpus/diagnoses.tsv) and comes from its source, its author's next "
        "step and the counters, not from our diagnosis. Rules were mended after failures on some of these reports, so this "
        "is no blind test; but nobody wrote these kernels to be diagnosed.", "",
        summary(verdicts, gains), "",
        "**Right**: the first cause is the known one, and at a healthy kernel the roof is the only finding. "
        "**Defensible**: true, but not what holds the kernel most. **Wrong**: all else. Where nothing but the launch was "
        "recorded, `capture-invalid` is right.", "",
        *table(["report", "kernel", "known", "first cause found", "verdict", "known from"], rows), "",
        "## Gains, predicted and measured", "",
        "Two kernels of one author that do the same work, the second without the cause, both under ncu. An author's next step "
        "seldom goes all the way. The range of a roof that more reuse lifts starts at nothing, so it holds easily.", "",
        *table(["report", "kernel", "faster kernel", "cause", "predicted", "measured", "held"], pairs), ""])


def gains_in(document):
    """The gains that the document shows, to draw them also where there is no corpus."""
    found = re.findall(r"\| (\d+)-(\d+) % \| (-?\d+) % \| (yes|\*\*no\*\*) \|", document)
    return [Gain(int(low) / 100, int(high) / 100, int(measured) / 100, held == "yes")
            for low, high, measured, held in found]


def summary_in(document):
    return next(line for line in document.splitlines() if " kernels right, " in line)


def document(proofline, root):
    labels = read_labels(LABELS.read_text().splitlines())
    files = sorted({label["file"] for label in labels})
    return compose(*measure(labels, diagnose(proofline, root, files)))
