"""WebCase: a SimCase with Chromium, and the page in the real Cockpit. FMD_WEB names the folder of the built page."""
import os
import sys

sys.dont_write_bytecode = True
TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TREE, "tests", "integration"))

from sim_case import BUILD, SimCase  # noqa: E402  (the path has to be set before)
from browser import Browser  # noqa: E402
from cockpit import Cockpit  # noqa: E402

PAGE = os.environ.get("FMD_WEB", os.path.join(BUILD, "ui", "web"))
NOBODY = 65534


class WebCase(SimCase):
    plugins = ("disk", "enclosure", "zfs", "system", "mail", "snmp")
    host_options = {"box": True}
    user = None  # whose session it is; None: this process' own, root in the gate
    console_may_complain = False  # errors in the browser's console fail the test

    def setUp(self):
        super().setUp()
        os.chmod(self.stage.folder, 0o711)
        self.cockpit = Cockpit(self.stage, PAGE, self.user).start()
        self.browser = Browser(self.stage.folder)
        self.addCleanup(self.browser.close)
        self.browser.open(self.cockpit.address())

    def tearDown(self):
        errors = self.browser.errors()
        super().tearDown()
        if not self.console_may_complain:
            self.assertEqual(errors, [], "errors in the browser's console")
