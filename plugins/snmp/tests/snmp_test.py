"""fmd-snmp between a fake core and a real snmpd, whose notifications a real snmptrapd receives; and with misbehaving masters."""
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path[:0] = [os.path.join(TREE, "tests", "lib"), os.path.join(TREE, "simulator")]

import mibs  # noqa: E402
from fake_core import FakeCore  # noqa: E402
from process import Program, patience, wait_for  # noqa: E402
from sinks import Snmp  # noqa: E402

BINARY = os.environ["FMD_SNMP"]
BASE = mibs.base()
UUID = "6f3cbe38-13ea-4ff7-a4e0-8d4b9d1b3e11"
TIME_NS = 1795229321000000000  # 2026-11-21 02:48:41 UTC


def notice(number=1, event="diagnosed", suspect=None, **changes):
    """A delivery as the core sends it."""
    return {"key": f"{UUID}:{event}:{number}", "event": event, "subject": "[fmd] storage1: Major ZFS-8000-GH",
            "body": "…", "host": "storage1", "time": TIME_NS,
            "case": {"uuid": UUID, "code": "ZFS-8000-GH", "severity": "Major",
                     "suspects": [{"class": "fault.fs.zfs.vdev.checksum", "serial": "FM000003", "location": "SLOT 03",
                                   "fru_path": "hc://chassis=5000c500fa0e5e50/bay=3/disk=FM000003",
                                   **(suspect or {})}]}} | changes


class SnmpCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="fmd-snmp-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.core = FakeCore(self.folder)
        self.addCleanup(self.core.close)
        self.state = os.path.join(self.folder, "state")
        os.mkdir(self.state)
        self.config = os.path.join(self.folder, "snmp.toml")
        self.log = os.path.join(self.folder, "log")
        self.program = None

    def start_plugin(self, agentx, more=""):
        self.write_config(f'agentx = "{agentx}"\nbus = "none"\n{more}')
        self.program = Program("fmd-snmp", [BINARY, "--socket", self.core.path, "--config", self.config], self.log,
                               {"STATE_DIRECTORY": self.state})
        self.program.start()
        self.addCleanup(self.program.kill)
        return self.core.greet()

    def write_config(self, text):
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(text)

    def deliver(self, args, seconds=20):
        return self.core.deliver("outbox:snmp", args, seconds)

    def delivered(self, args):
        reply = self.deliver(args)
        self.assertEqual(reply["status"], "done", f"{reply}\n{self.program.tail()}")

    def failed(self, args, words):
        reply = self.deliver(args)
        self.assertEqual(reply["status"], "failed", reply)
        self.assertIn(words, reply["reason"])

    def is_responsive(self, seconds=8):
        """It answers another command meanwhile."""
        number = self.core.command("refresh", "outbox:snmp", {}, f"other-{self.core.next_id}")
        self.assertEqual(self.core.reply(number, seconds)["status"], "failed")


