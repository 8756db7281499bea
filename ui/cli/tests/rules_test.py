"""fmadm rules check, rules upgrade, rules test and replay: with the tree's own rules, and with broken ones."""
import json
import pathlib
import tempfile
import unittest

import stage

import shipped

RULES = shipped.rule_folders()
EVENTS = shipped.event_options()
KNOWN = shipped.options()
SECOND = 1_000_000_000
START = 1795228920 * SECOND
VDEV = "zfs://pool=11/vdev=66"


def recording(errors):
    """A disk in a bay below a vdev, and that many checksum errors of it, one second apart."""
    resources = [
        {"fmri": "hc://chassis=5/bay=6", "type": "bay", "properties": {"label": "SLOT 06"},
         "edges": [{"relation": "contains", "to": "dev://wwn=6"}]},
        {"fmri": "dev://wwn=6", "type": "disk", "properties": {"serial": "Z1Y0DD06", "model": "ST8000NM0055"}},
        {"fmri": VDEV, "type": "zfs-vdev", "properties": {"name": "sdf", "pool": "tank", "vdev_type": "disk"},
         "edges": [{"relation": "redundancy", "to": "dev://wwn=6"}]}]
    lines = [{"at": START, "plugin": "zfs", "method": "inventory", "params": {"complete": True, "resources": resources}}]
    for i in range(errors):
        at = START + (i + 1) * SECOND
        event = {"class": "ereport.fs.zfs.checksum", "resource": VDEV, "time": at, "ena": 0,
                 "payload": {"pool": "tank", "pool_guid": 11, "vdev_guid": 66, "vdev_type": "disk", "context": "none", "scan": ""}}
        lines.append({"at": at, "plugin": "zfs", "method": "events", "params": {"events": [event]}})
    return "".join(json.dumps(line) + "\n" for line in lines)


class Local(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_fmadm(self, *words):
        return stage.run("fmadm", *words, FMD_BUS_ADDRESS="unix:path=/nonexistent")

    def put(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return str(path)


class Show(Local):
    def show(self, *words):
        return self.run_fmadm("rules", "show", *words, *KNOWN, "--rules", str(self.folder))

    def test_what_is_in_force_and_where_from(self):
        local = self.put("local.toml", '[[override]]\nrule = "zfs-checksum"\ncount = 5\n')
        done = self.show("zfs-checksum")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"# {local}:3, instead of 10:\ncount = 5\n", done.stdout)
        self.assertIn('class = "fault.fs.zfs.vdev.checksum"', done.stdout)
        rule, fault = json.loads(self.show("zfs-checksum", "--json").stdout)["rules"]
        self.assertEqual((rule["name"], fault["name"]), ("zfs-checksum", rule["fault"]))
        self.assertEqual([v for v in rule["values"] if "instead_of" in v],
                         [{"key": "count", "value": "5", "file": local, "line": 3, "instead_of": "10"}])

    def test_the_list_tells_what_is_changed_and_what_is_off(self):
        self.put("local.toml", '[[override]]\nrule = "zfs-checksum"\ncount = 5\n[[override]]\nrule = "zfs-io"\nenabled = false\n')
        lines = self.show().stdout.splitlines()
        self.assertRegex(lines[0], r"^RULE +STATE +FAULT$")
        states = {line.split()[0]: line.split()[1] for line in lines[1:]}
        self.assertEqual((states["zfs-checksum"], states["zfs-io"], states["zfs-probe"]), ("changed", "off", "on"))

    def test_names_that_there_are_not(self):
        self.put("local.toml", '[[override]]\nrule = "zfs-checksum"\ncount = 5\n')
        done = self.show("zfs-chekcsum")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn('is "zfs-checksum" meant?', done.stderr)
        self.put("local.toml", '[[override]]\nrule = "zfs-chekcsum"\ncount = 5\n')
        self.assertRegex(self.show().stderr, r'local.toml:1: override: there is no rule "zfs-chekcsum"; is "zfs-checksum" meant\?')


class Changes(Local):
    """Changes are in a folder of their own, as in /etc/fmd/rules.d."""

    def setUp(self):
        super().setUp()
        self.changes = str(self.folder / "changes")
        self.put("changes/local.toml", '[[override]]\nrule = "zfs-checksum"\ncount = 9\n')

    def test_replay_takes_the_shipped_rules_and_then_the_changes(self):
        story = self.put("story.jsonl", recording(9))
        self.assertEqual(self.run_fmadm("replay", story, *KNOWN).stdout, "No case.\n")
        done = self.run_fmadm("replay", story, *KNOWN, "--rules", self.changes)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("ZFS-8000-GH", done.stdout)

    def test_alone_they_change_nothing_and_the_error_says_what_was_read(self):
        story = self.put("story.jsonl", recording(9))
        for command in (("replay", story, "--rules", self.changes), ("rules", "test", self.changes), ("rules", "check", self.changes)):
            done = self.run_fmadm(*command, *EVENTS)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r'local.toml:1: override: there is no rule "zfs-checksum" \(rules read: '
                             rf'{self.changes}; the installed ones were not read: name \S+/rules as well, before the changes\)\n', command)
        self.put("changes/local.toml", '[[override]]\nrule = "zfs-chekcsum"\ncount = 9\n')
        done = self.run_fmadm("rules", "check", *RULES, self.changes, *EVENTS)
        self.assertIn(f'is "zfs-checksum" meant? (rules read: {RULES[0]}, ', done.stderr)

    def test_the_recordings_are_those_of_the_shipped_rules(self):
        done = self.run_fmadm("rules", "test", *RULES, self.changes, *EVENTS)
        self.assertNotIn("cannot be read", done.stderr)
        self.assertIn("zfs-checksum", done.stdout)
        done = self.run_fmadm("rules", "test", self.changes, self.changes, *EVENTS)
        self.assertEqual(done.returncode, 1)


