#!/usr/bin/python3
"""Cuts the machine's power at random moments of the story of one disk and checks that nothing is lost or sent twice.

Everything that fmd acknowledged must be there, each message must be sent once, and the story must end as without cuts.

    power.py --destdir DIR [--cuts N] [--seed N] [--debian 13]

Also as ./dev test-vm --power-cuts [N]. A story has one to four cuts; a failed story is printed with its seed."""

import argparse
import collections
import os
import random
import signal
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import watch as watching
from machine import PATIENCE, Machine, image_folder
from rig import Rig
from runner import on_terminate, results_folder, say
from saved import Saved
from watch import Watch, nothing_cached
from witness import Witness

SLOT = 4
CHECKSUM = "fault.fs.zfs.vdev.checksum"
# Steps of the story; a cut comes up to SPREAD seconds after one of them.
STEPS = ("booted", "ready", "damaged", "scrubbing", "diagnosed", "lit", "told", "retired", "pulled", "inserted", "resolved")
SPREAD = 12.0
GIVE_UP = 5  # end after this many failed stories


class Cut:
    """A pending power cut, some seconds after a step."""

    def __init__(self, machine, chance):
        self.machine = machine
        self.step, self.after = chance.choice(STEPS), chance.uniform(0, SPREAD)
        self.done = threading.Event()
        self.timer = None

    def reached(self, step):
        if step == self.step and not self.timer:
            self.timer = threading.Timer(self.after, self._cut)
            self.timer.start()

    def _cut(self):
        self.done.set()
        self.machine.process.terminate()

    def __str__(self):
        return f"{self.after:.1f} s after '{self.step}'"


class Story:
    """The disk in SLOT fails and is replaced. After a power cut, play() may be called again and continues."""

    def __init__(self, rig, chance):
        self.rig, self.m, self.pool, self.chance = rig, rig.m, rig.pool, chance
        self.watch, self.witness = Watch(rig), Witness(rig)
        self.bad = self.m.disks[SLOT]
        self.figures = collections.Counter()

    def begin(self):
        self.witness.declare()
        self.rig.fmd.enable()
        self.m.sh("fmadm reload; sync", timeout=PATIENCE)

    def boot(self):
        self.m.crash()
        self.figures["cuts"] += 1

    def ready(self, reached):
        reached("booted")
        for sink in (self.rig.mail, self.rig.traps):
            sink.start()
        self.witness.start()
        if not self.pool.exists():
            self.pool.import_()
        self.watch.wait_ready()
        reached("ready")

    def case(self):
        """The disk's case, or None."""
        found = [c for c in self.watch.solved(True) if c["suspects"][0]["class"] == CHECKSUM]
        self.rig.check(len(found) <= 1, f"one case of the disk, not {[c['uuid'] for c in found]}")
        return found[0] if found else None

    def play(self, reached):
        m, pool = self.m, self.pool
        self.ready(reached)
        self.balance()
        if not self.case():
            m.corrupt_data(SLOT, chunks=40, seed=self.chance.randrange(1 << 30))
            nothing_cached(self.rig)
            reached("damaged")
            pool.scrub()
        reached("damaged")
        reached("scrubbing")
        case = m.wait(self.case, 120, lambda: f"the case\n{pool.status()}", every=1)
        reached("diagnosed")
        if case["state"] != "RESOLVED":
            self.through(case, reached)
        for step in STEPS:
            reached(step)
        m.wait(lambda: self.rig.enclosure.lit() == set(), 60, lambda: f"all LEDs off; lit: {self.rig.enclosure.lit()}", every=1)
        m.wait(lambda: [v.state for v in pool.status().spares] == ["AVAIL"], 120, lambda: f"the spare back\n{pool.status()}", every=1)
        self.rig.equal(pool.status().state, "ONLINE", "the pool")

    def through(self, case, reached):
        m, pool, lit = self.m, self.pool, self.rig.enclosure.lit
        m.wait(lambda: lit() == {SLOT} or self.watch.now(case["uuid"])["state"] in ("REPAIRED", "RESOLVED"), 60,
               lambda: f"LED {SLOT}; lit: {lit()}", every=1)
        reached("lit")
        m.wait(lambda: self.mails()[case["uuid"], "diagnosed"], 120, "the mail", every=1)
        reached("told")
        if m.disks.get(SLOT) is self.bad:
            m.wait(lambda: pool.status().vdev(self.bad).state == "FAULTED", 400, lambda: f"FAULTED\n{pool.status()}", every=1)
            reached("retired")
            m.pull(SLOT)
            reached("pulled")
            pool.touch()
        if SLOT not in m.disks:
            m.insert(SLOT)
        reached("inserted")
        m.wait(lambda: self.watch.now(case["uuid"])["state"] == "RESOLVED", 400,
               lambda: f"the case to be resolved\n{pool.status()}" + m.run("fmadm faulty -v").out, every=2)

    # --- consistency checks ----------------------------------------------------

    def mails(self):
        """(case, event) -> Message-ID -> number of accepted copies."""
        found = collections.defaultdict(collections.Counter)
        for mail in self.rig.mail.messages():
            head = mail["headers"]
            found[head.get("X-FMEV-UUID", ""), head.get("X-FMEV-EVENT", "")][head["Message-ID"]] += 1
        return found

    def balance(self):
        """Checks what must hold after each cut."""
        self.figures["events"] = self.witness.check()
        known = {c["uuid"] for c in self.watch.cases(True)}
        again = 0
        for (uuid, event), messages in self.mails().items():
            self.rig.check(not uuid or uuid in known, f"somebody was told of {uuid}, which fmd does not know")
            if event in ("diagnosed", "resolved"):
                self.rig.equal(len(messages), 1, f"messages that say {event} of {uuid}")
            again += sum(count - 1 for count in messages.values())
        # docs/dev/decisions/store.md: a mail accepted at the instant of the cut is sent again, with the same Message-ID.
        self.rig.check(again <= self.figures["cuts"], f"{again} mails came again")
        self.figures["mails_again"] = again

    def close(self):
        """Checks what must hold at the end."""
        self.balance()
        case, mails = self.case(), self.mails()
        for event in ("diagnosed", "resolved"):
            self.m.wait(lambda: self.mails()[case["uuid"], event], 120, f"the mail that says {event}", every=1)
        others = [c["title"] for c in self.watch.solved(True) if c["uuid"] != case["uuid"]
                  and not c["suspects"][0]["resource"].startswith("fmd://")]
        self.rig.equal(others, [], "cases beside the disk's")
        self.m.wait(lambda: not [o for o in self.watch.outbox() if o["state"] != "delivered"], 120,
                    lambda: f"an empty outbox; it holds {self.watch.outbox()}", every=1)
        self.balance()
        owed = [a for a in self.rig.fmd.json("fmadm actions --json") if a["kind"] != "replace"]
        self.rig.equal(owed, [], "what fmd still owes")
        self.figures["mails"] = sum(sum(m.values()) for m in mails.values())