class WithSnmpd(SnmpCase):
    def setUp(self):
        super().setUp()
        self.snmp = Snmp(self.folder)
        self.snmp.start()
        self.addCleanup(self.snmp.stop)

    def start(self, prefix="unix:"):
        hello = self.start_plugin(prefix + self.snmp.agentx)
        self.core.wait_status("ok")
        return hello

    def received(self, count):
        """Waits for that many notifications, and checks that there are no more."""
        wait_for(lambda: len(self.snmp.notifications()) >= count, 20,
                 lambda: f"{count} notifications; there are {self.snmp.notifications()}")
        found = self.snmp.notifications()
        self.assertEqual(len(found), count, found)
        return found

    def test_each_event_has_its_notification(self):
        hello = self.start()
        self.assertEqual(hello["handles"], ["outbox:snmp"])
        events = ["diagnosed", "updated", "repaired", "resolved"]
        for number, event in enumerate(events):
            self.delivered(notice(number, event))
        for number, (event, got) in enumerate(zip(events, self.received(4))):
            self.assertEqual(got["oid"], f"{BASE}.0.{number + 1}")
            values = [got["values"][f"{BASE}.1.{arc}.0"] for arc in range(1, 12)]
            self.assertEqual(values, [UUID, "ZFS-8000-GH", "Major", "fault.fs.zfs.vdev.checksum",
                                      "hc://chassis=5000c500fa0e5e50/bay=3/disk=FM000003", "SLOT 03", "FM000003",
                                      "[fmd] storage1: Major ZFS-8000-GH", event, "2026-11-21T02:48:41.000Z",
                                      f"{UUID}:{event}:{number}"])
            self.assertEqual(len(got["values"]), 11 + 2)  # and sysUpTime.0, snmpTrapOID.0

    def test_unknown_event(self):
        self.start()
        self.failed(notice(event="exploded"), 'no notification for the event "exploded"')

    def test_a_key_is_delivered_once(self):
        self.start(prefix="")
        self.delivered(notice())
        self.delivered(notice())
        self.program.kill()
        self.program.start()
        self.core.greet()
        self.core.wait_status("ok")
        self.delivered(notice())
        self.delivered(notice(2))
        self.received(2)

    def test_hostile_values(self):
        self.start()
        self.delivered(notice(suspect={"serial": "a\"b | .1.3 = c\r\n\x1b[31m\x00", "location": "ä" * 200, "class": ""}))
        values = self.received(1)[0]["values"]
        with open(self.snmp.log, "rb") as file:
            self.assertNotIn(b"\x1b", file.read())
        self.assertEqual(values[f"{BASE}.1.4.0"], "")

    def test_snmpd_restarts(self):
        self.start()
        self.delivered(notice(1))
        self.snmp.agent.kill()
        reason = self.core.wait_status("not-observed")
        self.assertIn("master agentx", reason)
        self.failed(notice(2), "no AgentX session")
        self.snmp.stop_agent()
        self.snmp.start_agent()
        self.core.wait_status("ok")
        self.delivered(notice(2))
        self.received(2)

    def test_snmpd_starts_later(self):
        self.snmp.stop_agent()
        self.start_plugin(self.snmp.agentx)
        self.core.wait_status("not-observed")
        self.failed(notice(), "no AgentX session")
        self.snmp.start_agent()
        self.core.wait_status("ok")
        self.delivered(notice())
        self.received(1)

    def test_snmpd_hangs(self):
        self.start()
        self.snmp.agent.signal(signal.SIGSTOP)
        held = self.core.command("deliver", "outbox:snmp", notice(), notice()["key"])
        self.is_responsive(4)
        reply = self.core.reply(held, 20)
        self.assertEqual(reply["status"], "failed")
        self.assertIn("did not answer in 5 s", reply["reason"])
        self.snmp.agent.signal(signal.SIGCONT)
        self.delivered(notice())
        wait_for(self.snmp.notifications, 20, "a notification")
        # A resumed master also sends what it had received before; the key shows that both are the same.
        self.assertEqual({got["values"][f"{BASE}.1.11.0"] for got in self.snmp.notifications()}, {notice()["key"]})

    def test_snmpd_dies_with_a_notification_in_hand(self):
        self.start()
        self.snmp.agent.signal(signal.SIGSTOP)
        held = self.core.command("deliver", "outbox:snmp", notice(), notice()["key"])
        self.is_responsive(4)
        self.snmp.agent.kill()
        reply = self.core.reply(held, 20)
        self.assertEqual(reply["status"], "failed")
        self.assertIn("went away", reply["reason"])
        self.snmp.stop_agent()
        self.snmp.start_agent()
        self.core.wait_status("ok")
        self.delivered(notice())
        self.received(1)


