"""The disks of the test machine: raw files on the host."""

import os
import random

MB = 1 << 20
SIZE = 256 * MB
# The first partition begins at 1 MiB. ZFS has its labels and boot area in the next 4 MiB, and more labels at the end.
DATA_START = 5 * MB
DATA_END = SIZE - 10 * MB
WWN_BASE = 0x5000C500A0000000


class Disk:
    """One disk: its file, serial and WWN. generation 2: a slot's second disk."""

    def __init__(self, folder, slot, generation=1, serial=None, wwn=None, size=SIZE):
        self.slot = slot  # current or last slot
        self.generation = generation
        self.size = size
        self.serial = serial or f"DISK{slot:02}G{generation}"
        self.wwn = wwn or WWN_BASE + (generation - 1) * 0x100 + slot
        self.path = os.path.join(folder, f"{self.serial.replace('/', '_')}.raw")
        self.wipe()

    @property
    def by_id(self):
        return f"/dev/disk/by-id/wwn-0x{self.wwn:016x}"

    def wipe(self):
        # Not truncated: QEMU may still have the old file open.
        if os.path.exists(self.path):
            os.unlink(self.path)
        with open(self.path, "wb") as file:
            file.truncate(self.size)

    def empty(self):
        """Zeroes the disk while it is in use."""
        os.truncate(self.path, 0)
        os.truncate(self.path, self.size)

    def extents(self):
        """(start, end) of all written ranges in the area where ZFS keeps data."""
        found = []
        file = os.open(self.path, os.O_RDONLY)
        try:
            end = 0
            while True:
                try:
                    start = os.lseek(file, end, os.SEEK_DATA)
                    end = os.lseek(file, start, os.SEEK_HOLE)
                except OSError:  # ENXIO: no more data
                    break
                low, high = max(start, DATA_START), min(end, DATA_END)
                if low < high:
                    found.append((low, high))
        finally:
            os.close(file)
        return found

    def overwrite(self, start, end, seed):
        """Overwrites the bytes start to end with garbage, unnoticed by the disk."""
        noise = random.Random(seed)
        with open(self.path, "r+b") as file:
            file.seek(start)
            while start < end:
                piece = min(MB, end - start)
                file.write(noise.randbytes(piece))
                start += piece

    def garbage(self, chunks, seed, chunk=32768):
        """Overwrites up to `chunks` places, spread over the written part, with garbage; returns how many. Skips places without data."""
        places = [p for low, high in self.extents() for p in range(low, high - chunk + 1, chunk)]
        noise = random.Random(seed)
        noise.shuffle(places)
        done = 0
        with open(self.path, "r+b") as file:
            for place in places:
                if done == chunks:
                    break
                file.seek(place)
                old = file.read(chunk)
                # fill() writes random data: a place with few distinct bytes holds none of it.
                if len(set(old[:4096])) < 200 or len(set(old[-4096:])) < 200:
                    continue
                file.seek(place)
                file.write(noise.randbytes(chunk))
                done += 1
        return done
