"""Tests the rig itself, without fmd: everything that the other scenarios rely on."""

from machine import PATIENCE
from scenario import scenario


@scenario("rig-enclosure", order=1, full=True, fmd=False)
def enclosure(rig):
    """Slots are linked to the right disks, follow pull and insert; LEDs read back."""
    box = rig.enclosure
    rig.step("each slot has the disk with its serial")
    for slot in range(1, 8):
        rig.equal(box.serial(slot), f"DISK{slot:02}G1", f"serial in slot {slot}")
        rig.equal(box.read(slot, "status"), "OK", f"status of slot {slot}")
    rig.equal(box.read(8, "status"), "not installed", "status of the empty bay")
    rig.equal(rig.m.read("/sys/class/enclosure/fakeses0/id").strip(), box.ID, "id of the enclosure")

    rig.step("LEDs are written and read back, one slot only")
    box.set_led(3, True)
    box.set_led(5, True, "locate")
    rig.equal((box.lit("fault"), box.lit("locate")), ({3}, {5}), "LEDs lit")
    box.set_led(3, False)
    rig.equal(box.lit(), set(), "fault LEDs lit after switching off")

    rig.step("LEDs that fail or ignore their writes stay dark, and no write fails")
    box.fail_leds(2)
    box.ignore_leds(4)
    for slot in (2, 4, 6):
        box.set_led(slot, True)
    rig.equal(box.lit(), {6}, "fault LEDs lit")

    rig.step("pull and insert")
    old = rig.m.pull(3)
    rig.m.wait(lambda: box.read(3, "status") == "not installed", PATIENCE, "slot 3 to be empty")
    rig.equal(box.serial(3), None, "serial in the empty slot")
    new = rig.m.insert(3)
    rig.equal((new.serial, box.serial(3)), ("DISK03G2", "DISK03G2"), "serial of the new disk")
    rig.m.pull(3)
    rig.m.insert(3, old)
    rig.equal(box.serial(3), "DISK03G1", "serial of the old disk, put back")


@scenario("rig-scrub", order=2, full=True, fmd=False)
def scrub(rig):
    """Damage found by a scrub causes checksum ereports while the vdev stays ONLINE."""
    pool = rig.pool
    pool.create()
    pool.fill()
    rig.step("pool made and filled")
    rig.equal([v.state for v in pool.status().spares], ["AVAIL"], "spares")
    rig.m.corrupt_data(4, chunks=40, seed=4)
    rig.m.corrupt_data(2, chunks=3, seed=2)
    pool.reimport()
    pool.clear_events()
    rig.step("slot 4 damaged in 40 places, slot 2 in 3; scrub")
    status = pool.scrub(wait=True)
    rig.step(status.scan.splitlines()[0])
    bad, few = pool.ereports(4, "checksum"), pool.ereports(2, "checksum")
    rig.step(f"checksum ereports: {len(bad)} on slot 4, {len(few)} on slot 2")
    rig.check(len(bad) >= 20, f"at least 20 ereports on slot 4, not {len(bad)}")
    rig.check(1 <= len(few) <= 9, f"1 to 9 ereports on slot 2, not {len(few)}")
    rig.equal({e.disk.slot for e in pool.ereports(kind="checksum") if e.disk}, {2, 4}, "slots with ereports")
    rig.equal(bad[0]["vdev_enc_sysfs_path"], "/sys/class/enclosure/fakeses0/SLOT 04", "slot in the ereport")
    rig.equal([pool.state(slot) for slot in (2, 4)], ["ONLINE", "ONLINE"], "states after the scrub")
    rig.equal([v.state for v in pool.status().spares], ["AVAIL"], "spares after the scrub")


@scenario("rig-reads", order=3, full=True, fmd=False)
def reads(rig):
    """With prefetch off, reads also cause checksum ereports."""
    pool = rig.pool
    pool.create()
    pool.fill()
    rig.m.corrupt_data(4, chunks=60)
    pool.prefetch(False)
    pool.reimport()
    pool.clear_events()
    rig.step("slot 4 damaged in 60 places; reading all files")
    job = pool.read_all()
    rig.m.wait(lambda: len(pool.ereports(4, "checksum")) >= 10, PATIENCE, "10 checksum ereports on slot 4", every=1)
    rig.check(job.wait(300).ok, "all files can be read")
    rig.step(f"{len(pool.ereports(4, 'checksum'))} checksum ereports")


