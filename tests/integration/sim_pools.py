#!/usr/bin/python3
"""A pool that does not answer for a long time, on the simulated host."""
import os
import shutil
import tempfile
import unittest

from sim_case import CHECKSUM, SimCase

import shipped

TITLE_HUNG = "ZFS pool does not respond"


class RuledCase(SimCase):
    plugins = ("disk", "enclosure", "zfs")
    changes = {}  # name of a rule file → (old text, new text)

    def setUp(self):
        self.rules = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.rules)
        for name, (old, new) in self.changes.items():
            with open(shipped.rule_file(name), encoding="utf-8") as file:
                text = file.read()
            self.assertIn(old, text)
            with open(os.path.join(self.rules, name), "w", encoding="utf-8") as file:
                file.write(text.replace(old, new))
        super().setUp()

    def titled(self, title, bay=None):
        return [c for c in self.stage.cases(True) if c["title"] == title and c["state"] != "UNSOLVED"
                and (bay is None or c["suspects"][0]["location"] == f"SLOT {bay:02d}")]


class Hangs(RuledCase):
    """One pool of two does not answer for as long as the rule waits (two seconds here)."""
    host_options = {"pools": ("tank=raidz2:1,2,3,4,5+6", "dozer=mirror:7,8")}
    files = {"zfs.toml": 'zpool_deadline = "2s"\n'}
    changes = {"zfs-pools.toml": ('hold = "15s"', 'hold = "2s"')}

    def zpools(self):
        """zpool(8) processes that name the hanging pool."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().decode(errors="replace").split("\0")
            except OSError:
                continue
            if "dozer" in words and any(word.startswith(self.host.folder) and word.endswith("/zpool") for word in words):
                found.append(pid)
        return found

    def test_it_is_told_and_does_not_blind_fmd_to_the_other(self):
        self.wait(lambda: len([p for p in self.stage.resources("zfs-pool") if p["present"]]) == 2, "both pools")
        self.host.hang("dozer")
        case = self.wait(lambda: self.titled(TITLE_HUNG), lambda: f"its case: {self.stage.cases(True)}")[0]
        self.assertEqual(case["severity"], "Critical")
        self.assertIn("ZFS pool dozer has not answered", case["description"])
        self.assertLessEqual(len(self.zpools()), 1, "no second one is started beside one that hangs")
        # Meanwhile the other pool is diagnosed and its spare used.
        self.host.corrupt(4)
        self.host.scrub("tank")
        self.wait(lambda: [c for c in self.solved() for s in c["suspects"] if s["class"] == CHECKSUM and s["location"] == "SLOT 04"],
                  lambda: f"the case of bay 4: {self.stage.cases(True)}")
        self.wait_lit(4)
        self.wait(lambda: self.host.vdev(6).get("dtl") is False, "the spare resilvered")
        # Nothing is assumed about the silent pool: its disks are in no case.
        self.assertEqual([c["title"] for c in self.solved() for s in c["suspects"] if s["location"] in ("SLOT 07", "SLOT 08")], [])
        self.host.hang("dozer", False)
        self.wait(lambda: self.titled(TITLE_HUNG)[0]["state"] == "RESOLVED", lambda: f"its end: {self.stage.cases(True)}")
        # The second time it is reported again.
        self.host.hang("dozer")
        self.wait(lambda: [c for c in self.titled(TITLE_HUNG) if c["state"] != "RESOLVED"], "the second time")
        self.host.hang("dozer", False)
        self.wait(lambda: {c["state"] for c in self.titled(TITLE_HUNG)} == {"RESOLVED"}, "the second end")


if __name__ == "__main__":
    unittest.main()
