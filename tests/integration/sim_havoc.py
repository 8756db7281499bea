#!/usr/bin/python3
"""Programs are frozen, killed and stopped at random while errors arrive and a disk is swapped: every error is kept once, and the end is as if
nothing had happened. The seed in the test's name determines what happens, but not the exact moments."""
import os
import random
import time
import unittest

from sim_case import SimCase

PROGRAMS = ["fmd", "fmd", "fmd-zfs", "fmd-zfs", "fmd-disk", "fmd-enclosure", "fmd-mail", "fmd-snmp"]
EREPORT = "ereport.fs.zfs.checksum"


class Havoc(SimCase):
    def play(self, seed):
        self.dice, self.mail_kills = random.Random(seed), []
        self.host.corrupt(4, blocks=15)
        self.havoc(12, errors=True)
        self.wait_located()
        self.case_for(4)
        self.check_out_of_service(4)
        self.check_events()
        self.swap(4)
        self.havoc(8, errors=False)
        self.wait(lambda: not self.solved(), lambda: f"the case resolved: {self.stage.cases()}")
        self.wait(lambda: not self.host.vdev(7), "the spare back")
        self.wait_lit()
        self.wait_told(2, 2)
        self.assertEqual((len(self.mails_once()), len(self.stage.snmp.notifications())), (2, 2), self.subjects())
        self.assertEqual(len(self.solved(everything=True)), 1)

    def havoc(self, times, errors):
        for _ in range(times):
            self.go_by(errors)
            program, what = self.dice.choice(PROGRAMS), self.dice.choice(["freeze", "freeze", "kill", "end"])
            if what == "kill":
                if program == "fmd-mail":
                    self.kill_mail()
                else:
                    self.stage.restart(program)
                continue
            if what == "freeze":
                self.stage.freeze(program)
            else:
                self.stage.programs[program].stop()
            self.go_by(errors)
            if what == "freeze":
                self.stage.freeze(program, False)
            else:
                self.stage.programs[program].start()
        self.wait(self.stage.settled, "fmd and its plugins to be ready")

    def kill_mail(self):
        mail = self.stage.programs["fmd-mail"]
        mail.kill()
        killed, path = time.time(), self.stage.path("state", "mail", "delivered")
        known = set()
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                known = set(file.read().splitlines())
        self.mail_kills.append((killed, known))
        mail.start()

    def mails_once(self):
        """The mails, each once. One that the server had accepted before fmd-mail could record it, when it was killed, comes
        again, as the same message (fmd-mail(8)); no other does."""
        mails = {}
        for mail in self.stage.mail.messages():
            key = mail["headers"]["Message-ID"].strip("<>").split("@")[0].replace("/", ":")
            earlier = mails.setdefault(key, [])
            lost = any(key not in known and abs(killed - earlier[-1]) < 1 for killed, known in self.mail_kills) if earlier else True
            self.assertTrue(lost, f"twice: {key} {earlier} {mail['at']} {self.mail_kills}")
            earlier.append(mail["at"])
        return mails

    def go_by(self, errors):
        """Time passes, in which the pool is read: how long a program is frozen or away matters here."""
        seconds = self.dice.choice([0.02, 0.1, 0.3, 0.5])
        if errors:
            self.host.corrupt(4, blocks=2)
            self.host.read(seconds=seconds)
        end = time.monotonic() + seconds
        self.wait(lambda: time.monotonic() >= end, "that time")

    def check_events(self):
        posted = self.host.events().count(EREPORT)
        self.assertGreater(posted, 15)

        def kept():
            return [e["payload"]["eid"] for e in self.stage.ask("fmdump", "-e") if e["class"] == EREPORT]
        self.wait(lambda: len(kept()) >= posted, lambda: f"{posted} errors; kept are {len(kept())}")
        self.assertEqual(len(kept()), posted)
        self.assertEqual(len(set(kept())), posted)

    def test_1(self):
        self.play(1)

    def test_2(self):
        self.play(2)


if __name__ == "__main__":
    unittest.main()
