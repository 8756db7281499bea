#!/usr/bin/python3
"""Cuts a machine's power at random moments of an ereport storm and checks after each cut that everything acknowledged is in the journal,
once and unchanged, that exactly the sick vdevs are accused, and that no message is sent twice. The records are kept outside the machine.

    storm_cuts.py FMD LIGHT-INIT JOURNAL-TEXTS [--cuts N] [--seed N] [--events N]

Also as ./dev test-vm --storm-cuts [N]. The machine: light_machine.py; the story and its cuts: tests/torture/storm_story.py."""
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "torture")]

from light_machine import LightMachine  # noqa: E402
from storm_kills import CONFIG, Process, campaign  # noqa: E402
from storm_story import Story  # noqa: E402


class Cut(LightMachine):
    """Ends with a last power cut; then fmd runs once more on this host and exits cleanly, which stores its counters."""

    def end(self):
        self.qemu.kill()
        last = Process(self.fmd)
        with last.daemon as daemon:
            shutil.copytree(self.down(), daemon.state, dirs_exist_ok=True)
            daemon.start(60)
            shutil.rmtree(self.store)
            return shutil.copytree(last.end(), self.store)


def play(options, seed, storm, chance, most):
    folder = tempfile.mkdtemp(prefix="fmd-cut-")  # kept if the story fails
    machine = Cut(options.fmd, folder, options.light_init, CONFIG, seed)
    story = Story(machine, storm, options.journal_texts, chance)
    try:
        story.play(most)
    except BaseException:
        print(f"its disk, store and console are kept: {folder}", flush=True)
        raise
    finally:
        story.drop()
        machine.close()
    shutil.rmtree(folder)
    story.figures.update(unflushed_sectors=machine.unflushed, sectors_lost=machine.lost)
    return story.figures


if __name__ == "__main__":
    campaign(__doc__, ("fmd", "light_init", "journal_texts"), "cuts", 80_000, play)
