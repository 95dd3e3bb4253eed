#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `diagnose` and `show` print of saved sanitizer logs is what docs/sanitize.schema.json says."""
import json
import unittest

from diagnose_schema_test import closed, jsonschema
from support import DONE, PARTIAL, ROOT, TestCase, run

SCHEMA = json.loads((ROOT / "docs" / "sanitize.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(closed(SCHEMA))
LOGS = sorted(path for path in (ROOT / "tests" / "fixtures" / "sanitizer").iterdir()
              if path.name != "README.md")
FINDINGS = 1


class SavedLogs(TestCase):
    def test_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_logs(self):
        self.assertGreater(len(LOGS), 10)
        for log in LOGS:
            for command in "diagnose", "show":
                with self.subTest(log=log.name, command=command):
                    done = run(command, "--format", "json", str(log))
                    self.assertIn(done.returncode, (DONE, FINDINGS, PARTIAL), done.stderr)
                    result = json.loads(done.stdout, parse_constant=self.fail)
                    errors = [f"{error.json_path}: {error.message[:300]}"
                              for error in VALIDATOR.iter_errors(result)]
                    self.assertEqual(errors, [])


if __name__ == "__main__":
    unittest.main()
