"""md arrays: how fmd reacts when the kernel's software RAID loses a disk."""

import json

from scenario import scenario
from scsi_debug import Debug
from watch import Watch


def bare_disks(rig, *slots):
    """Destroys the pool and empties these disks; returns their device names."""
    rig.m.sh("zpool destroy tank")
    for slot in slots:
        rig.m.disks[slot].empty()
    names = [rig.m.sh(f"readlink -f {rig.m.disks[slot].by_id}").strip() for slot in slots]
    rig.m.sh(f"for d in {' '.join(names)}; do blockdev --flushbufs $d; blockdev --rereadpt $d; done; udevadm settle")
    return names


def resources(rig, kind):
    return [r for r in rig.fmd.json("fmtopo --json") if r["type"] == kind and r["present"]]


def array(rig):
    return next((r["properties"] for r in resources(rig, "md-array")), {})


def members(rig):
    """State of each member by device name."""
    return {r["properties"]["name"]: r["properties"]["state"] for r in resources(rig, "md-member")}


def in_words(rig):
    return rig.m.run("cat /proc/mdstat; fmadm faulty; journalctl -u fmd-volumes -n 20 --no-pager").out


def make_mirror(rig, *slots):
    names = bare_disks(rig, *slots)
    rig.m.sh("modprobe raid1 && mdadm --create /dev/md0 --level=1 --raid-devices=2 --run --assume-clean --bitmap=none "
             f"--homehost=fmd-vm --name=backup {' '.join(names)} && udevadm settle")
    rig.m.wait(lambda: array(rig).get("health") == "optimal", 60, lambda: f"fmd to know the array\n{in_words(rig)}", every=1)
    return [name.removeprefix("/dev/") for name in names]


def write_something(rig):
    rig.m.run("dd if=/dev/urandom of=/dev/md0 bs=64k count=16 oflag=direct conv=notrunc")


@scenario("md-replace", order=97, timeout=900, always=True)
def md_replace(rig):
    """A mirror's disk fails writes: one case, its LED, one mail; the new disk in its bay is used automatically.
    The case closes after the rebuild."""
    first, second = make_mirror(rig, 1, 2)
    rig.equal(members(rig), {first: "in-sync", second: "in-sync"}, "members")
    rig.m.eio_on(2, reads=True, writes=True)
    rig.step(f"{second} fails its writes")
    write_something(rig)
    case = Watch(rig).case(2, "fault.md.member.faulty", "FMDL-8003-FJ")
    rig.step(case["description"])
    rig.m.wait(lambda: rig.enclosure.lit() == {2}, 30, lambda: f"LED 2 alone; lit: {rig.enclosure.lit()}", every=1)
    rig.check(rig.m.disks[2].serial in rig.mail.wait(1, 30)[0]["body"], "the serial in the mail")
    refusal = rig.m.run(f"fmadm retire {first}")
    rig.check(not refusal.ok and "last copy" in refusal.out + refusal.err, f"the last copy is not retired: {refusal}")

    rig.m.pull(2)
    rig.m.wait(lambda: members(rig).get(second) == "missing", 60, lambda: f"the pulled one to be missing\n{in_words(rig)}", every=1)
    rig.m.insert(2)
    rig.step("a blank disk in the same bay")
    rig.m.wait(lambda: "rebuilding" in members(rig).values() or array(rig).get("health") == "optimal", 120,
               lambda: f"the new disk to be taken in\n{in_words(rig)}", every=1)
    rig.step(rig.m.run("fmadm resilver").out)
    rig.m.wait(lambda: Watch(rig).now(case["uuid"])["state"] == "RESOLVED", 180, lambda: f"the case to end\n{in_words(rig)}", every=2)
    rig.equal(sorted(members(rig).values()), ["in-sync", "in-sync"], "members")
    rig.m.wait(lambda: not rig.enclosure.lit(), 30, "the LED off", every=1)
    rig.equal(Watch(rig).cases(), [], "open cases")
    last = rig.mail.wait(2, 30)[-1]
    rig.check("Resolved" in last["subject"], last["subject"])


