"""Cost of size: hosts of 10 to 10,000 disks, each with its bay and vdev. Measures the first inventory, a sweep over all temperatures, the
daemon's memory, and a start after kill -9 with up to 1,000 open cases and a large journal. Growth is the slope of a line through the
logarithms: 1 is linear."""
import math
import os
import statistics
import sys
import tempfile
import time

sys.dont_write_bytecode = True

from storm_bench import figure, make_lines, make_params, start, whole_payload  # storm_bench sets the path

import storm
from daemon import NOW_CLASS, Daemon
from fake_plugin import FakePlugin, event
from process import wait_for

SIZES, CASES, EACH = (10, 100, 1000, 10_000), 1000, 1000
STARTS = 3  # the figure is the median
REST = 6  # seconds; fmd releases unused memory five idle seconds after its work


def disk(number):
    return f"dev://serial=TEST:{number}"


def host(disks):
    """Each plugin's inventory: shelves of fifty, raidz2 of ten."""
    told = {"disk": [], "enclosure": [], "zfs": [], "smart": []}
    for number in range(disks):
        shelf, serial = f"hc://chassis=shelf{number // 50}", disk(number)
        if number % 50 == 0:
            told["enclosure"].append({"fmri": shelf, "type": "chassis", "properties": {"label": f"shelf {number // 50}"}})
        told["disk"].append({"fmri": serial, "type": "disk", "properties": {
            "serial": f"TEST{number:06}", "model": "SEAGATE ST16000NM004J", "revision": "E004", "size": 16000900661248, "path": f"/dev/sd{number}",
            "wwn": f"5000c500{number:08x}", "transport": "sas", "rotational": True}})
        told["smart"].append({"fmri": serial, "type": "disk", "present": False,  # fmd-smart does not report presence
                              "properties": {"smart.state": "observed", "smart.status": "passed", "temperature_limit_celsius": 60}})
        told["enclosure"].append({"fmri": f"{shelf}/bay={number % 50}", "type": "bay",
                                  "properties": {"label": f"SLOT {number % 50:02}", "led.fault": "off", "led.locate": "off", "status": "ok"},
                                  "edges": [{"relation": "contains", "to": serial}]})
        told["zfs"].append({"fmri": storm.vdev(number), "type": "zfs-vdev", "edges": [{"relation": "redundancy", "to": serial}], "properties": {
            "name": f"wwn-0x5000c500{number:08x}", "vdev_type": "disk", "service": "in-service", "state": "ONLINE", "pool": f"tank{number // 100}"}})
    return told


def first_inventory(daemon, disks):
    """Sent by four plugins at once, as on a real host. Also returns the last plugin, for further measurements."""
    told = host(disks)
    plugins = [daemon.plugin(name, check=False) for name in told]
    meter = Meter(daemon)
    requests = [(plugin, [plugin.send_inventory(told[plugin.name][first:first + EACH]) for first in range(0, len(told[plugin.name]), EACH)])
                for plugin in plugins]
    for plugin, sent in requests:
        for request in sent:
            plugin.result(request, 600)
    return meter, plugins[-1]


def pss(pid):
    with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Pss:")) / 1024


def written(pid):
    with open(f"/proc/{pid}/io", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("write_bytes:"))


class Meter:
    """Resources used since its creation: seconds, CPU, bytes written."""

    def __init__(self, daemon):
        self.pid = daemon.program.process.pid
        self.begun, self.cpu_before, self.written_before = time.monotonic(), storm.cpu_seconds(self.pid), written(self.pid)

    def seconds(self):
        return time.monotonic() - self.begun

    def cpu(self):
        return storm.cpu_seconds(self.pid) - self.cpu_before

    def megabytes(self):
        return (written(self.pid) - self.written_before) / 1e6


def settle(daemon):
    """Waits until fmd is idle: half a second without work."""
    used = [-math.inf]

    def quiet():
        used.append(storm.cpu_seconds(daemon.program.process.pid))
        return used[-1] - used[-2] < 0.02
    wait_for(quiet, 600, "fmd to be quiet", every=0.5)


def memory(daemon):
    """Memory now, and after an idle period."""
    now = pss(daemon.program.process.pid)
    time.sleep(REST)
    return now, pss(daemon.program.process.pid)


