#!/usr/bin/python3
"""A real Prometheus scrapes the metrics as systemd serves them, and the example alert rules fire and end; the dashboard asks for nothing that is not there."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import urllib.request

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(TREE / "ui" / "cli" / "tests"), str(TREE / "simulator")]

import stage  # noqa: E402
from ports import free_port, listening  # noqa: E402
from process import Program, patience, wait_for  # noqa: E402

RULES = TREE / "data" / "monitoring" / "fmd-alerts.yml"
DASHBOARD = TREE / "data" / "monitoring" / "fmd-dashboard.json"


class Rules(unittest.TestCase):
    def test_each_fires_when_it_should_and_not_before(self):
        ran = subprocess.run(["promtool", "test", "rules", str(TREE / "tests" / "integration" / "alert_rules.yml")], capture_output=True, text=True,
                             timeout=patience(), check=False)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        with open(RULES, encoding="utf-8") as file:
            alerts = re.findall(r"alert: (\w+)", file.read())
        with open(TREE / "tests" / "integration" / "alert_rules.yml", encoding="utf-8") as file:
            tested = set(re.findall(r"alertname: (\w+)", file.read()))
        self.assertEqual(set(alerts), tested)


class Monitored(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="fmd-prometheus-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.fixture = os.path.join(self.folder, "fixture.json")
        with open(stage.FIXTURE, encoding="utf-8") as file:
            self.known = json.load(file)
        self.enrich()
        with open(self.fixture, "w", encoding="utf-8") as file:
            json.dump(self.known, file)
        self.bus = stage.Bus()
        self.addCleanup(self.bus.stop)
        self.daemon = stage.Daemon(self.bus, fixture=self.fixture)
        self.addCleanup(self.daemon.stop)

    def enrich(self):
        """One of all that metrics are made of."""
        shelf = next(part["fmri"] for part in self.known["resources"] if part["type"] == "enclosure")
        disk = next(part for part in self.known["resources"] if part["type"] == "disk")
        disk["properties"] |= {"temperature_celsius": 41, "wear_percent": 3}
        vdev = next(part for part in self.known["resources"] if part["type"] == "zfs-vdev")
        vdev["properties"] |= {"read_errors": 1, "write_errors": 2, "checksum_errors": 3}
        self.known["resources"] += [
            {"fmri": f"{shelf}/sensor={number}", "type": "sensor", "properties": {"label": label, "unit": unit, "value": value, "status": "ok"}}
            for number, (label, unit, value) in enumerate((("Inlet", "celsius", 21.5), ("Fan", "rpm", 5400), ("Input", "watts", 210)))]
        self.known["outbox"] = [{"key": "k", "notifier": "mail", "event": "diagnosed", "uuid": "u", "state": "pending", "attempts": 1}]
        self.known["plugins"].append({**self.known["plugins"][0], "name": "ipmi", "state": "silent"})

    # --- what is asked ------------------------------------------------------

    def serve(self):
        """`fmadm metrics --http` behind a socket, as fmd-metrics.socket has it."""
        port = free_port()
        program = Program("metrics", ["systemd-socket-activate", "--inetd", "--accept", f"--listen=127.0.0.1:{port}",
                                      "--setenv=FMD_BUS_ADDRESS", stage.program("fmadm"), "metrics", "--http"],
                          os.path.join(self.folder, "metrics.log"), {"FMD_BUS_ADDRESS": self.bus.address})
        program.start()
        self.addCleanup(program.stop)
        wait_for(lambda: listening(port), 20, lambda: f"the metrics\n{program.tail()}", programs=[program])
        return port

    def prometheus(self, target):
        port = free_port()
        with open(os.path.join(self.folder, "prometheus.yml"), "w", encoding="utf-8") as file:
            file.write("global: {scrape_interval: 1s, evaluation_interval: 1s}\n"
                       f"rule_files: [{RULES}]\n"
                       f"scrape_configs: [{{job_name: fmd, static_configs: [{{targets: ['127.0.0.1:{target}']}}]}}]\n")
        program = Program("prometheus", ["prometheus", f"--config.file={self.folder}/prometheus.yml", f"--storage.tsdb.path={self.folder}/data",
                                         f"--web.listen-address=127.0.0.1:{port}"], os.path.join(self.folder, "prometheus.log"))
        program.start()
        self.addCleanup(program.stop)
        self.port = port
        wait_for(self.ready, 60, lambda: f"Prometheus\n{program.tail()}", programs=[program])

    def ready(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/-/ready", timeout=patience()) as answer:
                return answer.status == 200
        except OSError:  # nothing listens yet, or it says 503
            return False

    def api(self, path, **query):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(query)}", timeout=patience()) as answer:
            return json.load(answer)["data"]

    def value(self, expression):
        return [(one["metric"], float(one["value"][1])) for one in self.api("query", query=expression)["result"]]

    def firing(self, name):
        return {one["labels"].get("uuid", "") for one in self.api("alerts")["alerts"] if one["labels"]["alertname"] == name and one["state"] == "firing"}

    # --- proofs -------------------------------------------------------------

    def test_scraped_fires_and_ends(self):
        self.prometheus(self.serve())
        wait_for(lambda: self.value('up{job="fmd"} == 1'), 60, "a scrape that went well")
        faulty = {case["uuid"]: case for case in self.known["cases"] if case["state"] not in ("UNSOLVED", "RESOLVED") and not case.get("acknowledged")
                  and case["severity"] in ("Major", "Critical") and any(suspect["status"] == "faulty" for suspect in case["suspects"])}
        self.assertTrue(faulty)
        wait_for(lambda: self.firing("HardwareFault") == set(faulty), 60, lambda: f"{set(faulty)} firing: {self.api('alerts')}")
        self.assertEqual(self.value('hw_temperature_celsius{hw_name="Inlet"}')[0][1], 21.5)
        for one in faulty.values():
            self.daemon.order(case={**one, "acknowledged": True, "acknowledged_by": "root"}, event="acknowledged")
        wait_for(lambda: not self.firing("HardwareFault"), 60, lambda: f"no alert: {self.api('alerts')}")

    def test_the_dashboard_asks_for_what_there_is(self):
        page = stage.run("fmadm", "metrics", bus=self.bus).stdout
        labels = {}
        for name, texts in re.findall(r"^(\w+)\{(.*)\} \S+$", page, re.M):
            labels.setdefault(name, set()).update(re.findall(r'(\w+)="', texts))
        with open(DASHBOARD, encoding="utf-8") as file:
            dashboard = json.load(file)
        targets = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
        targets += [one["query"]["query"] for one in dashboard["templating"]["list"] if one["type"] == "query"]
        asked = set()
        for expression in targets:
            for name, matchers in re.findall(r"\b((?:hw|fmd)_\w+)(?:\{([^}]*)\})?(?=[^\w(]|$)", expression):
                if name in {label for one in labels.values() for label in one}:
                    continue  # "by (hw_id)"
                self.assertIn(name, labels, expression)
                asked.add(name)
                used = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", matchers)) - {"instance", "job"}
                self.assertLessEqual(used, labels[name], expression)
        self.assertEqual(asked, set(labels), "each metric is shown somewhere")

    def test_prometheus_understands_each_query(self):
        self.prometheus(self.serve())
        wait_for(lambda: self.value('up{job="fmd"} == 1'), 60, "a scrape that went well")
        with open(DASHBOARD, encoding="utf-8") as file:
            dashboard = json.load(file)
        for panel in dashboard["panels"]:
            for target in panel.get("targets", []):
                expression = target["expr"].replace("$instance", ".*").replace("$__rate_interval", "5m")
                self.assertTrue(self.value(expression), f"{panel['title']}: {expression} finds nothing")


if __name__ == "__main__":
    unittest.main()
