"""fmadm chassis check, show and map; map runs on its own terminal (a pty) with a fake fmd."""
import json
import os
import pathlib
import signal
import sys
import tempfile
import time
import tomllib
import unittest

import stage

sys.path.insert(0, str(stage.ROOT / "tests" / "lib"))
import terminal  # noqa: E402  (the path has to be set before)

SHIPPED = str(stage.ROOT / "chassis")
BOX = "hc://chassis=5000c500fa0e5e50"
GOOD = ('[chassis]\nlabel = "Box"\napplies_to = "shelf"\nsource = "a test"\n[[match]]\nses_vendor = "ACME"\n'
        '[[grid]]\ncount = 4\nlabel = "{n}"\n')


def bay(slot, **properties):
    return {"fmri": f"{BOX}/bay={slot}", "type": "bay", "edges": [],
            "properties": {"label": f"SLOT {slot:02}", "slot": slot, "led.locate": "off", "led.method": "ses",
                           "led.reads_back": True, "occupied": False, **properties}}


def contains(*parts):
    return [{"relation": "contains", "to": part["fmri"]} for part in parts]


def inventory():
    bays = [bay(1), bay(2), bay(3, **{"led.locate": "cannot-drive", "led.reason": "reads back 0"})]
    psu = {"fmri": f"{BOX}/psu=0", "type": "psu", "properties": {
        "label": "PSU A", "enclosure": BOX, "status": "critical", "reason": "AC fail", "view": "rear", "x_mm": 5.0, "y_mm": 4.0}}
    fan = {"fmri": f"{BOX}/fan=0", "type": "fan", "properties": {"label": "FAN 1", "enclosure": BOX}}
    shelf = {"fmri": BOX, "type": "enclosure",
             "properties": {"id": "5000c500fa0e5e50", "label": "ACME Shelf", "description": "generic-ses"},
             "edges": contains(*bays, psu, fan)}
    return {"resources": [shelf, *bays, psu, fan]}


HOST_ID = "12345678-abcd-4000-8000-000000000001"
TOWER = f"hc://chassis={HOST_ID}"


def machine():
    """A server: a SES backplane of two bays behind an HBA (the second empty), a third disk on an ATA port, one in NVMe slot 7."""
    def disk(wwn, **properties):
        return {"fmri": f"dev://wwn={wwn}", "type": "disk", "properties": {"serial": wwn, **properties}}

    def path(*to):
        return [{"relation": "path", "to": part["fmri"]} for part in to]

    sas = disk("a1", by_path="pci-0000:3b:00.0-sas-exp0x500304801e8a3b3f-phy8-lun-0")
    sata = disk("a3", by_path="pci-0000:00:1f.2-ata-3")
    nvme = disk("a7", by_path="pci-0000:02:00.0-nvme-1")
    slots = [bay(1), bay(2)]
    slots[0]["edges"] = contains(sas)
    shelf = {"fmri": BOX, "type": "enclosure", "properties": {"id": "5000c500fa0e5e50", "label": "Backplane"},
             "edges": contains(*slots)}
    own = [{"fmri": f"{TOWER}/bay=ata-0000:00:1f.2-3", "type": "bay", "edges": contains(sata), "properties": {
                "label": "ATA port 3", "place": "ata_port 0000:00:1f.2/3", "led.method": "ledctl", "led.reads_back": False}},
           {"fmri": f"{TOWER}/bay=pci-7", "type": "bay", "edges": contains(nvme), "properties": {
                "label": "PCI slot 7", "place": "pci_slot 7", "led.method": "npem", "led.reads_back": True}}]
    box = {"fmri": TOWER, "type": "enclosure", "properties": {"id": HOST_ID, "label": "ACME Tower"}, "edges": contains(*own)}
    system = {"fmri": f"hc://system={HOST_ID}", "type": "system", "properties": {"id": HOST_ID, "model": "Tower 1"},
              "edges": contains(box)}
    far = {"fmri": "dev://sas=500304801e8a3b3f/phy=8", "type": "phy", "properties": {"phy": 8}, "edges": path(sas)}
    expander = {"fmri": "dev://sas=500304801e8a3b3f", "type": "expander", "properties": {"sas_address": "500304801e8a3b3f"},
                "edges": path(far)}
    near = {"fmri": "dev://sas=500605b0/phy=0", "type": "phy", "properties": {"phy": 0}, "edges": path(expander)}
    hba = {"fmri": "dev://pci=0000:3b:00.0", "type": "hba", "properties": {"address": "0000:3b:00.0", "slot": "4",
                                                                           "class": "010700"}, "edges": path(near)}
    ahci = {"fmri": "dev://pci=0000:00:1f.2", "type": "hba", "properties": {"class": "010601", "slot": "9"}, "edges": path(sata)}
    drive = {"fmri": "dev://pci=0000:02:00.0", "type": "pci", "properties": {"class": "010802", "slot": "7"}, "edges": path(nvme)}
    return {"resources": [system, box, *own, shelf, *slots, sas, sata, nvme, hba, near, expander, far, ahci, drive]}


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
    inventory = staticmethod(inventory)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.fixture = self.folder / "fixture.json"
        self.fixture.write_text(json.dumps(self.inventory()))
        super().setUp()


