#!/usr/bin/python3
"""The disk in bay 4, end to end: found by a scrub or by reads, taken out of service, swapped, resilvered, resolved."""
import os
import sys
import unittest

from sim_case import CHECKSUM, SimCase

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import document_schema  # noqa: E402  (the path has to be set before)


class Scrub(SimCase):
    def test_found_by_scrub_then_swapped(self):
        self.host.corrupt(4, blocks=40)
        self.host.corrupt(2, blocks=3)
        self.host.scrub()
        case = self.case_for(4)
        suspect = case["suspects"][0]
        self.assertEqual((case["code"], suspect["serial"], suspect["certainty"]), ("ZFS-8000-GH", "DISK04G0", 100))
        self.check_out_of_service(4)
        # The retirement followed the end of the scrub, so it did not cancel the scrub.
        classes = self.host.events()
        self.assertNotIn("sysevent.fs.zfs.scrub_abort", classes)
        self.assertLess(classes.index("sysevent.fs.zfs.scrub_finish"), classes.index("resource.fs.zfs.statechange"))
        self.assertLess(classes.index("resource.fs.zfs.statechange"), classes.index("sysevent.fs.zfs.vdev_spare"))
        self.assertEqual(classes.count("sysevent.fs.zfs.vdev_spare"), 1)

        self.wait_told(2, 2)
        self.assertIn("You can pull the disk in bay SLOT 04 (serial DISK04G0) now: the spare holds all its data.",
                      " ".join(self.stage.mail.messages()[1]["body"].split()))
        self.swap(4)
        self.wait(lambda: self.stage.case(case["uuid"])["state"] == "RESOLVED",
                  lambda: f"the case resolved: {self.stage.case(case['uuid'])}")
        self.wait_lit()
        self.wait_told(3, 3)
        self.assertEqual(len(self.stage.mail.messages()), 3, self.subjects())
        # The chassis at the time of each message.
        for mail, words in zip(self.stage.mail.messages(), ("needs attention", "needs attention", "watched, healthy")):
            (picture,) = mail["pictures"]
            self.assertEqual(picture["begins"], "89504e470d0a1a0a", "a PNG")
            self.assertGreater(picture["bytes"], 2000)
            self.assertIn("cid:" + picture["cid"], mail["html"])
            self.assertRegex(mail["html"], f'alt="[^"]*SLOT 04: [^"]*{words}')
        self.assertEqual(len(self.stage.snmp.notifications()), 3)
        self.assertEqual(self.stage.cases(), [])
        self.assertEqual((self.host.vdev(4)["state"], self.host.vdev(4)["place"]), ("ONLINE", "raidz2-0"))
        self.assertEqual(self.host.vdev(7), {}, "the spare is back")
        self.assertEqual(len(self.solved(everything=True)), 1)
        self.check_documents(case["uuid"])

    def check_documents(self, uuid):
        """They follow the schema; a resolved case does not say that anything continues."""
        for command in ("fmadm faulty -a", "fmadm actions", "fmadm history", "fmadm resilver", "fmadm config", "fmtopo", "fmstat", "fmstat -s"):
            name = command.removesuffix(" -a")
            document_schema.check(name, self.stage.ask(*command.split()))
        for command in ("fmdump", "fmdump -e"):
            for document in self.stage.ask(*command.split()):
                document_schema.check(command, document)
        (over,) = [c for c in self.stage.ask("fmadm", "faulty", "-a") if c["uuid"] == uuid]
        self.assertEqual({a["kind"]: a["state"] for a in over["actions"] if a["state"] != "returned"}, {})


class Reads(SimCase):
    # Slow enough to show that nothing waits for its end.
    host_options = {"speed": {"scrub": 60.0, "resilver": 2.0, "notice": 0.1}}

    def test_found_by_reads(self):
        self.host.corrupt(4, blocks=15)
        self.host.read(seconds=0.5)
        self.case_for(4)
        self.wait_state(4, "DEGRADED", "FAULTED")
        self.assertFalse([e for e in self.stage.ask("fmdump", "-e") if ".scrub_" in e["class"]], "nothing waits for a scrub")
        self.wait(lambda: self.host.vdev(7), "the spare")
        self.check_out_of_service(4)

    def test_reads_meet_it_too_during_a_scrub(self):
        """A disk that gets worse while a scrub runs is not left in service until the scrub's end."""
        self.host.corrupt(4, garbage=True)
        self.host.scrub()
        self.host.read(seconds=1)
        self.case_for(4)
        self.wait_state(4, "DEGRADED", "FAULTED")
        self.wait(lambda: self.host.vdev(7), "the spare")

    def test_few_errors_are_no_fault(self):
        self.host.corrupt(2, blocks=9)
        self.host.corrupt(4, blocks=12)
        self.host.read(seconds=0.5)
        self.case_for(4)
        self.wait(lambda: self.host.vdev(2)["cksum"] == 9, "nine errors in bay 2")
        self.check_out_of_service(4)
        counted = {e["rule"]: e["count"] for e in self.stage.ask("fmstat", "-s")
                   if e["resource"].endswith(f"vdev={self.host.vdev(2)['guid']}")}
        self.assertEqual(counted, {"zfs-checksum": 9, "zfs-checksum-io": 9}, "nine are remembered")
        self.assertEqual([s["class"] for c in self.solved(True) for s in c["suspects"]], [CHECKSUM])


if __name__ == "__main__":
    unittest.main()
