"""The server to which the shelves are connected: two sockets, as the kernel describes them. Layouts:

/sys/class/dmi/id                       Documentation/ABI/testing/sysfs-firmware-dmi-entries, drivers/firmware/dmi-id.c
/sys/firmware/dmi/tables/DMI            DSP0134 (SMBIOS) 3.x: types 1, 3, 4, 17, 127
/sys/devices/system/cpu/cpu*            Documentation/ABI/stable/sysfs-devices-system-cpu, Documentation/admin-guide/cputopology.rst
/sys/devices/system/edac/mc             Documentation/admin-guide/ras.rst
/sys/bus/pci/devices, /sys/bus/pci/slots  Documentation/ABI/testing/sysfs-bus-pci
/sys/class/hwmon                        Documentation/hwmon/sysfs-interface.rst
/sys/class/net                          Documentation/ABI/testing/sysfs-class-net
"""
import struct

SOCKETS, CORES, DIMMS = 2, 8, 16  # CORES: per socket, with two threads each
DIMM_BYTES = 32 << 30
MAKER, PRODUCT, SERIAL, UUID = "FMSIM", "Storage Head 2U", "SH2U-0001", "8f1c6a52-64f2-4f0c-9d43-3a7f0e2b9c11"
MACHINE_ID = "8f1c6a5264f24f0c9d433a7f0e2b9c11"  # /etc/machine-id
ID = "ce14c2f8-51ab-4377-abbb-bae1b4f0a757"  # derived by fmd: fmd/base/machine_id.h
BANKS = "ABCDEFGH"
NICS = 2
COUNTS = {"system": 1, "cpu": SOCKETS, "core": SOCKETS * CORES, "thread": SOCKETS * CORES * 2, "dimm": DIMMS, "nic": NICS}


def make(tree, adapters, random):
    _dmi(tree)
    for cpu in range(SOCKETS * CORES * 2):
        _cpu(tree, cpu)
    threads = SOCKETS * CORES * 2
    tree.put("sys/devices/system/cpu", {name: f"0-{threads - 1}" for name in ("online", "present", "possible")})
    _cpuinfo(tree, threads)
    for dimm in range(DIMMS):
        _edac(tree, dimm)
    for slot, adapter in enumerate(adapters, 1):
        _pci(tree, adapter.path.rpartition("/")[0], "0x010700", "0x1000", "0x00ac", slot)
    nic = "sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0"
    _pci(tree, nic, "0x020000", "0x8086", "0x1563", None)
    for number in range(NICS):
        _nic(tree, nic, number, random)
    for socket in range(SOCKETS):
        _hwmon(tree, socket)


def _dmi(tree):
    folder = "sys/devices/virtual/dmi/id"
    tree.put(folder, {
        "sys_vendor": MAKER, "product_name": PRODUCT, "product_version": "1.0", "product_serial": SERIAL, "product_uuid": UUID,
        "product_family": "Storage", "product_sku": "SH2U", "board_vendor": MAKER, "board_name": "SH2U-MB", "board_serial": "MB-0001",
        "chassis_vendor": MAKER, "chassis_type": "23", "chassis_serial": SERIAL, "chassis_version": "1.0",
        "chassis_asset_tag": "rack-4", "bios_vendor": MAKER, "bios_version": "2.1a", "bios_date": "03/14/2026"})
    tree.link(folder, "sys/class/dmi/id")
    tree.put("etc", {"machine-id": MACHINE_ID})
    table = b"".join([
        _smbios(1, 0x100, bytes([1, 2, 3, 4]) + _uuid_le(UUID) + bytes([6, 5, 6]), MAKER, PRODUCT, "1.0", SERIAL, "SH2U", "Storage"),
        _smbios(3, 0x300, bytes([1, 23, 2, 3, 4, 3, 3, 3, 3]) + bytes(8), MAKER, "1.0", SERIAL, "rack-4"),
        *(_smbios(4, 0x400 + n, bytes([1, 3, 0xb3, 2]) + bytes(16) + bytes([0x41, 0x50]), f"CPU{n + 1}", "FMSIM") for n in range(SOCKETS)),
        *(_memory_device(dimm) for dimm in range(DIMMS)), _smbios(127, 0x7f00, b"")])
    tree.put("sys/firmware/dmi/tables", {
        "DMI": table,
        "smbios_entry_point": _entry_point(len(table))})


def _uuid_le(text):
    first, second, third, *rest = text.split("-")
    return struct.pack("<IHH", int(first, 16), int(second, 16), int(third, 16)) + bytes.fromhex("".join(rest))


def _smbios(kind, handle, formatted, *texts):
    strings = b"".join(text.encode() + b"\0" for text in texts) or b"\0"
    return struct.pack("<BBH", kind, 4 + len(formatted), handle) + formatted + strings + b"\0"


def _entry_point(length):
    body = struct.pack("<5sBBBBBBBIQ", b"_SM3_", 0, 24, 3, 4, 0, 1, 0, length, 0xe0000)
    return body[:5] + bytes([-sum(body) % 256]) + body[6:]


