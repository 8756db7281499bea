#!/usr/bin/python3
"""fmd-zfs and spares: one shared by two pools, and the administrator's settings. Argument or FMD_ZFS: the program."""
import os
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from acts_case import ActsCase  # noqa: E402  (the path has to be set before)
from zfs_case import main  # noqa: E402


SUPERBLOCK_AT = 4096


def md_superblock():
    """Version 1.2, with the fields that blkid reads."""
    words = bytearray(260)
    struct.pack_into("<II", words, 0, 0xa92b4efc, 1)  # magic, major version
    words[16:32] = bytes(range(16))  # the array's UUID
    words[32:37] = b"old:0"
    struct.pack_into("<QIxxxxQ", words, 64, 1, 1, 0)  # ctime, level
    struct.pack_into("<I", words, 92, 2)  # disks
    struct.pack_into("<Q", words, 128, 2048)  # data offset
    struct.pack_into("<Q", words, 144, SUPERBLOCK_AT // 512)
    words[168:184] = bytes(range(16, 32))  # the member's UUID
    struct.pack_into("<I", words, 220, 2)  # roles
    total = sum(struct.unpack("<65I", words))
    struct.pack_into("<I", words, 216, (total & 0xffffffff) + (total >> 32) & 0xffffffff)
    return bytes(words)


class SharedSpare(ActsCase):
    """One spare in two pools."""
    pools = ("dozer=mirror:3,4+7", "tank=mirror:1,2+7")

    def spare(self, pool):
        return next(r["properties"] for r in self.core.resources.values()
                    if r["properties"].get("role") == "spare" and r["properties"].get("pool") == pool)

    def test_in_use_in_one_it_is_not_available_in_the_other(self):
        self.ready()
        self.assertEqual((self.state(1, "spares_available"), self.state(3, "spares_available")), (1, 1))
        self.assertEqual(self.act("retire", 1, to="degraded")["status"], "done")
        self.assertEqual(self.act("spare_in", 1)["status"], "done")
        self.wait(lambda: self.spare("dozer")["state"] == "INUSE", "the other pool's word")
        self.assertEqual(self.spare("dozer")["note"], "in use by pool 'tank'")
        self.assertEqual(self.state(3, "spares_available"), 0)
        self.assertIn("no spare of pool 'dozer' is available", self.act("spare_in", 3)["reason"])
        self.wait(lambda: self.state(1, "spare") == "active", "its resilver's end")
        self.host.person(1, "clear")  # the kernel returns the spare
        self.host_says("detach", "tank", str(self.host.vdev(7)["guid"]))
        self.wait(lambda: self.state(3, "spares_available") == 1, "the spare for the other again")
        self.assertEqual(self.act("spare_in", 3)["status"], "done")


class Wishes(ActsCase):
    config = 'no_spare = ["dozer"]\nretire_only_with_spare = true\n'
    pools = ("dozer=mirror:3,4+7", "tank=mirror:1,2+8", "lone=mirror:5,6")

    def test_only_with_a_spare_and_never_by_itself(self):
        self.ready()
        self.assertEqual(self.state(1, "retire_refusal"), None)
        self.assertEqual(self.state(3, "spare_refusal"), "zfs.toml: no_spare has this pool")
        for bay in (3, 5):
            self.assertEqual(self.state(bay, "spares_available"), 0)
            self.assertIn("retire_only_with_spare", self.state(bay, "retire_refusal"))
            self.assertEqual(self.act("retire", bay, to="degraded")["status"], "refused")
        self.assertEqual(self.act("spare_in", 3)["status"], "refused")
        self.assertEqual(self.act("retire", 1, to="degraded")["status"], "done")
        self.assertEqual(self.act("spare_in", 1)["status"], "done")
        self.wait(lambda: self.state(1, "spare") == "active", "its resilver's end")
        self.assertEqual(self.act("retire", 1, to="out-of-service")["status"], "done")


class ForeignSpare(ActsCase):
    """A spare that was used for something else since it was added."""
    pools = ("tank=mirror:1,2+7,8",)

    def make_foreign(self, bay):
        device = next(row["device"] for row in self.host.chassis() if row["bay"] == bay)
        file = os.path.realpath(self.host.path(f"dev/{device}1"))
        subprocess.run(["wipefs", "-q", "-a", file], check=True)
        subprocess.run(["mkfs.ext4", "-q", "-F", "-L", "PAYROLL", file], check=True)
        return file

    def label(self, file):
        return subprocess.run(["blkid", "-p", "-o", "value", "-s", "LABEL", file], capture_output=True, text=True, check=False).stdout.strip()

    def test_the_next_one_goes_in_and_without_another_none_does(self):
        self.ready()
        first = self.make_foreign(7)
        reply = self.act("spare_in", 1)
        self.assertEqual(reply["status"], "done", reply)
        self.assertEqual(reply["detail"]["spare"], self.vdev(8)["fmri"])
        self.assertEqual(self.label(first), "PAYROLL")
        refused = self.act("spare_in", 2)
        self.assertEqual(refused["status"], "refused", refused)
        self.assertIn("the disk has been used for something else: it holds ext4, label PAYROLL; if that is not needed, make the disk "
                      "a spare again: 'zpool remove tank ", refused["reason"])
        self.assertRegex(refused["reason"], r"^dev://\S+: ", "which people read as the bay")
        self.assertEqual(self.label(first), "PAYROLL")

    def test_an_old_md_superblock_beside_its_label(self):
        """ZFS does not write the first 8 KiB of a partition, so the superblock of an earlier array remains."""
        self.ready()
        device = next(row["device"] for row in self.host.chassis() if row["bay"] == 7)
        file = os.path.realpath(self.host.path(f"dev/{device}1"))
        with open(file, "r+b") as partition:
            partition.seek(SUPERBLOCK_AT)
            partition.write(md_superblock())
        reply = self.act("spare_in", 1)
        self.assertEqual(reply["detail"].get("spare"), self.vdev(8)["fmri"], reply)
        refused = self.act("spare_in", 2)
        self.assertIn("it holds linux_raid_member, label old:0, beside the spare's own label; if that is not needed", refused["reason"])


class TwoSpares(ActsCase):
    pools = ("tank=raidz2:1,2,3,4,5,6+7,8",)

    def spares(self, fmri):
        return self.core.resources[fmri]["properties"]["spares_available"]

    def swapped(self):
        """The vdev of bay 4, retired; another disk is in the bay."""
        self.host.freeze()
        self.ready()
        old = self.vdev(4)["fmri"]
        self.retire(4, "out-of-service", "k1")
        self.host.pull(4)
        self.host.insert(4)
        return old

    def test_none_for_a_spare_that_stands_in(self):
        self.ready()
        self.assertEqual(self.act("spare_in", 4)["status"], "done")
        spare = self.state(4, "spare_by")
        self.assertEqual((self.spares(spare), self.pool()["properties"]["spares_available"]), (0, 1))
        reply = self.core.command("spare_in", spare)
        self.assertEqual(reply["status"], "refused", reply)
        self.assertIn("itself a spare", reply["reason"])
        self.assertTrue(self.act("spare_in", 4)["detail"]["already"])

    def test_one_for_the_new_disk_of_a_replacement(self):
        old = self.swapped()
        self.assertEqual(self.core.command("replace", old, device="dev://wwn=5000c500b0000009", path="", blank=True)["status"], "done")
        new = self.core.resources[old]["properties"]["replacing"]
        self.assertEqual((self.spares(old), self.spares(new)), (0, 2))
        self.assertEqual(self.core.command("spare_in", old)["reason"], f"{old} is being replaced")
        self.assertEqual(self.core.command("spare_in", new)["status"], "done")
        self.assertEqual(self.core.resources[new]["properties"]["spare"], "resilvering")
        self.host.tick(5)
        self.wait(lambda: old in self.core.gone, lambda: f"the replacement: {self.core.resources}")
        self.assertEqual(self.core.gone[old]["replaced_by"], new)
        self.wait(lambda: self.core.resources[new]["properties"]["spare"] == "active", "the resilver's end")

    def test_a_disk_that_was_said_to_be_blank_is_read_before_it_is_overwritten(self):
        old = self.swapped()
        disk = os.path.realpath(self.path("host", "dev", "disk", "by-id", "wwn-0x5000c500b0000009"))
        with open(disk, "r+b") as file:
            file.write(b"somebody's data")
        said = {"device": "dev://wwn=5000c500b0000009", "path": "", "blank": True}
        reply = self.core.command("replace", old, **said)
        self.assertEqual(reply["status"], "refused", reply)
        self.assertIn("not blank", reply["reason"])
        self.assertNotIn("replacing", self.core.resources[old]["properties"])
        # The person agreed to overwrite a blank disk, and this one is not blank any more.
        reply = self.core.command("replace", old, **said, force=True, by="person")
        self.assertEqual(reply["status"], "refused", reply)
        self.assertIn("repeat the command once", reply["reason"])
        said["blank"] = False
        reply = self.core.command("replace", old, **said, force=True, by="person")
        self.assertEqual(reply["status"], "done", reply)


if __name__ == "__main__":
    main()
