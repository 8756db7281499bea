"""The base of the daemon's tests. Each runs as: NAME.py PATH-OF-FMD [unittest's arguments]."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

from daemon import Daemon, NOW_CLASS, SERD_CLASS  # noqa: E402,F401
from fake_plugin import NoAnswer, event  # noqa: E402,F401

FINE_CLASS = "sysevent.test.disk.fine"
BINARY = None


BAY = "hc://chassis=t/bay=1"


def disk(number):
    return f"dev://serial=TEST:{number}"


def bay_with(part, fault="off"):
    """The inventory of a shelf with one bay, its LED and a disk in it."""
    return [{"fmri": BAY, "type": "bay", "properties": {"label": "Bay 1", "led.fault": fault}, "edges": [{"relation": "contains", "to": part}]},
            {"fmri": part, "type": "disk", "properties": {"serial": part.rpartition(":")[2]}}]


class DaemonCase(unittest.TestCase):
    """A test with one daemon, started unless the test says otherwise."""
    start = True
    config = "[digest]\nchannels = []\n"  # each message by itself

    def setUp(self):
        self.daemon = Daemon(BINARY, config=self.config)
        self.addCleanup(self._end)
        if self.start:
            self.daemon.start()

    def _end(self):
        result = self._outcome.result
        failed = any(test is self for test, _ in result.failures + result.errors)
        self.daemon.__exit__(AssertionError if failed else None, None, None)

    def restart(self):
        """kill -9 and a fresh start."""
        self.daemon.kill()
        self.daemon.start()

    def cases(self):
        """Stops the daemon; the cases in its store, oldest first."""
        self.daemon.stop()
        return sorted(self.daemon.stored().get("case", {}).values(), key=lambda c: c["opened"])


def main():
    global BINARY
    BINARY = os.path.abspath(sys.argv.pop(1))
    module = sys.modules["__main__"]
    sys.modules["daemon_case"].BINARY = BINARY
    unittest.main(module=module, verbosity=2)
