"""What is not a fault, and what fmd must not do."""

from scenario import scenario
from watch import LOST_DATA, Watch, hold_scan, nothing_cached

IO = ("fault.fs.zfs.vdev.io", "ZFS-8000-FD")
SHARED = "fault.io.path.shared"
CHECKSUM = ("fault.fs.zfs.vdev.checksum", "ZFS-8000-GH")


@scenario("read-errors", order=30, always=True)
def read_errors(rig):
    """EIO on every read: fault.fs.zfs.vdev.io after the hold for a possible removal; the spare is used."""
    pool, m = rig.pool, rig.m
    nothing_cached(rig)
    watch = Watch(rig)
    m.eio_on(5)
    pool.scrub()
    rig.step("every read of slot 5 fails")
    case = watch.case(5, *IO, timeout=90)
    probe = (pool.ereports(5, "probe_failure") or pool.ereports(5, "io"))[0].at
    waited = case["solved"] / 1e9 - probe
    rig.check(15 <= waited <= 40, f"a wait of 15 s for a removal, not {waited:.1f} s")
    rig.step(f"convicted {waited:.1f} s after the kernel gave it up")
    m.wait(lambda: [v.state for v in pool.status().spares] == ["INUSE"], 60, lambda: f"the spare in\n{pool.status()}")
    m.wait(lambda: rig.enclosure.lit() == {5}, 10, "LED 5")
    watch.told_exactly(1, 1)


@scenario("shared-path", order=33, full=True, timeout=1200)
def shared_path(rig):
    """All disks of one controller fail: one case about that, no action on the disks. A disk that still fails gets its own case."""
    pool, m = rig.pool, rig.m
    pool.destroy()
    address = m.add_controller("scsi2")
    for slot in (5, 6):
        m.insert(slot, m.pull(slot), controller="scsi2")
    pool.create()
    pool.fill()
    rig.step(f"slots 5 and 6 are behind {address}")
    m.wait(lambda: m.disks[5].serial in m.run(f"fmtopo dev://pci={address} --json; fmtopo --graph dev://pci={address}").out
           or address in m.run(f"fmtopo --why {m.disks[5].serial}").out, 60, "the path to be known")
    nothing_cached(rig)
    watch = Watch(rig)
    for slot in (5, 6):
        m.eio_on(slot, writes=True)
    pool.scrub()
    case = m.wait(lambda: [c for c in watch.solved() if c["suspects"][0]["class"] == SHARED], 120,
                  lambda: f"the case\n{m.run('fmadm faulty -a -v').out}\n{pool.status()}", every=1)[0]
    rig.step(case["description"])
    rig.equal(case["suspects"][0]["resource"], f"dev://pci={address}", "who is accused")
    m.sh("sleep 60")  # by then any action on the disks would have happened
    rig.equal([c["uuid"] for c in watch.solved(True)], [case["uuid"]], "cases")
    rig.equal([v.state for v in pool.status().spares], ["AVAIL"], "the spare")
    rig.equal(rig.enclosure.lit(), set(), "fault LEDs")
    rig.equal(m.sh("fmadm actions --json").strip(), "[]", "what fmd has done")
    watch.told_exactly(1, 1)
    why = m.sh(f"fmadm why {case['uuid']}")
    rig.check("2 of 2 parts" in why and "Explained by it" in why, f"why\n{why}")

    rig.step("the cable is seated; slot 6 fails still")
    m.eio_off(5)
    m.sh(f"zpool clear {pool.name} {m.disks[5].by_id}")
    m.wait(lambda: watch.now(case["uuid"])["state"] == "RESOLVED", 120, lambda: m.run("fmadm faulty -a -v").out, every=2)
    own = m.wait(lambda: [c for c in watch.solved() if c["suspects"][0]["serial"] == m.disks[6].serial], 180,
                 lambda: f"its own case\n{m.run('fmadm faulty -a -v').out}", every=2)[0]
    rig.check(own["suspects"][0]["class"].startswith("fault.fs.zfs"), f"its class: {own['suspects'][0]['class']}")


def removed_without_a_word(rig, watch, disk):
    """No case, message or LED, for longer than the 15 s after which a fault would have become a case."""
    pool, m = rig.pool, rig.m
    m.wait(lambda: pool.status().vdev(disk).state == "REMOVED", 60, lambda: f"REMOVED\n{pool.status()}")
    m.sh("sleep 20")
    rig.equal(watch.solved(True), [], "cases")
    rig.equal(m.sh("fmadm faulty").strip(), "", "fmadm faulty")
    rig.equal(rig.enclosure.lit(), set(), "fault LEDs")
    watch.told_exactly(0, 0)


def back_without_a_word(rig, watch, disk):
    pool, m = rig.pool, rig.m
    m.wait(lambda: disk.serial in m.run("fmtopo --json").out, 15, "the disk to be known again")
    m.wait(lambda: pool.status().vdev(disk).state == "ONLINE", 60, lambda: f"ONLINE again by itself\n{pool.status()}", every=1)
    pool.wait_scan()
    rig.equal(watch.solved(True), [], "cases")
    watch.told_exactly(0, 0)


