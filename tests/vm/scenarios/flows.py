"""Common disk events: pulled, dead, intermittent, replaced by an unsuitable disk; and missing pools."""

import subprocess

from disk import MB
from machine import NVME_SLOTS
from scenario import scenario
from watch import CHECKSUM, Watch, convicted_by_reads, nothing_cached, resolved

RELIABILITY = 1 << 2  # NVMe critical warning: the drive has become unreliable


def by_title(rig, watch, title, timeout=60):
    return rig.m.wait(lambda: [c for c in watch.solved() if c["title"] == title], timeout,
                      lambda: f"a case {title!r}; there are: {watch.cases()}\n{rig.pool.status()}", every=1)[0]


def gone(rig, disk, write=True):
    """Waits until ZFS reports the disk as removed: after a write, or without one, since fmd-zfs forwards udev's event."""
    if write:
        rig.pool.touch()
    rig.m.wait(lambda: rig.pool.status().vdev(disk).state == "REMOVED", 60, lambda: f"REMOVED\n{rig.pool.status()}", every=1)


def well(rig, disk):
    """Waits until the disk is ONLINE again and fully resilvered."""
    rig.m.wait(lambda: rig.pool.status().vdev(disk).state == "ONLINE", 60, lambda: f"ONLINE\n{rig.pool.status()}", every=1)
    rig.pool.wait_scan()


@scenario("died", order=32, full=True)
def died(rig):
    """A disk that vanishes from an occupied bay has died, and was not removed: Major, LED, spare. Reseated, it is used again."""
    m, watch = rig.m, Watch(rig)
    rig.enclosure.filled(3)
    disk = m.pull(3)
    gone(rig, disk)
    case = by_title(rig, watch, "Disk no longer responds", 120)
    suspect = case["suspects"][0]
    rig.equal((case["severity"], suspect["serial"], suspect["location"]), ("Major", disk.serial, "SLOT 03"), "the case")
    m.wait(lambda: rig.enclosure.lit() == {3}, 15, "LED 3")
    m.wait(lambda: [v.state for v in rig.pool.status().spares] == ["INUSE"], 60, lambda: f"the spare in\n{rig.pool.status()}", every=1)
    rig.step("told, lit, spared")
    rig.pool.wait_scan()
    rig.enclosure.filled()
    m.sh("sleep 12")  # the recommended action: pull it for ten seconds
    m.insert(3, disk)
    well(rig, disk)
    resolved(rig, watch, case["uuid"])
    m.wait(lambda: rig.enclosure.lit() == set(), 15, "LEDs off")
    m.wait(lambda: [v.state for v in rig.pool.status().spares] == ["AVAIL"], 60, lambda: f"the spare back\n{rig.pool.status()}", every=1)
    watch.told_exactly(2, 2)


@scenario("comes-and-goes", order=33, full=True)
def comes_and_goes(rig):
    """A healthy disk that is put back comes online without a case; the third time in a day there is a case, and it stays out."""
    m, watch = rig.m, Watch(rig)
    for times in range(3):
        disk = m.pull(5)
        gone(rig, disk, write=times > 0)
        if times < 2:
            m.insert(5, disk)
            well(rig, disk)
            rig.equal((watch.solved(True), rig.mail.messages()), ([], []), "cases and mails of a disk that was put back")
            rig.step("put back, and ONLINE by itself")
    case = by_title(rig, watch, "Disk disconnects repeatedly")
    rig.check("disappeared 3 times" in case["description"], case["description"])
    m.wait(lambda: [v.state for v in rig.pool.status().spares] == ["INUSE"], 60, lambda: f"the spare in\n{rig.pool.status()}", every=1)
    m.insert(5, disk)
    m.wait(lambda: disk.serial in m.run("fmtopo --json").out, 15, "the disk to be known again")
    m.sh("sleep 10")  # longer than it took to come ONLINE before
    rig.check(rig.pool.status().vdev(disk).state != "ONLINE", lambda: f"it stays out\n{rig.pool.status()}")
    # The disk is back in its bay, so a second message says that it can be pulled, once the spare holds all its data.
    rig.pool.wait_scan()
    watch.told_exactly(2, 2)
    second = rig.mail.messages()[1]["body"]
    rig.check("You can pull" in second, f"the second mail\n{second}")
    m.sh(f"fmadm repaired {disk.serial}")
    well(rig, disk)


