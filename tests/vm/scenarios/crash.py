"""kill -9 of fmd at every step, and a reboot: the same result, nothing lost, no message twice."""

from scenario import scenario
from watch import Watch, hold_scan, nothing_cached, scrub_held_at

CHECKSUM = ("fault.fs.zfs.vdev.checksum", "ZFS-8000-GH")


def kill(rig, watch, when, undelivered=()):
    before = rig.m.sh("systemctl show -p MainPID --value fmd.service").strip()
    rig.fmd.kill()
    rig.m.wait(lambda: rig.m.sh("systemctl show -p MainPID --value fmd.service").strip() not in ("0", before), 30,
               "systemd to start fmd again", every=1)
    rig.fmd.wait_active("fmd.service")
    watch.wait_ready(undelivered)
    rig.step(f"kill -9 of fmd {when}")


@scenario("kill-9", order=50)
def kill_9(rig):
    """kill -9 before diagnosis, before the command, before the mail, before the ack."""
    pool, m = rig.pool, rig.m
    m.corrupt_data(4, chunks=3, seed=1)
    nothing_cached(rig)
    watch = Watch(rig)
    rig.mail.mode("refuse")
    pool.scrub(wait=True)
    first = len(pool.ereports(4, "checksum"))
    rig.check(1 <= first <= 9, f"1 to 9 ereports by the first scrub, not {first}")
    rig.equal(watch.cases(), [], f"cases after {first} ereports")
    kill(rig, watch, f"before diagnosis, with {first} of 10 ereports counted")

    pool.export()
    m.corrupt_data(4, chunks=12, seed=2)
    pool.import_()
    watch.wait_ready()
    # A stopped fmd reads nothing, so what the plugin sends now is neither stored nor acknowledged before the kill.
    m.sh("systemctl kill -s STOP fmd.service")
    scrub_held_at(rig, 10)
    second = len(pool.ereports(4, "checksum")) - first
    kill(rig, watch, f"before the ack of {second} more ereports", ["mail"])
    case = watch.case(4, *CHECKSUM)
    oldest = min(e["time"] for e in case["evidence"]) / 1e9
    rig.check(oldest < pool.events("sysevent.fs.zfs.scrub_start")[1].at, "evidence of before the first crash")
    rig.step(f"{first} + {second} ereports: those of before the crash count")
    kill(rig, watch, "before the command (the retirement waits for the scrub), before the mail (refused so far)", ["mail"])
    rig.equal([c["uuid"] for c in watch.solved(True)], [case["uuid"]], "the case after the crash")

    rig.mail.mode("hold")
    m.wait(lambda: any(line["state"] == "received" for line in rig.mail.transcript()[-2:]), 60, "the mail to be under way", every=1)
    kill(rig, watch, "before the ack of the mail", ["mail"])
    rig.mail.mode("accept")
    hold_scan(m, False)
    pool.wait_state(4, "FAULTED", 330)
    m.wait(lambda: rig.enclosure.lit() == {4}, 30, lambda: f"LED 4; lit: {rig.enclosure.lit()}")
    kill(rig, watch, "when all was done")
    rig.equal([c["uuid"] for c in watch.solved(True)], [case["uuid"]], "cases at the end")
    rig.equal([v.state for v in pool.status().spares], ["INUSE"], "spares")
    m.wait(lambda: not [o for o in watch.outbox() if o["state"] != "delivered"], 60,
           lambda: f"an empty outbox; it holds {watch.outbox()}", every=1)
    watch.told_exactly(2, 2)  # the second: safe to pull
    watch.untouched(1, 2, 3, 5, 6)


@scenario("reboot", order=60)
def reboot(rig):
    """After a reboot of the guest the fault is still known and the LED is lit again."""
    pool, m = rig.pool, rig.m
    m.corrupt_data(4, chunks=40)
    nothing_cached(rig)
    watch = Watch(rig)
    rig.fmd.enable()
    pool.scrub()
    case = watch.case(4, *CHECKSUM)
    pool.wait_state(4, "FAULTED", 330)
    rig.mail.wait(1)
    rig.reboot()
    if not pool.exists():
        pool.import_()
    rig.step("rebooted")
    watch.wait_ready()
    rig.equal([c["uuid"] for c in watch.cases()], [case["uuid"]], "open cases after the reboot")
    m.wait(lambda: rig.enclosure.lit() == {4}, 30, lambda: f"LED 4 lit again; lit: {rig.enclosure.lit()}")
    rig.equal(pool.state(4), "FAULTED", "state of slot 4")
    watch.told_exactly(2, 2)  # the second: safe to pull
