#!/usr/bin/python3
"""A simulated host whose BMC reports fans, heat and power: one case per cause, and none for short deviations."""
import os
import tempfile
import unittest

from sim_case import SimCase, TREE

import shipped

FAN, HOT, SUPPLY, AC, ROOM = ("fault.chassis.device.fan.fail", "fault.chassis.env.temp.over-critical", "fault.chassis.device.psu.fail",
                              "fault.chassis.device.psu.ac-fail", "upset.power.input")


class BmcCase(SimCase):
    plugins = ("ipmi",)
    deadline = "60s"  # this machine may be slow
    holds = ("10s", "30s")  # these holds are a second here

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="fmd-bmc-")
        self.addCleanup(self.folder.cleanup)
        self.files = {"ipmi.toml": 'interval = "1s"\nconfirm = "200ms"\nat_most = "1s"\n'
                                   f'deadline = "{self.deadline}"\nmeanings = ["{self.meanings()}"]\n'}
        self.rules = self.folder.name
        for name in ("enclosure.toml", "ipmi.toml"):  # here a failed part is reported at once
            with open(shipped.rule_file(name), encoding="utf-8") as file:
                text = file.read()
            with open(os.path.join(self.folder.name, name), "w", encoding="utf-8") as file:
                for long in self.holds:
                    text = text.replace(f'hold = "{long}"', 'hold = "1s"')
                file.write(text)
        super().setUp()
        self.host.bmc([])
        self.wait(lambda: self.of("psu", "PS2").get("status") == "OK", lambda: f"the parts: {self.stage.logs()}")

    def meanings(self):
        """A folder with the table of sensor meanings and nothing else."""
        folder = os.path.join(self.folder.name, "meanings")
        os.makedirs(folder)
        os.symlink(os.path.join(TREE, "plugins", "ipmi", "sensor_types.toml"), os.path.join(folder, "sensor_types.toml"))
        return folder

    def wait(self, condition, what, seconds=180):
        return super().wait(condition, what, seconds)

    def of(self, kind, label):
        return next((r["properties"] for r in self.stage.resources(kind) if r["properties"].get("label") == label), {})

    def classes(self):
        return sorted(case["suspects"][0]["class"] for case in self.solved(everything=True))

    def wait_cases(self, *classes):
        self.wait(lambda: self.classes() == sorted(classes), lambda: f"{classes}: {self.classes()}")

    def wait_well(self):
        self.wait(lambda: not self.stage.cases(), lambda: f"no open case: {self.stage.cases()}")


class Causes(BmcCase):
    def test_one_cause_is_one_case(self):
        self.host.bmc([("FAN1", "200"), ("CPU1 Temp", "97"), ("System Temp", "87")])
        self.wait_cases(FAN)
        self.wait(lambda: self.of("sensor", "CPU1 Temp").get("level") == "critical", "the heat seen")
        self.assertEqual(self.of("sensor", "CPU1 Temp")["explained_by"], "FAN1")
        shown = self.stage.run("fmadm", "ipmi").stdout
        self.assertIn("because of FAN1", shown)
        self.host.bmc([("FAN1", "5600"), ("CPU1 Temp", "41"), ("System Temp", "28")])
        self.wait_well()
        self.host.bmc([("PS1 Status", "0,1,3"), ("PS Redundancy", "1")])  # its cord was pulled
        self.wait_cases(FAN, AC)
        self.host.bmc([("PS1 Status", "0"), ("PS Redundancy", "0")])
        self.wait_well()
        self.host.bmc([("PS1 Status", "0,3"), ("PS2 Status", "0,3"), ("PS Redundancy", "1")])
        self.wait_cases(FAN, AC, ROOM)


class Hangs(BmcCase):
    deadline = "10s"
    holds = ("10s", "30s", "5min")

    def test_a_bmc_that_hangs_is_silent_and_comes_back(self):
        self.host.bmc([("hang", "on")])
        self.wait_cases("defect.bmc.silent")
        self.host.bmc([("hang", "off"), ("PS1 Status", "none"), ("log", "Watchdog,3")])
        self.wait(lambda: "upset.os.watchdog" in self.classes(), lambda: f"the log read on: {self.classes()}")
        self.wait(lambda: [c["suspects"][0]["class"] for c in self.stage.cases()] == ["upset.os.watchdog"],
                  lambda: f"the BMC back, and no case for a supply without a reading: {self.stage.cases()}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
