"""fmadm chassis check, show and map; map on a terminal of its own (a pty) with a fake fmd."""
import json
import os
import pathlib
import pty
import select
import signal
import subprocess
import tempfile
import time
import unittest

import stage

SHIPPED = str(stage.ROOT / "chassis")
BOX = "hc://chassis=5000c500fa0e5e50"
GOOD = ('[chassis]\nlabel = "Box"\napplies_to = "shelf"\nsource = "a test"\n[[match]]\nses_vendor = "ACME"\n'
        '[[grid]]\ncount = 4\nlabel = "{n}"\n')


def bay(slot, **properties):
    return {"fmri": f"{BOX}/bay={slot}", "type": "bay", "edges": [],
            "properties": {"label": f"SLOT {slot:02}", "slot": slot, "led.locate": "off", "led.method": "ses",
                           "led.reads_back": True, "occupied": False, **properties}}


def inventory():
    bays = [bay(1), bay(2), bay(3, **{"led.locate": "cannot-drive", "led.reason": "reads back 0"})]
    shelf = {"fmri": BOX, "type": "enclosure",
             "properties": {"id": "5000c500fa0e5e50", "label": "ACME Shelf", "description": "generic-ses"},
             "edges": [{"relation": "contains", "to": b["fmri"]} for b in bays]}
    return {"resources": [shelf, *bays]}


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def put(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)


class Check(Folder):
    def check(self, *words):
        return stage.run("fmadm", "chassis", "check", *words, FMD_BUS_ADDRESS="unix:path=/nonexistent")

    def test_the_shipped_ones_are_right(self):
        done = self.check(SHIPPED)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^\d+ descriptions with \d+ bays: no errors\n$")

    def test_every_error_of_every_file_with_its_line(self):
        one = self.put("one.toml", GOOD.replace("count", "cuont"))
        two = self.put("two.toml", GOOD + "[[view]]\nname = \"frnt\"\n")
        done = self.check(one, two)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f'{one}:8: [[grid]]: unknown key "cuont"; is "count" meant?\n', done.stderr)
        self.assertIn(f'{one}:7: [[grid]]: "count" is missing', done.stderr)
        self.assertIn(f'{two}:11: [[view]]: "name" cannot be "frnt"; is "front" meant?\n', done.stderr)
        self.assertRegex(done.stderr, r"fmadm: \d+ errors\n$")
        doc = json.loads(self.check(one, "--json").stdout)
        self.assertIn((one, 8), [(e["file"], e["line"]) for e in doc["errors"]])

    def test_one_file(self):
        self.assertEqual(self.check(self.put("box.toml", GOOD)).stdout, "1 description with 4 bays: no errors\n")
        self.assertIn("cannot be read", self.check("/nonexistent.toml").stderr)


