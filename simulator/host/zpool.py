"""The verbs of zpool(8) that change something, and their refusals: Refused with the message for stderr.

The captures show the course of replace, detach and of a pulled disk (zpool-replace.txt, zpool-events-replace.txt);
the wording of the refusals is libzfs's, "cannot VERB NAME: reason"."""
import os
import time

from . import events, faults, hardware, scans, vdevs
from .machine import due


class Refused(Exception):
    """Holds the line for stderr."""


def log_command(state, pool, arguments, program="zpool"):
    """Records a successful command in the pool's history, as only zpool(8) does, not ZED or the kernel. On a busy pool this is seconds
    after the event: the host's speed "log"."""
    text = " ".join([program, *arguments])
    state.at(state.data["speed"].get("log", 0), append_history, pool=pool["root"]["name"], text=text)
    state.advance(state.now_ns)


@due
def append_history(state, pool, text):
    if pool in state.data["pools"]:
        state.data["pools"][pool].setdefault("history", []).append([state.now_ns // 1_000_000_000, text])


def history(state, pool, long):
    """The output of `zpool history` (from cmd/zpool's source, not recorded)."""
    who = f" [user 0 (root) on {state.data['hostname']}:linux]" if long else ""
    lines = [time.strftime("%Y-%m-%d.%H:%M:%S", time.localtime(second)) + f" {text}{who}"
             for second, text in pool.get("history", [])]
    return "\n".join([f"History for '{pool['root']['name']}':", *lines, ""])


def pool_named(state, name, what=None):
    pool = state.data["pools"].get(name)
    if pool is None:
        raise Refused(f"cannot {what or 'open'}{'' if what else ' ' + repr(name)}: no such pool")
    return pool


def _leaf(pool, word, verb, missing="no such device in pool"):
    leaf = vdevs.find(pool, word)
    if leaf is None or leaf["type"] != "disk":
        raise Refused(f"cannot {verb} {word}: {missing}")
    return leaf


def _in_tree(pool, leaf):
    return any(v is leaf for v in vdevs.walk(pool["root"]))


def offline(state, pool, word, fault=False):
    """A FAULTED leaf stays so, and becomes OFFLINE once the fault is cleared."""
    leaf = _leaf(pool, word, "offline")
    if not _in_tree(pool, leaf):
        raise Refused(f"cannot offline {word}: device is reserved as a hot spare")
    if fault:
        faults.set_state(state, pool, leaf, "FAULTED", faults.EXTERNAL)
        return
    if vdevs.required(pool["root"], leaf):
        raise Refused(f"cannot offline {word}: no valid replicas")
    leaf["offline"] = True
    _open(state, pool, leaf)


def online(state, pool, word):
    """Returns zpool's output. The kernel reverts `zpool offline` and opens the disk again; FAULTED or DEGRADED remain (vdev_online() and
    vdev_open() of module/zfs/vdev.c; vdev_clear() ends those). It sends an event only if the leaf was offline, or was away and works
    now."""
    leaf = _leaf(pool, word, "online")
    if not _in_tree(pool, leaf):
        raise Refused(f"cannot online {word}: device is reserved as a hot spare")
    was_offline, was_away = leaf.get("offline", False), leaf["state"] in vdevs.DEAD
    leaf["offline"] = False
    _open(state, pool, leaf)
    works = leaf["state"] not in vdevs.DEAD
    if was_offline or (was_away and works):
        events.vdev_event(state, pool, "vdev_online", leaf)
    if was_away and works:
        scans.start_resilver(state, pool)
    if leaf["state"] == "ONLINE":
        return ""
    advice = ("use 'zpool clear' to restore a faulted device" if leaf["state"] == "FAULTED"
              else "use 'zpool replace' to replace devices that are no longer present")
    return f"warning: device '{word}' onlined, but remains in faulted state\n{advice}"


def clear(state, pool, word=None):
    """The kernel reopens leaves with problems and sends an event for each; healthy ones get no event."""
    touched = [_leaf(pool, word, "clear errors for")] if word else vdevs.leaves(pool["root"])
    resilver = False
    for leaf in touched:
        leaf.update(read=0, write=0, cksum=0, slow_ios=0)
        if leaf["state"] == "ONLINE":
            continue
        was_away = leaf["state"] in vdevs.DEAD
        leaf["mark"] = ""
        _open(state, pool, leaf)
        resilver |= was_away and leaf["state"] not in vdevs.DEAD
        events.vdev_event(state, pool, "vdev_clear", leaf)
    if resilver:
        scans.start_resilver(state, pool)


def _open(state, pool, leaf):
    """Opens the disk again and sets its resulting state, in the kernel's order."""
    aux = leaf["aux"] if leaf.get("mark") else ""
    if leaf.get("mark") == "FAULTED":
        wanted = "FAULTED"
    elif leaf.get("offline"):
        wanted, aux = "OFFLINE", ""
    elif faults.disk_of(state, leaf)["name"] is None:
        # A device whose removal ZFS saw stays REMOVED; any other is only known to be unopenable.
        wanted, aux = ("REMOVED", "") if leaf.get("removed") else ("UNAVAIL", "cannot open")
        if wanted == "UNAVAIL" != leaf["state"]:
            events.open_failed(state, pool, leaf)
    else:
        wanted = leaf.get("mark") or "ONLINE"
        aux = "too many errors" if wanted == "DEGRADED" else ""
        leaf["removed"] = False
    faults.set_state(state, pool, leaf, wanted, aux)


def set_leaf_state(state, pool, word, wanted, aux="too many errors"):
    """libzfs's zpool_vdev_degrade and zpool_vdev_fault (zpool(8) has no verb for the first)."""
    leaf = _leaf(pool, word, wanted)
    if not _in_tree(pool, leaf):
        raise Refused(f"cannot {wanted} {word}: device is reserved as a hot spare")
    if wanted == "degrade" and leaf.get("mark"):
        return
    if wanted == "degrade" and leaf["state"] in vdevs.DEAD:
        raise Refused(f"cannot degrade {word}: device is not in use")
    faults.set_state(state, pool, leaf, {"degrade": "DEGRADED", "fault": "FAULTED"}[wanted], aux)


def scrub(state, pool, stop=False):
    name = pool["root"]["name"]
    if stop:
        if not scans.running(pool, "scrub"):
            raise Refused(f"cannot cancel scrubbing {name}: there is no active scrub")
        scans.cancel(state, pool)
    elif scans.running(pool, "resilver"):
        raise Refused(f"cannot scrub {name}: currently resilvering")
    elif scans.running(pool):
        raise Refused(f"cannot scrub {name}: currently scrubbing; use 'zpool scrub -s' to cancel current scrub")
    else:
        scans.start_scrub(state, pool)


def detach(state, pool, word):
    leaf = _leaf(pool, word, "detach")
    if not _in_tree(pool, leaf):
        raise Refused(f"cannot detach {word}: device is reserved as a hot spare")
    group = vdevs.parent_of(pool["root"], leaf)
    if group["type"] not in vdevs.GROUPS + ("mirror",):
        raise Refused(f"cannot detach {word}: only applicable to mirror and replacing vdevs")
    if vdevs.required(pool["root"], leaf):
        raise Refused(f"cannot detach {word}: no valid replicas")
    scans.detach(state, pool, leaf)


def replace(state, pool, old_word, new_word, force):
    """zpool replace: with a spare of the pool (spare-N) or a new disk (replacing-N)."""
    new_word = new_word or old_word
    what = f"replace {old_word} with {new_word}"
    old = _leaf(pool, old_word, f"replace {old_word} with {new_word}".removesuffix(f" {old_word}")
                if old_word == new_word else what)
    if not _in_tree(pool, old):
        raise Refused(f"cannot {what}: device is reserved as a hot spare")
    spare = next((s for s in pool["spares"] if s is vdevs.find(pool, new_word)), None)
    group = vdevs.parent_of(pool["root"], old)
    outgoing = group["type"] == "replacing" and not (spare and old is group["children"][-1])
    if outgoing or (group["type"] == "spare" and (spare or old is not group["children"][0])):
        raise Refused(f"cannot {what}: already in replacing/spare config; wait for completion or use 'zpool detach'")
    if spare:
        _spare_in(state, pool, old, spare, what)
    else:
        _swap_in(state, pool, old, new_word, what, force)


def _attach(state, pool, old, new, kind, text):
    pair = {"guid": state.random.getrandbits(63), "type": kind, "cksum": 0, "children": [old, new]}
    vdevs.replace_child(pool["root"], old, pair)
    events.vdev_event(state, pool, "vdev_attach", new)
    scans.start_resilver(state, pool)
    events.pool_event(state, pool, "config_sync")
    events.history(state, pool, "vdev attach", f"{text} vdev={new['path']} for vdev={old['path']}")


def _spare_in(state, pool, old, spare, what):
    if vdevs.spare_user(state.data["pools"], spare):
        raise Refused(f"cannot {what}: {spare['path']} is busy, or device removal is in progress")
    if faults.disk_of(state, spare)["name"] is None:
        raise Refused(f"cannot {what}: no such device in pool")
    new = dict(spare, state="ONLINE", aux="", mark="", offline=False, read=0, write=0, cksum=0, dtl=True)
    events.vdev_event(state, pool, "vdev_spare", new)
    _attach(state, pool, old, new, "spare", "spare in")


def _swap_in(state, pool, old, word, what, force):
    path = word if word.startswith("/") else f"/dev/disk/by-id/{word}"
    path = path.removeprefix(state.machine.folder)
    node = os.path.basename(os.path.realpath(state.machine.path(path)))
    key = next((k for k, d in state.data["disks"].items() if d["name"] == node), None)
    if key is None:
        raise Refused(f"cannot resolve path '{path}': No such file or directory")
    pool_there, leaf_there = faults.leaf_on(state, key)
    if leaf_there is not None and leaf_there is not old:
        raise Refused("invalid vdev specification\nthe following errors must be manually repaired:\n"
                      f"{path} is part of active pool '{pool_there['root']['name']}'")
    disk = state.data["disks"][key]
    if disk["used"] and not force and leaf_there is None:
        raise Refused("invalid vdev specification\nuse '-f' to override the following errors:\n"
                      f"{path} contains a filesystem of type 'zfs_member'")
    if not disk["used"] and not force:
        raise Refused("invalid vdev specification\nuse '-f' to override the following errors:\n"
                      f"{path} does not contain an EFI label but it may contain partition\ninformation in the MBR.")
    if disk["size"] < faults.disk_of(state, old)["size"]:
        raise Refused(f"cannot {what}: device is too small")
    new = hardware.new_leaf(state, key, pool)
    new["dtl"] = True
    _attach(state, pool, old, new, "replacing", "replace")
