"""md arrays of a simulated host: the kernel driver's sysfs files (recorded: plugins/volumes/tests/fixtures) and behaviour
(drivers/md/md.c): a failed member leaves its slot, a spare takes it, a rebuild fills it; and mdadm(8)'s output.

An array: name, uuid, level, disks (number of slots), action, started_ns, sync (a number; the end of an earlier sync is ignored), members
{device name: {disk, slot, state}}. state: in_sync, faulty, spare (also during the rebuild), and want_replacement beside in_sync."""
import os
import shutil
import uuid

from . import hardware
from .machine import due

COPIES = {"raid1": lambda disks: disks - 1, "raid5": lambda disks: 1, "raid6": lambda disks: 2, "raid0": lambda disks: 0}
SECTORS = 522240  # per member


class Refused(Exception):
    """Holds mdadm's message, without the program's name."""


def make_array(state, name, level, keys, spares):
    array = {"name": name, "uuid": str(uuid.UUID(int=state.random.getrandbits(128), version=4)), "level": level, "disks": len(keys),
             "action": "idle", "last_action": "none", "started_ns": 0, "sync": 0, "members": {}}
    state.data.setdefault("md", {})[name] = array
    for slot, key in enumerate([*keys, *spares]):
        is_spare = slot >= len(keys)
        array["members"][state.data["disks"][key]["name"]] = {"disk": key, "slot": None if is_spare else slot,
                                                              "state": "spare" if is_spare else "in_sync"}
    write_sysfs(state, array)


def array_named(state, device):
    array = state.data.get("md", {}).get(os.path.basename(device))
    if not array:
        raise Refused(f"error opening {device}: No such file or directory")
    return array


def member_on(state, key):
    """(array, device name) of the member on a disk, or (None, None)."""
    for array in state.data.get("md", {}).values():
        for name, member in array["members"].items():
            if member["disk"] == key:
                return array, name
    return None, None


def good(array):
    return {member["slot"] for member in array["members"].values() if member["state"].startswith("in_sync")}


# --- the kernel ---------------------------------------------------------------

def fail(state, array, name):
    """md_error(): the last copy of a mirror never fails."""
    member = array["members"][name]
    if member["state"] == "faulty":
        return
    if array["level"] == "raid1" and member["state"].startswith("in_sync") and len(good(array)) == 1:
        raise Refused(f"set device faulty failed for /dev/{name}:  Device or resource busy")
    member.update(state="faulty", slot=None)
    stop_sync(array)
    start_recovery(state, array)
    write_sysfs(state, array)


def stop_sync(array):
    array.update(action="idle", sync=array["sync"] + 1)
    for member in array["members"].values():
        if member["state"] == "spare":
            member["slot"] = None


def start_recovery(state, array):
    """remove_and_add_spares(), md_check_recovery()."""
    if array["action"] != "idle":
        return
    empty = sorted(set(range(array["disks"])) - good(array))
    spares = sorted(name for name, member in array["members"].items() if member["state"] == "spare")
    wanted = [member["slot"] for member in array["members"].values() if member["state"] == "in_sync,want_replacement"]
    for slot, name in zip(empty or wanted, spares):
        array["members"][name]["slot"] = slot
        array.update(action="recover", started_ns=state.now_ns, sync=array["sync"] + 1)
    if array["action"] == "recover":
        state.at(state.data["speed"]["resilver"], finish_recovery, array=array["name"], sync=array["sync"])


@due
def finish_recovery(state, array, sync):
    array = state.data["md"].get(array)
    if not array or array["sync"] != sync:
        return
    for member in list(array["members"].values()):
        if member["state"] != "spare" or member["slot"] is None:
            continue
        for old in array["members"].values():
            if old is not member and old["slot"] == member["slot"]:
                old.update(state="faulty", slot=None)
        member["state"] = "in_sync"
    array.update(action="idle", last_action="recover")
    start_recovery(state, array)
    write_sysfs(state, array)


