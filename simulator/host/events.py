"""The kernel's ZFS events: their members in the order recorded from OpenZFS 2.1.11 (zpool-events-replace.txt,
zpool-events-io.txt, zed-scrub-1-events.txt, zed-read-noprefetch-events.txt), and the output of `zpool events`.
A member is [name, kind, value]; kind: "u" number, "s" string, "us"/"ss" arrays of them, "state" a vdev state, "detector".
"""
import time

from . import vdevs


def _pool(pool, context=0):
    return [["pool", "s", pool["root"]["name"]], ["pool_guid", "u", pool["root"]["guid"]],
            ["pool_state", "u", 0], ["pool_context", "u", context]]


def _where(leaf):
    """vdev_path and vdev_devid, which only leaf vdevs have."""
    if leaf["type"] != "disk":
        return []
    return [["vdev_path", "s", leaf["path"]], ["vdev_devid", "s", leaf["devid"]]]


def _enclosure(leaf):
    return [["vdev_enc_sysfs_path", "s", leaf["enc"]]] if leaf.get("enc") else []


def _notice(state, pool, event_class, members):
    state.post(event_class, [["version", "u", 0], ["class", "s", event_class]] + _pool(pool) + members)


def pool_event(state, pool, name, members=()):
    """sysevent.fs.zfs.NAME about the whole pool."""
    _notice(state, pool, f"sysevent.fs.zfs.{name}", list(members))