class Explain(Local):
    def explain(self, code):
        done = self.run_fmadm("explain", code, *KNOWN)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return " ".join(done.stdout.split())

    def test_a_condition_on_members_is_said(self):
        self.assertIn("The case ends with sysevent.fs.zfs.vdev_clear or sysevent.fs.zfs.vdev_online, if by is administrator.",
                      self.explain("ZFS-8000-GH"))
        self.assertIn("Rule memory-page: 3 events of class ereport.memory.page about one part within 3d, if severity is corrected.",
                      self.explain("fault.memory.page"))
        self.assertIn("if corrected is offline and severity is corrected or deferred and level is not L3.", self.explain("fault.cpu.cache"))

    def test_ids_that_fmd_does_not_have(self):
        for code in ("ZFS-8000-9P", "zfs-8000-ey"):
            done = self.run_fmadm("explain", code, *KNOWN)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(done.stderr, f"fmadm: {code.upper()} is an id of 'zpool status', not of fmd; see zpool-status(8) and "
                                          f"https://openzfs.github.io/openzfs-docs/msg/{code.upper()}\n")
        self.assertIn("ZFS-8000-8A: ", self.explain("ZFS-8000-8A"), "of both")
        for code in ("DISK-8000-12", "ZFS-8000-ZZ"):
            self.assertNotIn("meant?", self.run_fmadm("explain", code, *KNOWN).stderr)
        self.assertIn('is "FMDL-8001-V3" meant?', self.run_fmadm("explain", "fmdk-8001-v3", *KNOWN).stderr)
        self.assertIn('is "fault.memory.page" meant?', self.run_fmadm("explain", "fault.memory.pgae", *KNOWN).stderr)

    def test_what_is_optional_in_a_text_is_left_out(self):
        self.assertIn("within SPAN of each other; ELSEWHERE.", self.explain("FMDL-8006-PC"))
        self.assertIn("The machine or enclosure reports its power supply NAME as failed.", self.explain("fault.chassis.device.psu.fail"))


