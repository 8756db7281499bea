#!/usr/bin/python3
"""kill -9 of fmd at random moments of the storm: while it starts, commits, makes a checkpoint, decides a verdict or seals. After each
kill
everything acknowledged must be in the journal, once and unchanged, exactly the sick vdevs accused, and no message sent twice.

    storm_kills.py FMD JOURNAL-TEXTS [--kills N] [--seed N] [--events N]

Also as ./dev torture --storm-kills [N]. A failed story prints its seed and keeps its folder."""
import argparse
import collections
import os
import random
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from storm_books import Storm  # noqa: E402
from storm_story import Story  # noqa: E402
from daemon import Daemon  # noqa: E402

EACH = 12  # crashes per story
CONFIG = "[digest]\nchannels = []\n"


class Process:
    pace, starts_within = 1, 0.4

    def __init__(self, fmd):
        self.daemon = Daemon(fmd, policy=("fmd", "zfs"), config=CONFIG)
        self.program = self.daemon.program

    def path(self, _):
        return self.daemon.socket

    def start(self):
        self.program.start()

    def crash_in(self, seconds):
        threading.Timer(seconds, self.program.process.kill).start()

    def crashed(self):
        return not self.program.running()

    def down(self):
        return self.daemon.state

    def end(self):
        status = self.daemon.stop()
        if status != 0:
            raise AssertionError(f"fmd did not end well: {status}")
        return self.daemon.state


def campaign(doc, programs, crashes, events, play):
    """Runs stories until there were that many crashes; play(options, seed, storm, chance, most) returns a story's figures. crashes:
    "kills" or "cuts"."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    for program in programs:
        parser.add_argument(program, type=os.path.abspath)
    parser.add_argument("--" + crashes, dest="crashes", type=int, default=200, metavar="N")
    parser.add_argument("--seed", type=int, default=1, help="of the first story; the next has the next")
    parser.add_argument("--events", type=int, default=events, help="of a story")
    options = parser.parse_args()
    began, figures, seed = time.monotonic(), collections.Counter(), options.seed
    try:
        while figures["crashes"] < options.crashes:
            chance = random.Random(seed)
            figures.update(play(options, seed, Storm(options.events, chance), chance, min(EACH, options.crashes - figures["crashes"])))
            print(f"story {seed}: {figures['crashes']} of {options.crashes}, {time.monotonic() - began:.0f} s", flush=True)
            seed += 1
    except BaseException:
        print(f"story {seed} failed (--seed {seed})", flush=True)
        raise
    finally:
        print(f"from seed {options.seed}, {time.monotonic() - began:.0f} s: " +
              ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(figures.items())), flush=True)


def play(options, _, storm, chance, most):
    process = Process(options.fmd)
    with process.daemon:
        story = Story(process, storm, options.journal_texts, chance)
        try:
            story.play(most)
        finally:
            story.drop()
        return story.figures


if __name__ == "__main__":
    campaign(__doc__, ("fmd", "journal_texts"), "kills", 200_000, play)
