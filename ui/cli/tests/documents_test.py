"""What the command lines print with --json is what schemas/documents.schema.json says."""
import json
import os
import sys
import unittest

import stage

sys.path.insert(0, os.path.join(stage.ROOT, "tests", "lib"))
import document_schema  # noqa: E402  (the path has to be set before)

ARGUMENTS = {"fmadm faulty": ["-a"], "fmadm readings": ["SLOT 03"]}


class Documents(stage.Case):
    def documents(self, command):
        # Of status the exit status tells what it found.
        text = stage.run(*command.split(), *ARGUMENTS.get(command, []), "--json", bus=self.bus).stdout
        if command.startswith("fmdump"):
            return [json.loads(line) for line in text.splitlines()]
        return [json.loads(text)]

    def test_each_is_as_described(self):
        for command in sorted(document_schema.COMMANDS):
            with self.subTest(command):
                documents = self.documents(command)
                self.assertTrue(documents and documents[0], "something to look at")
                for document in documents:
                    document_schema.check(command, document)

    def test_the_schema_refuses(self):
        (status,) = self.documents("fmadm status")
        for wrong in ({**status, "verdict": "fine"}, {**status, "new": 1}, {k: v for k, v in status.items() if k != "problems"}):
            with self.assertRaises(AssertionError):
                document_schema.check("fmadm status", wrong)


if __name__ == "__main__":
    unittest.main(verbosity=2)
