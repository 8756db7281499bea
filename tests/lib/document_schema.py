"""Checks the --json output of the command lines against schemas/documents.schema.json."""
import json
import os

import jsonschema

_PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "schemas", "documents.schema.json")
with open(_PATH, encoding="utf-8") as _file:
    _SCHEMA = json.load(_file)

COMMANDS = frozenset(_SCHEMA["commands"])


def check(command, document):
    """Raises AssertionError with the location and the reason."""
    schema = {"definitions": _SCHEMA["definitions"], **_SCHEMA["commands"][command]}
    if "$ref" in schema:  # draft 7 ignores everything beside a $ref
        schema = {"definitions": _SCHEMA["definitions"], "allOf": [_SCHEMA["commands"][command]]}
    error = jsonschema.exceptions.best_match(jsonschema.Draft7Validator(schema).iter_errors(document))
    if error is not None:
        place = "/".join(str(step) for step in error.absolute_path)
        raise AssertionError(f"{command}: {place}: {error.message}")
