"""fmadm faulty and fmadm resilver: layout, selection, and safety with hostile text."""
import copy
import json
import pathlib
import tempfile
import unittest

import stage

UUID = "d482f935-5c8f-4b9a-9f25-d0aaafec1e6c"
VDEV = "zfs://pool=11/vdev=66"
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

Fault class : fault.fs.zfs.vdev.checksum
Affects     : zfs://pool=11/vdev=66
                  degraded but still in service
FRU         : "SLOT 06" (hc://chassis=5000c500fa0e5e50/bay=6/disk=Z1Y0DD06)
                  faulty
Serial      : Z1Y0DD06
Model       : ST8000NM0055
Part number : 1RM112
Device      : /dev/sdf
State       : SOLVED, waiting for the spare to hold all data, and for the repair
              of SLOT 06 (serial Z1Y0DD06)
Progress    : spare in SLOT 07 (serial Z1Y0DD07) resilvering: 42.3 % done, 93.8
              MiB/s, 00:03:10 left
Planned     : SLOT 06 (serial Z1Y0DD06) out of service: the spare does not hold
              all the data yet

Description : The disk in SLOT 06 (serial Z1Y0DD06) returned wrong data for pool
              tank 10 times.
Response    : The disk was marked degraded and a hot spare was brought in; its
              fault light is on.
Impact      : The pool goes on working.
Action      : Replace the disk in SLOT 06 with one of at least the same size;
              the rest happens by itself.
"""


def explanation(kind, count=1, of=1, odds=0, probability=0.0, **more):
    return {"kind": kind, "parts": ["dev://wwn=1"], "count": count, "of": of, "within": 28 * 60 * 10**9, "log10_odds": odds,
            "probability": probability, "excluded": False, **more}


class Why(stage.Case):
    def account(self, *explanations, **more):
        return {"part": "hc://chassis=5000c500fa0e5e50/bay=6", "way": "path", "hard": True, "own": False, "age": 3 * 10**9,
                "explanations": list(explanations), **more}

    def test_odds_in_words_and_numbers(self):
        hands = {**explanation("person", 22, 22), "excluded": True, "group": "zfs://pool=11/vdev=0"}
        del hands["log10_odds"]
        found = [self.account(explanation("path", 22, 24, probability=0.9999, names=["dev://sas=500a", "dev://pci=1"]),
                              explanation("batch", 22, 40, odds=-12.2), explanation("alone", 22, 22, odds=-30.4), hands)]
        self.daemon.order(explanations=found)
        text = " ".join(self.ok("fmadm", "why", "d482f935").split())
        self.assertIn("(or dev://pci=1, with the same disks) explains 22 of 24 disks within 28min: most likely (99.9 %)", text)
        self.assertIn("a bad batch: 22 of 40 disks of one model within 28min: one chance in 10^12", text)
        self.assertIn("each disk by itself: one chance in 10^30", text)
        self.assertIn("a person who removed 22 disks within 28min: impossible, zfs://pool=11/vdev=0 cannot lose that many", text)
        self.assertEqual(self.json("fmadm", "why", "d482f935")["explanations"], found)

    def test_a_part_and_everything(self):
        self.daemon.order(explanations=[self.account(explanation("alone", probability=0.7), explanation("machine", 1, 9, odds=-0.4),
                                                     explanation("person", odds=-1.6))])
        for words in (["SLOT", "06"], ["SLOT 06"], []):
            text = self.ok("fmadm", "why", *words)
            self.assertPlain(text)
            self.assertNotIn("SOLVED", text)
            self.assertIn("fails, since 3s", text)
            self.assertIn("the disk itself: undecided (70 %)", text)
            self.assertIn("the machine itself explains 1 of 9 disks: one chance in 3", text)
            self.assertIn("a person who removed it: one chance in 40", text)
        self.assertNotIn("case", self.json("fmadm", "why", "SLOT 06"))
        self.daemon.order(explanations=[])
        self.assertIn('knows of none at SLOT 06. Its cases: fmadm faulty "SLOT 06"', " ".join(self.ok("fmadm", "why", "SLOT 06").split()))
        self.assertIn("knows of no disk that fails", self.ok("fmadm", "why"))
        self.daemon.order(explanations=[{"part": 7, "explanations": [7, {"kind": 1, "probability": "x", "log10_odds": []}]}, 7])
        self.ok("fmadm", "why", "SLOT 06")
        self.assertIn("neither a case", self.fails(1, "fmadm", "why", "SLOT 77"))

    def test_a_case_of_one_part(self):
        text = self.ok("fmadm", "why", "d482f935")
        self.assertPlain(text)
        self.assertIn(f"{UUID}, SOLVED", text)
        self.assertIn("Accused, by rule zfs-checksum:\n  100% SLOT 06 (serial Z1Y0DD06): ", text)
        self.assertNotIn("Explained by it", text)
        self.assertIn(" diagnosed: ", text)
        self.assertNotIn("retire:", text, "what was done is no reason")

    def test_what_a_cause_explains(self):
        with open(stage.FIXTURE, encoding="utf-8") as file:
            case = next(c for c in json.load(file)["cases"] if c["uuid"] == UUID)
        suspect = {**case["suspects"][0], "class": "fault.io.path.shared", "certainty": 80, "resource": "dev://pci=0000:03:00.0", "fru": "",
                   "location": "", "facts": {"failing": "4 of 4", "span": "3s", "elsewhere": "of 12 elsewhere none did", "parts": "SLOT 01"}}
        cause = {**case, "uuid": "aaaaaaaa-0000-4000-8000-000000000001", "rules": ["common-path"], "suspects": [suspect]}
        child = {**case, "uuid": "bbbbbbbb-0000-4000-8000-000000000001", "rules": ["zfs-io"], "state": "UNSOLVED", "suspects": [], "code": "",
                 "explained_by": cause["uuid"], "evidence_count": 10,
                 "timeline": [{"time": case["opened"], "kind": "waiting", "text": "rule zfs-io suspects sdb; waits 15s before it says so"}]}
        self.daemon.order(case=cause)
        self.daemon.order(case=child)
        text = self.ok("fmadm", "why", "aaaaaaaa")
        self.assertIn("\n  80% ", text)
        self.assertIn("4 of 4 parts that hang on it failed within 3s; of 12 elsewhere none did:", text)
        self.assertIn("Explained by it, and not accused:\n  rule zfs-io suspects sdb, 10 events\n", text)
        self.assertIn("UNSOLVED, explained by case aaaaaaaa", self.ok("fmadm", "why", "bbbbbbbb").replace("\n    ", " "))
        self.assertEqual([c["uuid"] for c in self.json("fmadm", "why", "aaaaaaaa")["explains"]], [child["uuid"]])

    def test_none_such(self):
        self.assertIn("no case", self.fails(1, "fmadm", "why", "77777777").lower())


class Faulty(stage.Case):
    def test_layout(self):
        self.assertEqual(self.ok("fmadm", "faulty"), FAULTY)

    def advised_case(self, **more):
        case = json.loads(stage.FIXTURE.read_text())["cases"][0]
        case["say"] = {"state": "spare_resilvering", "needs": "fmd", "headline": "SLOT 06: returns wrong data",
                       "do_now": "Do not pull the disk in SLOT 06 until the spare SLOT 07 holds its data.",
                       "steps": ["'fmadm locate on \"SLOT 06\"' lights the locate LED of SLOT 06."],
                       "safe_to_pull": {"answer": "no", "why": "the spare SLOT 07 does not hold all its data yet"},
                       "done": [], "next": [], "disagree": []}
        case.update(more)
        self.daemon.order(case=case)
        return case

    def test_the_layout_of_fma_has_the_advice_as_it_is_now(self):
        case = self.advised_case()
        action = """\
Action      : SLOT 06: returns wrong data. Do not pull the disk in SLOT 06 until
              the spare SLOT 07 holds its data.
              1. 'fmadm locate on "SLOT 06"' lights the locate LED of SLOT 06.
Safe to pull: no: the spare SLOT 07 does not hold all its data yet
"""
        for command in (("fmadm", "faulty", "--fma"), ("fmadm", "faulty", "-v"), ("fmdump", "-V")):
            text = self.ok(*command)
            self.assertIn("Response    : ", text)
            self.assertIn(action, text, command)
            self.assertNotIn("Replace the disk in SLOT 06 with one of", text, "the rule's text is of the diagnosis")
        case["say"].update(do_now="Wait until the new disk holds all data.", steps=[],
                           safe_to_pull={"answer": "not_a_part", "why": ""})
        self.daemon.order(case=case)
        text = self.ok("fmadm", "faulty", "--fma")
        self.assertTrue(text.endswith("Action      : SLOT 06: returns wrong data. Wait until the new disk holds all\n"
                                      "              data.\n"), text)

    def test_what_informs_waits_for_no_repair(self):
        case = self.advised_case(information=True)
        self.assertIn("State       : SOLVED, no action is needed\n", self.ok("fmadm", "faulty", "--fma"))
        self.assertIn("SOLVED, no action is needed\n", self.ok("fmadm", "why", case["uuid"]))

    def test_each_accused_part_is_named_as_in_the_advice(self):
        self.daemon.order(resource={"fmri": "dev://pci=0000:00:02.0", "type": "hba",
                                    "properties": {"address": "0000:00:02.0", "class_name": "SCSI controller"}})
        case = json.loads(stage.FIXTURE.read_text())["cases"][0]
        suspect = case["suspects"][0]
        path = {**suspect, "resource": "dev://pci=0000:00:02.0", "asru": "", "fru": "dev://pci=0000:00:02.0", "location": "", "serial": ""}
        cable = {**path, "resource": "dev://path=pci-0000:00:02.0-sas", "fru": "dev://path=pci-0000:00:02.0-sas", "location": "cable of port 2"}
        self.advised_case(suspects=[path, cable])
        self.assertIn("State       : SOLVED, waiting for the repair of SCSI controller 0000:00:02.0 or\n"
                      "              cable of port 2\n", self.ok("fmadm", "faulty", "--fma"))

    def test_it_says_the_same_where_fmd_is_older_or_cases_ended_meanwhile(self):
        for otherwise in ("knows_around_cases", "around_cases_is_late"):
            self.daemon.order(**{otherwise: otherwise == "around_cases_is_late"})
            self.assertEqual(self.ok("fmadm", "faulty"), FAULTY, otherwise)
            self.daemon.order(**{otherwise: otherwise == "knows_around_cases"})

    def test_its_action_is_that_of_the_moment(self):
        """FMA's layout too: the rule's text still asks for what was done."""
        with open(stage.FIXTURE, encoding="utf-8") as file:
            case = next(c for c in json.load(file)["cases"] if c["uuid"] == UUID)
        say = {"state": "resilvering", "needs": "fmd", "headline": "SLOT 06: its replacement is being filled", "do_now": "Wait until the new disk holds all data.",
               "steps": ["'fmadm resilver' shows the progress."], "safe_to_pull": {"answer": "no", "why": "it is the new one"}, "done": [], "next": [], "disagree": []}
        self.daemon.order(case={**case, "say": say})
        for layout in (("--fma",), ("-v",)):
            text = " ".join(self.ok("fmadm", "faulty", *layout, "-u", UUID).split())
            self.assertIn("Action : SLOT 06: its replacement is being filled. Wait until the new disk holds all data. 1. 'fmadm resilver' shows", text)
            self.assertNotIn("Replace the disk in SLOT 06", text)

    def test_summary(self):
        self.assertEqual(self.ok("fmadm", "faulty", "-s"), HEADER + ROW + """\
                SLOT 06 (serial Z1Y0DD06): The disk in SLOT 06 (serial Z1Y0DD06)
                returned wrong data for pool tank 10 times.
""")

    def test_all_includes_undecided_and_resolved(self):
        lines = [line for line in self.ok("fmadm", "faulty", "-a", "-s").splitlines()[3:] if not line.startswith(" ")]
        self.assertEqual([line.split()[3] for line in lines], [RESOLVED, UUID, "11111111-2222-4333-8444-555555555555"])
        self.assertEqual(lines[2].split()[4:], ["suspected"])

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

    def test_a_case_is_also_meant_by_its_id_alone(self):
        for words in ((UUID,), (UUID[:8],), (UUID[:8].upper(),), (RESOLVED,)):
            self.assertEqual(self.ok("fmadm", "faulty", *words), self.ok("fmadm", "faulty", "-u", *words), words)
        self.assertIn("nothing is known as", self.fails(1, "fmadm", "faulty", "00000000-2222-4333-8444-555555555555"))
        self.assertIn("There is no case 00000000", self.fails(1, "fmadm", "faulty", "00000000"))

    def test_the_beginning_of_an_id_is_sought_by_fmd(self):
        self.daemon.order(finds_prefixes=True)
        self.ok("fmadm", "faulty", "-u", UUID[:8])
        self.assertEqual(self.daemon.order(cases_sent=True), "[1,1]")  # once for its id, once for the whole case

    def test_a_part_comes_before_a_case_of_that_id(self):
        self.daemon.order(resource={"fmri": "dev://serial=D482F935", "type": "disk", "properties": {"serial": "d482f935"}})
        self.assertEqual(self.ok("fmadm", "faulty", UUID[:8]), "")

    def test_verbose_adds_actions_evidence_and_timeline(self):
        text = self.ok("fmadm", "faulty", "-v")
        self.assertIn("State       : SOLVED, waiting for ", text)
        self.assertIn("Action taken: SLOT 06 (serial Z1Y0DD06) degraded\n", text)
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

    def test_wrong_usage(self):
        self.assertIn("--fru", self.fails(2, "fmadm", "faulty", "-f", "-r"))
        self.fails(2, "fmadm", "faulty", "-n", "0")
        self.fails(2, "fmadm", "faulty", "--colour")


class Actions(stage.Case):
    """The actions of a case, what prevents them, and what the user can do."""

    def said(self, *actions, verbose=False, **more):
        """The fields between the FRU's and the description, one line each."""
        case = json.loads(stage.FIXTURE.read_text())["cases"][0]
        case["actions"] = [{"kind": kind, "part": VDEV, "state": state, **rest} for kind, state, rest in actions]
        case.update(more)
        self.daemon.order(case=case)
        words = ("-v",) if verbose else ()
        text = self.ok("fmadm", "faulty", "-u", UUID, *words)
        self.assertPlain(text)
        fields = text[text.index("Device "):text.index("\nDescription")].replace("\n              ", " ").splitlines()[1:]
        return [line for line in fields if not line.startswith(("Progress", "State"))]

    def test_every_obstacle_has_its_meaning_and_what_to_do(self):
        for obstacle, words in {
                "busy": "a scrub, resilver or rebuild runs; automatic, after that",
                "no-spare": "no spare is available; give the pool a spare, or replace the disk soon",
                "no-plugin": "no plugin that can do it is connected; see: fmadm config",
                "not-accepted": "the new disk is not blank, too small, or in use; put a blank one in that is at least as large",
                "last-copy": "data would go with it; bring its redundancy back, or copy the data off, first",
                "blast-radius": "too many parts of its group are out already; look at them first; "
                                "'fmadm retire \"SLOT 06\"' does it by hand",
                "undecided": "it may be what several disks hang on; look at the cable and the controller first; "
                             "'fmadm retire \"SLOT 06\"' does it by hand",
                "person": "an administrator's order keeps it in service; 'fmadm retire \"SLOT 06\"' takes it out anyway",
                "contested": "somebody else puts it back into service again and again; find out who; "
                             "'fmadm retire \"SLOT 06\"' takes it out by hand",
                "not-ours": "somebody else has changed it since; fmd does not undo it; 'fmadm restore \"SLOT 06\"' does it by hand",
                "error": "its plugin could not"}.items():
            with self.subTest(obstacle):
                self.assertEqual(self.said(("retire", "refused", {"obstacle": obstacle})),
                                 [f"Refused     : SLOT 06 (serial Z1Y0DD06) degraded: {words}"])

    def test_fmds_own_reason_goes_before_the_meaning(self):
        self.assertEqual(
            self.said(("spare", "waiting", {"obstacle": "no-spare", "detail": "both spares of tank are in use"}),
                      ("replace", "failed", {"obstacle": "error", "detail": "cannot open 'sdf'", "attempts": 4})),
            ["Waiting     : hot spare for SLOT 06 (serial Z1Y0DD06): both spares of tank are in use; "
             "give the pool a spare, or replace the disk soon",
             "Failed      : new disk for SLOT 06 (serial Z1Y0DD06): cannot open 'sdf' (4 attempts)"])

    def test_a_new_disk_that_is_not_taken(self):
        why = "the new disk in SLOT 06 (serial N) is not blank: it holds ext4. 'fmadm replace zfs://a dev://b --force' takes it"
        self.assertEqual(self.said(("replace", "waiting", {"obstacle": "not-accepted", "detail": why})),
                         [f"Waiting     : new disk for SLOT 06 (serial Z1Y0DD06): {why}"])
        self.assertEqual(self.said(("replace", "refused", {"obstacle": "not-accepted", "detail": "device is too small"})),
                         ["Refused     : new disk for SLOT 06 (serial Z1Y0DD06): device is too small; "
                          "put a blank one in that is at least as large"])

    def test_each_state(self):
        states = ("planned", "waiting", "running", "done", "refused", "failed", "resilvering", "lost", "returning", "returned", "dry-run")
        disk = "SLOT 06 (serial Z1Y0DD06)"
        told = {"planned": "Planned     ", "waiting": "Waiting     ", "running": "Under way   ", "refused": "Refused     ",
                "failed": "Failed      ", "lost": "Lost        ", "returning": "Being undone", "dry-run": "Dry run     "}
        quiet = {"done": "Action taken", "resilvering": "Under way   ", "returned": "Undone      "}
        for state in states:
            with self.subTest(state):
                line = [f"{told.get(state, quiet.get(state))}: {disk} out of service"]
                self.assertEqual(self.said(("out-of-service", state, {}), verbose=True), line)
                self.assertEqual(self.said(("out-of-service", state, {})), line if state in told else [])

    def test_what_stood_on_a_case_that_is_over_is_not_called_undone(self):
        self.assertEqual(self.said(("replace", "returned", {}), verbose=True, state="RESOLVED"), [])

    def test_a_light(self):
        bay = "hc://chassis=5000c500fa0e5e50/bay=6"
        self.assertEqual(self.said(("fault-led", "failed", {"part": bay, "obstacle": "no-plugin", "attempts": 2})),
                         ["Failed      : fault LED of SLOT 06: no plugin that can do it is connected; see: fmadm config (2 attempts)"])

    def test_a_label_that_is_no_argument_is_not_offered_as_one(self):
        self.daemon.order(resource={"fmri": "hc://chassis=5000c500fa0e5e50/bay=6", "type": "bay", "properties": {"label": "6\"; reboot"},
                                    "edges": [{"relation": "contains", "to": "dev://wwn=5000c500a0000006"}]})
        (line,) = self.said(("retire", "refused", {"obstacle": "blast-radius", "detail": "2 are out"}))
        self.assertTrue(line.endswith(f": 2 are out; look at them first; 'fmadm retire {VDEV}' does it by hand"), line)

    def test_what_a_repaired_case_still_owes(self):
        suspects = json.loads(stage.FIXTURE.read_text())["cases"][0]["suspects"]
        suspects[0]["status"] = "acquitted"
        repaired = {"state": "REPAIRED", "suspects": suspects}
        self.assertEqual(self.said(("retire", "returning", {"obstacle": "no-plugin"}), owed=1, **repaired),
                         ["Still to undo: SLOT 06 (serial Z1Y0DD06) degraded: no plugin that can do it is connected; see: fmadm config"])
        self.assertEqual(self.said(owed=2, **repaired), ["Still to undo: 2 of what fmd did; see: fmadm actions"])
        self.assertEqual(self.said(owed=2), [], "a faulty case owes nothing yet")
        self.assertEqual(self.said(("retire", "returned", {"obstacle": "not-ours"}), **repaired),
                         ["Not undone  : SLOT 06 (serial Z1Y0DD06) degraded: somebody else has changed it since; fmd does not undo it; 'fmadm restore \"SLOT 06\"' does it by hand"])

    def test_where_a_merged_case_goes_on(self):
        self.assertEqual(self.said(merged_into=RESOLVED), [f"Goes on as  : case {RESOLVED}"])


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
        case["actions"] = [{"kind": "retire", "part": part, "state": "refused", "obstacle": "blast-radius", "detail": evil, "attempts": 3}
                           for part in (VDEV, evil)]
        for action in doc["actions"]:
            action.update({"name": evil, "undo": evil})
        doc["actions"].append({"kind": evil, "part": evil, "state": evil, "level": evil, "owner": {"person": evil}, "undo": evil})
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
        for words in (["fmadm", "faulty", "-v"], ["fmadm", "actions"], ["fmadm", "faulty", "-f"], ["fmadm", "faulty", "-r"],
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

    def test_a_spare_is_listed_once_while_a_new_disk_replaces_the_old_one(self):
        doc = {r["fmri"]: r for r in json.loads(stage.FIXTURE.read_text())["resources"]}
        old = doc["zfs://pool=11/vdev=66"]
        new = {"fmri": "zfs://pool=11/vdev=15", "type": "zfs-vdev", "properties": dict(old["properties"], name="new"), "edges": []}
        old["properties"]["replacing"] = new["fmri"]
        self.daemon.order(resource=new)
        self.daemon.order(resource=old)
        spares = [line for line in self.ok("fmadm", "resilver").splitlines() if "spare in use" in line]
        self.assertEqual(spares, ["  SLOT 06 (serial Z1Y0DD06): spare in use: SLOT 07 (serial Z1Y0DD07),"])

    def test_json(self):
        (pool,) = self.json("fmadm", "resilver")
        self.assertEqual((pool["pool"], pool["scan"], pool["seconds_left"]), ("tank", "resilver", 190))
        self.assertEqual(pool["moves"], [{"kind": "spare", "state": "resilvering", "old": "zfs://pool=11/vdev=66",
                                          "new": "zfs://pool=11/vdev=77", "old_bay": "SLOT 06", "new_bay": "SLOT 07"}])

    def test_a_raidz_that_grows(self):
        pool = next(r for r in json.loads(stage.FIXTURE.read_text())["resources"] if r["fmri"] == "zfs://pool=11")
        pool["properties"] = {"name": "tank", "health": "ONLINE", "scan": "expand", "scan_percent": 8.1, "scan_seconds_left": 135,
                              "scan_rate_bytes": 373 << 10}
        self.daemon.order(resource=pool)
        self.assertIn("tank (ONLINE): raidz expansion, 8.1 % done, 373 KiB/s, 00:02:15 left\n", self.ok("fmadm", "resilver"))

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
