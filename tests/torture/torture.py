#!/usr/bin/python3
"""A campaign: a storm of events while fmd is killed, frozen, deprived of its disk and flooded, in rounds. After each round each event
must
be counted once, each message sent once, and each LED and vdev be in the state that its cases require.

    torture.py FMD FMD-MAIL FMD-SNMP SLOW-FSYNC CLOCK-SHIFT [--minutes N] [--seed N]

Also as ./dev torture [HOURS]. A failed round prints its seed and keeps its folder."""
import argparse
import collections
import os
import random
import sqlite3
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, *(os.path.join(HERE, "..", *folder) for folder in (("lib",), ("integration",), ("..", "simulator")))]

import evils  # noqa: E402
import own_bus  # noqa: E402
import peers  # noqa: E402
import pool  # noqa: E402
from companions import FMD, Companions, liars_grant  # noqa: E402
from notifiers import Notifiers  # noqa: E402
from small_disk import SmallDisk, in_own_mounts  # noqa: E402
from daemon import NOW_CLASS, SERD_CLASS, Daemon, state_of  # noqa: E402
from fake_plugin import event  # noqa: E402
from process import wait_for  # noqa: E402

FINE_CLASS = "sysevent.test.disk.fine"
CONFIG = """[[notify]]
name = "all"
channels = ["mail", "snmp", "webhook", "alertmanager"]
[digest]
channels = []
[action]
max_retired = 1000000
"""
SOURCES, DISKS = 3, 60  # more disks than Tail::Limits::rows
VDEVS, STORE_MB = 8, 256
SERD_COUNT, SERD_FAULT = 10, "fault.test.disk.errors"  # from the tests' rule
PATIENCE = 150
# In the first message about a case that was resolved, or repaired, before one was sent.
LATE_MESSAGES = ("This is the only message about it", "This is the first message about it")


