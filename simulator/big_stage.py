"""BigStage: fmd and the hardware plugins on a big host of shelves (host/shelves.py), for tests and benchmarks.

    with BigStage(build_folder) as stage:
        seconds = stage.look()
"""
import collections
import json
import os
import shutil
import subprocess
import tempfile
import time

from host import shelves
from process import patience, wait_for
from stage import Refused, Stage

LOOKERS = ("system", "disk", "enclosure")


def _memory():
    """A folder in memory if possible: sysfs is not on a disk either, and such a host has 120,000 files."""
    where = "/dev/shm"
    return tempfile.mkdtemp(prefix="fmd-shelves-", dir=where if os.access(where, os.W_OK) else None)


class BigStage(Stage):
    """make_host: arguments of shelves.make. Runs those plugins that are built."""

    def __init__(self, build, make_host=None, files=None):
        self.hardware = _memory()
        try:
            host = shelves.make(os.path.join(self.hardware, "host"), **(make_host or {}))
            super().__init__(build, plugins=(), files=files, host=host)
        except BaseException:
            shutil.rmtree(self.hardware)
            raise
        self.lookers = [name for name in LOOKERS if self.is_built(name)]

    def is_built(self, plugin):
        try:
            return bool(self.binary(f"fmd-{plugin}"))
        except FileNotFoundError:
            return False

    def stop(self):
        super().stop()
        shutil.rmtree(self.hardware, ignore_errors=True)

    def start_lookers(self):
        for name in self.lookers:
            self.start_plugin(name)
        self.plugins = tuple(self.lookers)

    def look(self, seconds=300):
        """Starts the plugins; returns the seconds until fmd knew all parts."""
        begun = time.monotonic()
        self.start_lookers()
        # Cheap queries, so that polling does not distort the measurement: first what each plugin reports last, then everything.
        last = [max(self.expected("disk")), max(self.expected("bay"))]
        self.wait(lambda: all(self.knows(fmri) for fmri in last), seconds, "the last disk and the last bay")
        self.wait(lambda: not self.missing(), seconds, lambda: f"all resources; missing: {self.missing()}")
        return time.monotonic() - begun

    def query(self, filters):
        """All resources, page by page, without starting a command for each query."""
        found, page = [], {"more": True}
        while page["more"]:
            after = {"after": page["next"]} if "next" in page else {}
            ran = subprocess.run(["dbus-send", f"--bus=unix:path={self.bus}", "--print-reply=literal", "--dest=org.fmd.FaultManager1",
                                  "/org/fmd/FaultManager1", "org.fmd.FaultManager1.ListPage", "string:resources",
                                  f"string:{json.dumps(filters | after)}"], capture_output=True, text=True, timeout=patience(), check=False)
            if ran.returncode:
                raise Refused(ran.stderr)
            page = json.loads(ran.stdout)
            found += page["items"]
        return found

    def knows(self, fmri):
        return bool(self.query({"fmri": fmri}))

    def expected(self, kind):
        """The FMRIs of all disks or bays of the host."""
        if kind == "disk":
            return {f"dev://wwn={disk['wwn']}" for disk in self.host.disks.values()}
        return {self.bay_of(place) for place in self.host.disks}

    def bay_of(self, place):
        """The FMRI of the bay "SHELF/BAY"."""
        return f"hc://chassis=0x{self.host.disks[place]['enclosure']}/bay={place.partition('/')[2]}"

    def missing(self):
        """{type: number of parts still unknown}, for the plugins that run."""
        wanted = self.host.counts()
        if "system" not in self.lookers:
            wanted = {kind: wanted[kind] for kind in ("disk", "bay", "enclosure")}
        known = collections.Counter(r["type"] for r in self.query({}) if r["present"])
        return {kind: count - known[kind] for kind, count in wanted.items() if known[kind] < count}

    def settle(self, seconds=60):
        """Waits until the plugins are idle."""
        def quiet():
            before = self.cpu_seconds()
            time.sleep(0.5)
            return max(after - before[name] for name, after in self.cpu_seconds().items()) < 0.03
        wait_for(quiet, seconds, "quiet")

    def cpu_seconds(self):
        """{program: CPU seconds so far}, including child processes that have ended."""
        return {name: _cpu(program.process.pid) for name, program in self.programs.items() if program.running()}

    def child_seconds(self):
        """{program: CPU seconds of its child processes that have ended}."""
        return {name: _cpu(program.process.pid, 2) for name, program in self.programs.items() if program.running()}

    def peak_bytes(self):
        """{program: peak memory}."""
        return {name: _peak(program.process.pid) for name, program in self.programs.items() if program.running()}


def _cpu(pid, first=0):
    """The sum of utime, stime, cutime and cstime (proc(5)), from index `first` on."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return sum(int(ticks) for ticks in fields[11 + first:15]) / os.sysconf("SC_CLK_TCK")


def _peak(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM:"))
