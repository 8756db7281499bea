"""The story of a failing cache, on a simulated host with the real programs. Corrected cache errors accuse no part. An uncorrected one
convicts its core, which goes offline and stays offline after a reboot, until a user reports the repair."""
import time

from process import TimeUp

PLUGINS = ("cpu", "system", "mail", "snmp")
HOST = {"pools": (), "box": True, "hostname": "simulated"}
CORE, THREAD, TWIN = "cpu://socket=0/core=3", 3, 19
FAULT = "fault.cpu.cache"


class CpuDemo:
    def __init__(self, stage, teller):
        self.stage, self.host, self.tell = stage, stage.host, teller

    def show_command(self, program, *arguments):
        ran = self.stage.run(program, *arguments)
        self.tell.shown("$ " + " ".join((program, *arguments)), ran.stdout + ran.stderr or "(nothing)")

    def expect(self, text, condition, seconds=20):
        began = time.time()
        result = self.stage.wait(condition, seconds, text)
        self.tell.good(text, time.time() - began)
        return result

    def off(self):
        return set(range(32)) - self.host.threads_online()

    def heard(self):
        return len([e for e in self.stage.ask("fmdump", "-e") if e["class"] == "ereport.cpu.cache"])

    def error(self, number, kind="cache"):
        self.host.check(THREAD, kind)
        self.stage.wait(lambda: self.heard() == number, 20, f"error {number} to be heard")

    def play(self):
        self.tell.step("A server with two processors of eight cores, two threads each. fmd watches it.")
        self.stage.wait(lambda: [r for r in self.stage.resources("core") if "service" in r["properties"]], 30, "the cores")
        self.show_command("fmtopo", "cpu://socket=0")
        self.tell.step("The L1 data cache of core 3 of CPU 0 corrects an error, and another one. Three are nothing.")
        for number in range(1, 4):
            self.error(number)
        if self.stage.cases():
            raise TimeUp("a case after three errors")
        self.tell.step("The fourth cannot be corrected.")
        self.error(4, "uncorrected")
        case = self.expect("one case, for the right core", self.one_case)
        self.expect("the core is offline with both its threads, no other", lambda: self.off() == {THREAD, TWIN})
        self.expect("one mail", lambda: len(self.stage.mail.messages()) == 1)
        self.expect("one SNMP notification", lambda: len(self.stage.snmp.notifications()) == 1)
        self.show_command("fmadm", "faulty")
        self.tell.step("The machine is restarted. The processor is the old one.")
        for program in ("fmd-cpu", "fmd-system", "fmd"):
            self.stage.kill(program)
        self.host.reboot()
        self.stage.start_fmd()
        for name in ("cpu", "system"):
            self.stage.start_plugin(name)
        self.expect("the core is offline again", lambda: self.off() == {THREAD, TWIN}, 40)
        self.stage.wait(self.stage.settled, 30, "all plugins back")
        self.tell.step("A person has exchanged the processor, and says so.")
        self.show_command("fmadm", "repaired", CORE)
        self.expect("all cores are online", lambda: not self.off())
        self.expect("the case is resolved", lambda: self.stage.case(case["uuid"])["state"] == "RESOLVED")
        self.show_command("fmadm", "faulty")

    def one_case(self):
        cases = [case for case in self.stage.cases() if case["state"] != "UNSOLVED"]
        if not cases:
            return None
        suspect = cases[0]["suspects"][0]
        if len(cases) != 1 or (suspect["class"], suspect["asru"]) != (FAULT, CORE):
            raise TimeUp(f"not the one case expected: {[(s['class'], s['asru']) for c in cases for s in c['suspects']]}")
        return cases[0]