class Show(WithDaemon):
    def test_show(self):
        text = self.ok("fmadm", "chassis", "show")
        self.assertIn("ACME Shelf", text)
        self.assertIn("generic-ses", text)
        self.assertNotIn("SLOT 02", text)
        text = self.ok("fmadm", "chassis", "show", "-v")
        self.assertRegex(text, r"SLOT 02 +- +ses +-\n")
        self.assertRegex(text, r"PSU A +psu +rear 5,4 +critical: AC fail\n")
        self.assertRegex(text, r"FAN 1 +fan +- +not observed\n")
        self.assertPlain(text)
        self.assertIn("  critical  AC fail", self.ok("fmtopo"))
        self.assertIn("  not observed", self.ok("fmtopo"))
        doc = self.json("fmadm", "chassis", "show")
        self.assertEqual((doc[0]["fmri"], doc[0]["description"], len(doc[0]["bays"])), (BOX, "generic-ses", 3))
        self.assertEqual([part["fmri"] for part in doc[0]["parts"]], [f"{BOX}/fan=0", f"{BOX}/psu=0"])


class ShowHolders(WithDaemon):
    """The table's columns about bays: location, LED method, content."""
    @staticmethod
    def inventory():
        doc = inventory()
        disks = [{"fmri": "dev://wwn=1", "type": "disk", "properties": {"serial": "S1"}},
                 {"fmri": "dev://wwn=2", "type": "disk", "properties": {}}]
        first, second, third = doc["resources"][1:4]
        first["edges"], second["edges"] = contains(disks[0]), contains(disks[1])
        first["properties"].update({"view": "front", "x_mm": 10.5, "y_mm": 4.0})
        second["properties"].update({"view": "rear", "led.reads_back": False})
        third["properties"].update({"occupied": True, "led.method": ""})
        return {"resources": [*doc["resources"], *disks]}

    def test_show(self):
        text = self.ok("fmadm", "chassis", "show", "-v")
        self.assertRegex(text, r"SLOT 01 +front 10.5,4 +ses +S1\n")
        self.assertRegex(text, r"SLOT 02 +rear +ses \(not read back\) +dev://wwn=2\n")
        self.assertRegex(text, r"SLOT 03 +- +- +something\n")
        self.assertLess(text.index("FAN 1"), text.index("PSU A"), "by type")


