"""Replacement disks that differ: other sectors, another bay, a second new disk, an unreadable one; and actions an administrator has
disabled."""

import re

from scenario import scenario
from watch import CHECKSUM, Watch, convicted_by_reads, hold_scan, nothing_cached, resolved

OUT = ("REMOVED", "FAULTED", "OFFLINE", "UNAVAIL")


def pulled(rig, slot):
    """Pulls this slot's disk and waits until ZFS has noticed; returns it."""
    disk = rig.m.pull(slot)
    rig.pool.touch()
    rig.m.wait(lambda: rig.pool.status().vdev(disk).state in OUT, 60, lambda: f"out\n{rig.pool.status()}", every=1)
    return disk


def refusal(rig, watch, case, words):
    rig.m.wait(lambda: words in watch.action(case["uuid"], "replace")["detail"], 90,
               lambda: f"{words!r}: {watch.now(case['uuid'])['actions']}\n{rig.pool.status()}", every=1)
    rig.step(watch.action(case["uuid"], "replace")["detail"])


@scenario("other-sectors", order=34, full=True, timeout=900)
def other_sectors(rig):
    """Larger sectors: a 4096-byte disk cannot be used in a 512-byte vdev; a slow 512e disk is used only with --force."""
    m, pool = rig.m, rig.pool
    watch, case = convicted_by_reads(rig, 4)
    pulled(rig, 4)
    m.insert(4, sector=4096)
    refusal(rig, watch, case, "has sectors of 4096 bytes, and the vdev is made for 512. ZFS cannot use it there")
    m.pull(4)
    new = m.insert(4, physical=4096)
    refusal(rig, watch, case, "--force' uses it anyway, and it may slow the pool down")
    rig.equal(pool.status().vdev(new), None, "the new disk in the pool")
    m.sh(re.search(r"'(fmadm replace [^']* --force)'", watch.action(case["uuid"], "replace")["detail"])[1])
    resolved(rig, watch, case["uuid"])
    rig.equal(pool.status().vdev(new).state, "ONLINE", "the new disk")


@scenario("other-bay", order=34, full=True, timeout=900)
def other_bay(rig):
    """A blank disk in another bay is named but not used. Of two new disks in the bay, the newer one is used."""
    m, pool = rig.m, rig.pool
    watch, case = convicted_by_reads(rig, 4)
    pulled(rig, 4)
    elsewhere = m.insert(8)
    refusal(rig, watch, case, "is not in SLOT 04, so it is not used automatically")
    rig.check(elsewhere.serial in watch.action(case["uuid"], "replace")["detail"], "the new disk is named")
    hold_scan(m, True)
    first = m.insert(4)
    m.wait(lambda: pool.status().vdev(first), 90, lambda: f"the first new disk taken\n{pool.status()}", every=1)
    rig.step("the first new disk resilvers")
    m.pull(4)
    pool.touch()
    second = m.insert(4)
    m.wait(lambda: pool.status().vdev(second), 120, lambda: f"the second new disk taken\n{pool.status()}"
           + m.run("fmadm faulty -v").out, every=1)
    hold_scan(m, False)
    resolved(rig, watch, case["uuid"])
    rig.equal(pool.status().vdev(second).state, "ONLINE", "the second new disk")
    rig.equal(pool.status().vdev(elsewhere), None, "the disk in the other bay")


@scenario("by-hand-from-another-bay", order=34, full=True)
def by_hand_from_another_bay(rig):
    """'fmadm replace' uses the disk in another bay, and the case is resolved once that disk holds the data."""
    m, pool = rig.m, rig.pool
    watch, case = convicted_by_reads(rig, 4)
    pulled(rig, 4)
    elsewhere = m.insert(8)
    refusal(rig, watch, case, "is not in SLOT 04, so it is not used automatically")
    m.sh(re.search(r"'(fmadm replace [^']*)' takes it", watch.action(case["uuid"], "replace")["detail"])[1])
    resolved(rig, watch, case["uuid"])
    rig.equal(pool.status().vdev(elsewhere).state, "ONLINE", "the disk in bay 8")
    m.wait(lambda: [v.state for v in pool.status().spares] == ["AVAIL"], 60, lambda: f"the spare back\n{pool.status()}", every=1)


@scenario("unreadable", order=34, full=True)
def unreadable(rig):
    """A new disk whose reads all fail is not treated as blank."""
    watch, case = convicted_by_reads(rig, 4)
    pulled(rig, 4)
    new = rig.m.insert(4, unreadable=True)
    refusal(rig, watch, case, "could not be read")
    rig.equal(rig.pool.status().vdev(new), None, "the new disk in the pool")


