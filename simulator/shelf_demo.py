"""The story of a bad cable, on a simulated host with the real programs: all disks behind one controller fail at once. One case names
what they share; no disk is retired, no spare is used, no LED is lit. The cable is reseated; one disk still fails, and gets its own case."""
import time

from process import TimeUp

PLUGINS = ("disk", "system", "enclosure", "zfs", "mail", "snmp")
HOST = {"pools": ("tank=mirror:1,5+4", "media=mirror:2,6", "home=mirror:3,7"), "controllers": 2, "hostname": "simulated",
        "speed": {"resilver": 4.0}}
CONTROLLER, BEHIND, BAD_BAY, SPARE = 2, (5, 6, 7), 5, 4
ADDRESS = "dev://pci=0000:00:03.0"
SHARED = "fault.io.path.shared"


class ShelfDemo:
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

    def play(self):
        self.tell.step("A storage server: two controllers; three pools, each a mirror of a disk behind one controller and a disk behind "
                       "the other. fmd watches it.")
        self.stage.wait(self.paths_known, 30, "what hangs on what")
        self.tell.chassis(self.host.chassis())
        self.show_command("fmtopo", "--why", f"DISK{BAD_BAY:02d}G0")
        self.cable_breaks()
        self.cable_is_good_again()
        self.one_disk_goes_on()

    def paths_known(self):
        hba = [r for r in self.stage.resources("hba") if r["fmri"] == ADDRESS]
        behind = [e["to"] for e in hba[0]["edges"] if e["relation"] == "path"] if hba else []
        in_pools = [e["to"] for r in self.stage.resources("zfs-vdev") for e in r["edges"]]
        return len(behind) == len(BEHIND) and set(behind) <= set(in_pools)

    def verdicts(self):
        return [case for case in self.stage.cases() if case["state"] != "UNSOLVED"]

    def cable_breaks(self):
        self.tell.step(f"The cable of the second controller slips out of its socket by a millimetre. Reads of all disks behind it, in "
                       f"bays {', '.join(map(str, BEHIND[:-1]))} and {BEHIND[-1]}, fail.")
        self.host.cable(CONTROLLER, good=False)
        case = self.expect("one case, about what the disks share", self.the_cause, 40)
        self.expect("one mail", lambda: len(self.stage.mail.messages()) == 1)
        self.expect("one SNMP notification", lambda: len(self.stage.snmp.notifications()) == 1)
        self.show_command("fmadm", "faulty")
        self.show_command("fmadm", "why", case["uuid"])
        self.nothing_done("no disk is out of service, no spare in, no LED lit")
        self.tell.chassis(self.host.chassis())
        self.cause = case["uuid"]

    def the_cause(self):
        cases = self.verdicts()
        if not cases:
            return None
        suspect = cases[0]["suspects"][0]
        if len(cases) != 1 or (suspect["class"], suspect["resource"]) != (SHARED, ADDRESS):
            raise TimeUp(f"not the one case expected: {[(s['class'], s['resource']) for c in cases for s in c['suspects']]}")
        return cases[0]

    def nothing_done(self, text):
        lit = [row["bay"] for row in self.host.chassis() if row["fault"]]
        fmds = [bay for bay in BEHIND if self.host.vdev(bay).get("aux") == "external device fault"]
        if lit or fmds or self.host.vdev(SPARE):
            raise TimeUp(f"something was done: LEDs {lit}, retired {fmds}, spare {self.host.vdev(SPARE)}")
        self.tell.good(text, 0.0)

    def cable_is_good_again(self):
        self.tell.step("A person reads the mail, pulls no disk, presses the plug home, and lets ZFS try again: 'zpool clear' of each pool. "
                       f"But the disk in bay {BAD_BAY} was bad as well.")
        self.host.cable(CONTROLLER, good=True)
        for bay in BEHIND:
            self.host.person(bay, "clear")
        self.host.eio(BAD_BAY)
        self.expect("the case about the cable is closed", lambda: self.stage.case(self.cause)["state"] == "RESOLVED", 40)

    def one_disk_goes_on(self):
        own = self.expect(f"the disk in bay {BAD_BAY} has a case of its own", self.own_case, 100)
        self.expect(f"the fault LED of bay {BAD_BAY} is on, no other",
                    lambda: [row["bay"] for row in self.host.chassis() if row["fault"]] == [BAD_BAY])
        self.expect(f"the spare in bay {SPARE} takes over", lambda: self.host.vdev(SPARE))
        self.tell.chassis(self.host.chassis())
        self.show_command("fmadm", "faulty")
        self.tell.step("The timelines of the two cases, the cable's and then the disk's:")
        for uuid in (self.cause, own["uuid"]):
            self.tell.shown("timeline", "\n".join(
                f"{time.strftime('%H:%M:%S', time.localtime(entry['time'] / 1e9))}  {entry['kind'].split()[0]:14} {entry['text']}"
                for entry in self.stage.case(uuid)["timeline"]))

    def own_case(self):
        for case in self.verdicts():
            if case["uuid"] != self.cause and case["suspects"][0].get("location") == f"SLOT {BAD_BAY:02d}":
                return case
        return None
