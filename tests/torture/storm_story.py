"""The story of a storm: test peers play a source, a pool's plugin and a notifier, and fmd crashes at random moments. The victim,
storm_kills.py
or tests/vm/storm_cuts.py, decides what crashes: a process or a machine.

A victim has: path(name), the socket for a plugin; start(); crash_in(seconds), which returns at once; crashed(); down(), which waits for
the end and returns the folder of the store; end(), the same after a clean exit; pace, its slowdown compared with this host;
starts_within,
in seconds."""
import collections
import contextlib
import select
import time

import peers
from storm_books import SOURCE, Books  # sets the path
import storm_bench
from fake_plugin import CutOff
from storm_bench import VDEVS

EVENTS_IN_FLIGHT = 16 * 700  # a source may have 16 unacknowledged requests
CHECKPOINT = 50_000  # events: Tail::Limits
SEALING_S = 5.0  # Upkeep::kSealEachNs
PATIENCE = 60


class Source(peers.Peer):
    """Sends the storm as fast as fmd accepts it, from the store's cursor on."""

    def __init__(self, path, storm, books):
        super().__init__(path, SOURCE, transient=True)
        self.storm, self.books = storm, books
        self.left, self.begun, self.began, self.resting = b"", 0, 0, False

    def welcome(self, result):
        self.begun = int(result["cursor"] or 0)
        if self.begun < self.books.acked:
            raise AssertionError(f"fmd acked {self.books.acked} events and knows of {self.begun}")
        self.books.acked, self.began = self.begun, time.monotonic()
        self.left = self.storm.bytes[self.storm.offsets[self.begun]:]
        self.plugin.socket.setblocking(False)

    def act(self):
        self.count()
        if self.wants_to_send():
            with contextlib.suppress(BlockingIOError):
                self.left = self.left[self.plugin.socket.send(self.left[:1 << 20]):]

    def count(self):
        for request, answer in self.plugin.results.items():
            if answer.get("result", {"rejected": "all"})["rejected"]:
                raise AssertionError(f"not taken: {answer}")
            self.books.acked = max(self.books.acked, self.storm.ends[request - 2])
        self.plugin.results.clear()

    def drop(self):
        """Counts everything that fmd acknowledged before it died."""
        if self.welcomed:
            with contextlib.suppress(CutOff, OSError):
                while self.plugin.pump(0):
                    pass
            self.count()
        super().drop()

    def wants_to_send(self):
        return self.welcomed and len(self.left) > 0 and not self.resting


class Pool(peers.Peer):
    """Reports the vdevs, their disks and bays on each connection, like fmd-zfs and other plugins."""
    resources = storm_bench.resources() + [one for n in range(VDEVS) for one in (
        {"fmri": f"dev://wwn=5000c500{n:08x}", "type": "disk", "properties": {"serial": f"STORM{n}", "model": "M"}},
        {"fmri": f"hc://chassis=t/bay={n}", "type": "bay", "properties": {"label": f"Bay {n}"},
         "edges": [{"relation": "contains", "to": f"dev://wwn=5000c500{n:08x}"}]})]

    def __init__(self, path):
        super().__init__(path, "zfs", transient=True)
        self.taken = False

    def welcome(self, _):
        self.plugin.send_inventory(self.resources, complete=True)

    def act(self):
        self.taken |= bool(self.plugin.results)


# Moments of a crash: whether it is due, checked once fmd has welcomed the source. MOMENTS adds a maximum delay in seconds.
def in_the_storm(_):
    return True


def at_a_commit(story):
    return story.books.acked > story.source.begun + story.draw


def at_a_checkpoint(story):
    return story.books.acked > story.source.begun + CHECKPOINT - EVENTS_IN_FLIGHT


def at_a_verdict(story):
    following = [after for after in story.storm.found.values() if after > story.source.begun]
    return not following or story.books.acked > min(following) - EVENTS_IN_FLIGHT


def while_sealing(story):
    """Pauses the source for five seconds, after which fmd merges small blocks."""
    if story.books.acked > story.source.begun + story.draw:
        story.source.resting = True
    return story.source.resting and time.monotonic() - story.source.began > SEALING_S


def at_its_start(_):
    """Due at once; the delay is up to the victim's start time."""
    return True


MOMENTS = ((at_its_start, 0), (in_the_storm, 0.8), (in_the_storm, 0.8), (at_a_commit, 0.02), (at_a_commit, 0.02), (at_a_verdict, 0.1),
           (at_a_verdict, 0.1), (at_a_checkpoint, 0.15), (while_sealing, 1.5))


class Story:
    def __init__(self, victim, storm, journal_texts, chance):
        self.victim, self.storm, self.chance = victim, storm, chance
        self.books = Books(storm, journal_texts)
        self.source = Source(victim.path("source"), storm, self.books)
        self.pool = Pool(victim.path("pool"))
        self.teller = peers.Teller(victim.path("teller"), "mail", chance)
        self.books.told = self.teller.delivered
        for peer in (self.source, self.pool, self.teller):
            peer.patience *= victim.pace
        self.peers = [self.pool, self.teller]
        self.figures = collections.Counter()

    def play(self, crashes):
        """Runs until that many crashes, then to the end."""
        self.start()
        self.until(lambda: self.pool.taken, "the inventory's ack")
        self.peers.append(self.source)
        while crashes > self.figures["crashes"] and not self.sent():
            moment, within = self.chance.choice(MOMENTS)
            self.draw = self.chance.randrange(1, CHECKPOINT // 2)
            self.until(lambda: (self.source.welcomed or moment is at_its_start) and (moment(self) or self.sent()), moment.__name__)
            self.victim.crash_in(self.chance.uniform(0, within * self.victim.pace or self.victim.starts_within))
            while not self.victim.crashed():
                self.turn()
            self.crashed(moment.__name__)
            self.start()
        self.until(lambda: self.source.welcomed and self.sent() and self.told(), lambda: f"all sent and told: {self.books.acked}, {len(self.teller.delivered)}")
        folder = self.victim.end()
        self.drop()
        self.books.check(folder, ended=True)
        self.figures.update(stories=1, events=self.storm.size, messages=len(self.teller.delivered))

    def start(self):
        self.source.resting = False
        self.victim.start()

    def crashed(self, moment):
        folder = self.victim.down()
        self.drop()
        acked = self.books.acked
        self.figures.update({"crashes": 1, moment: 1, "acks that did not arrive": self.books.check(folder) - acked})

    def drop(self):
        for peer in (self.source, self.pool, self.teller):
            peer.drop()

    def sent(self):
        return self.books.acked == self.storm.size

    def told(self):
        return len({args["case"]["uuid"] for args in self.teller.delivered.values()}) >= len(self.storm.found)

    def turn(self):
        for peer in self.peers:
            peer.turn()
        there = [peer for peer in self.peers if peer.plugin]
        select.select(there, [self.source] if self.source.plugin and self.source.wants_to_send() else [], [], 0.02)

    def until(self, condition, what):
        end = time.monotonic() + PATIENCE * self.victim.pace
        while not condition():
            self.turn()
            if time.monotonic() > end or self.victim.crashed():
                raise AssertionError(f"{'not in time' if time.monotonic() > end else 'it ended by itself'}: {what() if callable(what) else what}")
