"""Actions on a simulated host, by users or by chance: create one, damage a disk, pull it, insert a new one, look at it."""
import os
import random
import re
import shutil
import uuid

from . import bmc, cpu, events, faults, hardware, machine, md, scans, smart, vdevs, zpool
from .tools import link_tools

SPEED = {"scrub": 4.0, "resilver": 4.0, "notice": 0.3, "log": 0}  # seconds
POOL_BYTES = 600 << 20
LED_FILES = ("fault", "locate")
FOREIGN_GUID = 1 << 62 | 1  # a vdev of another machine's pool


class SimulatedHost(machine.Machine):
    """A simulated host with all actions on it, by bay number."""

    @classmethod
    def make(cls, folder, bays=8, pools=("tank=raidz2:1,2,3,4,5,6+7",), serials=None, speed=None, seed=None,
             hostname="simulated", arrays=(), box=False, controllers=0):
        """pools: "NAME=TYPE:BAY,...[+SPARE_BAY,...]", TYPE stripe, mirror, raidz1 to raidz3. arrays: "md0=LEVEL:BAY,...[+SPARE_BAY,...]",
        of whole disks. serials: {bay: serial}, instead of DISK01G0 and so on. speed: seconds for a scrub, a resilver and
        noticing a removal, and the delay of a zpool command's record in the pool's history. box: with processors, memory
        and their trace (cpu.py). controllers: number of controllers, shown as PCI devices, with an equal share of the bays
        each; 0: one that is not shown."""
        host = cls(folder)
        seed = random.SystemRandom().getrandbits(48) if seed is None else seed
        host.create(seed, str(uuid.UUID(int=random.Random(seed).getrandbits(128), version=4)))
        with host.change() as state:
            state.data.update(hostname=hostname, speed=SPEED | (speed or {}),
                              enclosure={"name": "fakeses0", "id": "5000c500fa0e5e50"})
            hardware.make_enclosure(state, bays)
            if controllers:
                hardware.make_controllers(state, controllers)
            specs, of_md = [parse_pool(spec) for spec in pools], [parse_array(spec) for spec in arrays]
            for bay in sorted({bay for spec in specs + of_md for bay in spec["bays"] + spec["spares"]}):
                hardware.new_disk(state, bay, (serials or {}).get(bay, f"DISK{bay:02d}G0"), f"5000c500a{bay:07d}")
            for spec in specs:
                _make_pool(state, spec)
            for spec in of_md:
                md.make_array(state, spec["name"], spec["type"], [disk_in(state, bay) for bay in spec["bays"]],
                              [disk_in(state, bay) for bay in spec["spares"]])
            hardware.announce_pools(state)
            hardware.write_kstat(state)
            hardware.write(host.path("proc/sys/kernel/random/boot_id"), state.data["boot_id"] + "\n")
            hardware.write(host.path("proc/sys/kernel/hostname"), hostname + "\n")
        if box:
            cpu.make(host.folder, seed)
        link_tools(folder)
        return host

    def environment(self):
        """The environment of a plugin on this host."""
        return {"FMD_HOST_ROOT": self.folder, "FMD_HOST_PATH": self.path("bin")}

    def corrupt(self, bay, blocks=60, garbage=False):
        """Overwrites that many blocks with other data; garbage: damage returns after each repair."""
        with self.change() as state:
            faults.corrupt(state, disk_in(state, bay), blocks, garbage)

    def lose(self, names, pool="tank", kind="data"):
        """Makes the data of these names unrecoverable. Without names: the last scrub has found no more damage."""
        with self.change() as state:
            pool = zpool.pool_named(state, pool)
            for number, name in enumerate(names):
                if name not in pool.setdefault("damaged", []):
                    pool["damaged"].append(name)
                    events.data(state, pool, number, kind)
            if not names:
                pool["damaged"] = []

    def hang(self, pool, hangs=True):
        """Every query about the pool hangs, until called with hangs=False."""
        with self.change() as state:
            zpool.pool_named(state, pool)
            state.data["hung"] = [name for name in state.data.get("hung", []) if name != pool] + [pool] * hangs

    def slow(self, bay, milliseconds):
        """From now on the disk's I/O takes that long."""
        with self.change() as state:
            state.data["disks"][disk_in(state, bay)]["slow"] = milliseconds

    def heal(self, bay):
        with self.change() as state:
            state.data["disks"][disk_in(state, bay)].update(bad=[], garbage=False, eio=False, slow=8)

    def read(self, pool="tank", seconds=1.0):
        """Reads everything in the pool once, without prefetch."""
        with self.change() as state:
            faults.read_pool(state, zpool.pool_named(state, pool), seconds)

    def scrub(self, pool="tank"):
        with self.change() as state:
            zpool.scrub(state, zpool.pool_named(state, pool))

    def eio(self, bay, errors=None, seconds=1.0):
        """Every read of the disk fails, or that many reads within that time."""
        with self.change() as state:
            key = disk_in(state, bay)
            pool, leaf = faults.leaf_on(state, key)
            if not leaf:
                raise SystemExit(f"fmsim: no pool reads the disk in bay {bay}")
            if errors:
                faults.some_read_errors(state, pool, leaf, errors, seconds)
            else:
                state.data["disks"][key]["eio"] = True
                faults.start_read_errors(state, pool, leaf)

    def behind(self, controller):
        """The bays with disks behind that controller, which counts from 1."""
        with self.change() as state:
            return [int(bay) for bay, slot in state.data["bays"].items()
                    if slot["disk"] and hardware.controller_of(state, bay) == controller - 1]

    def cable(self, controller, good):
        """The cable between a controller and its bays: reads of all disks behind it fail, or work again."""
        for bay in self.behind(controller):
            if good:
                self.heal(bay)
            elif self._is_read(bay):
                self.eio(bay)

    def _is_read(self, bay):
        """Whether a pool reads the disk, unlike an idle spare."""
        with self.change() as state:
            return bool(faults.leaf_on(state, disk_in(state, bay))[1])

    def pull(self, bay):
        """Pulls the disk; returns its key, with which insert() can put it back."""
        with self.change() as state:
            return hardware.take_out(state, bay)

    def drop(self, bay):
        """The disk drops off its bus, but the enclosure still sees it in its bay."""
        with self.change() as state:
            hardware.drop(state, bay, disk_in(state, bay))

    def find_again(self, bay):
        """The disk that dropped off responds again."""
        with self.change() as state:
            hardware.find_again(state, bay)

    def insert(self, bay, disk=None, serial=None, wwn=None, used=False, size=hardware.DISK_BYTES):
        """Inserts a disk: a new one, or a pulled one by its key."""
        with self.change() as state:
            if disk:
                hardware.plug_in(state, disk, bay)
                return disk
            count = len(state.data["disks"]) + 1
            key = hardware.new_disk(state, bay, serial or f"DISK{int(bay):02d}N{count}",
                                    f"5000c500b{count:07d}" if wwn is None else wwn, size=size)
            if used:
                hardware.give_to_zfs(state, key, guid=FOREIGN_GUID)
            return key

    def fault(self, bay):
        """The kernel itself marks the vdev FAULTED."""
        with self.change() as state:
            array, name = md.member_on(state, disk_in(state, bay))
            if array:
                return md.fail(state, array, name)
            pool, leaf = _leaf_in(state, bay)
            faults.set_state(state, pool, leaf, "FAULTED", "too many errors")

    def person(self, bay, act):
        """An administrator's zpool(8) command, which is recorded in the pool's history; the vdev is named as zpool shows it."""
        with self.change() as state:
            pool, leaf = _leaf_in(state, bay)
            word = vdevs.name_of(leaf, pool["root"])
            verb, *options = act.split()
            {"offline": zpool.offline, "online": zpool.online, "clear": zpool.clear}[verb](
                state, pool, word, *(["-f" in options] if options else []))
            zpool.log_command(state, pool, [*act.split(), pool["root"]["name"], word])

    def zed(self, bay, act):
        """The same without a record, as ZED does it through libzfs; also degrade, fault and spare, which only ZED does."""
        with self.change() as state:
            pool, leaf = _leaf_in(state, bay)
            guid = str(leaf["guid"])
            if act in ("degrade", "fault"):
                zpool.set_leaf_state(state, pool, guid, act)
            elif act == "spare":
                free = [spare for spare in pool["spares"] if not vdevs.spare_user(state.data["pools"], spare)]
                zpool.replace(state, pool, guid, str(free[0]["guid"]) if free else "", False)
            else:
                {"online": zpool.online, "clear": zpool.clear}[act](state, pool, guid)

    def led(self, bay, name):
        """The content of the bay's LED file: "0", "1", or "" if it cannot be written."""
        with open(self._led_path(bay, name), encoding="ascii") as file:
            return file.read(16).strip()

    def break_led(self, bay, name, broken=True):
        """An LED that accepts writes without effect (recorded for `ignore_leds`: detected only by reading back)."""
        path = self._led_path(bay, name)
        if os.path.islink(path) or os.path.exists(path):
            os.unlink(path)
        if broken:
            os.symlink("/dev/null", path)
        else:
            hardware.write(path, "0\n")

    def smart(self, bay, changes):
        """Changes the SMART data of the disk in a bay: [(name, value)], see smart.change()."""
        with self.change() as state:
            smart.change(self.folder, disk_in(state, bay), changes)

    def bmc(self, changes):
        """Changes the machine's BMC, which the first call installs: [(name, value)], see bmc.change()."""
        bmc.change(self.folder, changes)

    def check(self, thread, kind):
        """Raises a machine check on that thread, of a kind in cpu.KINDS."""
        cpu.check(self.folder, thread, kind)

    def threads_online(self):
        return cpu.online(self.folder)

    def _led_path(self, bay, name):
        with self.change() as state:
            return os.path.join(hardware.enclosure_folder(state), hardware.slot_name(bay), name)

    def reboot(self):
        """Reboots: event ids start again, and device names are reassigned. Nothing of the host may be running."""
        with self.change() as state:
            boot = random.Random(state.data["boot_id"])  # different at each boot
            state.data.update(boot_id=str(uuid.UUID(int=boot.getrandbits(128), version=4)), next_eid=1, timers=[])
            self.clear_events()
            for pool in state.data["pools"].values():
                scans.cancel(state, pool)
                for leaf in vdevs.leaves(pool["root"]):
                    # An import clears FAULTED if ZFS itself had set it (vdev_alloc() of module/zfs/vdev.c).
                    if leaf["state"] == "FAULTED" and leaf["aux"] != faults.EXTERNAL:
                        leaf.update(state="ONLINE", aux="", mark="")
            state.posted.clear()
            state.data["next_eid"] = 1
            held = {bay: slot["disk"] for bay, slot in state.data["bays"].items() if slot["disk"]}
            for bay in held:
                hardware.take_out(state, bay)
            state.data["timers"] = []
            for bay, key in held.items():
                hardware.plug_in(state, key, bay)
            hardware.announce_pools(state)
            hardware.write(self.path("proc/sys/kernel/random/boot_id"), state.data["boot_id"] + "\n")
        if cpu.is_there(self.folder):
            cpu.boot(self.folder)

    def vdev(self, bay):
        """The current leaf vdev on the disk in a bay ({} if none), with its pool's name and its place."""
        state = self.look()
        pool, leaf = faults.leaf_on(state, state.data["bays"][str(bay)]["disk"])
        if not leaf:
            return {}
        group = vdevs.parent_of(pool["root"], leaf)
        return dict(leaf, pool=pool["root"]["name"], parent=group["type"], place=vdevs.name_of(group, pool["root"]))

    def array(self, name="md0"):
        """The current md array: its slots with data, its action, its members."""
        array = self.look().data["md"][name]
        return {"good": len(md.good(array)), "action": array["action"],
                "members": {name: member["state"] for name, member in array["members"].items()}}

    def chassis(self):
        """[{bay, serial, device, fault, locate, note}] of all bays, for display."""
        state = self.look()
        rows = []
        for bay, slot in sorted(state.data["bays"].items(), key=lambda item: int(item[0])):
            disk = state.data["disks"].get(slot["disk"] or "", {})
            pool, leaf = faults.leaf_on(state, slot["disk"])
            spares = [s["disk"] for p in state.data["pools"].values() for s in p["spares"]]
            note = leaf["state"] if leaf else "spare" if slot["disk"] in spares else "new" if slot["disk"] else "empty"
            if leaf and vdevs.parent_of(pool["root"], leaf)["children"][0] is not leaf and slot["disk"] in spares:
                note = "spare in use"
            rows.append({"bay": int(bay), "serial": disk.get("serial", ""), "device": disk.get("name") or "", "note": note,
                         **{name: self._led_of(state, bay, name) == "1" for name in LED_FILES}})
        return rows

    @staticmethod
    def _led_of(state, bay, name):
        with open(os.path.join(hardware.enclosure_folder(state), hardware.slot_name(bay), name), encoding="ascii") as file:
            return file.read(16).strip()

    def pool(self, name="tank"):
        """The pool's current state."""
        return self.look().data["pools"][name]

    def events(self):
        """Classes of all ZFS events since boot."""
        self.look()
        with open(self.path(machine.EVENTS), encoding="utf-8") as file:
            return re.findall(r'"class": "([\w.]+)", "sec"', file.read())

    def destroy(self):
        shutil.rmtree(self.folder)