class Check(Local):
    def test_the_trees_rules_are_right(self):
        done = self.run_fmadm("rules", "check", *RULES, *EVENTS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^\d+ rules in \d+ files: no errors\n$")

    def test_every_error_with_file_and_line(self):
        broken = self.put("broken.toml", '[[rule]]\nname = "x"\nkind = "serd"\ncuont = 10\nfault = "fault.no.such"\n')
        worse = self.put("worse.toml", "[[rule]\n")
        done = self.run_fmadm("rules", "check", broken, worse, *EVENTS)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, rf'{broken}:4: .*"cuont".*"?count"?')
        self.assertIn(f"{worse}:1: ", done.stderr)
        self.assertRegex(done.stderr, r"fmadm: \d+ errors\n$")
        doc = json.loads(self.run_fmadm("rules", "check", broken, *EVENTS, "--json").stdout)
        self.assertIn((broken, 4), [(e["file"], e["line"]) for e in doc["errors"]])

    def test_keys_of_earlier_releases_are_removed(self):
        old = ('# My cables.\n[[rule]]\nname = "mine"\nkind = "common"\nfaults = ["fault.mine"]\nalong = ["path"]\nparts = "disk"\n'
               'within = "60s"\nwait = "5s"\n  at_once = "30s"  # why\nwell = 0.9\n"moment" = "10s"\nfault = "fault.mine"\n\n'
               '[[fault]]\nclass = "fault.mine"\ndictionary = "MINE"\nnumber = 1\nseverity = "Major"\ntitle = "t"\ndescription = "d"\n'
               'response = "r"\nimpact = "i"\naction = "a"\n')
        mine = self.put("mine.toml", old)
        pathlib.Path(mine).chmod(0o640)
        done = self.run_fmadm("rules", "check", mine, *EVENTS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f'{mine}:10: rule "mine": "at_once" has no effect', " ".join(done.stdout.split()))
        done = self.run_fmadm("rules", "upgrade", "-n", mine, *EVENTS)
        self.assertEqual((done.returncode, done.stderr, pathlib.Path(mine).read_text()), (0, "", old))
        doc = json.loads(self.run_fmadm("rules", "upgrade", "--json", mine, *EVENTS).stdout)
        self.assertEqual([[(key["key"], key["line"]) for key in doc[which]] for which in ("removed", "replaced", "left")],
                         [[("within", 8), ("at_once", 10), ("well", 11)], [("kind", 4)], [("moment", 12)]])
        self.assertEqual(pathlib.Path(mine).read_text(), old.replace('  at_once = "30s"  # why\nwell = 0.9\n', "")
                         .replace('within = "60s"\n', "").replace('kind = "common"', 'kind = "cause"'))
        self.assertIn('"moment" is left', self.run_fmadm("rules", "upgrade", mine, *EVENTS).stdout)
        self.assertEqual(pathlib.Path(mine).stat().st_mode & 0o777, 0o640)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["mine.toml"])

    def test_a_key_of_an_override_is_removed_from_the_override(self):
        local = self.put("local.toml", '[[override]]\nrule = "common-path"\ncertainty = 70\nat_once = "5s"\n')
        done = self.run_fmadm("rules", "check", *RULES, local, *EVENTS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"{local}:4: ", done.stdout)
        done = self.run_fmadm("rules", "upgrade", *RULES, local, *EVENTS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(pathlib.Path(local).read_text(), '[[override]]\nrule = "common-path"\ncertainty = 70\n')

    def test_an_override_of_nothing_else_goes_with_its_key(self):
        local = self.put("local.toml", '# Mine.\n[[override]]\nrule = "common-path"\n# why\nat_once = "5s"\nwell = 0.8\n\n'
                         '[[override]]\nrule = "zfs-checksum"\ncount = 5\n')
        self.assertEqual(self.run_fmadm("rules", "upgrade", *RULES, local, *EVENTS).returncode, 0)
        self.assertEqual(pathlib.Path(local).read_text(), '# Mine.\n# why\n\n[[override]]\nrule = "zfs-checksum"\ncount = 5\n')
        done = self.run_fmadm("rules", "check", *RULES, local, *EVENTS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_file_that_is_a_link_stays_one(self):
        real = self.put("elsewhere/local.toml", '[[override]]\nrule = "common-path"\ncertainty = 70\nat_once = "5s"\n')
        link = self.folder / "link.toml"
        link.symlink_to(real)
        self.assertEqual(self.run_fmadm("rules", "upgrade", *RULES, str(link), *EVENTS).returncode, 0)
        self.assertTrue(link.is_symlink())
        self.assertNotIn("at_once", pathlib.Path(real).read_text())

    def test_files_without_such_keys_are_not_touched(self):
        done = self.run_fmadm("rules", "upgrade", *RULES, *EVENTS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^Nothing to do: \d+ files are up to date\n$")

    def test_events_takes_one_folder_each_time(self):
        broken = self.put("broken.toml", "[[rule]\n")
        done = self.run_fmadm("rules", "check", *EVENTS, broken)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{broken}:1: ", done.stderr)
        classes = self.put("events/mine.toml", '[class."ereport.mine"]\ndescription = "d"\n')
        done = self.run_fmadm("rules", "check", *EVENTS, "--events", classes, *RULES)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_what_is_not_there(self):
        done = self.run_fmadm("rules", "check", "/nonexistent", *EVENTS)
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nonexistent: cannot be read: No such file or directory", done.stderr)
        self.assertIn("holds no .toml file", self.run_fmadm("rules", "check", str(self.folder), *EVENTS).stderr)


class Test(Local):
    def setUp(self):
        super().setUp()
        for path in map(pathlib.Path, shipped.rule_files()):
            self.put(path.name, path.read_text())
        self.put("tests/ten.jsonl", recording(10))
        self.put("tests/ten.expect.json", '{"cases": [{"code": "ZFS-8000-GH", "suspects": [{"serial": "Z1Y0DD06"}]}]}')

    def test_passes(self):
        done = self.run_fmadm("rules", "test", str(self.folder), *EVENTS)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "ten: as expected\n", ""))

    def test_fails_and_shows_the_difference(self):
        self.put("tests/nine.jsonl", recording(9))
        self.put("tests/nine.expect.json", '{"cases": [{"code": "ZFS-8000-GH"}]}')
        self.put("tests/zero.jsonl", recording(0))
        done = self.run_fmadm("rules", "test", str(self.folder), *EVENTS)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nine: FAILED\n  cases: 1 expected, 0 found", done.stdout)
        self.assertIn("zero: FAILED\n", done.stdout)
        self.assertIn("zero.expect.json: cannot be read: No such file", " ".join(done.stdout.split()))
        self.assertEqual(done.stderr, "fmadm: 2 of 3 tests failed\n")
        docs = json.loads(self.run_fmadm("rules", "test", str(self.folder), *EVENTS, "--json").stdout)
        self.assertEqual([(d["test"], d["passed"]) for d in docs], [("nine", False), ("ten", True), ("zero", False)])
        self.assertEqual([d["fired"] for d in docs], [[], ["zfs-checksum", "zfs-checksum-io"], []])
        self.assertEqual([d["repaired"] for d in docs], [[], [], []])


class Replay(Local):
    def replay(self, text, *words):
        return self.run_fmadm("replay", self.put("story.jsonl", text), *KNOWN, *words)

    def test_the_case_in_the_usual_layout(self):
        done = self.replay(recording(10))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("Nov 21 02:42:10 00000000-0000-4000-8000-000000000001  ZFS-8000-GH    Major\n", done.stdout)
        self.assertIn('FRU         : "SLOT 06" (hc://chassis=5/bay=6/disk=Z1Y0DD06)\n', done.stdout)

    def test_nine_are_none(self):
        self.assertEqual(self.replay(recording(9)).stdout, "No case.\n")
        self.assertEqual(json.loads(self.replay(recording(9), "--json").stdout), [])

    def test_a_case_without_a_verdict_says_so_in_its_head(self):
        done = self.run_fmadm("replay", str(stage.ROOT / "plugins/zfs/rules/tests/zfs-cache-io.jsonl"), *KNOWN)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?m)^\w{3} \d\d .*  (suspected|resolved)$")
        self.assertNotRegex(done.stdout, r"(?m)^\w{3} \d\d .* -$")

    def test_json(self):
        (case,) = json.loads(self.replay(recording(10), "--json").stdout)
        self.assertEqual((case["code"], case["suspects"][0]["serial"]), ("ZFS-8000-GH", "Z1Y0DD06"))

    def test_broken_recordings(self):
        done = self.replay(recording(10) + "not json\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("story.jsonl:12: ", done.stderr)
        odd = recording(10) + json.dumps({"at": START + 60 * SECOND, "plugin": "zfs", "method": "events", "params": {
            "events": [{"class": "ereport.no.such", "resource": VDEV, "time": START, "payload": {}}]}}) + "\n"
        done = self.replay(odd)
        self.assertEqual(done.returncode, 0)
        self.assertIn("story.jsonl:12: ", done.stderr)
        self.assertIn("ZFS-8000-GH", done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