class ShowMapped(WithDaemon):
    """After chassis map --with: the backplane's bays are the machine's, by the description that is in force."""
    @staticmethod
    def inventory():
        doc = machine()
        host, shelf = (next(r for r in doc["resources"] if r["fmri"] == fmri) for fmri in (TOWER, BOX))
        host["properties"].update({"description": "own-chassis", "description_file": "/etc/fmd/chassis.d/own-chassis.toml",
                                   "matched_by": f'system_id = "{HOST_ID}"'})
        shelf["properties"].update({"description": "generic-ses", "member_of": TOWER})
        return doc

    def test_show(self):
        text = self.ok("fmadm", "chassis", "show", "-v")
        host, shelf = text.split("\nBackplane\n") if text.startswith("ACME Tower") else text.split("\nACME Tower\n")[::-1]
        flat = " ".join(host.split())
        self.assertIn("Description : own-chassis (/etc/fmd/chassis.d/own-chassis.toml)", flat)
        self.assertIn(f'Matched by : system_id = "{HOST_ID}"', flat)
        self.assertIn("Bays : 4: 2 of its own, 2 of Backplane", flat)
        for label, disk in (("ATA port 3", "a3"), ("PCI slot 7", "a7"), ("SLOT 01", "a1"), ("SLOT 02", "-")):
            self.assertRegex(host, rf"{label} .* {disk}\n")
        self.assertIn("Part of : ACME Tower, whose description comes first", " ".join(shelf.split()))
        self.assertNotIn("://", text)
        self.assertIn(f"Id : {HOST_ID}", flat)
        self.assertIn("Bays        : 2, listed with the machine", shelf)
        self.assertNotIn("SLOT 01", shelf)
        doc = {one["fmri"]: one for one in self.json("fmadm", "chassis", "show")}
        self.assertEqual((doc[TOWER]["file"], doc[TOWER]["member_of"], doc[BOX]["member_of"]),
                         ("/etc/fmd/chassis.d/own-chassis.toml", "", TOWER))

    def test_the_backplane_is_drawn_with_the_machine(self):
        self.assertEqual(self.json("fmadm", "chassis", "draw", "--chassis", BOX.removeprefix("hc://chassis="))["fmri"], TOWER)


class Terminal(terminal.Terminal):
    """fmadm chassis map on a terminal."""

    def __init__(self, case, *words):
        super().__init__(case, [stage.program("fmadm"), "chassis", "map", *words], stage.environment(case.bus), case.folder)


class Mapping(WithDaemon):
    def lit(self):
        docs = self.json("fmadm", "chassis", "show")
        return [b["fmri"] for doc in docs for b in doc["bays"] if b["properties"].get("led.locate") == "on"]

    def written(self, name="own-chassis.toml"):
        """The written file, checked to be free of errors."""
        path = self.folder / name
        done = stage.run("fmadm", "chassis", "check", str(path))
        self.assertEqual(done.returncode, 0, done.stderr)
        return tomllib.loads(path.read_text())


SIDE = "Seen from the front, rear, top or inside? [front]"
NO_PICTURE = "How many rows of bays are at the front (0: no picture)? [0]"


