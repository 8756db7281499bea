"""fmadm chassis draw with a fake fmd."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import stage

BOX = "hc://chassis=5000c500fa0e5e50"
CASE = "6f0b3a5e-6c1c-4a52-9d6e-2f9d6f0a7a11"


def inventory():
    """A shelf with a faulty disk in its first bay, an empty bay, a failed power supply and a fan that is not observed."""
    disk = {"fmri": "dev://wwn=1", "type": "disk",
            "properties": {"serial": "S1", "size_bytes": 4000787030016, "rotational": True, "smart.state": "observed"}}
    bays = [{"fmri": f"{BOX}/bay={slot}", "type": "bay", "edges": [], "properties": {
        "label": f"SLOT {slot:02}", "led.locate": "off", "occupied": False}} for slot in (1, 2)]
    bays[0]["edges"] = [{"relation": "contains", "to": disk["fmri"]}]
    bays[0]["properties"].update({"occupied": True, "led.locate": "on"})
    psu = {"fmri": f"{BOX}/psu=0", "type": "psu",
           "properties": {"label": "PSU A", "enclosure": BOX, "status": "critical", "reason": "AC fail"}}
    fan = {"fmri": f"{BOX}/fan=0", "type": "fan", "properties": {"label": "FAN 1", "enclosure": BOX}}
    shelf = {"fmri": BOX, "type": "enclosure", "properties": {"id": "5000c500fa0e5e50", "label": "ACME Shelf"},
             "edges": [{"relation": "contains", "to": part["fmri"]} for part in (*bays, psu, fan)]}
    case = {"uuid": CASE, "state": "SOLVED", "severity": "Major", "opened": 1, "updated": 1,
            "suspects": [{"class": "fault.io.disk", "resource": disk["fmri"], "fru": disk["fmri"], "asru": "",
                          "bay": bays[0]["fmri"], "status": "faulty", "certainty": 100}]}
    return {"resources": [shelf, *bays, psu, fan, disk], "cases": [case]}


class Draw(stage.Case):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.fixture = self.folder / "fixture.json"
        self.fixture.write_text(json.dumps(inventory()))
        super().setUp()

    def draw(self, *words):
        done = subprocess.run([stage.program("fmadm"), "chassis", "draw", *words], capture_output=True, stdin=subprocess.DEVNULL,
                              env=stage.environment(self.bus), timeout=stage.patience())
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_as_data(self):
        doc = self.json("fmadm", "chassis", "draw")
        parts = {part["label"]: part for face in doc["faces"] for part in face["parts"]}
        self.assertEqual(parts["SLOT 01"]["state"], "faulted")
        self.assertEqual(parts["SLOT 01"]["cases"], [CASE])
        self.assertEqual(parts["SLOT 01"]["locate_led"], "on")
        self.assertEqual(parts["PSU A"]["state"], "faulted", "critical: AC fail")
        self.assertEqual(parts["FAN 1"]["state"], "not known", "nothing observes it")

    def test_what_paints_is_not_taken_from_where_everybody_may_write(self):
        (self.folder / "fmd-picture.so").write_text("somebody's")
        fmadm = shutil.copy(stage.program("fmadm"), self.folder)
        for mode, beside in ((0o755, True), (0o777, False)):
            self.folder.chmod(mode)
            done = subprocess.run([fmadm, "chassis", "draw", self.folder / "out.svg"], capture_output=True, stdin=subprocess.DEVNULL, text=True,
                                  env=stage.environment(self.bus), timeout=stage.patience())
            self.assertEqual(f"cannot be opened: {self.folder}/fmd-picture.so" in done.stderr, beside, done.stderr)

    def test_formats(self):
        svg, png = self.draw(), self.draw("--png")
        self.assertTrue(svg.startswith(b"<?xml"), svg[:40])
        self.assertTrue(png.startswith(b"\x89PNG\r\n"), png[:40])
        for name, head in ("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("picture", b"<?xml"):
            self.ok("fmadm", "chassis", "draw", str(self.folder / name))
            self.assertTrue((self.folder / name).read_bytes().startswith(head), name)
        self.ok("fmadm", "chassis", "draw", "--svg", str(self.folder / "b.png"))
        self.assertTrue((self.folder / "b.png").read_bytes().startswith(b"<?xml"))
        width = lambda picture: int.from_bytes(picture[16:20], "big")  # PNG § 11.2.2, IHDR
        self.assertEqual(round(width(self.draw("--png", "--scale", "8")) / width(png)), 2)
        self.assertNotEqual(self.draw("--png", "--dark"), png)

    def test_refusals(self):
        for words, text in (
                (["--view", "rearr"], 'There is no view "rearr" of it; there are:'),
                (["-c", "nothing"], "No chassis is called nothing; there are: 5000c500fa0e5e50"),
                (["--png", "--scale", "40", str(self.folder / "x.png")], "take a smaller --scale, or SVG"),
                ([str(self.folder / "no" / "x.svg")], "No such file or directory")):
            with self.subTest(words):
                self.assertIn(text, self.fails(1, "fmadm", "chassis", "draw", *words))
        self.assertFalse((self.folder / "x.png").exists())


if __name__ == "__main__":
    unittest.main()
