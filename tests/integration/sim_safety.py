#!/usr/bin/python3
"""Events that are no fault, and actions that must not happen."""
import unittest

from sim_case import IO, SimCase, seconds_between


class NoRedundancy(SimCase):
    host_options = {"pools": ("lone=stripe:4", "pair=raidz1:1,2,3")}

    def refused(self, bay):
        case = self.case_for(bay)
        self.wait_state(bay, "DEGRADED")  # this removes no copy
        detail = self.wait_action(case, "out-of-service", "refused")["detail"]
        self.assertRegex(detail, "last copy|redundan")
        self.assertTrue([e for e in self.timeline(case) if detail in e["text"] or "last copy" in e["text"]],
                        self.timeline(case))
        self.assertEqual(self.host.vdev(bay)["state"], "DEGRADED")
        self.wait_told(1, 1)
        self.assertEqual(len(self.stage.mail.messages()), 1, self.subjects())
        return case

    def test_pool_without_redundancy(self):
        self.host.corrupt(4, blocks=20)
        self.host.read("lone", seconds=0.5)
        case = self.refused(4)
        self.assertIn("no other copy", self.wait_action(case, "fault-led", "refused")["detail"])
        self.assertEqual(self.lit(), set(), "its data would be lost")

    def test_last_good_copy(self):
        self.host.pull(1)
        self.wait(lambda: "resource.fs.zfs.removed" in self.host.events(), "the removal")
        self.host.corrupt(3, blocks=20)
        self.host.read("pair", seconds=0.5)
        case = self.refused(3)
        detail = self.wait_action(case, "fault-led", "refused")["detail"]
        self.assertIn("another disk of its group is out", detail)
        self.assertEqual(self.lit(), set(), "it must not be pulled before the other one is back")


class Removal(SimCase):
    # Three disks may be missing, so no disk has a last copy here.
    host_options = {"pools": ("tank=raidz3:1,2,3,4,5,6+7",)}

    def test_hold_and_removal(self):
        """Read errors are held for 15 s: a disk pulled meanwhile was removed; one that stays is faulty. A disk
        pulled without any errors is no fault at all."""
        self.host.pull(2)
        self.host.eio(3, errors=12, seconds=0.3)
        self.host.eio(5, errors=12, seconds=0.3)
        self.wait(lambda: self.host.vdev(3)["read"] == 12 and self.host.vdev(5)["read"] == 12, "the read errors")
        self.wait(lambda: [c for c in self.stage.cases(True) if c["state"] == "UNSOLVED"], "cases that wait")
        self.host.pull(3)
        case = self.case_for(5, IO)
        self.assertEqual(case["code"], "ZFS-8000-FD")
        errors = sorted(e["time"] for e in self.stage.ask("fmdump", "-e") if e["class"] == "ereport.fs.zfs.io")
        self.assertGreaterEqual(seconds_between(errors[-1], case["solved"]), 14.9)
        # By then the time of the others has also expired: they were in the same queue.
        self.assertEqual([s["serial"] for c in self.stage.cases(True) for s in c["suspects"]], ["DISK05G0"])
        self.wait(lambda: self.host.vdev(7), "the spare for the one that failed")
        self.wait_lit(5)
        self.wait_told(1, 1)

    def test_all_reads_fail(self):
        """The kernel faults the vdev by itself: the disk is convicted after the hold, and the spare comes in."""
        self.host.eio(5)
        self.wait_state(5, "FAULTED")
        self.case_for(5, IO)
        self.wait(lambda: self.host.vdev(7), "the spare")
        self.wait_lit(5)
        self.wait_told(1, 1)


class LostLedWrite(SimCase):
    def test_led_that_takes_no_writes(self):
        self.host.break_led(4, "fault")
        self.host.corrupt(4, blocks=20)
        self.host.scrub()
        case = self.case_for(4)
        self.wait(lambda: self.action(case, "fault-led").get("attempts", 0) >= 2, lambda:
                  f"two attempts: {self.stage.case(case['uuid'])['actions']}")
        self.wait(lambda: [b for b in self.stage.resources("bay") if b["properties"].get("led.fault") == "cannot-drive"],
                  "the bay says its LED cannot be driven")
        self.host.break_led(4, "fault", broken=False)
        self.wait_lit(4)
        self.wait_action(case, "fault-led", "done")

    def test_led_switched_off_by_somebody_else(self):
        self.host.corrupt(4, blocks=20)
        self.host.scrub()
        self.case_for(4)
        self.wait_lit(4)
        self.host.break_led(4, "fault", broken=False)  # writes 0
        self.wait_lit(4)


class DryRun(SimCase):
    files = {"fmd.toml": "[action]\ndry_run = true\n"}

    def test_told_and_not_done(self):
        self.host.corrupt(4, blocks=20)
        self.host.read(seconds=0.5)
        case = self.case_for(4)
        self.wait_action(case, "retire", "dry-run")
        self.wait_told(1, 1)
        self.assertEqual((self.host.vdev(4)["state"], self.host.vdev(7), self.lit()), ("ONLINE", {}, set()))
        self.assertTrue([e for e in self.timeline(case) if "dry" in e["kind"] + e["text"].lower()], self.timeline(case))


class BlastRadius(SimCase):
    files = {"fmd.toml": "[action]\nmax_retired = 1\n"}
    host_options = {"pools": ("tank=raidz2:1,2,3,4,5,6+7,8",)}

    def test_one_disk_a_pool(self):
        self.host.corrupt(2, blocks=20)
        self.host.read(seconds=0.5)
        first = self.case_for(2)
        self.wait_state(2, "DEGRADED", "FAULTED")
        # In another way: two disks that return wrong data at once may have a cause in common.
        self.host.eio(4, errors=30, seconds=0.3)
        cases = self.wait(lambda: len(self.solved()) == 2 and self.solved(), "a second case")
        second = next(case for case in cases if case["uuid"] != first["uuid"])
        self.assertEqual(second["suspects"][0]["class"], IO)
        held_back = self.wait_action(second, "retire", "refused")
        self.assertEqual(held_back["obstacle"], "blast-radius")
        self.assertEqual(self.host.vdev(4)["state"], "ONLINE")
        self.wait_lit(2, 4)


if __name__ == "__main__":
    unittest.main()