class Map(Mapping):
    def start(self, *words):
        terminal = Terminal(self, *words)
        terminal.hear(("shelf [ACME Shelf]:", "My shelf"))
        return terminal

    def test_the_whole_way(self):
        t = self.start("-o", "mine.toml")
        t.until("Bay 1 of 3 blinks.")
        self.assertEqual(self.lit(), [f"{BOX}/bay=1"])
        t.hear(("label [SLOT 01]", 'A"1'), (SIDE, ""), ("rows of bays are at the front", "2"), ("in a row? [2]", ""),
               ("rack units", "4"), ("column, from the top left [1 1]", "2 1"))
        t.until("Bay 2 of 3 blinks.")
        t.until("label [SLOT 02]")
        self.assertEqual(self.lit(), [f"{BOX}/bay=2"], "one bay at a time")
        t.say('A"1')
        t.hear(("Bay 1 has that label already", "<"))
        t.until("Bay 1 of 3 blinks.")
        t.hear(("label [SLOT 01]", "?"), ("skip this bay", "B1"), (SIDE, "fr"), ("[1 1]", "9 9"),
               ("Two numbers, up to 2 and 2", "2 2"), ("label [SLOT 02]", ""), (SIDE, ""), ("[1 1]", ""),
               ("does not blink: reads back 0", ""))
        t.hear((SIDE, "upside"), ("One of front, rear, top, inside", "rear"), ("rows of bays are at the rear", "1"),
               ("in a row? [1]", ""), ("rack units", ""), ("[1 1]", ""))
        t.until("3 bays written to mine.toml")
        self.assertEqual(t.end(), 0)
        self.assertEqual(self.lit(), [])
        doc = self.written("mine.toml")
        self.assertEqual((doc["chassis"]["label"], doc["chassis"]["applies_to"]), ("My shelf", "shelf"))
        self.assertIn("mapped by hand", doc["chassis"]["source"][0])
        self.assertEqual(doc["match"], [{"ses_id": "5000c500fa0e5e50"}])
        self.assertEqual([(v["name"], v["width_mm"], v["height_mm"]) for v in doc["view"]],
                         [("front", 438.0, 176.0), ("rear", 438.0, 88.0)])
        self.assertEqual([(b["label"], b["view"], b["x_mm"], b["y_mm"], b["w_mm"], b["h_mm"], b["resolve"]) for b in doc["bay"]],
                         [("B1", "front", 219.0, 88.0, 219.0, 88.0, [{"ses_slot": "1"}]),
                          ("SLOT 02", "front", 0.0, 0.0, 219.0, 88.0, [{"ses_slot": "2"}]),
                          ("SLOT 03", "rear", 0.0, 0.0, 438.0, 88.0, [{"ses_slot": "3"}])])

    def test_the_last_side_is_the_usual_answer_and_an_option_saves_asking(self):
        t = self.start("-o", "one.toml")
        t.hear(("label [SLOT 01]", ""), (SIDE, "top"), ("rows of bays are at the top", "1"), ("in a row? [3]", ""),
               ("millimetres deep is it? [700]", "600"), ("[1 1]", ""), ("label [SLOT 02]", ""),
               ("Seen from the front, rear, top or inside? [top]", ""), ("[1 2]", ""), ("label [SLOT 03]", "-"))
        t.until("2 bays written")
        self.assertEqual(t.end(), 0)
        self.assertEqual([(b["view"], b["x_mm"], b["h_mm"]) for b in self.written("one.toml")["bay"]],
                         [("top", 0.0, 600.0), ("top", 146.0, 600.0)])
        t = self.start("-o", "two.toml", "--view", "inside")
        t.hear(("label [SLOT 01]", ""), ("rows of bays are at the inside (0: no picture)? [0]", ""), ("label [SLOT 02]", "."))
        t.until("1 bay written")
        self.assertEqual(t.end(), 0)
        self.assertNotIn("Seen from", t.all)
        self.assertNotIn("view", self.written("two.toml"))

    def test_more_bays_than_places(self):
        t = self.start()
        t.hear(("label [SLOT 01]", ""), (SIDE, ""), ("rows of bays", "1"), ("in a row?", "1"), ("rack units", ""), ("[1 1]", ""),
               ("label [SLOT 02]", ""), (SIDE, ""))
        t.until("No place is left there")
        t.hear(("label [SLOT 03]", ""), (SIDE, "rear"), ("rows of bays are at the rear", "0"))
        t.until("3 bays written")
        self.assertEqual(t.end(), 0)
        self.assertEqual(["view" in b for b in self.written()["bay"]], [True, False, False])

    def test_ctrl_c_puts_the_light_out_and_writes_nothing(self):
        for key, sign in (("\x03", "Ctrl-C"), ("\x1c", "Ctrl-\\")):
            t = self.start()
            t.until("label [SLOT 01]")
            self.assertEqual(self.lit(), [f"{BOX}/bay=1"])
            os.write(t.fd, key.encode())
            t.until("stopped; nothing was written")
            self.assertEqual(t.end(), 1, sign)
            self.assertEqual(self.lit(), [], sign)
            self.assertFalse((self.folder / "own-chassis.toml").exists())

    def test_the_end_of_input_is_no_answer(self):
        t = self.start()
        t.until("label [SLOT 01]")
        os.write(t.fd, b"\x04")
        t.until("nothing was written")
        self.assertEqual(t.end(), 1)
        self.assertEqual(self.lit(), [])

    def test_a_terminal_that_is_gone_and_a_kill_leave_no_light(self):
        for gone in (lambda t: t.close(wait=True), lambda t: os.kill(t.child(), signal.SIGTERM)):
            t = self.start()
            t.until("label [SLOT 01]")
            self.assertEqual(self.lit(), [f"{BOX}/bay=1"])
            gone(t)
            self.assertNotEqual(t.process.wait(60), 0)
            self.assertEqual(self.lit(), [])

    def wait_for_dark(self):
        """The bus tells fmd that a client has left, and our query uses another connection: either may come first."""
        end = time.monotonic() + 60
        while self.lit():
            self.assertLess(time.monotonic(), end, "a light stays on")

    def test_even_kill_9_leaves_no_light(self):
        t = self.start()
        t.until("label [SLOT 01]")
        self.assertEqual(self.lit(), [f"{BOX}/bay=1"])
        os.kill(t.child(), signal.SIGKILL)
        self.wait_for_dark()

    def test_killed_while_fmd_was_away(self):
        t = self.start()
        t.until("label [SLOT 01]")
        self.kill_fmd()
        os.kill(t.child(), signal.SIGKILL)
        self.assertNotEqual(t.process.wait(60), 0)
        self.restart()
        self.wait_for_dark()

    def test_a_dot_writes_what_there_is(self):
        t = self.start()
        t.hear(("label [SLOT 01]", "1"), (SIDE, ""), (NO_PICTURE, ""), ("label [SLOT 02]", "."))
        t.until("1 bay written to own-chassis.toml")
        self.assertEqual(t.end(), 0)
        self.assertEqual(self.lit(), [])

    def restart(self):
        """fmd after a crash and restart: it has kept the request, so the LED is still on."""
        doc = inventory()
        doc["resources"][1]["properties"]["led.locate"] = "on"
        self.fixture.write_text(json.dumps({**doc, "held": self.held}))
        self.daemon = stage.Daemon(self.bus, fixture=self.fixture)
        self.addCleanup(self.daemon.stop)

    def kill_fmd(self):
        self.held = json.loads(self.daemon.order(held=True))
        self.assertEqual(list(self.held), [f"{BOX}/bay=1"])
        self.daemon.process.send_signal(signal.SIGKILL)
        self.daemon.process.wait()

    def test_fmd_restarts_meanwhile_and_the_light_goes_out(self):
        t = self.start()
        t.until("label [SLOT 01]")
        self.kill_fmd()
        t.say("1")
        t.hear((SIDE, ""), (NO_PICTURE, ""))
        t.until("to put the light out; Ctrl-C gives up")
        self.restart()
        self.assertEqual(self.lit(), [f"{BOX}/bay=1"])
        t.until("Bay 2 of 3 blinks.")
        self.assertEqual(self.lit(), [f"{BOX}/bay=2"])
        t.hear(("label [SLOT 02]", "."))
        t.until("1 bay written")
        self.assertEqual(t.end(), 0)
        self.assertEqual(self.lit(), [])

    def test_fmd_gone_for_good(self):
        t = self.start()
        t.until("label [SLOT 01]")
        self.kill_fmd()
        os.write(t.fd, b"\x03")
        t.until("to put the light out; Ctrl-C gives up")
        os.write(t.fd, b"\x03")
        t.until("may still be on")
        t.until("fmd puts it out once it runs and this program has ended.")
        self.assertEqual(t.end(), 1)

    def test_what_it_refuses(self):
        self.assertIn("it needs a terminal", self.fails(1, "fmadm", "chassis", "map"))
        (self.folder / "there.toml").write_text("")
        t = Terminal(self, "-o", "there.toml")
        t.until("is there already")
        self.assertEqual(t.end(), 1)
        t = Terminal(self, "--chassis", "nowhere")
        t.until("no chassis is called nowhere")
        self.assertEqual(t.end(), 1)
        t = Terminal(self, "--with", "ACME Shelf", "--chassis", "ACME Shelf")
        t.until("--with: excludes --chassis")
        self.assertEqual(t.end(), 2)
        t = Terminal(self, "--with", "ACME Shelf")
        t.until("fmd does not know this machine yet")
        self.assertEqual(t.end(), 1)
        self.assertEqual([c for c in self.daemon.changes() if "locate" in c], [])


