"""The content of a disk: a partition table as `zpool create` makes it on a whole disk (partition 1 for the pool, 9 reserved), and in the
file of partition 1 enough of a ZFS label for blkid(8) to detect a pool member. A new disk is a file of zeros."""
import binascii
import struct

SECTOR = 512
ZFS_TYPE = bytes.fromhex("c38c896ad21db211 99a6080020736631")  # 6a898cc3-1dd2-11b2-99a6-080020736631 in GPT's byte order
RESERVED_TYPE = bytes.fromhex("3b5a946ad21db211 99a6080020736631")  # 6a945a3b-...
FIRST, RESERVED = 2048, 16384  # sectors: start of partition 1, size of partition 9
UBERBLOCK_MAGIC = 0x00bab10c


def partitions(size_bytes):
    """[(number, first sector, sectors)] of a whole disk in use by ZFS."""
    last = size_bytes // SECTOR - 34
    nine = (last - RESERVED + 1) // 2048 * 2048
    return [(1, FIRST, nine - FIRST), (9, nine, RESERVED)]


def make_blank(path, size_bytes):
    with open(path, "wb") as file:
        file.truncate(size_bytes)


def _entry(kind, number, start, sectors, seed):
    name = (f"zfs-{seed:016x}" if number == 1 else "").encode("utf-16-le")
    return struct.pack("<16s16sQQQ72s", kind, struct.pack("<QQ", number, seed), start, start + sectors - 1, 0, name)


def _header(here, other, sectors, entries_at, entries_crc, seed):
    unique = struct.pack("<QQ", seed, 0)
    fields = [b"EFI PART", 0x10000, 92, 0, 0, here, other, 34, sectors - 34, unique, entries_at, 128, 128, entries_crc]
    packing = "<8sIIIIQQQQ16sQIII"
    fields[3] = binascii.crc32(struct.pack(packing, *fields))
    return struct.pack(packing, *fields)


def make_partition_table(path, size_bytes, seed):
    """A GPT with both copies, and the protective MBR."""
    sectors = size_bytes // SECTOR
    slots = {1: 0, 9: 8}
    entries = bytearray(128 * 128)
    for number, start, length in partitions(size_bytes):
        kind = ZFS_TYPE if number == 1 else RESERVED_TYPE
        entries[128 * slots[number]:128 * slots[number] + 128] = _entry(kind, number, start, length, seed)
    crc = binascii.crc32(bytes(entries))
    mbr = bytearray(SECTOR)
    mbr[446:462] = struct.pack("<B3sB3sII", 0, b"\0\2\0", 0xee, b"\xff\xff\xff", 1, sectors - 1)
    mbr[510:512] = b"\x55\xaa"
    with open(path, "r+b") as file:
        file.write(mbr + _header(1, sectors - 1, sectors, 2, crc, seed))
        file.seek(2 * SECTOR)
        file.write(entries)
        file.seek((sectors - 33) * SECTOR)
        file.write(bytes(entries) + _header(sectors - 1, 1, sectors, sectors - 33, crc, seed))


def make_zfs_member(path, size_bytes, guid, txg=4):
    """Writes what blkid and fmd look for in the four labels: the vdev's GUID (a packed XDR nvlist, as ZFS writes it for a spare) and the
    uberblocks."""
    make_blank(path, size_bytes)
    size = size_bytes // (256 * 1024) * (256 * 1024)
    pair = struct.pack(">I4sIIQ", 4, b"guid", 8, 1, guid)
    nvlist = b"\1\1\0\0" + struct.pack(">IIII", 0, 1, 8 + len(pair), 40) + pair + bytes(8)
    with open(path, "r+b") as file:
        for label in (0, 256 * 1024, size - 512 * 1024, size - 256 * 1024):
            file.seek(label + 16 * 1024)
            file.write(nvlist)
            for slot in range(8):
                file.seek(label + 128 * 1024 + slot * 1024)
                file.write(struct.pack("<QQQQQ", UBERBLOCK_MAGIC, 5000, txg + slot, 0, 1))