@scenario("no-spare", order=34, full=True)
def no_spare(rig):
    """With no_spare no spare is used automatically: the case says so, the disk is DEGRADED, and 'zpool replace' works by hand."""
    m, pool = rig.m, rig.pool
    rig.fmd.configure("zfs.toml", 'no_spare = ["tank"]\n')
    rig.fmd.restart("fmd-zfs.service")
    watch = Watch(rig)
    watch.wait_ready()
    m.corrupt_data(4, chunks=30, seed=4)
    pool.prefetch(False)
    nothing_cached(rig)
    pool.read_all()
    case = watch.case(4, *CHECKSUM)
    pool.wait_state(4, "DEGRADED")
    m.wait(lambda: "no_spare has this pool" in watch.action(case["uuid"], "spare")["detail"], 60,
           lambda: f"why no spare: {watch.now(case['uuid'])['actions']}", every=1)
    rig.step(watch.action(case["uuid"], "spare")["detail"])
    rig.equal([v.state for v in pool.status().spares], ["AVAIL"], "the spare")
    m.sh(f"zpool replace tank {m.disks[4].by_id} {m.disks[7].by_id}")
    m.wait(lambda: [v.state for v in pool.status().spares] == ["INUSE"], 60, lambda: f"the spare in\n{pool.status()}", every=1)
    pool.wait_scan()
    rig.equal(watch.now(case["uuid"])["state"] == "RESOLVED", False, "the case is over")


@scenario("locate-pool", order=91, full=True)
def locate_pool(rig):
    """Locating a pool or a vdev with several disks is refused, with a list of its disks; no LED is lit."""
    for part in ("tank", "raidz2-0"):
        said = rig.m.run(f"fmadm locate on {part}")
        rig.check(not said.ok, f"refused: {said}")
        for slot in range(1, 7):
            rig.check(f"SLOT {slot:02}" in said.err or rig.m.disks[slot].serial in said.err, f"slot {slot} is named: {said.err}")
        rig.step(said.err.strip())
    rig.equal((rig.enclosure.lit("locate"), rig.enclosure.lit("fault")), (set(), set()), "LEDs")


@scenario("slow-io", order=38, full=True, timeout=900)
def slow_io(rig):
    """A disk behind dm-delay: with slow_io_n set (OpenZFS 2.3), that many slow I/Os make it DEGRADED; older ZFS has no such property."""
    m = rig.m
    m.sh(f"zpool remove tank {m.disks[7].by_id}; udevadm settle; modprobe dm-delay; wipefs -qaf {m.disks[7].by_id}-part* {m.disks[7].by_id}")
    slow = m.insert(8)
    table = f"0 {slow.size // 512} delay {slow.by_id} 0 {{}}"
    m.sh(f"dmsetup create lame --table '{table.format(0)}' && udevadm settle && "
         f"zpool create -f -O compression=off -O primarycache=metadata lazy mirror /dev/mapper/lame {m.disks[7].by_id}", timeout=180)
    if not m.run("zpool set slow_io_n=3 lazy lame && zpool set slow_io_t=300 lazy lame").ok:
        rig.step("this OpenZFS has no slow_io_n")
        return
    rig.fmd.restart("fmd-zfs.service")
    watch = Watch(rig)
    watch.wait_ready()
    m.sh("dd if=/dev/urandom of=/lazy/file bs=1M count=16 && zpool sync lazy", timeout=180)
    m.sh(f"echo 300 > /sys/module/zfs/parameters/zio_slow_io_ms; dmsetup load lame --table '{table.format(1000)}' && "
         "dmsetup suspend --nolockfs --noflush lame && dmsetup resume lame")
    m.start_job("for i in 1 2 3 4 5 6; do dd if=/lazy/file of=/dev/null bs=128k count=32 iflag=direct; zpool sync lazy; done")
    case = m.wait(lambda: [c for c in watch.solved() if c["title"] == "Disk is slower than its pool allows"], 300,
                  lambda: f"the case\n{m.run('zpool status -s lazy; zpool events | tail -30; fmadm faulty -v').out}", every=2)[0]
    rig.step(case["description"])
    m.wait(lambda: "DEGRADED" in m.run("zpool status lazy | grep lame").out, 60, lambda: m.run("zpool status -s lazy").out, every=2)
    rig.equal([c["title"] for c in watch.solved() if c["uuid"] != case["uuid"]], [], "other cases")