@scenario("md-by-hand", order=98, timeout=900, full=True)
def md_by_hand(rig):
    """A disk failed by an administrator is left alone; fmd restores on request what it retired on request."""
    first, second = make_mirror(rig, 1, 2)
    rig.m.sh(f"fmadm retire {second}")
    rig.m.wait(lambda: members(rig).get(second) == "faulty", 30, lambda: in_words(rig), every=1)
    told = next(r["properties"] for r in resources(rig, "md-member") if r["properties"]["name"] == second)
    rig.check(told["by_fmd"] and told["retired_by"], f"whose doing it is: {json.dumps(told)}")
    rig.equal(Watch(rig).cases(), [], "cases about what a person ordered")
    rig.m.sh(f"fmadm restore {second}")
    rig.m.wait(lambda: members(rig) == {first: "in-sync", second: "in-sync"}, 120, lambda: in_words(rig), every=1)
    rig.step("failed by a person")
    rig.m.sh(f"mdadm /dev/md0 --fail /dev/{second}")
    Watch(rig).case(2, "fault.md.member.faulty", "FMDL-8003-FJ")
    rig.m.sh(f"mdadm /dev/md0 --remove /dev/{second} && wipefs -qa /dev/{second} && mdadm /dev/md0 --add /dev/{second}")
    rig.m.wait(lambda: not Watch(rig).cases(), 120, lambda: f"the case to end\n{in_words(rig)}", every=2)


@scenario("md-check", order=98, timeout=900, full=True)
def md_check(rig):
    """Mismatches found by a check are a case until a repair. A hot replacement retires the old disk for fmd, which can restore it."""
    names = bare_disks(rig, 1, 2, 3, 4)
    rig.m.sh("modprobe raid456 && mdadm --create /dev/md0 --level=5 --raid-devices=3 --spare-devices=1 --run --assume-clean --bitmap=none "
             f"{' '.join(names)} && udevadm settle && (dd if=/dev/urandom of=/dev/md0 bs=1M count=64 oflag=direct 2>/dev/null; "
             "echo repair > /sys/block/md0/md/sync_action; while ! grep -q idle /sys/block/md0/md/sync_action; do sleep 1; done)", timeout=300)
    rig.m.wait(lambda: array(rig).get("mismatch_sectors") == 0, 60, lambda: f"{array(rig)}", every=1)

    rig.m.disks[2].overwrite(20 << 20, 21 << 20, 1)
    rig.m.sh("echo check > /sys/block/md0/md/sync_action; while ! grep -q idle /sys/block/md0/md/sync_action; do sleep 1; done", timeout=300)
    rig.m.wait(lambda: Watch(rig).solved(), 60, lambda: f"{array(rig)}", every=1)
    rig.equal([c["class"] for c in Watch(rig).solved()], ["fault.md.array.mismatch"], "cases")
    rig.step(Watch(rig).solved()[0]["description"])
    rig.m.sh("echo repair > /sys/block/md0/md/sync_action")
    rig.m.wait(lambda: not Watch(rig).solved(), 120, lambda: f"the case to end; {array(rig)}", every=2)

    name = names[0].removeprefix("/dev/")
    rig.m.sh(f"fmadm retire --degraded {name}")
    rig.m.wait(lambda: members(rig).get(name) == "faulty" and array(rig)["health"] == "optimal", 120, lambda: in_words(rig), every=1)
    told = next(r["properties"] for r in resources(rig, "md-member") if r["properties"]["name"] == name)
    rig.check(told["by_fmd"], f"the end of the replacement is fmd's: {json.dumps(told)}")
    rig.equal(Watch(rig).cases(), [], "cases about what a person ordered")
    rig.m.sh(f"fmadm restore {name}")
    rig.m.wait(lambda: members(rig).get(name) == "spare", 60, lambda: in_words(rig), every=1)


MULTIPATH_CONF = """defaults { user_friendly_names yes
 find_multipaths no
 polling_interval 2
 max_polling_interval 2 }
blacklist { devnode ".*" }
blacklist_exceptions { device { vendor "Linux" product "scsi_debug" } devnode "^sd" }
blacklist { device { vendor "QEMU" } }
"""


def open_cases(rig):
    """Fault class and resource of each solved case."""
    return sorted((c["class"], c["suspects"][0]["resource"]) for c in Watch(rig).solved())


