"""The storm: real fmd, one plugin connection, ereports of 1,000 vdevs in raidz2, of which 37 (or all) are sick. Measured from the first
byte to the last ack, which follows the commit; exactly the sick vdevs must be diagnosed. In the same run and on the same disk, SQLite
alone stores the same events as plain rows, 1,000 per transaction; with --peers also those of peer_bench.py."""
import contextlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(TREE, "tests", "lib"), os.path.join(TREE, "tests", "integration")]

import peer_bench  # noqa: E402  (the path has to be set before)
import storm  # noqa: E402
from daemon import Daemon  # noqa: E402
from fake_plugin import FakePlugin  # noqa: E402
from process import wait_for  # noqa: E402

VDEVS, SICK, WIDTH = 1000, 37, 10
BATCH_BYTES = 900_000  # bytes per message; the limit is 1 MiB


def pool(number):
    return 7_000_000_000_000_000_000 + number // 100


def small_payload(number, index):
    """About 355 bytes: the members of an I/O error that rules and texts use."""
    return (f'{{"pool":"tank{number // 100}","pool_guid":{pool(number)},"context":"none","eid":{index},'
            f'"vdev_guid":{1_000_000_000_000_000_000 + number},"vdev_type":"disk","vdev_path":"/dev/disk/by-id/wwn-0x5000c500{number:08x}",'
            f'"parent_type":"raidz","scan":"","vdev_cksum_errors":{index % 200},"zio_err":52,"zio_offset":{index * 131072 % (1 << 40)},'
            f'"zio_size":131072,"zio_priority":4,"zio_level":0,"zio_objset":54,"zio_object":{index % 5000}}}')


def whole_payload(number, index):
    """About 1,135 bytes: everything that `zpool events -v` prints for a checksum error."""
    wwn, guid = f"5000c500{number:08x}", 1_000_000_000_000_000_000 + number
    return (f'{{"detector":{{"version":0,"scheme":"zfs","pool":{pool(number)},"vdev":{guid}}},"pool":"tank{number // 100}",'
            f'"pool_guid":{pool(number)},"pool_state":0,"pool_context":0,"pool_failmode":"wait","vdev_guid":{guid},"vdev_type":"disk",'
            f'"vdev_path":"/dev/disk/by-id/wwn-0x{wwn}-part1","vdev_devid":"scsi-3{wwn}-part1",'
            f'"vdev_physpath":"pci-0000:03:00.0-sas-phy{number % 24:02}-lun-0","vdev_state":7,"vdev_laststate":7,"dio_verify_errors":0,'
            f'"vdev_enc_sysfs_path":"/sys/class/enclosure/0:0:{number // 24}:0/SLOT {number % 24:02}","vdev_ashift":12,'
            f'"vdev_complete_ts":{index * 731921},"vdev_delta_ts":{300000 + index * 7919 % 500000},"vdev_read_errors":0,'
            f'"vdev_write_errors":0,"vdev_cksum_errors":{index % 200},"vdev_delays":0,"parent_guid":{4071313232323232000 + number // WIDTH},'
            f'"parent_type":"raidz","zio_err":0,"zio_flags":1048736,"zio_stage":2097152,"zio_pipeline":32505856,"zio_delay":0,'
            f'"zio_timestamp":0,"zio_delta":0,"zio_type":1,"zio_priority":4,"zio_offset":{index * 131072 % (1 << 40)},"zio_size":{4096 * (1 + index % 32)},'
            f'"zio_objset":54,"zio_object":{2 + index * 31 % 5000},"zio_level":0,"zio_blkid":{index * 17 % 100000},"eid":{index},'
            f'"context":"none","scan":"","bad_ranges":[0,12288],"bad_ranges_min_gap":8,"bad_range_sets":28350,"bad_range_clears":20772}}')


def make_texts(events, payload):
    """Each event as JSON."""
    return [f'{{"class":"ereport.fs.zfs.checksum","resource":"{storm.vdev(number)}","time":{at},"ena":{index << 10 | 1},'
            f'"payload":{payload(number, index)}}}' for index, (at, number) in enumerate(events)]


def make_params(events, payload):
    """Request params as large as a message may be; each cursor is the number of events up to its end."""
    return batches(make_texts(events, payload))


