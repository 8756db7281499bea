#!/usr/bin/python3
"""On the simulated host: a new disk that is not used by itself, one that a person names, and the wrong disk pulled."""
import re
import subprocess
import unittest

from sim_case import PATIENCE, SimCase

HALF = 128 << 20  # the simulated disks have 256 MiB


class NewDisk(SimCase):
    host_options = {"pools": ("tank=raidz2:1,2,3,4,5,6",)}

    def setUp(self):
        super().setUp()
        self.host.corrupt(4, blocks=15)
        self.host.read(seconds=0.5)
        self.case = self.case_for(4)
        self.wait_lit(4)

    def empty(self):
        self.stage.ask("fmadm", "retire", "SLOT 04")
        self.wait_state(4, "FAULTED")
        self.host.pull(4)
        self.wait(lambda: not self.occupied(4), "bay 4 to be seen empty")

    def refused(self, words):
        action = self.wait(lambda: words in self.action(self.case, "replace").get("detail", "") and self.action(self.case, "replace"),
                           lambda: f"{words!r}: {self.stage.case(self.case['uuid'])['actions']}")
        self.assertEqual((action["state"], action["obstacle"]), ("waiting", "not-accepted"))
        return action["detail"]

    def test_a_used_one_is_taken_by_a_persons_word(self):
        self.empty()
        self.host.insert(4, used=True)
        detail = self.refused("is not blank: it has partitions")
        self.assertIn("fmadm replace ", detail)
        self.assertNotIn("zfs://", detail, "people know no FMRIs")
        self.wait(lambda: any("is not blank" in mail["body"] for mail in self.stage.mail.messages()),
                  lambda: f"a mail that says so: {self.subjects()}")
        answer = self.stage.ask("fmadm", "replace", "--force", "SLOT 04", "SLOT 04")
        self.assertIn("resilver", answer["text"])
        self.wait(lambda: self.stage.case(self.case["uuid"])["state"] == "RESOLVED", "the case resolved")

    def test_one_that_is_too_small_and_one_elsewhere(self):
        self.empty()
        self.host.insert(4, size=HALF)
        self.refused("is too small (134 MB; 268 MB are needed)")
        self.host.pull(4)
        self.host.insert(8)
        detail = self.refused("is not in SLOT 04")
        self.assertIn("SLOT 08", detail)
        self.stage.ask("fmadm", "replace", "SLOT 04", "SLOT 08")
        self.wait(lambda: self.stage.case(self.case["uuid"])["state"] == "RESOLVED", "the case resolved")
        self.wait_lit()

    def test_the_old_disk_in_another_bay_is_not_forgotten(self):
        self.host.insert(8)
        self.wait(lambda: self.stage.run("fmadm", "replace", "SLOT 04", "SLOT 08").returncode == 0, "the new disk to be taken in")
        self.wait(lambda: self.stage.case(self.case["uuid"])["state"] == "RESOLVED", "the case resolved")
        words = "The old disk is still in SLOT 04: take it out."
        self.assertIn(words, " ".join(self.stage.run("fmadm").stdout.split()))
        self.wait(lambda: any(words in " ".join(mail["body"].split()) for mail in self.stage.mail.messages()),
                  lambda: f"a mail that says so: {self.stage.mail.messages()}")
        self.host.pull(4)
        self.wait(lambda: "Old disk" not in self.stage.run("fmadm").stdout, "the old disk to be gone")

    def test_in_dry_run_no_light_is_promised(self):
        self.assertEqual(self.stage.run("fmadm", "dry-run", "on").returncode, 0)
        done = self.stage.run("fmadm", "locate", "on", "SLOT 02")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("dry run is on", done.stderr)

    def test_what_is_still_there_is_not_replaced(self):
        self.wait(lambda: self.host.vdev(4)["state"] != "ONLINE", "the disk degraded or out of service")
        done = self.stage.run("fmadm", "replaced", "SLOT 04")
        self.assertEqual(done.returncode, 1)
        self.assertIn("serial DISK04G0 is still in SLOT 04", done.stderr)
        self.wait_state(4, "DEGRADED", "FAULTED")

    def test_the_wrong_one(self):
        self.host.pull(5)
        wrong = self.wait(lambda: [c for c in self.stage.cases() if c["title"] == "The wrong disk was pulled"], "the wrong disk")
        self.assertIn("SLOT 04, serial DISK04G0", wrong[0]["description"])
        self.assertEqual(wrong[0]["suspects"][0]["serial"], "DISK05G0")


class Detached(SimCase):
    def test_the_spare_that_stays_leaves_the_old_disk_behind(self):
        self.host.corrupt(4)
        self.host.scrub()
        case = self.case_for(4)
        self.wait_state(4, "FAULTED")
        self.wait(lambda: self.host.vdev(7).get("dtl") is False, "the spare resilvered")
        subprocess.run([self.host.path("bin/zpool"), "detach", "tank", str(self.host.vdev(4)["guid"])], check=True, timeout=PATIENCE)
        self.wait(lambda: self.stage.case(case["uuid"])["state"] == "RESOLVED", "the case resolved")
        words = f"The old disk is still in SLOT 04: take it out. If it is to stay there, run 'fmadm acquit {case['uuid'][:8]}'."
        self.assertIn(words, " ".join(self.stage.run("fmadm").stdout.split()))
        self.assertEqual(self.stage.run("fmadm", "acquit", case["uuid"][:8]).returncode, 0)
        self.assertNotIn("Old disk", self.stage.run("fmadm").stdout)


class TwoDisks(SimCase):
    FIRST = r"Pull one disk of pool tank at a time, SLOT 0[45] first: after that SLOT 0[45] may no longer be safe to pull\."
    plugins = ("disk", "enclosure", "zfs", "smart", "mail")
    host_options = {"pools": ("tank=raidz1:1,2,3,4,5,6",)}
    files = {"smart.toml": 'interval = "1s"\n'}

    def setUp(self):
        self.rules = self.shorter_holds({"smart.toml": {'hold = "5min"': 'hold = "1s"'}})
        super().setUp()

    def test_an_empty_bay_says_how_its_disk_is_named(self):
        self.host.pull(6)
        self.wait(lambda: not self.occupied(6), "bay 6 to be seen empty")
        self.host.insert(8)
        self.wait(lambda: self.occupied(8), "the new disk to be seen")
        done = self.stage.run("fmadm", "replace", "SLOT 06", "SLOT 08")
        self.assertEqual(done.returncode, 1)
        self.assertIn("SLOT 06 is empty: name the disk that was in it by its serial number", " ".join(done.stderr.split()))
        # The bay may be seen occupied before its disk is.
        self.wait(lambda: self.stage.run("fmadm", "replace", "DISK06G0", "SLOT 08").returncode == 0, "the new disk to be taken in")

    def test_of_two_that_are_safe_to_pull_one_is_the_first(self):
        for bay in (4, 5):
            self.host.smart(bay, [("health", "failed")])
        self.wait(lambda: len(self.solved()) == 2, lambda: f"two cases\n{self.stage.cases()}")
        for words in ([], ["faulty"]):
            text = " ".join(self.stage.run("fmadm", *words).stdout.split())
            self.assertRegex(text, self.FIRST)
        self.wait(lambda: any(re.search(self.FIRST, " ".join(mail["body"].split())) for mail in self.stage.mail.messages()),
                  lambda: f"a mail that says so: {self.stage.mail.messages()}")


if __name__ == "__main__":
    unittest.main()
