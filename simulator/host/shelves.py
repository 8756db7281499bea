"""A big host: shelves full of SAS disks behind two adapters, as `fmsim create --shelves` makes it. It has no pools and no
time: it can be looked at, and smart.py can change its disks.

Shelves form chains at the adapters' four connectors. The last ones are cabled twice (--multipath), with one expander per cable, so
that the kernel sees their disks twice and device-mapper combines them."""
import os
import random

from . import box, sas, smart
from .blocks import SECTOR, partitions
from .tools import link_tools
from .tree import Tree

LIST = "sim/shelves.json"
DISK_BYTES = 16 * 10**12 // SECTOR * SECTOR
VENDOR, MODEL, REVISION, SHELF_MODEL = "SEAGATE", "ST16000NM004J", "E004", "JBOD-12G"
ADAPTERS = (("0000:18:00.0", "500605b00e1a2b00"), ("0000:af:00.0", "500605b00e1a2c00"))
# sd's major numbers (drivers/scsi/sd.c): sixteen, after which the minors continue
MAJORS = (8, *range(65, 72), *range(128, 136))


def device_name(index):
    """sda, sdb, …, sdz, sdaa, … as in the kernel."""
    name = ""
    index += 1
    while index:
        index, letter = divmod(index - 1, 26)
        name = chr(ord("a") + letter) + name
    return "sd" + name


def device_number(index):
    return f"{MAJORS[(index & 0xf0) >> 4]}:{(index & 0xf) << 4 | index & 0xfff00}"


