#!/usr/bin/python3
"""The first lines of `fmadm` in each state of trouble of a server: a person who reads only these acts rightly.

The answers are goldens, tests/words/first_lines/NAME.txt, which somebody reads whenever they change (FMD_GOLDEN=write writes them).
Times, durations, percentages, case ids and the delivery of messages are left out."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

from sim_case import BUILD, PATIENCE, SimCase, TREE

sys.path.insert(0, os.path.join(TREE, "tests", "lib"))
from fake_plugin import FakePlugin  # noqa: E402  (the path has to be set before)

GOLDENS = os.path.join(TREE, "tests", "words", "first_lines")
WORDS_ON_HOST = os.path.join(BUILD, "tests", "words", "words-on-host")
WRITE = os.environ.get("FMD_GOLDEN") == "write"
# Holds of minutes are a second here: this test looks at words, not at waiting.
HASTY = {"disk.toml": {'hold = "15s"': 'hold = "1s"'}, "md.toml": {'hold = "1min"': 'hold = "1s"', 'hold = "10s"': 'hold = "1s"'},
         "volumes.toml": {'hold = "1min"': 'hold = "1s"', 'hold = "2min"': 'hold = "1s"', 'hold = "10s"': 'hold = "1s"'},
         "smart.toml": {'hold = "5min"': 'hold = "1s"'}, "ipmi.toml": {'hold = "10s"': 'hold = "1s"', 'hold = "30s"': 'hold = "1s"'},
         "enclosure.toml": {'hold = "10s"': 'hold = "1s"', 'hold = "30s"': 'hold = "1s"'}}
MASKS = (
    (r"\b[0-9a-f]{8}\b", "CASEID"), (r"(?<![\w:.])(\d{4}-\d\d-\d\d\s+|[A-Z][a-z]{2} [ \d]\d\s+)?\d\d:\d\d(:\d\d)?(?!\w|:\d|\.\d)", "HH:MM"), (r"\b\d+(\.\d+)? %", "N %"),
    (r"\b\d+ (s|min|h|days?)\b( \d+ (s|min)\b)?", "N TIME"), (r"\b\d+ with SMART", "N with SMART"), (r"fmd \d[\w.]*", "fmd VERSION"), (r" +$", ""),
    (r"/dev/sd[a-z]+", "/dev/sdX"), (r"zpool (list|status) gave", "zpool COMMAND gave"),  # whichever was first to hang
    # a spare's progress
    (r"; resilver N %, N TIME\s+left", ""), (r"; the spare SLOT \d\d is being filled", ""),
)


# Lines that depend on how far fmd's actions and messages have come.
PASSING = re.compile(r"^(Done|Pending|Not done|Mail|SNMP|Warning) +: .*\n(?: {14}.*\n)*", re.M)
# Lines whose order is that in which the events came.
RUNS = re.compile(r"(?:^(?:  Major     |                )SLOT .*\n)+", re.M)


def masked(text):
    text = PASSING.sub("", text)
    text = RUNS.sub(lambda run: "".join(sorted(run[0].splitlines(True))) if "follow" not in run[0] else run[0], text)
    for pattern, word in MASKS:
        text = re.sub(pattern, word, text, flags=re.M)
    return re.sub(r"(?<=\S) {2,}(?=fmd VERSION|CASEID)", "  ", text)


class FirstLines(SimCase):
    plugins = ("disk", "system", "enclosure", "zfs", "smart", "cpu", "ipmi", "mail")
    host_options = {"box": True, "controllers": 1, "speed": {"scrub": 1.0, "resilver": 1.0, "notice": 0.1}}

    def setUp(self):
        self.rules = self.shorter_holds(HASTY)
        self.files = {"ipmi.toml": 'interval = "1s"\nconfirm = "200ms"\nat_most = "1s"\n',
                      "smart.toml": 'interval = "1s"\n'}
        super().setUp()
        self.host.bmc([])
        self.wait(lambda: self.stage.resources("core") and self.stage.resources("psu"), "the parts of the machine")

    def first_lines(self):
        return " ".join(self.stage.run("fmadm").stdout.split())

    def check(self, name, *words, problem=True, headline=" problem: ", without="\0"):
        """Waits until the output has each of the words, and not 'without', then compares it with its golden."""
        words = (headline, *words) if problem else words

        def reads_so():
            lines = self.first_lines()
            return without not in lines and all(word in lines for word in words)

        self.wait(reads_so, lambda: f"{words} in\n{self.first_lines()}")
        ran = self.stage.run("fmadm")
        self.assertEqual(ran.returncode, 1 if problem else 0, ran.stdout)
        for line in ran.stdout.splitlines():
            self.assertLessEqual(len(line), 80, line)
            self.assertNotIn("://", line, "a name that nobody reads on a machine")
        self.check_every_fault()
        path = os.path.join(GOLDENS, name + ".txt")
        if WRITE:
            os.makedirs(GOLDENS, exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(masked(ran.stdout))
        with open(path, encoding="utf-8") as file:
            self.assertEqual(masked(ran.stdout), file.read(), ran.stdout)

    def check_every_fault(self):
        """What fmd would say now about any other fault of the rules."""
        with tempfile.NamedTemporaryFile("w", suffix=".json") as inventory:
            inventory.write(self.stage.run("fmtopo", "--json").stdout)
            inventory.flush()
            judged = subprocess.run([WORDS_ON_HOST, inventory.name], capture_output=True, text=True, check=False)
        self.assertEqual(judged.returncode, 0, judged.stdout + judged.stderr)

    def disk_case(self):
        self.wait(self.solved, lambda: f"a case\n{self.stage.cases(True)}")

    def test_well(self):
        self.check("well", "no open problem", problem=False)

    def test_garbage_and_its_exchange(self):
        self.host.corrupt(4)
        self.host.scrub()
        self.check("garbage", "SLOT 04", "taken out of service by fmd", "fault LED is on")
        self.host.pull(4)
        self.check("garbage-pulled", "Put a blank disk", "fault LED is on", "SLOT 04 was taken out")
        self.host.insert(4, used=True)
        self.check("garbage-used-disk", "not blank")

    def test_read_errors(self):
        self.host.eio(4)
        self.check("eio", "SLOT 04", "holds all its data", "fault LED is on")

    def test_pulled(self):
        self.host.pull(3)
        self.check("pulled", "SLOT 03", headline="DEGRADED")

    def test_dropped(self):
        self.host.drop(3)
        self.check("dropped", "SLOT 03", headline="DEGRADED")

    def test_offline_by_hand(self):
        self.host.person(3, "offline")
        self.check("offline", "SLOT 03", headline="DEGRADED")

    def test_cable(self):
        self.host.cable(1, good=False)
        self.check("cable", "Pull no disk")

    def test_hung_pool(self):
        self.host.hang("tank")
        self.check("hung", "Critical", "pool tank", "does not respond")

    def test_smart_failed(self):
        self.host.smart(4, [("health", "failed")])
        self.check("smart-failed", "SLOT 04", "predicts its own failure")

    def test_hot(self):
        self.host.smart(4, [("temperature", "70")])
        self.check("hot", "SLOT 04", "too hot")

    def test_pending(self):
        self.host.smart(6, [("pending", "16")])
        self.check("pending", "pending", headline="SLOT 06")

    def test_fan(self):
        self.host.bmc([("FAN1", "0")])
        self.check("fan", "FAN1")

    def test_power_supply(self):
        self.host.bmc([("PS2 Status", "0,1")])
        self.check("power-supply", "PS2")

    def test_core(self):
        self.host.check(3, "yellow")
        self.check("core", "CPU")

    def test_page(self):
        for number in range(3):
            self.host.check(3, "memory")
            self.wait(lambda number=number: len([e for e in self.stage.ask("fmdump", "-e") if e["class"] == "ereport.memory.page"]) == number + 1,
                      "it to be heard")
        self.wait(lambda: self.stage.cases(True), "what came of it")
        self.check("page", "no open problem", problem=False)

    def test_lost_data(self):
        self.host.lose(["/tank/photos/cat.jpg"])
        self.host.scrub()
        self.check("lost-data", "pool tank", "data is lost")

    def test_dry_run(self):
        self.stage.run("fmadm", "dry-run", "on")
        self.host.corrupt(4)
        self.host.scrub()
        self.check("dry-run", "SLOT 04", "ry run")
        self.host.pull(4)
        self.check("dry-run-pulled", "Put a blank disk", "SLOT 04 was removed")
        self.host.insert(4)
        self.check("dry-run-new-disk", "zpool replace -f tank")

    def test_maintenance(self):
        self.stage.run("fmadm", "maintenance", "add", "--for", "2h", "--reason", "new fans")
        self.host.corrupt(4)
        self.host.scrub()
        self.check("maintenance", "SLOT 04", "aintenance", "holds all its data")


class CableOfAnUnknownController(FirstLines):
    host_options = {"box": True, "speed": {"scrub": 1.0, "resilver": 1.0, "notice": 0.1}}

    def test_cable(self):
        self.host.cable(1, good=False)
        self.check("cable-unknown", "SLOT 01 was faulted", "SLOT 02 was faulted", "decided by", "the spare SLOT 07 holds all its data",
                   headline=" 6 problems: ", without="resilver")


class SlowResilver(FirstLines):
    host_options = {**FirstLines.host_options, "speed": {"scrub": 1.0, "resilver": 3600.0, "notice": 0.1}}

    def test_spare_and_a_second_disk(self):
        self.host.corrupt(4)
        self.host.scrub()
        self.check("spare", "Get a blank disk", "fault LED is on", "SLOT 04 is marked degraded")
        self.host.eio(2)
        self.check("second-disk", "SLOT 02: disk fails", "its spare holds the data", headline="2 problems")

    def test_new_disk(self):
        self.host.corrupt(4)
        self.host.scrub()
        self.wait(lambda: "marked degraded;" in self.first_lines(), "the spare")
        self.host.pull(4)
        self.check("spare-pulled", "Put a blank disk", "fault LED is on")
        self.host.insert(4)
        self.check("new-disk", "Wait until the new disk", "the new disk in SLOT 04", "fault LED is on")


class SlowScrub(FirstLines):
    host_options = {**FirstLines.host_options, "speed": {"scrub": 60.0, "resilver": 1.0, "notice": 0.1}}

    def test_scrub(self):
        self.host.corrupt(4)
        self.host.scrub()
        self.check("scrub", "Get a blank disk", "fills a spare first", "fault LED is on")


class Arrays(FirstLines):
    """md arrays: the kernel fills a spare by itself."""
    plugins = tuple("volumes" if name == "zfs" else name for name in FirstLines.plugins)
    host_options = {"box": True, "pools": (), "arrays": ("md0=raid5:1,2,3+4", "md1=raid1:5,6"), "speed": {"resilver": 3600.0, "notice": 0.1}}

    def wait(self, condition, what, seconds=PATIENCE):
        return super().wait(lambda: self.host.look() and condition(), what, seconds)

    def test_arrays(self):
        self.host.fault(5)
        self.check("md-degraded", "SLOT 05", "md1", "fault LED is on")
        self.host.pull(5)
        self.check("md-pulled", "Put a blank disk", "md1", "was removed")

    def test_spare(self):
        self.host.fault(2)
        self.check("md-spare", "SLOT 02", "md0", "fault LED is on")

    def test_too_many(self):
        self.host.fault(2)
        self.wait(self.solved, "a case")
        self.host.fault(3)
        self.check("md-failed", "array md0", headline="Critical")


class OtherVolumes(FirstLines):
    """LVM and btrfs, which the host does not simulate: a stand-in reports what fmd-volumes does."""
    plugins = tuple(name for name in FirstLines.plugins if name not in ("zfs", "smart"))
    host_options = {"box": True, "pools": ()}

    def setUp(self):
        super().setUp()
        self.volumes = FakePlugin(self.stage.socket, "volumes", check=False)
        self.addCleanup(self.volumes.close)
        self.volumes.hello()
        for bay in (1, 2):
            self.host.insert(bay, serial=f"DISK{bay:02d}G0")
        self.wait(lambda: len(self.stage.resources("disk")) == 2, "the disks")
        self.disks = {r["properties"]["serial"]: r["fmri"] for r in self.stage.resources("disk")}

    @staticmethod
    def part(fmri, kind, below, **properties):
        edges = [{"relation": "redundancy", "to": one} for one in below]
        return {"fmri": fmri, "type": kind, "properties": {"observed": "observed", **properties}, "edges": edges}

    def logical_volume(self, health, **properties):
        self.volumes.inventory([self.part("dm://uuid=LVM-b", "lvm-volume", self.disks.values(), name="vg0-data", health=health, **properties)])

    def btrfs(self, health, *missing):
        devices = [self.part(f"btrfs://fsid=7/dev={number}", "btrfs-device", [self.disks[f"DISK{number:02d}G0"]], name=f"sd{number}", pool="/srv",
                             role="data", state="missing" if number in missing else "ok", devid=number) for number in (1, 2)]
        whole = self.part("btrfs://fsid=7", "btrfs", [one["fmri"] for one in devices], name="/srv", health=health, devices=2, missing=len(missing),
                          profile="raid1")
        self.volumes.inventory([*devices, whole])

    def test_logical_volumes(self):
        self.logical_volume("optimal")
        self.logical_volume("degraded")
        self.check("lvm-degraded", "vg0-data", "legs")
        self.logical_volume("failed", reason="2 of 2 legs have failed")
        self.check("lvm-failed", "LVM volume has failed", headline="Critical")

    def test_btrfs(self):
        self.btrfs("optimal")
        self.host.pull(2)
        self.btrfs("degraded", 2)
        self.check("btrfs-degraded", "SLOT 02", "/srv")

    def test_read_only(self):
        """As the kernel shows a file system that it has made read-only: mounted for writing."""
        folder = self.host.path("proc/1")
        os.makedirs(folder, exist_ok=True)
        device = next(row["device"] for row in self.host.chassis() if row["bay"] == 1)
        with open(os.path.join(folder, "mountinfo"), "w", encoding="utf-8") as file:
            file.write(f"36 25 0:41 / /srv rw,relatime shared:1 - btrfs /dev/{device} ro,space_cache=v2\n")
        self.check("read-only", "/srv", "read-only")


# Only their own cases; the others are played above.
for slow in (CableOfAnUnknownController, SlowResilver, SlowScrub, Arrays, OtherVolumes):
    for inherited in [name for name in dir(FirstLines) if name.startswith("test_") and name not in vars(slow)]:
        setattr(slow, inherited, None)
del slow  # unittest would run it twice

if __name__ == "__main__":
    unittest.main()
