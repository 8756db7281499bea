"""Saves a machine's memory and disks, and restores them within seconds, so that
scenarios need no boot.

    saved = Saved(machine)      # the machine is paused afterwards
    saved.restore()             # it resumes from there; can be repeated

boot() restores a new machine that has just booted, which is saved beside the image the first time.
"""

import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
import time

import machine as machine_module
from machine import PATIENCE, Timeout, image_folder


def boot(machine):
    """Boots a new machine with the default memory, processors and disks, or restores one that has booted. It is saved in the
    image's folder if that is writable; otherwise each machine boots."""
    image = image_folder(False, machine.debian)
    # Only the same QEMU with the same devices can load it.
    parts = subprocess.run(["qemu-system-x86_64", "--version"], check=True, capture_output=True).stdout
    with open(machine_module.__file__, "rb") as source:
        parts += source.read()
    folder = os.path.join(image, "booted-" + hashlib.sha256(parts).hexdigest()[:12])
    if not os.path.exists(folder):
        machine.start()
        if not os.access(image, os.W_OK):
            return
        machine.settle()
        forget_old(image)
        new = tempfile.mkdtemp(prefix="booted-", dir=image)
        try:
            Saved(machine, new)
            os.rename(new, folder)
        except OSError:
            if not os.path.exists(folder):  # else another run has saved one meanwhile
                raise
        finally:
            shutil.rmtree(new, ignore_errors=True)
    began = time.monotonic()
    if os.access(folder, os.W_OK):
        os.utime(folder)
    Saved(machine, folder, {slot: None for slot in machine.slots}).restore()
    machine.sh(f"date -s @{time.time():.0f}")
    machine.boot_seconds = time.monotonic() - began


def forget_old(image):
    """Removes saved boots that were last used more than a day ago: each change of machine.py or QEMU makes another one."""
    for name in os.listdir(image):
        folder = os.path.join(image, name)
        if name.startswith("booted-") and os.path.getmtime(folder) < time.time() - 86400:
            shutil.rmtree(folder, ignore_errors=True)


class Saved:
    def __init__(self, machine, folder=None, disks=None):
        """Saves the machine into the folder, by default one beside its disks. disks: it was saved there before, with these disks
        (slot -> serial, or None for an empty one)."""
        self.machine = machine
        self.folder = folder or os.path.join(machine.folder, "saved")
        self.memory = os.path.join(self.folder, "memory")
        self.disks = disks or {slot: disk.serial for slot, disk in machine.disks.items()}
        if disks:
            return
        os.makedirs(self.folder, exist_ok=True)
        # QEMU cannot save a machine that has a host directory mounted.
        machine.sh("sync; umount /mnt/share", timeout=PATIENCE)
        machine.qmp("stop")
        machine.qmp("migrate-set-parameters", max_bandwidth=1 << 40)
        machine.qmp("migrate", uri=f"exec:cat > {shlex.quote(self.memory)}")
        self._wait(lambda: machine.qmp("query-migrate").get("status"), "completed")
        machine.kill()
        self._copy(machine.folder, self.folder)

    def _wait(self, state, wanted):
        deadline = time.monotonic() + PATIENCE
        while (found := state()) != wanted:
            if found == "failed" or time.monotonic() > deadline:
                raise Timeout(f"the machine's state to be {wanted}, it is {found}; "
                              + str(self.machine.qmp("query-migrate")))
            time.sleep(0.05)

    @staticmethod
    def _copy(source, target):
        names = [n for n in os.listdir(source) if n.endswith((".raw", ".qcow2"))]
        for name in [n for n in os.listdir(target) if n.endswith((".raw", ".qcow2"))]:
            os.unlink(os.path.join(target, name))
        subprocess.run(["cp", "--sparse=always", "--reflink=auto", "-t", target]
                       + [os.path.join(source, name) for name in names], check=True)

    def restore(self):
        """Restores the saved machine and resumes it; its current state is discarded."""
        machine = self.machine
        machine.stop()
        self._copy(self.folder, machine.folder)
        machine.launch(self.disks, incoming=True)
        machine.qmp("migrate-incoming", uri=f"exec:cat {shlex.quote(self.memory)}")
        self._wait(lambda: machine.qmp("query-status")["status"], "paused")
        machine.qmp("cont")
        machine.agent.boot_id = machine.sh("fmd-test-share; cat /proc/sys/kernel/random/boot_id").strip()
