"""fmadm faulty and fmadm resilver: the layout, the selection, and what may not happen with hostile text."""
import copy
import json
import pathlib
import tempfile
import unittest

import stage

UUID = "d482f935-5c8f-4b9a-9f25-d0aaafec1e6c"
RESOLVED = "99999999-2222-4333-8444-555555555555"
HEADER = """\
--------------- ------------------------------------  -------------- ---------
TIME            EVENT-ID                              MSG-ID         SEVERITY
--------------- ------------------------------------  -------------- ---------
"""
ROW = "Nov 21 02:42:09 d482f935-5c8f-4b9a-9f25-d0aaafec1e6c  ZFS-8000-GH    Major\n"
FAULTY = HEADER + ROW + """
Host        : store1
Platform    : Standard PC\tChassis_id  : C123
Product_sn  : -

Fault class : fault.fs.zfs.vdev.checksum
Affects     : zfs://pool=11/vdev=66
                  degraded but still in service
FRU         : "SLOT 06" (hc://chassis=5000c500fa0e5e50/bay=6/disk=Z1Y0DD06)
                  faulty
Serial      : Z1Y0DD06
Model       : ST8000NM0055
Part number : 1RM112
Device      : /dev/sdf
Progress    : spare in SLOT 07 (serial Z1Y0DD07) resilvering: 42.3 % done, 93.8
              MiB/s, 00:03:10 left
Waiting     : out-of-service: the spare does not hold all the data yet

Description : The disk in SLOT 06 (serial Z1Y0DD06) returned wrong data for pool
              tank 10 times.
Response    : The disk was marked degraded and a hot spare was brought in; its
              fault light is on.
Impact      : The pool goes on working.
Action      : Replace the disk in SLOT 06 with one of at least the same size;
              the rest happens by itself.
"""


