#!/usr/bin/python3
"""Disks that leave and come back, on the simulated host: pulled and put back, swapped because of SMART, dead on the bus,
flapping."""
import json
import os
import shutil
import tempfile
import unittest

from sim_case import SimCase
from stage import PLUGINS

import shipped

SMART = 'interval = "1s"\ndeadline = "4s"\nretry = "2s"\nrescan = "1s"\nat_once = 4\n'


class GoneCase(SimCase):
    shorter = {}  # holds of zfs.toml, and what they are here
    files = {"smart.toml": SMART}
    plugins = (*PLUGINS, "smart") if "smart" not in PLUGINS else PLUGINS

    def setUp(self):
        self.rules = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.rules)
        with open(shipped.rule_file("zfs.toml"), encoding="utf-8") as file:
            text = file.read()
        for hold, instead in self.shorter.items():
            text = text.replace(f'hold = "{hold}"', f'hold = "{instead}"')
        with open(os.path.join(self.rules, "zfs.toml"), "w", encoding="utf-8") as file:
            file.write(text)
        super().setUp()

    def wait_case(self, title, state="SOLVED"):
        found = self.wait(lambda: [c for c in self.stage.cases(True) if c["title"] == title and c["state"] in (state, "CLOSE_WAIT", "CLOSED")],
                          lambda: f"{title!r}: {self.stage.cases(True)}")
        return found[0]

    def wait_pool_well(self, bay):
        self.wait(lambda: self.host.vdev(bay).get("state") == "ONLINE" and self.host.vdev(bay).get("dtl") is not True,
                  lambda: f"bay {bay} ONLINE with all its data: {self.host.vdev(bay)}")


class Gone(GoneCase):
    shorter = {"1min": "8s"}

    def log(self):
        with open(self.stage.path("log", "fmd.log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def test_a_healthy_disk_put_back_comes_online_by_itself(self):
        """In its own bay and in another one: no case, no mail, a line in the log."""
        for back_in in (3, 8):
            key = self.host.pull(3)
            self.wait(lambda: not self.occupied(3), "bay 3 to be seen empty")
            self.host.insert(back_in, disk=key)
            self.wait_pool_well(back_in)
            self.wait(lambda: "it is put back into service" in self.log(), "the line in the log")
        self.assertEqual(self.solved(everything=True), [])
        self.assertEqual(self.stage.mail.messages(), [])
        self.assertEqual(self.host.chassis()[6]["note"], "spare")

    def test_one_that_was_retired_stays_out(self):
        self.wait(lambda: [v for v in self.stage.resources("zfs-vdev") if v["properties"].get("service") == "in-service"], "the pool")
        self.stage.ask("fmadm", "retire", "DISK03G0")
        self.wait_state(3, "OFFLINE", "FAULTED")
        key = self.host.pull(3)
        self.wait(lambda: not self.occupied(3), "bay 3 to be seen empty")
        self.host.insert(3, disk=key)
        self.wait(lambda: self.occupied(3), "bay 3 to be seen filled")
        other = self.host.pull(5)
        self.wait(lambda: not self.occupied(5), "bay 5 to be seen empty")
        self.host.insert(5, disk=other)
        self.wait_pool_well(5)  # longer than bay 3 would have taken
        self.assertIn(self.host.vdev(3)["state"], ("OFFLINE", "FAULTED"))

    def test_the_swap_that_smart_asked_for(self):
        """Failure predicted, LED on, swapped: the new disk is used by itself, the case stays open until it has the data, one mail at the end."""
        self.host.smart(4, [("health", "failed")])
        case = self.wait_case("Disk predicts its own failure")
        self.wait_lit(4)
        self.wait_told(1, 1)
        self.host.pull(4)
        self.wait(lambda: not self.occupied(4), "bay 4 to be seen empty")
        self.wait(lambda: len(self.stage.case(case["uuid"])["suspects"]) == 2, lambda: f"its vdev: {self.stage.case(case['uuid'])}")
        self.host.insert(4)
        self.wait(lambda: self.stage.case(case["uuid"])["state"] == "RESOLVED", lambda: f"the end: {self.stage.case(case['uuid'])}")
        self.wait_pool_well(4)
        self.wait_lit()
        self.wait_told(2, 2)
        self.assertEqual(len(self.solved(everything=True)), 1)
        self.assertEqual(len(self.stage.mail.messages()), 2, self.subjects())
        self.assertEqual(self.host.chassis()[6]["note"], "spare", "nobody used it")

    def test_one_that_dies_on_its_bus(self):
        """Reported at once, with bay, LED and spare; after being pulled and put back it is used again."""
        self.host.drop(2)
        case = self.wait_case("Disk no longer responds")
        suspect = case["suspects"][0]
        self.assertEqual((suspect["location"], suspect["serial"], case["severity"]), ("SLOT 02", "DISK02G0", "Major"))
        self.wait_lit(2)
        self.wait(lambda: self.host.vdev(7).get("dtl") is False, "the spare resilvered")
        key = self.host.pull(2)
        self.wait(lambda: not self.occupied(2), "bay 2 to be seen empty")
        self.assertEqual(self.lit(), {2})
        self.host.insert(2, disk=key)
        self.wait_pool_well(2)
        self.wait(lambda: self.stage.case(case["uuid"])["state"] == "RESOLVED", lambda: f"the end: {self.stage.case(case['uuid'])}")
        self.wait_lit()
        self.assertEqual(self.host.chassis()[6]["note"], "spare")

    def test_one_that_comes_and_goes(self):
        """Used again twice; the third time it becomes a case and stays out."""
        for times in range(3):
            self.host.drop(2)
            self.wait_state(2, "REMOVED")
            if times < 2:
                self.host.find_again(2)
                self.wait_pool_well(2)
        case = self.wait_case("Disk disconnects repeatedly")
        self.assertIn("disappeared 3 times", case["description"])
        self.wait_lit(2)
        self.host.find_again(2)
        other = self.host.pull(5)
        self.wait(lambda: not self.occupied(5), "bay 5 to be seen empty")
        self.host.insert(5, disk=other)
        self.wait_pool_well(5)  # longer than bay 2 would have taken
        self.assertEqual(self.host.vdev(2)["state"], "REMOVED")
        self.stage.ask("fmadm", "repaired", "DISK02G0")
        self.wait_pool_well(2)


class Swapped(GoneCase):
    """A person replaces a disk that no case is about."""
    shorter = {"15min": "15s"}

    def test_a_disk_without_a_case(self):
        """The status says what happens to the new disk. fmd uses it, and leaves the spare alone."""
        self.host.pull(3)
        self.wait(lambda: not self.occupied(3), "bay 3 to be seen empty")
        self.host.insert(3)
        def expected():
            status = json.loads(self.stage.run("fmadm", "status", "--json").stdout)  # exits with 1: the pool is not well
            return [text for pool in status["pools"] for text in pool["expected"]]
        told = self.wait(lambda: [text for text in expected() if "another disk" in text], expected)
        self.assertRegex(told[0], r"^SLOT 03 was removed, and another disk \(serial DISK03\w+\) is in its bay; a case follows at "
                         r"\d\d:\d\d, and the new disk is used then if it is blank and large enough\.$")
        case = self.wait_case("Disk is gone and has not come back")
        self.wait(lambda: self.stage.case(case["uuid"])["state"] == "RESOLVED", lambda: f"the end: {self.stage.case(case['uuid'])}")
        self.wait_pool_well(3)
        self.assertEqual(self.host.chassis()[6]["note"], "spare")


if __name__ == "__main__":
    unittest.main()
