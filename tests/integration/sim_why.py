#!/usr/bin/python3
"""fmadm why shows which explanations the inference compares, and their odds."""
import unittest

from sim_case import CHECKSUM, SimCase

SHARED = "fault.io.path.shared"


class Why(SimCase):
    plugins = ("disk", "system", "enclosure", "zfs")
    host_options = {"controllers": 1, "speed": {"scrub": 1.0, "resilver": 1.0, "notice": 0.1}}

    def best(self, *words):
        doc = self.stage.ask("fmadm", "why", *words)
        return [one["explanations"][0] for one in doc["explanations"]]

    def test_a_cable(self):
        self.host.cable(1, good=False)
        self.wait(lambda: any(s["class"] == SHARED for c in self.stage.cases() for s in c["suspects"]), "the case of the cause")
        case, = [c for c in self.stage.cases() if c["suspects"] and c["suspects"][0]["class"] == SHARED]
        accused = case["suspects"][0]["resource"]
        best, = self.best(case["uuid"])
        self.assertEqual(best["kind"], "path")
        self.assertIn(accused, best["names"])
        self.assertGreater(best["count"], 2)
        said = " ".join(self.stage.run("fmadm", "why", case["uuid"]).stdout.split())
        self.assertIn("What may have caused it", said)
        self.assertRegex(said, r"explains (all )?\d+ (of \d+ )?disks within .*: most likely \(")
        self.assertRegex(said, r"each disk by itself: one chance in 10\^\d+")
        self.assertRegex(said, "a person who removed .*: impossible")
        odds = said.partition("What may have caused it")[2]
        self.stage.kill()
        self.stage.restart()
        self.wait(self.stage.settled, "fmd to be back")
        after, = self.best(case["uuid"])
        self.assertEqual((after["kind"], after["names"], after["count"]), (best["kind"], best["names"], best["count"]), odds)

    def test_a_disk(self):
        self.assertIn("knows of none", self.stage.run("fmadm", "why", "SLOT 04").stdout)
        self.host.corrupt(4, blocks=15)
        self.host.read(seconds=0.3)
        self.case_for(4, CHECKSUM)
        for words in (["SLOT 04"], []):
            best, = self.best(*words)
            self.assertEqual((best["kind"], best["count"]), ("alone", 1))


if __name__ == "__main__":
    unittest.main()
