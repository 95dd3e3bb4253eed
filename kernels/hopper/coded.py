# SPDX-License-Identifier: Apache-2.0
"""Tests a GEMM with matrices whose values encode their position, to see where each element of A and B lands.

One operand selects: its row r has a one at k = (r + shift) % K and zeros elsewhere. So every result is one element of the
other operand, whose values are digits (base 8) of its row or of its k. From one GEMM per digit, each result tells which
element arrived there: a tile that is loaded, multiplied or stored in the wrong order names the element, where random values
only say "wrong". The digits' values are exact in e2m1, e4m3, bf16 and fp16, and nothing is rounded.
"""
import dataclasses
import typing

import torch

E2M1 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6])  # magnitudes by code; the fourth bit is the sign
# Values of the digits, of both signs; with the selector's one, all magnitudes of e2m1.
DIGITS = torch.tensor([0, 2, 1.5, 3, -0.5, -1.5, -4, -6])


class Operand(typing.NamedTuple):
    """values: (rows, K); scales: (rows, K / group), for block-scaled formats."""
    values: torch.Tensor
    scales: typing.Optional[torch.Tensor]


@dataclasses.dataclass
class Gemm:
    """d[m, n] = epilogue(sum over k of a[m, k] * b[b_rows[m, n], k])."""
    multiply: typing.Callable  # (a, b: Operand) -> d
    k: int
    b_rows: torch.Tensor  # (M, N)
    step: int  # rows of A, at least, that each row of B is multiplied with
    epilogue: typing.Callable = staticmethod(lambda values: values)
    tolerance: float = 0  # relative; only for an epilogue that rounds
    group: int = 0  # values per scale; 0: no scales
    scaled: tuple = ("A", "B")  # the operands that have scales
    scales: typing.Optional[torch.Tensor] = None  # eight scales, used as digits


def e2m1_codes(values):
    """(rows, k) values as (rows, k / 2) bytes, the even k in the low nibble."""
    table = torch.cat([E2M1, -E2M1]).to(values)
    nibbles = (values.unsqueeze(-1) == table).int().argmax(-1).to(torch.uint8)
    return nibbles[:, 0::2] | nibbles[:, 1::2] << 4


def places(most):
    """The number of digits of numbers up to this one."""
    return max(1, -(-int(most).bit_length() // 3))


def digit(numbers, place):
    return numbers >> 3 * place & 7


def coded_by(numbers, values):
    """Matrices that encode each element's number: one per digit, the least significant first."""
    return [values[digit(numbers, place)] for place in range(places(numbers.max()))]


def located(results, table, tolerance=0):
    """The numbers that results decode to, one tensor per digit as in coded_by(). -1: not the value of a digit."""
    number = torch.zeros_like(results[0], dtype=torch.int64)
    unknown = torch.zeros_like(results[0], dtype=torch.bool)
    for place, result in enumerate(results):
        matches = (result.double().unsqueeze(-1) - table).abs() <= tolerance * table.abs()
        number += matches.int().argmax(-1) << 3 * place
        unknown |= ~matches.any(-1)
    return torch.where(unknown, -1, number)


def difference(what, found, expected):
    """A list with a sentence on the results that decode to something else; empty if all are right."""
    wrong = (found != expected).nonzero()
    if len(wrong) == 0:
        return []
    row, column = wrong[0].tolist()
    shows = int(found[row, column])
    return [f"{what}: {len(wrong)} of {found.numel()} results are wrong, the first at ({row}, {column}): "
            + (f"{shows}" if shows >= 0 else "a value that no element has") + f" instead of {int(expected[row, column])}"]


def encodings(gemm, name, rows):
    """What one operand encodes: (what, an operand per digit, the values of the digits, the number expected). The last is a
    function of the row and the k of the element that a result should be."""
    k, group = gemm.k, gemm.group
    ones = torch.ones(rows, k, device=gemm.b_rows.device)
    row = torch.arange(rows, device=ones.device).unsqueeze(1)
    along = torch.arange(k, device=ones.device).unsqueeze(0)
    digits = DIGITS.to(ones)
    unscaled = torch.ones(rows, k // group, device=ones.device) if group else None
    for what, numbers, shown in (("row", row.expand(rows, k), lambda r, _: r), ("k", along.expand(rows, k), lambda _, at: at)):
        yield what, [Operand(values, unscaled) for values in coded_by(numbers, digits)], digits, shown
    if group and name in gemm.scaled:
        scales = gemm.scales.to(ones)
        for what, numbers, shown in (("row of the scale", row.expand(rows, k // group), lambda r, _: r),
                                     ("group of the scale", along[:, :k // group].expand(rows, -1), lambda _, at: at // group)):
            yield what, [Operand(ones, coded) for coded in coded_by(numbers, scales)], scales, shown


def selector(gemm, rows, shift):
    """An operand whose row r selects k = (r + shift) % K."""
    device = gemm.b_rows.device
    values = torch.zeros(rows, gemm.k, device=device)
    values[torch.arange(rows), (torch.arange(rows) + shift) % gemm.k] = 1
    return Operand(values, torch.ones(rows, gemm.k // gemm.group, device=device) if gemm.group else None)


def faults(gemm):
    """What is wrong with a GEMM, in sentences; every element of both operands is covered."""
    m, n = gemm.b_rows.shape
    a_rows = torch.arange(m, device=gemm.b_rows.device).unsqueeze(1).expand(m, n)
    b_count = int(gemm.b_rows.max()) + 1
    sentences = []
    # (the coded operand: name, number of rows, each result's row; the selecting one: rows, each result's row, step of shifts)
    for name, count, element, selecting, selects, step in (
            ("A", m, a_rows, b_count, gemm.b_rows, n),
            ("B", b_count, gemm.b_rows, m, a_rows, gemm.step)):
        selectors = [(shift, selector(gemm, selecting, shift)) for shift in range(0, gemm.k, step)]
        for what, operands, table, shown in encodings(gemm, name, count):
            for shift, other in selectors:
                results = [gemm.multiply(*((coded, other) if name == "A" else (other, coded))) for coded in operands]
                found = located(results, gemm.epilogue(table.double()), gemm.tolerance)
                sentences += difference(f"{what} of {name}, shifted by {shift}", found,
                                        shown(element, (selects + shift) % gemm.k))
    return sentences


def report(name, sentences):
    """Prints the outcome of one case; returns the number of sentences."""
    print(f"{name:40} {'right' if not sentences else 'WRONG: ' + '; '.join(sentences[:3])}", flush=True)
    return len(sentences)
