#!/usr/bin/python3
"""fmtray on a screen: the story is played in the real window, the icon is in the tray, a second fmtray wakes the first, and
assistive technology finds the names."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

from screen import BUILD, ROOT, Screen, run_ns

FMTRAY = os.path.join(BUILD, "ui/tray/fmtray")
CONTROLS = {"push button", "check box", "combo box", "spin button", "page tab", "toggle button", "menu item"}


class FmtrayScreen(Screen):
    def start_fake_fmd(self):
        """The real bus server over a daemon that answers from a file; events are written to the file descriptor."""
        read, write = os.pipe()
        self.addCleanup(os.close, write)  # it runs until then
        daemon = subprocess.Popen(  # pylint: disable=consider-using-with
            [os.path.join(BUILD, "fmd/bus/fake-fmd"), "--bus", self.env["DBUS_SESSION_BUS_ADDRESS"],
             os.path.join(ROOT, "ui/cli/tests/fixture.json")],
            stdin=read, stdout=subprocess.PIPE, env={**os.environ, **self.env}, text=True)
        os.close(read)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.terminate)
        self.addCleanup(daemon.stdout.close)
        self.assertEqual(daemon.stdout.readline(), "ready\n")
        return write

    CASE = {"uuid": "6f0b3a5e-6c1c-4a52-9d6e-2f9d6f0a7a11", "code": "ZFS-8000-GH", "title": "Disk & all fails", "severity": "Critical",
            "state": "SOLVED", "opened": 1795229329000000000, "action": "Replace the disk.",
            "suspects": [{"class": "fault.fs.zfs.vdev.checksum", "resource": "zfs://pool=1/vdev=1", "fru": "dev://wwn=1",
                          "bay": "hc://chassis=c1/bay=1", "location": "Slot 1", "status": "faulty", "certainty": 100}]}

    @staticmethod
    def happens(fmd, case):
        os.write(fmd, json.dumps({"case": case, "event": "changed"}).encode() + b"\n")


class Desktop(FmtrayScreen):
    def test_the_story_in_a_real_window(self):
        story = self.start("story", os.path.join(BUILD, "ui/tray/story-test"), FMD_SIMULATOR=os.path.join(ROOT, "simulator"))
        try:
            story.process.wait(560)
        except subprocess.TimeoutExpired:
            self.fail(f"the story has not ended\n{self.state()}")
        self.assertEqual(story.process.returncode, 0, story.tail(80))

    def test_one_instance_and_its_icon(self):
        fmtray = [FMTRAY, "--bus", "session", "--hidden"]
        self.start("fmtray", *fmtray)
        self.wait(lambda: "fmtray" in self.tree(), "the icon in the tray")
        self.assertEqual(self.windows(), [], "hidden")
        self.assertTrue(self.run_here(*fmtray, status=True), "the second one ends")
        self.wait(self.windows, "the first one's window")

    def test_assistive_technology_finds_names(self):
        """Each control has a name, on every page, and each page is reached by keys alone."""
        # A starting program waits for the accessibility bus and its registry before its first window, half a minute for each
        # query: both must answer first.
        self.start("a11y", "/usr/libexec/at-spi-bus-launcher", "--launch-immediately")
        accessible = [sys.executable, os.path.join(ROOT, "tests/integration/accessible.py")]
        self.wait(lambda: self.run_here(*accessible, "--ready", status=True), "the registry of accessible programs")
        self.start_fake_fmd()
        self.start("fmtray", FMTRAY, "--bus", "session", QT_LINUX_ACCESSIBILITY_ALWAYS_ON="1")
        self.wait(self.windows, "the window")
        # The letter of each tab, and what its page must show.
        for letter, name in (("c", "Picture of the chassis"), ("p", "Resolved ones too"), ("o", "Pools and their disks"),
                             ("t", "Broken down by"), ("e", "Class")):
            self.check_names(f"alt+{letter}", name)
        # A part of the picture can be clicked without seeing it.
        self.check_names("alt+c", "SLOT 03, watched, healthy")
        self.assertIn("selected", self.run_here(*accessible, "fmtray", "--press", "SLOT 03, watched, healthy").split())
        self.wait(lambda: self.press("alt+d") and self.windows("Describe a chassis"), "the window of the map helper")
        self.check_names("Tab", "Places of the bays", "Describe a chassis")

    def test_it_costs_nothing_while_nothing_changes(self):
        self.start_fake_fmd()
        fmtray = self.start("fmtray", FMTRAY, "--bus", "session")
        self.wait(self.windows, "the window")
        before = {}

        def still():
            """True if none of its threads has run since the last call."""
            now, was = run_ns(fmtray), dict(before)
            before.clear()
            before.update(now)
            return now and now == was
        self.wait(still, "three seconds without any work", every=3)
        with open(f"/proc/{fmtray.process.pid}/status", encoding="ascii", errors="replace") as status:
            resident = next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))
        self.assertLessEqual(resident, 120 * 1024, "KiB in memory")

    def check_names(self, key, name, window="hardware faults"):
        """After that key something has that name, and every control has a name."""
        seen = self.wait(lambda: self.press(key, window) and self.named(name), f"{name} after {key}")
        for role, called, purpose, focusable in seen:
            if role == "combo box":
                called = purpose  # its name is what is chosen
            if role in CONTROLS or (focusable and role in ("text", "table", "tree table", "list")):
                self.assertTrue(called.strip(), f"a {role} without a name, after {key}: {seen}")

    def named(self, name):
        """What is shown, once something with that name or purpose is: (role, name, purpose, can have the focus)."""
        said = self.run_here(sys.executable, os.path.join(ROOT, "tests/integration/accessible.py"), "fmtray")
        rows = [tuple(line.split("\t")) for line in said.splitlines()]
        return rows if any(len(row) == 4 and name in row[1:3] for row in rows) else None


class WithoutADisplay(unittest.TestCase):
    """On a server, over ssh: options that need no window work without a display."""

    def fmtray(self, *arguments):
        bare = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
        return subprocess.run([FMTRAY, *arguments], env=bare, capture_output=True, text=True, timeout=120, check=False)

    def test_help_and_version(self):
        for option, said in (("--help", "--screenshot"), ("--version", "fmtray ")):
            told = self.fmtray(option)
            self.assertEqual(told.returncode, 0, told.stderr)
            self.assertIn(said, told.stdout)

    def test_pictures(self):
        with tempfile.TemporaryDirectory() as folder:
            told = self.fmtray("--bus", "unix:path=" + os.path.join(folder, "none"), "--screenshot", folder)
        self.assertEqual((told.returncode, told.stdout), (1, ""), told.stderr)
        self.assertIn("not connected", told.stderr)


class StatusNotifier(FmtrayScreen):
    """A tray on the bus, as KDE has it, without X."""
    panel = False
    OPEN = "d482f935-5c8f-4b9a-9f25-d0aaafec1e6c"  # in the fixture
    TRAY = os.path.join(ROOT, "tests/integration/tray_host.py")

    def test_the_item_its_picture_and_its_menu(self):
        tray = self.start("tray", sys.executable, "-u", self.TRAY)
        self.wait(lambda: "ready" in tray.tail(), "the tray")
        fmd = self.start_fake_fmd()
        self.start("fmtray", FMTRAY, "--bus", "session", "--hidden")
        item = self.wait(lambda: tray.tail().split()[1:], "the item")[0]
        look = [sys.executable, self.TRAY, item]

        def shown(where, text):
            seen = json.loads(self.run_here(*look) or "{}")
            return seen if text in "\n".join(seen.get(where, "")) else None
        self.wait(lambda: shown("tip", "store1: Something needs attention"), "what it shows of the host")
        self.happens(fmd, {**self.CASE, "uuid": self.OPEN, "state": "RESOLVED"})
        well = self.wait(lambda: shown("menu", "No problems"), "that all is well")
        self.assertEqual(well["Status"], "Active")
        self.assertIn(22, well["sizes"])
        self.assertEqual(well["menu"], ["No problems", "Open", "Quit"])
        self.happens(fmd, self.CASE)
        ill = self.wait(lambda: shown("menu", "Disk & all fails: Slot 1"), "the problem in its menu")
        self.assertNotEqual(ill["picture"], well["picture"])
        self.assertEqual(self.windows(), [], "hidden")
        self.assertTrue(self.run_here(*look, "Open", status=True))
        self.wait(lambda: self.run_here("xdotool", "search", "--onlyvisible", "--name", "hardware faults"), "the window")
        self.assertTrue(self.run_here(*look, "Quit", status=True))
        self.wait(lambda: not self.windows(), "its end")


class NoTray(FmtrayScreen):
    """Plain GNOME: there is no tray, only the window and notifications."""
    panel = False

    def test_the_window_opens_and_notifications_tell(self):
        server = self.start("notifications", sys.executable, "-u", os.path.join(ROOT, "tests/integration/notifications.py"))
        self.wait(lambda: self.told(server) == [["ready"]], "the notification server")
        fmd = self.start_fake_fmd()
        self.start("fmtray", FMTRAY, "--bus", "session")
        # Cases that are open at the first read are not announced; then the title has the host's name.
        self.wait(lambda: self.windows("store1: hardware faults"), "the window, which has read all")
        self.happens(fmd, self.CASE)
        self.wait(lambda: len(self.told(server)) > 1, "the notification")
        self.assertEqual(self.told(server)[1:], [["Notify", "Disk & all fails", ["show", "Show", "locate", "Locate"]]])
        self.happens(fmd, {**self.CASE, "state": "RESOLVED"})
        self.wait(lambda: self.told(server)[2:] == [["CloseNotification", 1]], "the notification's end")

    def test_a_hidden_start_shows_the_window_all_the_same(self):
        """After the time in which a panel may still start at login."""
        self.start("fmtray", FMTRAY, "--bus", "session", "--hidden")
        self.wait(self.windows, "the window")

    @staticmethod
    def told(server):
        return [json.loads(line) for line in server.tail(50).splitlines() if line.startswith("[")]


if __name__ == "__main__":
    unittest.main()
