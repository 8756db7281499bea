#!/usr/bin/python3
"""fmd's main story, on a simulated host with the real programs: a disk returns garbage and a scrub finds it; one case, one mail,
one SNMP notification; the spare takes over and the LED shows the disk, which is replaced, and all is well again.

demo.py --build FOLDER [--keep] [cpu|shelf]     with `cpu` a failing processor (cpu_demo.py), with `shelf` a bad cable (shelf_demo.py);
                                                exit status 0 if everything happened in time
demo.py --programs [cpu|shelf]                  the programs that the story runs; others need not be built
"""
import argparse
import os
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import cpu_demo  # noqa: E402  (the path has to be set before)
import shelf_demo  # noqa: E402  (the path has to be set before)
from process import TimeUp  # noqa: E402  (the path has to be set before)
from sinks import mib_names  # noqa: E402
from stage import PLUGINS, Stage  # noqa: E402
from telling import Teller  # noqa: E402

BAD_BAY, OTHER_BAD_BAY = 4, 2
FAULT = "fault.fs.zfs.vdev.checksum"
PROGRAMS = ("fmd", "fmadm", "fmtopo", "fmdump")
HOST = {"speed": {"scrub": 5.0, "resilver": 6.0}, "hostname": "simulated"}


class Demo:
    def __init__(self, stage, teller):
        self.stage, self.host, self.tell = stage, stage.host, teller
        self.case = None

    def expect(self, text, condition, seconds, since=None):
        """Waits for the condition; prints the time it took since `since`, or fails after that many seconds."""
        began = time.time() if since is None else since
        result = self.stage.wait(condition, seconds, text)
        self.tell.good(text, max(0.0, time.time() - began))
        return result

    def now(self):
        return self.stage.case(self.case["uuid"])

    def show_command(self, program, *arguments):
        ran = self.stage.run(program, *arguments)
        self.tell.shown("$ " + " ".join((program, *arguments)), ran.stdout + ran.stderr or "(nothing)")
        return ran

    def lit(self, name):
        return {row["bay"] for row in self.host.chassis() if row[name]}

    def play(self):
        self.beginning()
        self.found_by_scrub()
        self.retired()
        self.swapped()
        self.resolved()

    def beginning(self):
        self.tell.step("A storage server: eight bays, a raidz2 pool of six disks, a spare. fmd watches it.")
        self.tell.chassis(self.host.chassis())
        self.show_command("fmadm", "faulty")

    def found_by_scrub(self):
        self.tell.step(f"The disk in bay {BAD_BAY} begins to return garbage; nobody notices. In bay {OTHER_BAD_BAY} three blocks "
                       "are bad, old damage. The monthly scrub starts.")
        self.host.corrupt(BAD_BAY)
        self.host.corrupt(OTHER_BAD_BAY, blocks=3)
        self.host.scrub()
        self.stage.wait(lambda: self.host.vdev(BAD_BAY)["cksum"] >= 10, 10, "ten checksum errors")
        tenth = time.time()
        self.tell.say("The scrub has met ten checksum errors on it.")
        self.case = self.expect("one case, for the right disk", self.one_case, 10, tenth)[0]
        self.expect(f"the fault LED of bay {BAD_BAY} is on, no other", lambda: self.lit("fault") == {BAD_BAY}, 10, tenth)
        self.expect("one mail", lambda: len(self.stage.mail.messages()) == 1, 10, tenth)
        self.expect("one SNMP notification", lambda: len(self.stage.snmp.notifications()) == 1, 10, tenth)
        self.show_command("fmadm", "faulty")
        self.show_mail(-1)
        self.show_trap(-1)
        self.tell.chassis(self.host.chassis())

    def one_case(self):
        cases = [case for case in self.stage.cases() if case["state"] != "UNSOLVED"]
        if not cases:
            return None
        suspect = cases[0]["suspects"][0]
        right = (len(cases) == 1 and suspect["class"] == FAULT and suspect["serial"] == f"DISK{BAD_BAY:02d}G0"
                 and suspect["location"] == f"SLOT {BAD_BAY:02d}")
        if not right:
            raise TimeUp(f"not the one case expected: {[(s['class'], s['serial']) for c in cases for s in c['suspects']]}")
        return cases

    def retired(self):
        self.tell.step("Nothing is changed while the scrub runs: acting now would cancel it. It goes on to its end.")
        if self.host.pool()["scan"]["state"] == "scanning" and self.host.vdev(BAD_BAY)["state"] != "ONLINE":
            raise TimeUp("the disk was retired in mid-scrub")
        self.stage.wait(lambda: self.host.pool()["scan"]["state"] == "finished"
                        or self.host.pool()["scan"]["func"] == "resilver", 20, "the scrub's end")
        ended = time.time()
        self.tell.say("The scrub has ended.")
        self.expect("the disk is degraded", lambda: self.host.vdev(BAD_BAY)["state"] == "DEGRADED", 10, ended)
        self.expect("the spare in bay 7 takes over", lambda: self.host.vdev(7), 10, ended)
        self.expect("fmadm shows the resilver's progress", self.resilvering, 10)
        self.show_command("fmadm", "resilver")
        self.tell.chassis(self.host.chassis())
        self.expect("the spare holds all data: the disk is taken out of service",
                    lambda: self.host.vdev(BAD_BAY)["state"] == "FAULTED", 30, ended)
        self.expect("a mail: the disk can be pulled now", lambda: len(self.stage.mail.messages()) == 2, 20, ended)
        self.expect("an SNMP notification of it", lambda: len(self.stage.snmp.notifications()) == 2, 10, ended)
        self.show_mail(-1)
        self.tell.chassis(self.host.chassis())
        if self.host.vdev(OTHER_BAD_BAY)["state"] != "ONLINE":
            raise TimeUp(f"the disk in bay {OTHER_BAD_BAY} lost its place")
        self.tell.good(f"the disk in bay {OTHER_BAD_BAY}, with its few old errors, keeps its place", 0.0)

    def resilvering(self):
        for pool in self.stage.resources("zfs-pool"):
            if pool["properties"].get("scan") == "resilver" and float(pool["properties"].get("scan_percent", 0)) > 10:
                return pool
        return None

    def swapped(self):
        self.tell.step("A person goes to the server with a new disk, and lets the bay blink first.")
        self.show_command("fmadm", "locate", "on", f"SLOT {BAD_BAY:02d}")
        self.expect(f"the locate LED of bay {BAD_BAY} is on", lambda: self.lit("locate") == {BAD_BAY}, 10)
        self.tell.chassis(self.host.chassis())
        self.tell.step("Out with the blinking disk, in with the new one.")
        self.host.pull(BAD_BAY)
        self.stage.wait(lambda: not self.disk_in_bay(), 15, "fmd to see the bay empty")
        self.host.insert(BAD_BAY, serial="NEWDISK1")
        swapped = time.time()
        self.expect("the replacement begins by itself", lambda: self.host.vdev(BAD_BAY).get("parent") == "replacing", 20,
                    swapped)
        self.expect("the locate LED goes off by itself: another disk is in the bay", lambda: not self.lit("locate"), 10, swapped)
        self.expect("fmadm shows the resilver's progress", self.resilvering, 10)
        self.show_command("fmadm", "resilver")
        self.tell.chassis(self.host.chassis())

    def disk_in_bay(self):
        bays = [b for b in self.stage.resources("bay") if b["properties"].get("label") == f"SLOT {BAD_BAY:02d}"]
        return bays and bays[0]["properties"].get("occupied") not in (False, "false")

    def resolved(self):
        self.stage.wait(lambda: self.host.pool()["scan"]["state"] == "finished", 30, "the resilver's end")
        ended = time.time()
        self.tell.step("The resilver has ended.")
        self.expect("the case is resolved", lambda: self.now()["state"] == "RESOLVED", 15, ended)
        self.expect("all LEDs are off", lambda: not self.lit("fault") | self.lit("locate"), 10, ended)
        self.expect("the spare is available again", lambda: not self.host.vdev(7), 10, ended)
        self.expect("one more mail", lambda: len(self.stage.mail.messages()) == 3, 10, ended)
        self.expect("one more SNMP notification", lambda: len(self.stage.snmp.notifications()) == 3, 10, ended)
        self.show_mail(-1)
        self.show_command("fmadm", "faulty")
        self.expect("fmadm faulty is empty", lambda: not self.stage.run("fmadm", "faulty").stdout.count(FAULT), 5)
        self.tell.chassis(self.host.chassis())
        self.tell.step("The timeline of the case:")
        self.tell.shown("timeline", "\n".join(
            f"{time.strftime('%H:%M:%S', time.localtime(entry['time'] / 1e9))}  {entry['kind'].split()[0]:14} {entry['text']}"
            for entry in self.now()["timeline"]))

    def show_mail(self, which):
        mail = self.stage.mail.messages()[which]
        self.tell.shown("mail", f"From: {mail['from']}\nTo: {', '.join(mail['to'])}\nSubject: {mail['subject']}\n\n{mail['body']}")

    def show_trap(self, which):
        trap, names = self.stage.snmp.notifications()[which], mib_names()
        values = [f"  {names[oid]} = {value}" for oid, value in trap["values"].items() if oid in names]
        self.tell.shown("SNMP notification, as snmptrapd got it", "\n".join([names.get(trap["oid"], trap["oid"]), *values]))


