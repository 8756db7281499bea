"""The hardware's layout: which disk is in which bay; and what a drive reports about itself."""

import json
import os
import re

from scenario import scenario
from machine import NVME_SLOTS, SATA_PORTS
from watch import Watch

HEARD = "/run/udev-heard"
# Seconds from udev's event until fmd knows the disk, and until fmtopo shows it in its bay. Less than fmd-enclosure's poll interval (10
# s), so it proves that the event triggered the update.
NOTICED = 8
SPARE_LOW = 1 << 0  # NVMe critical warning: available spare below threshold


class Topology:
    """A snapshot of fmtopo's output."""

    def __init__(self, rig):
        self.all = {r["fmri"]: r for r in rig.fmd.json("fmtopo --json") if r["present"]}

    def disk(self, serial):
        """The one disk with this serial number, or None."""
        found = [r for r in self.all.values() if r["type"] == "disk" and r["properties"].get("serial") == serial]
        assert len(found) < 2, f"{serial} is there {len(found)} times: {found}"
        return found[0] if found else None

    def bays(self):
        """The serial numbers of the disks in the bays, by the bay's label."""
        found = {}
        for bay in self.all.values():
            if bay["type"] != "bay":
                continue
            for edge in bay["edges"]:
                disk = self.all.get(edge["to"])
                if edge["relation"] == "contains" and disk and disk["type"] == "disk":
                    found.setdefault(bay["properties"]["label"], []).append(disk["properties"]["serial"])
        return found


def bare(rig):
    """Destroys the pool, so that any disk may be pulled."""
    rig.m.sh("zpool destroy tank")
    rig.m.settle()


def plug_in(rig, label, serial, act):
    """Calls act(), which plugs in a disk, and waits in the guest until fmtopo shows it in this bay. All times are the guest's clock."""
    # No queries before fmd knows the disk: polling keeps the guest busy.
    job = rig.m.start_job(f"udevadm monitor --udev --subsystem-match=block > {HEARD} 2>&1 & heard=$!; "
                          f"exec 3< <(exec fmdump -e -f --json -c sysevent.disk.added -t \"$(date '+%F %T')\" 2> /dev/null); told=$!; grep -qm1 {serial} <&3; "
                          f"until fmtopo '{label}' | grep {serial} | grep -qv 'not present'; do sleep 0.2; done; date +%s.%N; kill $heard $told", 90)
    rig.m.settle()
    before = rig.m.now()
    act()
    result = job.wait(90)
    rig.check(result.ok, lambda: f"{serial} in {label}; the bays: {Topology(rig).bays()}\n{rig.fmd.journal(lines=20)}")
    seen, name = float(result.out), os.path.basename(Topology(rig).disk(serial)["properties"]["path"])
    # When udev announced the device, in time since boot. (USEC_INITIALIZED is the end of its processing; since systemd 257, the
    # beginning.)
    heard = re.findall(rf"^UDEV +\[([0-9.]+)\] add +\S*/{name} ", rig.m.read(HEARD), re.M)
    rig.check(heard, lambda: f"udev's word of {name}: {rig.m.read(HEARD)}")
    told = float(heard[-1]) + float(rig.m.sh("python3 -c 'import time; print(time.time() - time.monotonic())'"))
    events = [json.loads(line) for line in rig.m.sh("fmdump -e --json -c sysevent.disk.added").splitlines()]
    noticed = [e["received"] / 1e9 for e in events if e["payload"]["serial"] == serial][-1]
    rig.step(f"{serial} ({name}): udev's word +{told - before:.2f} s after device_add; after that fmd knows of it +{noticed - told:.2f} s, "
             f"and fmtopo shows it in {label} +{seen - told:.2f} s")
    # fmd's own polling may find it before udev has finished.
    rig.check(before < min(told, noticed, seen), f"plugged in before it was known: {before}, {told}, {noticed}, {seen}")
    rig.check(noticed - told <= NOTICED, f"{serial} known within {NOTICED} s, not {noticed - told:.1f} s")
    # Polling delays the test's view by one or two polls, each of which is slow on a busy machine.
    look = float(rig.m.sh(f"began=$(date +%s.%N); fmtopo '{label}' | grep -q {serial}; echo $(date +%s.%N) $began | awk '{{ print $1 - $2 }}'"))
    rig.check(seen - told <= NOTICED + 2 * look, f"{serial} in its bay within {NOTICED} s, not {seen - told:.1f} s (a look takes {look:.1f} s)")