def dimm_label(number):
    """The label printed on the board: P0-DIMMA1."""
    half = DIMMS // SOCKETS
    return f"P{number // half}-DIMM{BANKS[number % half]}1"


def _memory_device(number):
    """Type 17: Memory Device."""
    fixed = struct.pack("<HHHHHBBBBBHHBBBBBI", 0x1000, 0xfffe, 72, 64, 0x7fff, 9, 0, 1, 2, 0x1a, 0x2080, 3200, 3, 4, 5, 6, 2,
                        DIMM_BYTES >> 20)
    bank = f"P{number // (DIMMS // SOCKETS)} CHANNEL {BANKS[number % (DIMMS // SOCKETS)]}"
    return _smbios(17, 0x1100 + number, fixed + struct.pack("<HHHH", 2933, 1200, 1200, 1200), dimm_label(number), bank, "FMSIM Memory",
                   f"D{number:07d}", "none", "M393A4K40DB3-CWE")


def _cpu(tree, cpu):
    """Linux numbers one thread of each core first, then the second ones."""
    core_of_all = cpu % (SOCKETS * CORES)
    socket, core = divmod(core_of_all, CORES)
    twins = f"{core_of_all},{core_of_all + SOCKETS * CORES}"
    first = socket * CORES
    second = first + SOCKETS * CORES
    package = f"{first}-{first + CORES - 1},{second}-{second + CORES - 1}"
    tree.put(f"sys/devices/system/cpu/cpu{cpu}", {
        "online": 1, "topology/physical_package_id": socket, "topology/core_id": core, "topology/thread_siblings_list": twins,
        "topology/core_cpus_list": twins, "topology/core_siblings_list": package, "topology/package_cpus_list": package})
    for index, (level, kind, size, shared) in enumerate(((1, "Data", "48K", twins), (1, "Instruction", "32K", twins),
                                                         (2, "Unified", "2048K", twins), (3, "Unified", "36864K", package))):
        tree.put(f"sys/devices/system/cpu/cpu{cpu}/cache/index{index}",
                 {"level": level, "type": kind, "size": size, "shared_cpu_list": shared, "id": socket})


def _cpuinfo(tree, threads):
    """The members of /proc/cpuinfo that identify the parts."""
    blocks = []
    for cpu in range(threads):
        socket, core = divmod(cpu % (SOCKETS * CORES), CORES)
        blocks.append(f"processor\t: {cpu}\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) Gold 6334 CPU @ 3.60GHz\n"
                      f"physical id\t: {socket}\nsiblings\t: {2 * CORES}\ncore id\t\t: {core}\ncpu cores\t: {CORES}\n")
    tree.put("proc", {"cpuinfo": "\n".join(blocks)})


def _edac(tree, number):
    half = DIMMS // SOCKETS
    controller, channel = divmod(number, half)
    mc = f"sys/devices/system/edac/mc/mc{controller}"
    tree.put(mc, {"mc_name": f"Intel_10nm Socket#{controller} IMC#0", "ce_count": 0, "ue_count": 0, "size_mb": half * (DIMM_BYTES >> 20)})
    tree.put(f"{mc}/dimm{channel}", {
        "dimm_label": dimm_label(number), "dimm_location": f"channel {channel} slot 0", "size": DIMM_BYTES >> 20,
        "dimm_mem_type": "Registered-DDR4", "dimm_dev_type": "x4", "dimm_edac_mode": "S4ECD4ED", "dimm_ce_count": 0, "dimm_ue_count": 0})


def _pci(tree, device, device_class, vendor, product, slot):
    address = device.rpartition("/")[2]
    tree.put(device, {"class": device_class, "vendor": vendor, "device": product, "subsystem_vendor": vendor,
                      "subsystem_device": "0x0001", "current_link_speed": "8.0 GT/s PCIe", "current_link_width": 8,
                      "max_link_speed": "8.0 GT/s PCIe", "max_link_width": 8, "revision": "0x02"})
    tree.link(device, f"sys/bus/pci/devices/{address}")
    if slot is not None:
        tree.put(f"sys/bus/pci/slots/{slot}", {"address": address.rpartition(".")[0], "power": 1, "attention": 0})


def _nic(tree, pci, number, random):
    name = f"ens{number}f0"
    own = f"{pci}/net/{name}"
    mac = "02:" + ":".join(f"{random.randrange(256):02x}" for _ in range(5))
    tree.put(own, {"address": mac, "operstate": "up", "speed": 10000, "carrier": 1, "type": 1, "ifindex": number + 2})
    tree.link(pci, f"{own}/device")
    tree.link(own, f"sys/class/net/{name}")


def _hwmon(tree, socket):
    own = f"sys/devices/platform/coretemp.{socket}/hwmon/hwmon{socket}"
    tree.put(own, {"name": "coretemp", "temp1_label": f"Package id {socket}", "temp1_input": 41000, "temp1_max": 84000,
                   "temp1_crit": 94000})
    tree.link(own, f"sys/class/hwmon/hwmon{socket}")