def disk_in(state, bay):
    slot = state.data["bays"].get(str(bay))
    if slot is None:
        raise SystemExit(f"fmsim: there is no bay {bay}")
    if not slot["disk"]:
        raise SystemExit(f"fmsim: bay {bay} is empty")
    return slot["disk"]


def _leaf_in(state, bay):
    pool, leaf = faults.leaf_on(state, disk_in(state, bay))
    if not leaf:
        raise SystemExit(f"fmsim: no pool uses the disk in bay {bay}")
    return pool, leaf


def parse_pool(spec):
    match = re.fullmatch(r"(.+)=(stripe|mirror|raidz[123]):(\d+(?:,\d+)*)(?:\+(\d+(?:,\d+)*))?", spec)
    if not match:
        raise SystemExit(f"fmsim: pool '{spec}': write NAME=TYPE:BAY,BAY...+SPARE,..., TYPE stripe, mirror, raidz1 to raidz3")
    name, kind, bays, spares = match.groups()
    return {"name": name, "type": kind, "bays": [int(b) for b in bays.split(",")],
            "spares": [int(b) for b in spares.split(",")] if spares else []}


def parse_array(spec):
    match = re.fullmatch(r"(md\d+)=(raid[0156]):(\d+(?:,\d+)*)(?:\+(\d+(?:,\d+)*))?", spec)
    if not match:
        raise SystemExit(f"fmsim: array '{spec}': write md0=LEVEL:BAY,BAY...+SPARE,..., LEVEL raid0, raid1, raid5 or raid6")
    name, level, bays, spares = match.groups()
    return {"name": name, "type": level, "bays": [int(b) for b in bays.split(",")],
            "spares": [int(b) for b in spares.split(",")] if spares else []}


