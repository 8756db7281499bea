#!/usr/bin/python3
"""fmtray of a user who is neither root nor fmd's: ui/tray/tests/rights_test.cpp over the real fmd on the simulated host."""
import os
import subprocess
import unittest

from daemon_bus import AS_OTHER, as_root
from sim_case import BUILD, SimCase

PATIENCE = 300  # seconds: it gives up by itself before


class Rights(SimCase):
    plugins = ("disk", "enclosure", "zfs")
    start = False

    def test_what_polkit_does_not_allow(self):
        os.chmod(self.stage.folder, 0o711)
        self.stage.start()
        self.host.corrupt(4)
        self.host.scrub()
        self.case_for(4)
        home = self.stage.path("home")
        os.mkdir(home)
        os.chown(home, AS_OTHER["user"], AS_OTHER["group"])
        environment = {"HOME": home, "XDG_RUNTIME_DIR": home, "QT_QPA_PLATFORM": "offscreen", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
        ran = subprocess.run([os.path.join(BUILD, "ui/tray/rights-test"), self.host.folder, self.stage.bus], cwd="/", env=environment,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False, **AS_OTHER)
        self.assertEqual(ran.returncode, 0, ran.stdout)


if __name__ == "__main__":
    as_root(unittest.main)
