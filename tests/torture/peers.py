"""Stand-ins for fmd's plugins in a campaign: each reconnects when it is cut off, and continues where it was."""
import contextlib
import os
import select
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

from fake_plugin import CutOff, FakePlugin  # noqa: E402


class Peer:
    """about: the plugin's hello, as for FakePlugin."""
    patience = 5  # seconds: a frozen fmd reads nothing

    def __init__(self, path, name, **about):
        self.path, self.name, self.about = path, name, about
        self.plugin, self.welcomed = None, False

    def drop(self):
        """Closes the connection, as when the plugin is killed."""
        if self.plugin:
            self.plugin.close()
        self.plugin, self.welcomed = None, False

    def connect(self):
        with contextlib.suppress(OSError):
            self.plugin = FakePlugin(self.path, self.name, check=False, **self.about)
            self.plugin.socket.settimeout(self.patience)
            self.greeting = self.plugin.request("hello", self.plugin.greeting)

    def turn(self):
        """Does what is possible without waiting."""
        try:
            if not self.plugin:
                self.connect()
            if not self.plugin:
                return
            while self.plugin.pump(0):
                pass
            if not self.welcomed and self.greeting in self.plugin.results:
                answer = self.plugin.results.pop(self.greeting)
                if "error" in answer:
                    return self.drop()
                self.welcomed = True
                self.welcome(answer["result"])
            if self.welcomed:
                self.act()
        except (CutOff, OSError):
            self.drop()

    def fileno(self):
        return self.plugin.socket.fileno()

    def welcome(self, result):
        pass

    def act(self):
        pass


def wait(peers, seconds):
    """Waits until one of them has something to read."""
    there = [p for p in peers if p.plugin]
    with contextlib.suppress(OSError, ValueError):
        select.select(there, [], [], seconds)


class Source(Peer):
    """Sends batches of events in order until they are acked: cursor N is the Nth batch."""

    def __init__(self, path, name):
        super().__init__(path, name)
        self.batches, self.acked, self.sent = [], 0, {}
        self.in_memory = 0  # last batch that fmd holds in memory from an earlier connection
        self.rejected = 0

    def add(self, events):
        self.batches.append(events)

    def finished(self):
        return self.acked == len(self.batches)

    def welcome(self, result):
        cursor = int(result["cursor"] or 0)
        if cursor < self.acked:
            raise AssertionError(f"{self.name}: fmd acked {self.acked} and knows of {cursor}")
        self.acked, self.sent = cursor, {}
        self.in_memory = int(result.get("kept") or 0)

    def act(self):
        self.acked = max(self.acked, int(self.plugin.written or 0))
        for request, number in list(self.sent.items()):
            answer = self.plugin.results.pop(request, None)
            if answer is None:
                continue
            if "error" in answer:
                raise AssertionError(f"{self.name}: {answer}")
            self.rejected += len(answer["result"]["rejected"])
            self.acked = max(self.acked, number)
            del self.sent[request]
        following = max([self.acked, self.in_memory, *self.sent.values()])
        while following < len(self.batches) and len(self.sent.keys() - set(self.plugin.kept)) < 4:
            request = self.plugin.send_events(self.batches[following], cursor=str(following + 1))
            following += 1
            self.sent[request] = following


class Disks(Peer):
    """What fmd-disk sees: it alone may say what a disk's serial number is."""

    def __init__(self, path):
        super().__init__(path, "disk")
        self.disks, self.told = [], 0

    def put(self, disk):
        self.disks.append(disk)

    def welcome(self, _):
        self.told = 0

    def act(self):
        if self.told == len(self.disks):
            return
        self.told = len(self.disks)
        resources = [{"fmri": disk, "type": "disk", "properties": {"serial": disk.rpartition(":")[2]}} for disk in self.disks]
        self.plugin.request("inventory", {"complete": True, "resources": resources, "gone": []})


class Enclosure(Peer):
    """A shelf with its bays and disks, and LEDs that only a command changes."""

    def __init__(self, path, disks):
        super().__init__(path, "enclosure", handles=["hc://"], commands=["set_led"])
        self.disks, self.bays, self.lit, self.told = disks, {}, set(), 0
        self.asked = 0

    def put(self, bay, disk):
        self.bays[bay] = disk
        self.disks.put(disk)
        self.told = 0

    def put_out(self, bays):
        """Turns LEDs off by hand."""
        self.lit -= bays
        self.told = 0

    def welcome(self, _):
        self.told = 0

    def act(self):
        for command in self.plugin.commands:
            params = command["params"]
            self.asked += 1
            (self.lit.add if params["args"]["on"] else self.lit.discard)(params["resource"])
            self.told = 0
        if self.told != len(self.bays):
            self.tell()
        for command in self.plugin.commands:  # after the inventory with their result
            self.plugin.reply(command, "done")
        self.plugin.commands.clear()

    def tell(self):
        self.told = len(self.bays)
        resources = [{"fmri": bay, "type": "bay", "properties": {"label": bay[-4:], "led.fault": "on" if bay in self.lit else "off"},
                      "edges": [{"relation": "contains", "to": disk}]} for bay, disk in self.bays.items()]
        self.plugin.request("inventory", {"complete": True, "resources": resources, "gone": []})


class Teller(Peer):
    """A notifier. Its record of deliveries outlives it, like fmd-mail's file; sometimes it dies before it can answer."""

    def __init__(self, path, name, chance):
        super().__init__(path, name, handles=[f"outbox:{name}"], commands=["deliver"], observes=[])
        self.chance, self.delivered, self.dies = chance, {}, 0.0

    def act(self):
        for command in self.plugin.commands:
            args = command["params"]["args"]
            if self.chance.random() < self.dies / 2:
                return self.drop()  # before sending
            self.delivered.setdefault(args["key"], args)
            if self.chance.random() < self.dies:
                return self.drop()  # before fmd gets the answer
            self.plugin.reply(command, "done")
        self.plugin.commands.clear()
