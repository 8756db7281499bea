#!/usr/bin/python3
"""A failing cache on the simulated host: the core goes offline, stays offline across a reboot, and comes back by a person's command.

Also memory modules that share a channel."""
import os
import unittest

from sim_case import SimCase
from stage import Refused

CACHE, YELLOW, PAGE = "fault.cpu.cache", "fault.cpu.cache-yellow", "fault.memory.page"
THREAD, TWIN = 3, 19  # of core 3 of socket 0
CORE = "cpu://socket=0/core=3"


class CpuCase(SimCase):
    plugins = ("cpu", "system", "mail", "snmp")
    host_options = {"pools": (), "box": True}

    def setUp(self):
        super().setUp()
        self.wait(lambda: self.core(), "fmd to know the cores")

    def core(self, fmri=CORE):
        return next((r["properties"] for r in self.stage.resources("core") if r["fmri"] == fmri and "service" in r["properties"]), None)

    def off(self):
        return set(range(32)) - self.host.threads_online()

    def wait_off(self, *threads):
        self.wait(lambda: self.off() == set(threads), lambda: f"{threads} offline, not {self.off()}: {self.stage.cases(True)}")

    def heard(self, times):
        """Waits for each error to be reported before the next: two within a second would count as one."""
        for number in range(times):
            self.host.check(THREAD, "cache")
            self.wait(lambda number=number: self.events("ereport.cpu.cache") == number + 1, lambda: f"{number + 1} events")

    def events(self, event_class):
        return len([e for e in self.stage.ask("fmdump", "-e") if e["class"] == event_class])

    def one_case(self, *faults):
        cases = self.wait(self.solved, lambda: f"a case\n{self.stage.cases(True)}")
        self.assertEqual([case["class"] for case in cases], list(faults))
        return cases[0]

    def resolved(self, case):
        self.wait(lambda: self.stage.case(case["uuid"])["state"] == "RESOLVED", lambda: f"the end: {self.stage.case(case['uuid'])}")

    def test_the_story(self):
        self.heard(3)
        self.assertEqual(self.solved(), [])
        self.heard_fourth()
        case = self.one_case(CACHE)
        self.wait_off(THREAD, TWIN)
        suspect = case["suspects"][0]
        self.assertEqual((suspect["asru"], suspect["fru"]), (CORE, "cpu://socket=0"))
        self.wait_action(case, "retire", "done")
        self.wait_told(1, 1)
        self.assertEqual(self.stage.case(case["uuid"])["suspects"][0]["location"], "CPU1")
        sockets = {r["fmri"]: r["properties"] for r in self.stage.resources("cpu")}
        self.assertEqual([(p.get("label"), p.get("view"), p.get("w_mm")) for p in map(sockets.get, ("cpu://socket=0", "cpu://socket=1"))],
                         [("CPU1", "inside", 60), ("CPU2", "inside", 60)], "each in its socket")
        self.assertIn("CPU1", self.stage.run("fmtopo").stdout)
        body = " ".join(self.stage.mail.messages()[0]["body"].split())
        self.assertIn("core 3 of CPU1", body)
        self.assertNotIn("CPU 0", body, "the kernel counts otherwise than the board")
        text = " ".join(self.stage.run("fmadm", "faulty").stdout.split())
        self.assertIn("Done : Core 3 of CPU1 was taken offline.", text)
        for program in ("fmd-cpu", "fmd"):
            self.stage.restart(program)
        self.wait(self.stage.settled, "all back")
        self.wait_off(THREAD, TWIN)
        for program in ("fmd-cpu", "fmd-system", "fmd"):
            self.stage.kill(program)
        self.host.reboot()
        self.assertEqual(self.off(), set())
        self.stage.start_fmd()
        for name in ("cpu", "system"):
            self.stage.start_plugin(name)
        self.wait_off(THREAD, TWIN)
        self.wait(self.stage.settled, "all back")
        repaired = self.stage.run("fmadm", "repaired", CORE)
        self.assertEqual(repaired.returncode, 0, repaired.stderr)
        self.wait_off()
        self.resolved(case)
        self.assertEqual(self.core()["service"], "in-service")

    def heard_fourth(self):
        self.host.check(THREAD, "uncorrected")
        self.wait(lambda: self.events("ereport.cpu.cache") == 4, "the fourth")

    def boot(self, *order):
        """Reboots, then starts fmd and its plugins in that order; after "pause" they start late."""
        for program in ("fmd-cpu", "fmd-system", "fmd"):
            self.stage.kill(program)
        for name in ("cpu", "system"):
            os.truncate(self.stage.programs[f"fmd-{name}"].log, 0)
        self.host.reboot()
        self.assertEqual(self.off(), set())
        for at, name in enumerate(order):
            if name == "pause":
                self.wait(lambda: self.is_there(order[:at]), "what was started to be there")
            elif name == "fmd":
                self.stage.start_fmd()
            else:
                self.stage.start_plugin(name)

    def log(self, name):
        with open(self.stage.programs[f"fmd-{name}"].log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def is_there(self, started):
        """The started plugins are connected, or, without fmd, have tried to connect."""
        if "fmd" not in started:
            return all("cannot connect" in self.log(name) for name in started)
        try:
            states = {plugin["name"]: plugin for plugin in self.stage.ask("fmadm", "config")["plugins"]}
        except Refused:
            return False
        return all(states.get(name, {}).get("connected") for name in set(started) - {"fmd", "pause"})

    def test_offline_again_after_every_restart(self):
        self.host.check(THREAD, "yellow")
        case = self.one_case(YELLOW)
        self.wait_off(THREAD, TWIN)
        self.wait_action(case, "retire", "done")
        orders = (("fmd", "cpu", "system"), ("fmd", "pause", "system", "pause", "cpu"), ("cpu", "system", "pause", "fmd"),
                  ("system", "cpu", "fmd"), ("fmd", "system", "cpu"))
        for order in orders:
            self.boot(*order)
            self.wait_off(THREAD, TWIN)
            self.wait_action(case, "retire", "done")
        self.boot("fmd", "cpu")  # down again before fmd can act
        self.boot("fmd", "cpu", "system")
        self.wait_off(THREAD, TWIN)
        self.wait_action(case, "retire", "done")
        texts = [entry["text"] for entry in self.timeline(case)]
        self.assertFalse([text for text in texts if "not by fmd" in text], texts)
        self.stage.run("fmadm", "acquit", case["uuid"])
        self.wait_off()
        self.resolved(case)

    def test_yellow_is_enough(self):
        self.host.check(THREAD, "yellow")
        case = self.one_case(YELLOW)
        self.wait_off(THREAD, TWIN)
        self.stage.run("fmadm", "acquit", case["uuid"])
        self.wait_off()
        self.resolved(case)

    def test_cpu0_stays_and_it_is_said(self):
        self.host.check(0, "yellow")
        case = self.one_case(YELLOW)
        self.assertIn("cpu0", self.wait_action(case, "retire", "refused")["detail"])
        self.wait_off()

    def test_no_more_than_two_cores_of_a_processor(self):
        for thread in (1, 2, 3):
            self.host.check(thread, "yellow")
        case = self.one_case(YELLOW)
        self.wait(lambda: [a for a in self.stage.case(case["uuid"])["actions"] if a["state"] == "refused"],
                  lambda: f"a refusal: {self.stage.case(case['uuid'])['actions']}")
        self.wait(lambda: len(self.off()) == 4, lambda: f"two cores out: {self.off()}")
        self.wait(self.stage.settled, "all at rest")
        self.assertEqual(len(self.off()), 4)

    def test_a_page_of_memory(self):
        for number in range(3):
            self.host.check(THREAD, "memory")
            self.wait(lambda number=number: self.events("ereport.memory.page") == number + 1, "it to be heard")
        case = self.one_case(PAGE)
        self.wait_action(case, "retire", "done")
        with open(self.host.path("sys/devices/system/memory/soft_offline_page"), encoding="ascii") as file:
            self.assertEqual(file.read(), "0x1f0000000")
        self.stage.run("fmadm", "acquit", case["uuid"])
        self.resolved(case)



class Modules(SimCase):
    plugins = ("cpu", "system", "mail", "snmp")
    host_options = {"pools": (), "box": True}
    files = {"system.toml": 'rescan = "1s"\nreadings = "500ms"\n', "cpu.toml": 'rescan = "1s"\n'}

    def edac(self, dimm, name, text):
        with open(self.host.path(f"sys/devices/system/edac/mc/mc0/{dimm}/{name}"), "w", encoding="ascii") as file:
            file.write(f"{text}\n")

    def channel(self):
        return next((r for r in self.stage.resources("memory-channel") if r["fmri"] == "mem://mc=0/channel=0"), {"properties": {}})

    def test_two_modules_of_one_channel_are_one_case_of_what_they_share(self):
        self.edac("dimm1", "dimm_location", "channel 0 slot 1")
        self.wait(lambda: "," in self.channel()["properties"].get("modules", ""), lambda: f"a channel of two modules: {self.channel()}")
        self.wait(lambda: len([r for r in self.stage.resources("dimm") if r["properties"].get("ce_count") == 0]) == 16, "the counts of all modules")
        self.edac("dimm0", "dimm_ce_count", 12)
        self.edac("dimm1", "dimm_ce_count", 11)
        cases = self.wait(self.solved, lambda: f"a case\n{self.stage.cases(True)}")
        self.assertEqual([[(s["class"], s["resource"], s["certainty"]) for s in case["suspects"]] for case in cases],
                         [[("fault.memory.channel-common", "mem://mc=0/channel=0", 70), ("fault.memory.channel-common", "cpu://socket=0", 30)]])
        self.wait_told(1, 1)
        self.assertIn("2 of 2 memory modules", self.stage.mail.messages()[0]["body"])


if __name__ == "__main__":
    unittest.main()
