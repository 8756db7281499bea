"""The disk in bay 4: found, blamed, retired, replaced, resolved."""

from scenario import scenario
from watch import Watch, hold_scan, nothing_cached, scrub_held_at

CHECKSUM = ("fault.fs.zfs.vdev.checksum", "ZFS-8000-GH")


@scenario("story-scrub", order=20, always=True)
def story_scrub(rig):
    """Garbage that only a scrub finds: reported at once, retired when the scrub ends, then replaced."""
    pool, m = rig.pool, rig.m
    m.corrupt_data(4, chunks=40, seed=4)
    m.corrupt_data(2, chunks=3, seed=2)
    nothing_cached(rig)
    watch = Watch(rig)
    rig.step("slot 4 damaged in 40 places, slot 2 in 3; scrub")
    scrub_held_at(rig, 15)  # all of slot 2 and at least twelve of slot 4
    tenth = pool.ereports(4, "checksum")[9].at
    case = watch.case(4, *CHECKSUM)
    watch.told_in_time(case, 4, tenth, "the tenth ereport")
    rig.equal(watch.action(case["uuid"], "retire")["state"], "waiting", "retirement while the scrub runs")
    status = pool.status()
    rig.check("scrub in progress" in status.scan, f"a scrub in progress\n{status}")
    rig.equal((status.slot(4).state, [v.state for v in status.spares]), ("ONLINE", ["AVAIL"]), "while the scrub runs")
    rig.step("the scrub runs: not retired yet, no spare used")
    hold_scan(m, False)
    finish = m.wait(lambda: pool.events("sysevent.fs.zfs.scrub_finish"), 120, "the scrub's end", every=2)[0].at
    watch.retired_in_time(4, finish, "the scrub's end")
    watch.untouched(1, 2, 3, 5, 6)
    rig.check(1 <= len(pool.ereports(2, "checksum")) <= 9, "a few old errors on slot 2")
    rig.equal(rig.enclosure.lit(), {4}, "fault LEDs")
    rig.equal(m.sh(f"fmadm chassis draw --chassis {rig.enclosure.ID}").startswith("<?xml"), True, "the picture of the chassis, by the module that is installed")
    rig.equal(len(watch.solved(True)), 1, "cases ever")
    watch.told_exactly(2, 2)  # the second: safe to pull
    print(m.sh("fmadm faulty"))
    swap(rig, watch, case["uuid"], 4)


def swap(rig, watch, uuid, slot):
    """Pulls the disk and inserts a new one into the same slot."""
    pool, m = rig.pool, rig.m
    rig.check(m.run(f"fmadm locate on 'SLOT {slot:02}'").ok, "locate on")
    m.wait(lambda: rig.enclosure.lit("locate") == {slot}, 10, "the locate LED")
    m.sh(f"fmadm locate off 'SLOT {slot:02}'")
    hold_scan(m, True)
    m.pull(slot)
    rig.step("pulled")
    pool.touch()
    rig.equal(rig.enclosure.lit(), {slot}, "fault LED while the bay is empty")
    new = m.insert(slot)
    rig.step(f"{new.serial} put into slot {slot}")
    def progress():
        found = m.run("fmadm resilver --json")
        return found.ok and "replac" in found.out and found.out
    m.wait(progress, 60, lambda: f"the replacement in fmadm resilver\n{pool.status()}" + m.run("fmadm resilver; fmadm faulty -v").out)
    print(m.sh("fmadm resilver"))
    hold_scan(m, False)
    m.wait(lambda: watch.now(uuid)["state"] == "RESOLVED", 180,
           lambda: f"the case to be resolved\n{pool.status()}" + m.run("fmadm faulty -v").out)
    rig.step("resolved")
    m.wait(lambda: rig.enclosure.lit() == set(), 15, lambda: f"all LEDs off; lit: {rig.enclosure.lit()}")
    m.wait(lambda: [v.state for v in pool.status().spares] == ["AVAIL"], 30, lambda: f"the spare back\n{pool.status()}")
    watch.told_exactly(3, 3)
    mails = [(mail["subject"] + mail["body"]).lower() for mail in rig.mail.messages()]
    rig.check("you can pull" in " ".join(mails[1].split()), f"what the second mail says:\n{mails[1]}")
    rig.check("resolved" in mails[2], f"what the third mail says:\n{mails[2]}")
    rig.equal(m.sh("fmadm faulty").strip(), "", "fmadm faulty")
    rig.equal(pool.status().vdev(new).state, "ONLINE", "the new disk")
    rig.equal(pool.status().state, "ONLINE", "the pool")


@scenario("story-reads", order=21)
def story_reads(rig):
    """Garbage that reads find (prefetch off): reported, degraded and spared at once; FAULTED later."""
    pool, m = rig.pool, rig.m
    m.corrupt_data(4, chunks=30, seed=4)
    pool.prefetch(False)
    nothing_cached(rig)
    watch = Watch(rig)
    rig.step("slot 4 damaged in 30 places; reading all files")
    pool.read_all()
    m.wait(lambda: len(pool.ereports(4, "checksum")) >= 10, 60, "10 checksum ereports on slot 4", every=1)
    tenth = pool.ereports(4, "checksum")[9].at
    case = watch.case(4, *CHECKSUM)
    watch.told_in_time(case, 4, tenth, "the tenth ereport")
    watch.retired_in_time(4, tenth, "the tenth ereport")
    watch.untouched(1, 2, 3, 5, 6)
    rig.equal(len(watch.solved(True)), 1, "cases ever")
    watch.told_exactly(2, 2)  # the second: safe to pull
    swap(rig, watch, case["uuid"], 4)
