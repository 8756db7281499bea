#!/usr/bin/python3
"""1,000 disks in 20 shelves: each in its bay, each once, with all its paths. ./dev bench measures how fast."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TREE, "simulator"))

from big_stage import BigStage  # noqa: E402  (the path has to be set before)

BUILD = os.environ.get("FMD_BUILD", os.path.join(TREE, "build"))


class BigHost(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stage = BigStage(BUILD)
        cls.addClassCleanup(cls.stage.stop)
        cls.stage.start()
        cls.stage.look()
        cls.parts = {part["fmri"]: part for part in cls.stage.ask("fmtopo")}
        cls.machines = {fmri for fmri, part in cls.parts.items() if part["type"] == "enclosure" and not fmri.startswith("hc://chassis=0x")}

    def of_type(self, kind):
        """The machine itself is a chassis too, which contains its processors and none of the shelves."""
        return [part for part in self.parts.values() if part["type"] == kind and part["fmri"] not in self.machines]

    def below(self, fmri, relation="contains"):
        return [edge["to"] for edge in self.parts[fmri]["edges"] if edge["relation"] == relation]

    def test_counts(self):
        wanted = self.stage.host.counts()
        self.assertEqual((wanted["disk"], wanted["enclosure"], len(self.machines)), (1000, 20, 1))
        self.assertEqual({kind: len(self.of_type(kind)) for kind in wanted}, wanted)

    def test_every_disk_is_in_its_bay(self):
        for place, disk in self.stage.host.disks.items():
            bay = self.stage.bay_of(place)
            self.assertEqual(self.below(bay), [f"dev://wwn={disk['wwn']}"], place)
            self.assertEqual(self.parts[bay]["properties"]["slot"], int(place.split("/")[1]))

    def test_every_bay_is_in_its_shelf(self):
        for shelf in self.of_type("enclosure"):
            bays = [fmri for fmri in self.below(shelf["fmri"]) if self.parts[fmri]["type"] == "bay"]
            self.assertEqual(len(bays), 50, shelf["fmri"])

    def test_disks_are_who_they_are(self):
        for disk in self.stage.host.disks.values():
            told = self.parts[f"dev://wwn={disk['wwn']}"]["properties"]
            self.assertEqual((told["serial"], told["model"], told["transport"]), (disk["serial"], disk["model"], "sas"))
            self.assertIn(told["path"].removeprefix("/dev/"), disk["names"])

    def test_two_ways_are_one_disk(self):
        doubled = [disk for disk in self.stage.host.disks.values() if disk["map"]]
        self.assertEqual(len(doubled), 50)
        for disk in doubled:
            told = self.parts[f"dev://wwn={disk['wwn']}"]["properties"]
            self.assertEqual(set(told["paths"].split(",")), set(disk["names"]))
        serials = [disk["properties"]["serial"] for disk in self.of_type("disk")]
        self.assertEqual(len(set(serials)), len(serials))

    def test_a_phy_leads_to_each_disk(self):
        ways = {}
        for phy in self.of_type("phy"):
            for to in self.below(phy["fmri"], "path"):
                ways[to] = ways.get(to, 0) + 1
        for disk in self.stage.host.disks.values():
            self.assertEqual(ways.get(f"dev://wwn={disk['wwn']}"), len(disk["names"]), disk["names"])

    def test_one_part_by_its_name(self):
        disk = self.stage.host.disks["7/12"]
        found = self.stage.ask("fmtopo", disk["serial"])
        self.assertEqual([part["fmri"] for part in found if part["type"] == "disk"], [f"dev://wwn={disk['wwn']}"])


if __name__ == "__main__":
    unittest.main()
