"""Checks messages of the plugin protocol against schemas/plugin-protocol.schema.json.

The fake core and the fake plugin pass every line through check(), so every test that uses them also checks the
daemon and the SDK against the schema."""
import json
import os

import jsonschema

_PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "schemas", "plugin-protocol.schema.json")
with open(_PATH, encoding="utf-8") as _file:
    _VALIDATOR = jsonschema.Draft7Validator(json.load(_file))


def check(message):
    """Raises AssertionError with the most relevant reason if the message violates the schema."""
    error = jsonschema.exceptions.best_match(_VALIDATOR.iter_errors(message))
    if error is not None:
        # Of the reasons below a oneOf, only those for the message's own method are useful.
        method = message.get("method") if isinstance(message, dict) else None
        detail = [e.message for e in error.context or [] if method is None or "const" not in e.schema] or [error.message]
        raise AssertionError(f"not in the protocol's schema: {json.dumps(message)[:400]}: {'; '.join(detail[:4])}")