@scenario("bays", order=90, always=True)
def bays(rig):
    """SCSI, SATA and NVMe disks are in the right bays; hot plug is seen at once; a moved disk keeps its identity."""
    m = rig.m
    bare(rig)
    expected = {f"SLOT {slot:02}": [disk.serial] for slot, disk in m.disks.items()}
    rig.equal(Topology(rig).bays(), expected, "bays at first")

    m.sh("modprobe nvme")
    m.settle()
    plug_in(rig, "SLOT 08", "DISK08G1", lambda: m.insert(8, wait=False))
    for slot in NVME_SLOTS:
        plug_in(rig, f"NVMe {slot}", f"NVME{slot:02}", lambda: m.insert_nvme(slot))
    m.sh("modprobe ahci")
    expected["SLOT 08"] = ["DISK08G1"]
    expected.update({f"SATA {port}": [m.sata[port].serial] for port in SATA_PORTS})
    expected.update({f"NVMe {slot}": [f"NVME{slot:02}"] for slot in NVME_SLOTS})
    m.wait(lambda: Topology(rig).bays() == expected, 30, lambda: f"bays {expected}; found: {Topology(rig).bays()}", every=1)
    rig.step(f"{len(expected)} disks in their bays: 8 SCSI, {len(SATA_PORTS)} SATA, {len(NVME_SLOTS)} NVMe")

    before = Topology(rig).disk("DISK03G1")["fmri"]
    disk = m.pull(3)
    m.wait(lambda: "SLOT 03" not in Topology(rig).bays(), 20, "SLOT 03 to be empty", every=1)
    m.pull(8)
    m.wait(lambda: "SLOT 08" not in Topology(rig).bays(), 20, "SLOT 08 to be empty", every=1)
    plug_in(rig, "SLOT 08", "DISK03G1", lambda: m.insert(8, disk, wait=False))
    rig.step("DISK03G1 moved from SLOT 03 to SLOT 08")
    now = Topology(rig)
    rig.equal(now.disk("DISK03G1")["fmri"], before, "FMRI of the disk that moved")
    del expected["SLOT 03"]
    expected["SLOT 08"] = ["DISK03G1"]
    rig.equal(now.bays(), expected, "bays after the move")
    stays = sorted(rig.fmd.json("fmadm history DISK03G1 --json"), key=lambda s: s["from"])
    rig.equal([(s["label"], s["disk"]) for s in stays], [("SLOT 03", before), ("SLOT 08", before)], f"its history: {stays}")
    rig.check(0 < stays[0]["to"] <= stays[1]["from"] and stays[1]["to"] == 0, f"from when to when: {stays}")
    print(m.sh("fmadm history DISK03G1"))
    rig.equal(Watch(rig).solved(True), [], "cases: nothing failed")


@scenario("locate", order=91)
def locate(rig):
    """fmadm locate turns bay-3's locate LED on and off, and touches no other LED."""
    box = rig.enclosure
    rig.equal((box.lit("locate"), box.lit("fault")), (set(), set()), "LEDs at first")
    for on in (True, False):
        word = "on" if on else "off"
        answer = rig.fmd.json(f"fmadm locate {word} bay-3 --json")
        rig.equal((answer["bay"], answer["on"], answer["confirmed"]), (f"hc://chassis={box.ID}/bay=3", on, True), "answer")
        # "Confirmed" means that the LED was read back, so this holds at once.
        rig.equal(box.lit("locate"), {3} if on else set(), f"locate LEDs after locate {word}")
        rig.equal(box.lit("fault"), set(), "fault LEDs")
        rig.step(f"locate {word} bay-3: {rig.m.sh('fmtopo -V bay-3 | grep led.locate').strip()}")


@scenario("nvme-warning", order=92)
def nvme_warning(rig):
    """A critical warning of an NVMe drive opens a case that names the drive, and closes it when cleared."""
    m, slot = rig.m, NVME_SLOTS[0]
    serial, light = f"NVME{slot:02}", f"/sys/bus/pci/slots/{slot}/attention"
    bare(rig)
    # The pool's disks have no SMART data; ignore them, so that the guest can query the drive often.
    ignored = json.dumps([disk.serial for disk in m.disks.values()])
    rig.fmd.configure("smart.toml", f'interval = "5s"\nignore = {ignored}\n')
    rig.fmd.restart("fmd-smart.service")
    m.insert_nvme(slot)

    def smart():
        disk = Topology(rig).disk(serial)
        return disk["properties"] if disk else {}
    m.wait(lambda: smart().get("smart.status") == "passed", 60,
           lambda: f"{serial} to be well; {smart()}\n{rig.fmd.journal('fmd-smart.service', 20)}", every=1)
    rig.step("the drive is asked and well")
    watch = Watch(rig)
    rig.equal((watch.solved(True), m.read(light).strip()), ([], "0"), "cases and light of a drive that is well")

    began = m.now()
    m.warn_nvme(slot, SPARE_LOW)
    case = m.wait(watch.solved, 60, lambda: f"a case; the drive: {smart()}", every=1)
    rig.equal(len(case), 1, "cases")
    case = case[0]
    suspect = case["suspects"][0]
    rig.step(f"{case['code']} {suspect['class']} after {case['solved'] / 1e9 - began:.1f} s (asked every 5 s)")
    rig.equal((suspect["class"], suspect["serial"], suspect["location"]),
              ("fault.io.disk.spare-low", serial, f"NVMe {slot}"), "suspect")
    rig.equal(len(case["suspects"]), 1, "suspects")
    mail = rig.mail.wait(1, 30)[0]
    rig.check(serial in mail["body"] and f"NVMe {slot}" in mail["subject"] + mail["body"], f"drive and bay in the mail:\n{mail}")
    m.wait(lambda: m.read(light).strip() == "1", 15, lambda: f"the slot's attention light; it reads {m.read(light)!r}", every=1)
    rig.equal(rig.enclosure.lit(), set(), "fault LEDs of other bays")
    print(m.sh("fmadm faulty"))

    began = m.now()
    m.warn_nvme(slot, 0)
    m.wait(lambda: watch.now(case["uuid"])["state"] == "RESOLVED", 60,
           lambda: f"the case to end; {watch.now(case['uuid'])}", every=1)
    rig.step(f"resolved {watch.now(case['uuid'])['resolved'] / 1e9 - began:.1f} s after the warning ended")
    rig.equal(m.sh("fmadm faulty").strip(), "", "fmadm faulty")
    m.wait(lambda: m.read(light).strip() == "0", 15, "the attention light to go out", every=1)
    rig.equal(len(watch.solved(True)), 1, "cases ever")
    watch.told_exactly(2, 2)
