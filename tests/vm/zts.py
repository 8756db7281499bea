#!/usr/bin/python3
"""Runs OpenZFS's own fault tests with fmd instead of ZED. See docs/dev/zts.md."""

import argparse
import fnmatch
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from machine import SHARE, CommandFailed, Machine, QmpError, Timeout, image_folder
from rig import Rig
from runner import on_terminate, results_folder, say
from saved import Saved

SUITE = "/usr/share/zfs/zfs-tests/tests"
# The suite runs these after a failed test; the second and third are its own.
CALLBACKS = f"{SHARE}/guest/what-fmd-knows:/usr/share/zfs/zfs-tests/callbacks/zfs_dbgmsg.ksh:/usr/share/zfs/zfs-tests/callbacks/zfs_dmesg.ksh"
# Folder of the suite -> its tests that need a daemon reacting to the kernel's events. Other tests there cover only the kernel, or
# features specific to ZED: its zedlets, its zed.rc.
TESTS = {
    "functional/fault": ["auto_*"],
    "functional/events": ["zed_*config", "zed_slow_io*", "zed_diagnose_multiple"],
}
# Seconds. A test takes one to seven minutes on two idle emulated processors.
TIME = 2400

RUNFILE = """[DEFAULT]
pre = setup
pre_user = root
user = root
quiet = False
timeout = {time}
outputdir = /var/tmp/test_results
tags = ['fmd']

[tests/{folder}]
tests = ['{name}']
"""

PREPARE = f"""set -e
useradd --create-home zts
install -m 440 /dev/stdin /etc/sudoers.d/zts <<< 'zts ALL=(ALL) NOPASSWD: ALL'
systemctl disable -q --now zfs-zed.service 2>/dev/null || true
rm -f /etc/zfs/vdev_id.conf
modprobe loop  # the suite asks its max_part whether these are disks
install -m 755 {SHARE}/guest/zed /usr/sbin/zed
mkdir -p /etc/systemd/system/fmd-zfs.service.d
printf '[Service]\\nPrivateTmp=no\\n' > /etc/systemd/system/fmd-zfs.service.d/zts.conf
systemctl daemon-reload
"""


def prepare(machine, destdir):
    """Installs fmd without starting it, creates the user that the suite needs, and puts fmd in place of `zed`."""
    rig = Rig(machine, say)
    rig.fmd.install(destdir)
    machine.sh(PREPARE)
    # Differs from the shipped configuration: PrivateTmp= (above), as the suite's vdevs are files in /var/tmp; and this hold: the suite
    # expects the spare within 60 s, since ZED does not distinguish pulled from dead disks.
    rig.fmd.sooner("zfs.toml", ("15min", "10s"))
    # ZED uses a dRAID's spares in pool order: auto_spare_multiple has the whole disk first.
    rig.fmd.configure("zfs.toml", 'spare_order = "disks-first"\n')
    return rig


def chosen(machine, patterns):
    """(folder, name) of the tests that this release of OpenZFS has."""
    found = []
    for folder, wanted in TESTS.items():
        names = [n[:-4] for n in machine.sh(f"ls {SUITE}/{folder}").split() if n.endswith(".ksh")]
        found += [(folder, n) for n in names if any(fnmatch.fnmatch(n, w) for w in wanted)]
    if not patterns:
        return found
    return [(f, n) for f, n in found if any(fnmatch.fnmatch(n, p) for p in patterns)]


def play(machine, folder, name):
    """Returns the suite's result ("PASS", "FAIL", "SKIP", "KILLED"), or "NONE", and its log."""
    machine.write("/var/tmp/fmd.run", RUNFILE.format(time=TIME, folder=folder, name=name))
    disks = " ".join(os.path.basename(machine.sh(f"readlink -f {machine.disks[slot].by_id}").strip()) for slot in sorted(machine.disks)[:3])
    result = machine.run(f"cd /tmp && TESTFAIL_CALLBACKS={CALLBACKS} DISKS='{disks}' /usr/share/zfs/zfs-tests.sh -v -T fmd -r /var/tmp/fmd.run", TIME + 120, user="zts")
    # OpenZFS 2.3 prefixes the time: "[YYYY-MM-DDTHH:MM:SS.ffffff] Test: ...".
    ended = re.search(rf"^(?:\[\S+\] )?Test: \S*/{re.escape(name)} .*\[(\w+)\]\s*$", result.out, re.M)
    return ended.group(1) if ended else "NONE", result.out + result.err


def logs(rig, folder, text):
    rig.collect(folder)
    with open(os.path.join(folder, "test.txt"), "w", encoding="utf-8") as file:
        file.write(text + rig.m.run("cat /var/tmp/test_results/current/log").out)


def parse():
    parser = argparse.ArgumentParser(description="Runs OpenZFS's own tests of faults with fmd in ZED's place.")
    parser.add_argument("--debian", default="12", choices=("12", "13"), help="the release that the machine runs (12)")
    parser.add_argument("--destdir", required=True, help="a tree made by meson install --destdir, to be installed in the guest")
    parser.add_argument("--only", action="append", metavar="PATTERN", help="run these only (repeatable): auto_spare_*")
    return parser.parse_args()


def run_all(rig, saved, names, folder):
    machine, results = rig.m, []
    for where, name in names:
        began = time.monotonic()
        saved.restore()
        try:
            ended, text = play(machine, where, name)
            if ended != "PASS":
                logs(rig, os.path.join(folder, name), text)
        except (Timeout, CommandFailed, QmpError) as error:
            ended = f"BROKEN: {error}"
        results.append(ended)
        say(f"{ended:5} {name} ({time.monotonic() - began:.0f} s)")
    return results


def main():
    options = parse()
    image_folder(True, options.debian, zts=True)
    signal.signal(signal.SIGTERM, on_terminate)
    folder = results_folder(options.debian)
    say(f"results: {folder}")
    with Machine(slots=(1, 2, 3), folder=os.path.join(folder, "machine"), debian=options.debian, zts=True, memory=3072) as machine:
        rig = prepare(machine, options.destdir)
        say(f"booted in {machine.boot_seconds:.0f} s; OpenZFS " + machine.sh("cat /sys/module/zfs/version").strip())
        names = chosen(machine, options.only)
        if not names:
            raise SystemExit("no test has such a name")
        saved = Saved(machine)
        results = run_all(rig, saved, names, folder)
    skipped = results.count("SKIP")
    passed = results.count("PASS")
    say(f"{passed} passed, {len(results) - passed - skipped} failed, {skipped} skipped by the suite itself")
    return 0 if passed + skipped == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
