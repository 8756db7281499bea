#!/usr/bin/python3
"""The real ipmitool with a real BMC program (OpenIPMI's ipmi_sim) over LAN on loopback: fans and supplies that fail and come
back, a log that grows and is cleared, a BMC that hangs."""
import os
import sys
import tempfile
import unittest

from sim_case import SimCase, TREE

sys.path.insert(0, os.path.join(TREE, "tests", "lib"))

import bmc as real  # noqa: E402
import shipped  # noqa: E402

FAN1, SUPPLY1, ECC = 0x41, 0x61, 0x90
IPMI = """interval = "1s"
confirm = "200ms"
deadline = "30s"
at_most = "1s"
"""


class IpmiCase(SimCase):
    plugins = ("ipmi",)
    lan = ""  # more of [lan]
    sel_size = 200
    hasty = ('hold = "30s"',)  # a second here; a BMC may be slow on this machine

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="fmd-bmc-")
        self.addCleanup(self.folder.cleanup)
        self.bmc = real.Bmc(self.folder.name, sel_size=self.sel_size)
        self.addCleanup(self.bmc.stop)
        self.prepare()
        self.bmc.start()
        password = os.path.join(self.folder.name, "password")
        with open(os.open(password, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="ascii") as out:
            out.write(real.PASSWORD)
        meanings = os.path.join(TREE, "plugins", "ipmi")
        types = os.path.join(self.folder.name, "meanings")
        os.makedirs(types)
        os.symlink(os.path.join(meanings, "sensor_types.toml"), os.path.join(types, "sensor_types.toml"))
        self.files = {"ipmi.toml": IPMI + f'meanings = ["{types}"]\n[lan]\nhost = "127.0.0.1"\nport = {self.bmc.lan_port}\n'
                                          f'user = "{real.USER}"\npassword_file = "{password}"\ninterface = "lan"\n' + self.lan}
        self.rules = self.hasty_rules()
        super().setUp()
        self.wait(lambda: self.of("psu", "PS1").get("status") == "OK", lambda: f"the parts: {self.stage.logs()}")

    def prepare(self):
        """Before the BMC starts."""

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

    def wait(self, condition, what, seconds=180):
        return super().wait(condition, what, seconds)

    def of(self, kind, label):
        return next((r["properties"] for r in self.stage.resources(kind) if r["properties"].get("label") == label), {})

    def wait_part(self, kind, label, **wanted):
        self.wait(lambda: wanted.items() <= self.of(kind, label).items(),
                  lambda: f"{label}: {wanted}; it is {self.of(kind, label)}\n{self.stage.cases(True)}")

    def wait_case(self, fault):
        return self.wait(lambda: [case for case in self.solved() if case["suspects"][0]["class"] == fault],
                         lambda: f"{fault}: {self.stage.cases(True)}")[0]

    def wait_resolved(self, case):
        self.wait(lambda: self.stage.case(case["uuid"])["state"] == "RESOLVED",
                  lambda: f"its end: {self.stage.case(case['uuid'])}\n{self.stage.resources('fan')}\n{self.stage.logs()}")

    def events(self, name):
        return [event for event in self.stage.ask("fmdump", "-e") if event["class"] == name]


class Sensors(IpmiCase):
    def test_a_fan_and_a_supply_fail_and_come_back(self):
        supply = self.of("psu", "PS1")
        self.assertEqual((supply["serial"], supply["part_number"]), ("P920PCF11", "PWS-920P-SQ"))
        self.bmc.value(FAN1, 2)
        fan = self.wait_case("fault.chassis.device.fan.fail")
        self.bmc.state(SUPPLY1, 1)
        failed = self.wait_case("fault.chassis.device.psu.fail")
        self.assertEqual(failed["suspects"][0]["serial"], "P920PCF11")
        self.bmc.value(FAN1, 56)
        self.wait_resolved(fan)
        self.bmc.state(SUPPLY1, 1, False)
        self.wait_resolved(failed)
        self.assertEqual(len(self.stage.cases(True)), 2, "one case each, and none of what the log says as well")
        self.assertTrue(self.events("sysevent.ipmi.entry"), "the log's entries are in the journal")


class Locate(IpmiCase):
    plugins = ("ipmi", "system")
    host_options = {"box": True}
    lan = 'privilege = "operator"\n'  # a user may look only

    def machine(self):
        return next(r for r in self.stage.resources("system") if "led.locate" in r["properties"])

    def test_the_machine_itself_is_located(self):
        name = self.wait(lambda: self.machine()["properties"].get("name"), lambda: f"the machine's name: {self.machine()}")
        self.assertEqual(self.machine()["properties"]["led.locate"], "off")
        self.assertIs(self.machine()["properties"]["led.reads_back"], False, "ipmi_sim does not tell")
        lit = self.stage.run("fmadm", "locate", "on", name)
        self.assertEqual(lit.returncode, 0, lit.stderr)
        self.assertIn("locate LED on sent; it cannot be read back", lit.stdout)
        self.assertEqual(self.bmc.identify(), "0 1", "until further notice")
        # The LED's state cannot be read back, so it is set once more after a restart.
        for program in ("fmd", "fmd-ipmi"):
            self.stage.restart(program)
        self.wait(self.stage.settled, "all back")
        self.wait(lambda: self.machine()["properties"]["led.locate"] == "on", lambda: f"still lit: {self.machine()}")
        dark = self.stage.ask("fmadm", "locate", "off", name)
        self.assertEqual((dark["led"], dark["confirmed"]), ("off", False))
        self.assertEqual(self.bmc.identify(), "0 0")
        self.assertEqual(self.stage.cases(True), [])


class Log(IpmiCase):
    def prepare(self):
        self.bmc.after_start = [real.event(real.MEMORY, ECC, real.SPECIFIC, 1)]

    def test_old_entries_raise_nothing_new_ones_do_and_a_cleared_log_is_none(self):
        self.wait(lambda: self.events("sysevent.ipmi.known"), "the first look at the log")
        self.assertEqual(self.stage.cases(True), [])
        self.bmc.log(real.event(real.EVENT_LOG, 0x91, real.SPECIFIC, 2))  # "log cleared"
        self.bmc.log(real.event(real.MEMORY, ECC, real.SPECIFIC, 0))
        self.wait(lambda: self.events("ereport.ipmi.memory.corrected"), "the corrected error")
        self.assertEqual(self.stage.cases(True), [])
        self.bmc.log(real.event(real.MEMORY, ECC, real.SPECIFIC, 1))
        self.wait_case("fault.memory.logged-ue")
        # fmd-ipmi is killed; the log grows meanwhile, and nothing is reported twice.
        self.stage.kill("fmd-ipmi")
        self.bmc.log(real.event(real.WATCHDOG, 0x92, real.SPECIFIC, 1))
        self.stage.start_plugin("ipmi")
        self.wait_case("upset.os.watchdog")
        self.assertEqual(len(self.events("ereport.ipmi.memory.uncorrected")), 1)
        self.bmc.clear_log()
        self.bmc.log(real.event(real.MEMORY, ECC, real.SPECIFIC, 0))
        self.wait(lambda: len(self.events("ereport.ipmi.memory.corrected")) == 2, "the first entry of the cleared log")
        self.assertEqual(len(self.stage.cases(True)), 2)


class Clock(IpmiCase):
    def test_a_bmc_whose_clock_jumps_is_heard_once(self):
        self.wait(lambda: self.events("sysevent.ipmi.known"), "the first look at the log")

        def heard():
            return len(self.events("ereport.ipmi.memory.corrected"))

        for number, clock in enumerate((1_925_000_000, 1_546_300_800, 0x100, 1_780_315_200), 1):  # 2031, 2019, not set, 2026
            self.bmc.set_clock(clock)
            self.bmc.log(real.event(real.MEMORY, ECC, real.SPECIFIC, 0))
            self.wait(lambda number=number: heard() >= number, lambda: f"entry {number}: {heard()}")
        self.bmc.log(real.event(real.WATCHDOG, 0x92, real.SPECIFIC, 1))
        self.wait_case("upset.os.watchdog")
        self.assertEqual(heard(), 4)


class FullLog(IpmiCase):
    sel_size = 40

    def test_a_full_log_is_told_and_one_whose_oldest_entries_go_is_heard_once(self):
        self.wait(lambda: self.events("sysevent.ipmi.known"), "the first look at the log")
        harmless = real.event(real.EVENT_LOG, 0x91, real.SPECIFIC, 2)
        for _ in range(self.sel_size):
            self.bmc.log(harmless)
        full = self.wait_case("defect.bmc.log-full")
        self.wait(lambda: len(self.events("sysevent.ipmi.entry")) == self.sel_size, "all entries")
        self.bmc.log(real.event(real.WATCHDOG, 0x92, real.SPECIFIC, 1))  # there is no room
        self.wait(lambda: self.of("bmc", "BMC").get("log_overflow"), lambda: f"the overflow: {self.of('bmc', 'BMC')}")
        # As in a BMC that wraps around: the oldest entry goes, a new one comes, while fmd-ipmi is dead.
        for number in range(1, 4):
            self.bmc.delete_entry(number)
            self.bmc.log(real.event(real.MEMORY, ECC, real.SPECIFIC, 0))
            self.wait(lambda n=number: len(self.events("ereport.ipmi.memory.corrected")) == n, lambda n=number: f"entry {n}")
        self.stage.kill("fmd-ipmi")
        for number in range(4, 11):
            self.bmc.delete_entry(number)
            self.bmc.log(harmless)
        self.bmc.delete_entry(11)
        self.bmc.log(real.event(real.WATCHDOG, 0x92, real.SPECIFIC, 1))
        self.stage.start_plugin("ipmi")
        self.wait_case("upset.os.watchdog")
        told = self.events("ereport.ipmi.memory.corrected"), self.events("ereport.ipmi.watchdog.reset"), self.events("sysevent.ipmi.entry")
        self.assertEqual([len(events) for events in told], [3, 1, self.sel_size + 7], "each once")
        self.bmc.clear_log()
        self.wait_resolved(full)


class Records(IpmiCase):
    def test_a_sensor_that_comes_while_fmd_runs_is_watched(self):
        spare = real.Discrete(0x63, "PS3 Status", real.SUPPLY, (real.SUPPLY_ENTITY, 3), (0, 1), (0,))
        self.assertEqual(self.of("psu", "PS3"), {})
        self.bmc.say(*spare.commands())
        self.wait_part("psu", "PS3", status="OK")
        self.bmc.state(0x63, 1)
        self.wait_case("fault.chassis.device.psu.fail")
        self.assertEqual(len(self.stage.cases(True)), 1)


class NoBmc(SimCase):
    """A machine without one: no /dev/ipmi0."""
    plugins = ("ipmi",)
    files = {"ipmi.toml": IPMI}

    def test_a_machine_without_a_bmc_has_no_case_and_says_so(self):
        def state():
            return next((p for p in self.stage.ask("fmstat") if p["name"] == "ipmi"), {})

        self.wait(lambda: state().get("state") == "not-observed", lambda: f"its state: {state()}\n{self.stage.logs()}")
        self.assertIn("/dev/ipmi", state().get("reason", ""))
        self.assertEqual(self.stage.resources("bmc"), [])
        self.assertEqual(self.stage.cases(True), [])


class Garbage(IpmiCase):
    hasty = ('hold = "30s"', 'hold = "5min"')

    def test_bytes_that_mean_nothing_are_no_fault_and_no_news(self):
        tool = os.path.join(self.host.path("bin"), "ipmitool")
        self.assertFalse(os.path.lexists(tool), "the real one is asked")
        with open(tool, "w", encoding="ascii") as out:
            out.write("#!/bin/sh\nhead -c 20000 /dev/urandom\nprintf ' 1f ff\\n zz 0x\\n'\n")
        os.chmod(tool, 0o755)
        self.wait(lambda: self.of("bmc", "BMC").get("state") == "silent", lambda: f"silent: {self.of('bmc', 'BMC')}")
        self.assertEqual(self.of("psu", "PS1")["status"], "unknown")
        case = self.wait_case("defect.bmc.silent")
        os.remove(tool)
        self.wait_part("psu", "PS1", status="OK")
        self.wait_resolved(case)
        self.assertEqual([c["uuid"] for c in self.stage.cases(True)], [case["uuid"]], "no other case")
        self.assertFalse([e for e in self.stage.ask("fmdump", "-e") if e["class"].startswith("ereport.ipmi.")])


class Silent(IpmiCase):
    hasty = ('hold = "30s"', 'hold = "5min"')

    def test_a_frozen_bmc_is_asked_by_one_process_and_comes_back(self):
        self.bmc.freeze()
        self.wait(lambda: self.of("bmc", "BMC").get("state") == "silent", lambda: f"silent: {self.of('bmc', 'BMC')}")
        self.assertEqual(self.of("psu", "PS1")["status"], "unknown")
        case = self.wait_case("defect.bmc.silent")
        self.assertLessEqual(len(self.tools()), 1)
        self.bmc.freeze(False)
        self.wait(lambda: self.of("bmc", "BMC").get("state") == "observed", "the BMC back")
        self.wait_resolved(case)
        self.wait_part("psu", "PS1", status="OK")
        self.stage.kill("fmd-ipmi")
        self.wait(lambda: not self.tools(), lambda: f"no process left behind: {self.tools()}")

    def tools(self):
        """Running ipmitools that query this BMC."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if words[0].endswith(b"ipmitool") and str(self.bmc.lan_port).encode() in words:
                found.append(pid)
        return found


if __name__ == "__main__":
    unittest.main(verbosity=2)
