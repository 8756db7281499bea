"""fmd's cases as scenarios see them, and the progress of the story of one disk.

    watch = Watch(rig)
    case = watch.case(4)        # waits for the one case, which must name the disk in slot 4
"""

import json
import re

from machine import PATIENCE

MAIL_TOML = """transport = "smtp"
server = "smtp://127.0.0.1:2525"
starttls = "off"
from = "fmd@fmrig.example"
to = ["admin@fmrig.example"]
"""


def prepare(rig):
    """Initial state of fmd's scenarios: a raidz2 pool of slots 1 to 6 with data and the spare in 7; sinks, fmd and its plugins running
    and idle."""
    rig.pool.create()
    rig.pool.fill()
    rig.mail.start()
    rig.traps.start()
    rig.fmd.configure("mail.toml", MAIL_TOML)
    rig.fmd.start()
    Watch(rig).wait_ready()


LOST_DATA = "fault.fs.zfs.data"
CHECKSUM = ("fault.fs.zfs.vdev.checksum", "ZFS-8000-GH")


class Watch:
    def __init__(self, rig):
        self.rig, self.m, self.fmd = rig, rig.m, rig.fmd

    def wait_ready(self, undelivered=()):
        """Waits until all plugins are connected, healthy and idle, so that scenarios measure a running service. `undelivered`: notifiers
        that the scenario makes fail; they are degraded from the first refused message on."""
        wanted = {"zfs", "cpu", "disk", "enclosure", "smart", "system", "mail", "snmp"}
        self.m.wait(lambda: wanted <= self.plugins_ok(undelivered), PATIENCE,
                    lambda: f"all plugins to be well; those that are: {self.plugins_ok(undelivered)}\n"
                            + self.m.run("fmadm config").out + self.fmd.journal(lines=40), every=1)
        self.m.settle()

    def plugins_ok(self, undelivered=()):
        result = self.m.run("fmstat --json")
        if not result.ok:
            return set()
        return {p["name"] for p in json.loads(result.out)
                if p["connected"] and (p["state"] == "ok" or p["state"] == "degraded" and p["name"] in undelivered)}

    # --- cases ----------------------------------------------------------------

    def cases(self, everything=False):
        return self.fmd.json("fmadm faulty --json" + (" --all" if everything else ""))

    def solved(self, everything=False):
        """Diagnosed cases. Without UNSOLVED ones, which wait (for a removal, for 15 minutes) and are not announced."""
        return [c for c in self.cases(everything) if c["state"] != "UNSOLVED"]

    def case(self, slot, fault, code, timeout=60):
        """Waits for a solved case; it must be the only one besides one of lost data, and blame this slot's disk."""
        rig = self.rig
        found = self.m.wait(lambda: [c for c in self.solved() if c["suspects"][0]["class"] != LOST_DATA], timeout, lambda: f"a case\n{rig.pool.status()}"
                            + self.m.run("fmdump -e | tail -20").out, every=1)
        rig.equal(len(found), 1, "cases")
        case, disk = found[0], self.m.disks[slot]
        rig.equal(case["code"], code, "code")
        suspect = case["suspects"][0]
        rig.equal((suspect["class"], suspect["serial"], suspect["location"]),
                  (fault, disk.serial, f"SLOT {slot:02}"), "suspect")
        return case

    def now(self, uuid):
        """The current state of the case."""
        return self.fmd.json(f"fmadm faulty --all -u {uuid} --json")[0]

    def action(self, uuid, kind, part=None):
        """The current action of that kind, and on that part if given."""
        return next((action for action in self.now(uuid)["actions"] if action["kind"] == kind and part in (None, action["part"])),
                    {"state": "absent", "detail": ""})

    def wait_action(self, uuid, kind, state, timeout=60, part=None):
        def reached():
            action = self.action(uuid, kind, part)
            return action["state"] == state and action
        return self.m.wait(reached, timeout, lambda: f"{kind} to be {state}; the actions: {self.now(uuid)['actions']}\n"
                           f"{self.rig.pool.status()}", every=1)

    def outbox(self):
        out = self.m.sh("busctl --json=short call org.fmd.FaultManager1 /org/fmd/FaultManager1 "
                        "org.fmd.FaultManager1 ListOutbox")
        return json.loads(json.loads(out)["data"][0])

    # --- the story of the disk in one slot ------------------------------------

    def told_in_time(self, case, slot, since, what):
        """Case, LED of only this slot, one mail, one notification: all within rig.limit of `since`."""
        rig = self.rig
        # Each has its own timestamp. Queries use the guest's CPU: the slowest result first, the most expensive query last.
        mails, traps = rig.mail.wait(1, 30), rig.traps.wait(1, 30)
        self.m.wait(lambda: rig.enclosure.lit() == {slot}, 30, lambda: f"LED {slot} alone; lit: {rig.enclosure.lit()}")
        led = self.wait_action(case["uuid"], "fault-led", "done", 30, f"hc://chassis={rig.enclosure.ID}/bay={slot}")
        times = {"case": case["solved"] / 1e9, "mail": mails[0]["at"], "notification": traps[0]["at"], "LED": led["time"] / 1e9}
        for name, at in times.items():
            rig.check(at - since <= rig.limit, f"{name} within {rig.limit} s of {what}, not {at - since:.1f} s")
        rig.step("after " + what + ": " + ", ".join(f"{name} +{at - since:.1f} s" for name, at in times.items()))
        rig.check(self.m.disks[slot].serial in mails[0]["body"], f"serial in the mail:\n{mails[0]['body']}")
        rig.check(f"SLOT {slot:02}" in mails[0]["subject"] + mails[0]["body"], "bay in the mail")
        pictures = mails[0]["pictures"]
        rig.check(len(pictures) == 1 and pictures[0]["begins"] == "89504e470d0a1a0a" and pictures[0]["bytes"] > 2000,
                  f"the chassis as a PNG in the mail: {pictures}")
        rig.check("cid:" + pictures[0]["cid"] in mails[0]["html"] and re.search(rf'alt="[^"]*SLOT {slot:02}: [^"]*needs attention', mails[0]["html"]),
                  f"the picture, and its words, in the mail's HTML:\n{mails[0]['html']}")
        rig.check(any(case["uuid"] == v for v in traps[0]["values"].values()), f"uuid in {traps[0]}")

    def retired_in_time(self, slot, since, what):
        """Degraded and spared within rig.limit of `since`; FAULTED two minutes after the spare has resilvered."""
        rig, pool = self.rig, self.rig.pool
        pool.wait_state(slot, "FAULTED", 330)
        status, events = pool.status(), pool.events()
        def first(what, match):
            found = [e for e in events if match(e)]
            rig.check(found, f"an event that tells of {what}")
            return found[0]
        def became(state):
            return first(f"slot {slot} {state}", lambda e: e.cls == "resource.fs.zfs.statechange"
                         and e.disk is self.m.disks[slot] and e["vdev_state"] == state)
        degraded, faulted = became("DEGRADED"), became("FAULTED")
        spared = first("the spare in use", lambda e: e.cls in ("sysevent.fs.zfs.vdev_spare", "sysevent.fs.zfs.vdev_attach"))
        resilvered = first("the spare resilvered", lambda e: e.cls == "sysevent.fs.zfs.resilver_finish" and e.at >= spared.at)
        for name, e in (("degraded", degraded), ("spare in", spared)):
            rig.check(-0.1 <= e.at - since <= rig.limit, f"{name} within {rig.limit} s after {what}, not {e.at - since:.1f} s")
        rig.step(f"after {what}: degraded +{degraded.at - since:.1f} s, spare in +{spared.at - since:.1f} s")
        rig.check(faulted.at >= resilvered.at, f"out of service after the spare has resilvered, not {resilvered.at - faulted.at:.1f} s before")
        rig.equal([v.state for v in status.spares], ["INUSE"], "spares")
        rig.check("spare-" in status.text, f"a spare pair\n{status}")
        rig.step(f"FAULTED +{faulted.at - resilvered.at:.1f} s after the spare had resilvered")

    def untouched(self, *slots):
        status = self.rig.pool.status()
        for slot in slots:
            self.rig.equal(status.slot(slot).state, "ONLINE", f"state of slot {slot}")

    def told_exactly(self, mails, notifications):
        if mails:
            self.rig.mail.wait(mails, 30)
        if notifications:
            self.rig.traps.wait(notifications, 30)
        self.rig.equal(len(self.rig.mail.messages()), mails, "mails")
        self.rig.equal(len(self.rig.traps.notifications()), notifications, "notifications")


