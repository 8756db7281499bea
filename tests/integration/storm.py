#!/usr/bin/python3
"""The storm: 200,000 ereports on 1,000 vdevs through the plugin socket, of which 37 vdevs must be diagnosed: exactly
those. Measures how many events a second are made durable: from the first byte sent to the last ack, which comes after
the commit.

    storm.py PATH-OF-FMD [--json] [--events N] [--vdevs N] [--faulty N] [--plugins N]
"""
import argparse
import contextlib
import json
import os
import select
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

from daemon import Daemon  # noqa: E402
from fake_plugin import FakePlugin  # noqa: E402

BATCH = 1000
SECOND_NS = 1_000_000_000
START_NS = 1_790_000_000 * SECOND_NS
# The rule is 10 in 10 minutes. One error each 70 s makes at most 9 in any 10 minutes, one each 60 s makes 10.
HARMLESS_NS, FAULTY_NS = 70 * SECOND_NS, 60 * SECOND_NS


def vdev(number):
    return f"zfs://pool={7_000_000_000_000_000_000 + number // 100}/vdev={1_000_000_000_000_000_000 + number}"


def storm_events(count, vdevs, faulty):
    """Events in the order of their time, as from a machine with many failing disks. Every (vdevs/faulty)th is faulty."""
    bad = {round(i * vdevs / faulty) for i in range(faulty)}
    all_events = []
    each = count // vdevs
    for number in range(vdevs):
        step = FAULTY_NS if number in bad else HARMLESS_NS
        offset = number * 7919 % 60_000 * 1_000_000
        for i in range(each):
            all_events.append((START_NS + offset + i * step, number))
    all_events.sort()
    return all_events, {vdev(number) for number in bad}


def as_json(at, number, index):
    pool, guid = 7_000_000_000_000_000_000 + number // 100, 1_000_000_000_000_000_000 + number
    return (f'{{"class":"ereport.fs.zfs.checksum","resource":"{vdev(number)}","time":{at},"ena":{index << 10 | 1},"payload":'
            f'{{"pool":"tank{number // 100}","pool_guid":{pool},"context":"none","eid":{index},"vdev_guid":{guid},'
            f'"vdev_type":"disk","vdev_path":"/dev/disk/by-id/wwn-0x5000c500{number:08x}","parent_type":"raidz","scan":"",'
            f'"vdev_cksum_errors":{index % 200},"zio_err":52,"zio_offset":{index * 131072 % (1 << 40)},"zio_size":131072}}}}')


def make_lines(events):
    """The requests, ready to be sent."""
    lines = []
    for first in range(0, len(events), BATCH):
        batch = ",".join(as_json(at, number, first + i) for i, (at, number) in enumerate(events[first:first + BATCH]))
        request = len(lines) + 2
        lines.append(b'{"jsonrpc":"2.0","id":%d,"method":"events","params":{"cursor":"%d","events":[%s]}}\n'
                     % (request, request, batch.encode()))
    return lines


class Sender:
    """Sends its lines as fast as fmd reads them, and counts the acks."""

    def __init__(self, path, name, lines):
        self.plugin = FakePlugin(path, name, check=False)
        self.plugin.hello()
        self.plugin.socket.setblocking(False)
        self.data = memoryview(b"".join(lines))
        self.waiting = len(lines)
        self.rejected = 0

    def finished(self):
        return self.waiting == 0

    def write(self):
        with contextlib.suppress(BlockingIOError):
            self.data = self.data[self.plugin.socket.send(self.data[:1 << 20]):]

    def read(self):
        self.plugin.pump(0)
        for message in self.plugin.results.values():
            self.rejected += len(message["result"]["rejected"])
            self.waiting -= 1
        self.plugin.results.clear()


def blast(senders, seconds):
    """Waits until everything is acknowledged. Returns how long it took."""
    start = time.monotonic()
    while not all(s.finished() for s in senders):
        if time.monotonic() - start > seconds:
            raise SystemExit(f"not all acked within {seconds} s")
        busy = [s for s in senders if not s.finished()]
        readable, writable, _ = select.select([s.plugin.socket for s in busy], [s.plugin.socket for s in busy if s.data],
                                              [], 1)
        for sender in busy:
            if sender.plugin.socket in writable:
                sender.write()
            if sender.plugin.socket in readable:
                sender.read()
    return time.monotonic() - start


def run(binary, count=200_000, vdevs=1000, faulty=37, plugins=1, seconds=300):
    """The figures of one storm, as a dictionary; "right": exactly the faulty vdevs were diagnosed."""
    events, expected = storm_events(count, vdevs, faulty)
    with Daemon(binary, policy=("fmd", "zfs")) as daemon:
        daemon.start()
        # Split by vdev, so that each vdev's events arrive in order.
        shares = [[e for e in events if e[1] % plugins == share] for share in range(plugins)]
        senders = [Sender(daemon.socket, f"storm-{n}", make_lines(share)) for n, share in enumerate(shares)]
        took = blast(senders, seconds)
        cpu = cpu_seconds(daemon.program.process.pid)
        for sender in senders:
            daemon.plugins.append(sender.plugin)
        daemon.kill()  # acknowledged events are on disk all the same
        cases = daemon.stored().get("case", {}).values()
        size = sum(os.path.getsize(os.path.join(daemon.state, name)) for name in os.listdir(daemon.state) if "reserve" not in name)
    found = [s["resource"] for c in cases for s in c["suspects"]]
    return {"events": len(events), "vdevs": vdevs, "plugins": plugins, "expected_cases": faulty, "cases": len(found),
            "right": sorted(found) == sorted(expected), "rejected": sum(s.rejected for s in senders),
            "seconds": round(took, 3), "events_per_second": round(len(events) / took), "cpu_seconds": cpu,
            "bytes_per_event": round(size / len(events), 1)}


def cpu_seconds(pid):
    """Of all its threads, in nanoseconds, by the clock of clock_getcpuclockid(3); /proc/PID/stat counts in steps of 10 ms."""
    process_scheduled = 2  # CPUCLOCK_SCHED
    return time.clock_gettime(~pid << 3 | process_scheduled)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fmd")
    parser.add_argument("--json", action="store_true")
    for name, default in (("events", 200_000), ("vdevs", 1000), ("faulty", 37), ("plugins", 1)):
        parser.add_argument("--" + name, type=int, default=default)
    arguments = parser.parse_args()
    figures = run(os.path.abspath(arguments.fmd), arguments.events, arguments.vdevs, arguments.faulty, arguments.plugins)
    if arguments.json:
        print(json.dumps(figures))
    else:
        print(f"{figures['events']} events on {figures['vdevs']} vdevs: {figures['events_per_second']} events/s made durable, "
              f"{figures['bytes_per_event']} bytes an event on disk, {figures['cpu_seconds']} s of CPU; "
              f"{figures['cases']} cases of {figures['expected_cases']}, {'exactly' if figures['right'] else 'NOT'} the right ones")
    return 0 if figures["right"] and figures["rejected"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
