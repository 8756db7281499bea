#!/usr/bin/python3
"""kill -9 of fmd at each step: the same end, exactly one mail and one notification."""
import unittest

from sim_case import SimCase


class Crash(SimCase):
    def ereports(self):
        return [e for e in self.stage.ask("fmdump", "-e") if e["class"] == "ereport.fs.zfs.checksum"]

    def back(self):
        """Restarts fmd as systemd would; waits until it answers and the plugins are back."""
        self.stage.restart()
        self.wait(self.stage.settled, "fmd to be back")

    def test_before_diagnosis(self):
        """Nine ereports are on disk; the tenth comes after the crash."""
        self.host.corrupt(4, blocks=9)
        self.host.read(seconds=0.3)
        self.wait(lambda: len(self.ereports()) == 9, "nine ereports taken in")
        self.assertEqual(self.solved(True), [])  # a few errors are a suspicion, held for an hour
        self.back()
        self.host.corrupt(4, blocks=1)
        self.host.read(seconds=0.1)
        self.case_for(4)
        self.assertEqual(len(self.ereports()), 10)
        self.check_out_of_service(4)

    def test_before_the_events_are_taken(self):
        """fmd is stopped while the errors arrive, and dies without having read them: the source sends them again."""
        self.stage.freeze("fmd")
        self.host.corrupt(4, blocks=15)
        self.host.read(seconds=0.3)
        self.wait(lambda: self.host.vdev(4)["cksum"] == 15, "the errors")
        self.back()
        self.wait_located()
        self.case_for(4)
        self.check_out_of_service(4)
        self.assertEqual(len({e["payload"]["eid"] for e in self.ereports()}), len(self.ereports()))

    def test_before_the_command(self):
        """The LED's plugin is stopped, so its command has no answer when fmd dies."""
        self.stage.freeze("fmd-enclosure")
        self.host.corrupt(4, blocks=15)
        self.host.read(seconds=0.3)
        case = self.case_for(4)
        self.wait_action(case, "fault-led", "running")
        self.stage.kill()
        self.assertEqual(self.lit(), set())
        self.stage.freeze("fmd-enclosure", False)
        self.back()
        self.check_out_of_service(4)

    def test_while_the_retirement_waits(self):
        self.host.corrupt(4, blocks=20)
        self.host.scrub()
        case = self.case_for(4)
        self.back()
        self.assertEqual([c["uuid"] for c in self.solved(True)], [case["uuid"]])
        self.check_out_of_service(4)

    def test_before_the_mail(self):
        self.stage.mail.mode("refuse")
        self.stage.freeze("fmd-snmp")
        self.host.corrupt(4, blocks=15)
        self.host.read(seconds=0.3)
        self.case_for(4)
        self.wait(lambda: [line for line in self.stage.mail.transcript() if line["state"] == "refused"], "a mail refused")
        self.stage.kill()
        self.stage.mail.mode("accept")
        self.stage.freeze("fmd-snmp", False)
        self.back()
        self.check_out_of_service(4)

    def test_before_the_ack(self):
        """The server has received the mail but not answered when fmd dies; the plugin finishes without fmd."""
        self.stage.mail.mode("hold")
        self.host.corrupt(4, blocks=15)
        self.host.read(seconds=0.3)
        self.case_for(4)
        self.wait(lambda: self.stage.mail.transcript(), "a mail under way")
        self.stage.kill()
        self.stage.mail.mode("accept")
        self.wait(lambda: self.stage.mail.messages(), "the mail accepted")
        self.back()
        self.check_out_of_service(4)

    def test_at_the_end(self):
        self.host.corrupt(4, blocks=15)
        self.host.read(seconds=0.3)
        case = self.case_for(4)
        self.check_out_of_service(4)
        self.back()
        self.check_out_of_service(4)
        self.assertEqual(self.stage.case(case["uuid"])["suspects"][0]["serial"], "DISK04G0")


if __name__ == "__main__":
    unittest.main()
