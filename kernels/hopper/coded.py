# SPDX-License-Identifier: Apache-2.0
"""Matrices whose values tell where they stand, to see where each element of a product lands.

One operand picks: its row r has a one at k = (r + shift) % K and zeros elsewhere. So every result is one element of the
other operand, and that one's values are digits (base 8) of its row or of its k. Asked for one digit after the other, each
result tells which element arrived there: a tile that is read, multiplied or stored in a wrong order says which one it is,
where random values only say "wrong". What digits are worth is exact in e2m1, e4m3, bf16 and fp16, and nothing is rounded.
"""
import dataclasses
import typing

import torch

E2M1 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6])  # magnitudes by code; the fourth bit is the sign
# With both signs; with the one that picks, all magnitudes of e2m1.
DIGITS = torch.tensor([0, 2, 1.5, 3, -0.5, -1.5, -4, -6])


class Operand(typing.NamedTuple):
    """values: (rows, K); scales: (rows, K / group), for formats that have them."""
    values: torch.Tensor
    scales: typing.Optional[torch.Tensor]


@dataclasses.dataclass
class Product:
    """results[m, n] = finish(sum over k of left[m, k] * right[right_rows[m, n], k])."""
    multiply: typing.Callable  # (left, right: Operand) -> (rows, columns)
    k: int
    right_rows: torch.Tensor  # (rows, columns)
    step: int  # so many neighbouring rows of left meet each row of right
    finish: typing.Callable = staticmethod(lambda values: values)
    tolerance: float = 0  # relative; only for a finish that rounds
    group: int = 0  # values for each scale; 0: no scales
    scaled: tuple = ("left", "right")  # who has them
    scales: typing.Optional[torch.Tensor] = None  # eight of them, that serve as digits


def e2m1_codes(values):
    """(rows, k) values as (rows, k / 2) bytes, the even k in the low nibble."""
    table = torch.cat([E2M1, -E2M1]).to(values)
    nibbles = (values.unsqueeze(-1) == table).int().argmax(-1).to(torch.uint8)
    return nibbles[:, 0::2] | nibbles[:, 1::2] << 4


def places(most):
    """How many digits numbers up to this one have."""
    return max(1, -(-int(most).bit_length() // 3))


def digit(numbers, place):
    return numbers >> 3 * place & 7


def coded_by(numbers, values):
    """What to multiply, so that each element tells its number: a matrix for each digit, the least first."""
    return [values[digit(numbers, place)] for place in range(places(numbers.max()))]


def located(results, table, tolerance=0):
    """The number that results show, one tensor for each digit as in coded_by(). -1: no digit's value."""
    number = torch.zeros_like(results[0], dtype=torch.int64)
    unknown = torch.zeros_like(results[0], dtype=torch.bool)
    for place, result in enumerate(results):
        matches = (result.double().unsqueeze(-1) - table).abs() <= tolerance * table.abs()
        number += matches.int().argmax(-1) << 3 * place
        unknown |= ~matches.any(-1)
    return torch.where(unknown, -1, number)


def difference(what, found, expected):
    """A sentence on the results that show something else, in a list; empty where all are right."""
    wrong = (found != expected).nonzero()
    if len(wrong) == 0:
        return []
    row, column = wrong[0].tolist()
    shows = int(found[row, column])
    return [f"{what}: {len(wrong)} of {found.numel()} results are wrong, the first at ({row}, {column}): "
            + (f"{shows}" if shows >= 0 else "a value that nothing has") + f" instead of {int(expected[row, column])}"]


def questions(product, name, rows):
    """What to ask one of the operands: (what, an operand for each digit, the values of digits, what is shown). The last is a
    function of the row and the k of the element that a result should be."""
    k, group = product.k, product.group
    ones = torch.ones(rows, k, device=product.right_rows.device)
    row = torch.arange(rows, device=ones.device).unsqueeze(1)
    along = torch.arange(k, device=ones.device).unsqueeze(0)
    digits = DIGITS.to(ones)
    unscaled = torch.ones(rows, k // group, device=ones.device) if group else None
    for what, numbers, shown in (("row", row.expand(rows, k), lambda r, _: r), ("k", along.expand(rows, k), lambda _, at: at)):
        yield what, [Operand(values, unscaled) for values in coded_by(numbers, digits)], digits, shown
    if group and name in product.scaled:
        scales = product.scales.to(ones)
        for what, numbers, shown in (("row of the scale", row.expand(rows, k // group), lambda r, _: r),
                                     ("group of the scale", along[:, :k // group].expand(rows, -1), lambda _, at: at // group)):
            yield what, [Operand(ones, coded) for coded in coded_by(numbers, scales)], scales, shown


def picker(product, rows, shift):
    """An operand whose row r picks k = (r + shift) % K."""
    device = product.right_rows.device
    values = torch.zeros(rows, product.k, device=device)
    values[torch.arange(rows), (torch.arange(rows) + shift) % product.k] = 1
    return Operand(values, torch.ones(rows, product.k // product.group, device=device) if product.group else None)


def faults(product):
    """What is wrong with a product, in sentences; every element of both operands is asked for."""
    rows, columns = product.right_rows.shape
    left_rows = torch.arange(rows, device=product.right_rows.device).unsqueeze(1).expand(rows, columns)
    right_count = int(product.right_rows.max()) + 1
    sentences = []
    # (the coded operand's name, its rows and which is each result's; the same of the one that picks; how far to shift)
    for name, count, element, picking, picks, step in (
            ("left", rows, left_rows, right_count, product.right_rows, columns),
            ("right", right_count, product.right_rows, rows, left_rows, product.step)):
        pickers = [(shift, picker(product, picking, shift)) for shift in range(0, product.k, step)]
        for what, operands, table, shown in questions(product, name, count):
            for shift, other in pickers:
                results = [product.multiply(*((coded, other) if name == "left" else (other, coded))) for coded in operands]
                found = located(results, product.finish(table.double()), product.tolerance)
                sentences += difference(f"{what} of {name}, shifted by {shift}", found,
                                        shown(element, (picks + shift) % product.k))
    return sentences


def report(name, sentences):
    """Prints what became of a product; the number of sentences."""
    print(f"{name:40} {'right' if not sentences else 'WRONG: ' + '; '.join(sentences[:3])}", flush=True)
    return len(sentences)