def history(state, pool, name, text):
    state.data["txg"] = state.data.get("txg", 30) + 2
    pool_event(state, pool, "history_event", [
        ["history_hostname", "s", state.data["hostname"]], ["history_internal_str", "s", text],
        ["history_internal_name", "s", name], ["history_txg", "u", state.data["txg"]],
        ["history_time", "u", state.now_ns // 1_000_000_000]])


def vdev_event(state, pool, name, leaf):
    """sysevent.fs.zfs.NAME about a leaf (vdev_attach, vdev_spare, vdev_remove, vdev_clear...)."""
    _notice(state, pool, f"sysevent.fs.zfs.{name}",
            [["vdev_guid", "u", leaf["guid"]], ["vdev_state", "state", leaf["state"]]] + _where(leaf) + _enclosure(leaf))


def statechange(state, pool, leaf, before):
    _notice(state, pool, "resource.fs.zfs.statechange",
            [["vdev_guid", "u", leaf["guid"]], ["vdev_state", "state", leaf["state"]]] + _where(leaf)
            + [["vdev_physpath", "s", leaf["physpath"]]] + _enclosure(leaf) + [["vdev_laststate", "state", before]])


def removed(state, pool, leaf):
    _notice(state, pool, "resource.fs.zfs.removed",
            [["vdev_guid", "u", leaf["guid"]], ["vdev_state", "state", leaf["state"]]] + _where(leaf) + _enclosure(leaf))


def _ereport(state, pool, vdev, event_class, tail):
    root = pool["root"]
    parent = vdevs.parent_of(root, vdev) or root
    spares = pool["spares"]
    uptime = state.now_ns // 1000 % (1 << 40)
    state.post(event_class, [
        ["class", "s", event_class], ["ena", "u", (state.random.getrandbits(48) << 12) | 0x401],
        ["detector", "detector", [root["guid"], vdev["guid"]]]] + _pool(pool) + [
        ["pool_failmode", "s", "wait"], ["vdev_guid", "u", vdev["guid"]], ["vdev_type", "s", vdev["type"]]]
        + _where(vdev) + _enclosure(vdev) + [
        ["vdev_ashift", "u", 9], ["vdev_complete_ts", "u", uptime], ["vdev_delta_ts", "u", state.random.randrange(1 << 20)],
        ["vdev_read_errors", "u", vdev.get("read", 0)], ["vdev_write_errors", "u", vdev.get("write", 0)],
        ["vdev_cksum_errors", "u", vdev.get("cksum", 0)], ["vdev_delays", "u", 0],
        ["parent_guid", "u", parent["guid"]], ["parent_type", "s", parent["type"]],
        ["vdev_spare_paths", "ss", [s["path"] for s in spares]], ["vdev_spare_guids", "us", [s["guid"] for s in spares]]]
        + tail)


def _zio(state, error, flags, priority, block, size, timed):
    stamp = state.now_ns // 1000 % (1 << 38) if timed else 0
    delta = state.random.randrange(1 << 26) if timed else 0
    return [["zio_err", "u", error], ["zio_flags", "u", flags],
            ["zio_stage", "u", 0x1000000 if timed else 0x200000], ["zio_pipeline", "u", 0x1080000 if timed else 0x1f00000],
            ["zio_delay", "u", delta], ["zio_timestamp", "u", stamp], ["zio_delta", "u", delta],
            ["zio_priority", "u", priority], ["zio_offset", "u", 0x4fc000 + block * 0x8000], ["zio_size", "u", size]]


def checksum(state, pool, vdev, block, priority, flags):
    """ereport.fs.zfs.checksum: block is the number of the bad 32 KiB block on the vdev."""
    histogram = [state.random.randrange(0x3c0, 0x440) for _ in range(64)]
    cleared = [state.random.randrange(0x3c0, 0x440) for _ in range(64)]
    _ereport(state, pool, vdev, "ereport.fs.zfs.checksum", _zio(state, 0, flags, priority, block, 0x8000, False) + [
        ["zio_objset", "u", 0x36], ["zio_object", "u", 2], ["zio_level", "u", 0], ["zio_blkid", "u", 0x9b + block],
        ["bad_ranges", "us", [0, 0x8000]], ["bad_ranges_min_gap", "u", 8],
        ["bad_range_sets", "us", [sum(histogram)]], ["bad_range_clears", "us", [sum(cleared)]],
        ["bad_set_histogram", "us", histogram], ["bad_cleared_histogram", "us", cleared]])


def io(state, pool, leaf, block):
    _ereport(state, pool, leaf, "ereport.fs.zfs.io", _zio(state, 5, 0xb08c1, 0, block, 0x2000, True))


def data(state, pool, number, kind="data"):
    """Not recorded: zfs_ereport_start() of module/zfs/zfs_fm.c, for a logical read that failed on all copies. kind: data or
    authentication."""
    root = pool["root"]
    name = f"ereport.fs.zfs.{kind}"
    state.post(name, [["class", "s", name], ["ena", "u", (state.random.getrandbits(48) << 12) | 1],
                      ["detector", "detector", [root["guid"], 0]]] + _pool(pool) + [["pool_failmode", "s", "wait"]]
               + _zio(state, 52, 0x880, 0, 0, 0, True)[:-2] + [
        ["zio_objset", "u", 0x36], ["zio_object", "u", 0x10 + number], ["zio_level", "u", 0], ["zio_blkid", "u", 0]])


def probe_failure(state, pool, leaf):
    _ereport(state, pool, leaf, "ereport.fs.zfs.probe_failure", [["prev_state", "u", 0]])


def open_failed(state, pool, leaf):
    """Not recorded: vdev_set_state() of module/zfs/vdev.c."""
    _ereport(state, pool, leaf, "ereport.fs.zfs.vdev.open_failed", [["prev_state", "u", vdevs.STATE_NUMBERS["CLOSED"]]])


def header():
    return f"{'TIME':<30} CLASS"


def render(event, verbose, scripted):
    """One event as printed by `zpool events`: a line; with -v (verbose) also its members and a blank line."""
    stamp = time.strftime("%b %d %Y %H:%M:%S", time.localtime(event["sec"])) + f".{event['nsec']:09d}"
    lines = [f"{stamp}\t{event['class']}" if scripted else f"{stamp:<30} {event['class']}"]
    if verbose:
        for name, kind, value in event["fields"]:
            lines += ["        " + line for line in _member(name, kind, value)]
        lines += [f"        time = 0x{event['sec']:x} 0x{event['nsec']:x} ", f"        eid = 0x{event['eid']:x}", ""]
    return "\n".join(lines)


def _member(name, kind, value):
    if kind == "u":
        return [f"{name} = 0x{value:x}"]
    if kind == "s":
        return [f'{name} = "{value}"']
    if kind == "us":
        return [f"{name} = " + "".join(f"0x{v:x} " for v in value)]
    if kind == "ss":
        return [f"{name} = " + "".join(f'"{v}" ' for v in value)]
    if kind == "state":
        return [f'{name} = "{value}" (0x{vdevs.STATE_NUMBERS[value]:x})']
    pool_guid, vdev_guid = value
    return [f"{name} = (embedded nvlist)", "        version = 0x0", '        scheme = "zfs"',
            f"        pool = 0x{pool_guid:x}", *([f"        vdev = 0x{vdev_guid:x}"] if vdev_guid else []), f"(end {name})"]
