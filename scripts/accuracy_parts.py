# SPDX-License-Identifier: Apache-2.0
"""What the parts of scripts/accuracy count and write alike: gains, shares and tables."""

import typing


class Gain(typing.NamedTuple):
    """A predicted range beside what was measured, each a share of the time."""

    low: float
    high: float
    measured: float
    held: bool


def percent(share):
    return f"{100 * share:.0f} %"


def gain_text(gain):
    return f"{100 * gain.low:.0f}-{100 * gain.high:.0f} %"


def first_of(findings, causes):
    """The first finding that names one of the causes; None where none does."""
    return next((one for one in findings if one["id"] in causes), None)


def gain_of(finding, slow, fast):
    """What the finding of the slow kernel promised, and what the fast one shows."""
    low, high = finding["gain"]["low"], finding["gain"]["high"]
    measured = 1 - fast["duration_ns"] / slow["duration_ns"]
    return Gain(low, high, measured, low <= measured <= high)


def width(gain):
    return gain.high - gain.low


def share(values):
    values = list(values)
    return sum(values) / len(values)


def table(titles, rows):
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]
