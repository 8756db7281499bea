"""SimCase: a test on a Stage (simulator/stage.py): fmd and its plugins on a simulated host. FMD_BUILD names the build."""
import json
import os
import shutil
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TREE, "simulator"))

import shipped  # noqa: E402  (the path has to be set before)
from stage import PLUGINS, Stage  # noqa: E402

BUILD = os.environ.get("FMD_BUILD", os.path.join(TREE, "build"))
FAST = {"scrub": 1.0, "resilver": 1.0, "notice": 0.1}  # seconds
CHECKSUM = "fault.fs.zfs.vdev.checksum"
IO = "fault.fs.zfs.vdev.io"
PATIENCE = 60  # seconds for what must happen at once: this machine may be busy


class SimCase(unittest.TestCase):
    host_options = {}
    files = {}  # configuration added to the stage's own, {name: text}
    plugins = PLUGINS
    rules = None  # a folder of rules on top of the usual ones
    start = True  # before the test; or the test does it
    has_liar = False  # a plugin of the test's sets what is another's

    def setUp(self):
        self.logs = ""
        self.stage = Stage(BUILD, {"speed": FAST, "seed": 11, **self.host_options}, plugins=self.plugins,
                           files=self.files, rules=self.rules)
        self.addCleanup(self._stop)
        self.host = self.stage.host
        if self.start:
            self.stage.start()

    def shorter_holds(self, waits):
        """A folder of rules for self.rules: shipped files with shorter holds, {file: {long: short}}."""
        folder = tempfile.mkdtemp(prefix="fmd-hasty-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        for name, holds in waits.items():
            with open(shipped.rule_file(name), encoding="utf-8") as file:
                text = file.read()
            for long, short in holds.items():
                text = text.replace(long, short)
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        return folder

    def tearDown(self):
        """No plugin of the tree sets a property of another's (schemas/events/resources.toml): it would not count."""
        fmd = self.stage.programs.get("fmd")
        if self.has_liar or not fmd or not fmd.running():
            return
        asked = self.stage.run("fmtopo", "--json")
        if asked.returncode == 0:
            self.assertEqual([], [f"{one['fmri']} {name}" for one in json.loads(asked.stdout) for name in one["properties"]
                                  if name.startswith("said_by.")])

    def _stop(self):
        self.logs = self.stage.logs()
        self.stage.stop()

    def run(self, result=None):
        result = result or self.defaultTestResult()
        before = len(result.errors) + len(result.failures)
        super().run(result)
        if len(result.errors) + len(result.failures) > before:
            print(self.logs)
        return result

    # --- waiting for what must happen ---------------------------------------

    def wait(self, condition, what, seconds=PATIENCE):
        return self.stage.wait(condition, seconds, what)

    def solved(self, everything=False):
        return [case for case in self.stage.cases(everything) if case["state"] != "UNSOLVED"]

    def case_for(self, bay, fault=CHECKSUM):
        """Waits for the one case, which must be about the disk in that bay."""
        cases = self.wait(self.solved, lambda: f"a case\n{self.stage.cases(True)}")
        self.assertEqual([suspect["class"] for case in cases for suspect in case["suspects"]], [fault])
        suspect = cases[0]["suspects"][0]
        self.assertEqual(suspect["location"], f"SLOT {bay:02d}")
        return cases[0]

    def wait_located(self):
        """After a kill the plugins that know the bays may reconnect later than the one that had the events."""
        self.wait(lambda: [case for case in self.solved() if case["suspects"][0]["location"]], "a case with its bay")

    def wait_state(self, bay, *states):
        """Waits until the vdev of the disk in a bay is in one of these states."""
        return self.wait(lambda: self.host.vdev(bay).get("state") in states and self.host.vdev(bay),
                         lambda: f"{states} of bay {bay}: {self.host.vdev(bay)}\n{self.stage.cases()}")

    def wait_lit(self, *bays):
        self.wait(lambda: self.lit() == set(bays), lambda: f"fault LEDs {bays}; lit: {self.lit()}")

    def lit(self):
        return {row["bay"] for row in self.host.chassis() if row["fault"]}

    def wait_told(self, mails, traps):
        self.wait(lambda: len(self.stage.mail.messages()) >= mails and len(self.stage.snmp.notifications()) >= traps,
                  lambda: f"{mails} mails, {traps} notifications; there are {self.subjects()}, "
                          f"{self.stage.snmp.notifications()}")
        self.wait(lambda: not [entry for entry in self.stage.outbox() if entry["state"] != "delivered"],
                  lambda: f"an empty outbox: {self.stage.outbox()}")

    def subjects(self):
        return [mail["subject"] for mail in self.stage.mail.messages()]

    def action(self, case, kind):
        """The action of that kind as it is now; {} if there is none."""
        return next((action for action in self.stage.case(case["uuid"])["actions"] if action["kind"] == kind), {})

    def wait_action(self, case, kind, state):
        return self.wait(lambda: self.action(case, kind).get("state") == state and self.action(case, kind),
                         lambda: f"{kind} {state}: {self.stage.case(case['uuid'])['actions']}")

    def timeline(self, case):
        return self.stage.case(case["uuid"])["timeline"]

    # --- ends that several tests share --------------------------------------

    def check_out_of_service(self, bay, spare=7):
        """The disk in the bay is out of service, the spare has its data, only its LED is lit, and people were told once."""
        self.wait_state(bay, "FAULTED")
        self.wait(lambda: self.host.vdev(spare).get("dtl") is False, "the spare resilvered")
        self.wait_lit(bay)
        self.wait_told(1, 1)
        cases = self.solved(everything=True)
        self.assertEqual(len(cases), 1, [case["title"] for case in cases])
        self.assertEqual(len(self.stage.mail.messages()), 1, self.subjects())
        self.assertEqual(len(self.stage.snmp.notifications()), 1)
        for other in set(range(1, 7)) - {bay}:
            self.assertEqual(self.host.vdev(other)["state"], "ONLINE", f"bay {other}")

    def swap(self, bay):
        """A person puts a new disk into a bay."""
        self.host.pull(bay)
        self.wait(lambda: not self.occupied(bay), f"bay {bay} to be seen empty")
        return self.host.insert(bay)

    def occupied(self, bay):
        found = [r["properties"] for r in self.stage.resources("bay") if r["properties"].get("label") == f"SLOT {bay:02d}"]
        return found and found[0].get("occupied")


def seconds_between(earlier_ns, later_ns):
    return (later_ns - earlier_ns) / 1e9


def now_ns():
    return time.time_ns()