@due
def notice_missing(state, disk):
    """md writes to a disk that is gone; udev then runs mdadm -If to remove it."""
    array, name = member_on(state, disk)
    if not array or state.data["disks"][disk]["name"]:
        return
    try:
        fail(state, array, name)
    except Refused:
        return  # the last copy: it stays, and its I/O fails
    del array["members"][name]
    write_sysfs(state, array)


# --- mdadm --------------------------------------------------------------------

def manage(state, device, verb, name):
    """Returns mdadm's output."""
    array = array_named(state, device)
    short = os.path.basename(name)
    if verb in ("--add", "--re-add"):
        return add(state, array, device, short, verb)
    if short not in array["members"]:
        raise Refused(f"{short} does not appear to be a component of {device}")
    member = array["members"][short]
    if verb == "--fail":
        fail(state, array, short)
        return f"set {short} faulty in {os.path.basename(device)}"
    if verb == "--remove":
        if member["slot"] is not None:
            raise Refused(f"hot remove failed for {name}: Device or resource busy")
        del array["members"][short]
        write_sysfs(state, array)
        return f"hot removed {short} from {device}"
    if verb == "--replace":
        slot = member["slot"]
        member["state"] = "in_sync,want_replacement"
        start_recovery(state, array)
        write_sysfs(state, array)
        return f"Marked {name} (device {slot} in {device}) for replacement"
    raise Refused(f"unrecognized option '{verb}'")


def add(state, array, device, name, verb):
    key = next((key for key, disk in state.data["disks"].items() if disk["name"] == name), None)
    if key is None:
        raise Refused(f"Cannot find /dev/{name}: No such file or directory")
    if member_on(state, key)[0]:
        raise Refused(f"Cannot open /dev/{name}: Device or resource busy")
    if verb == "--re-add":  # impossible without a write-intent bitmap
        raise Refused(f"--re-add for /dev/{name} to {device} is not possible")
    array["members"][name] = {"disk": key, "slot": None, "state": "spare"}
    start_recovery(state, array)
    write_sysfs(state, array)
    return f"added /dev/{name}"


# --- sysfs --------------------------------------------------------------------

def write_sysfs(state, array):
    path = state.machine.path
    folder = path(f"sys/devices/virtual/block/{array['name']}")
    for name in os.listdir(f"{folder}/md") if os.path.isdir(f"{folder}/md") else ():
        if name.startswith("dev-") and name[4:] not in array["members"]:
            shutil.rmtree(f"{folder}/md/{name}")
            hardware.remove_link(path(f"sys/block/{name[4:]}/holders/{array['name']}"))
    missing = array["disks"] - len(good(array))
    passed = min(0.99, (state.now_ns - array["started_ns"]) / (state.data["speed"]["resilver"] * 1e9))
    busy = array["action"] != "idle"
    for name, text in {"array_state": "clean", "level": array["level"], "raid_disks": array["disks"], "degraded": missing,
                       "sync_action": array["action"], "last_sync_action": array["last_action"], "mismatch_cnt": 0, "layout": 0,
                       "sync_completed": f"{int(SECTORS * passed)} / {SECTORS}" if busy else "none",
                       "sync_speed": 65536 if busy else "none", "uuid": array["uuid"]}.items():
        hardware.write(f"{folder}/md/{name}", f"{text}\n")
    hardware.write(f"{folder}/size", f"{SECTORS}\n")
    for name, member in array["members"].items():
        own = f"{folder}/md/dev-{name}"
        for file, text in (("state", member["state"]), ("slot", "none" if member["slot"] is None else member["slot"]), ("errors", 0)):
            hardware.write(f"{own}/{file}", f"{text}\n")
        hardware.write(f"{own}/bad_blocks", "")
        if os.path.isdir(path(f"sys/block/{name}")):
            hardware.link(folder, path(f"sys/block/{name}/holders/{array['name']}"))
    hardware.link(folder, path(f"sys/block/{array['name']}"))
    hardware.link(folder, path(f"sys/class/block/{array['name']}"))
    hardware.write(path(f"dev/{array['name']}"), "")