def _spare_on(state, key, pool):
    """A spare that another pool already has is shared, with the same guid."""
    shared = [spare for other in state.data["pools"].values() for spare in other["spares"] if spare["disk"] == key]
    return dict(shared[0]) if shared else hardware.new_leaf(state, key, pool)


def _make_pool(state, spec):
    root = {"guid": state.random.getrandbits(63) | 1 << 62, "type": "root", "name": spec["name"], "children": []}
    pool = {"root": root, "spares": [], "scan": None, "alloc": POOL_BYTES}
    state.data["pools"][spec["name"]] = pool
    children = [hardware.new_leaf(state, disk_in(state, bay), pool) for bay in spec["bays"]]
    if spec["type"] == "stripe":
        root["children"] = children
    else:
        group = {"guid": state.random.getrandbits(63) | 1 << 62, "type": spec["type"].rstrip("123"), "children": children,
                 "cksum": 0}
        if group["type"] == "raidz":
            group["nparity"] = int(spec["type"][-1])
        root["children"] = [group]
    pool["spares"] = [_spare_on(state, disk_in(state, bay), pool) for bay in spec["spares"]]
    events.pool_event(state, pool, "pool_create")
    paths = [[leaf["path"].rsplit("/", 1)[-1].removesuffix("-part1") for leaf in group] for group in (children, pool["spares"])]
    kind = [] if spec["type"] == "stripe" else [spec["type"]]
    zpool.log_command(state, pool, ["create", spec["name"], *kind, *paths[0], *(["spare"] if paths[1] else []), *paths[1]])
