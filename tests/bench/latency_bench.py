"""How long what is urgent takes: from an ereport that alone makes a case to the message in a notifier's hands, and `fmadm faulty`; while
nothing else happens, and in the midst of a storm."""
import os
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True

from storm_bench import SICK, VDEVS, figure, make_params, resources, whole_payload  # the path is set by it

import own_bus
import storm
from daemon import NOW_CLASS, Daemon
from fake_plugin import FakePlugin, event

EACH = 0.05  # seconds between two questions
DISKS = 1000  # that can break; the first are not counted: fmd has just begun
WARM_UP = 5


def shelf():
    """Disks whose serial and bay are known: their messages wait for nothing."""
    found = []
    for number in range(DISKS):
        disk = f"dev://serial=TEST:{number}"
        found += [{"fmri": disk, "type": "disk", "properties": {"serial": f"TEST{number}", "model": "M"}},
                  {"fmri": f"hc://chassis=t/bay={number}", "type": "bay", "properties": {"label": f"Bay {number}"},
                   "edges": [{"relation": "contains", "to": disk}]}]
    return found


def at_99(values):
    values = sorted(values)
    return values[min(len(values) - 1, len(values) * 99 // 100)] * 1000


class Told(threading.Thread):
    """Has one disk after the other broken, and waits for the message about it."""
    number = 0

    def __init__(self, daemon, stopped, most):
        super().__init__(daemon=True)
        self.source, self.notifier = daemon.plugin("source", transient=True), daemon.notifier()
        self.stopped, self.most, self.took = stopped, most, []

    def run(self):
        while not self.stopped.is_set() and len(self.took) < self.most:
            begun = time.monotonic()
            self.source.send_events([event(NOW_CLASS, f"dev://serial=TEST:{Told.number}")])
            self.notifier.deliver_next(60)
            self.took.append(time.monotonic() - begun)
            Told.number += 1
            self.stopped.wait(EACH)


class Asked(threading.Thread):
    """Asks `fmadm faulty` again and again."""

    def __init__(self, fmadm, bus, stopped, most):
        super().__init__(daemon=True)
        self.command, self.environment = [fmadm, "faulty"], {**os.environ, "FMD_BUS_ADDRESS": f"unix:path={bus}"}
        self.stopped, self.most, self.took, self.failed = stopped, most, [], ""

    def run(self):
        while not self.stopped.is_set() and len(self.took) < self.most and not self.failed:
            begun = time.monotonic()
            ran = subprocess.run(self.command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
            self.took.append(time.monotonic() - begun)
            self.failed = ran.stderr
            self.stopped.wait(EACH)


def both(daemon, fmadm, bus, most, meanwhile=None):
    """What both took, as long as something else went on."""
    stopped = threading.Event()
    pair = Told(daemon, stopped, most), Asked(fmadm, bus, stopped, most)
    for one in pair:
        one.start()
    if meanwhile:
        meanwhile()
        stopped.set()
    for one in pair:
        one.join()
    told, asked = pair
    if asked.failed or not told.took:
        raise RuntimeError(f"fmadm: {asked.failed or 'nobody was told'}")
    for plugin in (told.source, told.notifier):
        plugin.close()
        daemon.plugins.remove(plugin)
    return told.took[WARM_UP:] or told.took, asked.took


def measure(build, folder, count=400_000, samples=100):
    tempfile.tempdir = folder
    events, _ = storm.storm_events(count, VDEVS, SICK)
    lines = [b'{"jsonrpc":"2.0","id":%d,"method":"events","params":%s}\n' % (number + 2, one.encode())
             for number, one in enumerate(make_params(events, whole_payload))]
    fmadm = os.path.join(build, "ui", "cli", "fmadm")
    with Daemon(os.path.join(build, "fmd", "fmd"), policy=("fmd", "zfs"), config="[digest]\nchannels = []\n") as daemon:
        bus, path = own_bus.start(daemon)
        try:
            daemon.start()
            with FakePlugin(daemon.socket, "zfs", check=False) as inventory:
                inventory.hello()
                inventory.inventory(resources() + shelf(), complete=True, seconds=60)
            quiet = both(daemon, fmadm, path, samples)
            sender = storm.Sender(daemon.socket, "storm", lines)
            busy = both(daemon, fmadm, path, 10 * samples, lambda: storm.blast([sender], 600))
            daemon.plugins.append(sender.plugin)
        finally:
            bus.kill()
    return [figure("latency.told.idle", at_99(quiet[0]), "ms", f"ereport to notifier; {len(quiet[0])} of them; 20 allowed"),
            figure("latency.told.storm", at_99(busy[0]), "ms", f"ereport to notifier; {len(busy[0])} of them; 200 allowed"),
            figure("latency.faulty.idle", at_99(quiet[1]), "ms", f"fmadm faulty, the whole program; {len(quiet[1])} of them"),
            figure("latency.faulty.storm", at_99(busy[1]), "ms", f"fmadm faulty, the whole program; {len(busy[1])} of them; 50 allowed")]
