"""Disks and bays of a simulated host: sysfs in the kernel's layout (enclosure-sysfs.txt, udevadm-monitor.txt), device nodes as sparse
files, udev's links and database entries. Bay N is SCSI target N-1 of its controller."""
import os

from . import blocks, events, faults, smart, vdevs

FIRST_SLOT = 2  # PCI slot of the first controller
DISK_BYTES = 256 << 20
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape"))


def link(target, path):
    """A relative link from path to target, both in the real file system. Plugins may read it at any moment."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    words = os.path.relpath(target, os.path.dirname(path))
    if os.path.islink(path):
        if os.readlink(path) == words:
            return
        os.unlink(path)
    os.symlink(words, path)


def remove_link(path):
    if os.path.islink(path):
        os.unlink(path)


def slot_name(bay):
    return f"SLOT {int(bay):02d}"


def enclosure_folder(state):
    return state.machine.path(f"sys/devices/platform/{state.data['enclosure']['name']}/enclosure/"
                              f"{state.data['enclosure']['name']}")


def controller_of(state, bay):
    """The number of the controller that serves a bay, from 0; the bays are distributed equally."""
    return (int(bay) - 1) * state.data.get("controllers", 1) // len(state.data["bays"])


def pci_address(controller):
    return f"0000:00:{FIRST_SLOT + controller:02x}.0"


def adapter(controller):
    return f"sys/devices/pci0000:00/{pci_address(controller)}/virtio{controller + 1}/host{controller}"


def by_path(state, bay):
    """udev's by-path name for a bay."""
    return f"pci-{pci_address(controller_of(state, bay))}-scsi-0:0:{int(bay) - 1}:0"


def make_controllers(state, count):
    """Adds them as PCI devices (Documentation/ABI/testing/sysfs-bus-pci), so that fmd can tell which disks are behind which."""
    state.data["controllers"] = count
    for controller in range(count):
        folder = state.machine.path(f"sys/devices/pci0000:00/{pci_address(controller)}")
        for file, content in (("class", "0x010000\n"), ("vendor", "0x1af4\n"), ("device", "0x1004\n")):
            write(f"{folder}/{file}", content)
        link(folder, state.machine.path(f"sys/bus/pci/devices/{pci_address(controller)}"))


def make_enclosure(state, count):
    name = state.data["enclosure"]["name"]
    folder = enclosure_folder(state)
    write(f"{folder}/components", f"{count}\n")
    write(f"{folder}/id", state.data["enclosure"]["id"] + "\n")
    write(f"{folder}/uevent", "")
    link(state.machine.path(f"sys/devices/platform/{name}"), f"{folder}/device")
    link(folder, state.machine.path(f"sys/class/enclosure/{name}"))
    for bay in range(1, count + 1):
        state.data["bays"][str(bay)] = {"disk": None}
        for file, content in (("slot", f"{bay}\n"), ("type", "array device\n"), ("status", "not installed\n"),
                              ("fault", "0\n"), ("locate", "0\n"), ("active", "0\n"), ("power_status", "on\n"),
                              ("uevent", "")):
            write(f"{folder}/{slot_name(bay)}/{file}", content)


def new_disk(state, bay, serial, wwn, size=DISK_BYTES, vendor="QEMU", model="QEMU HARDDISK", rev="2.5+"):
    """Inserts a new disk into a bay; returns its key."""
    key = f"disk{len(state.data['disks']) + 1}"
    state.data["disks"][key] = {"serial": serial, "wwn": wwn, "vendor": vendor, "model": model, "rev": rev, "size": size,
                                "name": None, "bay": None, "diskseq": 0, "used": False, "bad": [], "garbage": False,
                                "eio": False}
    blocks.make_blank(_store(state, key), size)
    smart.install(state.machine.folder, key, "scsi", serial, (), vendor=vendor, model=model, revision=rev, size=size, wwn=wwn)
    plug_in(state, key, bay)
    return key


def _store(state, key, partition=""):
    """The file behind a device node; a pulled disk keeps its content."""
    path = state.machine.path(f"sim/disks/{key}{partition}")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


def _free_name(state):
    """The kernel's next device name. Initially, names are not in the order of the bays."""
    taken = {disk["name"] for disk in state.data["disks"].values()}
    free = [f"sd{letter}" for letter in LETTERS[1:] if f"sd{letter}" not in taken]
    return state.random.choice(free[:4])


def folder_of(state, disk):
    controller = controller_of(state, disk["bay"])
    place = f"{controller}:0:{int(disk['bay']) - 1}"
    return state.machine.path(f"{adapter(controller)}/target{place}/{place}:0")


