"""fmd's database is on a full or slow file system while a disk fails: messages are sent, and nothing is lost."""

import time

from scenario import scenario
from watch import Watch, nothing_cached
from witness import Witness

STATE = "/var/lib/fmd"
IMAGE = "/var/fmd-store.img"
STORE = "fault.fmd.store."
CHECKSUM = "fault.fs.zfs.vdev.checksum"


class OwnFileSystem:
    """Puts fmd's state on its own file system: ext4 on a device-mapper device on a loop device."""

    def __init__(self, rig, mb=64):
        self.rig, self.m, self.sectors = rig, rig.m, mb * 2048
        rig.fmd.stop()
        self.m.sh(f"set -e; modprobe loop; modprobe dm-delay; truncate -s {mb}M {IMAGE}; losetup /dev/loop0 {IMAGE}; "
                  f"dmsetup create fmd-store --table '{self.table(0)}'; udevadm settle; "
                  f"mkfs.ext4 -q -m 0 -E lazy_itable_init=0,lazy_journal_init=0 /dev/mapper/fmd-store; "
                  f"mkdir /run/new; mount /dev/mapper/fmd-store /run/new; cp -a {STATE}/. /run/new/; "
                  f"chown --reference={STATE} /run/new; chmod --reference={STATE} /run/new; umount /run/new; "
                  f"mount /dev/mapper/fmd-store {STATE}", timeout=120)

    def table(self, delay_ms):
        return f"0 {self.sectors} delay /dev/loop0 0 0 /dev/loop0 0 {delay_ms}"

    def slow(self, delay_ms):
        """Delays each write. 0 takes effect at once, also for pending writes."""
        self.m.sh(f"dmsetup load fmd-store --table '{self.table(delay_ms)}' && "
                  "dmsetup suspend --nolockfs --noflush fmd-store && dmsetup resume fmd-store", timeout=120)

    def fill(self):
        """Fills the last byte. Repeats after each sync, since Linux 6.1 may then free reserved blocks."""
        self.m.sh(f"dd if=/dev/zero of={STATE}/ballast bs=64k 2> /dev/null; "
                  "for try in 1 2 3 4 5 6 7 8 9 10; do "
                  f"dd if=/dev/zero bs=1k oflag=append conv=notrunc of={STATE}/ballast 2> /dev/null; sync -f {STATE}; "
                  f"df --output=avail {STATE} | tail -n 1 | grep -qx ' *0' && exit 0; done; df {STATE}; exit 1", timeout=240)

    def make_room(self):
        self.m.sh(f"rm {STATE}/ballast && sync -f {STATE}", timeout=120)


def about(watch, prefix, everything=False):
    """The solved cases whose fault begins with the prefix."""
    return [c for c in watch.solved(everything) if c["suspects"][0]["class"].startswith(prefix)]


def started(rig):
    """Starts fmd, its plugins and the witness."""
    watch, witness = Watch(rig), Witness(rig)
    witness.declare()
    rig.fmd.start()
    watch.wait_ready()
    witness.start()
    witness.go_on()
    return watch, witness


def scrub_finds(rig, watch, slot):
    """The disk returns garbage and a scrub finds it; returns the case."""
    rig.m.corrupt_data(slot, chunks=40, seed=slot)
    nothing_cached(rig)
    rig.pool.scrub()
    found = rig.m.wait(lambda: about(watch, CHECKSUM), 90,
                       lambda: f"the disk's case; there are {watch.cases()}\n{rig.pool.status()}", every=1)
    rig.equal([c["suspects"][0]["serial"] for c in found], [rig.m.disks[slot].serial], "the disk blamed")
    return found[0]


def told(rig, uuid, event):
    return [m for m in rig.mail.messages() if m["headers"].get("X-FMEV-UUID") == uuid and m["headers"].get("X-FMEV-EVENT") == event]


def told_and_lit(rig, uuid, slot):
    rig.m.wait(lambda: told(rig, uuid, "diagnosed"), 60, lambda: f"the mail; there are {[m['subject'] for m in rig.mail.messages()]}\n"
               + rig.fmd.journal(lines=40), every=1)
    rig.m.wait(lambda: rig.enclosure.lit() == {slot}, 60, lambda: f"LED {slot}; lit: {rig.enclosure.lit()}", every=1)


