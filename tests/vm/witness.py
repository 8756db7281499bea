"""Proves that no acknowledged event is lost: reports numbered events and records on the host which ones fmd acknowledged.

    witness = Witness(rig)
    witness.start()             # again after each boot
    ...
    witness.check()             # witness.check()             # each acknowledged event is in fmd's journal exactly once
"""

import collections
import json
import os

from machine import PATIENCE, SHARE
from sinks import GUEST

EVENTS = """[class."sysevent.test.witness"]
description = "An event that only counts"
members = { number = "u64" }
"""


class Witness:
    unit = "fmd-test-witness"
    name = "witness.log"

    def __init__(self, rig):
        self.rig, self.m = rig, rig.m
        self.path = os.path.join(self.m.share, self.name)

    def declare(self):
        """Declares the event class; fmd must be started or reloaded afterwards."""
        self.rig.fmd.configure("events.d/witness.toml", EVENTS)
        with open(self.path, "w", encoding="ascii"):
            pass

    def start(self):
        self.m.sh(f"systemctl is-active -q {self.unit} || "
                  f"systemd-run -q --collect --unit={self.unit} /usr/bin/python3 {GUEST}/witness.py {SHARE}/{self.name}")

    def lines(self):
        with open(self.path, encoding="ascii") as file:
            return file.read().splitlines()

    def acked(self):
        return max((int(line) for line in self.lines() if line.isdigit()), default=0)

    def go_on(self, count=3, timeout=PATIENCE):
        """Waits until this many more events are acknowledged: fmd accepts events."""
        wanted = self.acked() + count
        self.m.wait(lambda: self.acked() >= wanted, timeout,
                    lambda: f"{count} more events acknowledged\n" + self.rig.fmd.journal(lines=30))

    def check(self):
        """Checks the journal; returns the number of acknowledged events."""
        acked = self.acked()
        out = self.m.sh("fmdump -e -c sysevent.test.witness --json", timeout=PATIENCE)
        known = collections.Counter(json.loads(line)["payload"]["number"] for line in out.splitlines())
        self.rig.equal([line for line in self.lines() if not line.isdigit()], [], "complaints of the witness")
        self.rig.equal([n for n in range(1, acked + 1) if n not in known], [], "acknowledged, and not in the journal")
        self.rig.equal([n for n, times in known.items() if times > 1], [], "in the journal more than once")
        return acked
