"""fmd-alertmanager between a fake core and a real Alertmanager (Debian's prometheus-alertmanager), which calls a web hook."""
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path[:0] = [os.path.join(TREE, "tests", "lib"), os.path.join(TREE, "simulator")]

from fake_core import FakeCore  # noqa: E402
from ports import free_port  # noqa: E402
from process import Program, patience, wait_for  # noqa: E402

BINARY = os.environ["FMD_ALERTMANAGER"]
UUID = "6f3cbe38-13ea-4ff7-a4e0-8d4b9d1b3e11"


def notice(event="diagnosed", severity="Major", uuid=UUID):
    return {"key": f"{uuid}:{event}:{severity}", "event": event, "subject": "[fmd] storage1: replace the disk", "body": "",
            "host": "storage1", "time": time.time_ns(),
            "case": {"uuid": uuid, "severity": severity, "title": "Disk returns wrong data", "code": "ZFS-8000-GH", "action": "Replace it.",
                     "suspects": [{"class": "fault.fs.zfs.vdev.checksum", "fru_path": "hc://chassis=1/bay=4/disk=S4",
                                   "location": "SLOT 04", "serial": "S4"}]}}


class Hook:
    """A web server that records Alertmanager's requests."""

    def __init__(self):
        self.told = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                outer.told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class AlertmanagerCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="fmd-alertmanager-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.core = FakeCore(self.folder)
        self.addCleanup(self.core.close)
        self.hook = Hook()
        self.addCleanup(self.hook.stop)
        self.state, self.config = os.path.join(self.folder, "state"), os.path.join(self.folder, "alertmanager.toml")
        os.mkdir(self.state)
        self.port = free_port()
        with open(os.path.join(self.folder, "am.yml"), "w", encoding="utf-8") as file:
            file.write("route: {receiver: hook, group_by: [case], group_wait: 100ms, group_interval: 1s}\n"
                       "receivers: [{name: hook, webhook_configs: [{send_resolved: true, url: "
                       f"'http://127.0.0.1:{self.hook.server.server_port}/'}}]}}]\n")
        self.manager = Program("alertmanager", ["/usr/bin/prometheus-alertmanager", f"--config.file={self.folder}/am.yml",
                                                f"--storage.path={self.folder}/am", "--cluster.listen-address=",
                                                f"--web.listen-address=127.0.0.1:{self.port}"], f"{self.folder}/am.log")
        self.manager.start()
        self.addCleanup(self.manager.kill)
        self.wait_manager()

    def wait_manager(self):
        def ready():
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/-/ready", timeout=patience()):
                    return True
            except OSError:
                return False
        wait_for(ready, 30, lambda: "Alertmanager\n" + self.manager.tail(), programs=[self.manager])

    def alerts(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v2/alerts", timeout=patience()) as answer:
            return json.load(answer)

    def wait_alerts(self, count, seconds=20):
        wait_for(lambda: len(self.alerts()) == count, seconds, lambda: f"{count} alerts; there are {self.alerts()}\n{self.program.tail()}")

    def start(self, more=""):
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(f'urls = ["http://127.0.0.1:{self.port}/"]\n{more}')
        self.program = Program("fmd-alertmanager", [BINARY, "--socket", self.core.path, "--config", self.config],
                               os.path.join(self.folder, "log"), {"STATE_DIRECTORY": self.state})
        self.program.start()
        self.addCleanup(self.program.kill)
        return self.core.greet()

    def deliver(self, args):
        return self.core.deliver("outbox:alertmanager", args)

    def delivered(self, args):
        reply = self.deliver(args)
        self.assertEqual(reply["status"], "done", reply)

    def statuses(self):
        return [(alert["status"], alert["labels"]["severity"]) for told in self.hook.told for alert in told["alerts"]]


class Real(AlertmanagerCase):
    def test_fires_and_resolves(self):
        self.start()
        self.delivered(notice())
        (alert,) = self.alerts()
        self.assertEqual(alert["status"]["state"], "active")
        self.assertEqual(alert["labels"], {"alertname": "Disk returns wrong data", "host": "storage1", "severity": "major",
                                           "class": "fault.fs.zfs.vdev.checksum", "fru": "hc://chassis=1/bay=4/disk=S4",
                                           "bay": "SLOT 04", "code": "ZFS-8000-GH", "case": UUID})
        self.assertEqual(alert["annotations"]["summary"], "[fmd] storage1: replace the disk")
        wait_for(lambda: ("firing", "major") in self.statuses(), 20, lambda: f"it told: {self.hook.told}")
        self.delivered(notice("updated", "Critical"))
        self.wait_alerts(1)
        self.assertEqual(self.alerts()[0]["labels"]["severity"], "critical", "and the old one has ended")
        self.delivered(notice("repaired", "Critical"))
        self.wait_alerts(0)
        wait_for(lambda: ("resolved", "critical") in self.statuses(), 20, lambda: f"it told: {self.hook.told}")
        self.delivered(notice("resolved", "Critical"))
        self.assertEqual(self.alerts(), [])

    def test_told_again_while_open_and_over_when_nobody_tells(self):
        self.start('resend = "1s"\n')
        self.delivered(notice())
        first = self.alerts()[0]["endsAt"]
        wait_for(lambda: [a["endsAt"] for a in self.alerts()] > [first], 20, lambda: f"a later end than {first}: {self.alerts()}")
        # An Alertmanager that lost its state gets the alerts again without further action.
        self.manager.kill()
        shutil.rmtree(os.path.join(self.folder, "am"))
        self.assertIn("127.0.0.1", self.core.wait_status("degraded"))
        self.manager.start()
        self.wait_manager()
        self.wait_alerts(1)
        self.core.wait_status("ok")
        self.program.kill()
        self.wait_alerts(0)  # ends after four times the interval of 1 s
        self.program.start()
        self.core.greet()
        self.wait_alerts(1)

    def test_a_test_and_a_digest(self):
        self.start()
        self.delivered({"key": "test:1", "event": "test", "subject": "test", "body": "", "host": "storage1", "time": time.time_ns(), "case": {}})
        self.assertEqual(self.alerts()[0]["labels"], {"alertname": "fmd test", "host": "storage1"})
        reply = self.deliver(notice("digest"))
        self.assertIn("[digest]", reply["reason"])

    def test_what_has_no_end_is_refused_for_good(self):
        self.start()
        reply = self.deliver({"key": "u1:disk-removed:1", "event": "disk-removed", "subject": "gone", "body": "", "host": "storage1",
                              "time": time.time_ns(), "case": {}, "happening": {"uuid": "u1", "event": "disk-removed"}})
        self.assertEqual((reply["status"], reply["detail"]), ("refused", {"for_good": True}))
        self.assertEqual(self.alerts(), [])

    def test_it_is_away(self):
        self.start()
        self.manager.kill()
        self.assertEqual(self.deliver(notice())["status"], "failed")
        self.manager.start()
        self.wait_manager()
        self.delivered(notice())
        self.delivered(notice())
        self.assertEqual(len(self.alerts()), 1)


class Configuration(AlertmanagerCase):
    def refused(self, config):
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(config)
        ran = subprocess.run([BINARY, "--socket", self.core.path, "--config", self.config], capture_output=True, text=True,
                             timeout=patience(), check=False, env=dict(os.environ, STATE_DIRECTORY=self.state))
        self.assertEqual(ran.returncode, 78, ran.stderr)
        return ran.stderr

    def test_every_mistake_with_its_line(self):
        said = self.refused('url = "x"\nurls = ["http://a.example"]\nuser = "u"\nresend = "5ms"\ntoken_file = "/none"\n')
        for wanted in ("alertmanager.toml:1: unknown key 'url', did you mean 'urls'?", "alertmanager.toml:2: urls must be https://",
                       "needs both user and password_file", "alertmanager.toml:4: resend must be a second or more",
                       "alertmanager.toml:5: token_file"):
            self.assertIn(wanted, said)

    def test_the_example_is_valid(self):
        with open(os.path.join(TREE, "plugins", "alertmanager", "alertmanager.toml"), encoding="utf-8") as file:
            example = file.read()
        self.start()
        self.program.kill()
        secret = os.path.join(self.folder, "secret")
        with open(os.open(secret, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
            file.write("x\n")
        keys = [line[1:].split(" = ", 1) for line in example.splitlines() if line.startswith("#") and " = " in line[:20]]
        self.assertEqual(len(keys), 7)
        with open(self.config, "w", encoding="utf-8") as file:
            file.write("\n".join(f'{key} = "{secret}"' if value.startswith('"/') else f"{key} = {value}" for key, value in keys) + "\n")
        self.program.start()
        self.core.greet()


if __name__ == "__main__":
    unittest.main(argv=[BINARY], verbosity=2)
