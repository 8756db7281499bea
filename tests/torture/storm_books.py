"""A storm during which fmd crashes repeatedly, and the records that must be consistent after each crash."""
import collections
import itertools
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", folder) for folder in ("bench", "lib", "integration")]

import storm  # noqa: E402
import storm_bench  # noqa: E402
from daemon import state_of  # noqa: E402
from storm_bench import SICK, VDEVS  # noqa: E402

SOURCE = "storm"
COUNT, WITHIN_NS = 10, 600 * storm.SECOND_NS  # of the rule zfs-checksum
HARMLESS_NS = 71 * storm.SECOND_NS  # nine within ten minutes; and no mix with the sick vdevs' 60 s adds up to exactly ten minutes


class Storm:
    """Ereports of 1,000 vdevs, as large as ZFS's, in order; 37 vdevs fall sick one after another."""

    def __init__(self, count, chance):
        each = count // VDEVS
        sick = {number: chance.randrange(each - COUNT) for number in chance.sample(range(VDEVS), SICK)}
        events = sorted(event for number in range(VDEVS) for event in self._events_of(number, sick.get(number, each), each))
        texts = storm_bench.make_texts(events, storm_bench.whole_payload)
        params = storm_bench.batches(texts)
        lines = storm_bench.make_lines(params)
        self.size = len(events)
        self.ends = [int(one.split('"', 4)[3]) for one in params]  # the cursor of each request
        self.offsets = dict(zip([0, *self.ends], itertools.accumulate(map(len, lines), initial=0)))
        self.bytes = memoryview(b"".join(lines))
        self.texts = "\n".join(texts).encode() + b"\n"
        self._find(events)

    @staticmethod
    def _events_of(number, turn, each):
        at = storm.START_NS + number * 7919 % 60_000 * 1_000_000
        for i in range(each):
            yield at, number
            at += storm.FAULTY_NS if i >= turn else HARMLESS_NS

    def _find(self, events):
        """found: per vdev, the number of events at which it becomes a fault; evidence: the final count of its case."""
        times, self.found, self.evidence = collections.defaultdict(list), {}, {}
        for index, (at, number) in enumerate(events):
            vdev, of = storm.vdev(number), times[number]
            of.append(at)
            if vdev in self.found:
                self.evidence[vdev] += 1
            elif len(of) >= COUNT and at - of[-COUNT] <= WITHIN_NS:
                self.found[vdev], self.evidence[vdev] = index + 1, COUNT
        if len(self.found) != SICK:
            raise AssertionError(f"{len(self.found)} of {SICK} would be found")


class Books:
    """acked, told: what has been seen outside fmd; survives each crash."""

    def __init__(self, storm_, journal_texts):
        self.storm, self.journal_texts = storm_, journal_texts
        self.acked, self.told = 0, {}  # told: see Teller.delivered

    def taken(self, folder):
        """The number of events in the journal: they must be the first ones, once each, byte for byte."""
        with tempfile.TemporaryDirectory() as copy:
            shutil.copytree(folder, copy, dirs_exist_ok=True)  # leave the store unchanged for fmd
            read = subprocess.run([self.journal_texts, copy, SOURCE], stdout=subprocess.PIPE, check=True).stdout
        if self.storm.texts[:len(read)] == read:
            return read.count(b"\n")
        sent, kept = self.storm.texts.splitlines(), read.splitlines()
        at = next((n for n, (one, other) in enumerate(zip(sent, kept)) if one != other), len(sent))
        seen = kept[at] if at < len(kept) else b"the end"
        raise AssertionError(f"event {at} of {len(kept)} in the journal is not the one that was sent; it was sent as number "
                             f"{sent.index(seen) if seen in sent else 'none'}: {seen[:300]}")

    def check(self, folder, ended=False):
        """Checks the store after a crash. ended: everything was sent and reported, and fmd has exited cleanly. Returns the number of
        durable events."""
        taken = self.taken(folder)
        state = state_of(folder) if taken or self.told else {}
        cursor = int(state.get("cursor", {}).get(SOURCE, {}).get("cursor") or 0)
        cases, evidence = state.get("case", {}), state.get("evidence", {})
        wrong = [] if self.acked <= taken == cursor else [f"{self.acked} events were acked, {taken} are in the journal, the cursor is {cursor}"]
        accused = collections.Counter(s["resource"] for c in cases.values() for s in c["suspects"] if s["resource"].startswith("zfs://"))
        due = collections.Counter(vdev for vdev, after in self.storm.found.items() if after <= taken)
        wrong += [f"of {taken} events: {vdev} is not accused" for vdev in due - accused]
        wrong += [f"of {taken} events: {vdev} is accused wrongly, or twice" for vdev in accused - due]
        times = collections.Counter((args["case"]["uuid"], args["event"]) for args in self.told.values())
        wrong += [f"{event} of {uuid} was told {count} times" for (uuid, event), count in times.items() if count > 1]
        told, waiting = {uuid for uuid, _ in times}, {row["uuid"] for row in state.get("outbox", {}).values()}
        wrong += [f"people were told of {uuid}, of which fmd does not know" for uuid in told - cases.keys()]
        wrong += [f"nobody was told of {uuid}, nor will be" for uuid, c in cases.items() if c["suspects"] and uuid not in told | waiting]
        if ended:
            errors = {c["suspects"][0]["resource"]: evidence[uuid]["count"] for uuid, c in cases.items() if c["suspects"]}
            wrong += [f"{vdev} had {count} errors, {errors.get(vdev)} are counted" for vdev, count in self.storm.evidence.items()
                      if errors.get(vdev) != count]
        if wrong:
            raise AssertionError("the books do not balance:\n" + "\n".join(wrong[:20]))
        return taken
