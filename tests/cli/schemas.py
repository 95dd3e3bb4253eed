# SPDX-License-Identifier: Apache-2.0
"""The JSON schemas that the program prints, as validators with no room for members that they do
not name."""
import copy
import json
import os
import sys

try:
    import jsonschema
except ImportError:
    # Debian's package serves Debian's interpreter; without either there is no answer, so fail.
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    sys.exit("no Python module jsonschema here: scripts/install-deps check installs it")

from support import DONE, run


def closed(schema):
    """The same schema, but with no room for members that it does not name."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {name: closed(part) for name, part in schema.items()}
    if "object" in schema.get("type", ()) and "properties" in schema:
        strict["additionalProperties"] = False
    return strict


def schema(name):
    """What `proofline schema NAME` prints."""
    done = run("schema", name)
    assert done.returncode == DONE, done.stderr
    return json.loads(done.stdout)


def validator(name):
    """Of the program's schema of that name, closed."""
    jsonschema.Draft202012Validator.check_schema(schema(name))
    return jsonschema.Draft202012Validator(closed(schema(name)))


def errors(of, value):
    """What a validator has against a value, in short."""
    return [f"{error.json_path}: {error.message[:300]}" for error in of.iter_errors(value)]


def _objects(value, path=()):
    """The places of all objects in a value, of lists only in their first item."""
    if isinstance(value, list):
        yield from _objects(value[0], (*path, 0)) if value else ()
    elif isinstance(value, dict):
        yield path
        for name, part in value.items():
            yield from _objects(part, (*path, name))


def unnoticed(of, right):
    """Places where a validator does not see a member that is none of the result's."""
    places = []
    for path in _objects(right):
        wrong = copy.deepcopy(right)
        part = wrong
        for step in path:
            part = part[step]
        part["planted"] = [[]]
        if of.is_valid(wrong):
            places.append(path)
    return places
