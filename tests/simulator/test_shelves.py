#!/usr/bin/python3
"""The big simulated host is complete, each disk is in one bay, and names and numbers are the kernel's."""
import collections
import os
import re
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "..", "simulator"))

from host import shelves  # noqa: E402  (the path has to be set before)


class Names(unittest.TestCase):
    def test_devices_are_named_as_the_kernel_does(self):
        self.assertEqual([shelves.device_name(i) for i in (0, 25, 26, 701, 702)], ["sda", "sdz", "sdaa", "sdzz", "sdaaa"])

    def test_numbers(self):
        """sd.c: sixteen disks per major number, then the next major, and after the last one higher minors."""
        self.assertEqual([shelves.device_number(i) for i in (0, 1, 15, 16, 128, 255, 256)],
                         ["8:0", "8:16", "8:240", "65:0", "128:0", "135:240", "8:256"])
        self.assertEqual(len({shelves.device_number(i) for i in range(3000)}), 3000)


class Shelves(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="fmsim-")
        cls.addClassCleanup(folder.cleanup)
        cls.host = shelves.make(os.path.join(folder.name, "host"), shelves=6, bays=4, multipath=1, blank=2)

    def path(self, *names):
        return os.path.join(self.host.folder, *names)

    def test_no_link_leads_nowhere(self):
        links = [os.path.join(folder, name) for folder, folders, files in os.walk(self.host.folder) for name in folders + files
                 if os.path.islink(os.path.join(folder, name))]
        self.assertGreater(len(links), 500)
        self.assertEqual([link for link in links if not os.path.exists(link)], [])

    def test_every_disk_is_in_one_bay_by_each_way(self):
        ways = collections.Counter()
        for box in os.listdir(self.path("sys/class/enclosure")):
            for slot in os.listdir(self.path("sys/class/enclosure", box)):
                block = self.path("sys/class/enclosure", box, slot, "device/block")
                if slot.startswith("Slot"):
                    ways.update(os.listdir(block))
        names = [name for disk in self.host.disks.values() for name in disk["names"]]
        self.assertEqual(sorted(ways), sorted(names))
        self.assertEqual((len(names), set(ways.values())), (6 * 4 + 4, {1}))

    def test_maps(self):
        maps = [disk for disk in self.host.disks.values() if disk["map"]]
        self.assertEqual(len(maps), 4)
        for disk in maps:
            self.assertEqual(sorted(os.listdir(self.path("sys/block", disk["map"], "slaves"))), sorted(disk["names"]))
            adapters = {re.search(r"/host(\d)/port", os.path.realpath(self.path("sys/block", name))).group(1)
                        for name in disk["names"]}
            self.assertEqual(adapters, {"1", "2"}, "the two ways go by different adapters")

    def test_counts_are_what_is_there(self):
        counts = self.host.counts()
        for kind, folder in (("expander", "sas_expander"), ("phy", "sas_phy"), ("hba", "sas_host"), ("nic", "net")):
            self.assertEqual(counts[kind], len(os.listdir(self.path("sys/class", folder))), kind)

    def test_blank_disks(self):
        blank = [disk for disk in self.host.disks.values() if disk["blank"]]
        self.assertEqual(len(blank), 2)
        for disk in blank:
            name = disk["names"][0]
            self.assertFalse(os.path.exists(self.path("sys/block", name, name + "1")))
            self.assertEqual(os.path.getsize(self.path("dev", name)), shelves.DISK_BYTES)

    def test_not_twice_in_one_folder(self):
        with self.assertRaises(SystemExit):
            shelves.make(self.host.folder)


if __name__ == "__main__":
    unittest.main()
