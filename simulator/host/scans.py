"""Scrub and resilver. A scan is a dict in the pool: id, func ("scrub", "resilver"), state ("scanning", "finished",
"canceled"), start_ns, end_ns, seconds (planned duration), total (bytes), repaired (bytes), errors.

The bad blocks that a scan meets, and its end, are timers set when it starts; they carry the scan's id, so that timers of a
cancelled scan do nothing."""
from . import events, faults, vdevs
from .machine import due


def start_scrub(state, pool):
    scan = _begin(state, pool, "scrub")
    events.pool_event(state, pool, "scrub_start")
    events.history(state, pool, "scan setup", f"func=1 mintxg=0 maxtxg={state.data['txg'] + 2}")
    for leaf in vdevs.leaves(pool["root"]):
        _meet_bad_blocks(state, pool, leaf, scan)


def start_resilver(state, pool):
    """Restores all missing data. A running resilver starts over; a scrub is cancelled."""
    cancel(state, pool)
    scan = _begin(state, pool, "resilver")
    events.pool_event(state, pool, "resilver_start", [["resilver_type", "s", "healing"]])
    events.history(state, pool, "scan setup", f"func=2 mintxg=3 maxtxg={state.data['txg'] + 2}")
    for vdev in vdevs.walk(pool["root"]):
        if vdev["type"] in vdevs.GROUPS and any(leaf["dtl"] for leaf in vdevs.leaves(vdev)):
            for leaf in vdevs.leaves(vdev):
                _meet_bad_blocks(state, pool, leaf, scan)


def cancel(state, pool):
    scan = pool["scan"]
    if not scan or scan["state"] != "scanning":
        return False
    scan.update(state="canceled", end_ns=state.now_ns)
    if scan["func"] == "scrub":
        events.pool_event(state, pool, "scrub_abort")
    events.history(state, pool, "scan aborted", "errors=0")
    return True


def running(pool, func=None):
    scan = pool["scan"]
    return bool(scan) and scan["state"] == "scanning" and func in (None, scan["func"])


def progress(scan, now_ns):
    """From 0 to 1."""
    if scan["state"] != "scanning":
        return 1.0
    return min(0.9999, (now_ns - scan["start_ns"]) / (scan["seconds"] * 1e9))


def _begin(state, pool, func):
    seconds = state.data["speed"][func]
    number = (pool["scan"] or {"id": 0})["id"] + 1
    pool["scan"] = {"id": number, "func": func, "state": "scanning", "start_ns": state.now_ns, "end_ns": 0,
                    "seconds": seconds, "total": pool["alloc"], "repaired": 0, "errors": 0}
    state.at(seconds, finish, pool=pool["root"]["name"], scan=number)
    return pool["scan"]


def _meet_bad_blocks(state, pool, leaf, scan):
    if leaf["state"] in vdevs.DEAD or leaf["dtl"]:
        return
    blocks = faults.bad_blocks(state, leaf)
    for number, block in enumerate(blocks):
        state.at(scan["seconds"] * 0.9 * (number + 0.5) / len(blocks), meet, pool=pool["root"]["name"],
                 scan=scan["id"], vdev=leaf["guid"], block=block)


@due
def meet(state, pool, scan, vdev, block):
    """The scan reads a bad block."""
    pool = state.data["pools"].get(pool)
    if not pool or not running(pool) or pool["scan"]["id"] != scan:
        return
    leaf = vdevs.find(pool, str(vdev))
    if leaf is None:
        return
    # zio_flags as recorded for a scrub; a resilver has another bit instead of the scrub's.
    flags = 0x1008b0 if pool["scan"]["func"] == "scrub" else 0x1008a8
    if faults.read_block(state, pool, leaf, block, priority=4, flags=flags):
        pool["scan"]["repaired"] += 0x8000
        group = vdevs.parent_of(pool["root"], leaf)
        if pool["scan"]["func"] == "resilver" and group and group["type"] == "spare":
            # The pair reports errors as well, as a vdev without a path (recorded: spare-5 with CKSUM 153).
            group["cksum"] += 1
            events.checksum(state, pool, group, block, 4, flags)


@due
def finish(state, pool, scan):
    pool = state.data["pools"].get(pool)
    if not pool or not running(pool) or pool["scan"]["id"] != scan:
        return
    pool["scan"].update(state="finished", end_ns=state.now_ns)
    events.history(state, pool, "scan done", "errors=0")
    if pool["scan"]["func"] == "scrub":
        events.pool_event(state, pool, "scrub_finish")
        return
    for leaf in vdevs.leaves(pool["root"]):
        if leaf["state"] not in vdevs.DEAD:
            leaf["dtl"] = False
    events.pool_event(state, pool, "resilver_finish", [["resilver_type", "s", "healing"]])
    # Recorded: vdev_remove follows resilver_finish after 0.3 s; until then the status still shows the pair.
    state.at(0.3, resilver_done, pool=pool["root"]["name"])


@due
def resilver_done(state, pool):
    """Removes what a finished resilver has made superfluous: the old half of a replacing pair, and a spare whose disk has been replaced
    (the kernel's spa_vdev_resilver_done)."""
    pool = state.data["pools"].get(pool)
    if not pool:
        return
    for group in [v for v in vdevs.walk(pool["root"]) if v["type"] == "replacing"]:
        old, new = group["children"]
        if vdevs.readable(new):
            spared = vdevs.parent_of(pool["root"], group)
            detach(state, pool, old)
            if spared["type"] == "spare":
                detach(state, pool, spared["children"][1])


def detach(state, pool, leaf):
    """Removes one half of a pair, which dissolves the pair. A removed spare is available again; a remaining one becomes a regular disk
    of the pool."""
    group = vdevs.parent_of(pool["root"], leaf)
    group["children"] = [c for c in group["children"] if c is not leaf]
    events.vdev_event(state, pool, "vdev_remove", leaf)
    events.pool_event(state, pool, "config_sync")
    events.history(state, pool, "detach", f"vdev={leaf['path']}")
    if len(group["children"]) == 1:
        vdevs.replace_child(pool["root"], group, group["children"][0])
        if group["type"] == "spare" and group["children"][0]["type"] == "disk":
            pool["spares"] = [s for s in pool["spares"] if s["guid"] != group["children"][0]["guid"]]
