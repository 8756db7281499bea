#!/usr/bin/python3
"""md arrays on the simulated host: a failed member, its new disk, a spare, a person's commands, a plugin that dies meanwhile."""
import subprocess
import unittest

from sim_case import PATIENCE, SimCase

FAULTY = "fault.md.member.faulty"


class MdCase(SimCase):
    plugins = ("disk", "enclosure", "volumes", "mail", "snmp")

    def wait(self, condition, what, seconds=PATIENCE):
        """Advances the host's time, since no zpool command does it here."""
        return super().wait(lambda: self.host.look() and condition(), what, seconds)

    def members(self):
        """State as fmd knows it, by device name."""
        return {r["properties"]["name"]: r["properties"]["state"] for r in self.stage.resources("md-member")}

    def device(self, bay):
        return next(row["device"] for row in self.host.chassis() if row["bay"] == bay)

    def wait_whole(self, good):
        self.wait(lambda: self.host.array()["good"] == good and self.host.array()["action"] == "idle",
                  lambda: f"the array whole: {self.host.array()}; {self.stage.cases()}")

    def wait_members(self, count, state="in-sync"):
        self.wait(lambda: list(self.members().values()).count(state) == count, lambda: f"{count} {state}: {self.members()}")

    def wait_resolved(self, case):
        self.wait(lambda: self.stage.case(case["uuid"])["state"] == "RESOLVED",
                  lambda: f"the case resolved: {self.stage.case(case['uuid'])}; {self.stage.resources('md-member')}; {self.host.array()}\n{self.stage.logs()}")

    def mdadm(self, *words):
        subprocess.run([self.host.path("bin/mdadm"), "--manage", "/dev/md0", *words], check=True, capture_output=True,
                       env=self.host.environment())


class Mirror(MdCase):
    host_options = {"pools": (), "arrays": ("md0=raid1:1,2",)}

    def setUp(self):
        super().setUp()
        self.wait_members(2)

    def test_the_story(self):
        """Failed, reported once, pulled, replaced, rebuilt, resolved."""
        self.host.fault(2)
        case = self.case_for(2, FAULTY)
        self.wait_lit(2)
        self.wait_told(1, 1)
        self.assertIn("DISK02G0", self.stage.mail.messages()[0]["body"])
        refused = self.stage.run("fmadm", "retire", "SLOT 01")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("last copy", refused.stdout + refused.stderr)
        self.swap(2)
        self.wait_resolved(case)
        self.wait_whole(2)
        self.wait_lit()
        self.assertIn("md0 (optimal)", self.stage.run("fmadm", "resilver").stdout)
        self.assertEqual(len([c for c in self.solved(everything=True)]), 1)

    def test_what_a_person_does_is_theirs(self):
        """A disk that a person puts back is trusted; one that fmd failed on request is no case, and a restore returns it."""
        self.stage.ask("fmadm", "retire", "SLOT 02")
        self.wait_members(1, "faulty")
        self.assertEqual(self.solved(), [])
        self.stage.ask("fmadm", "restore", "SLOT 02")
        self.wait_members(2)
        name = self.device(2)
        self.host.fault(2)
        case = self.case_for(2, FAULTY)
        self.mdadm("--remove", f"/dev/{name}")
        self.mdadm("--add", f"/dev/{name}")
        self.wait_resolved(case)
        self.wait_whole(2)
        self.assertEqual(self.host.array()["members"][name], "in_sync")

    def test_a_plugin_that_dies_in_the_midst(self):
        """Killed while the disk is out, and again while the new one is filled: the end is the same."""
        self.host.fault(2)
        case = self.case_for(2, FAULTY)
        self.stage.kill("fmd-volumes")
        self.host.pull(2)
        self.wait(lambda: not self.occupied(2), "bay 2 to be seen empty")
        self.wait(lambda: self.host.array()["members"].keys() == {self.device(1)}, "the kernel to let go of it")
        self.stage.start_plugin("volumes")
        self.wait_members(1, "missing")
        self.host.insert(2)
        self.wait(lambda: len(self.host.array()["members"]) == 2, "the new disk to be taken in")
        self.stage.kill("fmd-volumes")
        self.wait_whole(2)
        self.stage.start_plugin("volumes")
        self.wait_resolved(case)


class Spared(MdCase):
    host_options = {"pools": (), "arrays": ("md0=raid5:1,2,3+4",)}

    def test_the_kernel_takes_the_spare(self):
        """The failed member's case stays open until it leaves the array; no command is sent to the array meanwhile."""
        self.wait_members(3)
        self.host.fault(2)
        case = self.case_for(2, FAULTY)
        self.wait_whole(3)
        self.wait_members(1, "faulty")
        self.assertNotEqual(self.stage.case(case["uuid"])["state"], "RESOLVED")
        self.wait_lit(2)
        self.host.pull(2)
        self.wait_resolved(case)
        self.wait_lit()


if __name__ == "__main__":
    unittest.main()