def hold_scan(m, on):
    """Suspends scrubs and resilvers while on, so that states that wait for them can be checked."""
    m.sh(f"echo {int(on)} > /sys/module/zfs/parameters/zfs_scan_suspend_progress")


def scrub_held_at(rig, checksums, slot=4):
    """Starts a scrub and suspends it once it has found this many errors. The guest itself waits: the host would react too late, and each
    query costs more than the scrub. Meanwhile this slot's disk is slow and the txg timeout 1 s, so that the scrub lasts long enough."""
    timeout = "/sys/module/zfs/parameters/zfs_txg_timeout"
    rig.m.slow(slot, mb_per_second=1)
    rig.m.sh(f"echo 1 > {timeout}; zpool scrub tank; for i in $(seq 300); do "
             f"[ $(zpool events -H | grep -c ereport.fs.zfs.checksum) -lt {checksums} ] || break; sleep 0.2; done; "
             f"echo 1 > /sys/module/zfs/parameters/zfs_scan_suspend_progress; echo 5 > {timeout}")
    rig.m.slow(slot)
    rig.check("scrub in progress" in rig.pool.status().scan, lambda: f"a scrub in progress\n{rig.pool.status()}")


def nothing_cached(rig):
    """Makes the next reads come from the disks, and counts ereports from now on."""
    rig.pool.forget_events()
    rig.pool.reimport()
    rig.m.settle()


def resolved(rig, watch, uuid, timeout=180):
    rig.m.wait(lambda: watch.now(uuid)["state"] == "RESOLVED", timeout,
               lambda: f"the case to be resolved\n{rig.pool.status()}" + rig.m.run("fmadm faulty -v").out, every=2)


def convicted_by_reads(rig, slot):
    """This slot's disk returns garbage, reads find it, the spare has resilvered; returns the Watch and the case."""
    rig.m.corrupt_data(slot, chunks=30, seed=slot)
    rig.pool.prefetch(False)
    nothing_cached(rig)
    watch = Watch(rig)
    rig.pool.read_all()
    case = watch.case(slot, *CHECKSUM)
    rig.m.wait(lambda: [v.state for v in rig.pool.status().spares] == ["INUSE"], 60, lambda: f"the spare in\n{rig.pool.status()}", every=1)
    rig.pool.wait_scan()
    rig.step(f"slot {slot} convicted, the spare in and full")
    return watch, case
