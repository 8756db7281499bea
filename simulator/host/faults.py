"""Faults of disks, and how ZFS notices them.

A disk of the host: serial, wwn, vendor, model, rev, size, name ("sdb"; None if pulled), bay, diskseq, and its faults: bad
(numbers of blocks with wrong data), garbage (repairs do not last), eio (every read fails)."""
from . import events, vdevs
from .machine import due

KERNEL_RATE = 20  # checksum ereports per second and vdev; more are only counted (zfs_checksum_events_per_second)
GARBAGE_BLOCKS = 60


def disk_of(state, leaf):
    return state.data["disks"][leaf["disk"]]


def leaf_on(state, disk_key):
    """(pool, leaf) of the vdev in use on a disk, or (None, None)."""
    for pool in state.data["pools"].values():
        for leaf in vdevs.leaves(pool["root"]):
            if leaf["disk"] == disk_key:
                return pool, leaf
    return None, None


def bad_blocks(state, leaf):
    disk = disk_of(state, leaf)
    return list(range(GARBAGE_BLOCKS)) if disk["garbage"] else list(disk["bad"])


def corrupt(state, disk_key, blocks, garbage):
    disk = state.data["disks"][disk_key]
    disk["bad"] = sorted(set(disk["bad"]) | set(range(blocks)))
    disk["garbage"] = garbage


def read_block(state, pool, leaf, block, priority, flags):
    """ZFS reads a bad block: it counts and reports the error within the kernel's rate limit, and writes the right data back. False if
    the block is good (again) or the disk is no longer used."""
    disk = disk_of(state, leaf)
    if leaf["state"] in vdevs.DEAD or not (disk["garbage"] or block in disk["bad"]):
        return False
    if not disk["garbage"]:
        disk["bad"].remove(block)
    second = state.now_ns // 1_000_000_000
    if disk.get("rate_second") != second:
        disk.update(rate_second=second, rate_count=0)
    disk["rate_count"] += 1
    if disk["rate_count"] <= KERNEL_RATE:
        events.checksum(state, pool, leaf, block, priority, flags)
    leaf["cksum"] += 1
    return True


def read_pool(state, pool, seconds):
    """Programs read everything in the pool once, without prefetch, in that many seconds."""
    for leaf in vdevs.leaves(pool["root"]):
        blocks = bad_blocks(state, leaf)
        for number, block in enumerate(blocks):
            state.at(seconds * (number + 0.5) / len(blocks), ordinary_read, pool=pool["root"]["name"],
                     vdev=leaf["guid"], block=block)
        if disk_of(state, leaf)["eio"]:
            start_read_errors(state, pool, leaf)


@due
def ordinary_read(state, pool, vdev, block):
    pool = state.data["pools"].get(pool)
    leaf = vdevs.find(pool, str(vdev)) if pool else None
    if leaf is not None and leaf["type"] == "disk":
        read_block(state, pool, leaf, block, priority=0, flags=0x100880)


def start_read_errors(state, pool, leaf):
    """Every read fails. Recorded (zpool-events-io.txt): three io ereports, a failed probe, and 3.1 s later another one and the kernel's
    own verdict."""
    where = {"pool": pool["root"]["name"], "vdev": leaf["guid"]}
    for number in range(3):
        state.at(0.01 * (number + 1), read_error, **where, block=number)
    state.at(0.05, probe_fails, **where, last=False)
    state.at(3.1, probe_fails, **where, last=True)


def some_read_errors(state, pool, leaf, count, seconds):
    """That many reads fail, but the probe in between succeeds: the kernel continues to use the disk."""
    for number in range(count):
        state.at(seconds * (number + 0.5) / count, read_error, pool=pool["root"]["name"], vdev=leaf["guid"],
                 block=number)


def _working_leaf(state, pool, vdev):
    pool = state.data["pools"].get(pool)
    leaf = vdevs.find(pool, str(vdev)) if pool else None
    return (pool, leaf) if leaf is not None and leaf["state"] not in vdevs.DEAD else (None, None)


@due
def read_error(state, pool, vdev, block):
    pool, leaf = _working_leaf(state, pool, vdev)
    if leaf:
        events.io(state, pool, leaf, block)
        leaf["read"] += 1


@due
def probe_fails(state, pool, vdev, last):
    pool, leaf = _working_leaf(state, pool, vdev)
    if not leaf or not disk_of(state, leaf)["eio"]:
        return
    events.probe_failure(state, pool, leaf)
    if last:
        leaf["write"] += 39
        set_state(state, pool, leaf, "FAULTED", "too many errors")


EXTERNAL = "external device fault"  # set from outside by zpool_vdev_fault; survives a reboot


def set_state(state, pool, leaf, wanted, aux=""):
    """The kernel changes a leaf's state and reports it; the last copy of data becomes at worst DEGRADED, never FAULTED."""
    if wanted == "FAULTED" and vdevs.required(pool["root"], leaf):
        wanted = "DEGRADED"
    before, leaf["aux"] = leaf["state"], aux
    if wanted in ("FAULTED", "DEGRADED"):
        leaf["mark"] = wanted  # until it is cleared
    if before == wanted:
        return
    leaf["state"] = wanted
    if wanted in vdevs.DEAD:
        leaf["dtl"] = True
    events.statechange(state, pool, leaf, before)


@due
def notice_removal(state, pool, vdev):
    """ZFS writes to a disk that is gone (zpool-events-replace.txt: statechange, then removed)."""
    pool = state.data["pools"].get(pool)
    leaf = vdevs.find(pool, str(vdev)) if pool else None
    if leaf is None or leaf["state"] in ("OFFLINE", "FAULTED", "REMOVED") or disk_of(state, leaf)["name"]:
        return
    leaf["removed"] = True
    set_state(state, pool, leaf, "REMOVED")
    events.removed(state, pool, leaf)
