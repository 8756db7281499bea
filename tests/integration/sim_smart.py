#!/usr/bin/python3
"""SMART on a simulated host: disks that hang, sleep and fail, and one case for a disk that both SMART and ZFS report."""
import os
import unittest

from sim_case import CHECKSUM, SimCase

SMART = 'interval = "1s"\ndeadline = "4s"\nretry = "2s"\nrescan = "1s"\nat_once = 4\n'


class SmartCase(SimCase):
    files = {"smart.toml": SMART}
    plugins = ("disk", "enclosure", "zfs", "smart")

    def disk(self, serial):
        """Its properties; none before it was reported."""
        return next((r["properties"] for r in self.stage.resources("disk") if r["properties"].get("serial") == serial), {})

    def told(self, bay):
        """Properties of the disk that is first in this bay."""
        return self.disk(f"DISK{bay:02d}G0")

    def wait_says(self, bay, **properties):
        wanted = {name.replace("__", "."): value for name, value in properties.items()}
        self.wait(lambda: wanted.items() <= self.told(bay).items(), lambda: f"bay {bay}: {wanted}; it is {self.told(bay)}")


class States(SmartCase):
    def test_one_hangs_one_sleeps_the_others_are_heard(self):
        for bay in range(1, 8):
            self.wait_says(bay, smart__state="observed", smart__status="passed")
        self.host.smart(2, [("hang", "on")])
        self.host.smart(3, [("standby", "on")])
        self.wait_says(2, smart__state="hung")
        self.wait_says(3, smart__state="standby", smart__status="passed")
        # While it hangs, the others are still queried.
        self.host.smart(5, [("temperature", 44)])
        self.wait_says(5, temperature_celsius=44)
        self.assertEqual(self.told(2)["smart.state"], "hung")
        self.host.smart(2, [("hang", "off")])
        self.host.smart(3, [("standby", "off")])
        self.wait_says(2, smart__state="observed")
        self.wait_says(3, smart__state="observed")


class Asked(SmartCase):
    """SMART commands of a person, by fmadm over the bus, without periodic looks meanwhile."""
    files = {"smart.toml": 'interval = "10h"\ndeadline = "3s"\nretry = "10h"\nrescan = "10h"\n'}
    host_options = {"speed": {"scrub": 1.0, "resilver": 3600.0, "notice": 0.1}}

    def smart(self, *words, status=0):
        done = self.stage.run("fmadm", "smart", *words)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stderr if status else done.stdout

    def begun(self):
        """The self-tests that were started on disks."""
        try:
            with open(os.path.join(self.host.folder, "sim", "smart", "self-tests"), encoding="utf-8") as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []

    def test_a_look_now(self):
        self.wait_says(5, smart__state="observed")
        self.host.smart(5, [("temperature", 47)])
        self.assertNotIn("47 C", self.smart("show", "SLOT 05"))
        self.assertIn("47 C", self.smart("refresh", "SLOT 05"))
        self.host.smart(5, [("standby", "on")])
        self.assertIn("standby (passed before)", self.smart("refresh", "DISK05G0"))
        self.host.smart(5, [("hang", "on")])
        self.assertIn("SLOT 05: smartctl did not answer by its deadline", self.smart("refresh", "DISK05G0", status=1))
        self.stage.kill("fmd-smart")
        self.wait(lambda: "fmd-smart is not connected" in self.smart("refresh", "SLOT 05", status=1), "the plugin's end to be seen")

    def test_self_tests(self):
        self.wait_says(4, smart__state="observed")
        device = os.path.basename(self.told(4)["path"])
        self.assertIn("short self-test begun", self.smart("test", "short", "SLOT 04"))
        self.assertIn("self-test ended", self.smart("test", "abort", device))
        self.assertEqual(self.begun(), [f"short {device}", f"abort {device}"])
        self.assertIn("no part is known by the name", self.smart("test", "long", "SLOT 99", status=1))
        self.assertIn("is not a disk and holds none", self.smart("test", "long", "SLOT 08", status=1))

    def test_no_self_test_while_its_pool_resilvers(self):
        self.wait_says(4, smart__state="observed")
        self.wait_says(5, smart__state="observed")
        self.host.corrupt(4, blocks=20)
        self.host.read(seconds=0.5)
        self.wait(lambda: "resilver" in [r["properties"].get("busy") for r in self.stage.resources("zfs-vdev")], "a resilver")
        self.assertIn("is resilvering", self.smart("test", "short", "SLOT 05", status=1))
        self.assertEqual(self.begun(), [])
        self.smart("test", "short", "SLOT 05", "--force")
        self.assertEqual(self.begun(), ["short " + os.path.basename(self.told(5)["path"])])


