"""Latency of urgent work: from an ereport that alone makes a case to the message at the notifier, and `fmadm faulty`; idle and during a
storm."""
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True

from storm_bench import SICK, VDEVS, at_99, figure, make_lines, make_params, resources, whole_payload  # it sets the path

import own_bus
import storm
from daemon import NOW_CLASS, Daemon
from fake_plugin import FakePlugin, event

# Seconds between two requests: during a storm, and when idle, long enough for the effects of the previous one to end.
EACH, ALONE = 0.05, 0.25
DISKS, WARM_UP = 2000, 5  # disks that can fail; the first WARM_UP are not counted


def shelf():
    """Disks with known serial and bay, so that their messages are not delayed."""
    found = []
    for number in range(DISKS):
        disk = f"dev://serial=TEST:{number}"
        found += [{"fmri": disk, "type": "disk", "properties": {"serial": f"TEST{number}", "model": "M"}},
                  {"fmri": f"hc://chassis=t/bay={number}", "type": "bay", "properties": {"label": f"Bay {number}"},
                   "edges": [{"relation": "contains", "to": disk}]}]
    return found


class Told(threading.Thread):
    """Makes one disk after another fail, and waits for the message about each."""
    number = 0

    def __init__(self, daemon, stopped, most):
        super().__init__(daemon=True)
        self.source, self.notifier = daemon.plugin("source", transient=True), daemon.notifier()
        self.stopped, self.most, self.took, self.failed = stopped, most, [], ""
        self.pause = 0

    def run(self):
        for _ in range(WARM_UP):  # fmd has only just started
            self.tell()
        while not self.stopped.is_set() and len(self.took) < self.most:
            begun = time.monotonic()
            self.tell()
            self.took.append(time.monotonic() - begun)
            self.stopped.wait(self.pause)
        self.source.close()
        self.notifier.close()

    def tell(self):
        self.source.send_events([event(NOW_CLASS, f"dev://serial=TEST:{Told.number}")])
        self.notifier.deliver_next(60)
        Told.number += 1


# A separate process, so that this one's work for the storm is not measured.
ASKS = """
import json, select, subprocess, sys, time
most, pause, command = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
took, failed = [], ""
while len(took) < most and not failed and not select.select([sys.stdin], [], [], pause)[0]:
    begun = time.monotonic()
    ran = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    took.append(time.monotonic() - begun)
    failed = ran.stderr
print(json.dumps([took, failed]))
"""


class Asked(threading.Thread):
    """Runs `fmadm faulty` repeatedly."""

    def __init__(self, fmadm, bus, stopped, most):
        super().__init__(daemon=True)
        self.command, self.environment = [fmadm, "faulty"], {**os.environ, "FMD_BUS_ADDRESS": f"unix:path={bus}"}
        self.stopped, self.most, self.took, self.failed = stopped, most, [], ""
        self.pause = 0

    def run(self):
        asks = subprocess.Popen([sys.executable, "-c", ASKS, str(self.most), str(self.pause), *self.command], env=self.environment, text=True,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        ended = threading.Thread(target=lambda: (self.stopped.wait(), asks.stdin.close()), daemon=True)
        ended.start()
        self.took, self.failed = json.loads(asks.stdout.read())
        asks.wait()


def took(one, stopped, meanwhile=None):
    """The duration of each request, while `meanwhile` runs, if given."""
    one.pause = EACH if meanwhile else ALONE
    one.start()
    if meanwhile:
        meanwhile()
        stopped.set()
    one.join()
    if one.failed or not one.took:
        raise RuntimeError(one.failed or "nobody was told")
    return one.took


def all_figures(daemon, fmadm, path, lines, storms, samples):
    stopped = threading.Event()
    figures = [("faulty.idle", took(Asked(fmadm, path, stopped, samples), stopped), "fmadm faulty, the whole program, no case")]

    def storm_at():
        for number in range(storms):
            sender = storm.Sender(daemon.socket, f"storm-{len(figures)}-{number}", lines)
            storm.blast([sender], 600)
            sender.plugin.close()
    figures.append(("faulty.storm", took(Asked(fmadm, path, stopped, 10 * samples), stopped, storm_at),
                    f"fmadm faulty, the whole program, up to {SICK} cases; 50 allowed"))
    stopped.clear()
    figures.append(("told.idle", took(Told(daemon, stopped, samples), stopped), "ereport to notifier; 20 allowed"))
    figures.append(("told.storm", took(Told(daemon, stopped, 10 * samples), stopped, storm_at), "ereport to notifier; 200 allowed"))
    return figures


def measure(build, folder, count=400_000, storms=4, samples=300):
    tempfile.tempdir = folder
    events, _ = storm.storm_events(count, VDEVS, SICK)
    lines = make_lines(make_params(events, whole_payload))
    fmadm = os.path.join(build, "ui", "cli", "fmadm")
    with Daemon(os.path.join(build, "fmd", "fmd"), policy=("fmd", "zfs"), config="[digest]\nchannels = []\n") as daemon:
        bus, path = own_bus.start(daemon)
        try:
            daemon.start()
            # Stays connected: a plugin that leaves becomes a case after half a minute.
            with FakePlugin(daemon.socket, "zfs", check=False) as inventory:
                inventory.hello()
                inventory.inventory(resources() + shelf(), complete=True, seconds=60)
                figures = all_figures(daemon, fmadm, path, lines, storms, samples)
        finally:
            bus.kill()
    return [figure(f"latency.{name}", at_99(seconds) * 1000, "ms", f"{what}; {len(seconds)} of them") for name, seconds, what in figures]
