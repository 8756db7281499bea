"""The folder of a simulated host, its state and its clock.

Later events (a resilver's end, the next checksum error of a scrub) are timers in the state, with the time at which they are
due. Nothing runs in the background: whoever looks at the host next (a fake program, the simulator's user, a running
`zpool events -f`) runs the timers that are due, each with its own time. The state is thus always what it would be if the
events had happened on their own, and no process can be left over.

State is one JSON file, changed under a lock by one process at a time and replaced as a whole; the ZFS events are lines of an
append-only file beside it.
"""
import contextlib
import fcntl
import json
import os
import time
from functools import cached_property

STATE, LOCK, EVENTS = "sim/state.json", "sim/lock", "sim/zevents.jsonl"
RING = 512  # zfs_zevent_len_max: older events are lost

_due = {}


def clock_ns(data):
    return data.get("frozen_ns") or time.time_ns()


def due(function):
    """Registers a function for timers: function(state, **args), with state.now_ns at its due time."""
    _due[function.__name__] = function
    return function


class State:
    """The host's state while the lock is held. `data` is what is saved."""

    def __init__(self, machine, data):
        self.machine = machine
        self.data = data
        self.now_ns = data.get("now_ns", 0)
        self.posted = []

    @cached_property
    def random(self):
        """For guids, ENAs and addresses: reproducible from the host's seed."""
        import random  # here, since every call of zpool pays for imports at the top
        return random.Random(f"{self.data['seed']}/{self.data['next_eid']}/{self.data['next_timer']}")

    def at(self, seconds, function, **args):
        """Calls a @due function after that many seconds."""
        when = self.now_ns + int(seconds * 1e9)
        self.data["timers"].append([when, self.data["next_timer"], function.__name__, args])
        self.data["next_timer"] += 1

    def post(self, event_class, fields):
        """Appends a ZFS event; fields in print order, without time and eid."""
        eid = self.data["next_eid"]
        self.data["next_eid"] = eid + 1
        sec, nsec = divmod(self.now_ns, 1_000_000_000)
        self.posted.append({"eid": eid, "class": event_class, "sec": sec, "nsec": nsec, "fields": fields})

    def advance(self, now_ns):
        """Runs all timers due by then, in order."""
        timers = self.data["timers"]
        while timers and min(timers)[0] <= now_ns:
            first = min(timers)
            timers.remove(first)
            self.now_ns = max(self.now_ns, first[0])
            _due[first[2]](self, **first[3])
        self.now_ns = max(self.now_ns, now_ns)


class Machine:
    """A simulated host in a folder."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)

    def path(self, absolute):
        """The real path of a path on the simulated host."""
        return os.path.join(self.folder, absolute.lstrip("/"))

    def exists(self):
        return os.path.exists(self.path(STATE))

    def create(self, seed, boot_id):
        os.makedirs(self.path("sim"), exist_ok=True)
        if self.exists():
            raise SystemExit(f"fmsim: {self.folder} holds a simulated host already")
        data = {"seed": seed, "boot_id": boot_id,
                "next_eid": 1, "next_timer": 1, "now_ns": time.time_ns(), "timers": [],
                "disks": {}, "bays": {}, "pools": {}, "next_diskseq": 1, "speed": {}}
        self._save(data)
        with open(self.path(EVENTS), "w", encoding="utf-8"):
            pass

    def _save(self, data):
        # Not fsynced: a simulated host need not survive a power failure of the real one.
        temporary = self.path(STATE) + ".new"
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(data, file)
        os.replace(temporary, self.path(STATE))

    def _load(self):
        try:
            with open(self.path(STATE), encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            raise SystemExit(f"fmsim: {self.folder} is no simulated host (fmsim create makes one)") from None

    @contextlib.contextmanager
    def change(self):
        """The state, brought up to date and locked; saved at the end unless there is an exception."""
        with self._locked():
            state = State(self, self._load())
            state.advance(clock_ns(state.data))
            yield state
            self._commit(state)

    def look(self):
        """The current state, read-only."""
        with self.change() as state:
            return state

    def next_due_ns(self):
        """The time of the next timer by the real clock, None if there is none. Needs no lock, since the state file is replaced
        atomically."""
        data = self._load()
        return None if "frozen_ns" in data else min((timer[0] for timer in data["timers"]), default=None)

    def freeze(self):
        """For tests: stops the host's clock, so that only tick() advances it."""
        with self.change() as state:
            state.data["frozen_ns"] = state.now_ns

    def tick(self, seconds):
        with self.change() as state:
            state.data["frozen_ns"] += int(seconds * 1e9)
        self.look()

    @contextlib.contextmanager
    def _locked(self):
        try:
            lock = open(self.path(LOCK), "a+", encoding="utf-8")
        except FileNotFoundError:
            raise SystemExit(f"fmsim: {self.folder} is no simulated host (fmsim create makes one)") from None
        with lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _commit(self, state):
        state.data["now_ns"] = state.now_ns
        if state.posted:
            with open(self.path(EVENTS), "a", encoding="utf-8") as file:
                file.writelines(json.dumps(event) + "\n" for event in state.posted)
        self._save(state.data)

    def clear_events(self):
        """Empties the ring (a reboot, or `zpool events -c`). Call with the state locked."""
        with open(self.path(EVENTS), "w", encoding="utf-8"):
            pass
