"""Runs the examples of documents on a simulated host as an administrator would: in a private folder, with configuration files in a folder
that appears as /etc/fmd, and the installed rules."""
import contextlib
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(TREE, "simulator")]

import play  # noqa: E402  (the path has to be set before)
import shipped  # noqa: E402
from examples import as_shown, masked  # noqa: E402
from process import TimeUp, patience, wait_for  # noqa: E402

# Commands that change something run once; all others are repeated until they print what the page shows.
CHANGES = re.compile(r"^fmadm (locate|ack|retire|restore|replace|notify test|smart test|smart refresh|maintenance|reload)\b")
# These run until interrupted.
FOLLOWS = re.compile(r" -[fw]\b|^fmstat \d+ \d+")
# Valid exit statuses: the severity that status reports, or 1 where the page shows or describes an error.
SEVERITIES = (0, 1, 3)
ERRORS = {("docs/dev/testing.md", "fmadm rules test plugins/NAME/rules"): "a recording without the cases that are expected"}
CASE = re.compile(r"\bCASE\b|\b(?=[0-9a-f]*[0-9])[0-9a-f]{8}\b")
DISK = re.compile(r"\bsd[a-z]\b")
BLANK_BAY = "SLOT 08"  # a blank disk; SLOT 11 in the pages, of a larger server
DISK_BAY = 2  # bay of the disk that the pages call sdX


class ExampleHost:
    """A Stage with the commands of ./dev play. Owns the folder in which they run."""

    def __init__(self, stage):
        self.stage = stage
        self.play = play.Play(stage)
        self.play.prepare()
        self.folder = tempfile.mkdtemp(prefix="fmd-pages-")
        self.etc, self.rules, self.programs = (os.path.join(self.folder, name) for name in ("etc/fmd", "usr/share/fmd/rules", "programs"))
        self.work = os.path.join(self.folder, "work")
        for folder in (self.rules, self.programs, self.work):
            os.makedirs(folder)
        for path in shipped.rule_files():
            os.symlink(path, os.path.join(self.rules, os.path.basename(path)))
        with open(os.path.join(TREE, "plugins", "list"), encoding="ascii") as file:
            self.plugins = file.read().split()
        for name in ("fmd", *(f"fmd-{name}" for name in self.plugins)):
            os.symlink(stage.binary(name), os.path.join(self.programs, name))
        rules = " ".join(["--rules", self.rules, *shipped.event_options()])
        self.play.script("fmd", f'exec {self.programs}/fmd --config {self.etc}/fmd.toml {rules} "$@"\n')
        self.reset()

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def reset(self, files=()):
        """Restores the installed /etc/fmd, then writes these files: {path: text}, relative to the work folder or below /etc/fmd."""
        shutil.rmtree(self.etc, ignore_errors=True)
        for folder in ("rules.d", "chassis.d"):
            os.makedirs(os.path.join(self.etc, folder))
        for name in self.plugins:
            for path in glob.glob(os.path.join(TREE, "plugins", name, f"{name}.toml")):
                shutil.copy(path, self.etc)
        for path, text in {"/etc/fmd/fmd.toml": "", **dict(files)}.items():
            with open(self.real(path) if path.startswith("/") else os.path.join(self.work, path), "w", encoding="utf-8") as file:
                file.write(text)

    def real(self, text):
        """A command or path with system folders replaced by their stand-ins."""
        return text.replace("/etc/fmd", self.etc).replace("/usr/share/fmd/rules", self.rules)

    def filled_in(self, command):
        """Replaces the page's placeholders and names with those of this host."""
        command = re.sub(r"\bsystemctl [^&|;]*", "true ", command)  # the simulated host has no systemd
        if "config check" in command:
            # The configuration files of a build do not point to these rules.
            installed = f"[daemon]\nrules = ['{self.rules}']\nevents = {shipped.event_folders()}\n"
            with open(os.path.join(self.etc, "fmd.toml"), "r+", encoding="utf-8") as file:
                if installed not in file.read():
                    file.write(installed)
            command = command.replace("config check", f"config check --config {self.etc} --programs {self.programs}")
        if CASE.search(command):
            command = CASE.sub(self.stage.cases(everything=True)[0]["uuid"][:8], command)
        command = command.replace("SLOT 11", BLANK_BAY)
        device = next((row["device"] for row in self.stage.host.chassis() if row["bay"] == DISK_BAY), "")
        if not shutil.which("dot"):
            command = re.sub(r"\| dot\b[^>]*", "| cat ", command)
        return DISK.sub(device, command)

    def run(self, example, with_sample=False):
        """Returns (exit status, output)."""
        command = self.filled_in(self.real(example.command))
        if FOLLOWS.search(command):
            command = "timeout 2 " + command
        own_rules = f"{self.etc}/rules.d"
        rules = [self.rules, *[own_rules] * bool(os.listdir(own_rules))]
        environment = {**self.play.environment(), "COLUMNS": str(example.columns), "FMD_RULES": ":".join(rules)}
        if with_sample:
            for name in ("rules", "events"):
                environment[f"FMD_{name.upper()}"] += f":{TREE}/plugins/sample/{name}"
        done = subprocess.run(["/bin/bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False, cwd=self.work,
                              env=environment, timeout=patience(), stdin=subprocess.DEVNULL)
        return done.returncode, (done.stdout + done.stderr).replace(self.etc, "/etc/fmd").replace(self.rules, "/usr/share/fmd/rules")

    def problem(self, example, deadline, with_sample=False):
        """How the example differs from this host's output, or None. Retries until the deadline."""
        wrong = None

        def as_the_page_says():
            nonlocal wrong
            self.stage.host.look()
            status, printed = self.run(example, with_sample)
            wrong = _status_problem(example, status) or (
                None if example.shown is None or as_shown(example.shown, printed) else f"and the page shows:\n{masked(example.shown)}")
            wrong = wrong and f"{example}\nprinted:\n{masked(printed)}\n{wrong}\n\n{printed}"
            return not wrong or CHANGES.search(example.command)

        with contextlib.suppress(TimeUp):
            wait_for(as_the_page_says, max(0, deadline - time.monotonic()), example.command, every=0.2)
        return wrong


def _status_problem(example, status):
    if FOLLOWS.search(example.command) and status == 124:  # timeout(1) ended it
        return None
    if re.fullmatch(r"fmadm( status)?", example.command):
        return None if status in SEVERITIES else f"exit status {status}, not one of {SEVERITIES}"
    expected = int((example.page, example.command) in ERRORS or bool(re.search(r"^fmadm: \d+ error|^fmd: .*error|not right", example.shown or "", re.M)))
    return None if status == expected else f"exit status {status}, not {expected}"
