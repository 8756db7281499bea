#!/usr/bin/python3
"""A machine without a BMC: the kernel's own sensors (hwmon). A fan that stops and a temperature above its critical limit become cases and end
again; a resting fan, an empty connector and unset limits do not."""
import os
import tempfile
import unittest

from sim_case import SimCase

import shipped

FAN, HOT = "fault.chassis.device.fan.standing", "fault.chassis.env.temp.over-limit"
BOARD = {"name": "it8728", "fan1_input": 1210, "fan1_min": 0, "fan1_alarm": 0, "pwm1": 110, "fan2_input": 890, "fan2_alarm": 0, "pwm2": 84,
         "fan3_input": 0, "fan3_min": 600, "fan3_alarm": 1, "pwm3": 110}
MODULE = {"name": "jc42", "temp1_input": 38250, "temp1_min": 0, "temp1_max": 0, "temp1_crit": 0, "temp1_alarm": 1, "temp1_crit_alarm": 1}


class Sensors(SimCase):
    plugins = ("system",)
    host_options = {"box": True}
    files = {"system.toml": 'readings = "200ms"\nrescan = "1s"\n'}

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fmd-sensors-")
        self.addCleanup(folder.cleanup)
        with open(shipped.rule_file("system.toml"), encoding="utf-8") as file:
            text = file.read()
        with open(os.path.join(folder.name, "system.toml"), "w", encoding="utf-8") as file:
            file.write(text.replace('hold = "2min"', 'hold = "3s"').replace('hold = "1min"', 'hold = "1s"'))
        self.rules = folder.name
        super().setUp()
        for chip, files in (("hwmon8", BOARD), ("hwmon9", MODULE)):
            self.put(chip, **files)
        for label in ("it8728 fan1", "it8728 fan2", "coretemp.hwmon0 Package id 0"):
            self.wait(lambda label=label: self.of(label).get("seen_good"), lambda: f"{label}: {self.stage.resources('sensor')}")

    def put(self, chip, **files):
        folder = self.host.path(f"/sys/class/hwmon/{chip}")
        os.makedirs(folder, exist_ok=True)
        for name, value in files.items():
            path = os.path.join(folder, name)
            with open(path + ".new", "w", encoding="ascii") as file:
                file.write(f"{value}\n")
            os.replace(path + ".new", path)  # as in sysfs, nobody reads an empty file

    def of(self, label):
        return next((r["properties"] for r in self.stage.resources("sensor") if r["properties"]["label"] == label), {})

    def wait_case(self, fault, label):
        return self.wait(lambda: [case for case in self.solved() if case["suspects"][0]["class"] == fault and label in case["description"]],
                         lambda: f"{fault}: {self.stage.cases(True)}")[0]

    def test_a_dead_fan_and_heat(self):
        self.put("hwmon8", pwm2=0, fan2_input=0, fan1_input=0)
        fan = self.wait_case(FAN, "it8728 fan1")
        self.put("hwmon0", temp1_input=97000)
        hot = self.wait_case(HOT, "coretemp")
        self.assertIn("97 °C; its critical limit is 94 °C", hot["description"])
        self.put("hwmon0", temp1_input=90000)
        self.put("hwmon8", fan1_input=1190)
        self.wait(lambda: self.stage.case(fan["uuid"])["state"] == "RESOLVED", lambda: f"the fan's end: {self.stage.case(fan['uuid'])}")
        self.assertEqual(self.stage.case(hot["uuid"])["state"], "SOLVED", "it is not 5 degrees below the limit")
        self.put("hwmon0", temp1_input=71000)
        self.wait(lambda: self.stage.case(hot["uuid"])["state"] == "RESOLVED", lambda: f"the heat's end: {self.stage.case(hot['uuid'])}")
        cases = self.stage.cases(True)
        self.assertEqual(len(cases), 2, f"neither the fan that rests, nor the empty connector, nor the module: {cases}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
