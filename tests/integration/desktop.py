#!/usr/bin/python3
"""fmtray on a screen: the story is played in the real window, the icon stands in the tray, a second fmtray wakes the first, and
assistive technology finds the names."""
import os
import subprocess
import sys
import unittest

from screen import BUILD, ROOT, Screen, run_ns

FMTRAY = os.path.join(BUILD, "ui/tray/fmtray")
CONTROLS = {"push button", "check box", "combo box", "spin button", "page tab", "toggle button", "menu item"}


class Desktop(Screen):
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
        # A program that starts waits for the accessibility bus and its registry before its first window, half a minute for
        # each question: both have to answer before.
        self.start("a11y", "/usr/libexec/at-spi-bus-launcher", "--launch-immediately")
        accessible = [sys.executable, os.path.join(ROOT, "tests/integration/accessible.py")]
        self.wait(lambda: self.run_here(*accessible, "--ready", status=True), "the registry of accessible programs")
        self.start_fake_fmd()
        self.start("fmtray", FMTRAY, "--bus", "session", QT_LINUX_ACCESSIBILITY_ALWAYS_ON="1")
        self.wait(self.windows, "the window")
        # A page for each tab's letter; what has to be on it.
        for letter, name in (("c", "Picture of the chassis"), ("p", "Resolved ones too"), ("o", "Pools and their disks"),
                             ("t", "Broken down by"), ("e", "Class")):
            self.check_names(f"alt+{letter}", name)
        self.wait(lambda: self.press("alt+c"), "the picture")
        self.wait(lambda: self.press("alt+d") and self.windows("Describe a chassis"), "the window of the map helper")
        self.check_names("Tab", "Places of the bays", "Describe a chassis")

    def test_it_costs_nothing_while_nothing_changes(self):
        self.start_fake_fmd()
        fmtray = self.start("fmtray", FMTRAY, "--bus", "session")
        self.wait(self.windows, "the window")
        before = {}

        def still():
            """Not one of its threads has run since it was last asked."""
            now, was = run_ns(fmtray), dict(before)
            before.clear()
            before.update(now)
            return now and now == was
        self.wait(still, "three seconds without any work", every=3)

    def start_fake_fmd(self):
        """The real bus server over a daemon that answers from a file."""
        read, write = os.pipe()
        self.addCleanup(os.close, write)  # until then it runs
        daemon = subprocess.Popen(  # pylint: disable=consider-using-with
            [os.path.join(BUILD, "fmd/bus/fake-fmd"), "--bus", self.env["DBUS_SESSION_BUS_ADDRESS"],
             os.path.join(ROOT, "ui/cli/tests/fixture.json")],
            stdin=read, stdout=subprocess.PIPE, env={**os.environ, **self.env}, text=True)
        os.close(read)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.terminate)
        self.addCleanup(daemon.stdout.close)
        self.assertEqual(daemon.stdout.readline(), "ready\n")

    def check_names(self, key, name, window="hardware faults"):
        """After that key something has that name, and everything has one."""
        seen = self.wait(lambda: self.press(key, window) and self.named(name), f"{name} after {key}")
        for role, called, purpose, focusable in seen:
            if role == "combo box":
                called = purpose  # its name is what is chosen
            if role in CONTROLS or (focusable and role in ("text", "table", "tree table", "list")):
                self.assertTrue(called.strip(), f"a {role} without a name, after {key}: {seen}")

    def named(self, name):
        """What is shown, once something of that name or purpose is: (role, name, purpose, can have the focus)."""
        said = self.run_here(sys.executable, os.path.join(ROOT, "tests/integration/accessible.py"), "fmtray")
        rows = [tuple(line.split("\t")) for line in said.splitlines()]
        return rows if any(len(row) == 4 and name in row[1:3] for row in rows) else None


if __name__ == "__main__":
    unittest.main()
