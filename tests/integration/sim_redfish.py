#!/usr/bin/python3
"""The Redfish plugin with a real HTTPS server: parts that fail and come back, a log, a drive's LED; sessions are counted, and the
service is slow, hangs, answers garbage or refuses the password; its events come streamed or not."""
import os
import sys
import tempfile
import unittest

from sim_case import SimCase, TREE

sys.path.insert(0, os.path.join(TREE, "tests", "lib"))

import redfish as real  # noqa: E402
import shipped  # noqa: E402

SUPPLY = real.ROOT + "Chassis/1/PowerSubsystem/PowerSupplies/1"
FAN = real.ROOT + "Chassis/1/ThermalSubsystem/Fans/2"
DRIVE = real.ROOT + "Systems/1/Storage/1/Drives/1"
BAY = "Bay 1"


class RedfishCase(SimCase):
    plugins = ("redfish",)
    interval = "1s"
    streams = False
    hasty = ('hold = "30s"',)

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="fmd-redfish-")
        self.addCleanup(self.folder.cleanup)
        self.bmc = real.Redfish(self.folder.name)
        self.addCleanup(self.bmc.stop)
        if self.streams:
            self.bmc.offer_events()
        password = os.path.join(self.folder.name, "password")
        with open(os.open(password, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="ascii") as out:
            out.write(real.PASSWORD + "\n")
        self.files = {"redfish.toml": f'service = "{self.bmc.address}"\nuser = "{real.USER}"\npassword_file = "{password}"\n'
                                      f'ca_file = "{self.bmc.certificate}"\ninterval = "{self.interval}"\nconfirm = "200ms"\nat_most = "2s"\n'
                                      'request = "2s"\ndeadline = "20s"\n'}
        self.rules = self.hasty_rules()
        super().setUp()
        self.wait(lambda: self.of("psu", "PSU 1").get("status") == "OK", lambda: f"the parts: {self.stage.logs()}")

    def hasty_rules(self):
        """Here a failed part is reported at once."""
        folder = os.path.join(self.folder.name, "rules")
        os.makedirs(folder)
        for name in ("enclosure.toml", "ipmi.toml"):
            with open(shipped.rule_file(name), encoding="utf-8") as file:
                text = file.read()
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                for hold in self.hasty:
                    text = text.replace(hold, 'hold = "1s"')
                file.write(text)
        return folder

    def wait(self, condition, what, seconds=120):
        return super().wait(condition, what, seconds)

    def of(self, kind, label):
        return next((r["properties"] for r in self.stage.resources(kind) if r["properties"].get("label") == label), {})

    def wait_case(self, fault):
        return self.wait(lambda: [case for case in self.solved() if case["suspects"][0]["class"] == fault],
                         lambda: f"{fault}: {self.stage.cases(True)}\n{self.stage.logs()}")[0]

    def wait_resolved(self, case):
        self.wait(lambda: self.stage.case(case["uuid"])["state"] == "RESOLVED", lambda: f"its end: {self.stage.case(case['uuid'])}")

    def events(self, name):
        return [event for event in self.stage.ask("fmdump", "-e") if event["class"] == name]


class Parts(RedfishCase):
    def test_parts_fail_and_come_back_and_one_session_is_used(self):
        supply = self.of("psu", "PSU 1")
        self.assertEqual((supply["serial"], supply["part_number"]), ("P920PCF11", "PWS-920P-SQ"))
        self.bmc.change(SUPPLY, Status={"State": "Enabled", "Health": "Critical"})
        failed = self.wait_case("fault.chassis.device.psu.fail")
        self.assertEqual(failed["suspects"][0]["serial"], "P920PCF11")
        # The chassis reports it, with the fan as the origin.
        self.bmc.change(real.ROOT + "Chassis/1", Status={"State": "Enabled", "Health": "Critical", "Conditions": [
            {"MessageId": "Environmental.1.0.FanFailed", "Severity": "Critical", "Message": "Fan 2 has failed.",
             "OriginOfCondition": real.to(FAN)}]})
        fan = self.wait_case("fault.chassis.device.fan.fail")
        self.assertEqual(self.of("fan", "Fan 2")["reason"], "Fan 2 has failed.")
        self.bmc.change(SUPPLY, Status=real.good())
        self.bmc.change(real.ROOT + "Chassis/1", Status=real.good())
        for case in (failed, fan):
            self.wait_resolved(case)
        self.assertEqual(len(self.stage.cases(True)), 2)
        self.assertEqual((self.bmc.opened, self.bmc.most), (1, 1), "one session, one request at a time")
        self.assertGreater(self.bmc.unchanged, 20, "what has not changed is not sent again")
        # After a kill and a start it continues in the same session; after a stop no session remains.
        self.stage.kill("fmd-redfish")
        self.stage.start_plugin("redfish")
        looks = self.bmc.requests
        self.wait(lambda: self.bmc.requests > looks + 30, "looks after a restart")
        self.stage.programs["fmd-redfish"].stop()
        self.assertEqual(self.bmc.sessions, {}, "sessions left behind")


class Module(RedfishCase):
    """On a machine whose modules SMBIOS describes."""
    host_options = {"box": True}

    def test_a_bad_module_is_one_case_of_that_module(self):
        memory, dimm = real.ROOT + "Systems/1/Memory/A1", "mem://dimm=P0-DIMMA1"
        self.wait(lambda: self.events("sysevent.ipmi.known"), "the first look at the log")
        self.bmc.change(memory, DeviceLocator="P0-DIMMA1", Status={"State": "Enabled", "Health": "Critical"})
        case = self.wait_case("fault.memory.state")
        self.assertEqual([s["fru"] for s in case["suspects"]], [dimm])
        self.bmc.log("7", "Critical", "Uncorrectable ECC", SensorType="Memory", origin=memory)
        self.wait(lambda: len(self.stage.case(case["uuid"])["suspects"]) == 2, lambda: f"the log's word: {self.stage.cases(True)}")
        self.assertEqual([s["resource"] for s in self.stage.case(case["uuid"])["suspects"]][1], dimm)
        self.assertEqual(len(self.stage.cases(True)), 1)


class Drives(RedfishCase):
    def test_a_bay_has_its_disk_and_a_light_that_is_read_back(self):
        bay = self.wait(lambda: [r for r in self.stage.resources("bay") if r["properties"].get("label") == BAY],
                        lambda: f"the bay: {self.stage.resources('bay')}")[0]
        self.assertEqual([edge["to"] for edge in bay["edges"]], ["dev://wwn=5000c500a0000003"])
        self.assertEqual(bay["properties"]["disk_serial"], "DISK03G1")
        self.assertEqual(self.of("bay", "Bay 2")["bmc.state"], "empty")
        said = self.stage.run("fmadm", "locate", "on", bay["fmri"], "--wait", "60").stdout
        self.assertIn("locate LED on\n", said)
        self.assertTrue(self.bmc.documents[DRIVE]["LocationIndicatorActive"])
        self.stage.run("fmadm", "locate", "off", bay["fmri"], "--wait", "60")
        self.wait(lambda: not self.bmc.documents[DRIVE]["LocationIndicatorActive"], "dark again")
        self.bmc.change(DRIVE, FailurePredicted=True)
        case = self.wait_case("fault.disk.slot-predicted")
        self.assertEqual(case["suspects"][0]["fru"], "dev://wwn=5000c500a0000003")
        self.bmc.change(DRIVE, FailurePredicted=False)
        self.wait_resolved(case)


class Log(RedfishCase):
    def setUp(self):
        super().setUp()
        self.wait(lambda: self.events("sysevent.ipmi.known"), "the first look at the log")

    def test_entries_are_told_once_and_a_cleared_log_is_none(self):
        self.bmc.log("1", "Critical", "Power supply 1 failed", origin=SUPPLY)  # its health says more
        self.bmc.log("2", "Critical", "A cable is loose")
        case = self.wait_case("fault.bmc.entry")
        self.assertIn("A cable is loose", case["description"])
        self.bmc.log("3", "Critical", "Uncorrectable ECC", SensorType="Memory", origin=real.ROOT + "Systems/1/Memory/A1")
        self.wait_case("fault.memory.logged-ue")
        self.stage.kill("fmd-redfish")
        self.stage.start_plugin("redfish")
        self.bmc.clear_log()
        self.bmc.log("1", "OK", "Log cleared", created="2026-11-23T02:00:00+00:00")
        self.wait(lambda: len(self.events("sysevent.ipmi.entry")) == 2, lambda: f"the entries: {self.stage.ask('fmdump', '-e')}")
        self.assertEqual(len(self.events("ereport.ipmi.memory.uncorrected")), 1)
        self.assertEqual(len(self.events("ereport.ipmi.state")), 1)
        self.assertEqual(len(self.stage.cases(True)), 2)


class Silent(RedfishCase):
    hasty = ('hold = "30s"', 'hold = "5min"')

    def test_hung_garbage_and_a_refused_password(self):
        for mode in ("hang", "garbage"):
            self.bmc.set_mode(mode)
            self.wait(lambda: self.of("psu", "PSU 1").get("status") == "unknown", lambda mode=mode: f"unknown: {mode}")
            case = self.wait_case("defect.bmc.silent")
            self.bmc.set_mode("ok")
            self.wait_resolved(case)
            self.wait(lambda: self.of("psu", "PSU 1").get("status") == "OK", "the parts back")
        self.assertLessEqual(self.bmc.opened, 2, "sessions")
        self.assertEqual([c["class"] for c in self.stage.cases(True)], ["defect.bmc.silent"] * 2)
        # The session ended, and the password has changed.
        self.bmc.password = "other"
        with self.bmc.lock:
            self.bmc.sessions.clear()
        self.wait(lambda: "refuses" in self.of("bmc", "BMC (Redfish)").get("reason", ""), lambda: f"{self.of('bmc', 'BMC (Redfish)')}")
        self.assertIn("refuses", self.stage.run("fmadm", "status").stdout)


class Slow(RedfishCase):
    def test_a_slow_service_is_waited_for(self):
        self.bmc.delay = 0.3
        self.bmc.change(FAN, Status={"State": "Enabled", "Health": "Critical"})
        self.wait_case("fault.chassis.device.fan.fail")
        self.assertEqual((self.bmc.most, self.bmc.opened), (1, 1))


class Events(RedfishCase):
    """By the clock alone it would take half an hour."""
    interval = "30min"
    streams = True

    def listening(self):
        return self.of("bmc", "BMC (Redfish)").get("events") == "streamed"

    def test_an_event_brings_the_next_look(self):
        self.wait(self.listening, lambda: f"it listens: {self.stage.logs()}")
        for status, ends in (({"State": "Enabled", "Health": "Critical"}, False), (real.good(), True)):
            self.bmc.change(SUPPLY, Status=status)
            self.bmc.tell()
            if not ends:
                case = self.wait_case("fault.chassis.device.psu.fail")
        self.wait_resolved(case)
        self.assertEqual((self.bmc.most, self.bmc.opened), (1, 1), "one request at a time, one session")
        self.assertEqual((self.bmc.most_streams, self.bmc.streams_opened), (1, 1), "one connection for events")
        # A flood of events without content does not cause a flood of looks.
        before = self.bmc.requests
        for _ in range(2000):
            self.bmc.tell()
        self.bmc.change(FAN, Status={"State": "Enabled", "Health": "Critical"})
        self.bmc.tell()
        self.wait_case("fault.chassis.device.fan.fail")
        self.assertLess(self.bmc.requests - before, 600, "requests")
        # After a kill it listens again from the start; after a stop neither a listener nor a session remains.
        self.stage.kill("fmd-redfish")
        self.wait(lambda: self.bmc.streams == 0, "a killed plugin's listener")
        self.stage.start_plugin("redfish")
        self.wait(lambda: self.bmc.streams == 1, lambda: f"it listens again: {self.stage.logs()}")
        self.stage.programs["fmd-redfish"].stop()
        self.wait(lambda: self.bmc.streams == 0, "a stopped plugin's listener")
        self.assertEqual((self.bmc.sessions, self.bmc.opened), ({}, 1), "sessions")


class BadEvents(RedfishCase):
    streams = True

    def test_without_its_events_a_service_is_looked_at_by_the_clock(self):
        listening = Events.listening
        self.wait(lambda: listening(self), lambda: f"it listens: {self.stage.logs()}")
        for mode in ("end", "hang", "html", "garbage", "long"):
            opened = self.bmc.streams_opened
            self.bmc.set_stream(mode)
            self.wait(lambda n=opened: self.bmc.streams_opened > n, lambda m=mode: f"it was tried: {m}, {self.stage.logs()}")
            self.wait(lambda: not listening(self), lambda m=mode: f"polled: {m}")
            self.bmc.change(FAN, Status={"State": "Enabled", "Health": "Critical"})
            case = self.wait_case("fault.chassis.device.fan.fail")
            self.bmc.change(FAN, Status=real.good())
            self.wait_resolved(case)
        self.assertEqual(self.of("bmc", "BMC (Redfish)")["state"], "observed")
        self.assertEqual((self.bmc.most_streams, self.bmc.opened), (1, 1))
        self.bmc.set_stream("ok")
        self.wait(lambda: listening(self), lambda: f"it listens again: {self.stage.logs()}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
