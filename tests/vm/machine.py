"""The test machine: a QEMU process, its disks and its guest.

    with Machine() as m:
        print(m.sh("zpool list"))

This file simulates hardware; rig.py has what tests do with ZFS, mail
and so on.
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
# All but the first three shorten the boot: they skip things that are expensive under TCG and unneeded here. (modules-load.d loads zfs, so
# zfs-load-module.service, which waits for udev to settle, is not needed.)
KERNEL_ARGUMENTS = (
    "root=/dev/vda rw console=ttyS0,115200 loglevel=5 systemd.show_status=0 mitigations=off nokaslr "
    "random.trust_cpu=on net.ifnames=0 modprobe.blacklist=pcspkr,iTCO_wdt,i2c_i801,lpc_ich,ahci,kvm_amd,kvm "
    "systemd.mask=zfs-load-module.service systemd.mask=systemd-udev-settle.service "
    "loop.max_loop=1 systemd.mask=user@0.service systemd.mask=systemd-binfmt.service systemd.mask=proc-sys-fs-binfmt_misc.automount")
# QEMU's emulation has AVX since 7.2 (Debian 12). With it, OpenZFS 2.3.9 reports wrong checksums on all disks while resilvering a raidz2
# disk that had been away; without it, none.
PROCESSOR = "max,avx=off,avx2=off,xsave=off"
# Seconds to wait for things that must happen, however busy the host is.
PATIENCE = 300
# Non-SCSI disks, in bays of the machine's own chassis. The driver of the SATA controller is blacklisted above, so SATA disks are
# invisible until `modprobe ahci`. NVMe drives are plugged in later, into these slots: a machine with an NVMe drive cannot be saved.
SATA_PORTS = (1, 2)
NVME_SLOTS = (11, 12)


class Timeout(Exception):
    """An expected event did not happen in time."""


def image_folder(build, debian, zts=False):
    """The folder of the root image of that release ("12", "13"), with OpenZFS's own tests if requested. build: build it if missing."""
    script = [os.path.join(HERE, "image.sh"), "--debian", debian, *(["--zts"] if zts else [])]
    if build:
        subprocess.run(script, check=True)
    return subprocess.run([*script, "--path"], check=True, capture_output=True,
                          text=True).stdout.strip()