def of_one_size(binary, disks, events):
    found = {}
    with Daemon(binary, policy=("fmd", "zfs")) as daemon:
        daemon.start()
        meter, plugin = first_inventory(daemon, disks)
        found["inventory"] = meter.seconds()
        settle(daemon)
        found["inventory_cpu"], found["inventory_mb"] = meter.cpu(), meter.megabytes()
        temperatures(daemon, plugin, disks, 30)  # the first ones are new properties
        found["sweep_cpu"], found["sweep_mb"] = temperatures(daemon, plugin, disks, 31)
        found["memory"], found["memory_rested"] = memory(daemon)
        cases = min(disks, CASES)
        plugin.events([event(NOW_CLASS, disk(number)) for number in range(cases)], seconds=600)
        if events:
            fill(daemon, disks, events)
        settle(daemon)
        starts = []
        for _ in range(STARTS):
            daemon.kill()
            begun = time.monotonic()
            start(daemon)
            starts.append(time.monotonic() - begun)
        found["start"] = statistics.median(starts)
        settle(daemon)
        found["memory_after"], found["memory_after_rested"] = memory(daemon)
        daemon.kill()
        open_cases = len(daemon.stored().get("case", {}))
        if open_cases < cases:
            raise RuntimeError(f"{open_cases} cases are open, {cases} were to be: this measures nothing")
    return found


def temperatures(daemon, plugin, disks, celsius):
    settle(daemon)
    meter = Meter(daemon)
    at = time.time_ns()
    for first in range(0, disks, EACH):
        plugin.notify("readings", {"readings": [{"resource": disk(number), "name": "temperature_celsius", "value": float(celsius), "unit": "celsius", "time": at}
                                                for number in range(first, min(first + EACH, disks))]})
    settle(daemon)
    return meter.cpu(), meter.megabytes()


def fill(daemon, disks, count):
    """Fills the journal with errors of every vdev, too rare for a case."""
    made, _ = storm.storm_events(min(count, 100_000), min(disks, 1000), 0)
    lines = make_lines(make_params(made, whole_payload))
    for _ in range(0, count, len(made)):
        sender = storm.Sender(daemon.socket, f"journal{_}", lines)
        storm.blast([sender], 600)
        sender.plugin.close()


def slope(values):
    """The least-squares slope of the logarithms."""
    logs = [(math.log(size), math.log(max(value, 1e-9))) for size, value in values]
    mean_x, mean_y = (statistics.fmean(axis) for axis in zip(*logs))
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


def measure(build, folder, events=1_000_000):
    tempfile.tempdir = folder
    binary = os.path.join(build, "fmd", "fmd")
    of_size = {disks: of_one_size(binary, disks, events if disks == SIZES[-1] else 0) for disks in SIZES}
    figures = []
    for key, unit, note in (("inventory", "s", "the first inventory, to its last ack; 1 allowed with 10,000"),
                            ("inventory_cpu", "s", "the same, CPU until fmd is quiet"),
                            ("inventory_mb", "MB", "the same, written"),
                            ("sweep_cpu", "s", "a sweep of all temperatures, CPU; 0.1 allowed with 10,000"),
                            ("sweep_mb", "MB", "the same, written; 0.5 allowed with 10,000"),
                            ("memory", "MiB", "fmd's memory (PSS) right then; 60 allowed with 10,000"),
                            ("memory_rested", "MiB", f"the same {REST} quiet seconds later; 60 allowed with 10,000"),
                            ("start", "s", f"from fmd's start to the first hello, up to {CASES} cases open, {events} events with 10,000 disks; 1 allowed"),
                            ("memory_after", "MiB", "its memory right then"),
                            ("memory_after_rested", "MiB", f"the same {REST} quiet seconds later")):
        figures += [figure(f"size.{key}.{disks}", of_size[disks][key], unit, note) for disks in SIZES]
    for key in ("inventory_cpu", "memory"):
        figures.append(figure(f"size.{key}.growth", slope([(disks, of_size[disks][key]) for disks in SIZES[1:]]), "power", "from 100 disks on; 1 is linear"))
    return figures
