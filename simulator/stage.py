"""Stage: fmd with all its plugins on a simulated host, with its own bus, mail server, SNMP agent and manager; all real programs, in
one temporary folder, on loopback ports, unprivileged. Used by the demo and the integration tests.

    with Stage(build_folder) as stage:
        stage.host.corrupt(4)
        stage.host.scrub()
        case = stage.wait(lambda: stage.cases(), 20, "a case")[0]
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

import bus
import shipped
from host.actions import SimulatedHost
from host.shelves import ShelfHost
from process import PATIENCE, Ended, Program, TimeUp, ending, patience, wait_for
from sinks import TREE, Mail, Snmp

PLUGINS = ("disk", "enclosure", "zfs", "mail", "snmp")
# The groups that units give to plugins that run as root, by which fmd restricts them to their own name. As numbers, and only for root.
UNIT_GROUPS = {name: 65500 + number for number, name in enumerate(("cpu", "disk", "enclosure", "smart", "volumes", "zfs"))}


def _may_give(group):
    """Whether a program can be put into that group: by root, if this user namespace has that number."""
    if os.geteuid() != 0:
        return False
    with open("/proc/self/gid_map", encoding="ascii") as file:
        spans = [[int(word) for word in line.split()] for line in file]
    return any(first <= group < first + count for first, _, count in spans)


class Stage:
    """build: a build folder; None: the installed programs. make_host: arguments of SimulatedHost.make. host: an existing one instead.
    files: {name: text} of configuration files (fmd.toml's [action], zfs.toml, ...) added to the default ones. rules: a folder of rules
    in addition to the default ones."""

    def __init__(self, build, make_host=None, plugins=PLUGINS, files=None, rules=None, keep=False, host=None):
        self.build, self.plugins, self.keep = build and os.path.abspath(build), plugins, keep
        self.folder = tempfile.mkdtemp(prefix="fmd-stage-")
        self.programs = {}
        self.used = set()  # the names of the programs that were run
        self.mail = self.snmp = None
        try:
            self.host = host or SimulatedHost.make(self.path("host"), **(make_host or {}))
            self.bus = self.path("bus")
            self.socket = self.path("plugins.sock")
            self._configure(files or {}, rules)
        except BaseException:
            shutil.rmtree(self.folder)
            raise

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def binary(self, name):
        """The path of a program, in the build or installed."""
        self.used.add(name)
        folders = ("fmd", "ui/cli", "ui/tray", f"plugins/{name.removeprefix('fmd-')}", "plugins/zfs")
        top = self.build or os.path.dirname(os.path.dirname(TREE))
        for folder in folders if self.build else ("libexec/fmd", "bin", "sbin"):
            path = os.path.join(top, folder, name)
            if os.access(path, os.X_OK) and os.path.isfile(path):
                return path
        raise FileNotFoundError(f"{name} is not in {top}")

    # --- setup --------------------------------------------------------------

    def _configure(self, files, rules):
        for folder in ("etc", "state", "log"):
            os.makedirs(self.path(folder))
        self.mail, self.snmp = Mail(self.path("log")), Snmp(self.folder)
        self.rule_folders = [*shipped.rule_folders(), self._hasty_rules()] + ([rules] if rules else [])
        self.event_folders = shipped.event_folders()
        own = {
            "fmd.toml": f"[daemon]\nsocket = {_toml(self.socket)}\nstate_dir = {_toml(self.path('state', 'fmd'))}\n"
                        f"rules = {_toml(self.rule_folders)}\n"
                        f"events = {_toml(self.event_folders)}\n"
                        f"bus = {_toml('unix:path=' + self.bus)}\n" +
                        "".join(f'[plugin.{name}]\ngroup = "{group}"\n' for name, group in UNIT_GROUPS.items()),
            "zfs.toml": "" if isinstance(self.host, ShelfHost) else 'poll = "2s"\npoll_busy = "300ms"\n',
            # The simulated host has no udev, so the plugins poll, more often than on a real host.
            **{f"{name}.toml": "" if isinstance(self.host, ShelfHost) else 'rescan = "500ms"\n'
               for name in ("disk", "enclosure")},
            "volumes.toml": "" if isinstance(self.host, ShelfHost) else 'rescan = "500ms"\nrescan_busy = "300ms"\n',
            "ipmi.toml": "", "system.toml": "", "cpu.toml": "", "smart.toml": "",
            "mail.toml": self._mail_toml(), "snmp.toml": f"agentx = {_toml('unix:' + self.snmp.agentx)}\nbus = {_toml('unix:path=' + self.bus)}\n",
        }
        # This scan also finds which disks are behind which controller, which by default would take minutes.
        if not isinstance(self.host, ShelfHost) and "rescan" not in files.get("system.toml", ""):
            own["system.toml"] = 'rescan = "1s"\n'
        # The shipped descriptions, and a folder like /etc/fmd/chassis.d.
        os.makedirs(self.path("chassis.d"))
        shutil.copy(os.path.join(os.path.dirname(os.path.abspath(__file__)), "host", "storage-head.toml"), self.path("chassis.d"))
        for name in ("enclosure", "system"):
            own[f"{name}.toml"] += f"descriptions = {_toml([os.path.join(TREE, 'chassis'), self.path('chassis.d')])}\n"
        # From the source tree; an installed fmd-ipmi finds its own.
        sensors = os.path.join(TREE, "plugins", "ipmi", "sensor_types.toml")
        if os.path.exists(sensors) and "meanings" not in files.get("ipmi.toml", ""):
            os.makedirs(self.path("meanings"))
            os.symlink(sensors, self.path("meanings", "sensor_types.toml"))
            own["ipmi.toml"] = f"meanings = {_toml([self.path('meanings')])}\n"
        for name in own | files:
            with open(self.path("etc", name), "w", encoding="utf-8") as file:
                file.write(own.get(name, "") + files.get(name, ""))
        with open(self.path("etc", "bus.conf"), "w", encoding="utf-8") as file:
            file.write(bus.configuration(self.bus))

    def _hasty_rules(self):
        """Shortens waits of minutes: the time a degraded disk stays in service, a memory module's wait for others."""
        folder = self.path("rules")
        os.makedirs(folder)
        hasty = {"zfs.toml": {'then_after = "2min"': 'then_after = "3s"', 'then_grace = "30s"': 'then_grace = "1s"'},
                 "memory.toml": {'wait = "10min"': 'wait = "3s"'}}
        for name, waits in hasty.items():
            with open(shipped.rule_file(name), encoding="utf-8") as file:
                text = file.read()
            for long, short in waits.items():
                assert long in text
                text = text.replace(long, short)
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        return folder

    def _mail_toml(self):
        return (f"server = {_toml(f'smtp://127.0.0.1:{self.mail.port}')}\n"
                'from = "fmd@simulated.example"\nto = ["operator@simulated.example"]\n')

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            print(self.logs(), file=sys.stderr)
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        self._program("bus", ["dbus-daemon", "--nofork", "--nopidfile", f"--config-file={self.path('etc', 'bus.conf')}"])
        for name, sink in (("mail", self.mail), ("snmp", self.snmp)):
            if name in self.plugins:
                sink.start()
        self.wait(lambda: os.path.exists(self.bus), 20, "the bus")
        self.start_fmd()
        for name in self.plugins:
            self.start_plugin(name)
        self.wait(self.settled, 30, "fmd and its plugins, ready")

    def _program(self, name, command, environment=None, groups=None):
        program = self.programs.get(name) or Program(name, command, self.path("log", f"{name}.log"), environment, groups=groups)
        self.programs[name] = program
        return program.start()

    def start_fmd(self):
        self._program("fmd", [self.binary("fmd"), "--config", self.path("etc", "fmd.toml")])

    def start_plugin(self, name):
        state, run = self.path("state", name), self.path("run", name)
        for folder in (state, run):
            os.makedirs(folder, exist_ok=True)
        self._program(f"fmd-{name}", [self.binary(f"fmd-{name}"), "--socket", self.socket,
                                      "--config", self.path("etc", f"{name}.toml")],
                      {**self.host.environment(), "STATE_DIRECTORY": state, "RUNTIME_DIRECTORY": run},
                      [UNIT_GROUPS[name]] if name in UNIT_GROUPS and _may_give(UNIT_GROUPS[name]) else None)

    def settled(self):
        """Whether all plugins are connected and have reported what they see."""
        try:
            states = {plugin["name"]: plugin for plugin in self.ask("fmadm", "config")["plugins"]}
        except (Refused, KeyError):
            return False
        return all(states.get(name, {}).get("connected") for name in self.plugins) and (
            "enclosure" not in self.plugins or self.resources("bay"))

    def stop(self):
        for name in reversed(list(self.programs)):
            self.programs[name].stop()
        for sink in (self.mail, self.snmp):
            if sink:
                sink.stop()
        if not self.keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    # --- actions ------------------------------------------------------------

    def kill(self, name="fmd"):
        """Sends SIGKILL; the caller restarts it, as systemd would."""
        self.programs[name].kill()

    def restart(self, name="fmd"):
        """Kills and restarts it, as systemd does after a crash."""
        self.programs[name].kill()
        self.programs[name].start()

    def freeze(self, name, frozen=True):
        """A process that does nothing but keeps its connections."""
        self.programs[name].signal(signal.SIGSTOP if frozen else signal.SIGCONT)

    # --- queries ------------------------------------------------------------

    def run(self, program, *arguments, timeout=PATIENCE):
        """Runs one of fmd's commands as a user would."""
        ran = subprocess.run([self.binary(program), "--bus", f"unix:path={self.bus}", *arguments], capture_output=True,
                             text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=patience(timeout), check=False)
        if ran.returncode < 0:  # ended by a signal, which is never a valid answer
            raise Ended(f"{' '.join([program, *arguments])} {ending(ran.returncode)}:\n{ran.stderr}")
        return ran

    def ask(self, program, *arguments):
        """The command's output with --json."""
        ran = self.run(program, *arguments, "--json")
        if ran.returncode:
            raise Refused(f"{program} {' '.join(arguments)}: {ran.stderr.strip() or ran.stdout.strip()}")
        # The event log is one document per line, everything else a single document.
        if program == "fmdump":
            return [json.loads(line) for line in ran.stdout.splitlines()]
        return json.loads(ran.stdout)

    def outbox(self):
        """Pending and delivered messages."""
        ran = subprocess.run(["dbus-send", f"--bus=unix:path={self.bus}", "--print-reply=literal",
                              "--dest=org.fmd.FaultManager1", "/org/fmd/FaultManager1",
                              "org.fmd.FaultManager1.ListOutbox"], capture_output=True, text=True, timeout=patience(), check=False)
        if ran.returncode:
            raise Refused(ran.stderr)
        return json.loads(ran.stdout)

    def cases(self, everything=False):
        """Open cases, or all; [] while fmd is away."""
        try:
            return self.ask("fmadm", "faulty", *(["-a"] if everything else []))
        except Refused:
            return []

    def case(self, uuid):
        return self.ask("fmadm", "faulty", "-u", uuid)[0]

    def resources(self, kind):
        return [r for r in self.ask("fmtopo") if r["type"] == kind]

    def wait(self, condition, seconds, what, every=0.05):
        """Waits for a condition, or fails with `what`; fails immediately if a program has ended by itself."""
        try:
            return wait_for(condition, seconds, what, every, programs=self.programs.values())
        except Ended:
            raise
        except TimeUp as problem:
            ended = [name for name, program in self.programs.items() if not program.running()]
            raise TimeUp(f"{problem}" + (f"\n(not running: {', '.join(ended)})" if ended else "")) from None

    def logs(self):
        """The end of every program's log."""
        return "\n".join(f"--- {name}\n{program.tail()}" for name, program in self.programs.items())


class Refused(Exception):
    """A command failed."""


def _toml(value):
    """A text or a list of texts as TOML (JSON strings are valid TOML except for DEL, which our paths lack)."""
    return json.dumps(value)