class WithoutSnmpd(SnmpCase):
    """Informs directly to managers."""

    def setUp(self):
        super().setUp()
        self.snmp = Snmp(self.folder)
        self.addCleanup(self.snmp.stop)

    def secret(self, name, text):
        path = os.path.join(self.folder, name)
        with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text + "\n")
        return path

    def inform(self, managers=None, **changes):
        """[inform] for the manager of this test, with SNMPv3."""
        options = {"managers": managers or [f"127.0.0.1:{self.snmp.trap_port}"], "user": self.snmp.USER, "auth": "SHA", "privacy": "AES",
                   "auth_passphrase_file": self.secret("auth", self.snmp.AUTH),
                   "privacy_passphrase_file": self.secret("privacy", self.snmp.PRIVACY), "timeout": "700ms", **changes}
        return "[inform]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in options.items())

    def start(self, *arguments, **changes):
        self.start_plugin(self.snmp.agentx, self.inform(*arguments, **changes))
        self.assertIn("to the managers directly", self.core.wait_status("ok"))

    def keys(self):
        return [got["values"][f"{BASE}.1.11.0"] for got in self.snmp.notifications()]

    def wait_keys(self, *keys):
        wait_for(lambda: len(self.keys()) >= len(keys), 20, lambda: f"{keys}: {self.keys()}\n{self.program.tail()}")
        self.assertEqual(self.keys(), list(keys))

    def test_version_3_encrypted_and_acknowledged(self):
        self.snmp.start_manager()
        self.start()
        self.delivered(notice(1))
        self.delivered(notice(1))  # delivered once only
        self.delivered(notice(2, "resolved"))
        self.wait_keys(notice(1)["key"], notice(2, "resolved")["key"])
        self.assertEqual(self.snmp.notifications()[1]["oid"], f"{BASE}.0.4")

    def test_newer_ciphers(self):
        with open(os.path.join(self.snmp.folder, "snmptrapd.conf"), "a", encoding="ascii") as file:
            file.write("createUser newer SHA-256 authenticates-it AES hides-all-of-it\nauthUser log newer priv\n")
        self.snmp.start_manager()
        self.start(user="newer", auth="SHA-256")
        self.delivered(notice(1))
        self.wait_keys(notice(1)["key"])

    def test_version_2c(self):
        self.snmp.start_manager()
        self.start(version="2c", community_file=self.secret("community", "public"))
        self.delivered(notice(1))
        self.wait_keys(notice(1)["key"])

    def test_no_manager_no_acknowledgement(self):
        self.start()
        held = self.core.command("deliver", "outbox:snmp", notice(1), notice(1)["key"])
        self.is_responsive(4)  # while the inform waits
        reply = self.core.reply(held, 40)
        self.assertEqual(reply["status"], "failed")
        self.assertRegex(reply["reason"], "127.0.0.1:[0-9]+: (no SNMPv3 session|did not acknowledge it|was not reached)")
        self.snmp.start_manager()
        self.delivered(notice(1))
        self.wait_keys(notice(1)["key"])

    def test_wrong_passphrase(self):
        self.snmp.start_manager()
        self.start(auth_passphrase_file=self.secret("wrong", "something-else"))
        reply = self.deliver(notice(1), 40)
        self.assertEqual(reply["status"], "failed", reply)
        self.assertEqual(self.keys(), [])

    def test_one_manager_of_two_is_away(self):
        self.snmp.start_manager()
        other = Snmp(os.path.join(self.folder, "other"))
        self.addCleanup(other.stop)
        self.start([f"127.0.0.1:{self.snmp.trap_port}", f"127.0.0.1:{other.trap_port}"])
        reply = self.deliver(notice(1), 40)
        self.assertEqual(reply["status"], "failed")
        self.assertIn(str(other.trap_port), reply["reason"])
        self.assertNotIn(str(self.snmp.trap_port), reply["reason"])
        other.start_manager()
        self.delivered(notice(1))
        self.wait_keys(notice(1)["key"])
        self.assertEqual(len(other.notifications()), 1)

    def test_snmpd_comes_and_goes(self):
        self.snmp.start_manager()
        self.start()
        self.snmp.start_agent()
        wait_for(lambda: self.deliver(notice(1))["status"] == "done" and not self.core.statuses[-1].get("reason"), 40, "a session with snmpd")
        self.snmp.stop_agent()
        self.core.wait_beats(1)
        self.delivered(notice(2))
        self.wait_keys(notice(1)["key"], notice(2)["key"])


