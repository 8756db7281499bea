#!/usr/bin/python3
"""The simulated ipmitool answers raw requests like the real one (1.8.19); also tests changes of the simulated BMC by name."""
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "..", "simulator"))

from host import bmc  # noqa: E402  (the path has to be set before)
from process import patience  # noqa: E402

READ = "raw 0x04 0x2d 0x{:02x}\n"
ENTRY = "raw 0x0a 0x43 0x00 0x00 0x{:02x} 0x00 0x00 0xff\n"
INFO = "raw 0x0a 0x40\n"


class Ipmitool(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fmsim-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        bmc.install(self.folder)

    def ask(self, *requests, verbose=True):
        script = os.path.join(self.folder, "requests")
        with open(script, "w", encoding="ascii") as file:
            file.write("".join(requests))
        words = ["-I", "open", *(["-v"] if verbose else []), "exec", script]
        done = subprocess.run([os.path.join(self.folder, "bin/ipmitool"), *words], capture_output=True, text=True, check=False,
                              timeout=patience(), env={"FMD_HOST_ROOT": self.folder, "PATH": "/usr/bin:/bin"})
        return done.returncode, done.stdout, done.stderr

    def test_prints_as_recorded(self):
        status, out, err = self.ask(READ.format(0x41), READ.format(0xEE))
        self.assertEqual((status, out), (1, " 38 c0 00 00\n"))
        self.assertEqual(err, "Loading IANA PEN Registry...\n"
                              "RAW REQ (channel=0x0 netfn=0x4 lun=0x0 cmd=0x2d data_len=1)\nRAW REQUEST (1 bytes)\n 41\nRAW RSP (4 bytes)\n"
                              "RAW REQ (channel=0x0 netfn=0x4 lun=0x0 cmd=0x2d data_len=1)\nRAW REQUEST (1 bytes)\n ee\n"
                              "Unable to send RAW command (channel=0x0 netfn=0x4 lun=0x0 cmd=0x2d rsp=0xcc): Invalid data field in request\n")

    def test_a_fan_a_supply_and_no_reading(self):
        bmc.change(self.folder, [("fan1", "200"), ("PS1 Status", "0,1"), ("PS2 Status", "none")])
        self.assertEqual(self.ask(READ.format(0x41), READ.format(0x61), READ.format(0x62))[1],
                         " 02 c0 07 00\n 00 c0 03 00\n 00 e0 00 00\n")

    def test_the_log(self):
        self.assertEqual(self.ask(ENTRY.format(1))[2].splitlines()[-1],
                         "Unable to send RAW command (channel=0x0 netfn=0xa lun=0x0 cmd=0x43 rsp=0xcb): "
                         "Requested sensor, data, or record not found")
        bmc.change(self.folder, [("log", "ECC,1"), ("log", "Watchdog,1")])
        first = self.ask(ENTRY.format(0), verbose=False)[1].split()
        self.assertEqual(len(first), 18)
        self.assertEqual((first[:5], first[12:15], first[15]), (["02", "00", "01", "00", "02"], ["0c", "90", "6f"], "01"))
        self.assertEqual(self.ask(ENTRY.format(2))[1].split()[:2], ["ff", "ff"])
        bmc.change(self.folder, [("clear", "yes")])
        self.assertEqual(self.ask(INFO)[1].split()[1:3], ["00", "00"])

    def test_a_sensor_that_is_not_there(self):
        with self.assertRaisesRegex(SystemExit, "'fan9' is no sensor"):
            bmc.change(self.folder, [("fan9", "1")])


if __name__ == "__main__":
    unittest.main()
