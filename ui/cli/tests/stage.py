"""A private dbus-daemon, the real bus server with a fake daemon (fake-fmd), and the real programs."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
sys.path.append(str(ROOT / "simulator"))
import bus as system_bus  # noqa: E402  (the path has to be set before)
from process import patience  # noqa: E402
FIXTURE = HERE / "fixture.json"


class Bus:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="fmd-cli-")
        os.chmod(self.folder, 0o755)
        conf = pathlib.Path(self.folder, "bus.conf")
        conf.write_text(system_bus.configuration(f"{self.folder}/socket"))
        with open(f"{self.folder}/log", "w") as log:
            self.process = subprocess.Popen(
                ["dbus-daemon", "--nofork", "--nopidfile", f"--config-file={conf}", "--print-address"],
                stdout=subprocess.PIPE, stderr=log, text=True)
        self.process.stdout.readline()  # printed once it listens
        self.address = f"unix:path={self.folder}/socket"

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        shutil.rmtree(self.folder)


class Daemon:
    def __init__(self, bus, *words, fixture=None):
        with open(f"{bus.folder}/daemon.log", "w") as log:
            self.process = subprocess.Popen(
                [os.environ["FAKE_FMD"], "--bus", bus.address, *words, str(fixture or FIXTURE)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        line = self.process.stdout.readline()
        assert line == "ready\n", line

    def order(self, **order):
        """Sends an order that fake_fmd.cpp understands; returns the line of its answer."""
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def changes(self):
        return json.loads(self.order(changes=True))

    def stop(self):
        self.process.stdin.close()
        self.process.wait(20)
        self.process.stdout.close()


def program(name):
    return os.environ[name.upper()]


def environment(bus=None, **more):
    env = {"PATH": os.environ["PATH"], "TZ": "UTC", "LC_ALL": "C.UTF-8", **more}
    for name in ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS"):
        if name in os.environ:
            env[name] = os.environ[name]
    if bus:
        env["FMD_BUS_ADDRESS"] = bus.address
    return env


def run(name, *words, bus=None, prefix=(), **more):
    return subprocess.run([*prefix, program(name), *words], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, env=environment(bus, **more), timeout=patience())


class Case(unittest.TestCase):
    """Each test gets its own bus and daemon; daemon_words are fake-fmd's arguments."""
    daemon_words = ()
    fixture = None

    def setUp(self):
        self.bus = Bus()
        self.addCleanup(self.bus.stop)
        self.daemon = Daemon(self.bus, *self.daemon_words, fixture=self.fixture)
        self.addCleanup(self.daemon.stop)

    def ok(self, name, *words):
        done = run(name, *words, bus=self.bus)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def json(self, name, *words):
        return json.loads(self.ok(name, *words, "--json"))

    def fails(self, code, name, *words):
        done = run(name, *words, bus=self.bus)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stderr

    def assertPlain(self, text):
        """Checks for control characters, and for lines of more than 80 columns unless a single word is that long."""
        self.assertIsNone(re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]", text), repr(text))
        for line in text.splitlines():
            words = [w for w in re.split(r"[ \t]", line) if w]
            if len(line.expandtabs()) > 80:
                self.assertGreater(max(map(len, words)), 40, line)
