#!/usr/bin/python3
"""`./dev play`: an hour on the simulated server, by commands and at a terminal; nothing is left behind."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

TREE = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TREE / "tests/lib"), str(TREE / "simulator")]

import shipped  # noqa: E402  (the path has to be set before)
from process import wait_for  # noqa: E402
from terminal import Terminal  # noqa: E402

BUILD = os.environ["FMD_BUILD"]
STORY = """
set -e
fmadm status
fmadm faulty
fmsim corrupt 4
fmsim scrub
for i in $(seq 150); do
  [ -z "$(fmadm faulty)" ] || break
  sleep 0.2
done
fmadm faulty
for i in $(seq 50); do
  mails | grep -q ^Subject && break
  sleep 0.2
done
mails
mails | true
fmadm rules show zfs-checksum
fmdump -e --json > log
fmadm replay $SHIPPED log | grep -q fault.fs.zfs.vdev.checksum && echo replayed
fmadm record > recording && fmadm record --mask > masked
fmadm replay $SHIPPED recording | grep 'FRU.*SLOT 04'
grep -c DISK04G0 recording
! grep DISK04G0 masked
fmadm replay $SHIPPED masked | grep -q fault.fs.zfs.vdev.checksum && echo masked too
! fmdump -e -c ereport.fs.zfs.chksum
! fmdump -c fault.fs.zfs.vdev.chksum
zpool status tank
smartctl -i "$(fmtopo DISK04G0 | cut -d' ' -f1)"  # device names differ between runs
fmtopo -s hc > topology && grep -c 'SLOT 0' topology
man -w fmadm
fmsim pull --help
fmsim show
"""


class Play(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.environment = {**os.environ, "TMPDIR": self.folder.name, "HOME": self.folder.name, "TERM": "dumb", "SHIPPED": " ".join(shipped.options())}
        self.environment.pop("DISPLAY", None)
        self.command = [sys.executable, str(TREE / "simulator/play.py"), "--build", BUILD]

    def nothing_is_left(self):
        self.assertEqual([name for name in os.listdir(self.folder.name) if name.startswith("fmd-stage-")], [])
        mine = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                line = (process / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
            except OSError:
                continue
            if self.folder.name in line:
                mine.append(line)
        self.assertEqual(mine, [])

    @staticmethod
    def type(shell, line):
        os.write(shell.fd, line.encode() + b"\n")

    def play(self, commands):
        return subprocess.run([*self.command, "-c", commands], env=self.environment, cwd=self.folder.name, capture_output=True,
                              text=True, timeout=200, check=False)

    def test_a_story_by_commands(self):
        done = self.play(STORY)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(": no open problem", done.stdout)
        self.assertIn("1 pool, 7 disks", done.stdout)
        self.assertNotIn("not connected", done.stdout)
        self.assertIn("fault.fs.zfs.vdev.checksum", done.stdout)
        self.assertRegex(done.stdout, r"Subject: .*SLOT 04")
        self.assertNotIn("Traceback", done.stderr)
        self.assertIn('then_after = "3s"', done.stdout, "this host's rules")
        self.assertIn("replayed", done.stdout)
        self.assertIn('FRU         : "SLOT 04"', done.stdout)
        self.assertIn("masked too", done.stdout)
        self.assertIn('no event class is called "ereport.fs.zfs.chksum"; is "ereport.fs.zfs.checksum" meant?', done.stderr)
        self.assertIn('no fault class is called "fault.fs.zfs.vdev.chksum"; is "fault.fs.zfs.vdev.checksum" meant?', done.stderr)
        self.assertIn("pool: tank", done.stdout)
        self.assertIn("DISK04G0", done.stdout)
        self.assertIn("fmadm.8", done.stdout)
        self.assertIn("usage: fmsim pull [-h] BAY\n", done.stdout, "without the host's folder, which the shell knows")
        self.assertRegex(done.stdout, r"bay  4 .* fault")
        self.nothing_is_left()

    def test_the_exit_status_is_the_commands(self):
        self.assertEqual(self.play("fmadm faulty -u 00000000 2>/dev/null; exit 7").returncode, 7)
        self.nothing_is_left()

    def test_a_person_at_a_terminal(self):
        shell = Terminal(self, self.command, env=self.environment, cwd=self.folder.name)
        shell.until("end it all")
        shell.until("simulated# ")
        self.type(shell, "sleep 100")
        # Typed text is shown before the shell starts its command; until then Ctrl-C goes to the shell.
        wait_for(lambda: shell.in_front() == "sleep", 60, "sleep in front")
        os.write(shell.fd, b"\x03")  # Ctrl-C ends what runs, not the server
        shell.until("simulated# ")
        self.type(shell, "fmadm status")
        shell.until("no open problem")
        shell.until("simulated# ")
        self.type(shell, "exit")
        self.assertEqual(shell.process.wait(60), 0)
        self.nothing_is_left()

    def test_the_terminal_is_closed(self):
        shell = Terminal(self, self.command, env=self.environment, cwd=self.folder.name)
        shell.until("simulated# ")
        shell.close(wait=True)
        wait_for(lambda: not [n for n in os.listdir(self.folder.name) if n.startswith("fmd-stage-")], 30, lambda: "the end of it all")
        self.nothing_is_left()

    def test_it_is_told_to_end(self):
        with subprocess.Popen([*self.command, "-c", "echo here; exec sleep 100"], env=self.environment, cwd=self.folder.name,
                              stdout=subprocess.PIPE, text=True) as process:
            self.assertEqual(process.stdout.readline(), "here\n")
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(60), 128 + signal.SIGTERM)
        self.nothing_is_left()


if __name__ == "__main__":
    unittest.main()