class WithDaemon(stage.Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.fixture = self.folder / "fixture.json"
        self.fixture.write_text(json.dumps(inventory()))
        super().setUp()


class Show(WithDaemon):
    def test_show(self):
        text = self.ok("fmadm", "chassis", "show")
        self.assertIn("ACME Shelf", text)
        self.assertIn("generic-ses", text)
        self.assertNotIn("SLOT 02", text)
        text = self.ok("fmadm", "chassis", "show", "-v")
        self.assertRegex(text, r"SLOT 02 +- +ses +-\n")
        self.assertPlain(text)
        doc = self.json("fmadm", "chassis", "show")
        self.assertEqual((doc[0]["fmri"], doc[0]["description"], len(doc[0]["bays"])), (BOX, "generic-ses", 3))


class Terminal:
    """fmadm on a pty: what it shows is read until a text appears."""

    def __init__(self, case, *words):
        ours, theirs = pty.openpty()
        # A session of its own with the pty as its terminal: Ctrl-C arrives as on a real one.
        self.process = subprocess.Popen(
            ["setsid", "--ctty", "--wait", stage.program("fmadm"), "chassis", "map", *words], stdin=theirs, stdout=theirs,
            stderr=theirs, env=stage.environment(case.bus), cwd=case.folder)
        os.close(theirs)
        self.fd, self.seen, self.all = ours, "", ""
        case.addCleanup(self.close)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def until(self, text, seconds=60):
        """Reads until the text was shown; what came after the text before."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            try:
                got = os.read(self.fd, 65536).decode() if ready else ""
            except OSError:  # the other side is closed
                got = ""
            if not got:
                raise AssertionError(f"{text!r} did not come: {self.all}")
            self.seen += got.replace("\r", "")
            self.all += got.replace("\r", "")
        before, _, self.seen = self.seen.partition(text)
        return before

    def say(self, line):
        os.write(self.fd, line.encode() + b"\n")

    def end(self):
        return self.process.wait(60)


class Map(WithDaemon):
    def lit(self):
        doc = self.json("fmadm", "chassis", "show")
        return [b["fmri"] for b in doc[0]["bays"] if b["properties"]["led.locate"] == "on"]

    def start(self, *words, rows="0"):
        terminal = Terminal(self, *words)
        terminal.until("called [ACME Shelf]?")
        terminal.say("My shelf")
        terminal.until("rows of bays")
        terminal.say(rows)
        return terminal

    def test_the_whole_way(self):
        t = self.start("-o", "mine.toml", rows="2")
        t.until("in a row? [2]")
        t.say("")
        t.until("rack units")
        t.say("4")
        t.until("Bay 1 of 3 blinks.")
        self.assertEqual(self.lit(), [f"{BOX}/bay=1"])
        t.until("label [SLOT 01]")
        t.say('A"1')
        t.until("column, from the top left [1 1]")
        t.say("2 1")
        t.until("Bay 2 of 3 blinks.")
        t.until("label [SLOT 02]")
        self.assertEqual(self.lit(), [f"{BOX}/bay=2"], "one bay at a time")
        t.say('A"1')
        t.until("Bay 1 has that label already")
        t.say("<")
        t.until("Bay 1 of 3 blinks.")
        t.until("label [SLOT 01]")
        t.say("?")
        t.until("skip this bay")
        t.say("B1")
        t.until("[1 1]")
        t.say("9 9")
        t.until("Two numbers, up to 2 and 2")
        t.say("2 2")
        t.until("label [SLOT 02]")
        t.say("")
        t.until("[1 1]")
        t.say("")
        t.until("does not blink: reads back 0")
        t.until("label [SLOT 03]")
        t.say("-")
        t.until("2 bays written to mine.toml")
        self.assertEqual(t.end(), 0)
        self.assertEqual(self.lit(), [])
        text = (self.folder / "mine.toml").read_text()
        for wanted in ('label = "My shelf"', 'ses_id = "5000c500fa0e5e50"', 'label = "B1"', 'label = "SLOT 02"',
                       'resolve = [{ ses_slot = "1" }]', "mapped by hand"):
            self.assertIn(wanted, text)
        self.assertNotIn("SLOT 03", text)
        done = stage.run("fmadm", "chassis", "check", str(self.folder / "mine.toml"))
        self.assertEqual(done.stdout, "1 description with 2 bays: no errors\n", done.stderr)

    def test_ctrl_c_puts_the_light_out_and_writes_nothing(self):
        t = self.start()
        t.until("label [SLOT 01]")
        self.assertEqual(self.lit(), [f"{BOX}/bay=1"])
        os.write(t.fd, b"\x03")
        t.until("stopped; nothing was written, and no light is left on")
        self.assertEqual(t.end(), 1)
        self.assertEqual(self.lit(), [])
        self.assertFalse((self.folder / "own-chassis.toml").exists())

    def test_the_end_of_input_is_no_answer(self):
        t = self.start()
        t.until("label [SLOT 01]")
        os.write(t.fd, b"\x04")
        t.until("nothing was written")
        self.assertEqual(t.end(), 1)
        self.assertEqual(self.lit(), [])

    def test_a_dot_writes_what_there_is(self):
        t = self.start()
        t.until("label [SLOT 01]")
        t.say("1")
        t.until("label [SLOT 02]")
        t.say(".")
        t.until("1 bays written to own-chassis.toml")
        self.assertEqual(t.end(), 0)
        self.assertEqual(self.lit(), [])

    def test_fmd_gone_meanwhile(self):
        t = self.start()
        t.until("label [SLOT 01]")
        self.daemon.process.send_signal(signal.SIGKILL)
        self.daemon.process.wait()
        t.say("1")
        t.until("may still be on")
        t.until("fmadm locate off")

    def test_what_it_refuses(self):
        self.assertIn("it needs a terminal", self.fails(1, "fmadm", "chassis", "map"))
        (self.folder / "there.toml").write_text("")
        t = Terminal(self, "-o", "there.toml")
        t.until("is there already")
        self.assertEqual(t.end(), 1)
        t = Terminal(self, "--chassis", "nowhere")
        t.until("no chassis is called nowhere")
        self.assertEqual(t.end(), 1)
        self.assertEqual([c for c in self.daemon.changes() if "locate" in c], [])


class Help(unittest.TestCase):
    def test_help_fits(self):
        for words in (["chassis"], ["chassis", "check"], ["chassis", "show"], ["chassis", "map"]):
            done = stage.run("fmadm", *words, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80, done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
