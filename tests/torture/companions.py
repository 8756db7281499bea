"""Hostile neighbours that run for a whole campaign: a user who sends requests and never reads, a user who subscribes and never reads, and
a compromised plugin that lies. None of this may affect the campaign's results.

    companions.py asker|listener BUS      companions.py liar SOCKET SEED
"""
import contextlib
import os
import random
import select
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.join(HERE, "..", "..")
sys.path[:0] = [os.path.join(TREE, "tests", "lib"), os.path.join(TREE, "simulator")]

FMD = ("org.fmd.FaultManager1", "/org/fmd/FaultManager1", "org.fmd.FaultManager1")
OTHER = {"user": 65534, "group": 65534, "extra_groups": []}
GROUP = 65510  # the group of the liar's unit
CONNECTIONS = 4  # enough to silence an fmd without limits per user
DISKS = 3000  # number of the campaign's disks that the liar lies about


def liars_grant():
    """The shipped grant of fmd-redfish, for a root process in its group."""
    with open(os.path.join(TREE, "plugins", "redfish", "grant.toml"), encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("user ")]
    return f'[plugin.redfish]\ngroup = "{GROUP}"\n' + "".join(lines)


def rest(seconds):
    """Sleeps, but exits when the campaign closes standard input."""
    if select.select([sys.stdin], [], [], seconds)[0]:
        sys.exit()


class Count:
    """Counts a companion's actions; its last line of output has the count."""

    def __init__(self):
        self.times, self.said = 0, 0.0

    def add(self):
        self.times += 1
        if time.monotonic() - self.said > 1:
            self.said = time.monotonic()
            print(self.times, flush=True)


def ask(bus):
    from raw_bus import RawBus
    count = Count()
    while True:
        with contextlib.suppress(OSError):
            connections = [RawBus(bus) for _ in range(CONNECTIONS)]
            while True:
                for one in connections:
                    one.send(*FMD, "ListEvents", '{"limit":10000}')
                    count.add()
                rest(0.05)
        rest(0.5)  # the bus accepts no more data, or has closed the connection


def listen(bus):
    from raw_bus import RawBus
    count = Count()
    while True:
        with contextlib.suppress(OSError):
            one = RawBus(bus)
            one.send("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", f"type='signal',sender='{FMD[0]}'")
            while True:
                count.add()
                one.send("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.Peer", "Ping")  # fails once disconnected
                rest(1)
        rest(0.5)


class Liar:
    def __init__(self, path, seed):
        self.path, self.chance = path, random.Random(seed)

    def disk(self):
        return f"dev://serial=TEST:{self.chance.randint(1, DISKS)}"

    def bay(self):
        return f"hc://chassis=t/bay={self.chance.randint(1, DISKS):04}"

    def described(self):
        """Lies about other plugins' parts: a disk is blank, another one or elsewhere; an LED is on; a bay holds another disk."""
        lie = self.chance.choice(({"content": "blank"}, {"serial": f"LIE{self.chance.random()}"}, {"path": "/dev/sda", "by_id": "lie"}, {"size_bytes": 1}))
        return [{"fmri": self.disk(), "type": "disk", "properties": lie, "edges": []},
                {"fmri": self.bay(), "type": "bay", "properties": {"led.fault": self.chance.choice(("on", "off")), "occupied": True},
                 "edges": [{"relation": "contains", "to": self.disk()}]}]

    def tell(self, plugin):
        """Sends one lie. Those outside the grant are rejected or close the connection."""
        from fake_plugin import event
        vdev = f"zfs://pool=t/vdev={self.chance.randint(1, 400):04}"
        lies = (
            lambda: plugin.send_inventory(self.described()),
            lambda: plugin.send_inventory(self.described(), complete=True),
            lambda: plugin.send_inventory([], gone=[{"fmri": self.disk(), "reason": "removed"}, {"fmri": self.bay(), "reason": "removed"}]),
            lambda: plugin.send_events([event("ereport.test.disk.broken", self.disk())]),
            lambda: plugin.send_events([event(name, vdev) for name in ("ereport.test.vdev.broken", "sysevent.test.vdev.fine")]),
            lambda: plugin.send_inventory([{"fmri": vdev, "type": "zfs-vdev", "properties": {"service": "in-service", "spare": "none"}, "edges": []}]),
            lambda: plugin.send({"jsonrpc": "2.0", "id": self.chance.randint(1, 1000), "result": {"status": "done", "reason": "", "detail": {}}}))
        self.chance.choice(lies)()

    def greeting(self):
        """Sometimes asks for other plugins' commands."""
        mine = {"handles": ["redfish://"], "observes": ["ereport.ipmi.*"], "commands": ["set_led"]}
        beyond = ({"handles": [self.bay()]}, {"handles": ["zfs://pool=t/"]}, {"observes": ["*"]}, {"name": "enclosure"}, {"name": "zfs"})
        return mine | (self.chance.choice(beyond) if self.chance.random() < 0.2 else {})

    def run(self):
        from fake_plugin import CutOff, FakePlugin, NoAnswer
        os.setgroups([GROUP])
        count = Count()
        while True:
            with contextlib.suppress(OSError, CutOff, NoAnswer, AssertionError):
                greeting = self.greeting()
                with FakePlugin(self.path, greeting.pop("name", "redfish"), check=False, **greeting) as plugin:
                    plugin.socket.settimeout(5)
                    plugin.hello(5)
                    while True:
                        self.tell(plugin)
                        count.add()
                        while plugin.pump(0.05):
                            pass
            rest(0.2)


class Companions:
    KINDS = ("asker", "listener", "liar")

    def __init__(self, folder, bus, socket, seed):
        self.logs = {kind: os.path.join(folder, f"companion-{kind}") for kind in self.KINDS}
        self.commands = {"asker": ([bus], OTHER), "listener": ([bus], OTHER), "liar": ([socket, str(seed)], {})}
        self.processes = {}

    def start(self):
        for kind, (arguments, user) in self.commands.items():
            with open(self.logs[kind], "wb") as log:
                self.processes[kind] = subprocess.Popen([sys.executable, os.path.abspath(__file__), kind, *arguments], cwd="/", stdin=subprocess.PIPE, stdout=log,
                                                        stderr=subprocess.STDOUT, env={"PYTHONDONTWRITEBYTECODE": "1"}, **user)

    def times(self):
        found = {}
        for kind, path in self.logs.items():
            with open(path, encoding="utf-8") as file:
                last = (file.read().splitlines() or ["0"])[-1]
            found[kind] = int(last) if last.isdigit() else 0
        return found

    def wrong(self):
        """A campaign proves nothing if a companion has ended or has done nothing."""
        out = [f"the {kind} has ended: see {self.logs[kind]}" for kind, process in self.processes.items() if process.poll() is not None]
        return out + [f"the {kind} has done nothing: see {self.logs[kind]}" for kind, times in self.times().items() if times == 0]

    def stop(self):
        for process in self.processes.values():
            process.kill()
            process.wait()


if __name__ == "__main__":
    {"asker": ask, "listener": listen, "liar": lambda path, seed: Liar(path, int(seed)).run()}[sys.argv[1]](*sys.argv[2:])
