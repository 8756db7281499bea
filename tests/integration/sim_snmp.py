#!/usr/bin/python3
"""The disk in bay 4 as a manager sees it: snmpbulkwalk's output compared with fmadm's and fmtopo's."""
import os
import sys
import unittest

from sim_case import SimCase, TREE

sys.path.insert(0, os.path.join(TREE, "plugins", "snmp", "tests"))
import librenms  # noqa: E402
import mibs  # noqa: E402

STATUS = mibs.base() + ".3"
CRITICAL, MAJOR, MINOR, UNDER_REPAIR = 0x20, 0x10, 0x08, 0x40
HOT_STANDBY, PROVIDING = "2", "4"


class Managed(SimCase):
    def walk(self, oid):
        return mibs.walk(f"127.0.0.1:{self.stage.snmp.port}", oid, self.stage.path("tools"))

    def seen(self):
        """{name: (alarm bits, oper, standby)} of all parts."""
        found = librenms.discover(self.walk)
        return {found.parts[number]["name"]: (state["alarm"], state["oper"], state["standby"]) for number, state in found.states.items()}

    def open_problems(self):
        return set(self.walk(f"{STATUS}.1.1.2").values())

    def agree(self):
        """The tables agree with fmadm and fmtopo once they have caught up."""
        def same():
            return (self.open_problems() == {case["uuid"] for case in self.solved()}
                    and set(self.walk(f"{STATUS}.5.1.2").values()) == {part["fmri"] for part in self.stage.ask("fmtopo")})
        self.wait(same, lambda: f"tables as {self.solved()}; they have {self.open_problems()}")

    def test_from_fault_to_repair(self):
        self.agree()
        self.wait(lambda: self.seen()["SLOT 07 disk"][2] == HOT_STANDBY, "the spare known as one: its pool may be told last")
        self.assertEqual(self.open_problems(), set())
        before = self.seen()
        self.assertEqual({bits for bits, _, _ in before.values()}, {0})
        self.assertEqual(before["SLOT 07 disk"][2], HOT_STANDBY)
        self.assertEqual(before["SLOT 04 disk"][2], PROVIDING)

        self.host.corrupt(4, blocks=40)
        self.host.scrub()
        case = self.case_for(4)
        self.check_out_of_service(4)
        self.agree()
        bit = {"Critical": CRITICAL, "Major": MAJOR, "Minor": MINOR}[case["severity"]]
        self.wait(lambda: self.seen()["SLOT 04 disk"][:2] == (bit, "2"), lambda: f"an alarm at bay 4: {self.seen()}")
        self.wait(lambda: self.seen()["SLOT 07 disk"][2] == PROVIDING, lambda: f"the spare in service: {self.seen()}")
        self.wait(lambda: len(self.stage.snmp.resilvers()) == 1, lambda: f"the spare's resilver told: {self.stage.snmp.received()}")

        self.swap(4)
        self.wait(lambda: self.stage.case(case["uuid"])["state"] == "RESOLVED", "the case resolved")
        self.agree()
        self.assertEqual(self.open_problems(), set())
        self.wait(lambda: {bits for bits, _, _ in self.seen().values()} == {0}, lambda: f"no alarm: {self.seen()}")
        self.wait(lambda: self.seen()["SLOT 07 disk"][2] == HOT_STANDBY, "the spare waiting again")
        self.wait(lambda: len(self.stage.snmp.resilvers()) == 2, lambda: f"both resilvers told: {self.stage.snmp.received()}")

    def test_a_resilver_ends_while_fmd_snmp_is_away(self):
        self.host.corrupt(4, blocks=40)
        self.host.scrub()
        self.case_for(4)
        self.check_out_of_service(4)
        self.wait(lambda: len(self.stage.snmp.resilvers()) == 1, "the spare's resilver told")
        self.resilver_unseen()
        self.wait(lambda: len(self.stage.snmp.resilvers()) == 2, lambda: f"the second told: {self.stage.snmp.received()}")
        keys = [one["values"][f"{mibs.base()}.1.11.0"] for one in self.stage.snmp.resilvers()]
        self.assertEqual(len(set(keys)), 2)

    def resilver_unseen(self):
        self.stage.kill("fmd-snmp")
        self.swap(4)
        self.wait(lambda: self.host.vdev(4).get("place") == "raidz2-0" and not self.host.vdev(7), lambda: f"the resilver's end: {self.host.vdev(4)}")
        self.stage.start_plugin("snmp")


if __name__ == "__main__":
    unittest.main()
