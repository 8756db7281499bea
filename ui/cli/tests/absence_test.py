"""The message if fmd's name is not on the bus: what helps, depending on systemd's state of fmd.service."""
import subprocess
import unittest

import stage

SYSTEMD = stage.ROOT / "tests/lib/fake_systemd.py"


class Absence(unittest.TestCase):
    def said(self, *unit):
        bus = stage.Bus()
        self.addCleanup(bus.stop)
        if unit:
            systemd = subprocess.Popen(["/usr/bin/python3", str(SYSTEMD), bus.address, "fmd.service", *unit], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)
            self.addCleanup(systemd.stdout.close)
            self.addCleanup(systemd.wait)
            self.addCleanup(systemd.stdin.close)
            self.assertEqual(systemd.stdout.readline(), "ready\n")
        done = stage.run("fmadm", "status", bus=bus)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        return done.stderr

    def test_no_systemd_or_just_not_started(self):
        for unit in ((), ("loaded", "inactive", "dead", "0")):
            self.assertIn("fmd is not running", text := self.said(*unit))
            self.assertIn("systemctl enable --now fmd.target", text)

    def test_it_runs_without_a_name(self):
        text = self.said("loaded", "active", "running", "0")
        self.assertIn("fmd is running, but it has no name", text)
        self.assertIn("systemctl reload dbus", text)
        self.assertNotIn("enable --now", text)

    def test_it_refuses_its_configuration(self):
        for unit in (("loaded", "failed", "failed", "78"), ("loaded", "inactive", "dead", "78")):
            text = self.said(*unit)
            self.assertIn("errors in its configuration", text)
            self.assertIn("fmd --check", text)

    def test_it_ends_at_once(self):
        text = self.said("loaded", "activating", "auto-restart", "1")
        self.assertIn("exit status 1", text)
        self.assertIn("journalctl -u fmd", text)

    def test_it_is_starting(self):
        self.assertIn("fmd is starting", self.said("loaded", "activating", "start", "0"))

    def test_it_is_not_there(self):
        self.assertIn("not installed", self.said("not-found", "inactive", "dead", "0"))


if __name__ == "__main__":
    unittest.main()
