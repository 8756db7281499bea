#!/usr/bin/python3
"""fmd's database is damaged beyond repair: old errors accuse nothing, the plugins still know fmd's own actions, and new errors count."""
import glob
import os
import shutil
import tempfile
import unittest

from sim_case import CHECKSUM, SimCase

import shipped

FORGOTTEN = "fault.fmd.action.forgotten"


class Lost(SimCase):
    def setUp(self):
        self.rules = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.rules)
        with open(shipped.rule_file("fmd.toml"), encoding="utf-8") as file:
            shorter = file.read().replace('hold = "1min"', 'hold = "3s"')
        with open(os.path.join(self.rules, "fmd.toml"), "w", encoding="utf-8") as file:
            file.write(shorter)
        super().setUp()

    def lose_database(self):
        # Unacknowledged events are sent again, then fmd-zfs continues from there.
        self.wait(lambda: not [p for p in self.stage.ask("fmadm", "config")["plugins"] if p["batches_unacked"]], "all acknowledged")
        self.stage.kill()
        for file in glob.glob(self.stage.path("state", "fmd", "fmd.db*")):
            with open(file, "r+b") as damaged:
                damaged.write(b"\xa5" * os.path.getsize(file))
        self.stage.restart()
        self.wait(self.stage.settled, "fmd to be back")
        self.wait(lambda: self.host.vdev(4) and self.ereports(), "the old errors, read again")

    def ereports(self):
        return self.seen("ereport.fs.zfs.checksum")

    def accusing(self):
        """All cases but the one about the database itself."""
        return [c for c in self.stage.cases(True) if not any(s["class"] == "defect.fmd.store.damaged" for s in c["suspects"])]

    def actions(self):
        return " ".join(self.stage.run("fmadm", "actions").stdout.split())

    def fill_with_errors(self):
        self.host.corrupt(4, blocks=15)
        self.host.read(seconds=0.3)

    def convict(self):
        self.fill_with_errors()
        return self.case_for(4)

    def seen(self, event_class):
        return [e for e in self.stage.ask("fmdump", "-e") if e["class"] == event_class]

    def acquit(self):
        ran = self.stage.run("fmadm", "acquit", "SLOT 04")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.wait_state(4, "ONLINE")
        self.wait_lit()
        self.wait(lambda: not [c for c in self.accusing() if c["state"] != "RESOLVED"], lambda: f"no open case: {self.stage.cases()}")
        self.wait(lambda: self.host.chassis()[6]["note"] == "spare", lambda: f"the spare back: {self.host.chassis()}")
        self.wait(lambda: self.seen("sysevent.fs.zfs.vdev_remove"), "the event of that")

    def test_what_was_acquitted_is_not_accused_again(self):
        self.convict()
        self.check_out_of_service(4)
        self.acquit()
        self.lose_database()
        self.assertEqual(self.accusing(), [])
        self.assertIn("fmd has changed nothing since", self.actions())
        self.assertIn("It does not know what was done before", self.actions())
        self.assertEqual(self.host.vdev(4)["state"], "ONLINE")
        self.assertEqual(self.accusing(), [], "nothing of what came with the first looks")
        self.fill_with_errors()  # new ones are evidence
        self.wait_state(4, "FAULTED", "DEGRADED")

    def test_what_fmd_took_out_has_a_case_again_and_an_acquittal_puts_it_back(self):
        self.convict()
        self.check_out_of_service(4)
        self.lose_database()
        self.wait(lambda: "which fmd no longer knows" in self.actions(), self.actions)
        self.assertIn('fmadm restore "SLOT 04"', self.actions())
        self.assertEqual([c for c in self.solved() if c["suspects"][0]["class"] == CHECKSUM], [])
        self.assertEqual((self.host.vdev(4)["state"], self.lit()), ("FAULTED", {4}))
        self.wait(lambda: [c for c in self.solved() if c["suspects"][0]["class"] == FORGOTTEN],
                  lambda: f"a case that says so: {self.stage.cases(True)}")
        self.acquit()


if __name__ == "__main__":
    unittest.main()