def batches(texts):
    each = min(storm.BATCH, BATCH_BYTES // max(map(len, texts)))
    pieces = [texts[first:first + each] for first in range(0, len(texts), each)]
    return ['{"cursor":"%d","events":[%s]}' % (number * each + len(piece), ",".join(piece)) for number, piece in enumerate(pieces)]


def make_lines(params):
    return [b'{"jsonrpc":"2.0","id":%d,"method":"events","params":%s}\n' % (number + 2, one.encode())
            for number, one in enumerate(params)]


def resources():
    """Ten pools of ten raidz2 vdevs of ten disks."""
    found = []
    for top in range(VDEVS // WIDTH):
        leaves = range(top * WIDTH, (top + 1) * WIDTH)
        raidz = f"zfs://pool={pool(top * WIDTH)}/vdev={4071313232323232000 + top}"
        found.append({"fmri": raidz, "type": "zfs-vdev", "properties": {"name": f"raidz2-{top % 10}", "vdev_type": "raidz", "parity": 2},
                      "edges": [{"relation": "redundancy", "to": storm.vdev(n)} for n in leaves]})
        for n in leaves:
            found.append({"fmri": storm.vdev(n), "type": "zfs-vdev",
                          "properties": {"name": f"disk{n}", "vdev_type": "disk", "service": "in-service", "state": "ONLINE"},
                          "edges": [{"relation": "redundancy", "to": f"dev://wwn=5000c500{n:08x}"}]})
    return found


class Prober(threading.Thread):
    """Measures the event loop's latency: an invalid first request closes the connection at once, whatever is queued."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.path, self.waits, self.stopped = path, [], threading.Event()

    def run(self):
        while not self.stopped.wait(0.02):
            begun = time.monotonic()
            with FakePlugin(self.path, "prober", check=False) as stranger:
                stranger.send_raw(b'{"jsonrpc":"2.0","id":1,"method":"nonsense","params":{}}\n')
                stranger.cut_off(60)
            self.waits.append(time.monotonic() - begun)


def one_storm(binary, params, expected):
    lines = make_lines(params)
    with Daemon(binary, policy=("fmd", "zfs")) as daemon:
        daemon.start()
        with FakePlugin(daemon.socket, "zfs", check=False) as inventory:
            inventory.hello()
            inventory.inventory(resources(), complete=True, seconds=60)
        sender = storm.Sender(daemon.socket, "storm", lines)
        prober = Prober(daemon.socket)
        prober.start()
        took = storm.blast([sender], 600)
        prober.stopped.set()
        prober.join()
        cpu = storm.cpu_seconds(daemon.program.process.pid)
        daemon.plugins.append(sender.plugin)
        daemon.kill()  # acked events must survive this
        cases = daemon.stored().get("case", {}).values()
        begun = time.monotonic()
        start(daemon)
        again = time.monotonic() - begun
    found = sorted(s["resource"] for c in cases for s in c["suspects"] if s["resource"].startswith("zfs://"))
    if found != sorted(expected) or sender.rejected:
        raise RuntimeError(f"{len(found)} vdevs are accused, {len(expected)} are sick, {sender.rejected} events were refused: "
                           f"not the right ones, so this measures nothing")
    return {"took": took, "cpu": cpu, "wait": at_99(prober.waits) if prober.waits else 0, "again": again}


def start(daemon):
    """Starts fmd and waits for the first answered hello."""
    def answers():
        with contextlib.suppress(OSError), FakePlugin(daemon.socket, "first", check=False) as plugin:
            return plugin.hello()
        return None
    daemon.program.start()
    wait_for(answers, 600, lambda: "fmd to answer:\n" + daemon.program.tail(50), every=0.002, programs=[daemon.program])


def at_99(values):
    """The 99th percentile (nearest rank)."""
    return sorted(values)[math.ceil(len(values) * 0.99) - 1]


def figure(name, value, unit, note):
    return {"name": name, "value": value, "unit": unit, "note": note}


def measure(build, folder, count=100_000, rounds=3, with_peers=False):
    tempfile.tempdir = folder  # puts fmd's own folder on that disk too
    binary, bench = os.path.join(build, "fmd", "fmd"), os.path.join(build, "tests", "bench", "fmd-bench")
    found = peer_bench.find() if with_peers else {}
    figures = []
    for name, what, sick, payload in (("storm", "real-sized, 37 of 1,000 vdevs sick", SICK, whole_payload),
                                      ("storm_all", "real-sized, every vdev sick", VDEVS, whole_payload),
                                      ("storm_small", "small ones, 37 of 1,000 vdevs sick", SICK, small_payload)):
        events, expected = storm.storm_events(count, VDEVS, sick)
        params = make_params(events, payload)
        size = sum(len(payload(number, index)) for index, (_, number) in enumerate(events[:1000])) / 1000
        sick_guids = [int(resource.rpartition("=")[2]) for resource in expected]
        peers = peer_bench.of(found, name, make_texts(events, payload) if found else [], sick_guids, folder)
        storms, rows = [], []
        with tempfile.NamedTemporaryFile("w", dir=folder, prefix="fmd-storm-") as file, contextlib.ExitStack() as stack:
            for peer in peers:
                stack.enter_context(peer)
            file.write("\n".join(params) + "\n")
            file.flush()
            for _ in range(rounds):  # alternate, so that all see the same load
                storms.append(one_storm(binary, params, expected))
                ran = subprocess.run([bench, "--rows", file.name, "--rounds", "1", "--dir", folder, "--json"], check=True,
                                     stdout=subprocess.PIPE)
                rows.append(json.loads(ran.stdout)["figures"][0]["value"])
                for peer in peers:
                    peer.take_turn()
        own = [len(events) / one["took"] for one in storms]
        figures += [
            figure(f"{name}.events", statistics.median(own), "events/s", f"{what}, payloads of {size:.0f} bytes: first byte to last ack"),
            figure(f"{name}.sqlite_rows", statistics.median(rows), "events/s", "SQLite alone: the same events, a plain row each"),
            figure(f"{name}.ratio", statistics.median(a / b for a, b in zip(own, rows)), "ratio", "fmd to SQLite, in turn"),
            figure(f"{name}.cpu", statistics.median(one["cpu"] / len(events) * 1e6 for one in storms), "us/event",
                   "CPU of fmd, both threads, with its start"),
            figure(f"{name}.wait", statistics.median(one["wait"] for one in storms) * 1000, "ms",
                   "99 % of those who ask on the socket meanwhile are answered within"),
            figure(f"{name}.again", max(one["again"] for one in storms), "s",
                   "killed when all is acked, from the next start to the first hello, the longest; 2 allowed")]
        figures += [figure(f"{name}.{key}", *more) for peer in peers for key, *more in peer.figures(own)]
    return figures
