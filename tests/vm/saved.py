"""Saves a machine's memory and disks, and restores them within seconds, so that
scenarios need no boot.

    saved = Saved(machine)      # the machine is paused afterwards
    saved.restore()             # it resumes from there; can be repeated
"""

import os
import shlex
import subprocess
import time

from machine import PATIENCE, Timeout


class Saved:
    def __init__(self, machine):
        self.machine = machine
        self.folder = os.path.join(machine.folder, "saved")
        os.makedirs(self.folder, exist_ok=True)
        self.memory = os.path.join(self.folder, "memory")
        self.disks = {slot: disk.serial for slot, disk in machine.disks.items()}
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
