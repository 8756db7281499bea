"""fmadm notify and maintenance: routing of messages, and maintenance windows."""
import os
import time
import unittest

import stage

WHO = "root" if os.geteuid() == 0 else f"uid {os.geteuid()}"
UUID = "d482f935-5c8f-4b9a-9f25-d0aaafec1e6c"
DAILY = {"name": "daily", "when": {"severity": "Critical"}, "after": 86400 * 10**9, "every": 86400 * 10**9,
         "channels": ["mail"], "recipients": ["default"]}


class Notify(stage.Case):
    def test_channels(self):
        self.daemon.order(config={"notify": {"mail": {"events": ["diagnosed", "resolved"], "severity": "Major"}}, "notify_rules": [],
                                  "escalate": [DAILY], "notify_warnings": ["mail omits 'updated'"]})
        text = self.ok("fmadm", "notify")
        self.assertEqual(text, self.ok("fmadm", "notify", "list"))
        self.assertRegex(text, r"diagnosed, resolved, from Major on +mail +\[notify.mail\]")
        self.assertRegex(text, r"from Critical on +1d +mail +1d")
        self.assertPlain(text)
        self.assertTrue(text.endswith("\nWarning: mail omits 'updated'\n"), text)
        doc = self.json("fmadm", "notify", "list")
        self.assertEqual((doc["escalate"], doc["warnings"]), ([DAILY], ["mail omits 'updated'"]))

    def test_rules(self):
        self.daemon.order(config={"notify": {}, "escalate": [], "notify_rules": [
            {"name": "night", "when": {"severity": "Minor", "time": "22:00-06:00", "pool": ["tank"]}, "channels": ["mail"],
             "recipients": ["oncall@example.org"], "continue": True},
            {"name": "quiet", "when": {"severity": "Minor"}, "channels": [], "recipients": ["default"], "continue": False}]})
        text = self.ok("fmadm", "notify")
        self.assertRegex(text, r"pool tank, 22:00-06:00 +mail to oncall@example.org +night, and the rules")
        self.assertRegex(text, r"all cases +nobody +quiet")
        self.assertTrue(text.endswith("No reminders are sent.\n"), text)

    def test_a_test_says_what_each_channel_said(self):
        done = stage.run("fmadm", "notify", "test", bus=self.bus)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "mail: taken: 250 queued\nsnmp: failed: no AgentX master\n")
        self.assertEqual(done.stderr, "fmadm: not every channel took it\n")
        self.assertEqual(self.ok("fmadm", "notify", "test", "mail"), "mail: taken: 250 queued\n")
        self.assertEqual(self.daemon.changes(), [f"test [] by {WHO}", f"test [mail] by {WHO}"])

    def test_explain(self):
        self.assertEqual(self.ok("fmadm", "notify", "explain", UUID), "No message about this has been due yet.\n")
        when = 1795142530 * 10**9
        self.daemon.order(notices=[
            {"time": when, "event": "diagnosed", "channel": "mail", "recipients": ["default"], "key": "k", "why": "[notify.mail]",
             "delivered": when + 10**9, "state": "delivered"},
            {"time": when, "event": "updated", "channel": "", "recipients": [], "key": "", "why": "it waits\x1b[2J", "delivered": 0,
             "state": "not-sent"},
            {"time": when, "event": "resolved", "channel": "mail", "recipients": ["a@example.org"], "key": "k", "why": "rule \"x\"",
             "delivered": 0, "state": "pending", "attempts": 3, "reason": "450 later"},
            {"time": when, "event": "diagnosed", "channel": "mail", "recipients": ["default"], "key": "k", "why": "[notify.mail]",
             "delivered": 0, "state": "gathering", "attempts": 0, "digest_by": when + 120 * 10**9, "reason": ""}])
        self.ok("fmadm", "notify", "explain", UUID + ":diagnosed:1")  # a message's key
        text = self.ok("fmadm", "notify", "explain", UUID)
        self.assertEqual(text, """\
Nov 20 02:42:10 diagnosed by mail: delivered Nov 20 02:42:11
    [notify.mail]
Nov 20 02:42:10 updated: not sent
    it waits\\x1b[2J
Nov 20 02:42:10 resolved by mail to a@example.org: not delivered yet, 3 tries
    rule "x"
    450 later
Nov 20 02:42:10 diagnosed by mail: waits for the digest, at the latest Nov 20
    02:44:10
    [notify.mail]
""")
        self.fails(2, "fmadm", "notify", "explain")

    def test_events(self):
        self.assertEqual(self.ok("fmadm", "notify", "events"), "There were no events other than cases.\n")
        when = 1795142530 * 10**9
        self.daemon.order(happenings=[
            {"uuid": UUID, "event": "disk-removed", "time": when, "text": "disk removed from bay SLOT 04\x1b[2J", "state": "over",
             "channels": ["mail", "webhook"]},
            {"uuid": "u2", "event": "disk-inserted", "time": when, "text": "disk inserted in bay SLOT 04", "state": "held", "channels": []},
            {"uuid": "u3", "event": "resilver-started", "time": when, "text": "the resilver of tank has begun", "state": "over",
             "channels": []}])
        text = self.ok("fmadm", "notify", "events")
        self.assertPlain(text)
        self.assertRegex(text, rf"Nov 20 02:42:10 +disk removed from bay SLOT 04.* +mail, webhook\s+{UUID}")
        self.assertRegex(text, r"disk inserted in bay SLOT 04 +waits\s+u2")
        self.assertRegex(text, r"the resilver of tank has begun +-\s+u3")