class Master(threading.Thread):
    """A fake AgentX master: answers(type) gives the error number of its answer, or None for no answer."""

    HEADER = struct.Struct("!BBBBIIII")
    OPEN, NOTIFY, RESPONSE, NETWORK_ORDER = 1, 12, 18, 0x10

    def __init__(self, path, answers, accept=True):
        super().__init__(daemon=True)
        self.answers = answers
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(path)
        self.listener.listen(0 if not accept else 4)
        self.seen = []
        if accept:
            self.start()

    def run(self):
        while True:
            try:
                peer, _ = self.listener.accept()
                with peer:
                    while self._serve_one(peer):
                        pass
            except OSError:
                return

    def _serve_one(self, peer):
        head = peer.recv(20, socket.MSG_WAITALL)
        if len(head) < 20:
            return False
        order = "!" if head[2] & self.NETWORK_ORDER else "<"
        _, kind, flags, _, session, transaction, packet, length = struct.unpack(order + "BBBBIIII", head)
        peer.recv(length, socket.MSG_WAITALL) if length else b""
        self.seen.append(kind)
        error = self.answers(kind)
        if error is not None:
            peer.sendall(struct.pack(order + "BBBBIIIIIHH", 1, self.RESPONSE, flags & self.NETWORK_ORDER, 0, session or 7,
                                     transaction, packet, 8, 0, error, 0))
        return True

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class OddMasters(SnmpCase):
    def master(self, answers, accept=True):
        path = os.path.join(self.folder, "master")
        master = Master(path, answers, accept)
        self.addCleanup(master.close)
        return path

    def test_one_that_refuses_notifications(self):
        self.start_plugin(self.master(lambda kind: 268 if kind == Master.NOTIFY else 0))
        self.core.wait_status("ok")
        self.failed(notice(), "error 268")

    def test_one_that_takes_them(self):
        self.start_plugin(self.master(lambda kind: 0))
        self.core.wait_status("ok")
        self.delivered(notice())

    def test_one_that_refuses_sessions(self):
        self.start_plugin(self.master(lambda kind: 256))
        self.core.wait_status("not-observed")
        self.failed(notice(), "no AgentX session")
        self.is_responsive()

    def test_one_that_never_answers(self):
        self.start_plugin(self.master(lambda kind: None))
        self.core.wait_status("not-observed")
        self.failed(notice(), "no AgentX session")
        self.is_responsive()

    def test_one_that_does_not_even_accept(self):
        path = self.master(lambda kind: None, accept=False)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as full:
            full.connect(path)  # the queue is full now
            self.start_plugin(path)
            for _ in range(4):
                self.is_responsive(4)
            self.failed(notice(), "no AgentX session")

    def test_no_socket(self):
        self.start_plugin("/nonexistent/master")
        self.assertIn("/nonexistent/master", self.core.wait_status("not-observed"))
        self.failed(notice(), "/nonexistent/master")


class Configuration(SnmpCase):
    def refused(self, text):
        self.write_config(text)
        ran = subprocess.run([BINARY, "--socket", self.core.path, "--config", self.config], capture_output=True,
                             text=True, timeout=patience(), check=False, env=dict(os.environ, STATE_DIRECTORY=self.state))
        self.assertEqual(ran.returncode, 78, ran.stderr)
        return ran.stderr

    def test_mistakes_are_told_with_their_line(self):
        said = self.refused('\nagentxs = "/a"\n')
        self.assertIn("snmp.toml:2: unknown key 'agentxs', did you mean 'agentx'?", said)
        said = self.refused('[inform]\nmanagers = ["192.0.2.1"]\nauth = "ROT13"\n')
        for words in ("inform.auth must be one of", "inform.user must name", "inform.auth_passphrase_file must be the whole path"):
            self.assertIn(words, said)
        self.assertIn("community_file must be", self.refused('[inform]\nmanagers = ["h"]\nversion = "2c"\n'))
        self.assertIn("inform.managers must be addresses", self.refused('[inform]\nmanagers = ["-v1"]\nversion = "2c"\ncommunity_file = "/x"\n'))
        community = os.path.join(self.folder, "community")
        with open(community, "w", encoding="ascii") as file:
            file.write("public\n")
        os.chmod(community, 0o644)
        self.assertIn("can be read by other users: run 'chmod o= ",
                      self.refused(f'[inform]\nmanagers = ["h"]\nversion = "2c"\ncommunity_file = "{community}"\n'))
        self.assertIn("bus must be", self.refused('bus = "nowhere"\n'))
        for address in ("tcp:localhost:705", "relative", "", "/" + "x" * 200):
            self.assertIn("whole path of a socket", self.refused(f'agentx = "{address}"\n'))

    def test_the_example_is_valid(self):
        with open(os.path.join(TREE, "plugins", "snmp", "snmp.toml"), encoding="utf-8") as file:
            example = file.read()
        self.assertIn('#agentx = "/var/agentx/master"', example)
        self.start_plugin("/nonexistent")
        self.program.kill()
        self.write_config(example.replace("#agentx", "agentx").replace('#bus = "system"', 'bus = "none"').replace("#entities", "entities"))
        self.program.start()
        self.core.greet()


if __name__ == "__main__":
    unittest.main(argv=[BINARY], verbosity=2)
