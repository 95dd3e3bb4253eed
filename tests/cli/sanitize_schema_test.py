#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `diagnose` and `show` print of saved sanitizer logs is what `proofline schema sanitize` says."""
import json
import unittest

from schemas import errors, unnoticed, validator
from support import DONE, PARTIAL, ROOT, TestCase, run

VALIDATOR = validator("sanitize")
LOGS = sorted(path for path in (ROOT / "tests" / "fixtures" / "sanitizer").iterdir()
              if path.name != "README.md")
FINDINGS = 1


class SavedLogs(TestCase):
    def test_logs(self):
        self.assertGreater(len(LOGS), 10)
        for log in LOGS:
            for command in "diagnose", "show":
                with self.subTest(log=log.name, command=command):
                    done = run(command, "--format", "json", str(log))
                    self.assertIn(done.returncode, (DONE, FINDINGS, PARTIAL), done.stderr)
                    result = json.loads(done.stdout, parse_constant=self.fail)
                    self.assertEqual(errors(VALIDATOR, result), [])

    def test_schema_tells_right_from_wrong(self):
        result = json.loads(run("show", "--format", "json", str(LOGS[0])).stdout)
        self.assertEqual(unnoticed(VALIDATOR, result), [])


if __name__ == "__main__":
    unittest.main()