@scenario("does-not-fit", order=34, full=True)
def does_not_fit(rig):
    """A disk not replaced, too small, or not blank: each is refused with its reason; the administrator can force a non-blank one."""
    m, pool = rig.m, rig.pool
    watch, case = convicted_by_reads(rig, 4)
    said = m.run("fmadm replaced 'SLOT 04'")
    rig.check(said.rc == 1 and f"serial {m.disks[4].serial} is still in SLOT 04" in said.err, f"what is said of the same disk: {said}")

    def refusal(words):
        m.wait(lambda: words in watch.action(case["uuid"], "replace")["detail"], 60,
               lambda: f"{words!r}: {watch.now(case['uuid'])['actions']}\n{pool.status()}", every=1)
        rig.step(watch.action(case["uuid"], "replace")["detail"])
    old = m.pull(4)
    gone_or_out = ("REMOVED", "FAULTED", "OFFLINE", "UNAVAIL")
    pool.touch()
    m.wait(lambda: pool.status().vdev(old).state in gone_or_out, 60, lambda: f"out\n{pool.status()}", every=1)
    m.insert(4, size=128 * MB)
    refusal("is too small")
    m.pull(4)
    used = m.insert(4, wait=False)
    m.pull(4)
    subprocess.run(["mke2fs", "-q", "-F", "-t", "ext4", used.path], check=True)
    m.insert(4, used)
    refusal("is not blank")
    m.sh("fmadm replace --force 'SLOT 04' 'SLOT 04'")
    resolved(rig, watch, case["uuid"])
    rig.equal(pool.status().vdev(used).state, "ONLINE", "the disk that a person named")
    m.wait(lambda: [v.state for v in pool.status().spares] == ["AVAIL"], 60, lambda: f"the spare back\n{pool.status()}", every=1)


@scenario("spare-fails", order=35, full=True)
def spare_fails(rig):
    """A spare that fails while it stands in for a disk is blamed itself, not that disk."""
    m, pool = rig.m, rig.pool
    watch, first = convicted_by_reads(rig, 4)
    pool.wait_state(4, "FAULTED", 330)
    m.sh("zpool sync tank")
    m.corrupt_data(7, chunks=30, seed=7)
    nothing_cached(rig)
    pool.read_all()
    case = m.wait(lambda: [c for c in watch.solved() if c["uuid"] != first["uuid"]], 90,
                  lambda: f"a second case\n{pool.status()}" + m.run("fmdump -e | tail -20").out, every=1)
    rig.equal([(c["code"], c["suspects"][0]["serial"], c["suspects"][0]["location"]) for c in case],
              [(CHECKSUM[1], m.disks[7].serial, "SLOT 07")], "the second case")
    m.wait(lambda: rig.enclosure.lit() == {4, 7}, 15, lambda: f"LEDs 4 and 7; lit: {rig.enclosure.lit()}")
    m.sh("sleep 15")  # that no spare is left must come with the first message, not in an update seconds later
    watch.told_exactly(3, 3)  # one of them: the first disk is safe to pull
    watch.untouched(1, 2, 3, 5, 6)


@scenario("pool-missing", order=61, full=True)
def pool_missing(rig):
    """A pool that does not come back after a boot is a Critical case until it is imported."""
    m, watch = rig.m, Watch(rig)
    rig.fmd.sooner("zfs-pools.toml", ("10min", "20s"))
    rig.fmd.enable()
    rig.fmd.restart()
    watch.wait_ready()
    rig.reboot()
    rig.check(not rig.pool.exists(), "no pool after the boot (the image imports none)")
    case = by_title(rig, watch, "ZFS pool was not imported at boot", 180)
    rig.equal((case["severity"], "tank" in case["description"]), ("Critical", True), "the case")
    rig.step("told")
    rig.pool.import_()
    resolved(rig, watch, case["uuid"])
    rig.mail.wait(2, 30)