class LitByAnother(Mapping):
    @staticmethod
    def inventory():
        doc = inventory()
        doc["resources"][2]["properties"]["led.locate"] = "on"
        return doc

    def test_a_light_that_somebody_else_has_lit_stays(self):
        t = Terminal(self)
        t.until("Blinking before this began, and left so: SLOT 02.")
        t.hear(("shelf [", ""), ("label [SLOT 01]", "-"))
        t.until("Bay 2 of 3 blinks.")
        t.hear(("label [SLOT 02]", "<"), ("label [SLOT 01]", ""), (SIDE, ""), (NO_PICTURE, ""), ("label [SLOT 02]", "."))
        t.until("1 bay written")
        self.assertEqual(t.end(), 0)
        self.assertEqual(self.lit(), [f"{BOX}/bay=2"])


class MapMachine(Mapping):
    inventory = staticmethod(machine)

    def test_a_machine_with_its_backplane(self):
        t = Terminal(self, "--with", "Backplane", "--view", "front")
        t.until("4 bays will blink")
        t.hear(("shelf [Tower 1]:", ""), ("label [SLOT 01]", "1"), ("rows of bays", ""), ("label [SLOT 02]", "2"))
        t.until("Bay 3 of 4")
        t.hear(("label [ATA port 3]", "3"), ("label [PCI slot 7]", "4"))
        t.until("4 bays written")
        self.assertEqual(t.end(), 0)
        doc = self.written()
        self.assertEqual((doc["chassis"]["applies_to"], doc["match"]), ("host", [{"system_id": HOST_ID}]))
        self.assertEqual(doc["member"], [{"name": "backplane", "ses_id": "5000c500fa0e5e50"}])
        slot = {"member": "backplane"}
        self.assertEqual([(b["id"], b["resolve"]) for b in doc["bay"]], [
            ("backplane-1", [{"ses_slot": "1", **slot}, {"sas_phy": "500304801e8a3b3f/8"},
                             {"by_path": "pci-0000:3b:00.0-sas-exp0x500304801e8a3b3f-phy8-lun-0"}]),
            ("backplane-2", [{"ses_slot": "2", **slot}]),
            ("ata-0000:00:1f.2-3", [{"ata_port": "0000:00:1f.2/3"}, {"by_path": "pci-0000:00:1f.2-ata-3"}]),
            ("pci-7", [{"pci_slot": "7"}, {"by_path": "pci-0000:02:00.0-nvme-1"}])])
        self.assertEqual([b.get("locate") for b in doc["bay"]], [None, None, {"methods": ["ledctl"]}, None])

    def test_one_of_several_must_be_named(self):
        t = Terminal(self)
        t.until(f"name one with --chassis: {HOST_ID}, 5000c500fa0e5e50")
        self.assertEqual(t.end(), 1)
        t = Terminal(self, "-c", "ACME Tower")
        t.hear(("shelf [ACME Tower]:", ""), ("label [ATA port 3]", ""), (SIDE, ""), (NO_PICTURE, ""), ("label [PCI slot 7]", "."))
        t.until("1 bay written")
        self.assertEqual(t.end(), 0)
        self.assertEqual(self.written()["chassis"]["applies_to"], "host")


class MapTwins(Mapping):
    """Two shelves of the same model, which differ only in their ids."""
    @staticmethod
    def inventory():
        doc = inventory()
        twin = {"fmri": "hc://chassis=0x5000a0f1", "type": "enclosure", "properties": {"id": "0x5000a0f1", "label": "ACME Shelf"},
                "edges": []}
        return {"resources": [*doc["resources"], twin]}

    def test_by_label_they_may_be_either(self):
        t = Terminal(self, "--chassis", "ACME Shelf")
        t.until("several are called ACME Shelf; name one by its id: 0x5000a0f1, 5000c500fa0e5e50")
        self.assertEqual(t.end(), 1)
        t = Terminal(self, "--chassis", "5000a0f1")
        t.until("hc://chassis=0x5000a0f1 has no bays")
        self.assertEqual(t.end(), 1)


class Help(unittest.TestCase):
    def test_help_fits(self):
        for words in (["chassis"], ["chassis", "check"], ["chassis", "show"], ["chassis", "map"]):
            done = stage.run("fmadm", *words, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80, done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
