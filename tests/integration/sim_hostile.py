#!/usr/bin/python3
"""Serial numbers and pool names with arbitrary bytes: shown escaped, never interpreted."""
import html
import re
import unittest

from sim_case import SimCase

NASTY = "\x1b[2J\"';$(touch /tmp/fmd-was-here)|%s\t<b>Ω\u202e{label}"
SERIAL = (NASTY + "x" * 200)[:200]
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")


class Hostile(SimCase):
    host_options = {"serials": {4: SERIAL}, "pools": ("po ol=raidz2:1,2,3,4,5,6+7",)}

    def test_shown_escaped(self):
        self.host.corrupt(4, blocks=15)
        self.host.read("po ol", seconds=0.3)
        case = self.case_for(4)
        self.assertEqual(case["suspects"][0]["serial"], SERIAL.strip())
        self.wait_told(1, 1)
        shown = {program: self.stage.run(*program.split()).stdout
                 for program in ("fmadm faulty", "fmadm faulty -v", "fmdump -v", "fmdump -e -V", "fmtopo", "fmtopo -V",
                                 "fmadm config", "fmadm resilver", "fmstat -s")}
        mail = self.stage.mail.messages()[0]
        shown |= {"subject": mail["subject"], "body": mail["body"].replace("\r\n", "\n"),
                  "html": html.unescape(re.sub("<[^>]*>", "", mail["html"].replace("\r\n", "\n"))),
                  "headers": "\n".join(f"{k}: {v}" for k, v in mail["headers"].items()),
                  "notification": "\n".join(self.stage.snmp.notifications()[0]["values"].values())}
        for where, text in shown.items():
            text = text.replace("\tChassis_id", "  Chassis_id")  # the layout's own tab
            self.assertEqual(CONTROL.findall(text), [], f"{where}: {text!r}")
        self.assertIn("touch", shown["fmadm faulty"])
        self.assertNotIn("<b>Ω", mail["html"], "shown, not markup")
        self.assertIn("<b>Ω", shown["html"])
        self.assertNotIn("SLOT 04}", shown["body"].replace("{label}", ""))
        self.check_out_of_service(4)
        self.swap(4)
        self.wait(lambda: self.stage.case(case["uuid"])["state"] == "RESOLVED",
                  lambda: f"the case resolved: {self.stage.case(case['uuid'])}")


if __name__ == "__main__":
    unittest.main()