@scenario("pool-exported", order=61, full=True)
def pool_exported(rig):
    """A pool exported while fmd-zfs was not running is not reported missing after a boot: its disks' labels show the export."""
    m, watch = rig.m, Watch(rig)
    # Not shorter: a busy emulated machine takes a minute to read the labels.
    rig.fmd.sooner("zfs-pools.toml", ("10min", "2min"))
    rig.fmd.enable()
    rig.fmd.restart()
    watch.wait_ready()
    rig.fmd.stop("fmd-zfs.service")
    rig.pool.export()
    rig.reboot()
    watch.wait_ready()
    m.wait(lambda: "was exported before this boot" in rig.fmd.journal("fmd-zfs.service"), 110,
           lambda: rig.fmd.journal("fmd-zfs.service", lines=30) + m.run(f"zdb -l {m.disks[1].by_id}-part1").out, every=1)
    m.sh("sleep 130", timeout=200)  # longer than the rule's hold
    rig.equal([c["title"] for c in watch.solved(True) if "imported" in c["title"]], [], "cases of a missing pool, ever")
    rig.pool.import_()
    m.wait(lambda: "tank" in m.run("fmtopo").out, 60, "the pool in fmd's picture", every=1)


@scenario("foretold", order=93, full=True, timeout=900)
def foretold(rig):
    """A drive predicts its failure and is replaced: the new one is used automatically; one mail once the data is rebuilt."""
    m, pool = rig.m, rig.pool
    bad, good = NVME_SLOTS
    pool.destroy()
    m.sh("modprobe nvme")
    for slot in NVME_SLOTS:
        m.insert_nvme(slot, size=256 * MB)
    ids = [f"/dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_NVME{slot:02}" for slot in (bad, good)]
    m.wait(lambda: m.run(f"udevadm settle; ls {' '.join(ids)}").ok, 60, "the drives", every=1)
    m.sh(f"zpool create -f -O compression=off tank mirror {' '.join(ids)} && udevadm settle")
    pool.fill(24)
    ignored = ", ".join(f'"{disk.serial}"' for disk in m.disks.values())
    rig.fmd.configure("smart.toml", f'interval = "5s"\nignore = [{ignored}]\n')
    rig.fmd.restart("fmd-smart.service")
    watch, light = Watch(rig), f"/sys/bus/pci/slots/{bad}/attention"
    m.warn_nvme(bad, RELIABILITY)
    case = m.wait(watch.solved, 90, "a case", every=1)[0]
    rig.step(f"{case['code']}: {case['title']}")
    rig.equal((case["suspects"][0]["serial"], case["suspects"][0]["location"]), (f"NVME{bad:02}", f"NVMe {bad}"), "suspect")
    m.wait(lambda: m.read(light).strip() == "1", 30, "the slot's attention light", every=1)
    rig.equal(pool.status().state, "ONLINE", "the pool: nothing is done yet")
    m.pull_nvme(bad)
    pool.touch()
    m.wait(lambda: "REMOVED" in pool.status().text or "UNAVAIL" in pool.status().text, 60, lambda: f"gone\n{pool.status()}", every=1)
    rig.step("pulled")
    m.insert_nvme(bad, serial="NVMENEW", size=256 * MB)
    resolved(rig, watch, case["uuid"])
    status = pool.status()
    rig.check(status.state == "ONLINE" and "NVMENEW" in status.text, f"the new drive in its place\n{status}")
    m.wait(lambda: m.read(light).strip() == "0", 30, "the light to go out", every=1)
    watch.told_exactly(2, 2)
