"""What several disks share fails: slowly, beside ZED, or in a box without bays; and what fmd takes back when it knows."""

from scenario import scenario
from watch import LOST_DATA, Watch, hold_scan, nothing_cached, resolved

SHARED = "fault.io.path.shared"


def behind(rig, controllers):
    """Moves disks behind further controllers, {"name": slots}, and makes the pool anew; returns their PCI addresses by name. fmd does not
    see that: to it, disks that have just been moved are disks that were away."""
    m = rig.m
    rig.fmd.stop()
    rig.pool.destroy()
    addresses = {}
    for port, (name, slots) in zip((11, 12), controllers.items()):
        addresses[name] = m.add_controller(name, port)
        for slot in slots:
            m.insert(slot, m.pull(slot), controller=name)
    rig.pool.create()
    rig.pool.fill()
    rig.fmd.start()
    for name, slots in controllers.items():
        for slot in slots:
            m.wait(lambda: addresses[name] in m.run(f"fmtopo --why {m.disks[slot].serial}").out, 60, f"the path to slot {slot} to be known")
    rig.step(f"behind controllers: {addresses}")
    nothing_cached(rig)
    return addresses


def everything(rig):
    return rig.m.run("fmadm faulty -a -v").out + str(rig.pool.status())


def cause(rig, watch, timeout):
    return rig.m.wait(lambda: [c for c in watch.solved() if c["suspects"][0]["class"] == SHARED], timeout,
                      lambda: f"the case of the shared part\n{everything(rig)}", every=1)[0]


def nothing_done(rig, spares=("AVAIL",)):
    rig.equal([v.state for v in rig.pool.status().spares], list(spares), "spares")
    rig.m.wait(lambda: rig.enclosure.lit() == set(), 30, lambda: f"no fault LED; lit: {rig.enclosure.lit()}")


@scenario("slow-domino", order=34, full=True, timeout=1500)
def slow_domino(rig):
    """Disks behind one of two controllers fail 20 s apart: in the end that controller is accused, and no disk."""
    m = rig.m
    addresses = behind(rig, {"left": (1, 2, 3), "right": (4, 5, 6)})
    watch = Watch(rig)
    for slot in (4, 5, 6):
        m.eio_on(slot, writes=True)
        m.run("timeout 15 zpool sync tank")  # ZFS notices, and may then suspend the pool
        m.sh("sleep 20")
        rig.step(f"slot {slot} fails")
    case = cause(rig, watch, 300)
    rig.equal(case["suspects"][0]["resource"], f"dev://pci={addresses['right']}", "who is accused")
    m.wait(lambda: [c["uuid"] for c in watch.solved() if c["suspects"][0]["class"] != LOST_DATA and c["severity"] != "Critical"] == [case["uuid"]],
           180, lambda: f"no other case open\n{everything(rig)}", every=2)
    for slot in (1, 2, 3):
        rig.check(not [c for c in watch.solved(True) if c["suspects"][0]["serial"] == m.disks[slot].serial], f"no case about slot {slot}")
    nothing_done(rig)


@scenario("zed-and-controller", order=81, full=True, timeout=1200)
def zed_and_controller(rig):
    """A controller returns wrong data beside zfs-zed: one case about it, none about its disks, whatever ZED does to them."""
    m, pool = rig.m, rig.pool
    addresses = behind(rig, {"liar": (5, 6)})
    m.sh("systemctl unmask zfs-zed; systemctl start zfs-zed", timeout=60)
    watch = Watch(rig)
    m.wait(lambda: "zed" in m.sh("fmadm config").lower(), 150, "fmadm config to say that zed runs", every=1)
    pool.prefetch(False)
    for slot in (5, 6):
        m.corrupt_data(slot, chunks=40, seed=slot)
    nothing_cached(rig)
    pool.read_all()
    rig.step("both disks have returned garbage")
    case = cause(rig, watch, 300)
    rig.equal(case["suspects"][0]["resource"], f"dev://pci={addresses['liar']}", "who is accused")
    m.sh("sleep 60")  # by then ZED has acted
    own = [c for c in watch.solved() if c["uuid"] != case["uuid"] and c["suspects"][0]["class"] != LOST_DATA]
    rig.equal(own, [], "other cases")
    rig.equal(m.sh("fmadm actions --json").strip(), "[]", "what fmd has done")
    m.run("systemctl stop zfs-zed")


@scenario("all-leave", order=35, full=True, timeout=1200)
def all_leave(rig):
    """All disks of a box whose bays are unknown leave at once: one case about what they share, none about hands or single disks."""
    m = rig.m
    addresses = behind(rig, {"box": (4, 5, 6)})
    m.sh("systemctl stop fmd-enclosure; rmmod fakeses; systemctl restart fmd fmd-zfs fmd-disk", timeout=120)
    m.wait(lambda: addresses["box"] in m.run(f"fmtopo --why {m.disks[4].serial}").out, 120, "the path to be known again")
    watch = Watch(rig)
    serials = {slot: m.disks[slot].serial for slot in (4, 5, 6)}
    for slot in (4, 5, 6):
        m.pull(slot)
    rig.step("slots 4 to 6 have left")
    m.run("timeout 15 zpool sync tank")
    case = cause(rig, watch, 240)
    rig.equal(case["suspects"][0]["resource"], f"dev://pci={addresses['box']}", "who is accused")
    m.sh("sleep 60")
    single = [c for c in watch.solved() if c["suspects"][0]["serial"] in serials.values()]
    rig.equal(single, [], "cases about single disks")
    rig.equal([v.state for v in rig.pool.status().spares], ["AVAIL"], "spares")


@scenario("superseded-while-resilvering", order=36, full=True, timeout=1500)
def superseded_while_resilvering(rig):
    """A disk's spare resilvers when the fault proves to be its controller's: superseded, LED off, spare given back."""
    m, pool = rig.m, rig.pool
    addresses = behind(rig, {"bad": (4, 5)})
    watch = Watch(rig)
    hold_scan(m, True)
    m.eio_on(4, writes=True)
    pool.touch()
    first = m.wait(lambda: [c for c in watch.solved() if c["suspects"][0]["serial"] == m.disks[4].serial], 240,
                   lambda: f"the first disk's own case\n{everything(rig)}", every=1)[0]
    m.wait(lambda: [v.state for v in pool.status().spares] == ["INUSE"], 300, lambda: f"the spare in\n{everything(rig)}", every=1)
    rig.step("accused; the spare is in and cannot become full")
    m.eio_on(5, writes=True)
    pool.touch()
    case = cause(rig, watch, 300)
    rig.equal(case["suspects"][0]["resource"], f"dev://pci={addresses['bad']}", "who is accused")
    resolved(rig, watch, first["uuid"], 120)
    m.wait(lambda: [v.state for v in pool.status().spares] == ["AVAIL"], 120, lambda: f"the spare given back\n{everything(rig)}", every=1)
    nothing_done(rig)
    hold_scan(m, False)
