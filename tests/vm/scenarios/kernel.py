"""Kernel errors of a failing disk without ZFS: the disk or its path is blamed. The disk is the kernel's scsi_debug with two hosts: one
disk, two paths."""

import json

from scenario import scenario
from scsi_debug import MEDIUM, TIMEOUT, TRANSPORT, Debug

BAD_SECTOR = 0x1234  # where scsi_debug has bad sectors (medium_error_start)
FLAKEY = "0 131072 flakey /dev/{0} 0 0 1"  # dm-flakey: always failing


def cases_of(rig, fault):
    return [c for c in rig.fmd.json("fmadm faulty --json") if c["state"] != "UNSOLVED" and c["class"] == fault]


def suspects(case):
    return sorted(s["resource"] for s in case["suspects"])


def events(rig, event_class):
    return [json.loads(line) for line in rig.m.sh(f"fmdump -e --json -c '{event_class}'").splitlines()]


@scenario("kernel-errors", order=95, timeout=900, always=True)
def kernel_errors(rig):
    """A medium error blames the disk; transport errors and time-outs on one of two paths blame that path, never the disk."""
    disk = Debug(rig, hosts=2)
    first, second = disk.names
    paths = {r["properties"]["device"]: r["fmri"] for r in rig.fmd.json("fmtopo --json")
             if r["type"] == "path" and r["present"]}
    rig.equal(sorted(paths), [f"/dev/{first}", f"/dev/{second}"], "its two paths")

    rig.step("transport errors on the second path")
    disk.read(second, 800, 10, TRANSPORT)
    rig.m.wait(lambda: cases_of(rig, "fault.io.path.errors"), 90, lambda: f"a case; events: {events(rig, 'ereport.disk.*')}", every=1)
    case = cases_of(rig, "fault.io.path.errors")[0]
    rig.equal(suspects(case), [paths[f"/dev/{second}"]], "whom it suspects")
    rig.step(case["description"])

    rig.step("no answers on the first path")
    disk.misbehave(TIMEOUT)
    reading = disk.reading(first, 1600)  # ends only after the kernel has tried all recovery steps
    rig.m.wait(lambda: cases_of(rig, "fault.io.path.timeouts"), 120, lambda: f"a case; events: {events(rig, 'ereport.disk.*')}", every=1)
    disk.misbehave(0)
    reading.wait(120)
    rig.equal(suspects(cases_of(rig, "fault.io.path.timeouts")[0]), [paths[f"/dev/{first}"]], "whom it suspects")
    # The log has no line for a retried request; only the trace shows each.
    rig.check([e for e in events(rig, "ereport.disk.path.timeout") if e["payload"]["text"] == "no answer"],
              f"a time-out told by the kernel's trace: {events(rig, 'ereport.disk.path.timeout')}")
    accused = [c for c in rig.fmd.json("fmadm faulty --json") if disk.fmri in suspects(c)]
    rig.equal(accused, [], "cases about the disk itself")

    rig.step("a sector that cannot be read, over the second path")
    disk.read(second, BAD_SECTOR, 1, MEDIUM)
    rig.m.wait(lambda: cases_of(rig, "fault.io.disk.unreadable"), 30, lambda: f"a case; events: {events(rig, 'ereport.disk.*')}", every=1)
    case = cases_of(rig, "fault.io.disk.unreadable")[0]
    rig.equal(suspects(case), [disk.fmri], "whom it suspects")
    told = events(rig, "ereport.disk.io.medium")
    rig.equal(len(told), 1, "events of the medium")
    rig.equal(told[0]["payload"]["sector"], BAD_SECTOR, "the sector")
    rig.check(not [c for c in rig.fmd.json("fmadm faulty --json") if c["class"].startswith("fault.fs.zfs")], "no case of ZFS")


@scenario("kernel-filesystem", order=96, timeout=600, full=True)
def kernel_filesystem(rig):
    """ext4 on failing device-mapper (dm-flakey): the file system gets a case, and no disk is blamed."""
    disk = Debug(rig, hosts=1)
    name = disk.names[0]
    rig.m.sh(f"modprobe dm-flakey && echo '0 131072 linear /dev/{name} 0' | dmsetup create shaky && udevadm settle && "
             "mkfs.ext4 -q -N 2048 /dev/mapper/shaky && mkdir -p /srv && mount /dev/mapper/shaky /srv && "
             "mkdir /srv/a && for i in $(seq 200); do mkdir /srv/a/$i; done")
    # Remount: blocks that are still in the journal stay in memory even if caches are dropped.
    rig.m.sh("umount /srv && mount -o errors=continue /dev/mapper/shaky /srv")
    rig.m.wait(lambda: [r for r in rig.fmd.json("fmtopo --json") if r["type"] == "filesystem" and r["present"]
                        and r["properties"]["name"] == "/srv"], 60, "fmd to know the file system", every=2)
    rig.m.sh(f"dmsetup suspend --nolockfs shaky && echo '{FLAKEY.format(name)}' | dmsetup reload shaky && dmsetup resume shaky && "
             "echo 3 > /proc/sys/vm/drop_caches && (ls -lR /srv >/dev/null 2>&1; true)")
    rig.m.wait(lambda: cases_of(rig, "fault.fs.kernel.errors"), 90, lambda: f"a case\n{rig.m.run('dmesg | tail -20').out}", every=1)
    case = cases_of(rig, "fault.fs.kernel.errors")[0]
    rig.check("/srv" in case["description"], case["description"])
    rig.equal([c for c in rig.fmd.json("fmadm faulty --json") if disk.fmri in suspects(c)], [], "cases about the disk")
