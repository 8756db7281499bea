"""The real fmd binary with a private state folder and socket, without a bus, for tests of its plugin socket.

    with Daemon(binary) as daemon:
        daemon.start()
        plugin = daemon.plugin("zfs", handles=["zfs://"])
"""
import contextlib
import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

LIB = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(LIB))
sys.path[:0] = [LIB, os.path.join(TREE, "simulator")]

from fake_plugin import FakePlugin, Notifier  # noqa: E402
import shipped  # noqa: E402
from process import Program, TimeUp, wait_for  # noqa: E402,F401

POLICY = os.path.join(TREE, "tests", "integration", "policy")
SERD_CLASS = "ereport.test.disk.error"
NOW_CLASS = "ereport.test.disk.broken"


def state_of(folder):
    """The contents of a stopped daemon's store: {kind: {key: document}}. Reads a copy."""
    with tempfile.TemporaryDirectory() as copy:
        for name in os.listdir(folder):
            if name in ("fmd.db", "fmd.db-wal"):
                shutil.copy(os.path.join(folder, name), copy)
        with contextlib.closing(sqlite3.connect(os.path.join(copy, "fmd.db"))) as database:
            rows = database.execute("SELECT kind, key, doc FROM state").fetchall()
    state = {}
    for kind, key, doc in rows:
        state.setdefault(kind, {})[key] = json.loads(doc)
    return state


class Daemon:
    """policy: which shipped rule files and event declarations it loads besides the tests' own."""

    def __init__(self, binary, arguments=(), config="", policy=("fmd",)):
        self.binary, self.arguments, self.config = binary, list(arguments), config
        self.folder = tempfile.mkdtemp(prefix="fmd-test-")
        self.socket = os.path.join(self.folder, "plugins.sock")
        self.state = os.path.join(self.folder, "state")
        self.rules = os.path.join(self.folder, "rules")
        self.events = os.path.join(self.folder, "events")
        for folder in (self.state, self.rules, self.events):
            os.mkdir(folder)
        for name in policy:
            shutil.copy(shipped.rule_file(name + ".toml"), self.rules)
            shutil.copy(shipped.event_file(name + ".toml"), self.events)
        shutil.copy(os.path.join(POLICY, "rules.toml"), os.path.join(self.rules, "zz-test.toml"))
        shutil.copy(os.path.join(POLICY, "events.toml"), os.path.join(self.events, "zz-test.toml"))
        self.config_file = os.path.join(self.folder, "fmd.toml")
        with open(self.config_file, "w", encoding="utf-8") as file:
            file.write(config)
        self.log = os.path.join(self.folder, "log")
        self.program = Program("fmd", [binary, "--config", self.config_file, "--socket", self.socket, "--state-dir",
                                       self.state, "--rules", self.rules, "--events", self.events, "--bus", "none",
                                       *self.arguments], self.log)
        self.plugins = []

    def start(self, seconds=20):
        """Starts it and waits until it accepts plugins."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.socket)
        self.program.start()
        self.wait_listening(seconds)
        return self

    def wait_listening(self, seconds=20):
        def listening():
            if not self.program.running():
                raise AssertionError("fmd ended at its start:\n" + self.program.tail(50))
            with contextlib.suppress(OSError), FakePlugin(self.socket, "probe", check=False):
                return True
            return False
        wait_for(listening, seconds, lambda: "fmd listening:\n" + self.program.tail(50))

    def run_to_end(self, *more, seconds=20):
        """Runs it until it exits; returns (exit status, output)."""
        done = subprocess.run([*self.program.command, *more], capture_output=True, text=True, timeout=seconds, check=False)
        return done.returncode, done.stdout + done.stderr

    def plugin(self, name, hello=True, **about):
        plugin = FakePlugin(self.socket, name, **about)
        self.plugins.append(plugin)
        if hello:
            plugin.hello()
        return plugin

    def notifier(self, name="mail", delivered=None):
        notifier = Notifier(self.socket, name, delivered)
        self.plugins.append(notifier)
        notifier.hello()
        return notifier

    def kill(self):
        """kill -9."""
        self.program.kill()
        self._close_plugins()

    def stop(self):
        status = self.program.stop(20)
        self._close_plugins()
        return status

    def _close_plugins(self):
        for plugin in self.plugins:
            plugin.close()
        self.plugins.clear()

    def hang_up(self):
        self.program.signal(signal.SIGHUP)

    def limit_file_size(self, limit):
        """Simulates a full disk: no file may grow beyond this many bytes. None: no limit."""
        hard = resource.prlimit(self.program.process.pid, resource.RLIMIT_FSIZE)[1]
        soft = hard if limit is None else limit
        resource.prlimit(self.program.process.pid, resource.RLIMIT_FSIZE, (soft, hard))

    def log_text(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def wait_log(self, text, seconds=20, count=1):
        wait_for(lambda: self.log_text().count(text) >= count, seconds, lambda: f"{text!r} in the log:\n{self.log_text()}")

    def stored(self):
        """The contents of the store, after stop() or kill()."""
        return state_of(self.state)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.kill()
        if kind is None:
            shutil.rmtree(self.folder)
        else:
            print(f"fmd's folder is kept: {self.folder}\n{self.program.tail(40)}", file=sys.stderr)
