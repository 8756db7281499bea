"""Administrators' mistakes: wrong disk pulled, spare pulled, plugin disabled, own thresholds; and a pool that hangs."""

from scenario import scenario
from watch import Watch, nothing_cached

CHECKSUM = ("fault.fs.zfs.vdev.checksum", "ZFS-8000-GH")
CHOSEN = 2  # checksum errors, set through vdev properties (OpenZFS 2.2)


def in_words(rig):
    return rig.m.run("fmadm faulty -v; fmadm config").out + str(rig.pool.status())


def titled(rig, watch, title, timeout=60):
    return rig.m.wait(lambda: [c for c in watch.solved() if c["title"] == title], timeout,
                      lambda: f"a case {title!r}\n{in_words(rig)}", every=1)[0]


def resolved(rig, watch, uuid, timeout=180):
    rig.m.wait(lambda: watch.now(uuid)["state"] == "RESOLVED", timeout, lambda: f"the case to be resolved\n{in_words(rig)}", every=2)


def removed(rig, disk):
    rig.pool.touch()
    rig.m.wait(lambda: rig.pool.status().vdev(disk).state == "REMOVED", 60, lambda: f"REMOVED\n{rig.pool.status()}", every=1)


def blamed(rig, watch, slot):
    """A scrub blames this slot's disk; the spare has resilvered."""
    rig.m.corrupt_data(slot, chunks=40, seed=slot)
    nothing_cached(rig)
    rig.pool.scrub()
    case = watch.case(slot, *CHECKSUM, timeout=90)
    rig.m.wait(lambda: [v.state for v in rig.pool.status().spares] == ["INUSE"], 120, lambda: f"the spare in\n{rig.pool.status()}", every=1)
    rig.pool.wait_scan()
    return case


@scenario("wrong-disk", order=36, full=True, timeout=900)
def wrong_disk(rig):
    """Pulling another disk than the case names is reported until it is back. A disk that dies in its bay is not reported so."""
    m, watch = rig.m, Watch(rig)
    first = blamed(rig, watch, 4)
    rig.step("slot 4 is to be exchanged")
    disk = m.pull(2)
    removed(rig, disk)
    case = titled(rig, watch, "The wrong disk was pulled")
    suspect = case["suspects"][0]
    rig.equal((case["severity"], suspect["serial"], suspect["location"]), ("Major", disk.serial, "SLOT 02"), "the case")
    rig.check(m.disks[4].serial in case["description"], f"the one that was meant is named: {case['description']}")
    m.insert(2, disk)
    m.wait(lambda: rig.pool.status().vdev(disk).state == "ONLINE", 60, lambda: f"ONLINE\n{rig.pool.status()}", every=1)
    rig.pool.wait_scan()
    resolved(rig, watch, case["uuid"])
    rig.step("put back, and over")
    rig.enclosure.filled(3)
    dead = m.pull(3)
    removed(rig, dead)
    died = titled(rig, watch, "Disk no longer responds", 120)
    rig.equal(died["suspects"][0]["serial"], dead.serial, "the one that died")
    rig.equal(len([c for c in watch.solved(True) if c["title"] == case["title"]]), 1, "cases of a wrong disk, ever")
    rig.equal(watch.now(first["uuid"])["state"] == "RESOLVED", False, "the first case is over")


@scenario("spare-pulled", order=37, full=True)
def spare_pulled(rig):
    """A pulled idle hot spare is a Minor case without an LED until it is back."""
    m = rig.m
    rig.fmd.sooner("zfs.toml", ("2min", "10s"))
    rig.fmd.restart("fmd.service")
    watch = Watch(rig)
    watch.wait_ready()
    disk = m.pull(7)
    case = titled(rig, watch, "Hot spare cannot be used", 120)
    suspect = case["suspects"][0]
    rig.equal((case["severity"], suspect["serial"], suspect["location"]), ("Minor", disk.serial, "SLOT 07"), "the case")
    rig.equal(rig.enclosure.lit(), set(), "fault LEDs")
    watch.untouched(1, 2, 3, 4, 5, 6)
    m.insert(7, disk)
    resolved(rig, watch, case["uuid"])
    watch.told_exactly(2, 2)