class Maker:
    """Creates one host; see make()."""

    def __init__(self, folder, shelves, bays, multipath, blank, seed):
        self.tree = Tree(folder)
        self.shelves, self.bays, self.multipath, self.blank = shelves, bays, multipath, blank
        self.random = random.Random(seed)
        self.devices = self.maps = 0
        self.disks = {}  # "SHELF/BAY" → its disk

    def make(self):
        adapters = [sas.Adapter(self.tree, number, pci, address) for number, (pci, address) in enumerate(ADAPTERS, 1)]
        box.make(self.tree, adapters, self.random)
        # The ends of the chains: (adapter, function that creates the port for the next shelf).
        chains = [(adapter, lambda adapter=adapter, phy=phy: adapter.port(phy)) for adapter in adapters for phy in (0, sas.WIDTH)]
        for shelf in range(1, self.shelves + 1):
            at = (shelf - 1) % len(chains)
            ways = [at]
            if shelf > self.shelves - self.multipath:
                ways.append((at + len(chains) // 2) % len(chains))  # from the other adapter
            for side, way in enumerate(ways):
                adapter, cable = chains[way]
                expander = self._shelf(adapter, cable(), shelf, side)
                chains[way] = (adapter, expander.down)
        for place, disk in self.disks.items():
            self._multipath(disk)
            self._links(disk)
            smart.install(self.tree.folder, place.replace("/", "-"), "scsi", disk["serial"], disk["names"],
                          vendor=VENDOR, model=MODEL, revision=REVISION, size=DISK_BYTES, wwn=disk["wwn"])
        return self.disks

    def _shelf(self, adapter, cable, shelf, side):
        """One expander of a shelf, with everything that the adapter sees through it."""
        enclosure = f"5000a0f0{shelf:06x}00"
        expander = sas.Expander(adapter, cable, f"5000a0f0{shelf:06x}{0x3f + 0x40 * side:02x}", enclosure, self.bays)
        bays = list(range(1, self.bays + 1))
        # Disks do not respond in the order of their bays.
        for first in range(0, self.bays, 8):
            part = bays[first:first + 8]
            self.random.shuffle(part)
            bays[first:first + 8] = part
        devices = {bay: self._disk(adapter, expander, shelf, bay, side, enclosure) for bay in bays}
        self._enclosure(expander, shelf, side, enclosure, devices)
        return expander

    def _enclosure(self, expander, shelf, side, enclosure, devices):
        """The SES processor of a shelf and its slots (enclosure-sysfs.txt)."""
        address = f"5000a0f0{shelf:06x}{0x3d + 0x40 * side:02x}"
        device, address_of = expander.end_device(self.bays, address, enclosure, self.bays)
        self.tree.put(device, {"vendor": "FMSIM   ", "model": f"{SHELF_MODEL:<16}", "rev": "0304", "type": 13, "state": "running",
                               "wwid": f"naa.{enclosure[:-2]}{address[-2:]}", "sas_address": f"0x{address}"})
        own = f"{device}/enclosure/{address_of}"
        self.tree.put(own, {"components": self.bays, "id": f"0x{enclosure}", "uevent": b""})
        self.tree.link(device, f"{own}/device")
        self.tree.link(own, f"sys/class/enclosure/{address_of}")
        for bay, disk in devices.items():
            slot = f"{own}/Slot {bay:02d}"
            self.tree.put(slot, {"slot": bay, "type": "array device", "status": "OK", "fault": 0, "locate": 0, "active": 0,
                                 "power_status": "on", "uevent": b""})
            self.tree.link(disk, f"{slot}/device")
            self.tree.link(slot, f"{disk}/enclosure_device:Slot {bay:02d}")

    def _disk(self, adapter, expander, shelf, bay, side, enclosure):
        """One path to a disk: a SCSI device with its block device; returns its sysfs path."""
        number = (shelf - 1) * self.bays + bay
        wwn, serial = f"5000c500{number:07x}3", f"ZL2{number:05d}0000"
        disk = self.disks.setdefault(f"{shelf}/{bay}", {
            "serial": serial, "wwn": wwn, "model": MODEL, "enclosure": enclosure, "names": [], "by_path": [],
            "blank": self.blank and number % (self.shelves * self.bays // self.blank) == 0})
        port = f"{wwn[:-1]}{1 + side}"
        device, _ = expander.end_device(bay - 1, port, enclosure, bay - 1)
        name, index = device_name(self.devices), self.devices
        self.devices += 1
        disk["names"].append(name)
        disk["by_path"].append(f"pci-{adapter.pci}-sas-exp0x{expander.address}-phy{bay - 1}-lun-0")
        self.tree.put(device, {
            "vendor": f"{VENDOR:<8}", "model": f"{MODEL:<16}", "rev": REVISION, "wwid": f"naa.{wwn}", "state": "running",
            "type": 0, "scsi_level": 7, "queue_depth": 254, "sas_address": f"0x{port}",
            "vpd_pg80": bytes([0, 0x80, 0, len(serial)]) + serial.encode(),
            "vpd_pg83": bytes([0, 0x83, 0, 12, 0x01, 0x03, 0x00, 0x08]) + bytes.fromhex(wwn)})
        self._block(f"{device}/block/{name}", device, index, disk)
        return device

    def _block(self, block, device, index, disk):
        name = os.path.basename(block)
        number = device_number(index)
        major, minor = number.split(":")
        self.tree.put(block, {
            "size": DISK_BYTES // SECTOR, "dev": number, "diskseq": index + 1, "removable": 0, "ro": 0, "hidden": 0,
            "queue/rotational": 1, "queue/logical_block_size": 512, "queue/physical_block_size": 4096,
            "uevent": f"MAJOR={major}\nMINOR={minor}\nDEVNAME={name}\nDEVTYPE=disk\nDISKSEQ={index + 1}"})
        for folder in ("holders", "slaves"):
            self.tree.folder_at(f"{block}/{folder}")
        self.tree.link(device, f"{block}/device")
        self.tree.link(block, f"sys/block/{name}")
        self.tree.link(block, f"sys/class/block/{name}")
        if disk["blank"]:
            return
        for part, start, sectors in partitions(DISK_BYTES):
            own = f"{block}/{name}{part}"
            self.tree.put(own, {"partition": part, "start": start, "size": sectors, "dev": f"{major}:{int(minor) + part}"})
            self.tree.link(own, f"sys/class/block/{name}{part}")

    def _multipath(self, disk):
        """The multipath device, if there are several paths to the disk."""
        disk["map"] = None
        if len(disk["names"]) < 2:
            return
        disk["map"] = name = f"dm-{self.maps}"
        self.maps += 1
        block = f"sys/devices/virtual/block/{name}"
        self.tree.put(block, {"size": DISK_BYTES // SECTOR, "dev": f"253:{self.maps - 1}", "removable": 0, "hidden": 0,
                              "dm/name": f"mpath{self.maps}", "dm/uuid": f"mpath-3{disk['wwn']}", "queue/rotational": 1})
        self.tree.folder_at(f"{block}/holders")
        self.tree.link(block, f"sys/block/{name}")
        self.tree.link(block, f"sys/class/block/{name}")
        for way in disk["names"]:
            below = os.path.normpath(os.path.join("sys/block", os.readlink(self.tree.path(f"sys/block/{way}"))))
            self.tree.link(below, f"{block}/slaves/{way}")
            self.tree.link(block, f"{below}/holders/{name}")

    def _links(self, disk):
        """Empty device nodes, and udev's links. A disk with several paths is linked to its map, and by-path to each."""
        names = disk["names"] + ([disk["map"]] if disk["map"] else [])
        parts = ("",) if disk["blank"] else ("", "-part1", "-part9")
        self.tree.put("dev", {name + part.removeprefix("-part"): b"" for name in names for part in parts})
        for name in names if disk["blank"] else ():
            os.truncate(self.tree.path(f"dev/{name}"), DISK_BYTES)
        for part in parts:
            for link in (f"wwn-0x{disk['wwn']}", f"scsi-3{disk['wwn']}"):
                self._node_link(f"by-id/{link}{part}", (disk["map"] or disk["names"][0]) + part.removeprefix("-part"))
            for path, name in zip(disk["by_path"], disk["names"]):
                self._node_link(f"by-path/{path}{part}", name + part.removeprefix("-part"))

    def _node_link(self, link, name):
        self.tree.link(f"dev/{name}", f"dev/disk/{link}")


def make(folder, shelves=20, bays=50, multipath=1, blank=4, seed=1):
    """Creates the host: full shelves of that many bays; the last ones (multipath) have two paths to each disk; that many disks (blank)
    are empty. Returns its ShelfHost."""
    if os.path.exists(os.path.join(folder, "sim")):
        raise SystemExit(f"fmsim: {folder} holds a simulated host already")
    maker = Maker(folder, shelves, bays, multipath, blank, seed)
    disks = maker.make()
    smart.write_json(maker.tree.path(LIST), disks)
    link_tools(folder, ("smartctl",))
    return ShelfHost(folder)


class ShelfHost:
    """A big host in a folder. Bays are named "SHELF/BAY", both counted from 1."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.disks = smart.read_json(os.path.join(self.folder, LIST))

    def environment(self):
        """The environment of a plugin on this host."""
        return {"FMD_HOST_ROOT": self.folder, "FMD_HOST_PATH": os.path.join(self.folder, "bin")}

    def counts(self):
        """{type of part: number of parts}, with the type names of schemas/resources.md."""
        shelves = {disk["enclosure"] for disk in self.disks.values()}
        double = {disk["enclosure"] for disk in self.disks.values() if disk["map"]}
        expanders = len(shelves) + len(double)
        bays = len(self.disks) // len(shelves)
        return {"disk": len(self.disks), "bay": len(self.disks), "enclosure": len(shelves), "expander": expanders,
                "phy": len(ADAPTERS) * 2 * sas.WIDTH + expanders * sas.phys_of_expander(bays), "hba": len(ADAPTERS), **box.COUNTS}

    def smart(self, bay, changes):
        """See smart.change()."""
        if bay not in self.disks:
            raise SystemExit(f"fmsim: there is no bay {bay}; the shelf comes first: 3/17")
        smart.change(self.folder, bay.replace("/", "-"), changes)


def is_big(folder):
    return os.path.exists(os.path.join(folder, LIST))
