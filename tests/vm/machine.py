"""The test machine: a QEMU process, its disks and its guest.

    with Machine() as m:
        print(m.sh("zpool list"))

What the machine can do to its hardware is here; what tests do with ZFS, mail
and so on is in rig.py.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time

from agent import Agent, CommandFailed
from disk import MB, SIZE, Disk
from qmp import Qmp, QmpError

HERE = os.path.dirname(os.path.abspath(__file__))
SHARE = "/mnt/share"
# All but the first three make the boot shorter: what a guest under TCG pays for
# dearly and nothing here needs. (zfs is loaded by modules-load.d, so its own
# service, which waits for udev to settle, has nothing to do.)
KERNEL_ARGUMENTS = (
    "root=/dev/vda rw console=ttyS0,115200 loglevel=5 systemd.show_status=0 mitigations=off nokaslr "
    "random.trust_cpu=on net.ifnames=0 modprobe.blacklist=pcspkr,iTCO_wdt,i2c_i801,lpc_ich,ahci,kvm_amd,kvm "
    "systemd.mask=zfs-load-module.service systemd.mask=systemd-udev-settle.service "
    "loop.max_loop=1 systemd.mask=user@0.service systemd.mask=systemd-binfmt.service systemd.mask=proc-sys-fs-binfmt_misc.automount")
# AVX came to QEMU's emulation with 7.2, Debian 12's: with it OpenZFS 2.3.9 found wrong checksums on every disk while it resilvered
# one of a raidz2 that had been away, and without it none.
PROCESSOR = "max,avx=off,avx2=off,xsave=off"
# For what is not measured but must come, however busy the host is.
PATIENCE = 300
# Disks of other kinds than SCSI, in bays of the machine's own box. SATA disks are on the board's controller, whose driver
# is blacklisted above: nothing sees them until `modprobe ahci`. NVMe drives are plugged in later (a machine with one
# cannot be saved); these are their slots.
SATA_PORTS = (1, 2)
NVME_SLOTS = (11, 12)


class Timeout(Exception):
    """Something that had to happen did not happen in time."""


def image_folder(build, debian, zts=False):
    """Where the root image of that release ("12", "13") is, with OpenZFS's own tests if asked for; builds it first if it has to be."""
    script = [os.path.join(HERE, "image.sh"), "--debian", debian, *(["--zts"] if zts else [])]
    if build:
        subprocess.run(script, check=True)
    return subprocess.run([*script, "--path"], check=True, capture_output=True,
                          text=True).stdout.strip()


