#!/usr/bin/python3
"""A digest on the simulated host: five disks of two pools fail. Before it is sent, one is replaced and another is pulled."""
import unittest

from sim_case import SimCase

# The first two mails go alone. A digest gathers for half a minute at least and is then closed when nothing more has come.
DIGEST = """
[[notify]]
name = "cases"
channels = ["mail"]
[digest]
quiet = "30s"
gather = "30s"
every = "30s"
"""


class Digest(SimCase):
    plugins = ("disk", "enclosure", "zfs", "smart", "mail")
    host_options = {"bays": 12, "pools": ("tank=raidz2:1,2,3,4,5", "vault=raidz2:6,7,8,9,10")}
    files = {"smart.toml": 'interval = "1s"\n', "fmd.toml": DIGEST}

    def setUp(self):
        self.rules = self.shorter_holds({"smart.toml": {'hold = "5min"': 'hold = "1s"'}})
        super().setUp()

    def fails(self, bay):
        self.host.smart(bay, [("health", "failed")])
        self.wait(lambda: self.case_in(bay), lambda: f"a case of bay {bay}: {self.stage.cases()}")

    def case_in(self, bay):
        return next((case for case in self.solved(True) if case["suspects"][0]["location"] == f"SLOT {bay:02d}"), None)

    def digest(self):
        return next((mail for mail in self.stage.mail.messages() if "combines" in mail["body"]), None)

    def test_a_third_message_alone_says_what_holds_when_it_goes_out(self):
        for bay in (1, 6, 2):
            self.fails(bay)
        self.wait(lambda: len(self.stage.mail.messages()) == 2, lambda: f"two mails: {self.subjects()}")
        self.host.pull(2)
        self.wait(lambda: not self.occupied(2), "bay 2 to be seen empty")
        self.assertEqual(len(self.stage.mail.messages()), 2, "the third was to wait until now")
        mail = self.wait(lambda: next((m for m in self.stage.mail.messages() if "SLOT 02" in m["subject"]), None), lambda: f"a third mail: {self.subjects()}")
        self.assertIn("put a blank disk at least as large into SLOT 02", mail["subject"])
        self.assertTrue(mail["body"].lstrip().startswith("Put a blank disk"), mail["body"])
        self.assertNotIn("combines", mail["body"])

    def test_it_says_what_holds_when_it_goes_out(self):
        for bay in (1, 6):
            self.fails(bay)
        self.wait(lambda: len(self.stage.mail.messages()) == 2, lambda: f"two mails: {self.subjects()}")
        for bay in (2, 3, 7):
            self.fails(bay)
        # SLOT 02 is replaced and resilvered, SLOT 07 is pulled.
        self.swap(2)
        self.wait(lambda: self.case_in(2)["state"] == "RESOLVED", lambda: f"SLOT 02 repaired: {self.case_in(2)}")
        self.host.pull(7)
        self.wait(lambda: not self.occupied(7), "bay 7 to be seen empty")
        self.assertIsNone(self.digest(), "it was to gather until now")
        mail = self.wait(self.digest, lambda: f"a digest: {self.subjects()}")
        body = " ".join(mail["body"].split())
        faulty, repaired = body.index("Faulty"), body.index("Repaired")
        self.assertLess(faulty, repaired)
        self.assertNotIn("SLOT 02", body[:repaired], "it is repaired")
        self.assertIn("SLOT 02", body[repaired:])
        self.assertNotIn("Replace the disk in SLOT 02", body)
        self.assertNotIn("Replace the disk in SLOT 07", body, "it is out already")
        self.assertIn("Put a blank disk at least as large into SLOT 07", body)
        self.assertIn("SLOT 03", body[faulty:repaired])
        # The mail about SLOT 01 went out alone, but only one disk of the pool may be pulled first.
        self.assertRegex(body, r"Pull one disk of pool tank at a time, SLOT 0[13] first")
        self.assertNotIn("Replace no part", body)


if __name__ == "__main__":
    unittest.main()
