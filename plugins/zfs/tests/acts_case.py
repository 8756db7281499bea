"""A ZfsCase whose commands hang or are replaced, so that fmd-zfs must find out who did what."""
import json
import os

from zfs_case import ZfsCase
from host import faults, zpool


class ActsCase(ZfsCase):
    def retire(self, bay, to, call):
        reply = self.act("retire", bay, call=call, to=to)
        self.assertEqual(reply["status"], "done", reply)
        return reply

    def by(self, name, count=1):
        """The cause of each event of a class, once `count` have arrived."""
        self.wait(lambda: len(self.core.of_class(name)) >= count, lambda: f"{count} of {name}: {self.core.events[-5:]}")
        return [event["payload"]["by"] for event in self.core.of_class(name)]

    def waits(self, bay, key, value):
        self.wait(lambda: self.state(bay, key) == value, lambda: f"{key} {value}: {self.vdev(bay)}")

    def hold(self, verb):
        """Makes this verb of zpool hang without effect."""
        self.instead(verb, f'echo "$@" >> {self.path("asked")}; exec sleep 1000')

    def hold_helper(self):
        """Makes fmd-zfs-vdev hang without effect."""
        tool = self.host.path("bin/fmd-zfs-vdev")
        os.unlink(tool)
        with open(tool, "w", encoding="ascii") as file:
            file.write(f'#!/bin/sh\necho "$@" >> {self.path("asked")}; exec sleep 1000\n')
        os.chmod(tool, 0o755)

    def instead(self, verb, script):
        """Replaces this verb of zpool by a shell script; $real is the program itself."""
        tool = self.host.path("bin/zpool")
        real = os.readlink(tool)
        os.unlink(tool)
        with open(tool, "w", encoding="ascii") as file:
            file.write(f'#!/bin/sh\nexport FMD_HOST_ROOT={self.host.folder}; real={real}\n'
                       f'[ "$1" = {verb} ] && {{ {script}; }}\nexec $real "$@"\n')
        os.chmod(tool, 0o755)

    def asked(self):
        if not os.path.exists(self.path("asked")):
            return []
        with open(self.path("asked"), encoding="ascii") as file:
            return file.read().splitlines()

    def remembered(self):
        with open(self.path("state", "zfs-memory.json"), encoding="utf-8") as file:
            return json.load(file)

    def at_last(self):
        """The kernel carries out the hung helper's request after all; the helper was killed and writes no record."""
        verb, name, guid = self.asked()[-1].split()
        with self.host.change() as state:
            zpool.set_leaf_state(state, state.data["pools"][name], guid, verb, faults.EXTERNAL)
