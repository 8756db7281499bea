#!/usr/bin/python3
"""Runs the acceptance scenarios in the test machine. See README.md."""

import argparse
import datetime
import json
import os
import random
import signal
import sys
import time
import traceback

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
sys.path.append(os.path.dirname(sys.path[0]))

import console
import scenario
import watch
from machine import CommandFailed, Machine, QmpError, Timeout, image_folder
from rig import CheckFailed, Rig
from run import flaky
from saved import Saved, boot

DRAWN = 1
EXPECTED = (CheckFailed, Timeout, CommandFailed, QmpError, AssertionError)


class TimeUp(Exception):
    """A scenario exceeded its timeout."""


def say(text=""):
    print(text, flush=True)


def results_folder(debian):
    """A new folder, outside the tree; only the last ten are kept."""
    base = os.environ.get("FMD_VM_RESULTS") or os.path.join(os.path.dirname(image_folder(False, debian)), "results")
    os.makedirs(base, exist_ok=True)
    for old in sorted(os.listdir(base))[:-9]:
        remove_tree(os.path.join(base, old))
    name = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    folder = os.path.join(base, f"{name}-{os.getpid()}")
    os.makedirs(folder)
    return folder


def remove_tree(folder):
    import shutil
    shutil.rmtree(folder, ignore_errors=True)


class Runner:
    """Runs all scenarios on one machine. Scenarios of the rig itself get it reset; scenarios of fmd get it restored to a saved state with
    fmd running and a pool to damage (see watch.prepare). After a failure it is not reused as it is."""

    def __init__(self, options):
        self.options = options
        # The gate runs --share, where other tests compete for the processors.
        self.limit = 30 if options.share else 10
        self.folder = results_folder(options.debian)
        self.machine = None
        self.rig = None
        self.saved = None
        self.booted = 0
        self.results = []

    def machine_for(self, wanted):
        began = time.monotonic()
        if wanted.fmd and self.saved:
            self.saved.restore()
            self.rig = Rig(self.machine, say, self.limit)
            say(f"    taken back in {time.monotonic() - began:.0f} s")
        elif self.machine:
            self.rig.reset()
            say(f"    reset in {time.monotonic() - began:.0f} s")
        else:
            self.boot()
        if wanted.fmd and not self.saved:
            self.prepare()
        self.rig.began = time.monotonic()

    def boot(self):
        self.booted += 1
        self.machine = Machine(folder=os.path.join(self.folder, f"machine{self.booted}"), debian=self.options.debian)
        boot(self.machine)
        self.rig = Rig(self.machine, say, self.limit)
        say(f"    booted in {self.machine.boot_seconds:.0f} s")

    def prepare(self):
        began = time.monotonic()
        self.rig.fmd.install(self.options.destdir)
        watch.prepare(self.rig)
        self.saved = Saved(self.machine)
        self.saved.restore()
        say(f"    fmd installed, a pool made, all of it saved in {time.monotonic() - began:.0f} s")

    def ready(self, first, when):
        """Makes the machine for `first`, and pauses it until the file `when` exists."""
        self.machine_for(first)
        self.machine.qmp("stop")
        while not os.path.exists(when):
            time.sleep(0.2)
        self.machine.qmp("cont")

    def close(self):
        if self.machine:
            self.machine.close()
        self.machine = self.rig = self.saved = None

    def run_one(self, wanted):
        say(f"=== {wanted.name}: {wanted.about}")
        began = time.monotonic()
        error = None
        try:
            self.machine_for(wanted)
            signal.alarm(wanted.timeout)
            wanted.run(self.rig)
        except EXPECTED as failure:
            error = f"{type(failure).__name__}: {failure}"
            where = traceback.extract_tb(failure.__traceback__)
            mine = [f for f in where if f"{os.sep}scenarios{os.sep}" in f.filename] or where
            error += f"\n(at {os.path.basename(mine[-1].filename)}:{mine[-1].lineno}: {mine[-1].line})"
        except TimeUp:
            error = f"not done within {wanted.timeout} s\n{traceback.format_exc()}"
        except Exception:
            error = traceback.format_exc()
        finally:
            signal.alarm(0)
        seconds = time.monotonic() - began
        result = {"name": wanted.name, "passed": error is None, "seconds": round(seconds, 1)}
        if error is not None:
            result["error"] = error
            result["logs"] = self.failed(wanted, error)
        self.results.append(result)
        say(f"{'PASS' if error is None else 'FAIL'} {wanted.name} ({seconds:.0f} s)")
        return error is None

    def play_again(self, wanted):
        """Repeats a scenario listed in tests/flaky.toml on a fresh machine. The second result counts."""
        first = self.results.pop()
        say(f"    {wanted.name} is listed in tests/flaky.toml and runs a second time")
        self.run_one(wanted)
        self.results[-1]["first_attempt"] = first

    def failed(self, wanted, error):
        for line in error.rstrip().splitlines():
            say(f"    ! {line}")
        logs = os.path.join(self.folder, wanted.name)
        if self.rig:
            say("    collecting logs")
            self.rig.collect(logs)
            say(f"    logs: {logs}\n    console: {self.machine.console}")
            if self.options.keep:
                self.wait_for_person()
        if not self.saved:
            self.close()
        return logs

    def wait_for_person(self):
        say(f"    the machine is kept. A shell in it:\n"
            f"      /usr/bin/python3 {console.__file__} {self.machine.socket('console')}\n"
            "    Enter here ends it.")
        try:
            input()
        except (EOFError, KeyboardInterrupt):
            pass

    def shell(self):
        """Boots a machine, with fmd if given, and attaches its console."""
        self.boot()
        if self.options.destdir:
            self.prepare()
        console.attach(self.machine.socket("console"))
        self.close()