@scenario("removal", order=31, always=True)
def removal(rig):
    """A disk pulled without errors is a removal, not a fault; ZFS learns of it although nothing writes to the pool."""
    watch = Watch(rig)
    pulled = rig.m.pull(3)
    removed_without_a_word(rig, watch, pulled)
    rig.m.insert(3, pulled)
    back_without_a_word(rig, watch, pulled)


@scenario("removal-busy", order=32)
def removal_busy(rig):
    """The same during a write: ZFS gives up the disk before udev reports the removal (2.1: UNAVAIL, 2.3: FAULTED)."""
    pool, m = rig.pool, rig.m
    watch = Watch(rig)
    disk = m.disks[3]
    device = "/sys/block/" + m.sh(f"basename $(readlink -f {disk.by_id})").strip() + "/device"
    host = m.sh(f"readlink -f {device} | grep -o 'host[0-9]*' | head -1").strip()
    m.sh(f"echo offline > {device}/state; head -c 4M /dev/urandom > /{pool.name}/busy; zpool sync {pool.name}; echo 1 > {device}/delete")
    rig.step(f"gone while it was written: {pool.status().vdev(disk).state}")
    removed_without_a_word(rig, watch, disk)
    m.sh(f"echo '- - -' > /sys/class/scsi_host/{host}/scan")
    back_without_a_word(rig, watch, disk)


def refused(rig, watch, slot):
    case = watch.case(slot, *CHECKSUM)
    action = watch.wait_action(case["uuid"], "out-of-service", "refused", 120)
    rig.check("last copy" in action["detail"] or "redundan" in action["detail"], f"the reason: {action['detail']}")
    rig.step(action["detail"])
    rig.check(any("copy" in t["text"] or "redundan" in t["text"] for t in watch.now(case["uuid"])["timeline"]),
              "the reason on the timeline")
    rig.equal(rig.pool.state(slot), "DEGRADED", f"state of slot {slot}")
    return case


def lost(rig, watch, lit):
    m = rig.m
    m.wait(lambda: rig.enclosure.lit() == lit, 10, f"the LEDs {lit}")
    # Corruption of the last copy is data loss, which has its own case and message.
    m.wait(lambda: LOST_DATA in [s["class"] for c in watch.solved() for s in c["suspects"]], 60, "the case of lost data")
    watch.told_exactly(2, 2)


@scenario("no-redundancy", order=40)
def no_redundancy(rig):
    """Corruption on a pool without redundancy: a case, and the disk is only degraded; the spare receives what is readable."""
    pool, m = rig.pool, rig.m
    pool.destroy()
    pool.create(slots=(1, 2, 3), layout="")
    pool.fill(24)
    m.corrupt_data(2, chunks=40)
    nothing_cached(rig)
    watch = Watch(rig)
    pool.scrub()
    watch.case(2, *CHECKSUM)
    m.wait(lambda: [v.state for v in pool.status().spares] == ["INUSE"], 60, lambda: f"the spare in\n{pool.status()}")
    rig.equal(pool.state(2), "DEGRADED", "state of slot 2")
    lost(rig, watch, {2})


@scenario("last-good-copy", order=41)
def last_good_copy(rig):
    """Corruption on the last good copy of a degraded pool: a case; degraded, not taken out of service, with the reason."""
    pool, m = rig.pool, rig.m
    pool.destroy()
    pool.create(slots=(1, 2), layout="mirror", spare=None)
    pool.fill(24)
    m.corrupt_data(2, chunks=40)
    m.sh(f"zpool offline tank {m.disks[1].by_id}")
    nothing_cached(rig)
    watch = Watch(rig)
    pool.scrub()
    case = refused(rig, watch, 2)
    action = watch.wait_action(case["uuid"], "fault-led", "refused")  # it must not be pulled before the other one is back
    rig.check("another disk of its group is out" in action["detail"], f"the reason: {action['detail']}")
    lost(rig, watch, set())


@scenario("dark-led", order=42)
def dark_led(rig):
    """An LED that ignores writes is reported, and lit once it works."""
    pool, m = rig.pool, rig.m
    m.corrupt_data(4, chunks=40)
    nothing_cached(rig)
    rig.enclosure.ignore_leds(4)
    watch = Watch(rig)
    hold_scan(m, False)
    pool.scrub()
    case = watch.case(4, *CHECKSUM)
    action = watch.wait_action(case["uuid"], "fault-led", "failed")
    rig.check("cannot be driven" in action["detail"], f"the reason: {action['detail']}")
    rig.enclosure.ignore_leds()
    m.wait(lambda: rig.enclosure.lit() == {4}, 90, "the LED, now that it can be lit", every=1)
    rig.step("lit as soon as it could be")