class Faulty(stage.Case):
    def test_layout(self):
        self.assertEqual(self.ok("fmadm", "faulty"), FAULTY)

    def test_summary(self):
        self.assertEqual(self.ok("fmadm", "faulty", "-s"), HEADER + ROW)

    def test_all_includes_undecided_and_resolved(self):
        lines = self.ok("fmadm", "faulty", "-a", "-s").splitlines()[3:]
        self.assertEqual([line.split()[3] for line in lines], [RESOLVED, UUID, "11111111-2222-4333-8444-555555555555"])
        self.assertEqual(lines[2].split()[4:], ["-", "-"])

    def test_newest(self):
        self.assertEqual(self.ok("fmadm", "faulty", "-a", "-s", "-n", "1").splitlines()[3].split()[3],
                         "11111111-2222-4333-8444-555555555555")

    def test_by_fru(self):
        self.assertEqual(self.ok("fmadm", "faulty", "-f"),
                         '"SLOT 06" (hc://chassis=5000c500fa0e5e50/bay=6/disk=Z1Y0DD06)\n'
                         "    faulty\n"
                         "    d482f935-5c8f-4b9a-9f25-d0aaafec1e6c  ZFS-8000-GH    Major    100%\n")

    def test_by_resource(self):
        self.assertEqual(self.ok("fmadm", "faulty", "-r"),
                         "zfs://pool=11/vdev=66\n"
                         "    degraded but still in service\n"
                         "    d482f935-5c8f-4b9a-9f25-d0aaafec1e6c  ZFS-8000-GH    Major    100%\n")

    def test_one_case_whatever_its_state(self):
        text = self.ok("fmadm", "faulty", "-u", RESOLVED)
        self.assertIn("State       : RESOLVED\nResolved    : Nov 21 01:36:40\n", text)
        self.assertIn("                  replaced and in service\n", text)
        self.assertIn("no case 00000000", self.fails(1, "fmadm", "faulty", "-u", "00000000"))

    def test_verbose_adds_actions_evidence_and_timeline(self):
        text = self.ok("fmadm", "faulty", "-v")
        self.assertIn("State       : SOLVED\n", text)
        self.assertIn("Action taken: retire: degraded (done)\n", text)
        self.assertIn("Evidence    : 12 events\n", text)
        self.assertIn("  Nov 21 02:42:09  diagnosed    10 checksum errors within 10 minutes on the disk\n"
                      "                                in SLOT 06.\n", text)
        self.assertPlain(text)

    def test_verbose_tells_what_a_rule_about_a_state_has_seen(self):
        case = json.loads(stage.FIXTURE.read_text())["cases"][0]
        seen = {"time": 1795228929000000000, "since": 1795228329000000000, "rule": "smart-hung",
                "resource": "dev://wwn=5000c500a0000006", "property": "smart.state", "value": "hung\x1b[2J"}
        case.update({"evidence": [], "evidence_count": 0, "observations": [seen]})
        self.daemon.order(case=case)
        text = self.ok("fmadm", "faulty", "-v")
        self.assertIn("\nEvidence    : 1 observation\n"
                      "              Nov 21 02:42:09  smart.state is hung\\x1b[2J, since Nov 21 02:32:09\n"
                      "                               (rule smart-hung)\n\n", text)
        self.assertPlain(text)
        case.update({"evidence_count": 1, "evidence": [{"seq": 1, "time": 1, "class": "ereport.x"}],
                     "observations": [seen, seen]})
        self.daemon.order(case=case)
        self.assertIn("\nEvidence    : 1 event, 2 observations\n", self.ok("fmadm", "faulty", "-v"))
        case.update({"evidence_count": 0, "evidence": [], "observations": []})
        self.daemon.order(case=case)
        self.assertIn("\nEvidence    : none recorded\n", self.ok("fmadm", "faulty", "-v"))

    def test_out_of_service_and_absent(self):
        vdev = {"fmri": "zfs://pool=11/vdev=66", "type": "zfs-vdev",
                "properties": {"service": "out-of-service", "spare": "active", "spare_by": "zfs://pool=11/vdev=77"},
                "edges": [{"relation": "redundancy", "to": "dev://wwn=5000c500a0000006"}]}
        self.daemon.order(resource=vdev)
        text = self.ok("fmadm", "faulty")
        self.assertIn("                  faulted and taken out of service\n", text)
        self.assertIn("Progress    : spare in SLOT 07 (serial Z1Y0DD07) in use, holds all the data\n", text)

    def test_json_is_the_document(self):
        cases = self.json("fmadm", "faulty")
        self.assertEqual([c["uuid"] for c in cases], [UUID])
        self.assertEqual(cases[0]["suspects"][0]["location"], "SLOT 06")
        self.assertEqual(len(self.json("fmadm", "faulty", "-a")), 3)

    def test_nothing_faulty_is_nothing_printed(self):
        case = json.loads(stage.FIXTURE.read_text())["cases"][0]
        case["state"] = "REPAIRED"
        case["suspects"][0]["status"] = "replaced"
        self.daemon.order(case=case, event="repaired")
        self.assertEqual(self.ok("fmadm", "faulty"), "")
        self.assertEqual(self.json("fmadm", "faulty"), [])

    def test_two_suspects(self):
        case = json.loads(stage.FIXTURE.read_text())["cases"][0]
        second = copy.deepcopy(case["suspects"][0])
        second.update({"class": "fault.io.hba", "certainty": 25, "asru": "dev://serial=HBA", "location": "PCI 2",
                       "fru_path": "hc://slot=2", "serial": "H1", "model": "", "part_number": "", "device_path": ""})
        case["suspects"][0]["certainty"] = 75
        case["suspects"].append(second)
        self.daemon.order(case=case)
        text = self.ok("fmadm", "faulty")
        self.assertIn("Fault class : fault.fs.zfs.vdev.checksum 75%\n              fault.io.hba 25%\n", text)
        self.assertIn("              dev://serial=HBA\n                  faulted but still in service\n", text)
        self.assertIn('FRU         : "PCI 2" (hc://slot=2)\n                  faulty\nSerial      : H1\n', text)

    def test_actions_that_name_their_part(self):
        case = json.loads(stage.FIXTURE.read_text())["cases"][0]
        name = "led hc://chassis=5000c500fa0e5e50/bay=6"
        case["actions"] = {name: {"state": "failed", "detail": "no plugin takes it", "attempts": 2}}
        case["timeline"] = [{"time": 1795228929000000000, "kind": name, "text": "cannot light it"}]
        self.daemon.order(case=case)
        text = self.ok("fmadm", "faulty", "-v")
        self.assertIn("Failed      : fault LED of SLOT 06: no plugin takes it (2 attempts)\n", text)
        self.assertIn("  Nov 21 02:42:09  led          cannot light it\n", text)

    def test_wrong_usage(self):
        self.assertIn("--fru", self.fails(2, "fmadm", "faulty", "-f", "-r"))
        self.fails(2, "fmadm", "faulty", "-n", "0")
        self.fails(2, "fmadm", "faulty", "--colour")


