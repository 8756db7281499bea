#!/usr/bin/python3
"""fmadm chassis map: a person names the bays of a simulated machine with a SES backplane, the file is installed, and the
plugins then find the same disks, even without the backplane's processor."""
import json
import os
import pathlib
import shutil
import signal
import sys
import unittest

sys.dont_write_bytecode = True
TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(TREE, "simulator"), os.path.join(TREE, "tests", "lib")]

from big_stage import BigStage  # noqa: E402  (the path has to be set before)
from host import box  # noqa: E402
from terminal import Terminal  # noqa: E402

BUILD = os.environ.get("FMD_BUILD", os.path.join(TREE, "build"))
BAYS = 4
PATIENCE = 60


def read(file):
    return file.read_text(encoding="ascii").strip()


class MapMachine(unittest.TestCase):
    def setUp(self):
        self.stage = BigStage(BUILD, {"shelves": 1, "bays": BAYS, "multipath": 0, "blank": 0},
                              files={"enclosure.toml": 'rescan = "1s"\n'})
        self.addCleanup(self.stage.stop)
        self.stage.start()
        self.stage.look()
        self.backplane = next(r["properties"]["id"] for r in self.stage.resources("enclosure"))

    def bays(self):
        """{bay's label: (its FMRI, its disk)} of the present bays."""
        return {r["properties"]["label"]: (r["fmri"], [edge["to"] for edge in r["edges"]])
                for r in self.stage.resources("bay") if r["present"]}

    def lit(self):
        return [r["fmri"] for r in self.stage.resources("bay") if r["properties"].get("led.locate") == "on"]

    def begin(self, *words):
        """The map's dialogue at its first bay, which blinks."""
        terminal = Terminal(self, [self.stage.binary("fmadm"), "--bus", f"unix:path={self.stage.bus}", "chassis", "map", "--with",
                                   self.backplane, "--view", "front", *words])
        terminal.hear((f"shelf [{box.PRODUCT}]:", "Head"))
        return terminal

    def test_killed_it_leaves_no_light(self):
        terminal = self.begin("-o", self.stage.path("none.toml"))
        terminal.until(f"Bay 1 of {BAYS} blinks.", PATIENCE)
        os.kill(terminal.child(), signal.SIGKILL)
        self.stage.wait(lambda: not self.lit(), PATIENCE, "the light to be out")
        # The same while fmd does not run.
        terminal = self.begin("-o", self.stage.path("none.toml"))
        terminal.until(f"Bay 1 of {BAYS} blinks.", PATIENCE)
        self.stage.kill()
        os.kill(terminal.child(), signal.SIGKILL)
        terminal.process.wait(PATIENCE)
        self.stage.restart()
        self.stage.wait(self.stage.settled, PATIENCE, "fmd to be back")
        self.stage.wait(lambda: not self.lit(), PATIENCE, "the light to be out")
        light = os.path.join(self.stage.host.folder, "sys/class/enclosure")
        self.assertEqual({read(file) for file in pathlib.Path(light).glob("*/*/locate")}, {"0"})

    def map(self):
        """A person names the bays A4 to A1, the last bay first."""
        file = self.stage.path("mapped.toml")
        terminal = self.begin("-o", file)
        for bay in range(BAYS):
            terminal.until(f"Bay {bay + 1} of {BAYS} blinks.", PATIENCE)
            self.assertEqual(self.lit(), [f"hc://chassis={self.backplane}/bay={bay + 1}"])
            terminal.hear(("printed label", f"A{BAYS - bay}"))
            if bay == 0:
                terminal.hear(("rows of bays", "1"), ("in a row?", ""), ("rack units", "1"))
            terminal.hear(("row and column", f"1 {BAYS - bay}"))
        terminal.until(f"{BAYS} bays written")
        self.assertEqual(terminal.end(), 0)
        self.stage.wait(lambda: not self.lit(), PATIENCE, "all lights to be out")
        check = self.stage.run("fmadm", "chassis", "check", file)
        self.assertEqual(check.stdout, f"1 description with {BAYS} bays: no errors\n", check.stderr)
        return file

    def test_the_file_finds_the_same_disks(self):
        before = self.bays()
        shutil.copy(self.map(), self.stage.path("chassis.d"))
        wanted = {f"A{BAYS + 1 - bay}": before[f"Slot {bay:02d}"] for bay in range(1, BAYS + 1)}
        self.stage.wait(lambda: self.bays() == wanted, PATIENCE, lambda: f"{wanted}; there is {self.bays()}")
        first = next(r["properties"] for r in self.stage.resources("bay") if r["properties"]["label"] == "A1")
        self.assertEqual((first["view"], first["x_mm"], first["w_mm"], first["h_mm"]), ("front", 0.0, 109.5, 44.0))
        head = next(r["properties"] for r in self.stage.resources("enclosure") if r["fmri"] == f"hc://chassis={box.ID}")
        self.assertEqual((head["product"], head["views"]), ("Head", "front:438.0x44.0"))
        # The mapping is in force: its file, what it matches, and the bays in the machine's picture.
        shown = " ".join(self.stage.run("fmadm", "chassis", "show", "-v").stdout.split())
        for words in (f"Description : mapped ({self.stage.path('chassis.d')}/mapped.toml)", f'Matched by : system_id = "{box.ID}"',
                      f"Bays : {BAYS}: 0 of its own, {BAYS} of FMSIM JBOD-12G", "Part of : Head, whose"):
            self.assertIn(words, shown)
        drawn = json.loads(self.stage.run("fmadm", "chassis", "draw", "--json").stdout)
        front = next(face for face in drawn["faces"] if face["name"] == "front")
        self.assertEqual((drawn["fmri"], front["to_scale"], sorted(part["label"] for part in front["parts"])),
                         (f"hc://chassis={box.ID}", True, [f"A{bay}" for bay in range(1, BAYS + 1)]))
        # The enclosure processor dies: the disks stay in their bays, which the expander's phys identify.
        shutil.rmtree(os.path.join(self.stage.host.folder, "sys/class/enclosure"))
        by_phy = {f"A{BAYS + 1 - bay}": (f"hc://chassis={box.ID}/bay=backplane-{bay}", before[f"Slot {bay:02d}"][1])
                  for bay in range(1, BAYS + 1)}
        self.stage.wait(lambda: self.bays() == by_phy, PATIENCE, lambda: f"{by_phy}; there is {self.bays()}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
