#!/usr/bin/python3
"""A disk with data is never given to an array, neither by an outdated report nor by that of a lying plugin. Such a plugin
does not get the commands for another plugin's LEDs either."""
import os
import signal
import subprocess
import sys
import unittest

from sim_case import TREE
from sim_md import MdCase

sys.path.insert(0, os.path.join(TREE, "tests", "lib"))
from fake_plugin import FakePlugin  # noqa: E402  (the path has to be set before)

GROUP, BMC_GROUP = 65510, 65511  # of the plugins' units


class Hold(MdCase):
    host_options = {"pools": (), "arrays": ("md0=raid1:1,2",)}
    has_liar = True
    # "bmc" sorts before fmd-enclosure, and is granted as much.
    files = {"fmd.toml": f'''[plugin.redfish]
group = "{GROUP}"
handles = ["hc://", "redfish://"]
[plugin.bmc]
group = "{BMC_GROUP}"
observes = ["ereport.ipmi.*"]
describes = ["hc://"]
handles = ["hc://"]
'''}

    def setUp(self):
        super().setUp()
        self.wait_members(2)

    def file(self, bay):
        return os.path.realpath(self.host.path("dev/" + self.device(bay)))

    def disk(self, bay):
        path = "/dev/" + self.device(bay)
        return next((r for r in self.stage.resources("disk") if r["properties"].get("path") == path), None)

    def wait_content(self, bay, content):
        self.wait(lambda: (self.disk(bay) or {"properties": {}})["properties"].get("content") == content,
                  lambda: f"a disk in bay {bay} that is {content}: {self.disk(bay)}")
        disk = self.disk(bay)  # fmd-enclosure may see it later than fmd-disk
        self.wait(lambda: disk["fmri"] in [edge["to"] for edge in self.bay(f"SLOT {bay:02d}")["edges"]], lambda: f"it in bay {bay}")
        return disk

    def make_file_system(self, bay):
        subprocess.run(["mkfs.ext4", "-q", "-F", "-L", "PAYROLL", self.file(bay)], check=True)

    def put_payroll(self, bay):
        """A disk with a file system in that bay, as fmd sees it."""
        key = self.host.insert(bay)
        self.make_file_system(bay)
        self.host.pull(bay)
        self.wait(self.device_gone, "the disk to be gone")
        self.host.insert(bay, disk=key)
        return self.wait_content(bay, "used")

    def expect_payroll(self, bay):
        seen = subprocess.run(["blkid", "-p", "-o", "value", "-s", "LABEL", self.file(bay)], capture_output=True, text=True, check=False)
        self.assertEqual(seen.stdout.strip(), "PAYROLL", seen.stderr)
        self.assertNotIn(self.device(bay), self.host.array()["members"])

    def test_a_word_that_has_become_old(self):
        """Blank when it was put in; then somebody makes a file system on it while fmd-disk is stuck."""
        self.expect_refused("the disk is not blank: it holds ext4, label PAYROLL")

    def test_force_overwrites_nothing_that_it_has_not_said(self):
        """The same with --force, which said that the disk is blank."""
        self.expect_refused("is blank the disk was blank when fmd last read it, and now it is not: it holds ext4, label PAYROLL", "--force")

    def expect_refused(self, why, *options):
        self.host.insert(5)
        self.wait_content(5, "blank")
        looks = next(program for name, program in self.stage.programs.items() if name.endswith("disk")).process
        looks.send_signal(signal.SIGSTOP)
        self.addCleanup(looks.send_signal, signal.SIGCONT)
        self.make_file_system(5)
        ran = self.stage.run("fmadm", "replace", *options, "SLOT 02", "SLOT 05")
        self.assertNotEqual(ran.returncode, 0, ran.stdout)
        self.assertIn(why, " ".join((ran.stdout + ran.stderr).replace("fmadm: ", "").split()))
        self.host.look()
        self.expect_payroll(5)

    def test_force_says_what_is_lost(self):
        self.put_payroll(5)
        ran = self.stage.run("fmadm", "replace", "--force", "SLOT 02", "SLOT 05")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex(ran.stderr, r"/dev/\w+ \(serial \w+, \d+ MB\) is not blank: it holds ext4, label PAYROLL\n")

    def test_a_plugin_that_lies(self):
        """It reports a used disk as blank and in the bay of the failed one."""
        victim = self.put_payroll(5)
        bay = self.bay("SLOT 02")
        liar = self.liar(handles=["redfish://"])
        self.host.fault(2)
        self.wait(self.solved, "a case")
        self.host.pull(2)
        told = {name: value for name, value in victim["properties"].items() if not name.startswith("smart")}
        liar.inventory([
            {"fmri": victim["fmri"], "type": "disk", "properties": {**told, "content": "blank"}, "edges": []},
            {"fmri": bay["fmri"], "type": "bay", "properties": {**bay["properties"], "occupied": True},
             "edges": [{"relation": "contains", "to": victim["fmri"]}]}])
        self.wait(lambda: self.disk(5)["properties"].get("said_by.redfish.content") == "blank", lambda: f"the lie beside the truth: {self.disk(5)}")
        self.assertEqual(self.disk(5)["properties"]["content"], "used")
        bay = self.bay("SLOT 02")
        self.assertNotIn(victim["fmri"], [edge["to"] for edge in bay["edges"]], "only fmd-enclosure says which disk is in a bay")
        self.expect_payroll(5)
        # A new disk in that bay is used, and the victim is not: the lie has delayed nothing.
        self.host.insert(2)
        self.wait_whole(2)
        self.expect_payroll(5)

    def test_a_plugin_that_moves_the_disk(self):
        """It reports the failing disk in bays of its own, with the label of a healthy disk's bay. They come first by name."""
        disk = self.bay("SLOT 02")["edges"][0]["to"]
        liar = self.liar(handles=["redfish://"])
        liar.inventory([{"fmri": f"hc://chassis=0/{place}", "type": "bay", "properties": {"label": "SLOT 01", "slot": 1, "occupied": True},
                         "edges": [{"relation": "contains", "to": disk}]} for place in ("bay=redfish-1", "place=1")])
        self.host.fault(2)
        self.wait(self.solved, "a case")
        self.wait(lambda: 2 in self.lit(), "the fault LED of its own bay")
        case, = self.stage.cases()
        self.assertEqual(case["suspects"][0]["bay"], self.bay("SLOT 02")["fmri"])
        self.wait_told(1, 1)
        self.assertIn("replace the disk in SLOT 02", self.stage.mail.messages()[0]["subject"])

    def test_a_plugin_that_gives_another_number(self):
        """It calls the new disk larger, and by the serial number of another one."""
        self.host.insert(5)
        new = self.wait_content(5, "blank")
        told = {"serial": "OTHER", "size_bytes": 10 * new["properties"]["size_bytes"]}
        self.liar(handles=["redfish://"]).inventory([{"fmri": new["fmri"], "type": "disk", "properties": told, "edges": []}])
        self.wait(lambda: self.disk(5)["properties"].get("disputed"), lambda: f"the contradiction: {self.disk(5)}")
        now = self.disk(5)["properties"]
        self.assertEqual({name: now[name] for name in told}, {name: new["properties"][name] for name in told})
        shown = self.stage.run("fmtopo", "-V", new["fmri"]).stdout
        for name, value in told.items():
            self.assertRegex(shown, rf"said_by\.redfish\.{name} .*{value}")
        self.assertIn("according to fmd-redfish its ", shown)
        ran = self.stage.run("fmadm", "replace", "SLOT 02", "SLOT 05")
        self.assertNotEqual(ran.returncode, 0, ran.stdout)
        self.assertIn("cannot be identified for certain: according to fmd-redfish", " ".join((ran.stdout + ran.stderr).split()))

    def test_a_plugin_that_wants_the_leds(self):
        """Two declare a longer prefix than fmd-enclosure, describe the bay's LED, and answer "done"."""
        self.want_the_led("redfish", GROUP)

    def test_one_that_sorts_first(self):
        self.want_the_led("bmc", BMC_GROUP)

    def want_the_led(self, name, group):
        bay = self.bay("SLOT 02")
        liar = self.liar(name, group, handles=[bay["fmri"]], commands=["set_led"])
        dark = {**bay["properties"], "led.fault": "off", "led.method": name}
        liar.inventory([{"fmri": bay["fmri"], "type": "bay", "properties": dark, "edges": []}])

        def lit():
            while liar.pump(0):
                pass
            for command in liar.commands:
                liar.reply(command)
            return 2 in self.lit()
        self.host.fault(2)
        self.wait(lit, lambda: f"the fault LED of bay 2; the liar got {liar.commands}")
        self.assertEqual(liar.commands, [])

    def bay(self, label):
        return next(r for r in self.stage.resources("bay") if r["properties"].get("label") == label)

    def liar(self, name="redfish", group=GROUP, **hello):
        """Uses the name of another plugin, within its grant."""
        if os.geteuid() == 0:
            groups = os.getgroups()
            os.setgroups([group])
            self.addCleanup(os.setgroups, groups)
        liar = FakePlugin(self.stage.socket, name, observes=["ereport.ipmi.*"], check=False, **hello)
        self.addCleanup(liar.close)
        liar.hello()
        return liar

    def device_gone(self):
        return not [row for row in self.host.chassis() if row["bay"] == 5 and row["device"]]


if __name__ == "__main__":
    unittest.main()