def in_the_end(rig, watch, witness, uuid, slot):
    """After recovery: retired, spared, nothing lost, no message twice; the same after a kill -9."""
    rig.pool.wait_state(slot, "FAULTED", 330)
    rig.equal([v.state for v in rig.pool.status().spares], ["INUSE"], "spares")
    rig.equal([c["uuid"] for c in about(watch, CHECKSUM, True)], [uuid], "cases of the disk ever")
    rig.fmd.kill()
    watch.wait_ready()
    witness.go_on()
    rig.step(f"{witness.check()} events acknowledged, each in the journal once")
    rig.equal([c["uuid"] for c in about(watch, CHECKSUM, True)], [uuid], "cases of the disk after a kill -9")
    rig.m.wait(lambda: not [o for o in watch.outbox() if o["state"] != "delivered"], 60,
               lambda: f"an empty outbox; it holds {watch.outbox()}", every=1)
    times = {c["uuid"]: len(told(rig, c["uuid"], "diagnosed")) for c in watch.solved(True)}
    rig.check(all(count == 1 for count in times.values()), lambda: f"one mail a case: {times}")
    watch.untouched(*({1, 2, 3, 4, 5, 6} - {slot}))


@scenario("store-full", order=52, timeout=1800, full=True)
def store_full(rig):
    """fmd's file system is full while a disk fails: mail and LED come; retired once there is space; nothing is lost."""
    m = rig.m
    disk = OwnFileSystem(rig)
    watch, witness = started(rig)
    disk.fill()
    rig.step("full")
    full = m.wait(lambda: about(watch, STORE + "full"), 300, lambda: "the case of the full store\n" + rig.fmd.journal(lines=20), every=2)[0]
    acked = witness.acked()
    m.wait(lambda: told(rig, full["uuid"], "diagnosed"), 60, "the mail about the full store", every=1)
    rig.step(f"told; {acked} events acknowledged so far")
    case = scrub_finds(rig, watch, 4)
    told_and_lit(rig, case["uuid"], 4)
    rig.step("the failing disk: told and lit, nothing can be written")
    if witness.acked() == acked:
        rig.equal(rig.pool.state(4), "ONLINE", "state of slot 4 while nothing can be written")
    disk.make_room()
    rig.step("space again")
    m.wait(lambda: about(watch, STORE + "full", True)[0]["state"] == "RESOLVED", 120, "the case of the full store to be over", every=1)
    in_the_end(rig, watch, witness, case["uuid"], 4)


@scenario("store-slow", order=53, timeout=1800, full=True)
def store_slow(rig):
    """Each write to fmd's disk takes 40 s while another disk fails: fmadm answers, mail and LED come; retired on recovery."""
    m = rig.m
    disk = OwnFileSystem(rig)
    watch, witness = started(rig)

    def slowest(times=3):
        taken = []
        for _ in range(times):
            begun = time.monotonic()
            m.sh("fmadm faulty")
            taken.append(time.monotonic() - begun)
        return max(taken)

    usual = slowest()
    disk.slow(40_000)
    rig.step("slow")
    m.wait(lambda: about(watch, STORE + "slow"), 120, lambda: "the case of the slow disk\n" + rig.fmd.journal(lines=20), every=1)
    # Half the time of a write: proves that the answer did not wait for one. tests/integration/daemon_slow.py has the limit for real
    # machines.
    now = slowest()
    rig.check(now < 20, f"fmadm faulty took {usual:.1f} s, and {now:.1f} s while a write hangs")
    case = scrub_finds(rig, watch, 4)
    told_and_lit(rig, case["uuid"], 4)
    rig.step(f"told and lit; fmadm faulty took {usual:.1f} s, now {now:.1f} s")
    m.sh("sleep 70")  # longer than WatchdogSec=
    rig.equal(m.sh("systemctl show -p NRestarts --value fmd.service").strip(), "0", "restarts of fmd")
    disk.slow(0)
    rig.step("well again")
    in_the_end(rig, watch, witness, case["uuid"], 4)
