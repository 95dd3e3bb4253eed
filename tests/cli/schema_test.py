#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`schema` prints a JSON schema for every result that `list schemas` names."""
import json
import unittest

from schemas import jsonschema, schema
from support import DONE, USAGE, TestCase, run


def names():
    done = run("list", "schemas", "--format", "json")
    return [one["name"] for one in json.loads(done.stdout)["schemas"]]


class Schemas(TestCase):
    def test_each_is_one(self):
        self.assertIn("doctor", names())
        for name in names():
            with self.subTest(name=name):
                printed = schema(name)
                jsonschema.Draft202012Validator.check_schema(printed)
                self.assertEqual(printed["$id"], f"urn:proofline:{name}:1")
                self.expect_references(printed)

    def expect_references(self, printed):
        """Each definition is referred to, and each reference leads to one."""
        text = json.dumps(printed)
        for name in printed["$defs"]:
            self.assertIn(f'"#/$defs/{name}"', text)
        self.assertEqual(text.count('"$ref"'), text.count('"#/$defs/'))

    def test_all_as_files(self):
        folder = self.folder / "schemas"
        done = run("schema", "--all", folder)
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         sorted(f"{name}.schema.json" for name in names()))
        self.assertEqual(json.loads((folder / "doctor.schema.json").read_bytes()), schema("doctor"))

    def test_what_is_none(self):
        self.expect_error(run("schema"), USAGE)
        self.expect_error(run("schema", "nothing"), USAGE)


if __name__ == "__main__":
    unittest.main()
