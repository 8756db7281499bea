#!/usr/bin/python3
"""The page in Cockpit, in the real Chromium: a failing disk from the overview to its blinking bay, live, through a restart of fmd."""
import unittest

from web_case import WebCase


class Story(WebCase):
    def test_a_failing_disk_is_shown_and_located(self):
        self.browser.wait_text("No problem is known", "tank", "survives 2 more disks")
        self.host.corrupt(4, blocks=40)
        self.host.scrub()
        uuid = self.case_for(4)["uuid"]
        say = self.stage.case(uuid)["say"]
        self.browser.wait_text(say["headline"], "Safe to pull", gone=("No problem is known",))
        self.check_out_of_service(4)
        say = self.stage.case(uuid)["say"]
        self.assertIn("SLOT 04", say["do_now"])
        self.browser.wait_text(" ".join(say["do_now"].split()), "DISK04G0")

        self.browser.click(say["headline"])
        self.browser.wait_text("Steps", *(" ".join(step.split()) for step in say["steps"]))

        self.restart()
        self.browser.click("Chassis")
        self.browser.wait_text("SLOT 04", "Fault LED is on", say["headline"])
        self.browser.click("Locate SLOT 04")
        self.browser.wait_text("The locate LED of SLOT 04 will blink")
        self.assertFalse(self.located(4), "nothing happens before the confirmation")
        self.browser.click("Let SLOT 04 blink")
        self.wait(lambda: self.located(4), "bay 4 blinks")
        self.browser.wait_text("Locate LED is on")
        self.browser.click("Stop locating SLOT 04")
        self.wait(lambda: not self.located(4), "bay 4 no longer blinks")

    def restart(self):
        """fmd ends and comes back: the page says so at once, keeps what it knew, and continues by itself."""
        self.stage.kill()
        self.browser.wait_text("fmd is not running", "since", "SLOT 04")
        self.stage.start_fmd()
        self.wait(self.stage.settled, "fmd and its plugins")
        self.browser.wait_text("SLOT 04", gone=("fmd is not running",))

    def located(self, bay):
        return next(row for row in self.host.chassis() if row["bay"] == bay)["locate"]


if __name__ == "__main__":
    unittest.main()