@scenario("rig-replace", order=4, full=True, fmd=False)
def replace(rig):
    """A pulled disk is REMOVED without ereports; a new one in its slot resilvers."""
    pool, m = rig.pool, rig.m
    pool.create()
    pool.fill(16)
    pool.clear_events()
    old = m.pull(3)
    pool.touch()
    m.wait(lambda: pool.status().vdev(old).state == "REMOVED", PATIENCE, lambda: f"REMOVED\n{pool.status()}")
    rig.equal(pool.ereports(), [], "ereports of a removal")
    rig.step("pulled: REMOVED, no ereport")
    new = m.insert(3)
    m.sh(f"zpool replace -f tank {pool.status(guids=True).vdev(old).guid} {new.by_id}")
    status = pool.wait_scan()
    rig.equal(status.vdev(new).state, "ONLINE", "state of the new disk")
    rig.step(f"replaced: {status.scan.splitlines()[0]}")


@scenario("rig-eio", order=5, full=True, fmd=False)
def eio(rig):
    """Failing reads cause io ereports; if all fail, the kernel faults the disk."""
    pool, m = rig.pool, rig.m
    pool.create()
    pool.fill(16)
    pool.reimport()
    pool.clear_events()
    m.eio_on(5)
    rig.step("every read of slot 5 fails")
    pool.scrub()
    pool.wait_state(5, "FAULTED", PATIENCE)
    rig.check(pool.ereports(5, "io"), "io ereports on slot 5")
    rig.step(f"FAULTED, after {len(pool.ereports(5, 'io'))} io ereports")
    m.eio_off(5)
    pool.clear()
    status = pool.wait_scan()
    rig.equal(status.slot(5).state, "ONLINE", "state after healing and zpool clear")


@scenario("rig-sinks", order=6, full=True, fmd=False)
def sinks(rig):
    """Mail and notifications arrive; the mail sink can refuse and hold."""
    m = rig.m
    rig.mail.start()
    rig.traps.start()
    rig.step("mail accepted, refused, held")
    send = ("python3 -c \"import smtplib; s = smtplib.SMTP('127.0.0.1', 2525); "
            "s.sendmail('a@x', ['b@y'], 'Subject: {0}\\r\\n\\r\\nbody of {0}\\r\\n')\"")
    m.sh(send.format("one"))
    rig.mail.mode("refuse")
    rig.check(not m.run(send.format("two")).ok, "a refused mail fails")
    rig.mail.mode("hold")
    job = m.start_job(send.format("three"))
    m.wait(lambda: len(rig.mail.transcript()) >= 5, PATIENCE, "the held mail to be received")
    rig.equal(len(rig.mail.messages()), 1, "mails while one is held")
    rig.mail.mode("accept")
    rig.check(job.wait().ok, "the held mail is accepted in the end")
    found = rig.mail.wait(2, PATIENCE)
    rig.equal([(x["subject"], x["body"].strip()) for x in found],
              [("one", "body of one"), ("three", "body of three")], "mails")
    rig.step("notification")
    m.sh("snmptrap -v2c -c public -M /dev/null -m '' 127.0.0.1:1162 '' .1.3.6.1.4.1.8072.9999.1 "
         ".1.3.6.1.4.1.8072.9999.2 s 'disk \"4\", bad'")
    found = rig.traps.wait(1, PATIENCE)
    rig.equal(found[0]["oid"], ".1.3.6.1.4.1.8072.9999.1", "notification")
    rig.check("bad" in found[0]["values"][".1.3.6.1.4.1.8072.9999.2"], f"its text: {found[0]}")


@scenario("rig-reboot", order=7, full=True, fmd=False)
def reboot(rig):
    """The root file system and the disks survive a reboot and a power cut."""
    pool, m = rig.pool, rig.m
    pool.create()
    pool.fill(8)
    m.sh("echo kept > /var/lib/rig-test && sync")
    m.corrupt_data(1, 5)
    rig.reboot()
    rig.step("rebooted")
    rig.equal(m.read("/var/lib/rig-test").strip(), "kept", "a file after the reboot")
    pool.import_()
    rig.equal(pool.status().state, "ONLINE", "state of the pool after the reboot")
    m.crash()
    rig.step("cut off and booted")
    rig.equal(m.read("/var/lib/rig-test").strip(), "kept", "a file after the power cut")
    rig.equal(rig.enclosure.serial(7), "DISK07G1", "serial in slot 7")
