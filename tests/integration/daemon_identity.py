#!/usr/bin/python3
"""Two users at the plugin socket: members of the plugins' group may connect, with no more rights than fmd.toml grants."""
import grp
import json
import os
import pathlib
import pwd
import re
import shutil
import subprocess
import sys

from daemon_case import NOW_CLASS, DaemonCase, disk, event, main

import shipped
from fake_plugin import CutOff
from process import patience

OTHER = 65534  # "nobody": in the group that may connect, without a grant
UNIT = 65533  # the group by which fmd recognizes one of root's plugins
OTHER_NAME, GROUP = pwd.getpwuid(OTHER).pw_name, grp.getgrgid(OTHER).gr_name

# Run by that user: sends each line of its input and prints the answer, until it is disconnected.
SPEAKER = """
import json, socket, sys
core = socket.socket(socket.AF_UNIX); core.settimeout(60); core.connect(sys.argv[1])
answers = core.makefile("r", encoding="utf-8")
for line in sys.stdin.read().splitlines():
    try:
        core.sendall(line.encode() + b"\\n")
        answer = answers.readline()
    except OSError: break
    if not answer: break
    print(answer, end="", flush=True)
"""

# Takes all the connections it gets, sends nothing, and keeps them until its input ends.
IDLER = """
import socket, sys
held = []
for _ in range(128):
    one = socket.socket(socket.AF_UNIX); one.connect(sys.argv[1]); held.append(one)
print("held", flush=True)
sys.stdin.read()
"""


