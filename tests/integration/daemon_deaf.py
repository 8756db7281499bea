#!/usr/bin/python3
"""A user subscribes to fmd's signals and never reads them, until dbus-daemon accepts nothing more from fmd. Root is answered all
the same: fmd leaves the bus, joins it again, and fmadm repeats its query. Run as: daemon_deaf.py PATH-OF-FMD FMADM"""
import os
import subprocess
import sys
import threading
import time

from daemon_bus import AS_OTHER, FMD, BusCase
from daemon_case import disk, main

from process import patience, wait_for

FMADM = os.path.abspath(sys.argv.pop(2))
LIB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib")
DISKS, LONGEST = 400, 25  # LONGEST: seconds that most programs wait for an answer
LISTENER = """
import sys; sys.path.insert(0, sys.argv[1])
from raw_bus import RawBus
bus = RawBus(sys.argv[2])
bus.send("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", sys.argv[3])
print("listens", flush=True)
sys.stdin.read()
"""


class Root(threading.Thread):
    """Runs `fmadm faulty` again and again."""

    def __init__(self, bus):
        super().__init__(daemon=True)
        self.command, self.stopped = [FMADM, "--bus", f"unix:path={bus}", "faulty"], threading.Event()
        self.longest, self.failed = 0, []

    def run(self):
        while not self.stopped.wait(0.1):
            begun = time.monotonic()
            ran = subprocess.run(self.command, capture_output=True, text=True, check=False)
            self.longest = max(self.longest, time.monotonic() - begun)
            if ran.returncode:
                self.failed.append(f"{ran.returncode} after {time.monotonic() - begun:.1f} s: {ran.stderr}")


class DeafListener(BusCase):
    # The default is 127 MiB, which takes minutes of signals.
    limits = {"max_incoming_bytes": 1 << 20}

    def test_root_is_answered(self):
        listener = subprocess.Popen(["/usr/bin/python3", "-c", LISTENER, LIB, self.bus, f"type='signal',sender='{FMD[0]}'"], text=True, cwd="/",
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={"PYTHONDONTWRITEBYTECODE": "1"}, **AS_OTHER)
        self.addCleanup(listener.communicate, timeout=patience())
        self.assertEqual(listener.stdout.readline(), "listens\n")
        plugin, root = self.daemon.plugin("source"), Root(self.bus)
        root.start()
        changes = 0

        def joined_again():
            nonlocal changes
            changes += 1
            plugin.inventory([{"fmri": disk(n), "type": "disk", "properties": {"count": changes}} for n in range(DISKS)], seconds=60)
            return self.daemon.log_text().count("on the bus as") >= 2
        wait_for(joined_again, 120, "fmd to leave the bus and join it again", every=0.2)
        self.assertIn("accepts no messages", self.daemon.log_text())
        self.assertNotIn("another owner", self.daemon.log_text())
        wait_for(lambda: self.call("GetConfig").returncode == 0, 20, "an answer")
        root.stopped.set()
        root.join(patience())
        self.assertEqual(root.failed, [])
        self.assertLess(root.longest, LONGEST)


if __name__ == "__main__":
    main()