class Maintenance(stage.Case):
    def test_add(self):
        text = self.ok("fmadm", "maintenance", "add", "SLOT 06", "--for", "2h", "--reason", "new backplane")
        self.assertIn("window 7: messages about SLOT 06 wait until", text)
        self.assertPlain(text)
        self.assertIn("messages about SLOT 06 wait", self.ok("fmadm", "maintenance", "add", "hc://chassis=5000c500fa0e5e50/bay=6", "--for", "2h", "--reason", "x"))
        self.assertIn("messages about this host wait", self.ok("fmadm", "maintenance", "add", "--for", "30min", "--reason", "x"))
        self.assertEqual(self.daemon.changes(), [f"maintain [SLOT 06] 120 min [new backplane] by {WHO}",
                                                 f"maintain [hc://chassis=5000c500fa0e5e50/bay=6] 120 min [x] by {WHO}",
                                                 f"maintain [] 30 min [x] by {WHO}"])
        self.assertEqual(self.fails(1, "fmadm", "maintenance", "add", "nowhere", "--for", "1h", "--reason", "x"),
                         "fmadm: no part is called nowhere\n")
        for words in (["--reason", "x"], ["--for", "1h"], ["--for", "soon", "--reason", "x"],
                      ["--for", "1h", "--until", "18:00", "--reason", "x"]):
            self.fails(2, "fmadm", "maintenance", "add", *words)

    def test_until_is_to_come(self):
        an_hour_ago = time.strftime("%H:%M", time.gmtime(time.time() - 3600))
        doc = self.json("fmadm", "maintenance", "add", "--until", an_hour_ago, "--reason", "x")
        self.assertAlmostEqual(doc["until"] / 10**9, time.time() + 23 * 3600, delta=7200)

    def test_list_and_end(self):
        self.assertEqual(self.ok("fmadm", "maintenance", "list"), "No maintenance: every message goes out.\n")
        when = 1795142530 * 10**9
        self.daemon.order(maintenance=[{"id": "7", "scope": "", "name": "", "from": when, "until": when, "reason": "r", "who": "root",
                                        "running": True}])
        self.assertRegex(self.ok("fmadm", "maintenance", "list"), r"7 +host +Nov 20 02:42:10 +Nov 20 02:42:10 +root +r")
        self.assertEqual(self.ok("fmadm", "maintenance", "end", "7"), "window 7 ended: messages that waited are sent now\n")
        self.assertEqual(self.fails(1, "fmadm", "maintenance", "end", "8"), "fmadm: there is no window 8\n")


if __name__ == "__main__":
    unittest.main()