def message(number, method, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


class Identity(DaemonCase):
    config = f'''[daemon]
plugin_group = "{GROUP}"
[plugin.backup]
user = "{OTHER_NAME}"
observes = ["ereport.test.disk.broken"]
describes = ["backup://"]
[plugin.mail]
user = "fmd-mail-who-is-somebody-else"
[plugin.enclosure]
group = "{UNIT}"
'''

    def setUp(self):
        super().setUp()
        os.chmod(self.daemon.folder, 0o711)

    def as_other(self, script, user=OTHER, groups=()):
        return subprocess.Popen([sys.executable, "-I", "-c", script, self.daemon.socket], text=True, cwd="/", user=user,
                                group=user, extra_groups=groups, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def speak(self, *messages, **who):
        """The other user's answers to these messages."""
        with self.as_other(SPEAKER, **who) as speaker:
            text, _ = speaker.communicate("".join(json.dumps(m) + "\n" for m in messages), timeout=120)
        return [json.loads(line) for line in text.splitlines()]

    def hello(self, name, **about):
        return message(1, "hello", name=name, protocol=1, **about)

    def refusal(self, *messages, **who):
        said = self.speak(*messages, **who)
        self.assertIn("error", said[-1], said)
        return said[-1]["error"]["message"]

    def test_names_are_not_for_the_taking(self):
        zfs = self.daemon.plugin("zfs", handles=["zfs://"])
        invented = message(2, "events", events=[event(NOW_CLASS, disk(1))])
        for name in ("zfs", "disk", "enclosure", "smart", "aaa", "mail"):
            with self.subTest(name=name):
                about = {"handles": ["outbox:mail", "dev://"], "observes": ["*"]}
                self.assertIn(f'uid {OTHER} may not be the plugin "{name}"', self.refusal(self.hello(name, **about), invented))
        self.assertEqual(zfs.events([])["rejected"], [], "root's own goes on")
        self.assertEqual(self.cases(), [], "nothing that was invented was taken")

    def test_mail_goes_to_its_notifier(self):
        self.refusal(self.hello("aaa", handles=["outbox:mail"]))
        self.refusal(self.hello("backup", handles=["outbox:mail"]))
        notifier = self.daemon.notifier()
        self.daemon.plugin("good").events([event(NOW_CLASS, disk(1))])
        self.assertIn("diagnosed", notifier.deliver_next()["event"])

    def test_a_name_that_is_given_has_its_bounds(self):
        said = self.speak(self.hello("backup", observes=["ereport.test.disk.broken"]),
                          message(2, "events", events=[event(NOW_CLASS, disk(1)), event("ereport.test.disk.error", disk(2))]),
                          message(3, "inventory", resources=[{"fmri": "backup://job=1", "type": "job"}]),
                          message(4, "inventory", resources=[{"fmri": disk(1), "type": "disk", "properties": {"blank": True}}]))
        self.assertEqual([r["index"] for r in said[1]["result"]["rejected"]], [1])
        self.assertEqual(said[2]["result"], {})
        self.assertIn("does not let it describe", said[3]["error"]["message"])
        self.assertIn("does not let it observe", self.refusal(self.hello("backup", observes=["ereport.*"])))
        self.assertIn("does not let it handle", self.refusal(self.hello("backup", handles=["dev://"])))

    def test_a_plugin_of_roots_that_is_broken_into_is_no_other(self):
        zfs = self.daemon.plugin("zfs", handles=["zfs://"])
        unit = {"user": 0, "groups": [UNIT]}
        invented = message(2, "events", events=[event(NOW_CLASS, disk(1))])
        for name in ("zfs", "disk", "mail", "aaa"):
            with self.subTest(name=name):
                said = self.refusal(self.hello(name, observes=["*"], handles=["outbox:mail", "dev://"]), invented, **unit)
                self.assertIn(f'may not be the plugin "{name}": it is the plugin "enclosure"', said)
        own = {"observes": ["ereport.enclosure.*"], "handles": ["hc://"]}
        self.assertIn("does not let it observe", self.refusal(self.hello("enclosure", observes=["ereport.*"]), invented, **unit))
        self.assertIn("does not let it handle", self.refusal(self.hello("enclosure", handles=["zfs://"]), **unit))
        said = self.speak(self.hello("enclosure", **own),
                          message(2, "events", events=[event(NOW_CLASS, disk(1))]),
                          message(3, "inventory", resources=[{"fmri": "hc://chassis=1/bay=1", "type": "bay"}]),
                          message(4, "inventory", resources=[{"fmri": disk(1), "type": "disk", "properties": {"blank": True}}]), **unit)
        self.assertEqual([r["index"] for r in said[1]["result"]["rejected"]], [0])
        self.assertEqual(said[2]["result"], {})
        self.assertIn("does not let it describe", said[3]["error"]["message"])
        self.assertEqual(zfs.events([])["rejected"], [], "its own goes on")
        # A root shell is in no plugin's group.
        self.assertEqual(self.speak(self.hello("enclosure", handles=["zfs://"]), user=0)[0]["result"]["protocol"], 1)
        self.assertEqual(self.cases(), [], "nothing that was invented was taken")

    def test_a_notifier_has_no_events(self):
        mail = self.daemon.plugin("mail", observes=(), handles=["outbox:mail"])
        with self.assertRaises(CutOff):
            mail.events([event(NOW_CLASS, disk(1))])
        self.daemon.wait_log("has no events to tell")

    def test_what_is_rejected_is_kept_and_is_a_case_when_it_goes_on(self):
        good = self.daemon.plugin("good")
        for index in range(3):
            renamed = event("ereport.test.disk.brokn", disk(index), vdev_giud=7)
            self.assertEqual(len(good.events([renamed])["rejected"]), 1)
        case, = self.cases()
        self.assertEqual(case["suspects"][0]["class"], "fault.fmd.plugin.rejected")

    def test_places_are_kept_for_root(self):
        with self.as_other(IDLER) as idler:
            self.assertEqual(idler.stdout.readline(), "held\n")
            for number in range(3):
                self.assertEqual(self.daemon.plugin(f"root-{number}").events([])["rejected"], [])
            idler.communicate("")

    def test_places_are_kept_from_a_plugin_of_roots_that_is_broken_into(self):
        with self.as_other(IDLER, user=0, groups=[UNIT]) as idler:
            self.assertEqual(idler.stdout.readline(), "held\n")
            for number in range(3):
                self.assertEqual(self.daemon.plugin(f"root-{number}").events([])["rejected"], [])
            idler.communicate("")

    def test_answers_that_would_crash(self):
        notifier = self.daemon.notifier()
        self.daemon.plugin("good").events([event(NOW_CLASS, disk(1))])
        command = notifier.command(20, "deliver")
        notifier.reply(command, "failed", "x" * 499 + "\u65e5\u672c")
        notifier = self.daemon.notifier()
        deep = b"[" * 200_000 + b"]" * 200_000
        notifier.send_raw(b'{"jsonrpc":"2.0","id":%d,"result":{"status":"done","detail":{"a":%s}}}\n' % (command["id"], deep))
        self.assertIn("nested", notifier.cut_off())
        self.assertEqual(self.daemon.plugin("after").events([])["rejected"], [])

    def test_a_plugin_fills_its_own_share_only(self):
        greedy = self.daemon.plugin("greedy")
        refused = 0
        for part in range(12):
            parts = [{"fmri": f"test://part={part}/n={n}", "type": "x"} for n in range(2000)]
            answer = greedy.answer(greedy.request("inventory", {"complete": False, "resources": parts, "gone": []}), 60)
            refused += "error" in answer
        self.assertEqual(refused, 2, "20,000 are kept")
        good = self.daemon.plugin("good")
        self.assertEqual(good.inventory([{"fmri": disk(1), "type": "disk"}]), {})

    def test_nor_by_measuring(self):
        greedy = self.daemon.plugin("greedy")
        for part in range(12):
            greedy.notify("readings", {"readings": [
                {"resource": f"test://part={part}/n={n}", "name": "value", "value": 1, "unit": "count"} for n in range(2000)]})
        self.daemon.wait_log("ereport.fmd.plugin.protocol fmd://plugin=greedy: it describes")
        greedy.inventory([{"fmri": "test://part=0/n=0", "type": "x"}])  # after all of them
        self.assertEqual(self.daemon.stop(), 0)
        kept = [key for key in self.daemon.stored()["resource"] if key.startswith("greedy ")]
        self.assertEqual(len(kept), 20_000)


class FirstExample(DaemonCase):
    """The first example of plugins/sdk/README.md, run as an ordinary user."""
    config = f'[daemon]\nplugin_group = "{GROUP}"\n'

    def setUp(self):
        super().setUp()
        os.chmod(self.daemon.folder, 0o711)
        text = (pathlib.Path(shipped.TREE) / "plugins/sdk/README.md").read_text(encoding="utf-8")
        example, grant = (re.search(rf"```{language}\n(.*?)```", text, re.S).group(1) for language in ("python", "sh"))
        self.assertIn('"/run/fmd/plugins.sock"', example)
        self.example = example.replace("/run/fmd/plugins.sock", self.daemon.socket)
        self.grant = re.search(r"printf '(.*?)' >>/etc/fmd/fmd.toml", grant).group(1).replace("\\n", "\n").replace("alice", OTHER_NAME)

    def run_example(self):
        return subprocess.run([sys.executable, "-I", "-c", self.example], capture_output=True, text=True, cwd="/", user=OTHER, group=OTHER,
                              extra_groups=(), timeout=patience(), check=False)

    def test_without_its_grant_it_says_which_and_with_it_it_works(self):
        shutil.copy(shipped.event_file("disk.toml"), self.daemon.events)
        self.daemon.hang_up()
        self.daemon.wait_log("read again")
        refused = self.run_example()
        self.assertEqual(refused.returncode, 1)
        self.assertEqual(refused.stderr, f'uid {OTHER} may not be the plugin "room": fmd.toml has no [plugin.room]. Add [plugin.room] with '
                                         f'user = "{OTHER}" and observes = ["sysevent.disk.*"], then run \'systemctl reload fmd\'\n')
        with open(self.daemon.config_file, "a", encoding="utf-8") as file:
            file.write(self.grant)
        self.daemon.hang_up()
        self.daemon.wait_log("read again", count=2)
        worked = self.run_example()
        self.assertEqual((worked.returncode, worked.stderr), (0, ""))
        self.assertIn("'rejected': []", worked.stdout)


if __name__ == "__main__":
    if os.geteuid() != 0:  # a real second user requires root or a user namespace
        os.execvp("unshare", ["unshare", "--user", "--map-root-user", "--map-auto", sys.executable, *sys.argv])
    main()
