#!/usr/bin/python3
"""fmtray on a screen: an X server without a monitor, a window manager and a panel with a tray; the story is played in the real
window, the icon stands in the tray, a second fmtray wakes the first, and assistive technology finds the names."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "simulator"))
from process import wait_for  # noqa: E402  (the path has to be set before)

BUILD = os.environ["FMD_BUILD"]
CONTROLS = {"push button", "check box", "combo box", "spin button", "page tab", "toggle button", "menu item"}


class Screen(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="fmd-desktop-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        read, write = os.pipe()
        self.program("xvfb", ["Xvfb", "-displayfd", str(write), "-screen", "0", "1400x900x24", "-nolisten", "tcp"],
                     pass_fds=(write,))
        os.close(write)
        with os.fdopen(read) as pipe:
            display = pipe.readline().strip()
        self.env = {**os.environ, "DISPLAY": f":{display}", "QT_QPA_PLATFORM": "xcb", "HOME": self.folder,
                    "XDG_RUNTIME_DIR": self.folder, "TZ": "UTC", "LC_ALL": "C.UTF-8", "NO_AT_BRIDGE": "0"}
        bus = self.program("bus", ["dbus-daemon", "--session", "--nofork", "--print-address=1"])
        self.env["DBUS_SESSION_BUS_ADDRESS"] = self.wait(lambda: bus.tail().strip().split("\n")[0], "the bus")
        self.program("openbox", ["openbox"])
        self.program("tint2", ["tint2"])

    def program(self, name, command, **more):
        log = open(os.path.join(self.folder, name + ".log"), "wb")  # pylint: disable=consider-using-with
        self.addCleanup(log.close)
        process = subprocess.Popen(command, stdout=log, stderr=log, env=getattr(self, "env", None),
                                   stdin=subprocess.DEVNULL, **more)
        self.addCleanup(self.end, process)
        return Log(log.name, process)

    @staticmethod
    def end(process):
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def wait(self, condition, what, seconds=60):
        return wait_for(condition, seconds, what)

    def windows(self):
        ran = subprocess.run(["xdotool", "search", "--name", "hardware faults"], env=self.env, capture_output=True,
                             text=True, timeout=20, check=False)
        return ran.stdout.split()

    def test_the_story_in_a_real_window(self):
        ran = subprocess.run([os.path.join(BUILD, "ui/tray/story-test")], timeout=280, capture_output=True, text=True, check=False,
                             env={**self.env, "FMD_SIMULATOR": os.path.join(ROOT, "simulator")})
        self.assertEqual(ran.returncode, 0, ran.stdout[-6000:] + ran.stderr[-6000:])

    def test_one_instance_and_its_icon(self):
        fmtray = [os.path.join(BUILD, "ui/tray/fmtray"), "--bus", "session", "--hidden"]
        first = self.program("fmtray", fmtray)
        self.wait(lambda: "fmtray" in self.tree(), "the icon in the tray")
        self.assertEqual(self.windows(), [], "hidden")
        second = subprocess.run(fmtray, env=self.env, timeout=30, check=False)
        self.assertEqual(second.returncode, 0)
        self.wait(self.windows, "the first one's window")
        self.assertIsNone(first.process.poll())

    def test_assistive_technology_finds_names(self):
        """Each control has a name, on every page, and each page is reached by keys alone."""
        self.program("a11y", ["/usr/libexec/at-spi-bus-launcher", "--launch-immediately"])
        daemon = subprocess.Popen(  # pylint: disable=consider-using-with
            [os.path.join(BUILD, "fmd/bus/fake-fmd"), "--bus", self.env["DBUS_SESSION_BUS_ADDRESS"],
             os.path.join(ROOT, "ui/cli/tests/fixture.json")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.env, text=True)
        self.addCleanup(self.end, daemon)
        self.addCleanup(daemon.stdout.close)
        self.addCleanup(daemon.stdin.close)
        self.assertEqual(daemon.stdout.readline(), "ready\n")
        self.env["QT_LINUX_ACCESSIBILITY_ALWAYS_ON"] = "1"
        self.program("fmtray", [os.path.join(BUILD, "ui/tray/fmtray"), "--bus", "session"])
        self.wait(self.windows, "the window")
        # A page for each tab's letter; what has to be on it.
        for letter, name in (("c", "Picture of the chassis"), ("p", "Resolved ones too"), ("o", "Pools and their disks"),
                             ("t", "Broken down by"), ("e", "Class")):
            seen = self.wait(lambda letter=letter, name=name: self.press(f"alt+{letter}") and self.named(name),
                             f"{name} after Alt+{letter}")
            for role, called, purpose, focusable in seen:
                if role == "combo box":
                    called = purpose  # its name is what is chosen
                if role in CONTROLS or (focusable and role in ("text", "table", "tree table", "list")):
                    self.assertTrue(called.strip(), f"a {role} without a name, on the page of Alt+{letter}: {seen}")

    def press(self, key):
        """In the window, once it takes keys."""
        ran = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "hardware faults", "windowactivate", "--sync", "key", key],
                             env=self.env, capture_output=True, timeout=30, check=False)
        return ran.returncode == 0

    def named(self, name):
        """What is shown, once something of that name or purpose is: (role, name, purpose, can have the focus)."""
        ran = subprocess.run([sys.executable, os.path.join(ROOT, "tests/integration/accessible.py"), "fmtray"], env=self.env,
                             capture_output=True, text=True, timeout=60, check=False)
        rows = [tuple(line.split("\t")) for line in ran.stdout.splitlines()]
        return rows if any(len(row) == 4 and name in row[1:3] for row in rows) else None

    def tree(self):
        ran = subprocess.run(["xwininfo", "-root", "-tree"], env=self.env, capture_output=True, text=True, timeout=20, check=False)
        return ran.stdout


class Log:
    def __init__(self, path, process):
        self.path, self.process = path, process

    def tail(self):
        with open(self.path, encoding="utf-8", errors="replace") as file:
            return file.read()


if __name__ == "__main__":
    unittest.main()
