"""The output of every command with --json conforms to schemas/documents.schema.json."""
import json
import os
import sys
import unittest

import stage

sys.path.insert(0, os.path.join(stage.ROOT, "tests", "lib"))
import document_schema  # noqa: E402  (the path has to be set before)
import shipped  # noqa: E402

CASE = "d482f935-5c8f-4b9a-9f25-d0aaafec1e6c"
WHEN = 1795142530 * 10**9
EVENTS, KNOWN = shipped.event_options(), shipped.options()
LANGUAGE = str(stage.ROOT / "diagnosis-rules/tests/language")
# Arguments with which a command has output.
ARGUMENTS = {
    "fmadm faulty": ["-a"], "fmadm readings": ["SLOT 03"], "fmadm why": ["d482f935"], "fmtopo --why": ["SLOT 03"],
    "fmadm repaired": ["SLOT 06"], "fmadm replaced": ["--force", "SLOT 06"],
    "fmadm acquit": ["SLOT 06"], "fmadm locate": ["on", "SLOT 06"], "fmadm retire": ["SLOT 06"], "fmadm restore": ["SLOT 06"],
    "fmadm replace": ["SLOT 06", "SLOT 07"], "fmadm ack": [CASE], "fmadm dry-run": ["on"], "fmadm smart refresh": ["SLOT 06"],
    "fmadm smart test": ["short", "SLOT 06"], "fmadm notify test": ["mail"], "fmadm notify explain": [CASE],
    "fmadm maintenance add": ["--for", "1h", "--reason", "new disks"], "fmadm maintenance end": ["7"],
    "fmadm rules check": [*EVENTS, *shipped.rule_folders()], "fmadm rules show": ["zfs-checksum", *KNOWN],
    "fmadm explain": ["ZFS-8000-GH", *KNOWN], "fmadm config check": ["--programs", "/nonexistent"],
    "fmadm rules upgrade": ["-n", *EVENTS, *shipped.rule_folders()],
    "fmadm rules test": [LANGUAGE, *EVENTS], "fmadm rules catalog": [*EVENTS, *shipped.rule_folders()],
    "fmadm replay": [shipped.recording("plugin-dead"), *KNOWN], "fmadm chassis check": [str(stage.ROOT / "chassis")],
}
A_LINE_EACH = ("fmdump", "fmdump -e", "fmadm record")
# With these options, the programs print other documents.
WITH_OPTIONS = {"fmdump -e", "fmstat -s", "fmtopo --why"}


def commands(*words):
    """All commands below that one, from the program's own list in its error for an unknown command."""
    done = stage.run(*words, "no-such-command", FMD_BUS_ADDRESS="unix:path=/nonexistent")
    _, said, names = done.stderr.partition("Commands: ")
    name = " ".join(words)
    if not said:
        return {name}
    below = set().union(*(commands(*words, one) for one in " ".join(names.split()).split(", ")))
    return below | ({name} if name in document_schema.COMMANDS else set())


class Documents(stage.Case):
    def setUp(self):
        super().setUp()
        self.daemon.order(resource={"fmri": "hc://system=host/bmc=0", "type": "bmc", "present": True, "properties": {"state": "observed"}})
        self.daemon.order(
            happenings=[{"uuid": CASE, "event": "disk-removed", "time": WHEN, "text": "disk removed", "state": "over", "channels": ["mail"],
                         "part": "dev://wwn=1", "serial": "Z1Y0DD06"}],
            notices=[{"time": WHEN, "event": "diagnosed", "channel": "mail", "recipients": ["default"], "key": "k", "why": "[notify.mail]",
                      "delivered": WHEN, "state": "delivered"}],
            maintenance=[{"id": "7", "scope": "", "name": "", "from": WHEN, "until": WHEN + 1, "reason": "new disks", "who": "root",
                          "running": False}])

    def run_json(self, command):
        return stage.run(*command.split(), *ARGUMENTS.get(command, []), "--json", bus=self.bus)

    def documents(self, command):
        done = self.run_json(command)  # the exit status of `status` depends on its result
        self.assertTrue(done.stdout, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()] if command in A_LINE_EACH else [json.loads(done.stdout)]

    def test_each_is_as_described(self):
        for command in sorted(document_schema.COMMANDS):
            with self.subTest(command):
                documents = self.documents(command)
                self.assertTrue(documents and documents[0], "something to look at")
                for document in documents:
                    document_schema.check(command, document)

    def test_no_command_is_without_one_that_does_not_say_so(self):
        there = commands("fmadm") | {"fmdump", "fmstat", "fmtopo"}
        self.assertGreater(len(there), 40)
        self.assertEqual(document_schema.COMMANDS - WITH_OPTIONS - there, set(), "described, but no command")
        for command in sorted(there - document_schema.COMMANDS):
            with self.subTest(command):
                done = self.run_json(command)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", "fmadm: This command has no --json\n"),
                                 "describe its document in schemas/documents.schema.json")
        self.assertEqual(self.daemon.changes(), [], "and it is not done")

    def test_the_schema_refuses(self):
        (status,) = self.documents("fmadm status")
        for wrong in ({**status, "verdict": "fine"}, {**status, "new": 1}, {k: v for k, v in status.items() if k != "problems"}):
            with self.assertRaises(AssertionError):
                document_schema.check("fmadm status", wrong)


if __name__ == "__main__":
    unittest.main(verbosity=2)