@scenario("pool-hangs", order=62, full=True, timeout=900)
def pool_hangs(rig):
    """A hanging pool is a Critical case until it runs again, and another pool is monitored as before."""
    m, watch = rig.m, Watch(rig)
    m.sh(f"zpool remove tank {m.disks[7].by_id} && udevadm settle")  # or udev may be making the link again while it is opened
    m.sh(f"zpool create -f -O compression=off sick {m.disks[7].by_id} && udevadm settle", timeout=120)
    disk = m.pull(7)
    m.start_job("dd if=/dev/urandom of=/sick/file bs=1M count=8; zpool sync sick")
    case = titled(rig, watch, "ZFS pool is suspended", 120)
    rig.equal((case["severity"], "sick" in case["description"]), ("Critical", True), "the case")
    rig.step("told")
    m.corrupt_data(4, chunks=40)
    m.sh("zpool scrub tank")  # no export before: it may wait for the hanging pool
    other = m.wait(lambda: [c for c in watch.solved() if c["code"] == CHECKSUM[1]], 180, lambda: f"the case of slot 4\n{in_words(rig)}", every=2)
    rig.equal([s["serial"] for s in other[0]["suspects"]], [m.disks[4].serial], "whom it blames")
    rig.step("the other pool is watched as before")
    m.insert(7, disk)
    m.sh("zpool clear sick", timeout=120)
    resolved(rig, watch, case["uuid"])


@scenario("chosen-count", order=38, full=True)
def chosen_count(rig):
    """checksum_n set on a vdev is the threshold for its case; without it the same number of errors is no case."""
    m, pool = rig.m, rig.pool
    vdev = m.disks[4].by_id
    chooses = m.run(f"zpool set checksum_n={CHOSEN} tank {vdev} && zpool set checksum_t=3600 tank {vdev}").ok
    rig.fmd.restart("fmd-zfs.service")
    watch = Watch(rig)
    watch.wait_ready()
    rig.equal("checksum_n" in m.run("fmtopo --json").out, chooses, "fmd knows the vdev's own number")
    m.corrupt_data(4, chunks=CHOSEN + 2)
    nothing_cached(rig)
    pool.scrub(wait=True)
    found = len(pool.ereports(4, "checksum"))
    rig.check(CHOSEN <= found < 10, f"errors between the chosen number and ten, not {found}: {pool.status()}")
    if chooses:
        case = watch.case(4, *CHECKSUM)
        rig.step(f"{found} errors, {CHOSEN} were enough: {case['description']}")
        return
    m.sh("sleep 20")
    rig.equal([c["title"] for c in watch.solved() if c["code"] == CHECKSUM[1]], [], f"cases after {found} errors, where ten are needed")


@scenario("plugin-disabled", order=63, full=True, timeout=900)
def plugin_disabled(rig):
    """A permanently disabled plugin stops no other and is no case, also after a reboot."""
    m, watch = rig.m, Watch(rig)
    rig.fmd.enable()
    m.sh("systemctl disable --now fmd-enclosure.service")
    rest = ("fmd.service", "fmd-zfs.service", "fmd-disk.service", "fmd-smart.service", "fmd-mail.service")
    rig.fmd.wait_active(*rest)
    m.wait(lambda: "fmd-enclosure.service is disabled" in m.run("fmadm config").out, 90, lambda: m.run("fmadm config").out, every=2)
    rig.reboot()
    rig.fmd.wait_active(*rest, timeout=180)
    rig.check(not rig.fmd.active("fmd-enclosure.service"), "fmd-enclosure stays switched off")
    m.sh("sleep 60")  # longer than the time a plugin has to reconnect
    rig.equal([c["title"] for c in watch.solved(True) if "plugin" in c["title"]], [], "cases about plugins, ever")