class Hostile(stage.Case):
    """Serial numbers, labels and texts that try to drive the terminal, or are very long."""

    def setUp(self):
        doc = json.loads(stage.FIXTURE.read_text())
        evil = "\x1b[2J\r\n\u202eDLROW\u0000\u200b Z\u00e4\u78c1\u76d8 "
        case = doc["cases"][0]
        case["suspects"][0].update({"serial": evil + "S" * 200, "model": evil, "location": evil, "fru_path": evil,
                                    "part_number": "P" * 200, "device_path": evil})
        case["description"] = "first" + evil + "\nFRU         : \"SLOT 99\" forged\n" + "word " * 100
        case["timeline"][0]["text"] = evil
        case["actions"]["retire"] = {"state": "refused", "detail": evil, "attempts": 3}
        doc["config"]["host"]["name"] = evil
        doc["plugins"][0]["reason"] = evil
        for resource in doc["resources"]:
            for name in ("label", "serial", "name"):
                if name in resource["properties"]:
                    resource["properties"][name] = evil + resource["properties"][name]
        doc["events"][2]["payload"] = {evil: evil}
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.fixture = pathlib.Path(folder.name, "hostile.json")
        self.fixture.write_text(json.dumps(doc))
        super().setUp()

    def test_nothing_is_obeyed_and_nothing_is_forged(self):
        for words in (["fmadm", "faulty", "-v"], ["fmadm", "faulty", "-f"], ["fmadm", "faulty", "-r"],
                      ["fmadm", "config"], ["fmadm", "resilver"], ["fmdump", "-V"], ["fmdump", "-e", "-V"],
                      ["fmstat"], ["fmstat", "-s"], ["fmtopo", "-V"]):
            with self.subTest(words):
                self.assertPlain(self.ok(*words))
        text = self.ok("fmadm", "faulty")
        self.assertIn("\\x1b[2J", text)
        self.assertIn("Z\u00e4\u78c1\u76d8", text)
        self.assertNotIn('\nFRU         : "SLOT 99"', text)

    def test_json_gives_the_bytes_back(self):
        self.assertIn("\x1b[2J", self.json("fmadm", "faulty")[0]["suspects"][0]["serial"])


class Resilver(stage.Case):
    def test_progress(self):
        self.assertEqual(self.ok("fmadm", "resilver"), """\
tank (DEGRADED): resilver, 42.3 % done, 93.8 MiB/s, 00:03:10 left, started Nov
    21 02:57:05
  [#####################.............................]
  SLOT 06 (serial Z1Y0DD06): spare in use: SLOT 07 (serial Z1Y0DD07),
      resilvering
""")

    def test_json(self):
        (pool,) = self.json("fmadm", "resilver")
        self.assertEqual((pool["pool"], pool["scan"], pool["seconds_left"]), ("tank", "resilver", 190))
        self.assertEqual(pool["moves"], [{"kind": "spare", "state": "resilvering", "old": "zfs://pool=11/vdev=66",
                                          "new": "zfs://pool=11/vdev=77", "old_bay": "SLOT 06", "new_bay": "SLOT 07"}])

    def test_wait_ends_with_the_resilver(self):
        import subprocess
        waiting = subprocess.Popen([stage.program("fmadm"), "resilver", "-w"], stdout=subprocess.PIPE, text=True,
                                   env=stage.environment(self.bus))
        self.addCleanup(waiting.stdout.close)
        self.assertIn("42.3 %", waiting.stdout.readline())
        doc = {r["fmri"]: r for r in json.loads(stage.FIXTURE.read_text())["resources"]}
        vdev, pool = doc["zfs://pool=11/vdev=66"], doc["zfs://pool=11"]
        vdev["properties"]["spare"] = "active"
        pool["properties"] = {"name": "tank", "health": "DEGRADED", "scan": "none", "last_scan_text": "resilvered 31.5M"}
        self.daemon.order(resource=vdev)
        self.daemon.order(resource=pool)
        rest = waiting.stdout.read()
        self.assertEqual(waiting.wait(30), 0)
        self.assertTrue(rest.endswith("tank (DEGRADED): no resilver or scrub is running; last: resilvered 31.5M\n"
                                      "  SLOT 06 (serial Z1Y0DD06): spare in use: SLOT 07 (serial Z1Y0DD07), holds all\n"
                                      "      the data\n"), rest)


if __name__ == "__main__":
    unittest.main(verbosity=2)
