#!/usr/bin/python3
"""fmadm record: the recording of a resolved fault, whose disk has left the machine, gives the same cases again."""
import json
import os
import tempfile
import unittest

from sim_case import CHECKSUM, SimCase

import shipped

KNOWN = shipped.options()


class AfterTheRepair(SimCase):
    host_options = {"pools": ("tank=raidz2:1,2,3,4,5,6",)}

    def setUp(self):
        super().setUp()
        self.host.corrupt(4, blocks=15)
        self.host.read(seconds=0.5)
        self.case = self.case_for(4)
        self.old = self.case["suspects"][0]
        self.stage.ask("fmadm", "retire", "SLOT 04")
        self.wait_state(4, "FAULTED")
        self.swap(4)
        self.wait(lambda: self.stage.case(self.case["uuid"])["state"] == "RESOLVED", "the case resolved")

    def record(self, *words):
        done = self.stage.run("fmadm", "record", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def replayed(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write(text)
            file.flush()
            done = self.stage.run("fmadm", "replay", *KNOWN, "--json", file.name)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    @staticmethod
    def gist(cases):
        return sorted((suspect["class"], suspect["location"], suspect["status"], case["state"])
                      for case in cases for suspect in case["suspects"])

    def test_the_same_cases_also_when_masked(self):
        text = self.record()
        cases = self.replayed(text)
        self.assertEqual([(s["class"], s["location"], s["serial"]) for c in cases for s in c["suspects"]],
                         [(CHECKSUM, "SLOT 04", self.old["serial"])])
        self.assertEqual(cases[0]["suspects"][0]["fru"], self.old["fru"], "the disk that has left, not the new one")
        self.assertEqual(self.gist(cases), self.gist([self.stage.case(self.case["uuid"])]))

        masked = self.record("--mask")
        self.assertEqual(self.gist(self.replayed(masked)), self.gist(cases))
        for secret in (self.old["serial"], self.old["fru"].split("=")[1], self.old["resource"].split("vdev=")[1]):
            self.assertIn(secret, text)
            self.assertNotIn(secret.lower(), masked.lower())
        self.assertNotIn(f'"{os.uname().nodename}"', masked)

    def test_one_case_is_enough(self):
        text = self.record("--uuid", self.case["uuid"], "--mask")
        self.assertEqual([s["class"] for c in self.replayed(text) for s in c["suspects"]], [CHECKSUM])
        head = json.loads(text.splitlines()[0])["scenario"]
        self.assertEqual([s["class"] for c in head["cases"] for s in c["suspects"]], [CHECKSUM])
        self.assertTrue(head["masked"])


if __name__ == "__main__":
    unittest.main()
