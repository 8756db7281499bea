"""fmadm metrics and check_fmd: output for monitoring systems."""
import json
import os
import re
import subprocess
import tempfile
import unittest

import stage

SAMPLE = re.compile(r'^([a-z_]+)\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\} (\S+)$')


def samples(text):
    """Parses the page strictly: {(name, labels): value}."""
    found, described, done = {}, set(), set()
    lines = text.split("\n")
    assert lines[-2:] == ["# EOF", ""], lines[-3:]
    name = None
    for line in lines[:-2]:
        if line.startswith("# TYPE "):
            name = line.split(" ")[2]
            assert name not in described, f"{name} is described twice"
            described.add(name)
            continue
        if line.startswith("# HELP "):
            continue
        match = SAMPLE.match(line)
        assert match, line
        assert match[1] in (name, f"{name}_total"), f"{line} does not stand with its description"
        labels = frozenset(re.findall(r'([a-z_]+)="((?:[^"\\]|\\.)*)"', match[2]))
        assert (match[1], labels) not in found, f"twice: {line}"
        found[match[1], labels] = float(match[3])
        done.add(match[1])
    return found


def having(found, name, **labels):
    return [value for (one, has), value in found.items() if one == name and set(labels.items()) <= has]


class Metrics(stage.Case):
    def test_a_strict_reader_takes_the_page(self):
        found = samples(self.ok("fmadm", "metrics"))
        self.assertEqual(having(found, "hw_status", hw_serial_number="Z1Y0DD06", hw_type="physical_disk", hw_state="failed"), [1])
        self.assertEqual(having(found, "hw_status", hw_serial_number="Z1Y0DD06", hw_type="physical_disk", hw_state="ok"), [0])
        self.assertTrue(having(found, "fmd_open_cases", severity="Critical", acknowledged="false"))
        self.assertTrue(having(found, "fmd_plugin_state"))

    def test_a_file_is_replaced_at_once(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "fmd.prom")
            for _ in range(2):
                self.ok("fmadm", "metrics", "-o", file)
                with open(file, encoding="utf-8") as page:
                    samples(page.read())
            self.assertEqual(os.listdir(folder), ["fmd.prom"])
            self.assertIn("Cannot write", self.fails(1, "fmadm", "metrics", "-o", os.path.join(folder, "none", "x")))

    def test_http(self):
        done = subprocess.run([stage.program("fmadm"), "metrics", "--http"], input=b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
                              capture_output=True, env=stage.environment(self.bus), timeout=stage.patience(), check=True)
        head, body = done.stdout.decode().split("\r\n\r\n", 1)
        self.assertTrue(head.startswith("HTTP/1.1 200 OK\r\n"), head)
        self.assertIn("Content-Type: application/openmetrics-text", head)
        self.assertIn(f"Content-Length: {len(body.encode())}", head)
        samples(body)
        done = subprocess.run([stage.program("fmadm"), "metrics", "--http"], input=b"GET", capture_output=True,
                              env=stage.environment(self.bus), timeout=stage.patience(), check=False)
        self.assertEqual((done.returncode, done.stdout), (1, b""))


class Check(stage.Case):
    def test_a_faulty_part_is_critical(self):
        done = stage.run("check_fmd", bus=self.bus)
        self.assertEqual((done.returncode, done.stderr), (2, ""), done.stdout)
        first = done.stdout.split("\n")[0]
        self.assertRegex(first, r"^FMD CRITICAL - .*\|critical=\d+ major=\d+ minor=\d+ plugins_silent=\d+ outbox=\d+ plugins_degraded=\d+ pools_unwell=\d+$")
        self.assertEqual(first.count("|"), 1)
        done = stage.run("check_fmd", "--checkmk", bus=self.bus)
        self.assertRegex(done.stdout, r'^2 "fmd" critical=\d+\|major=\d+\|minor=\d+\|\S+ FMD CRITICAL - [^|\n]*\n$')
        self.assertEqual(done.returncode, 0)

    def test_no_answer_is_unknown(self):
        done = stage.run("check_fmd", FMD_BUS_ADDRESS="unix:path=/nonexistent")
        self.assertEqual(done.returncode, 3)
        self.assertTrue(done.stdout.startswith("FMD UNKNOWN - "), done.stdout)
        self.assertEqual(stage.run("check_fmd", "--nonsense").returncode, 3)


class Healthy(stage.Case):
    plugins, resources = [], []

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.fixture = os.path.join(folder.name, "fixture.json")
        with open(self.fixture, "w", encoding="utf-8") as file:
            json.dump({"config": {}, "plugins": self.plugins, "serd": [], "resources": self.resources, "actions": [], "cases": [], "events": [],
                       "reload_errors": [], "bay_history": [], "readings": {}}, file)
        super().setUp()

    def test_nothing_is_wrong(self):
        done = stage.run("check_fmd", bus=self.bus)
        self.assertEqual((done.returncode, done.stdout), (0, "FMD OK - no open case|critical=0 major=0 minor=0 plugins_silent=0 outbox=0 plugins_degraded=0 pools_unwell=0\n"))


class Unwell(Healthy):
    """There is no open case, but a plugin is degraded."""
    plugins = [{"name": "zfs", "state": "degraded", "reason": "zpool does not answer", "connected": True}]

    def test_nothing_is_wrong(self):
        done = stage.run("check_fmd", bus=self.bus)
        self.assertEqual((done.returncode, done.stdout), (1, "FMD WARNING - no open case; 1 plugin degraded|critical=0 major=0 minor=0 "
                                                             "plugins_silent=0 outbox=0 plugins_degraded=1 pools_unwell=0\n"))


if __name__ == "__main__":
    unittest.main()
