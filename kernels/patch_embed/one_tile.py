#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every variant of the patch embedding with values that encode row and column (hopper/coded.py): one tile of rows, and
two and a part. Needs a Hopper GPU, PyTorch and nvcc.

    kernels/patch_embed/one_tile.py
"""
import sys

import torch

from against_cublas import POSITIONS, WIDTH, PatchEmbed
import coded


class OneTile:
    """A variant with `rows` rows of x; operands that are not given are zero."""

    def __init__(self, embed, variant, rows):
        self.embed, self.variant, self.rows = embed, variant, rows

    def embedded(self, x=None, w=None, bias=None, positions=None):
        def given(values, *shape):
            return torch.zeros(shape, device="cuda") if values is None else values
        y = torch.full((self.rows, WIDTH), float("nan"), device="cuda", dtype=torch.bfloat16)
        table = self.embed.table(self.variant, given(positions, POSITIONS, WIDTH).bfloat16())
        self.embed.launch(self.variant, given(x, self.rows, WIDTH).bfloat16(), given(w, WIDTH, WIDTH).bfloat16(),
                          given(bias, WIDTH).float(), table, y)
        return y

    def added(self, what, argument, numbers, shown):
        """Checks that the epilogue adds the right element of bias or positions to each result."""
        digits = coded.DIGITS.cuda()
        results = [self.embedded(**{argument: values}) for values in coded.coded_by(numbers, digits)]
        return coded.difference(what, coded.located(results, digits.double()), shown)

    def faults(self):
        row = torch.arange(self.rows, device="cuda").unsqueeze(1).expand(self.rows, WIDTH)
        column = torch.arange(WIDTH, device="cuda")
        columns = column.expand(self.rows, WIDTH)
        position = torch.arange(POSITIONS, device="cuda").unsqueeze(1)
        gemm = coded.Gemm(lambda a, b: self.embedded(a.values, b.values), WIDTH, columns, self.rows)
        return (coded.faults(gemm)
                + self.added("bias", "bias", column, columns)
                + self.added("column of the position", "positions", column.expand(POSITIONS, WIDTH), columns)
                + self.added("row of the position", "positions", position.expand(POSITIONS, WIDTH), row % POSITIONS))


def main():
    embed = PatchEmbed()
    return 1 if sum(coded.report(f"{variant}, {rows} rows", OneTile(embed, variant, rows).faults())
                    for variant in embed.variants for rows in (128, 300)) else 0


if __name__ == "__main__":
    sys.exit(main())
