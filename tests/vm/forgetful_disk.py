#!/usr/bin/python3
"""An NBD disk with a volatile cache: when the machine loses power, none, some or all of the writes since the last flush are lost.

    forgetful_disk.py IMAGE SOCKET SEED

Each connection is one run of the machine; its end is a power cut. Then each unflushed sector has either its content at the last
flush or the newer one, chosen at random, as is the proportion. Prints a line "LOST UNFLUSHED" (sectors) when done."""
import contextlib
import mmap
import random
import select
import socket
import struct
import sys

SECTOR = 512  # the unit that a disk writes atomically
REQUEST, REPLY = 0x25609513, 0x67446698
READ, WRITE, DISCONNECT, FLUSH = range(4)
HAS_FLAGS, SEND_FLUSH, SEND_FUA = 1, 4, 8
FUA = 1
OPTION_ABORT, OPTION_GO = 2, 7
ACK, INFO, UNSUPPORTED = 1, 3, 1 << 31 | 1
EINVAL = 22
FLUSH_MS = 200  # maximum delay of a flush, as on a busy hard disk, so that power cuts hit unfinished flushes


class Disk:
    def __init__(self, path):
        self.file = open(path, "r+b")
        self.data = mmap.mmap(self.file.fileno(), 0)
        self.flushed = {}  # sector -> content at the last flush, if it has changed since

    def write(self, at, data, through):
        sectors = range(at // SECTOR, (at + len(data)) // SECTOR)
        for sector in sectors:
            self.flushed.setdefault(sector, self.data[sector * SECTOR:(sector + 1) * SECTOR])
        self.data[at:at + len(data)] = data
        if through:
            for sector in sectors:
                del self.flushed[sector]

    def lose_power(self, chance):
        """Loses none, all or a random part of the unflushed writes, in units of a page or a sector."""
        part, step = chance.choice((0, 0.1, 0.5, 0.9, 1)), chance.choice((1, 8))
        lost = {piece for piece in sorted({sector // step for sector in self.flushed}) if chance.random() < part}
        sectors = [sector for sector in self.flushed if sector // step in lost]
        for sector in sectors:
            self.data[sector * SECTOR:(sector + 1) * SECTOR] = self.flushed[sector]
        print(f"{len(sectors)} {len(self.flushed)}", flush=True)
        self.flushed.clear()


def take(stream, form):
    return struct.unpack(form, stream.read(struct.calcsize(form)))


def greet(stream, size):
    """The NBD handshake, up to the client's NBD_OPT_GO; only what QEMU needs."""
    stream.write(b"NBDMAGIC" + b"IHAVEOPT" + struct.pack(">H", 1 | 2))
    stream.flush()
    take(stream, ">I")
    while True:
        _, option, length = take(stream, ">8sII")
        stream.read(length)

        def answer(kind, data=b"", option=option):
            stream.write(struct.pack(">QIII", 0x3E889045565A9, option, kind, len(data)) + data)
        if option == OPTION_GO:
            answer(INFO, struct.pack(">HQH", 0, size, HAS_FLAGS | SEND_FLUSH | SEND_FUA))
        answer(ACK if option in (OPTION_GO, OPTION_ABORT) else UNSUPPORTED)
        stream.flush()
        if option == OPTION_GO:
            return


def serve(machine, stream, disk, chance):
    power = select.poll()
    power.register(machine, select.POLLRDHUP)
    greet(stream, len(disk.data))
    while True:
        magic, flags, kind, handle, at, length = take(stream, ">IHH8sQI")
        error, answer = 0, b""
        if magic != REQUEST or kind == DISCONNECT:
            return
        if kind == READ:
            answer = disk.data[at:at + length]
        elif kind == WRITE:
            data = stream.read(length)
            if len(data) < length:
                return
            disk.write(at, data, flags & FUA)
        elif kind == FLUSH:
            if power.poll(chance.uniform(0, FLUSH_MS)):
                return
            disk.flushed.clear()
        else:
            error = EINVAL
        stream.write(struct.pack(">II8s", REPLY, error, handle) + answer)
        stream.flush()


def main():
    image, path, seed = sys.argv[1:]
    disk, chance = Disk(image), random.Random(int(seed))
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(1)
        print("ready", flush=True)
        while True:
            machine, _ = listener.accept()
            with contextlib.suppress(OSError, struct.error), machine, machine.makefile("rwb", buffering=1 << 20) as stream:
                serve(machine, stream, disk, chance)  # until the client disconnects or dies in the middle of a request
            disk.lose_power(chance)


if __name__ == "__main__":
    main()