class Machine:
    """One boot of the image, from a fresh overlay, with 8 bays of disks.

    slots: the bays that have a disk at the start. folder: for its files; by default
    a temporary one, deleted at the end. debian: its release. zts: include OpenZFS's
    own tests."""

    BAYS = 8

    def __init__(self, slots=range(1, 8), folder=None, memory=2048, cpus=2, debian="12", zts=False):
        self.slots = tuple(slots)
        self.memory, self.cpus, self.debian, self.zts = memory, cpus, debian, zts
        # A separate directory, because socket paths must be short.
        self._sockets = tempfile.mkdtemp(prefix="fmd-vm-")
        self.folder = folder or os.path.join(self._sockets, "run")
        os.makedirs(self.folder, exist_ok=True)
        self.share = os.path.join(self.folder, "share")
        self.console = os.path.join(self.folder, "console.log")
        self._overlay = os.path.join(self.folder, "root.qcow2")
        self.disks = {}       # slot -> current Disk
        self.all_disks = []   # every disk ever created
        self.sata = {port: Disk(self.folder, 0x20 + port, serial=f"SATA{port:02}", size=64 * MB) for port in SATA_PORTS}
        self._faulty = {}     # slot -> its current blkdebug node
        self._number = 0
        self.processor = PROCESSOR  # QEMU's -cpu; like cpus (its -smp, with topology), applied at the next boot
        self.bmc_port = None  # TCP port of an ipmi_sim: its BMC is in-band from the next boot on
        self.keeps_records = False  # True: from the next boot, firmware keeps the kernel's crash log (ACPI ERST)
        self.boot_seconds = None
        self.process = self.qmp = self.agent = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.close()

    # --- life cycle ------------------------------------------------------------

    def start(self, timeout=600):
        """Boots the machine; returns when the guest's agent responds."""
        image = image_folder(False, self.debian, self.zts)
        if not os.path.exists(os.path.join(image, "complete")):
            image = image_folder(True, self.debian, self.zts)
        subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b",
                        os.path.join(image, "rootfs.img"), self._overlay], check=True)
        began = time.monotonic()
        self.launch({slot: None for slot in self.slots})
        self.qmp("cont")
        self._await_boot(None, timeout)
        self.boot_seconds = time.monotonic() - began

    def launch(self, disks, incoming=False):
        """Starts QEMU, paused, with these disks: slot -> serial of an existing file, or None for an empty disk. incoming: a saved state
        will be loaded (saved.py)."""
        image = image_folder(False, self.debian, self.zts)
        os.utime(image)  # image.sh deletes images that have long been unused
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
        """Ends QEMU; its files remain, and launch() can start it again."""
        self.kill()
        for connection in (self.qmp, self.agent):
            if connection:
                connection.close()

    def socket(self, name):
        return os.path.join(self._sockets, name)

    def refresh_share(self):
        """Copies the guest's current scripts and the simulated host's mail server into the share."""
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
            # Slots as in a server, with a name and an attention LED.
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
        # The agent may start before udev has processed the disks.
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
        """An orderly reboot; the root file system and the disks are kept."""
        self.agent.start("systemctl reboot", timeout=60)
        self.process.wait(timeout)  # -no-reboot: QEMU ends where the machine would restart
        self._boot_again(timeout)

    def crash(self, timeout=600):
        """A power cut and the next boot."""
        self.cut_power()
        self._boot_again(timeout)

    def cut_power(self):
        """Cuts the power at once; returns when QEMU has ended. (kill -9 of QEMU would also lose cached metadata of the root disk's image,
        and with it data that the guest has flushed.)"""
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
        """Kills QEMU."""
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
        """Runs a shell command; returns its Result, successful or not."""
        return self.start_job(command, timeout, user).wait(timeout + 30)

    def sh(self, command, timeout=120, user=None):
        """Runs a shell command that must succeed; returns its output."""
        result = self.run(command, timeout, user)
        if not result.ok:
            raise CommandFailed(str(result))
        return result.out

    def start_job(self, command, timeout=600, user=None):
        """Starts a command without waiting: returns a Job with done() and wait()."""
        return self.agent.start(command, timeout, user)

    def wait(self, predicate, timeout, what, every=0.5):
        """Polls until predicate() is true; returns its value. `what` describes the condition if it fails: a string, or a function that
        returns one."""
        timeout = max(timeout, PATIENCE)  # a busy host must not fail the test
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
        """Waits until the guest is idle, so that times measured next do not include leftovers of earlier work."""
        looked = "head -n 1 /proc/stat; sleep 1; head -n 1 /proc/stat"

        def idle():
            before, after = ([int(n) for n in line.split()[1:9]] for line in self.sh(looked).splitlines())
            spent = [b - a for a, b in zip(before, after)]
            return (spent[3] + spent[4]) / max(1, sum(spent)) > 0.7  # idle + iowait
        self.wait(idle, timeout, "the guest to be at rest", every=0.2)

    def now(self):
        """The guest's clock, in seconds since 1970."""
        return float(self.sh("date +%s.%N"))

    def read(self, path):
        """The text of a file in the guest; '' if it does not exist."""
        return self.run(f"cat {quote(path)}").out

    def write(self, path, text, mode="644"):
        """Writes a file in the guest atomically."""
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

    # --- disks -----------------------------------------------------------------

    def add_controller(self, name, port=NVME_SLOTS[0]):
        """Plugs in another SCSI controller, for insert(); returns its PCI address, as lspci shows it."""
        before = set(self.sh("ls /sys/bus/pci/devices").split())
        self.qmp("device_add", driver="virtio-scsi-pci", id=name, bus=f"port{port}")
        found = self.wait(lambda: set(self.sh("ls /sys/bus/pci/devices").split()) - before, PATIENCE, "the controller", every=1)
        return found.pop()

    def insert(self, slot, disk=None, serial=None, wwn=None, wait=True, size=SIZE, controller="scsi", sector=512, physical=None, unreadable=False):
        """Puts a disk into a slot: the given one (as pull() returned it), or a new, empty one with the slot's next serial and WWN.
        sector, physical: logical and physical sector size in bytes; unreadable: all reads fail, from the first on."""
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
        """Takes the disk out of a slot; returns it with its contents."""
        disk = self.disks.pop(slot)
        self.qmp("device_del", id=f"disk{slot}")
        self.qmp.wait_event("DEVICE_DELETED", PATIENCE, device=f"disk{slot}")
        self.qmp("blockdev-del", node_name=f"raw{slot}")
        if slot in self._faulty:
            self.qmp("blockdev-del", node_name=self._faulty.pop(slot))
        self.qmp("blockdev-del", node_name=f"file{slot}")
        return disk

    def insert_nvme(self, slot, serial=None, size=64 * MB):
        """Plugs a new NVMe drive into one of NVME_SLOTS; returns its Disk."""
        disk = Disk(self.folder, slot, serial=serial or f"NVME{slot:02}", size=size)
        self.qmp("blockdev-add", driver="raw", node_name=f"nvme{slot}", file={"driver": "file", "filename": disk.path})
        self.qmp("device_add", driver="nvme", id=f"nvme{slot}", bus=f"port{slot}", drive=f"nvme{slot}", serial=disk.serial)
        return disk

    def pull_nvme(self, slot):
        """Removes a drive from one of NVME_SLOTS as its attention button would: the guest releases it some seconds later."""
        self.qmp("device_del", id=f"nvme{slot}")
        self.qmp.wait_event("DEVICE_DELETED", PATIENCE, device=f"nvme{slot}")
        self.qmp("blockdev-del", node_name=f"nvme{slot}")

    def warn_nvme(self, slot, bits):
        """Makes the drive report this critical warning (bits of the NVMe health log)."""
        self.qmp("qom-set", path=f"/machine/peripheral/nvme{slot}", property="smart_critical_warning", value=bits)

    def corrupt(self, slot, from_mb, to_mb, seed=1):
        """Overwrites this part of the disk with garbage, unnoticed by the disk."""
        self.disks[slot].overwrite(from_mb * MB, to_mb * MB, seed)

    def corrupt_data(self, slot, chunks, seed=1):
        """Overwrites this many 32 KiB places that really hold data: causes about as many checksum ereports. Flush first (`zpool
        sync`)."""
        done = self.disks[slot].garbage(chunks, seed)
        if done < chunks:
            raise ValueError(f"slot {slot} has only {done} places with data, not {chunks}")

    def eio_on(self, slot, reads=True, writes=False, sector=None):
        """Makes reads and/or writes of the disk fail with EIO: all of them, or only those that touch one sector."""
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
        """Removes the errors of eio_on()."""
        if slot not in self._faulty:
            return
        self.qmp("blockdev-reopen", options=[self._raw_node(slot, f"file{slot}")])
        self.qmp("blockdev-del", node_name=self._faulty.pop(slot))

    def slow(self, slot, mb_per_second=0):
        """Limits the disk's read speed; 0: no limit."""
        limits = dict.fromkeys(("bps", "bps_wr", "iops", "iops_rd", "iops_wr"), 0)
        self.qmp("block_set_io_throttle", id=f"disk{slot}", bps_rd=int(mb_per_second * MB), **limits)

    def fresh_disks(self, slots=None):
        """Puts empty first-generation disks into the given slots (default: those of the start), and none into the others. No pool may be
        imported."""
        slots = tuple(slots or self.slots)
        for slot, disk in list(self.disks.items()):
            if slot not in slots or disk.serial != f"DISK{slot:02}G1":
                self.pull(slot)
        self.all_disks = list(self.disks.values())
        # Pulling is slow, so disks that are already right stay and are emptied; the guest must then forget their partitions.
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
    """Quotes text for a shell."""
    return "'" + str(text).replace("'", "'\\''") + "'"


__all__ = ["Machine", "Timeout", "CommandFailed", "QmpError", "quote", "image_folder"]
