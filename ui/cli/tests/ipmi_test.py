"""fmadm ipmi: the BMC's sensors, and how each is read."""
import unittest

import stage


class Ipmi(stage.Case):
    def says(self, name, kind, **properties):
        self.daemon.order(resource={"fmri": f"hc://system=host/{name}", "type": kind, "present": properties.pop("present", True),
                                    "properties": properties})

    def test_without_a_bmc(self):
        self.assertIn("No BMC is known.", self.ok("fmadm", "ipmi"))
        self.assertEqual(self.json("fmadm", "ipmi"), [])

    def test_what_is_observed_and_how_it_is_read(self):
        self.says("bmc=0", "bmc", state="observed", firmware="9.08", log_entries=5, log_used_percent=2)
        self.says("sensor=ipmi-41", "sensor", label="FAN1", observed_by="bmc", value=200, unit="rpm", level="critical",
                  reading="threshold", sensor_number="0x41", reason="below its lower critical threshold")
        self.says("sensor=ipmi-01", "sensor", label="CPU1 \x1b[2J", observed_by="bmc", value=96, unit="celsius", level="warning",
                  reading="threshold", sensor_number="0x01", explained_by="FAN1")
        self.says("sensor=ipmi-90", "sensor", label="ECC", observed_by="bmc", reading="event log", sensor_number="0x90")
        self.says("sensor=ipmi-91", "sensor", label="Gone", observed_by="bmc", reading="event log", present=False)
        self.says("sensor=nct-temp1", "sensor", label="of the kernel", value=30)
        text = self.ok("fmadm", "ipmi")
        self.assertEqual(text.splitlines(), [
            "BMC: observed, firmware 9.08, event log 2 % full (5 entries)",
            "SENSOR        VALUE    LEVEL     READ AS         SAYS",
            "CPU1 \\x1b[2J  96 C     warning   threshold 0x01  because of FAN1",
            "ECC           -        -         event log 0x90  -",
            "FAN1          200 rpm  critical  threshold 0x41  below its lower critical",
            "                                                 threshold"])
        self.assertPlain(text)
        self.assertEqual(len(self.json("fmadm", "ipmi")), 4)

    def test_a_silent_bmc(self):
        self.says("bmc=0", "bmc", state="silent", reason="it did not answer in time")
        self.assertEqual(self.ok("fmadm", "ipmi"), "BMC: silent (it did not answer in time)\n")


if __name__ == "__main__":
    unittest.main()