STORIES = {"disk": (Demo, HOST, PLUGINS), "cpu": (cpu_demo.CpuDemo, cpu_demo.HOST, cpu_demo.PLUGINS),
           "shelf": (shelf_demo.ShelfDemo, shelf_demo.HOST, shelf_demo.PLUGINS)}


def parse():
    parser = argparse.ArgumentParser(description="A failing part, from the first error to its repair, on a simulated host "
                                     "with the real programs.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--build", help="folder fmd was built in")
    what.add_argument("--programs", action="store_true", help="print the programs that the story runs, and end")
    parser.add_argument("story", nargs="?", choices=("disk", "cpu", "shelf"), default="disk", help="what fails (disk)")
    parser.add_argument("--keep", action="store_true", help="keep the folder with the logs and the simulated host")
    return parser.parse_args()


def on_signal(number, _):
    raise SystemExit(128 + number)


def main():
    options = parse()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, on_signal)
    teller = Teller()
    play, host, plugins = STORIES[options.story]
    programs = [*PROGRAMS, *(f"fmd-{plugin}" for plugin in plugins)]
    if options.programs:
        print("\n".join(programs))
        return 0
    stage = Stage(options.build, host, plugins=plugins, keep=options.keep)
    try:
        teller.step("Starting a bus, a mail server, snmpd, snmptrapd, fmd and its plugins, all on a simulated host.")
        stage.start()
        play(stage, teller).play()
        if others := stage.used - set(programs):
            raise AssertionError(f"--programs lacks {', '.join(sorted(others))}")
    except Exception as problem:  # whatever it was: the logs tell more than a traceback alone
        teller.line()
        teller.line(teller.colour(f"FAILED after {teller.clock().strip()}: {problem}", "red", "bold"))
        if not isinstance(problem, TimeUp):
            import traceback
            teller.line(traceback.format_exc())
        teller.line(stage.logs())
        return 1
    finally:
        stage.stop()
        if stage.keep:
            teller.line(f"Kept: {stage.folder}")
    teller.summary()
    teller.line()
    teller.line(f"{len(teller.checks)} things checked, all as they should be, in {teller.clock().strip()}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
