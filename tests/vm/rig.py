"""Everything that a scenario works with, in one object.

    rig.m          the Machine: sh(), run(), wait(), pull(), insert(), corrupt_data() ...
    rig.pool       the ZFS pool "tank" (Pool)
    rig.enclosure  slots and LEDs (Enclosure)
    rig.mail       SMTP sink (Mail)         rig.traps   snmpd + snmptrapd (Traps)
    rig.fmd        fmd itself (Fmd)
    rig.limit      seconds from the tenth ereport (or a scrub's end) to the mail, the LED and the spare
    rig.step(), rig.check(), rig.equal()    progress and assertions
    """

import os
import time

from enclosure import Enclosure
from fmd import Fmd
from machine import PATIENCE
from pool import Pool
from sinks import Mail, Traps


class CheckFailed(Exception):
    """A check of a scenario failed."""


class Rig:
    def __init__(self, machine, say=print, limit=10):
        self.m = machine
        self.limit = limit
        self.say = say
        self.began = time.monotonic()
        self.pool = Pool(machine)
        self.enclosure = Enclosure(machine)
        self.mail = Mail(machine)
        self.traps = Traps(machine)
        self.fmd = Fmd(machine)

    # --- progress and assertions ----------------------------------------------

    def step(self, text):
        """Prints a step, with the time since the scenario's start."""
        self.say(f"    {time.monotonic() - self.began:6.1f}s {text}")

    def check(self, condition, what):
        """Fails the scenario unless condition; what: the expectation, a text or a function that returns one."""
        if not condition:
            raise CheckFailed(what() if callable(what) else str(what))

    def equal(self, found, expected, what):
        self.check(found == expected, f"{what}: expected {expected!r}, found {found!r}")

    # --- between scenarios ----------------------------------------------------

    def reset(self):
        """Restores the state after the first boot: no pool, fresh disks, LEDs off, mail and notifications deleted. (A machine with fmd is
        not reset but restored.)"""
        self.mail.reset()
        self.traps.reset()
        for slot in list(self.m.disks):
            self.m.eio_off(slot)
        for name in self.m.run("zpool list -H -o name").out.split():
            self.m.run(f"zpool clear {name}; zpool destroy -f {name}", timeout=PATIENCE)
        self.m.fresh_disks()
        self.enclosure.reset()
        self.pool.prefetch(True)
        self.pool.clear_events()

    def reboot(self):
        """An orderly reboot; restarts the sinks that were running. The pool is not imported: that is up to the scenario or fmd."""
        running = [s for s in (self.mail, self.traps) if self.m.run(f"systemctl is-active -q {s.unit}").ok]
        self.m.reboot()
        for sink in running:
            sink.start()

    # --- for analysing failures -------------------------------------------------

    def collect(self, folder):
        """Copies the guest's logs into a folder of the host."""
        os.makedirs(folder, exist_ok=True)
        for name, command in {
            "journal.txt": "journalctl -b -q --no-pager -o short-precise",
            "journal-fmd.txt": "journalctl -q --no-pager -o short-precise -u fmd.service -u 'fmd-*.service'",
            "dmesg.txt": "dmesg",
            "zpool-status.txt": "zpool status -vP; zpool list -v",
            "zpool-events.txt": "zpool events -v",
            "zpool-history.txt": "zpool history -i",
            "enclosure.txt": "cd /sys/class/enclosure/fakeses0 && grep . SLOT*/{status,fault,locate}; "
                             "ls -l SLOT*/device; lsblk -o NAME,HCTL,SIZE,WWN",
            "mail.jsonl": f"cat {self.mail.log}",
            "traps.log": f"cat {self.traps.log}",
            "units.txt": "systemctl status --no-pager -n 30 'fmd*'",
            "fmadm.txt": "command -v fmadm && { timeout 10 fmadm faulty -v; timeout 10 fmadm config; }",
        }.items():
            try:
                result = self.m.run(command, 60)
            except Exception as error:  # collect what is available
                text = f"{error}\n"
            else:
                text = result.out + (result.err and f"--- stderr ---\n{result.err}")
            if text.strip():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
