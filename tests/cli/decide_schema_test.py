#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `decide --format json` prints is what `proofline schema decide` says, for every verdict."""
import unittest

from decide_test import INCONCLUSIVE, INVALID, KEEP, REVERT, DecideTest, measurement, series, side
from schemas import errors, unnoticed, validator

VALIDATOR = validator("decide")


class Schema(DecideTest):
    def expect_valid(self, a, b, code, *flags, machine=None):
        result = self.decided(*self.two_files(a, b, machine), *flags, code=code)
        self.assertEqual(errors(VALIDATOR, result), [])
        return result

    def test_every_verdict(self):
        known = {"bytes": 1e9, "samples": {**measurement(5e4)["samples"], "sm_mhz": [1500] * 100}}
        a = measurement(1e5, bytes=1e9)
        a["samples"]["sm_mhz"] = [1500] * 100
        kept = self.expect_valid(a, measurement(5e4, **known), KEEP)
        self.assertIsNotNone(kept["configurations"][0]["cycles"])
        self.assertIsNotNone(kept["configurations"][0]["rate"])
        self.assertEqual(unnoticed(VALIDATOR, kept), [])
        self.expect_valid(a, measurement(2e5), REVERT)
        self.expect_valid(a, measurement(5e4), INVALID, machine={"cuda": "12.0"})
        self.expect_valid(a, measurement(5e4, n="7"), INVALID)

    def test_without_an_interval(self):
        few = self.expect_valid(measurement(1e5, samples={"ns": [1e5] * 4}),
                                measurement(5e4, samples={"ns": [5e4] * 4}), INCONCLUSIVE)
        self.assertIsNone(few["configurations"][0]["time"]["high"])
        none = self.expect_valid(measurement(1e5, samples={"ns": [1e5]}), measurement(5e4),
                                 INCONCLUSIVE)
        self.assertIsNone(none["configurations"][0]["time"])

    def test_one_side_alone(self):
        a = self.file("a.json", series(side(measurement(1e5), measurement(1e5, n="1"))))
        b = self.file("b.json", series(side(measurement(5e4), measurement(5e4, n="2"))))
        result = self.decided(a, b, code=INCONCLUSIVE)
        self.assertEqual(len(result["unmatched"]), 2)
        self.assertEqual(errors(VALIDATOR, result), [])


if __name__ == "__main__":
    unittest.main()
