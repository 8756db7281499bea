#!/usr/bin/python3
"""The simulated zpool prints what was recorded from the real one (captures/), and behaves like it.

Numbers, dates and sizes inevitably differ and are masked; every other byte must be the same.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "..", "simulator"))

from host.actions import SimulatedHost  # noqa: E402  (the path has to be set before)
from process import patience  # noqa: E402



def capture(name):
    with open(os.path.join(HERE, "captures", name + ".txt"), encoding="utf-8") as file:
        return file.read()


def pools_in(text):
    """Each `zpool status` in a text."""
    return [match.rstrip("\n") for match in re.findall(r"^  pool: .*?^errors: .*?$", text, re.DOTALL | re.MULTILINE)]


def masked(text):
    """Masks what inevitably differs: error counters, sizes, rates, times."""
    text = re.sub(r"(since|on) \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}", r"\1 DATE", text)
    text = re.sub(r"(\d\d:\d\d:\d\d to go|no estimated completion time)", "LEFT", text)
    text = re.sub(r"\d\d:\d\d:\d\d", "SPAN", text)
    text = re.sub(r"\b\d+(\.\d+)?[BKMG](/s)?", "SIZE", text)
    text = re.sub(r"\d+\.\d\d%", "SHARE", text)
    return re.sub(r"^(\t +\S+ +[A-Z]+) +\d+ +\d+ +\d+", r"\1 N N N", text, flags=re.MULTILINE)


def blocks_of(text):
    """{class: lines of its last block} of `zpool events -v`; of values only the format is kept."""
    found = {}
    for block in re.split(r"\n\n|(?=^dropped)", text, flags=re.MULTILINE):
        lines = [line for line in block.splitlines() if line.startswith(" ") or re.search(r" (\w+\.)+\w+$", line)]
        if len(lines) < 2:
            continue
        name = lines[0].split()[-1]
        lines[0] = re.sub(r"^\w{3} [ \d]\d \d{4} \d\d:\d\d:\d\d\.\d{9}", "DATE", lines[0])
        lines = [re.sub(r"0x[0-9a-f]+", "0x0", re.sub(r'"[^"]*"', '""', line)) for line in lines]
        found[name] = [re.sub(r"(0x0 )+", "0x0 ", line) for line in lines]
    return found


class Recorded(unittest.TestCase):
    """Each test has a new host."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fmsim-")
        self.addCleanup(folder.cleanup)
        self.host = SimulatedHost.make(os.path.join(folder.name, "host"), seed=7)
        self.host.freeze()

    def zpool(self, *arguments, fails=None):
        ran = subprocess.run([self.host.path("bin/zpool"), *arguments], capture_output=True, text=True, check=False,
                             stdin=subprocess.DEVNULL, env={"LC_ALL": "C"}, timeout=patience())
        if fails is None:
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        else:
            self.assertEqual((ran.returncode, ran.stdout), (fails, ""))
        return ran.stdout if fails is None else ran.stderr

    def until(self, condition, what, seconds=10):
        """Advances the host's time until the condition is true."""
        for _ in range(int(seconds / 0.25)):
            if condition():
                return
            self.host.tick(0.25)
        self.fail(f"not within {seconds} s: {what}")

    def scanned(self):
        self.until(lambda: self.host.pool()["scan"]["state"] == "finished", "the scan ends")

    def test_created(self):
        text = capture("zpool-status-created")
        recorded = pools_in(text)
        self.assertEqual(self.zpool("version"), "".join(text.splitlines(True)[:2]))
        self.assertEqual(self.zpool("status").rstrip("\n"), recorded[0])
        self.assertEqual(self.zpool("status", "-p", "tank").rstrip("\n"), recorded[1])
        guids = lambda page: re.sub(r"\d{15,20} *", "GUID ", re.sub("NAME +", "NAME ", page))  # noqa: E731
        self.assertEqual(re.sub(" +", " ", guids(self.zpool("status", "-g"))),
                         re.sub(" +", " ", guids(recorded[2] + "\n")))
        refusal = text[text.index("invalid option"):text.index("rc=2")]
        self.assertEqual(self.zpool("status", "-j", fails=2), refusal)

    def test_list(self):
        text = capture("zpool-status-created")
        table = re.search(r"^NAME  .*?AVAIL$", text, re.DOTALL | re.MULTILINE)[0]
        mask = lambda page: re.sub(r" [\d.]+[MG%]?(?=\s|$)", " N", re.sub("1.00x", "x", page))  # noqa: E731
        self.assertEqual([re.sub(" +", " ", line) for line in mask(self.zpool("list", "-v")).splitlines()],
                         [re.sub(" +", " ", line) for line in mask(table).splitlines()])
        self.assertRegex(self.zpool("list", "-H", "-p", "-o", "name,guid,health"), r"\Atank\t\d+\tONLINE\n\Z")
        self.assertEqual(self.zpool("get", "-H", "-o", "value", "health", "tank"), "ONLINE\n")
        self.assertIn("invalid property 'checksum_n'", self.zpool("get", "checksum_n", "tank", fails=2))

    def test_scrub(self):
        self.host.corrupt(3)
        self.host.scrub()
        self.until(lambda: self.host.vdev(3)["cksum"] > 5, "the scrub finds errors")
        self.assertEqual(masked(self.zpool("status").rstrip("\n")), masked(pools_in(capture("zed-scrub-1-status"))[0]))
        self.scanned()
        self.assertEqual(self.host.vdev(3)["cksum"], 60)
        self.assertIn("scan: scrub repaired 1.88M in 00:00:04 with 0 errors on", self.zpool("status"))
        recorded, ours = blocks_of(capture("zed-scrub-1-events")), blocks_of(self.zpool("events", "-v"))
        for name in ("ereport.fs.zfs.checksum", "sysevent.fs.zfs.scrub_start", "sysevent.fs.zfs.history_event",
                     "sysevent.fs.zfs.config_sync", "sysevent.fs.zfs.pool_import"):
            self.assertEqual(ours[name], recorded[name], name)
        priorities = re.findall(r"zio_priority = (\w+)", self.zpool("events", "-v"))
        self.assertEqual(set(priorities), {"0x4"})
        self.assertEqual(len(priorities), 60)

    def test_rate_limit(self):
        """The kernel reports at most 20 checksum errors per second and disk, and counts all."""
        self.host.corrupt(3)
        self.host.read(seconds=0.1)
        self.until(lambda: self.host.vdev(3)["cksum"] == 60, "the reads meet the errors")
        self.assertLessEqual(self.host.events().count("ereport.fs.zfs.checksum"), 40)  # may span two seconds

    def test_reads_and_spare(self):
        self.host.corrupt(6, blocks=12)
        self.host.read(seconds=0.2)
        self.until(lambda: self.host.vdev(6)["cksum"] == 12, "the reads meet the errors")
        guid = str(self.host.vdev(6)["guid"])
        subprocess.run([self.host.path("bin/fmd-zfs-vdev"), "degrade", "tank", guid], check=True)
        self.host.corrupt(6, garbage=True)
        self.zpool("replace", "tank", guid, "wwn-0x5000c500a0000007")
        self.until(lambda: self.host.vdev(6)["cksum"] > 12, "the resilver meets errors")
        self.assertEqual(masked(self.zpool("status").rstrip("\n")),
                         masked(pools_in(capture("zed-read-noprefetch-status"))[0]))
        self.scanned()
        recorded, ours = blocks_of(capture("zed-read-noprefetch-events")), blocks_of(self.zpool("events", "-v"))
        for name in ("resource.fs.zfs.statechange", "sysevent.fs.zfs.vdev_spare", "sysevent.fs.zfs.vdev_attach",
                     "sysevent.fs.zfs.resilver_start", "sysevent.fs.zfs.resilver_finish"):
            self.assertEqual(ours[name], recorded[name], name)
        # The pair also reports errors, without a path (last, so this block is kept).
        self.assertFalse([line for line in ours["ereport.fs.zfs.checksum"] if "vdev_path" in line])
        self.assertEqual(self.host.vdev(6)["place"], "spare-5")
        self.zpool("detach", "tank", "wwn-0x5000c500a0000007")
        self.assertIn("wwn-0x5000c500a0000007    AVAIL", self.zpool("status"))

    def test_pull_and_replace(self):
        recorded = capture("zpool-replace")
        self.host.pull(4)
        self.until(lambda: self.host.events()[-1] == "resource.fs.zfs.removed", "ZFS notices")
        # In the recording, the pool had been resilvered once before.
        before = re.sub(r"^  scan: .*\n", "", pools_in(capture("zpool-pulled"))[0], flags=re.MULTILINE)
        self.assertEqual(self.zpool("status").rstrip("\n"), before)
        self.host.insert(4, serial="DISK04G1", wwn="5000c500a0000104")
        self.assertIn("does not contain an EFI label", self.zpool(
            "replace", "tank", "wwn-0x5000c500a0000004", "/dev/disk/by-id/wwn-0x5000c500a0000104", fails=1))
        self.zpool("replace", "-f", "tank", "wwn-0x5000c500a0000004", "/dev/disk/by-id/wwn-0x5000c500a0000104")
        self.host.tick(1)
        during, pair, after = pools_in(recorded)[:3]
        self.assertEqual(masked(self.zpool("status").rstrip("\n")), masked(during))
        self.scanned()
        self.assertEqual(masked(self.zpool("status").rstrip("\n")), masked(pair))
        self.until(lambda: self.host.vdev(4)["parent"] == "raidz", "the old disk goes")
        self.assertEqual(masked(self.zpool("status").rstrip("\n")), masked(after))
        recorded, ours = blocks_of(capture("zpool-events-replace")), blocks_of(self.zpool("events", "-v"))
        for name in ("resource.fs.zfs.statechange", "resource.fs.zfs.removed", "sysevent.fs.zfs.vdev_attach",
                     "sysevent.fs.zfs.resilver_start", "sysevent.fs.zfs.resilver_finish", "sysevent.fs.zfs.vdev_remove"):
            self.assertEqual(ours[name], recorded[name], name)
        order = [name for name in self.host.events() if re.search("removed|vdev_|resilver", name)]
        self.assertEqual([name.rsplit(".", 1)[1] for name in order],
                         ["removed", "vdev_attach", "resilver_start", "resilver_finish", "vdev_remove"])

    def test_read_errors(self):
        # As in the recording, where a disk had been replaced before.
        self.host.eio(5)
        self.until(lambda: self.host.vdev(5)["state"] == "FAULTED", "the kernel gives up")
        recorded, ours = blocks_of(capture("zpool-events-io")), blocks_of(self.zpool("events", "-v"))
        for name in ("ereport.fs.zfs.io", "ereport.fs.zfs.probe_failure", "resource.fs.zfs.statechange"):
            self.assertEqual(ours[name], recorded[name], name)
        status = re.sub(r"^  scan: .*\n", "", pools_in(capture("disk-io-errors"))[0], flags=re.MULTILINE)
        self.assertEqual(masked(self.zpool("status").rstrip("\n")), masked(status.replace("a0000104", "a0000004")))
        self.assertEqual(self.host.events().count("ereport.fs.zfs.io"), 3)

    def test_replaced_while_spared(self):
        """The spare is released once the disk it stands in for has been replaced."""
        guid = str(self.host.vdev(2)["guid"])
        self.zpool("replace", "tank", guid, "wwn-0x5000c500a0000007")
        self.scanned()
        self.zpool("offline", "tank", guid)
        self.host.pull(2)
        self.host.insert(2)
        self.zpool("replace", "-f", "tank", guid, "/dev/disk/by-id/wwn-0x5000c500b0000008")
        self.assertIn("replacing-0 ", self.zpool("status"))
        self.scanned()
        self.until(lambda: self.host.vdev(2)["place"] == "raidz2-0", "the pairs dissolve")
        self.assertIn("a0000007    AVAIL", self.zpool("status"))
        self.assertEqual(self.host.pool()["root"]["children"][0]["children"][1]["disk"], "disk8")

    def test_refusals(self):
        for bay in (1, 2):
            self.zpool("offline", "tank", f"wwn-0x5000c500a000000{bay}")
        self.assertEqual(self.zpool("offline", "tank", "wwn-0x5000c500a0000003", fails=1),
                         "cannot offline wwn-0x5000c500a0000003: no valid replicas\n")
        self.assertEqual(self.zpool("offline", "tank", "nosuch", fails=1),
                         "cannot offline nosuch: no such device in pool\n")
        self.assertEqual(self.zpool("status", "pond", fails=1), "cannot open 'pond': no such pool\n")
        # Faulting the last copy leaves it degraded.
        guid = str(self.host.vdev(3)["guid"])
        subprocess.run([self.host.path("bin/fmd-zfs-vdev"), "fault", "tank", guid], check=True)
        self.assertEqual(self.host.vdev(3)["state"], "DEGRADED")

    def test_history(self):
        """The format is from zpool's source, not from a recording: 2.1 to 2.3 print the same."""
        self.zpool("offline", "tank", "wwn-0x5000c500a0000003")
        self.assertIn("no such device", self.zpool("online", "tank", "nosuch", fails=1))
        self.host.zed(3, "online")
        self.host.person(3, "clear")
        lines = self.zpool("history", "-l", "tank").splitlines()
        self.assertEqual((lines[0], lines[-1]), ("History for 'tank':", ""))
        self.assertEqual([re.sub(r"^\d{4}-\d\d-\d\d\.\d\d:\d\d:\d\d ", "", line)[:60] for line in lines[1:-1]],
                         ["zpool create tank raidz2 wwn-0x5000c500a0000001 wwn-0x5000c5",
                          "zpool offline tank wwn-0x5000c500a0000003 [user 0 (root) on ",
                          "zpool clear tank wwn-0x5000c500a0000003 [user 0 (root) on si"])
        self.assertTrue(lines[2].endswith(" [user 0 (root) on simulated:linux]"))
        self.assertNotIn("[user", self.zpool("history"))

    def test_a_record_may_come_late(self):
        with self.host.change() as state:
            state.data["speed"]["log"] = 2
        self.zpool("offline", "tank", "wwn-0x5000c500a0000003")
        self.assertNotIn("offline", self.zpool("history"))
        self.host.tick(2)
        self.assertIn("offline", self.zpool("history"))

    def classes(self, act):
        """Classes of the events that the kernel reports during act()."""
        before = len(self.host.events())
        act()
        return [name.rsplit(".", 1)[1] for name in self.host.events()[before:] if "history" not in name]

    def test_what_is_faulted_stays_so(self):
        name = "wwn-0x5000c500a0000003"
        self.assertEqual(self.classes(lambda: self.zpool("clear", "tank")), [], "all is well: nothing to tell")
        self.host.fault(3)
        self.assertEqual(self.classes(lambda: self.host.zed(3, "online")), [])
        self.assertIn("remains in faulted state\nuse 'zpool clear'", self.zpool("online", "tank", name))
        self.zpool("offline", "tank", name)
        self.assertEqual(self.host.vdev(3)["state"], "FAULTED")
        self.assertEqual(self.classes(lambda: self.zpool("clear", "tank")), ["statechange", "vdev_clear"])
        self.assertEqual(self.host.vdev(3)["state"], "OFFLINE", "offline was asked for meanwhile")
        told = self.classes(lambda: self.zpool("online", "tank", name))
        self.assertEqual(told, ["statechange", "vdev_online", "resilver_start"])
        self.host.zed(3, "degrade")
        self.zpool("online", "tank", name)
        self.assertEqual(self.host.vdev(3)["state"], "DEGRADED")
        self.host.reboot()
        self.assertEqual(self.host.vdev(3)["state"], "DEGRADED", "the mark stands in the label (vdev_alloc() of module/zfs/vdev.c)")

    def test_online_takes_back_only_offline(self):
        name = "wwn-0x5000c500a0000003"
        self.host.zed(3, "degrade")
        self.zpool("offline", "tank", name)
        self.assertEqual(self.host.vdev(3)["state"], "OFFLINE")
        told = self.classes(lambda: self.zpool("online", "tank", name))
        self.assertEqual(told, ["statechange", "vdev_online", "resilver_start"])
        self.assertEqual((self.host.vdev(3)["state"], self.host.vdev(3)["aux"]), ("DEGRADED", "too many errors"))
        self.zpool("offline", "tank", name)
        self.zpool("clear", "tank", name)
        self.zpool("online", "tank", name)
        self.assertEqual(self.host.vdev(3)["state"], "ONLINE", "cleared while it was offline")

    def test_offline_and_pulled(self):
        name = "wwn-0x5000c500a0000003"
        self.zpool("offline", "tank", name)
        key = self.host.pull(3)
        told = self.classes(lambda: self.zpool("online", "tank", name))
        self.assertEqual(told, ["open_failed", "statechange", "vdev_online"])
        self.assertRegex(self.zpool("status"), name + r" +UNAVAIL +0 +0 +0  cannot open\n")
        self.host.insert(3, disk=key)
        self.zpool("online", "tank", name)
        self.assertEqual((self.host.vdev(3)["state"], self.host.vdev(3)["aux"]), ("ONLINE", ""))

    def test_a_disk_comes_back(self):
        key = self.host.pull(4)
        self.until(lambda: self.host.vdev(2) and self.host.events()[-1] == "resource.fs.zfs.removed", "ZFS notices")
        self.host.insert(4, disk=key)
        self.assertEqual(self.host.vdev(4)["state"], "REMOVED")
        self.assertEqual(self.classes(lambda: self.host.zed(4, "online")), ["statechange", "vdev_online", "resilver_start"])
        self.assertEqual(self.host.vdev(4)["state"], "ONLINE")
        self.host.zed(4, "spare")
        self.assertEqual(self.host.vdev(4)["parent"], "spare")
        self.assertNotIn("4", re.findall(r"(?:online|replace).*(\d)$", self.zpool("history")))

    def test_follow(self):
        """`events -f` prints events that happen while it runs, as they happen."""
        follow = subprocess.Popen([self.host.path("bin/zpool"), "events", "-v", "-f"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(follow.stdout.close)
        self.addCleanup(follow.wait)
        self.addCleanup(follow.kill)
        with self.host.change() as state:
            del state.data["frozen_ns"]
        self.host.pull(1)
        for line in follow.stdout:  # reading advances the simulated time, as nothing else uses the host
            if line.startswith('        class = "resource.fs.zfs.removed"'):
                break
        self.assertEqual(self.host.vdev(2)["state"], "ONLINE")

    def test_ring(self):
        """Only the newest 512 events are kept."""
        with self.host.change() as state:
            for _ in range(600):
                state.post("sysevent.fs.zfs.config_sync", [["pool", "s", "tank"]])
        self.assertEqual(len(self.zpool("events", "-H").splitlines()), 512)


if __name__ == "__main__":
    unittest.main()
