"""fmadm status, and fmadm without arguments: whether fmd is observing, and the problems. The exit status is for monitoring."""
import copy
import json
import pathlib
import tempfile
import unittest

import stage

BASE = json.loads(stage.FIXTURE.read_text())
CASE = BASE["cases"][0]
WATCHING = {"name": "zfs", "state": "ok", "reason": "", "last_seen": 1}


class Status(stage.Case):
    """Each test sets up its own host."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def stage(self, **changes):
        doc = {**copy.deepcopy(BASE), "cases": [], "actions": [], "plugins": [WATCHING], **changes}
        doc["config"]["warnings"] = changes.get("warnings", [])
        doc["config"]["notify"] = changes.get("notify", {})
        doc["config"]["notify_rules"] = changes.get("rules", [])
        self.fixture = pathlib.Path(self.folder.name, "fixture.json")
        self.fixture.write_text(json.dumps(doc))
        super().setUp()

    def status(self, code, *words):
        done = stage.run("fmadm", *words, bus=self.bus)
        self.assertEqual((done.returncode, done.stderr), (code, ""), done.stdout)
        if "--json" not in words:
            self.assertPlain(done.stdout)
        return done.stdout

    def test_all_is_well(self):
        self.stage()
        text = self.status(0, "status")
        first = text.splitlines()[0]
        self.assertEqual((first.split("  ")[0], first.split("  ")[-1].strip(), len(first)), ("store1: no open problem", "fmd 0.1.0", 80))
        self.assertIn("Watched     : 1 pool, 3 disks (0 with SMART), 1 enclosure, 4 bays by 1 plugin\n", text)
        self.assertIn("Pools       : tank: resilver, 42.3 % done, 93.8 MiB/s, 00:03:10 left\n", text)
        self.assertEqual(self.status(0), text, "fmadm alone")
        self.assertEqual(stage.run("fmadm", "faulty", bus=self.bus).stderr, "")

    def test_memory_errors_that_the_kernel_keeps_to_itself(self):
        for collector, active in (("active", True), ("none", False), ("unknown", False)):
            cpu = {"fmri": "cpu://socket=0", "type": "cpu", "properties": {"name": "CPU 0", "collector": collector}, "present": True, "edges": []}
            self.stage(resources=[cpu])
            self.assertEqual("Memory      : the kernel's collector of corrected errors (RAS_CEC) is active" in self.status(0, "status"), active)
            self.assertIs(json.loads(self.status(0, "status", "--json"))["memory_collector"], active)
            self.assertEqual(("RAS_CEC" in stage.run("fmtopo", bus=self.bus).stdout), active)

    def test_the_worst_first(self):
        critical = {**copy.deepcopy(CASE), "uuid": "a" * 8 + CASE["uuid"][8:], "severity": "Critical",
                    "description": "The pool has lost data. More is said below.", "acknowledged": True}
        self.stage(cases=[CASE, critical], actions=BASE["actions"])
        text = self.status(1, "status")
        self.assertTrue(text.startswith("store1: 2 problems: 1 Critical, 1 Major "), text)
        self.assertTrue(text.splitlines()[1].startswith("  Critical  SLOT 06 "), text)
        self.assertIn(f"fmadm faulty -u {critical['uuid'][:8]} (acknowledged)\n", text)
        self.assertNotIn("More is said", text)
        self.assertIn("Done        : 2 actions in force, 1 on the way (fmadm actions)\n", text)
        doc = json.loads(self.status(1, "status", "--json"))
        self.assertEqual((doc["verdict"], [p["severity"] for p in doc["problems"]]), ("problems", ["Critical", "Major"]))

    def test_a_suspicion_without_a_time(self):
        held = {"resource": "dev://wwn=1", "name": "SLOT 02", "text": "disk no longer responds", "decided_by_ns": 0}
        self.stage(status={"held": [held]})
        self.assertIn("Suspected   : SLOT 02: disk no longer responds, decided when another case ends\n", self.status(1, "status"))

    def test_an_acquitted_part_is_no_problem_as_in_faulty(self):
        acquitted = copy.deepcopy(CASE)
        acquitted["state"] = "REPAIRED"
        acquitted["suspects"][0]["status"] = "acquitted"
        self.stage(cases=[acquitted])
        self.assertTrue(self.status(0, "status").startswith("store1: no open problem "))
        self.assertEqual(stage.run("fmadm", "faulty", bus=self.bus).stdout, "")

    def test_nobody_watches(self):
        self.stage(plugins=[{"name": "zfs", "state": "dead", "reason": "it went away", "connected": False},
                            {"name": "mail", "state": "ok", "reason": ""}], notify={"mail": {}})
        text = self.status(3, "status")
        self.assertIn("store1: nothing is watched", text)
        self.assertIn("Not watched : zfs, dead: it went away (see: systemctl status fmd-zfs)\n", text)
        done = stage.run("fmadm", "faulty", bus=self.bus)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn("nothing is watched", done.stderr, "an empty list must not look the same with and without eyes")

    def test_one_eye_is_shut(self):
        self.stage(plugins=[WATCHING, {"name": "smart", "state": "degraded", "reason": "no smartctl"}])
        self.assertIn("no open problem, but not everything is watched", self.status(3, "status").replace("\n  ", " "))
        self.assertIn("not everything is watched", stage.run("fmadm", "faulty", bus=self.bus).stderr)

    def test_nothing_to_observe_is_not_blind(self):
        self.stage(plugins=[WATCHING, {"name": "enclosure", "state": "not-observed", "reason": "no enclosure on this host"}])
        self.assertIn("Not watched : enclosure, not-observed: no enclosure on this host\n", self.status(0, "status"))

    def test_disabled_is_not_blind_but_stopped_is(self):
        self.stage(plugins=[WATCHING, {"name": "smart", "state": "disabled", "reason": "fmd-smart.service is disabled"}])
        self.assertIn("Not watched : smart, disabled: fmd-smart.service is disabled (if you want it: systemctl enable --now fmd-smart)",
                      " ".join(self.status(0, "status").split()))
        self.daemon.stop()
        self.stage(plugins=[WATCHING, {"name": "smart", "state": "stopped", "reason": "fmd-smart.service has been stopped"}])
        self.assertIn("not everything is watched", self.status(3, "status").replace("\n  ", " "))

    def test_what_helps_is_said_of_each_that_does_not_watch(self):
        for state, command in (("degraded", "journalctl -u fmd-smart"), ("stopped", "systemctl start fmd-smart"),
                               ("silent", "systemctl status fmd-smart"), ("dead", "systemctl status fmd-smart")):
            self.stage(plugins=[WATCHING, {"name": "smart", "state": state, "reason": "why"}])
            self.assertIn(f"smart, {state}: why", text := " ".join(self.status(3, "status").split()))
            self.assertIn(command + ")", text)
            self.daemon.stop()

    def test_who_acts_where_zed_is(self):
        for zed, act, said in (("running", "always", "both fmd and ZED act on faulty disks"), ("running", "unless-zed", "Who acts : ZED: act ="),
                               ("running", "never", "Who acts : ZED only"), ("not running", "never", "Who acts : nobody"),
                               ("not running", "always", None), ("not running", "unless-zed", None)):
            plugin = {"fmri": "fmd://plugin=zfs", "type": "plugin", "properties": {"name": "zfs", "zed": zed, "act": act}, "present": True,
                      "edges": []}
            self.stage(resources=[plugin])
            text = " ".join(self.status(0, "status").split())
            if said:
                self.assertIn(said, text)
            else:
                self.assertNotIn("Who acts", text)
            self.assertEqual(json.loads(self.status(0, "status", "--json"))["zed"], {"running": zed == "running", "act": act})
            self.daemon.stop()

    def test_what_is_not_done_is_counted_from_the_cases(self):
        case = copy.deepcopy(CASE)
        case["actions"] = [{**case["actions"][0], "kind": kind, "state": state} for kind, state in
                           (("retire", "waiting"), ("spare", "refused"), ("replace", "waiting"), ("fault-led", "failed"))]
        self.stage(cases=[case])
        self.assertIn("Not done : 2 actions waiting, 1 refused, 1 failed (reasons: fmadm faulty)", " ".join(self.status(1, "status").split()))
        self.assertEqual(json.loads(self.status(1, "status", "--json"))["actions"],
                         {"in_force": 0, "intended": 0, "waiting": 2, "refused": 1, "failed": 1})

    def test_sensors_and_disks_that_are_not_asked(self):
        def part(kind, n, **properties):
            return {"fmri": f"dev://serial={kind}:{n}", "type": kind, "properties": properties, "present": True, "edges": []}
        self.stage(resources=[part("sensor", 1), part("sensor", 2), part("disk", 1, **{"smart.state": "observed"}),
                              part("disk", 2, **{"smart.state": "standby"}), part("disk", 3, **{"smart.state": "hung"})])
        text = " ".join(self.status(0, "status").split())
        self.assertIn("3 disks (1 with SMART, 1 asleep, 1 not responding), 2 sensors", text)

    def test_messages_that_wait(self):
        self.stage(notify={"mail": {}, "snmp": {}},
                   plugins=[WATCHING, {"name": "mail", "state": "ok", "reason": "", "connected": True}],
                   outbox=[{"key": "1", "notifier": "mail", "state": "delivered", "delivered": 1795229329000000000},
                           {"key": "2", "notifier": "mail", "state": "pending", "created": 1795229389000000000,
                            "reason": "mail.example: connection refused"}])
        text = " ".join(self.status(0, "status").split())
        self.assertIn("Mail : delivered 2026-11-21 02:48; 1 message waiting since 2026-11-21 02:49: "
                      "mail.example: connection refused", text)
        self.assertIn("SNMP : nothing delivered yet; fmd-snmp is not connected", text)

    def test_a_message_that_waits_for_the_digest(self):
        def entry(n, **more):
            return {"key": str(n), "notifier": "mail", "state": "pending", "created": 1795229389000000000 + n, "reason": "", **more}
        gathers = entry(1, state="gathering", digest_by=1795230289000000000)
        mail = {"name": "mail", "state": "ok", "reason": "", "connected": True}
        self.stage(notify={"mail": {}}, plugins=[WATCHING, mail], outbox=[gathers])
        self.assertIn("1 message waiting since 2026-11-21 02:49, waits for the digest, at the latest 2026-11-21 03:04 ",
                      " ".join(self.status(0, "status").split()) + " ")
        self.assertEqual(json.loads(self.status(0, "status", "--json"))["channels"][0]["digest_by"], 1795230289000000000)
        self.daemon.stop()
        self.stage(notify={"mail": {}}, plugins=[WATCHING, mail], outbox=[entry(0), gathers])
        self.assertIn("2 messages waiting since 2026-11-21 02:49, the newest waits for the digest, at the latest 2026-11-21 03:04",
                      " ".join(self.status(0, "status").split()))

    def test_a_channel_that_only_a_rule_names(self):
        self.stage(rules=[{"name": "cases", "channels": ["mail"]}],
                   plugins=[WATCHING, {"name": "mail", "state": "ok", "reason": "", "connected": True}])
        self.assertIn("Mail        : nothing delivered yet\n", self.status(0, "status"))
        self.daemon.stop()
        self.stage(plugins=[WATCHING, {"name": "mail", "state": "ok", "reason": "", "connected": True}],
                   outbox=[{"key": "1", "notifier": "mail", "state": "delivered", "delivered": 1795229329000000000}])
        self.assertIn("Mail        : delivered 2026-11-21 02:48\n", self.status(0, "status"))

    def test_a_notifier_that_does_not_respond(self):
        self.stage(notify={"mail": {}}, plugins=[WATCHING, {"name": "mail", "state": "silent", "reason": "", "connected": True}])
        self.assertIn("Mail : nothing delivered yet: fmd-mail does not respond", " ".join(self.status(0, "status").split()))

    def test_messages_given_up(self):
        gone = {"key": "1", "notifier": "mail", "state": "expired", "expired": 1795229399000000000, "reason": "7 tries in 7d"}
        sent = {"key": "2", "notifier": "mail", "state": "delivered", "delivered": 1795229329000000000}
        self.stage(notify={"mail": {}}, plugins=[WATCHING, {"name": "mail", "state": "ok", "reason": "", "connected": True}],
                   outbox=[gone, sent])
        self.assertIn("Mail : delivered 2026-11-21 02:48; 1 message given up", " ".join(self.status(0, "status").split()))
        self.daemon.stop()
        self.stage(notify={"mail": {}}, plugins=[WATCHING, {"name": "mail", "state": "ok", "reason": "", "connected": True}],
                   outbox=[gone, sent | {"delivered": 1795229400000000000}])
        self.assertNotIn("given up", self.status(0, "status"))

    def test_hostile_words(self):
        self.stage(plugins=[WATCHING, {"name": "x\x1b[2J", "state": "degraded", "reason": "\x1b]0;owned\x07\u202e"}],
                   warnings=["a\x1b[31mb"])
        self.status(3, "status")

    def test_no_daemon(self):
        self.stage()
        self.daemon.stop()
        done = stage.run("fmadm", "status", bus=self.bus)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("systemctl enable --now fmd.target", done.stderr)


if __name__ == "__main__":
    unittest.main()
