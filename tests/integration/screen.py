"""A private screen for a test: an X server without a monitor, a session bus on which nothing starts by itself, a window manager
and, unless a test turns it off, a panel with a tray. When a wait fails, the failure shows the state and log of every program on it."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "simulator"))
from process import Program, TimeUp, wait_for  # noqa: E402  (the path has to be set before)

BUILD = os.environ["FMD_BUILD"]
SESSION_BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><listen>unix:path={}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
"""
PATIENCE = 120  # seconds; the machine may be busy with other tests


def run_ns(program):
    """Processor time of each of its threads: {number: ns}."""
    costs = {}
    threads = f"/proc/{program.process.pid}/task"
    try:
        for thread in sorted(os.listdir(threads), key=int):
            with open(f"{threads}/{thread}/schedstat", encoding="ascii") as file:
                costs[thread] = int(file.read().split()[0])
    except OSError:  # it has ended
        pass
    return costs


class Screen(unittest.TestCase):
    panel = True  # with a tray, as most desktops have one

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="fmd-desktop-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.programs = []
        self.env = {"HOME": self.folder, "XDG_RUNTIME_DIR": self.folder, "TZ": "UTC", "LC_ALL": "C.UTF-8", "NO_AT_BRIDGE": "0",
                    "QT_QPA_PLATFORM": "xcb", "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.folder}/bus"}
        # Without -noreset it restarts, and drops connecting clients, whenever its last client leaves.
        x = self.start("xvfb", "Xvfb", "-displayfd", "1", "-screen", "0", "1400x900x24", "-nolisten", "tcp", "-noreset")
        self.env["DISPLAY"] = ":" + self.wait(lambda: self.numbers(x.tail()), "the X server's number")[0]
        # No service directory: a service that is not started here is absent, and nothing waits for it.
        config = os.path.join(self.folder, "bus.conf")
        with open(config, "w", encoding="ascii") as file:
            file.write(SESSION_BUS.format(self.folder + "/bus"))
        self.start("bus", "dbus-daemon", "--nofork", "--nopidfile", "--config-file=" + config)
        self.wait(lambda: os.path.exists(self.folder + "/bus"), "the bus")
        self.start("openbox", "openbox")
        self.wait(lambda: "window id" in self.run_here("xprop", "-root", "_NET_SUPPORTING_WM_CHECK"), "the window manager")
        if self.panel:
            self.start("tint2", "tint2")
            self.wait(lambda: '"tint2"' in self.tree(), "the panel")

    @staticmethod
    def numbers(text):
        return [line for line in text.splitlines() if line.isdigit()]

    def start(self, name, *command, **more):
        program = Program(name, command, os.path.join(self.folder, name + ".log"), {**self.env, **more}).start()
        self.programs.append(program)
        self.addCleanup(program.stop)
        return program

    def wait(self, condition, what, seconds=PATIENCE, every=0.1):
        """Fails at once if a program has ended."""
        try:
            return wait_for(condition, seconds, what, every=every, programs=self.programs)
        except TimeUp as missing:
            self.fail(f"{missing}\n{self.state()}")

    def state(self):
        """What is on the screen, and the output and threads of every program."""
        said = [f"-- windows\n{self.tree()}"]
        for program in self.programs:
            how = program.ended_by_itself() or f"runs as process {program.process.pid}"
            said.append(f"-- {program.name} {how}; its log ends:\n{program.tail(40)}")
        said.append(f"-- where they wait\n{self.stacks()}")
        return "\n".join(said)

    def stacks(self):
        """For each thread: the kernel call in which it waits, and its processor time."""
        lines = []
        for program in self.programs:
            for thread, cost in run_ns(program).items():
                try:
                    with open(f"/proc/{thread}/comm", encoding="utf-8", errors="replace") as name, \
                         open(f"/proc/{thread}/wchan", encoding="ascii") as place:
                        lines.append(f"{program.name} {thread} {name.read().strip()}: {place.read()}, "
                                     f"{cost // 1_000_000} ms of processor time")
                except OSError:  # it has ended
                    pass
        return "\n".join(lines)

    def run_here(self, *command, seconds=60, status=False):
        """Its output; "" if it did not end in time. status: returns whether it succeeded."""
        try:
            ran = subprocess.run(command, env={**os.environ, **self.env}, capture_output=True, text=True, timeout=seconds,
                                 check=False)
        except subprocess.TimeoutExpired:
            return False if status else ""
        return ran.returncode == 0 if status else ran.stdout

    def windows(self, name="hardware faults"):
        return self.run_here("xdotool", "search", "--name", name).split()

    def press(self, key, window="hardware faults"):
        """Presses keys in the window, once it has the focus."""
        return self.run_here("xdotool", "search", "--onlyvisible", "--name", window, "windowactivate", "--sync", "key", key,
                             status=True)

    def tree(self):
        return self.run_here("xwininfo", "-root", "-tree")