def on_alarm(*_):
    raise TimeUp


def on_terminate(*_):
    raise SystemExit(143)


def parse():
    parser = argparse.ArgumentParser(description="Runs fmd's acceptance scenarios in a virtual storage server.")
    parser.add_argument("--debian", default="12", choices=("12", "13"), help="the release that the machine runs (12)")
    parser.add_argument("--destdir", help="a tree made by meson install --destdir, to be installed in the guest")
    parser.add_argument("--only", action="append", metavar="NAME",
                        help="run these only (repeatable; a name, or its beginning and *)")
    parser.add_argument("--all", action="store_true", help="those of a full run, too")
    parser.add_argument("--share", metavar="WORD",
                        help=f"without those of a full run only the chief ones, and {DRAWN} of the others, drawn by WORD (a commit's name, in "
                             "continuous integration)")
    parser.add_argument("--part", type=part_of, default=(1, 1), metavar="N/M",
                        help="play every M-th of these scenarios, from the N-th on: M runs side by side play all of them")
    parser.add_argument("--when", metavar="FILE", help="prepare the machine, and play the scenarios once FILE exists")
    parser.add_argument("--list", action="store_true", help="list the scenarios")
    parser.add_argument("--keep", action="store_true", help="keep the machine when a scenario fails, and wait")
    parser.add_argument("--shell", action="store_true", help="boot a machine and give a shell in it")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="play each scenario N times (what fails now and then)")
    parser.add_argument("--json", metavar="FILE", help="write the results to a file ('-': the last line of the output)")
    return parser.parse_args()


def part_of(text):
    number, of = (int(word) for word in text.split("/"))
    if not 1 <= number <= of:
        raise ValueError(text)
    return number, of


def share(scenarios, word):
    """All `always` scenarios and DRAWN others; the same word always selects the same ones."""
    others = [s for s in scenarios if not s.always]
    drawn = random.Random(word).sample(others, min(DRAWN, len(others)))
    say(f"drawn by '{word}': {', '.join(s.name for s in drawn)}")
    return [s for s in scenarios if s.always or s in drawn]


def chosen(scenarios, options):
    import fnmatch
    patterns = options.only
    if not patterns:
        usual = [s for s in scenarios if options.all or not s.full]
        return share(usual, options.share) if options.share else usual
    for pattern in patterns:
        if not fnmatch.filter([s.name for s in scenarios], pattern):
            raise SystemExit(f"no scenario {pattern!r}; there are: {', '.join(s.name for s in scenarios)}")
    return [s for s in scenarios if any(fnmatch.fnmatch(s.name, p) for p in patterns)]


def main():
    options = parse()
    scenarios = scenario.load()
    if options.list:
        if options.json:
            say(json.dumps([{"name": s.name, "about": s.about, "fmd": s.fmd, "full": s.full, "always": s.always} for s in scenarios]))
        else:
            for s in scenarios:
                say(f"{s.name:28} {s.about}{' (--all)' if s.full else ''}")
        return 0
    number, of = options.part
    scenarios = chosen(scenarios, options)[number - 1::of]
    image_folder(build=True, debian=options.debian)
    listed = flaky("scenario")
    signal.signal(signal.SIGALRM, on_alarm)
    signal.signal(signal.SIGTERM, on_terminate)
    runner = Runner(options)
    try:
        if options.shell:
            runner.shell()
            return 0
        without = [s.name for s in scenarios if s.fmd and not options.destdir]
        if without:
            raise SystemExit(f"these need fmd (--destdir DIR): {', '.join(without)}")
        say(f"results: {runner.folder}")
        if options.when:
            runner.ready(scenarios[0], options.when)
        for wanted in [s for s in scenarios for _ in range(options.repeat)]:
            if not runner.run_one(wanted) and wanted.name in listed:
                runner.play_again(wanted)
    finally:
        runner.close()
    failed = [r for r in runner.results if not r["passed"]]
    for result in failed:
        say(f"failed: {result['name']}: {result['error'].splitlines()[0]} (logs: {result['logs']})")
    for result in runner.results:
        if result["passed"] and "first_attempt" in result:
            say(f"passed at the second try: {result['name']}; the first: {result['first_attempt']['error'].splitlines()[0]} "
                f"({listed[result['name']]})")
    report(options, runner.results)
    say(f"{len(runner.results) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


def report(options, results):
    if not options.json:
        return
    text = json.dumps({"scenarios": results})
    if options.json == "-":
        say(text)
    else:
        with open(options.json, "w", encoding="utf-8") as file:
            file.write(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
