#!/usr/bin/python3
"""The story of a failing disk for the desktop: the real fmd and its plugins on a simulated host. Each line "next" on standard input
plays a step; "kill" kills fmd, "start" starts it again, as systemd would. Each line of output is a JSON document: first {"bus"}, then
{"told", "next"}: what happened, and the next step ("" if none). Ends with standard input.

desktop_demo.py [--build FOLDER]     FOLDER: of the programs; default: the installed ones
"""
import argparse
import json
import os
import shutil
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

from stage import Stage  # noqa: E402  (the path has to be set before)

BAY = 4
HOST = {"speed": {"scrub": 6.0, "resilver": 20.0}, "hostname": "simulated"}
PLUGINS = ("disk", "enclosure", "zfs", "smart")


class Story:
    def __init__(self, stage):
        self.stage, self.host = stage, stage.host
        self.steps = [
            ("The disk in bay 4 begins to return garbage", self.garbage),
            ("The monthly scrub finds it", self.scrub),
            ("A person pulls the disk", self.pull),
            ("A new disk goes in", self.insert),
        ]

    def garbage(self):
        self.host.corrupt(BAY)
        return "The disk in bay 4 returns garbage. Nobody has noticed."

    def scrub(self):
        self.host.scrub()
        self.stage.wait(lambda: any(c["state"] != "UNSOLVED" for c in self.stage.cases()), 60, "the case")
        return "Ten checksum errors: the disk is faulty. The spare takes over when the scrub has ended."

    def pull(self):
        self.stage.wait(lambda: self.host.vdev(BAY)["state"] not in ("ONLINE", "DEGRADED"), 90, "the spare to hold all data")
        self.host.pull(BAY)
        return "The bay is empty."

    def insert(self):
        self.host.insert(BAY, serial="NEWDISK1")
        return "The new disk is taken; when it holds all data the case is resolved."

    def play(self):
        self.say(told="A storage server: eight bays, a raidz2 pool of six disks, a spare. All is well.")
        for line in sys.stdin:
            word = line.strip()
            if word == "kill":
                self.stage.kill()
            elif word == "start":
                self.stage.restart()
            if word != "next" or not self.steps:
                continue
            _, step = self.steps.pop(0)
            told = step()
            self.say(told=told)

    def say(self, told):
        print(json.dumps({"told": told, "next": self.steps[0][0] if self.steps else ""}), flush=True)


def on_signal(number, _):
    raise SystemExit(128 + number)


def main():
    parser = argparse.ArgumentParser(description="The story of a failing disk, step by step, for fmtray --demo.")
    parser.add_argument("--build", help="folder fmd was built in")
    options = parser.parse_args()
    if not shutil.which("dbus-daemon"):
        sys.exit("desktop_demo: dbus-daemon is needed (Debian: dbus-daemon)")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, on_signal)
    with Stage(options.build, HOST, plugins=PLUGINS) as stage:
        print(json.dumps({"bus": f"unix:path={stage.bus}"}), flush=True)
        Story(stage).play()


if __name__ == "__main__":
    main()