class Swap(SmartCase):
    def test_a_disk_of_no_pool_is_swapped(self):
        """Only SMART reports it: its case ends when its bay holds another disk, without 'fmadm replaced'."""
        self.host.insert(8, serial="LONELY1")
        self.wait(lambda: self.disk("LONELY1").get("smart.state") == "observed", "the disk to be asked")
        self.host.smart(8, [("health", "failed")])
        case = self.wait(self.solved, "a case")[0]
        self.assertEqual([s["serial"] for s in case["suspects"]], ["LONELY1"])
        self.assertEqual(case["suspects"][0]["location"], "SLOT 08")
        self.wait_lit(8)
        self.host.pull(8)
        self.wait(lambda: not self.occupied(8), "bay 8 to be seen empty")
        self.assertEqual([c["uuid"] for c in self.solved()], [case["uuid"]], "an empty bay is no repair")
        self.host.insert(8, serial="LONELY2")
        self.wait(lambda: self.stage.case(case["uuid"])["state"] == "RESOLVED", lambda: f"its end: {self.stage.cases(True)}")
        ended = self.stage.case(case["uuid"])
        self.assertEqual(ended["suspects"][0]["status"], "replaced")
        self.assertIn("disk LONELY1 was replaced by SLOT 08 (serial LONELY2)", [entry["text"] for entry in ended["timeline"]])
        self.wait_lit()


class Cases(SmartCase):
    def test_old_defects_are_no_news_and_growth_is(self):
        self.host.smart(6, [("reallocated", 30)])
        self.stage.start_plugin("smart")
        self.wait_says(6, smart__grown_defects=30)
        self.assertEqual(self.solved(), [])
        self.host.smart(6, [("reallocated", 45)])
        cases = self.wait(self.solved, lambda: f"a case: {self.told(6)}")
        self.assertEqual([suspect["serial"] for case in cases for suspect in case["suspects"]], ["DISK06G0"])
        self.wait_lit(6)

    def test_what_was_so_when_fmd_came_is_minor_and_shown(self):
        self.host.smart(6, [("reallocated", 1040)])
        self.stage.start_plugin("smart")
        case = self.wait(self.solved, lambda: f"a case: {self.told(6)}")[0]
        self.assertEqual((case["severity"], case["led"]), ("Minor", False))
        self.assertIn("It counts grown defects: 1040 when fmd first saw it.", case["description"])
        self.wait_lit()
        shown = self.stage.run("fmadm", "smart", "show", "SLOT 06").stdout
        self.assertRegex(shown, r"1040 replaced +open case\n")
        self.assertIn(f"Disk has media defects (fmadm faulty -u {case['uuid']})", " ".join(shown.split()))

    # The plugin starts only after the disk has its history.
    def setUp(self):
        self.plugins = tuple(name for name in self.plugins if name != "smart")
        super().setUp()

    def test_what_smart_and_zfs_say_is_one_case(self):
        self.stage.start_plugin("smart")
        self.wait_says(4, smart__state="observed")
        self.host.smart(4, [("health", "failed")])
        first = self.wait(self.solved, "a case of SMART's")[0]
        self.assertEqual([s["serial"] for s in first["suspects"]], ["DISK04G0"])
        self.host.corrupt(4, blocks=20)
        self.host.read(seconds=0.5)
        self.wait(lambda: CHECKSUM in self.classes(first), lambda: f"ZFS's evidence in it: {self.stage.cases(True)}")
        self.assertEqual([case["uuid"] for case in self.solved(everything=True)], [first["uuid"]])
        self.wait_state(4, "DEGRADED", "FAULTED")
        self.wait_lit(4)

    def classes(self, case):
        return [suspect["class"] for suspect in self.stage.case(case["uuid"])["suspects"]]


if __name__ == "__main__":
    unittest.main()