def play(story, chance, cuts):
    story.begin()
    for _ in range(cuts):
        cut = Cut(story.m, chance)
        story.rig.step(f"cut {cut}")
        try:
            story.play(cut.reached)
            cut.reached(cut.step)
            cut.done.wait(SPREAD + 1)
        except Exception:
            if not cut.done.is_set():
                cut.timer and cut.timer.cancel()
                raise
        story.boot()
        story.rig.step("booted again")
    story.play(lambda step: None)
    story.close()


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--debian", default="12", choices=("12", "13"), help="the release that the machine runs (12)")
    parser.add_argument("--destdir", required=True, help="a tree made by meson install --destdir, to be installed in the guest")
    parser.add_argument("--cuts", type=int, default=50, metavar="N", help="how many power cuts (50)")
    parser.add_argument("--seed", type=int, default=1, help="of the first story; the next has the next")
    return parser.parse_args()


def main():
    options = parse()
    image_folder(True, options.debian)
    signal.signal(signal.SIGTERM, on_terminate)
    folder = results_folder(options.debian)
    say(f"results: {folder}")
    sums, failed, stories, began = collections.Counter(), [], 0, time.monotonic()
    with Machine(folder=os.path.join(folder, "machine"), debian=options.debian) as machine:
        rig = Rig(machine, say)
        rig.fmd.install(options.destdir)
        watching.prepare(rig)
        saved = Saved(machine)
        while sums["cuts"] < options.cuts and len(failed) < GIVE_UP:
            seed = options.seed + stories
            chance = random.Random(seed)
            stories += 1
            saved.restore()
            story = Story(Rig(machine, say), chance)
            cuts = min(chance.randint(1, 4), options.cuts - sums["cuts"])
            say(f"=== story {seed}: {cuts} cuts")
            try:
                play(story, chance, cuts)
            except Exception as error:
                failed.append(f"story {seed}: {type(error).__name__}: {error}")
                say(f"FAIL {failed[-1]}")
                story.rig.collect(os.path.join(folder, f"story-{seed}"))
            sums.update(story.figures)
    for one in failed:
        say(f"FAILED {one.splitlines()[0]} (--seed {one.split()[1].rstrip(':')})")
    say(f"{stories} stories, {time.monotonic() - began:.0f} s: " + ", ".join(f"{n} {name}" for name, n in sorted(sums.items())))
    say(f"{stories - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
