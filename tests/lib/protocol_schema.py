"""Holds messages of the plugin protocol to schemas/plugin-protocol.schema.json.

The fake core and the fake plugin of the tests pass every line they see through check(), so both the
daemon and the SDK are held to the schema by whatever else they are tested for.
"""
import json
import os

import jsonschema

_PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "schemas", "plugin-protocol.schema.json")
with open(_PATH, encoding="utf-8") as _file:
    _VALIDATOR = jsonschema.Draft7Validator(json.load(_file))


def check(message):
    """Raises AssertionError with the nearest reason when the message is not in the schema."""
    error = jsonschema.exceptions.best_match(_VALIDATOR.iter_errors(message))
    if error is not None:
        # The reasons below a oneOf are the useful ones: show those of the message's own kind.
        method = message.get("method") if isinstance(message, dict) else None
        detail = [e.message for e in error.context or [] if method is None or "const" not in e.schema] or [error.message]
        raise AssertionError(f"not in the protocol's schema: {json.dumps(message)[:400]}: {'; '.join(detail[:4])}")