class Machine:
    """One boot of the image, from a fresh overlay, with 8 bays of disks.

    slots: the bays that have a disk at the start. folder: where its files go;
    a temporary one, deleted at the end, when not given. debian: its release.
    zts: with OpenZFS's own tests in it."""

    BAYS = 8

    def __init__(self, slots=range(1, 8), folder=None, memory=2048, cpus=2, debian="12", zts=False):
        self.slots = tuple(slots)
        self.memory, self.cpus, self.debian, self.zts = memory, cpus, debian, zts
        # Sockets in a directory of their own: their paths must be short.
        self._sockets = tempfile.mkdtemp(prefix="fmd-vm-")
        self.folder = folder or os.path.join(self._sockets, "run")
        os.makedirs(self.folder, exist_ok=True)
        self.share = os.path.join(self.folder, "share")
        self.console = os.path.join(self.folder, "console.log")
        self._overlay = os.path.join(self.folder, "root.qcow2")
        self.disks = {}       # slot -> the Disk in it now
        self.all_disks = []   # every disk this machine ever had
        self.sata = {port: Disk(self.folder, 0x20 + port, serial=f"SATA{port:02}", size=64 * MB) for port in SATA_PORTS}
        self._faulty = {}     # slot -> name of the blkdebug node in use
        self._number = 0
        self.processor = PROCESSOR  # QEMU's -cpu; like cpus (its -smp, topology and all) from the next boot on
        self.bmc_port = None  # TCP port of an ipmi_sim: from the next boot on the machine has that BMC, in-band
        self.keeps_records = False  # True: from the next boot on its firmware keeps the kernel's last words (ACPI ERST)
        self.boot_seconds = None
        self.process = self.qmp = self.agent = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.close()

    # --- its life -----------------------------------------------------------

    def start(self, timeout=600):
        """Boots it; returns when the guest's agent answers."""
        image = image_folder(False, self.debian, self.zts)
        if not os.path.exists(os.path.join(image, "complete")):
            image = image_folder(True, self.debian, self.zts)
        os.utime(image)  # in use: image.sh deletes those long unused
        subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b",
                        os.path.join(image, "rootfs.img"), self._overlay], check=True)
        began = time.monotonic()
        self.launch({slot: None for slot in self.slots})
        self.qmp("cont")
        self._await_boot(None, timeout)
        self.boot_seconds = time.monotonic() - began

    def launch(self, disks, incoming=False):
        """QEMU, not yet running, with disks in these slots: the serial of one
        whose file is there, or None for an empty one. incoming: a saved state
        will be read into it (saved.py)."""
        image = image_folder(False, self.debian, self.zts)
        self.refresh_share()
        self.process = subprocess.Popen(
            self._arguments(image, self._overlay) + (["-incoming", "defer"] if incoming else []),
            stdin=subprocess.DEVNULL, stdout=open(os.path.join(self.folder, "qemu.log"), "ab"),
            stderr=subprocess.STDOUT)
        self.qmp = Qmp(self.socket("qmp"))
        self.agent = Agent(self.socket("agent"))
        known = {disk.serial: disk for disk in self.all_disks}
        self.disks, self.all_disks, self._faulty = {}, [], {}
        for slot, serial in disks.items():
            self.insert(slot, known.get(serial))

    def stop(self):
        """Ends QEMU; its files stay, and launch() can start it anew."""
        self.kill()
        for connection in (self.qmp, self.agent):
            if connection:
                connection.close()

    def socket(self, name):
        return os.path.join(self._sockets, name)

    def refresh_share(self):
        """Puts the guest's scripts, as they are now, into the share, and the simulated host's mail server."""
        os.makedirs(os.path.join(self.share, "xfer"), exist_ok=True)
        shutil.copytree(os.path.join(HERE, "guest"), os.path.join(self.share, "guest"),
                        dirs_exist_ok=True)
        shutil.copy(os.path.join(HERE, "..", "..", "simulator", "smtpsink.py"), os.path.join(self.share, "guest"))

    def _arguments(self, image, overlay):
        def socket(name):
            return f"socket,id={name},path={self.socket(name)},server=on,wait=off"
        others = []
        for port, disk in self.sata.items():
            others += ["-blockdev", f"driver=raw,node-name=sata{port},file.driver=file,file.filename={disk.path}",
                       "-device", f"ide-hd,bus=ide.{port - 1},drive=sata{port},serial={disk.serial},wwn={disk.wwn}"]
        for slot in NVME_SLOTS:
            others += ["-device", f"pcie-root-port,id=port{slot},chassis={slot},slot={slot}"]
        if self.bmc_port:
            others += ["-chardev", f"socket,id=bmc,host=127.0.0.1,port={self.bmc_port},reconnect=1",
                       "-device", "ipmi-bmc-extern,id=bmc0,chardev=bmc", "-device", "isa-ipmi-kcs,bmc=bmc0"]
        if self.keeps_records:
            others += ["-object", f"memory-backend-file,id=erst,mem-path={os.path.join(self.folder, 'erst')},size=0x10000,share=on",
                       "-device", "acpi-erst,memdev=erst"]
        return [
            "qemu-system-x86_64", "-nodefaults", "-display", "none", "-S", "-no-reboot",
            "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", self.processor,
            "-smp", str(self.cpus), "-m", str(self.memory),
            "-kernel", os.path.join(image, "vmlinuz"), "-initrd", os.path.join(image, "initrd"),
            "-append", KERNEL_ARGUMENTS,
            "-drive", f"file={overlay},if=virtio,format=qcow2,cache=unsafe",
            "-virtfs", f"local,path={self.share},mount_tag=share,security_model=none",
            "-device", "virtio-scsi-pci,id=scsi",
            "-device", "virtio-rng-pci",
            "-device", "virtio-serial-pci",
            "-chardev", socket("agent"),
            "-device", "virtserialport,chardev=agent,name=fmd.agent",
            "-chardev", socket("console") + f",logfile={self.console},logappend=on",
            "-serial", "chardev:console",
            "-chardev", socket("qmp"), "-mon", "chardev=qmp,mode=control",
            # Slots like those of a server, with a name and an attention LED.
            "-global", "ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off",
        ] + others

    def _await_boot(self, before, timeout):
        deadline = time.monotonic() + timeout
        while not self.agent.wait_hello(1, other_than=before):
            if self.process.poll() is not None:
                raise Timeout("QEMU ended: " + self._tail("qemu.log"))
            if time.monotonic() > deadline:
                raise Timeout(f"the guest was not up within {timeout} s; its console ends:\n"
                              + self._tail("console.log"))
        # The agent may start before udev is done with the disks.
        self._wait_disks(self.disks.values())

    def _wait_disks(self, disks):
        paths = " ".join(disk.by_id for disk in disks)
        self.wait(lambda: self.run(f"udevadm settle; ls {paths}", PATIENCE).ok, PATIENCE, f"{paths} to appear")

    def _tail(self, name, size=2000):
        try:
            with open(os.path.join(self.folder, name), errors="replace", encoding="utf-8") as file:
                return file.read()[-size:]
        except OSError:
            return "(nothing)"

    def reboot(self, timeout=600):
        """An orderly reboot; the root file system and the disks stay."""
        self.agent.start("systemctl reboot", timeout=60)
        self.process.wait(timeout)  # QEMU ends where the machine would begin anew: -no-reboot
        self._boot_again(timeout)

    def crash(self, timeout=600):
        """A power cut, and the boot after it."""
        self.cut_power()
        self._boot_again(timeout)

    def cut_power(self):
        """At once, for the guest; returns when QEMU has ended. (A kill -9 of QEMU would lose what it keeps of the root
        disk's tables, and with it what the guest was told is on disk.)"""
        self.process.terminate()
        self.process.wait(PATIENCE)

    def _boot_again(self, timeout):
        self.stop()
        pulled = [disk for disk in self.all_disks if disk not in self.disks.values()]
        self.launch({slot: disk.serial for slot, disk in self.disks.items()})
        self.all_disks += pulled
        self.qmp("cont")
        self._await_boot(None, timeout)

    def kill(self):
        """Ends QEMU at once."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        if self.process:
            self.process.wait()

    def close(self):
        self.stop()
        for name in os.listdir(self.folder):
            if name.endswith((".raw", ".qcow2")):
                os.unlink(os.path.join(self.folder, name))
        shutil.rmtree(os.path.join(self.folder, "saved"), ignore_errors=True)
        shutil.rmtree(self.share, ignore_errors=True)
        shutil.rmtree(self._sockets, ignore_errors=True)

    # --- in the guest ---------------------------------------------------------

    def run(self, command, timeout=120, user=None):
        """Runs a shell command; its Result, whatever it was."""
        return self.start_job(command, timeout, user).wait(timeout + 30)

    def sh(self, command, timeout=120, user=None):
        """Runs a shell command that must succeed; what it printed."""
        result = self.run(command, timeout, user)
        if not result.ok:
            raise CommandFailed(str(result))
        return result.out

    def start_job(self, command, timeout=600, user=None):
        """Starts a command and does not wait: a Job with done() and wait()."""
        return self.agent.start(command, timeout, user)

    def wait(self, predicate, timeout, what, every=0.5):
        """Polls until predicate() is true; what it returned. `what` says in the
        failure what was waited for: a string, or a function that makes one."""
        timeout = max(timeout, PATIENCE)  # a busy host is no failure
        began = time.monotonic()
        while True:
            value = predicate()
            if value:
                return value
            if time.monotonic() - began > timeout:
                text = what() if callable(what) else what
                raise Timeout(f"waited {timeout} s for: {text} (last seen: {value!r})")
            time.sleep(every)

    def settle(self, timeout=PATIENCE):
        """Waits until the guest is at rest: what is measured in seconds after
        this measures what it says, and not the end of what came before."""
        looked = "head -n 1 /proc/stat; sleep 1; head -n 1 /proc/stat"

        def idle():
            before, after = ([int(n) for n in line.split()[1:9]] for line in self.sh(looked).splitlines())
            spent = [b - a for a, b in zip(before, after)]
            return (spent[3] + spent[4]) / max(1, sum(spent)) > 0.7  # idle, and waiting for a disk
        self.wait(idle, timeout, "the guest to be at rest", every=0.2)

    def now(self):
        """The guest's clock, in seconds since 1970."""
        return float(self.sh("date +%s.%N"))

    def read(self, path):
        """A file of the guest, as text; '' if there is none."""
        return self.run(f"cat {quote(path)}").out

    def write(self, path, text, mode="644"):
        """Writes a file in the guest, whole or not at all."""
        source = self._transfer_name()
        with open(os.path.join(self.share, source), "w", encoding="utf-8") as file:
            file.write(text)
        self.sh(f"install -D -m {mode} {SHARE}/{source} {quote(path)}.new && "
                f"mv {quote(path)}.new {quote(path)} && rm {SHARE}/{source}")

    def push(self, source, path):
        """Copies a file or a folder of the host to the guest."""
        name = self._transfer_name()
        target = os.path.join(self.share, name)
        (shutil.copytree if os.path.isdir(source) else shutil.copy2)(source, target)
        self.sh(f"mkdir -p \"$(dirname {quote(path)})\" && cp -aT {SHARE}/{name} {quote(path)} && "
                f"rm -r {SHARE}/{name}", timeout=300)

    def fetch(self, path, target):
        """Copies a file of the guest to the host."""
        name = self._transfer_name()
        self.sh(f"cp {quote(path)} {SHARE}/{name}", timeout=300)
        shutil.move(os.path.join(self.share, name), target)

    def _transfer_name(self):
        self._number += 1
        return f"xfer/{self._number}"

    # --- its disks ------------------------------------------------------------

    def add_controller(self, name, port=NVME_SLOTS[0]):
        """Plugs another SCSI controller in, for insert(); its address on the bus, as lspci has it."""
        before = set(self.sh("ls /sys/bus/pci/devices").split())
        self.qmp("device_add", driver="virtio-scsi-pci", id=name, bus=f"port{port}")
        found = self.wait(lambda: set(self.sh("ls /sys/bus/pci/devices").split()) - before, PATIENCE, "the controller", every=1)
        return found.pop()

    def insert(self, slot, disk=None, serial=None, wwn=None, wait=True, size=SIZE, controller="scsi", sector=512, physical=None, unreadable=False):
        """Puts a disk into a slot: the given one (as pull() returned it), or
        else a new, empty one, with the next serial and WWN of that slot; sector, physical: bytes of its sectors, and of those that it
        says it has inside; unreadable: each read fails, from
        the first one on."""
        if slot in self.disks:
            raise ValueError(f"slot {slot} has {self.disks[slot].serial}")
        if disk is None:
            generation = 1 + sum(d.serial.startswith(f"DISK{slot:02}G") for d in self.all_disks)
            disk = Disk(self.folder, slot, generation, serial, wwn, size)
        if disk not in self.all_disks:
            self.all_disks.append(disk)
        disk.slot = slot
        self.qmp("blockdev-add", driver="file", node_name=f"file{slot}", filename=disk.path,
                 cache={"direct": False, "no-flush": True}, discard="ignore")
        below = f"file{slot}"
        if unreadable:
            self._number += 1
            below = self._faulty[slot] = f"faulty{slot}x{self._number}"
            self.qmp("blockdev-add", driver="blkdebug", node_name=below, image=f"file{slot}",
                     inject_error=[{"event": "none", "iotype": "read", "errno": 5}])
        self.qmp("blockdev-add", **self._raw_node(slot, below))
        self.qmp("device_add", driver="scsi-hd", logical_block_size=sector, physical_block_size=physical or sector, id=f"disk{slot}", drive=f"raw{slot}",
                 bus=f"{controller}.0", channel=0, scsi_id=slot - 1, lun=0, serial=disk.serial,
                 wwn=disk.wwn, rerror="report", werror="report")
        self.disks[slot] = disk
        if wait and self.agent.boot_id:
            self._wait_disks([disk])
        return disk

    @staticmethod
    def _raw_node(slot, below):
        return {"driver": "raw", "node-name": f"raw{slot}", "file": below}

    def pull(self, slot):
        """Takes the disk out of a slot; returns it, with its contents."""
        disk = self.disks.pop(slot)
        self.qmp("device_del", id=f"disk{slot}")
        self.qmp.wait_event("DEVICE_DELETED", PATIENCE, device=f"disk{slot}")
        self.qmp("blockdev-del", node_name=f"raw{slot}")
        if slot in self._faulty:
            self.qmp("blockdev-del", node_name=self._faulty.pop(slot))
        self.qmp("blockdev-del", node_name=f"file{slot}")
        return disk

    def insert_nvme(self, slot, serial=None, size=64 * MB):
        """Plugs a new NVMe drive into one of NVME_SLOTS; its Disk."""
        disk = Disk(self.folder, slot, serial=serial or f"NVME{slot:02}", size=size)
        self.qmp("blockdev-add", driver="raw", node_name=f"nvme{slot}", file={"driver": "file", "filename": disk.path})
        self.qmp("device_add", driver="nvme", id=f"nvme{slot}", bus=f"port{slot}", drive=f"nvme{slot}", serial=disk.serial)
        return disk

    def pull_nvme(self, slot):
        """Takes the drive out of one of NVME_SLOTS, as with its attention button: the guest lets go of it some seconds later."""
        self.qmp("device_del", id=f"nvme{slot}")
        self.qmp.wait_event("DEVICE_DELETED", PATIENCE, device=f"nvme{slot}")
        self.qmp("blockdev-del", node_name=f"nvme{slot}")

    def warn_nvme(self, slot, bits):
        """From now on the drive reports this critical warning (bits of the NVMe specification's health log)."""
        self.qmp("qom-set", path=f"/machine/peripheral/nvme{slot}", property="smart_critical_warning", value=bits)

    def corrupt(self, slot, from_mb, to_mb, seed=1):
        """Garbage over this part of the disk, from behind its back."""
        self.disks[slot].overwrite(from_mb * MB, to_mb * MB, seed)

    def corrupt_data(self, slot, chunks, seed=1):
        """Garbage over this many 32 kB places that really hold data: about as
        many checksum ereports. Write the data out first (`zpool sync`)."""
        done = self.disks[slot].garbage(chunks, seed)
        if done < chunks:
            raise ValueError(f"slot {slot} has only {done} places with data, not {chunks}")

    def eio_on(self, slot, reads=True, writes=False, sector=None):
        """From now on reads and/or writes of the disk fail with EIO (all of
        them, or only those that touch one sector)."""
        kinds = [kind for kind, on in (("read", reads), ("write", writes)) if on]
        rules = [{"event": "none", "iotype": kind, "errno": 5} for kind in kinds]
        if sector is not None:
            rules = [{**rule, "sector": sector} for rule in rules]
        self.eio_off(slot)
        self._number += 1
        name = f"faulty{slot}x{self._number}"
        self.qmp("blockdev-add", driver="blkdebug", node_name=name, image=f"file{slot}",
                 inject_error=rules)
        self.qmp("blockdev-reopen", options=[self._raw_node(slot, name)])
        self._faulty[slot] = name

    def eio_off(self, slot):
        """The disk is well again."""
        if slot not in self._faulty:
            return
        self.qmp("blockdev-reopen", options=[self._raw_node(slot, f"file{slot}")])
        self.qmp("blockdev-del", node_name=self._faulty.pop(slot))

    def slow(self, slot, mb_per_second=0):
        """Reads of the disk are no faster from now on; 0: as fast as it can."""
        limits = dict.fromkeys(("bps", "bps_wr", "iops", "iops_rd", "iops_wr"), 0)
        self.qmp("block_set_io_throttle", id=f"disk{slot}", bps_rd=int(mb_per_second * MB), **limits)

    def fresh_disks(self, slots=None):
        """Empty disks of the first generation in the given slots (those of the
        start, if not said), and none in the others. No pool may be imported."""
        slots = tuple(slots or self.slots)
        for slot, disk in list(self.disks.items()):
            if slot not in slots or disk.serial != f"DISK{slot:02}G1":
                self.pull(slot)
        self.all_disks = list(self.disks.values())
        # Those that are what they should be stay, as pulling takes its time, and
        # are emptied; the guest must then forget the partitions they had.
        self.sh("sync")
        for disk in self.all_disks:
            disk.empty()
        paths = " ".join(disk.by_id for disk in self.all_disks)
        self.sh(f"udevadm settle; for disk in {paths}; do "
                "blockdev --flushbufs $disk; blockdev --rereadpt $disk || exit; done; udevadm settle",
                timeout=PATIENCE)
        for slot in slots:
            if slot not in self.disks:
                self.insert(slot, wait=False)
        self._wait_disks(self.disks.values())


def quote(text):
    """For a shell."""
    return "'" + str(text).replace("'", "'\\''") + "'"


__all__ = ["Machine", "Timeout", "CommandFailed", "QmpError", "quote", "image_folder"]
