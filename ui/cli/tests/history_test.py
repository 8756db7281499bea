"""fmadm history and fmadm readings."""
import json
import subprocess
import tempfile
import unittest

import stage


class Asking(stage.Case):
    def asked(self):
        return [json.loads(text) for text in json.loads(self.daemon.order(asked=True))]


class History(Asking):
    def test_which_disk_sat_where(self):
        text = self.ok("fmadm", "history")
        self.assertPlain(text)
        self.assertEqual(text, """\
BAY              FROM               TO                 SERIAL
    MODEL
SLOT 06          ~2026-09-21 14:13  2026-11-18 11:06   Z1Y0AA01
    ST4000NM0033
SLOT 06          2026-11-18 11:08   now                Z1Y0DD06
    A model whose name goes on and on to no end
SLOT\\x1b[31m 07  2026-11-18 11:10   ~2026-11-18 11:11  S3

~ it had happened by then; fmd was not watching when it happened
""")

    def test_one_part(self):
        self.assertEqual(self.ok("fmadm", "history", "Z1Y0DD06"), """\
BAY      FROM              TO   SERIAL    MODEL
SLOT 06  2026-11-18 11:08  now  Z1Y0DD06  A model whose name goes on and on to
                                          no end
""")
        self.assertEqual(self.ok("fmadm", "history", "SLOT 08"), "SLOT 08: no disk has been seen in a bay there yet\n")
        self.assertIn("no part is known by the name", self.fails(1, "fmadm", "history", "nowhere"))
        self.assertEqual(self.asked(), [{"part": "Z1Y0DD06"}, {"part": "SLOT 08"}, {"part": "nowhere"}])

    def test_json(self):
        doc = self.json("fmadm", "history", "SLOT 06")
        self.assertEqual([(one["serial"], one["to"], one["from_exact"]) for one in doc],
                         [("Z1Y0AA01", 1795000000000000000, False), ("Z1Y0DD06", 0, True)])


class TwoShelves(stage.Case):
    """Both have a SLOT 06, so the shelf is named."""
    def setUp(self):
        doc = json.loads(stage.FIXTURE.read_text())
        first = {**doc["bay_history"][1], "model": "ST"}
        doc["bay_history"] = [first, {**first, "bay": "hc://chassis=0x5000a0f1/bay=6", "serial": "S2"},
                              {**first, "bay": "hc://chassis=0x5000a0f1/bay=7", "label": "SLOT 07", "serial": "S3"}]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as out:
            json.dump(doc, out)
            out.flush()
            self.fixture = out.name
            super().setUp()

    def test_whose_bay(self):
        names = [line.partition("  ")[0] for line in self.ok("fmadm", "history").splitlines()[1:] if "SLOT" in line]
        self.assertEqual(names, ["5000c500fa0e5e50/SLOT 06", "0x5000a0f1/SLOT 06", "SLOT 07"])
        self.assertIn("\nSLOT 06  ", self.ok("fmadm", "history", "Z1Y0DD06"))


class NothingYet(stage.Case):
    def setUp(self):
        doc = json.loads(stage.FIXTURE.read_text())
        doc["bay_history"] = []
        doc["readings"]["series"] = []
        doc["readings"]["damage"] = "some readings cannot be read"
        self.bus = stage.Bus()
        self.addCleanup(self.bus.stop)
        path = f"{self.bus.folder}/fixture.json"
        with open(path, "w") as out:
            json.dump(doc, out)
        self.daemon = stage.Daemon(self.bus, fixture=path)
        self.addCleanup(self.daemon.stop)

    def test_is_said(self):
        self.assertEqual(self.ok("fmadm", "history"), "No disk has been seen in a bay yet.\n")
        done = stage.run("fmadm", "readings", "SLOT 06", bus=self.bus)
        self.assertEqual((done.returncode, done.stderr), (0, "fmadm: some readings cannot be read\n"))
        self.assertTrue(done.stdout.endswith("\nNothing was measured in this time.\n"), done.stdout)


class Readings(Asking):
    def test_every_name(self):
        text = self.ok("fmadm", "readings", "SLOT 06")
        self.assertPlain(text)
        self.assertEqual(text, """\
SLOT 06 (serial Z1Y0DD06), 2026-11-14 02:48 to 2026-11-21 02:48
NAME                 LAST             MIN    MAX              MEAN
    UNIT
power_on_hours       20169            20001  20169            20085.25
    hours
smart.attr.241       281474976710655  1      281474976710655  9e+18
    \\x1b[31mblocks
temperature_celsius  34.50            31     41               33.33
    celsius
""")
        query, = self.asked()
        self.assertEqual((query["part"], "names" in query, "points" in query), ("SLOT 06", False, False))

    def test_one_name_over_time(self):
        text = self.ok("fmadm", "readings", "SLOT 06", "temperature_celsius", "--max", "5")
        self.assertEqual(text, """\
SLOT 06 (serial Z1Y0DD06), 2026-11-14 02:48 to 2026-11-21 02:48
temperature_celsius in celsius
TIME              VALUE  MIN  MAX
2026-11-18 11:06  33     31   33
2026-11-21 02:43  34.50  33   41
""")
        query, = self.asked()
        self.assertEqual((query["names"], query["points"]), (["temperature_celsius"], 5))

    def test_times(self):
        self.ok("fmadm", "readings", "SLOT 06", "smart.*", "-t", "2026-11-20", "-T", "2026-11-21T03:00Z")
        self.ok("fmadm", "readings", "SLOT 06")
        given, default = self.asked()
        self.assertEqual((given["from"], given["to"]), (1795132800000000000, 1795230000000000000))
        self.assertEqual(given["names"], ["smart.*"])
        self.assertNotIn("to", default)
        self.assertGreater(default["from"], 0)
        self.assertIn("is not a time", self.fails(2, "fmadm", "readings", "SLOT 06", "-t", "teatime"))
        self.fails(2, "fmadm", "readings")
        self.fails(2, "fmadm", "readings", "SLOT 06", "-n", "0")

    def test_json_is_the_daemons_document(self):
        doc = self.json("fmadm", "readings", "SLOT 06", "temperature_celsius")
        self.assertEqual(doc["series"][0]["points"][1], {"time": 1795229000000000000, "value": 34.5, "min": 33, "max": 41})
        self.assertIn("no part is known", self.fails(1, "fmadm", "readings", "nowhere"))


class Completion(unittest.TestCase):
    def offers(self, *words):
        script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _fmd fmadm; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, "bash", str(stage.ROOT / "data/completions/fmd.bash"), *words],
                              capture_output=True, text=True, env=stage.environment(), timeout=stage.patience())
        return done.stdout.split()

    def test_the_verbs_are_offered(self):
        self.assertEqual(self.offers("fmadm", "hist"), ["history"])
        self.assertEqual(self.offers("fmadm", "read"), ["readings"])
        self.assertIn("--since", self.offers("fmadm", "readings", "--s"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