class Torture:
    def __init__(self, fmd, mail, snmp, slow_fsync, clock_shift, seed):
        self.chance = random.Random(seed)
        self.daemon = Daemon(fmd, config=CONFIG + liars_grant())
        folder = self.daemon.folder
        os.chmod(folder, 0o711)
        for where, text in ((self.daemon.rules, pool.RULES), (self.daemon.events, pool.EVENTS)):
            with open(os.path.join(where, "zz-pool.toml"), "w", encoding="utf-8") as file:
                file.write(text)
        # A separate file system, which can really be full.
        self.disk = SmallDisk(self.daemon.state, f"{STORE_MB}m")
        self.hung, self.shift = (os.path.join(folder, name) for name in ("hung", "shift"))
        with open(self.shift, "wb") as file:
            file.write(bytes(8))
        self.bus_program, self.bus = own_bus.start(self.daemon)
        program = self.daemon.program
        program.environment.update(LD_PRELOAD=f"{slow_fsync} {clock_shift}", SLOW_FSYNC=self.hung, CLOCK_SHIFT=self.shift)
        path = self.daemon.socket
        self.sources = [peers.Source(path, f"source-{n}") for n in range(SOURCES)]
        self.disks_seen = peers.Disks(path)
        self.enclosure = peers.Enclosure(path, self.disks_seen)
        self.pool = pool.Pool(path, self.chance)
        self.tellers = [peers.Teller(path, name, self.chance) for name in ("webhook", "alertmanager")]
        self.notifiers = Notifiers(self.daemon, self.bus, mail, snmp)
        self.peers = [*self.sources, self.disks_seen, self.enclosure, self.pool, *self.tellers]
        self.companions = Companions(folder, self.bus, path, seed)
        self.figures = collections.Counter()
        self.disks = 0
        self.forgotten = set()  # cases announced while nothing could be written, before a kill of fmd
        self.daemon.start()
        self.notifiers.start()
        self.companions.start()

    # --- a round --------------------------------------------------------------

    def play(self, number):
        self.sent = collections.Counter()  # per disk: events that count for its case
        self.quiet, self.fine = set(), set()  # disks one error short of a fault; parts repaired
        jumped, befell = False, set()
        self.plan()
        running = []
        for _ in range(self.chance.randint(2, 6)):
            evil = self.chance.choice(evils.ALL)
            if any(type(r.evil) is evil for r in running) or evil is evils.Kill and any(isinstance(r.evil, evils.Freeze) for r in running):
                continue
            jumped |= evil is evils.ClockJump
            befell.add(evil)
            self.figures[evil.__name__] += 1
            running.append(evils.Running(evil(self), self.chance.uniform(*evil.lasts)))
            self.go_on(self.chance.uniform(0, 0.5))
            running = self.undo(running)
        self.undo(running, all_of_them=True)
        lossy = evils.Kill in befell and not befell.isdisjoint(evils.UNWRITTEN)
        self.settle(lossy and jumped)
        self.balance(number, jumped, lossy)
        self.figures["rounds"] += 1

    def plan(self):
        """Chooses the events and their disks."""
        for _ in range(DISKS):
            self.disks += 1
            disk, source = f"dev://serial=TEST:{self.disks}", self.chance.choice(self.sources)
            self.enclosure.put(f"hc://chassis=t/bay={self.disks:04}", disk)
            if self.chance.random() < 0.4:
                count = self.chance.choice([SERD_COUNT - 1, SERD_COUNT, SERD_COUNT + 7])
                self.batches(source, SERD_CLASS, disk, count)
                if count < SERD_COUNT:
                    self.quiet.add(disk)
            else:
                self.batches(source, NOW_CLASS, disk, self.chance.randint(1, 40))
            if disk not in self.quiet and self.chance.random() < 0.3:
                self.fine.add(disk)
        for _ in range(VDEVS):
            number = len(self.pool.vdevs) + 1
            vdev, disk = f"zfs://pool=t/vdev={number:04}", f"dev://serial=VDEV:{number}"
            self.enclosure.put(f"hc://chassis=t/bay=pool-{number:04}", disk)
            self.pool.put(vdev, disk)
            self.batches(self.chance.choice(self.sources), pool.BROKEN, vdev, self.chance.randint(1, 5))
            if self.chance.random() < 0.5:
                self.fine.add(vdev)
        # Last, when no source has anything more to report about them.
        self.repairs = [(self.chance.choice(self.sources), part) for part in sorted(self.fine)]

    def batches(self, source, event_class, disk, count):
        self.sent[disk] += count
        while count > 0:
            size = min(count, self.chance.randint(1, 8))
            source.add([event(event_class, disk) for _ in range(size)])
            count -= size

    def go_on(self, seconds):
        end = time.monotonic() + seconds
        while True:
            for peer in self.peers:
                peer.turn()
            left = end - time.monotonic()
            if left <= 0:
                return
            peers.wait(self.peers, min(left, 0.05))

    def undo(self, running, all_of_them=False):
        kept = []
        for one in running:
            if all_of_them:
                while not one.over():
                    self.go_on(0.1)
            if one.over():
                one.evil.end()
            else:
                kept.append(one)
        return kept

    def until(self, condition, what):
        """Reading a store with some thousand cases takes seconds on a busy machine; the peers then get as long to run."""
        end = time.monotonic() + PATIENCE
        while True:
            begun = time.monotonic()
            if condition():
                return
            looked = time.monotonic() - begun
            if time.monotonic() > end:
                raise AssertionError(f"not within {PATIENCE} s: {what()}")
            if not self.daemon.program.running():
                raise AssertionError(f"fmd ended by itself: {self.daemon.program.ended_by_itself()}")
            self.go_on(max(0.1, looked))

    def settle(self, forgetful):
        def sent():
            return all(s.finished() for s in self.sources)
        self.until(sent, lambda: {s.name: (s.acked, len(s.batches)) for s in self.sources})
        for source, disk in self.repairs:
            source.add([event(pool.FINE if disk in self.pool.vdevs else FINE_CLASS, disk)])
        self.until(sent, lambda: {s.name: (s.acked, len(s.batches)) for s in self.sources})
        self.until(lambda: self.at_rest() or forgetful and self.only_orphans(), lambda: f"messages, lights and actions: {self.unrest}")
        self.expect_an_answer()
        if not self.at_rest():
            self.figures["lights forgotten"] += len(self.orphans)
            self.enclosure.put_out(self.orphans)
            self.until(self.at_rest, lambda: f"messages, lights and actions: {self.unrest}")

    def expect_an_answer(self):
        """root is answered, whatever other users of the bus do."""
        asked = subprocess.run(["dbus-send", f"--bus=unix:path={self.bus}", "--print-reply=literal", f"--dest={FMD[0]}", FMD[1],
                                f"{FMD[2]}.ListPage", "string:cases", "string:{}"], capture_output=True, text=True, timeout=PATIENCE, check=False)
        if asked.returncode != 0:
            raise AssertionError(f"root is not answered: {asked.stderr}")

    def at_rest(self):
        """Whether, by its store, no message waits and each LED and vdev is in the required state."""
        try:
            state = self.stored()
        except (sqlite3.Error, ValueError) as error:  # copied during a write
            self.unrest = {"store": str(error), "lights": []}
            return False
        untold = [key for key, entry in state.get("outbox", {}).items() if not entry.get("delivered")]
        lights = self.wrong_lights(state)
        owned = {row["part"] for row in state.get("intervention", {}).values()
                 if row["kind"] == "fault-led" and row.get("case") in state.get("case", {})}
        self.orphans = (set(lights) & self.enclosure.lit) - owned
        # A first message is not in the outbox while a plugin is expected that may know the disk's serial number.
        waiting = [uuid for uuid, row in state.get("telling", {}).items() if "first_by" in row or "ending" in row]
        self.unrest = {"waiting": waiting, "outbox": {key: self.tries(key, state) for key in untold}, "lights": lights,
                       "actions": self.pool.wrong(self.cases(state), state.get("intervention", {}))}
        return not any(self.unrest.values())

    def tries(self, key, state):
        """Details of an unsent message: fmd's row, and what its notifier knows."""
        entry = state["outbox"][key]
        teller = next((t for t in self.tellers if t.name == entry["notifier"]), None)
        has = teller and ("connected" if teller.welcomed else "not welcomed" if teller.plugin else "not connected",
                          f"{len(teller.plugin.commands)} commands" if teller.plugin else "",
                          "has it" if key.rpartition("@")[0] in teller.delivered else "has it not")
        return {name: entry.get(name) for name in ("attempts", "reason", "last_reason", "next", "since")}, has

    def only_orphans(self):
        """Lit for a case that was never written and, because the clock jumped, was not diagnosed again: to be turned off by hand."""
        return not any(what for name, what in self.unrest.items() if name != "lights") and self.orphans == set(self.unrest["lights"])

    def stored(self):
        return state_of(self.daemon.state)

    def wrong_lights(self, state):
        wished = {bay for bay, disk in self.enclosure.bays.items() for c in self.cases(state).get(disk, ())
                  if c["led"] and c["state"] not in ("RESOLVED", "REPAIRED")}
        return sorted(wished ^ self.enclosure.lit)

    @staticmethod
    def cases(state):
        found = collections.defaultdict(list)
        for case in state.get("case", {}).values():
            found[case["suspects"][0]["resource"] if case["suspects"] else ""].append(case)
        return found

    # --- consistency checks ------------------------------------------------------

    def untold_of(self, state, lossy):
        """fmd must know every announced case, except those announced while nothing could be written, before a kill -9."""
        told = {d["case"]["uuid"] for teller in self.tellers for d in teller.delivered.values()} - self.forgotten
        unknown = told - set(state.get("case", {}))
        if not lossy:
            return [f"people were told of {uuid}, of which fmd does not know" for uuid in sorted(unknown)]
        self.forgotten |= unknown
        self.figures["told and forgotten"] += len(unknown)
        return []

    def balance(self, number, jumped, lossy):
        if self.daemon.program.stop(60) != 0:
            raise AssertionError("fmd did not end well")
        state = self.stored()
        wrong = []
        cases = self.cases(state)
        # A case row has the evidence count of its last write; the evidence row is newer.
        for disk, count in self.sent.items():
            about = cases.get(disk, [])
            if disk in self.quiet:
                if about:
                    wrong.append(f"{disk}: {count} errors are no fault, and there is a case")
                continue
            if jumped and not about and count < 2 * SERD_COUNT:
                continue  # errors from another year do not add up
            if len(about) != 1:
                wrong.append(f"{disk}: {len(about)} cases")
                continue
            counted = state["evidence"][about[0]["uuid"]]["count"]
            if counted != count and not (jumped and SERD_COUNT <= counted < count and about[0]["class"] == SERD_FAULT):
                wrong.append(f"{disk}: {count} events, {counted} counted")
            if disk in self.fine and about[0]["state"] != "RESOLVED":
                wrong.append(f"{disk}: put right, and {about[0]['state']}")
        # Cases that opened later, after everything was at rest (a plugin absent for too long).
        waits = {(entry["notifier"], entry["uuid"]) for entry in state.get("outbox", {}).values() if not entry.get("delivered")}
        # A case that ended before its first message was sent has no "diagnosed" message, and its first one says so.
        brief = {d["case"]["uuid"]: d["event"] for teller in self.tellers for d in teller.delivered.values()
                 if any(sentence in d["body"] for sentence in LATE_MESSAGES)}
        for teller in self.tellers:
            told = collections.Counter((d["case"]["uuid"], d["event"]) for d in teller.delivered.values())
            wrong += [f"{teller.name}: told {times} times: {what}" for what, times in told.items()
                      if times != 1 and what[1] in ("diagnosed", "resolved")]
            for about in cases.values():
                wrong += [f"{teller.name}: not told: {c['uuid']} {c['code']}" for c in about
                          if c["suspects"] and not told[c["uuid"], brief.get(c["uuid"], "diagnosed")] and (teller.name, c["uuid"]) not in waits]
        wrong += self.notifiers.wrong([c["uuid"] for about in cases.values() for c in about if c["suspects"] and c["uuid"] not in brief
                                       and not any((name, c["uuid"]) in waits for name in ("mail", "snmp"))])
        wrong += self.untold_of(state, lossy)
        wrong += self.pool.wrong(cases, state.get("intervention", {}))
        owned = {row for row in state.get("intervention", {}) if "fault" in row}
        lit = self.enclosure.lit
        if len(owned) != len(lit):
            wrong.append(f"{len(lit)} lights, {len(owned)} of them owned")
        wrong += [f"{s.name}: {s.rejected} rejected" for s in self.sources if s.rejected]
        wrong += self.companions.wrong()
        if wrong:
            raise AssertionError(f"round {number}: the books do not balance:\n" + "\n".join(wrong[:20]))
        self.figures["events"] += sum(self.sent.values())
        self.figures["messages"] = sum(len(t.delivered) for t in self.tellers)
        self.figures["lights"] = self.enclosure.asked
        self.figures["actions"] = self.pool.asked
        self.figures.update({f"times {kind}": times - self.figures[f"times {kind}"] for kind, times in self.companions.times().items()})
        self.figures.update({name: count - self.figures[name] for name, count in self.notifiers.figures().items()})
        for peer in self.peers:
            peer.drop()
        self.daemon.start(60)

    def close(self, failed):
        for peer in self.peers:
            peer.drop()
        self.notifiers.stop()
        self.companions.stop()
        self.daemon.kill()
        self.disk.unmount()
        self.daemon.__exit__(AssertionError if failed else None, None, None)
        self.bus_program.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fmd")
    parser.add_argument("mail")
    parser.add_argument("snmp")
    parser.add_argument("slow_fsync")
    parser.add_argument("clock_shift")
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    begun, rounds, torture, failed = time.monotonic(), 0, None, True
    torture = Torture(*(os.path.abspath(path) for path in (options.fmd, options.mail, options.snmp)), os.path.abspath(options.slow_fsync), os.path.abspath(options.clock_shift), options.seed)
    try:
        while rounds == 0 or time.monotonic() - begun < options.minutes * 60:
            rounds += 1
            torture.play(rounds)
        failed = False
    finally:
        torture.close(failed)
        print(f"seed {options.seed}, {time.monotonic() - begun:.0f} s: " +
              ", ".join(f"{count} {name}" for name, count in sorted(torture.figures.items())), flush=True)


if __name__ == "__main__":
    in_own_mounts("--map-auto")  # gives the other user a real uid
    main()