@scenario("multipath", order=99, timeout=900, full=True)
def multipath(rig):
    """Two paths to one disk under multipathd: the failing path gets the case, not the disk; without any path it is Critical."""
    disk = Debug(rig, hosts=2)
    rig.m.write("/etc/multipath.conf", MULTIPATH_CONF)
    rig.m.sh("modprobe dm-multipath && systemctl start multipathd && udevadm settle")

    def mapped():
        return next((r["properties"] for r in resources(rig, "multipath")), {})
    rig.m.wait(lambda: mapped().get("health") == "optimal", 60,
               lambda: f"fmd to know the map; {mapped()}\n{rig.m.run('multipath -ll; dmsetup status; fmadm config | grep -A2 volumes').out}", every=1)
    rig.equal((mapped()["paths"], mapped()["paths_missing"]), (2, 0), "its paths")
    paths = {r["properties"]["device"]: r["fmri"] for r in resources(rig, "path") if "multipath" in r["properties"]}
    rig.equal(sorted(paths), sorted(f"/dev/{name}" for name in disk.names), "paths that are told of")
    rig.step(rig.m.run("multipath -ll; dmsetup status").out)

    second = disk.names[1]
    rig.m.sh(f"echo offline > /sys/block/{second}/device/state")
    expected = [("fault.io.path.failed", paths[f"/dev/{second}"])]
    rig.m.wait(lambda: open_cases(rig) == expected, 150, lambda: f"{expected}; {open_cases(rig)}; {mapped()}", every=2)
    rig.step("one path: " + Watch(rig).solved()[0]["description"])
    rig.m.sh(f"echo running > /sys/block/{second}/device/state")
    rig.m.wait(lambda: not open_cases(rig), 60, lambda: f"the case to end; {open_cases(rig)}; {mapped()}", every=2)

    rig.step("no path at all")
    rig.m.sh("".join(f"echo offline > /sys/block/{name}/device/state; " for name in disk.names))
    rig.m.wait(lambda: "fault.io.multipath.no_path" in [c for c, _ in open_cases(rig)], 90, lambda: f"{open_cases(rig)}; {mapped()}", every=1)
    rig.m.sh("".join(f"echo running > /sys/block/{name}/device/state; " for name in disk.names))
    rig.m.wait(lambda: not open_cases(rig), 90, lambda: f"the cases to end; {open_cases(rig)}; {mapped()}", every=2)


@scenario("btrfs", order=100, timeout=900, full=True)
def btrfs(rig):
    """Garbage on one disk of a btrfs mirror is that disk's case; a disk that stays away is reported missing."""
    names = bare_disks(rig, 1, 2)
    rig.m.sh(f"modprobe btrfs && mkfs.btrfs -q -f -L home -d raid1 -m raid1 {' '.join(names)} && mount {names[0]} /srv && "
             "dd if=/dev/urandom of=/srv/file bs=1M count=40 conv=fsync 2>/dev/null && sync")
    rig.m.wait(lambda: len(resources(rig, "btrfs-device")) == 2, 60,
               lambda: f"fmd to know its devices; {rig.m.run('grep -r . /sys/fs/btrfs/*/devinfo').out}", every=1)
    rig.step(rig.m.run("ls /sys/fs/btrfs/*; grep -r . /sys/fs/btrfs/*/devinfo").out)
    rig.m.corrupt_data(2, chunks=40)
    rig.m.sh("echo 3 > /proc/sys/vm/drop_caches; btrfs scrub start -B /srv || true", timeout=300)
    rig.m.wait(lambda: Watch(rig).solved(), 60, lambda: rig.m.run("grep -r . /sys/fs/btrfs/*/devinfo/*/error_stats").out, every=1)
    case = Watch(rig).solved()[0]
    rig.equal([s["serial"] for s in case["suspects"]], ["DISK02G1"] * len(case["suspects"]), "whom it suspects")
    rig.equal(len(Watch(rig).solved()), 1, "cases")
    rig.step(case["description"])

    rig.m.sh("umount /srv")
    rig.m.pull(2)
    rig.m.sh(f"mount -o degraded {names[0]} /srv")
    rig.m.wait(lambda: "fault.fs.btrfs.device.missing" in str(Watch(rig).solved()), 240,
               lambda: rig.m.run("grep -r . /sys/fs/btrfs/*/devinfo; fmtopo -V | tail -40").out, every=3)
