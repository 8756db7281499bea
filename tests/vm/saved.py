"""A machine's state, memory and disks, to which it can be taken back within
seconds: scenarios begin where it was saved and not with a boot.

    saved = Saved(machine)      # the machine stands still afterwards
    saved.restore()             # it runs on from there, as often as wanted
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
        # QEMU cannot save a machine with a mounted directory of the host.
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
        """The machine as it was saved, running; whatever it was since is gone."""
        machine = self.machine
        machine.stop()
        self._copy(self.folder, machine.folder)
        machine.launch(self.disks, incoming=True)
        machine.qmp("migrate-incoming", uri=f"exec:cat {shlex.quote(self.memory)}")
        self._wait(lambda: machine.qmp("query-status")["status"], "paused")
        machine.qmp("cont")
        machine.agent.boot_id = machine.sh("fmd-test-share; cat /proc/sys/kernel/random/boot_id").strip()