def plug_in(state, key, bay):
    disk = state.data["disks"][key]
    slot = state.data["bays"].get(str(bay))
    if slot is None:
        raise SystemExit(f"fmsim: there is no bay {bay}")
    if slot["disk"]:
        raise SystemExit(f"fmsim: bay {bay} holds a disk already")
    if disk["bay"]:
        raise SystemExit(f"fmsim: that disk is in bay {disk['bay']}")
    slot["disk"] = key
    disk.update(bay=str(bay), name=_free_name(state), diskseq=state.data["next_diskseq"])
    state.data["next_diskseq"] += 1
    _write_sysfs(state, disk)
    _write_nodes(state, key, disk)
    smart.name_it(state.machine.folder, key, disk["name"])
    folder = enclosure_folder(state) + "/" + slot_name(bay)
    link(folder_of(state, disk), f"{folder}/device")
    link(folder, f"{folder_of(state, disk)}/enclosure_device:{slot_name(bay)}")
    write(f"{folder}/status", "OK\n")


def take_out(state, bay):
    """Pulls the disk in a bay. ZFS notices at its next write."""
    slot = state.data["bays"].get(str(bay))
    if not slot or not slot["disk"]:
        raise SystemExit(f"fmsim: bay {bay} is empty")
    key, slot["disk"] = slot["disk"], None
    disk = state.data["disks"][key]
    if disk["name"]:
        drop(state, bay, key)
    write(f"{enclosure_folder(state)}/{slot_name(bay)}/status", "not installed\n")
    disk["bay"] = None
    return key


def drop(state, bay, key):
    """The kernel sees the disk leave its bus; the enclosure still sees it in its bay."""
    disk = state.data["disks"][key]
    remove_link(state.machine.path(f"sys/block/{disk['name']}"))
    for name in (disk["name"], f"{disk['name']}1", f"{disk['name']}9"):
        remove_link(state.machine.path(f"sys/class/block/{name}"))
        if os.path.exists(state.machine.path(f"dev/{name}")):
            os.unlink(state.machine.path(f"dev/{name}"))
    for path in _links(state, disk):
        remove_link(path)
    _write_udev(state, disk, gone=True)
    smart.forget_name(state.machine.folder, disk["name"])
    import shutil  # here, since every call of zpool pays for imports at the top
    shutil.rmtree(os.path.dirname(folder_of(state, disk)))
    remove_link(f"{enclosure_folder(state)}/{slot_name(bay)}/device")
    disk["name"] = None
    pool, leaf = faults.leaf_on(state, key)
    if leaf:
        state.at(state.data["speed"]["notice"], faults.notice_removal, pool=pool["root"]["name"], vdev=leaf["guid"])
    if state.data.get("md"):
        from . import md  # here: md imports this module, and zpool does not need md
        state.at(state.data["speed"]["notice"], md.notice_missing, disk=key)


def find_again(state, bay):
    """A lost disk responds again, untouched."""
    key = state.data["bays"][str(bay)]["disk"]
    state.data["bays"][str(bay)]["disk"] = state.data["disks"][key]["bay"] = None
    plug_in(state, key, bay)


def give_to_zfs(state, key, guid=None):
    """ZFS takes the whole disk: partitions and label. Returns the vdev's GUID, which is random unless given."""
    disk = state.data["disks"][key]
    disk["used"] = True
    blocks.make_partition_table(_store(state, key), disk["size"], state.random.getrandbits(64))
    guid = guid or state.random.getrandbits(63) | 1 << 62
    for number, _, sectors in blocks.partitions(disk["size"]):
        if number == 1:
            blocks.make_zfs_member(_store(state, key, "-part1"), sectors * blocks.SECTOR, guid)
        else:
            blocks.make_blank(_store(state, key, f"-part{number}"), sectors * blocks.SECTOR)
    if disk["name"]:
        _write_sysfs(state, disk)
        _write_nodes(state, key, disk)
    return guid


def new_leaf(state, key, pool):
    """A new vdev on a disk of the host, which is given to ZFS."""
    guid = give_to_zfs(state, key)
    disk = state.data["disks"][key]
    path = f"/dev/disk/by-id/{_by_id(disk)}-part1"
    leaf = {"guid": guid, "type": "disk", "disk": key, "path": path,
            "devid": f"{_devid(disk)}-part1", "physpath": by_path(state, disk["bay"]),
            "enc": f"/sys/class/enclosure/{state.data['enclosure']['name']}/{slot_name(disk['bay'])}",
            "state": "ONLINE", "aux": "", "read": 0, "write": 0, "cksum": 0, "dtl": False}
    if pool is not None and vdevs.find(pool, str(leaf["guid"])):
        raise AssertionError("guid drawn twice")
    return leaf


def _plain(text):
    """A serial number as udev writes it in a link's name."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "#+-.:=@_/") else "_" for c in text.strip())[:200]


def _by_id(disk):
    return f"wwn-0x{disk['wwn']}" if disk["wwn"] else f"scsi-S{_plain(disk['vendor'])}_{_plain(disk['model'])}_{_plain(disk['serial'])}"


def _devid(disk):
    return f"scsi-3{disk['wwn']}" if disk["wwn"] else _by_id(disk)


def _links(state, disk):
    """udev's links to a disk and its partitions."""
    names = [f"by-id/{_by_id(disk)}", f"by-id/{_devid(disk)}", f"by-path/{by_path(state, disk['bay'])}"]
    return [state.machine.path(f"dev/disk/{name}{part}") for name in names for part in ("", "-part1", "-part9")]


