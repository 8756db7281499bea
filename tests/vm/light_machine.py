"""A machine that boots in seconds: the test machine's kernel, with only fmd, its dependencies and light_init.cpp in memory. fmd's store
is on an ext4 disk that loses unflushed writes with the power (forgetful_disk.py). Three serial ports are sockets on the host, relayed to
fmd's own socket: the test plugins run on the host and survive all crashes."""
import lzma
import os
import re
import shutil
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
sys.path.append(os.path.join(TREE, "simulator"))
os.environ["PATH"] += ":/usr/sbin"  # for e2fsprogs

import shipped  # noqa: E402
from machine import PROCESSOR, image_folder  # noqa: E402
from process import Program  # noqa: E402

MODULES = ("drivers/virtio/virtio_ring", "drivers/virtio/virtio", "drivers/virtio/virtio_pci_modern_dev", "drivers/virtio/virtio_pci_legacy_dev",
           "drivers/virtio/virtio_pci", "drivers/block/virtio_blk", "drivers/char/virtio_console", "crypto/crc32c_generic", "lib/crc16",
           "fs/mbcache", "fs/jbd2/jbd2", "fs/ext4/ext4")  # in order of dependency
PORTS = ("source", "pool", "teller")
DISK_MB, MEMORY_MB = 512, 768
POLICY = ("fmd.toml", "zfs.toml")


def make_kernel(path):
    """Unpacks the image's kernel: under emulation, unpacking it takes a third of the boot."""
    with open(os.path.join(image_folder(False, "12"), "vmlinuz"), "rb") as packed, open(path, "wb") as file:
        data = packed.read()
        file.write(lzma.LZMADecompressor().decompress(data[data.index(b"\xfd7zXZ\0"):]))


def make_initrd(fmd, init, config, path, work):
    """Builds the initrd: everything that the machine has in memory."""
    with open(os.path.join(image_folder(False, "12"), "complete"), encoding="ascii") as file:
        modules = f"/lib/modules/{file.read().strip()}/kernel"
    for folder in ("dev", "etc", "modules", "run", "tmp"):
        os.makedirs(os.path.join(work, folder))
    dumps = [f"dump {modules}/{name}.ko {work}/modules/{turn:02}-{os.path.basename(name)}.ko" for turn, name in enumerate(MODULES)]
    subprocess.run(["debugfs", "-f", "/dev/stdin", os.path.join(image_folder(False, "12"), "rootfs.img")], input="\n".join(dumps), text=True,
                   check=True, capture_output=True)
    for source, name in ((fmd, "fmd"), (init, "init")):
        subprocess.run(["strip", "-o", os.path.join(work, name), source], check=True)
    linked = subprocess.run(["ldd", fmd, init], check=True, capture_output=True, text=True).stdout
    for library in set(re.findall(r"\s(/\S+)(?= \()", linked)):
        os.makedirs(work + os.path.dirname(library), exist_ok=True)
        shutil.copy(library, work + library)
    for folder, path_of in (("rules", shipped.rule_file), ("events", shipped.event_file)):
        os.mkdir(os.path.join(work, folder))
        for name in POLICY:
            shutil.copy(path_of(name), os.path.join(work, folder))
    for name, text in (("fmd.toml", config), ("etc/machine-id", "0123456789abcdef" * 2 + "\n")):
        with open(os.path.join(work, name), "w", encoding="utf-8") as file:
            file.write(text)
    with open(path, "wb") as file:
        for folder, _, names in sorted(os.walk(work)):
            inside = os.path.relpath(folder, work)
            file.write(_packed(inside, 0o40755))
            for name in names:
                with open(os.path.join(folder, name), "rb") as content:
                    file.write(_packed(os.path.normpath(os.path.join(inside, name)), 0o100755, content.read()))
        file.write(_packed("TRAILER!!!", 0))


def _packed(name, mode, data=b""):
    """An entry of a cpio archive in the kernel's format (newc)."""
    fields = (0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
    return head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4)


class LightMachine:
    """A victim of storm_story.py, with a new disk. folder: for all its files; its path must be short."""
    pace, starts_within = 4, 12

    def __init__(self, fmd, folder, init, config, seed):
        self.fmd, self.folder = fmd, folder
        self.image, self.store = self._within("disk"), self._within("store")
        make_kernel(self._within("kernel"))
        make_initrd(fmd, init, config, self._within("initrd"), self._within("root"))
        with open(self.image, "wb") as file:
            file.truncate(DISK_MB << 20)
        subprocess.run(["mke2fs", "-q", "-t", "ext4", self.image], check=True)
        self.disk = subprocess.Popen([sys.executable, os.path.join(HERE, "forgetful_disk.py"), self.image, self._within("nbd"), str(seed)],
                                     stdout=subprocess.PIPE, text=True)
        self.disk.stdout.readline()
        self.qemu, self.lost, self.unflushed = None, 0, 0

    def _within(self, name):
        return os.path.join(self.folder, name)

    path = _within

    def start(self):
        ports = [word for name in PORTS for word in (
            "-chardev", f"socket,id={name},path={self.path(name)},server=on,wait=off", "-device", f"virtserialport,chardev={name}")]
        self.qemu = Program("QEMU", [
            "qemu-system-x86_64", "-nodefaults", "-display", "none", "-no-reboot", "-machine", "q35", "-accel", "tcg,thread=multi",
            "-cpu", PROCESSOR, "-smp", "2", "-m", str(MEMORY_MB), "-kernel", self._within("kernel"), "-initrd", self._within("initrd"),
            "-append", "console=ttyS0 quiet panic=-1 mitigations=off nokaslr random.trust_cpu=on cryptomgr.notests no_timer_check",
            "-device", "virtio-serial-pci", *ports,  # the first virtio device: its ports are vport0p1 and so on
            "-blockdev", f"driver=nbd,node-name=disk,server.type=unix,server.path={self._within('nbd')}", "-device", "virtio-blk-pci,drive=disk",
            "-serial", "stdio"], self._within("console")).start()

    def crash_in(self, seconds):
        threading.Timer(seconds, self.qemu.process.kill).start()

    def crashed(self):
        return not self.qemu.running()

    def down(self):
        """Copies the store from the disk, which has lost unflushed writes by now. The file system must be consistent."""
        lost, unflushed = map(int, self.disk.stdout.readline().split())
        self.lost, self.unflushed = self.lost + lost, self.unflushed + unflushed
        shutil.rmtree(self.store, ignore_errors=True)
        os.mkdir(self.store)
        copy = self._within("copy")
        subprocess.run(["cp", "--sparse=always", self.image, copy], check=True)
        checked = subprocess.run(["e2fsck", "-p", copy], capture_output=True, text=True, check=False)
        if checked.returncode > 1:
            raise AssertionError(f"the file system is damaged: {checked.stdout}")
        dumps = "\n".join(f"dump /{name} {self.store}/{name}" for name in ("fmd.db", "fmd.db-wal"))
        subprocess.run(["debugfs", "-f", "/dev/stdin", copy], input=dumps, text=True, check=True, capture_output=True)
        return self.store

    def close(self):
        if self.qemu:
            self.qemu.kill()
        self.disk.kill()
        self.disk.wait()
