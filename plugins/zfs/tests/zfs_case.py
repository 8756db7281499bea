"""ZfsCase: fmd-zfs as a process on a simulated host, with a fake fmd. Argument or FMD_ZFS: the program."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(TREE, "simulator"))

from core import Core  # noqa: E402  (the path has to be set before)
from host.actions import SimulatedHost  # noqa: E402
from process import Program  # noqa: E402

SPEED = {"scrub": 0.5, "resilver": 1.0, "notice": 0.1}
CHECKSUM = "ereport.fs.zfs.checksum"


def program():
    return os.environ["FMD_ZFS"]


def main():
    if len(sys.argv) > 1 and os.path.isfile(sys.argv[1]):
        os.environ["FMD_ZFS"] = os.path.abspath(sys.argv.pop(1))
    unittest.main()


class ZfsCase(unittest.TestCase):
    pools = ("tank=raidz2:1,2,3,4,5,6+7",)
    config = ""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="fmd-zfs-test-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.host = SimulatedHost.make(self.path("host"), pools=self.pools, speed=SPEED, seed=5)
        os.makedirs(self.path("state"))
        with open(self.path("zfs.toml"), "w", encoding="utf-8") as file:
            file.write('poll = "1s"\npoll_busy = "200ms"\nzpool_deadline = "20s"\n' + self.config)
        self.core = Core(self.path("sock"))
        self.addCleanup(self.core.close)
        self.plugin = Program("fmd-zfs", [program(), "--socket", self.path("sock"), "--config", self.path("zfs.toml")],
                              self.path("log"), {**self.environment(), "STATE_DIRECTORY": self.path("state")})
        self.addCleanup(self.plugin.kill)
        self.plugin.start()

    def environment(self):
        return self.host.environment()

    def run(self, result=None):
        before = len(result.errors) + len(result.failures)
        super().run(result)
        if len(result.errors) + len(result.failures) > before:
            print(self.plugin_log)

    def tearDown(self):
        with open(self.path("log"), encoding="utf-8", errors="replace") as file:
            self.plugin_log = file.read()

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def wait(self, condition, what):
        return self.core.wait(condition, what)

    def ready(self):
        self.wait(lambda: self.core.resources and self.core.statuses, "the first inventory")

    def vdev(self, bay):
        """The resource of the vdev on the disk in a bay, {} if there is none."""
        guid = str(self.host.vdev(bay).get("guid", ""))
        return next((r for f, r in self.core.resources.items() if guid and f.endswith("vdev=" + guid)), {})

    def state(self, bay, key):
        return self.vdev(bay).get("properties", {}).get(key)

    def pool(self):
        return next(r for r in self.core.resources.values() if r["type"] == "zfs-pool")

    def host_says(self, *arguments):
        return subprocess.run([self.path("host", "bin", "zpool"), *arguments], env={**os.environ, **self.host.environment()},
                              check=True, capture_output=True, text=True).stdout.strip()

    def act(self, name, bay, **args):
        return self.core.command(name, self.vdev(bay)["fmri"], **args)

    def restart(self):
        self.plugin.kill()
        if self.core.connection:
            self.core.disconnect()
        self.core.hello = None
        self.plugin.start()
        self.wait(lambda: self.core.hello, "the plugin again")