def _device_number(name, partition=0):
    number = (ord(name[2]) - ord("a")) * 16 + partition
    return f"8:{number}"


def _write_sysfs(state, disk):
    folder, name = folder_of(state, disk), disk["name"]
    serial = disk["serial"].encode("utf-8", "surrogateescape")
    wwid = f"naa.{disk['wwn']}" if disk["wwn"] else f"t10.{disk['vendor']:<8}{disk['model']:<16}{disk['serial']}"
    for file, content in (("vendor", f"{disk['vendor']:<8}\n"), ("model", f"{disk['model']:<16}\n"),
                          ("rev", f"{disk['rev']:<4}\n"), ("wwid", wwid + "\n"), ("state", "running\n"), ("type", "0\n"),
                          ("vpd_pg80", bytes([0, 0x80, *divmod(len(serial), 256)]) + serial)):
        write(f"{folder}/{file}", content)
    block = f"{folder}/block/{name}"
    for file, content in (("size", f"{disk['size'] // blocks.SECTOR}\n"), ("dev", _device_number(name) + "\n"),
                          ("diskseq", f"{disk['diskseq']}\n"), ("removable", "0\n"), ("ro", "0\n"),
                          ("queue/rotational", "1\n"), ("queue/logical_block_size", "512\n"),
                          ("queue/physical_block_size", "512\n"),
                          ("uevent", f"MAJOR=8\nMINOR={_device_number(name)[2:]}\nDEVNAME={name}\nDEVTYPE=disk\n"
                                     f"DISKSEQ={disk['diskseq']}\n")):
        write(f"{block}/{file}", content)
    link(folder, f"{block}/device")
    link(block, state.machine.path(f"sys/block/{name}"))
    link(block, state.machine.path(f"sys/class/block/{name}"))
    for number, start, sectors in blocks.partitions(disk["size"]) if disk["used"] else ():
        part = f"{block}/{name}{number}"
        for file, content in (("partition", f"{number}\n"), ("start", f"{start}\n"), ("size", f"{sectors}\n"),
                              ("dev", _device_number(name, number) + "\n")):
            write(f"{part}/{file}", content)
        link(part, state.machine.path(f"sys/class/block/{name}{number}"))


def _write_nodes(state, key, disk):
    parts = ("", "-part1", "-part9") if disk["used"] else ("",)
    for part in parts:
        node = state.machine.path(f"dev/{disk['name']}{part.removeprefix('-part')}")
        os.makedirs(os.path.dirname(node), exist_ok=True)
        # A hard link: a device node is not a symbolic link, and a pulled disk keeps its content.
        if os.path.exists(node):
            os.unlink(node)
        os.link(_store(state, key, part), node)
        for path in _links(state, disk):
            # Each name exists three times: without a partition, and with 1 and 9.
            if path.endswith(part) if part else "-part" not in os.path.basename(path):
                os.makedirs(os.path.dirname(path), exist_ok=True)
                remove_link(path)
                os.symlink(f"../../{os.path.basename(node)}", path)
    _write_udev(state, disk)


def _write_udev(state, disk, gone=False):
    """udev's database entry of the disk."""
    path = state.machine.path(f"run/udev/data/b{_device_number(disk['name'])}")
    if gone:
        os.unlink(path)
        return
    shown = _plain(disk["serial"])
    write(path, f"S:disk/by-id/{_by_id(disk)}\nS:disk/by-path/{by_path(state, disk['bay'])}\n"
                f"E:ID_BUS=scsi\nE:ID_MODEL={_plain(disk['model'])}\nE:ID_SERIAL=3{disk['wwn'] or shown}\n"
                f"E:ID_SCSI_SERIAL={shown}\nE:ID_PATH={by_path(state, disk['bay'])}\n"
                + (f"E:ID_WWN=0x{disk['wwn']}\n" if disk["wwn"] else "")
                + ("E:ID_PART_TABLE_TYPE=gpt\n" if disk["used"] else ""))


def write_kstat(state):
    """Writes /proc/spl/kstat/zfs/POOL/state and the module's version, by which programs detect ZFS."""
    write(state.machine.path("sys/module/zfs/version"), "2.1.11-1+deb12u1\n")
    for name, pool in state.data["pools"].items():
        write(state.machine.path(f"proc/spl/kstat/zfs/{name}/state"), vdevs.state_of(pool["root"]) + "\n")


def announce_pools(state):
    """Posts the events of the pools' import at boot."""
    for pool in state.data["pools"].values():
        events.history(state, pool, "open", "pool version 5000; software version zfs-2.1.11-0-ge25f9131d-dist")
        events.pool_event(state, pool, "config_sync")
        events.pool_event(state, pool, "pool_import")
