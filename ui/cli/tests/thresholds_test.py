"""Tests the rules for processors, memory, PCIe and the BMC's log at their numbers: one error fewer makes no case, that many make one.

The numbers are repeated here, from the sources that the rule files name, so that a lost rule or a changed number is noticed."""
import json
import pathlib
import re
import tempfile
import tomllib
import unittest

import stage

import shipped

SECOND = 1_000_000_000
HOUR = 3600 * SECOND
START = 1795228920 * SECOND
CORE, SOCKET = "cpu://socket=0/core=1", "cpu://socket=0"
DIMM = "mem://dimm=A1"
SENSOR = "hc://system=1/sensor=ipmi-61"

MINOR = "fault.cpu.corrected"
CORRECTED, UNCORRECTED, FATAL, DEFERRED = "corrected", "uncorrected", "fatal", "deferred"


def check(resource, event_class, fault, counts, **members):
    """One row per severity, with the number of errors that make a case."""
    return [(resource, event_class, {"severity": severity, "text": "an error", **members}, number, fault) for severity, number in counts]


def levels(event_class, of_core, of_socket):
    rows = []
    for level in ("L0", "L1", "L2"):
        rows += check(CORE, event_class, MINOR, [(CORRECTED, 4), (DEFERRED, 4)], level=level)
        rows += check(CORE, event_class, of_core, [(UNCORRECTED, 1), (FATAL, 1)], level=level)
    rows += check(CORE, event_class, MINOR, [(CORRECTED, 13)], level="unknown")
    rows += check(CORE, event_class, of_core, [(UNCORRECTED, 1)], level="unknown")
    rows += check(SOCKET, event_class, MINOR, [(CORRECTED, 4), (DEFERRED, 4)], level="L3")
    return rows + check(SOCKET, event_class, of_socket, [(UNCORRECTED, 1), (FATAL, 1)], level="L3")


ROWS = [
    *levels("ereport.cpu.cache", "fault.cpu.cache", "fault.cpu.l3"),
    *levels("ereport.cpu.tlb", "fault.cpu.cache", "fault.cpu.l3"),
    *check(CORE, "ereport.cpu.cache", "fault.cpu.cache-yellow", [(CORRECTED, 1)], level="L1", word="yellow"),
    *check(SOCKET, "ereport.cpu.cache", "fault.cpu.l3", [(CORRECTED, 1)], level="L3", word="yellow"),
    *check(CORE, "ereport.cpu.internal", "fault.cpu.core", [(UNCORRECTED, 1), (FATAL, 1)]),
    *check(CORE, "ereport.cpu.internal", MINOR, [(CORRECTED, 4)]),
    *check(SOCKET, "ereport.cpu.bus", "fault.cpu.bus", [(UNCORRECTED, 1), (FATAL, 1)]),
    *check(SOCKET, "ereport.cpu.bus", MINOR, [(CORRECTED, 11)]),
    *check(SOCKET, "ereport.cpu.uncore", "fault.cpu.bus", [(UNCORRECTED, 1)]),
    *check(SOCKET, "ereport.cpu.uncore", MINOR, [(CORRECTED, 11)]),
    *check(SOCKET, "ereport.cpu.bus", None, [(CORRECTED, 40)], explained="memory"),
    *check(SOCKET, "ereport.cpu.poison", "fault.cpu.reported", [(UNCORRECTED, 1), (FATAL, 1)]),
    *check(SOCKET, "ereport.cpu.other", "fault.cpu.reported", [(UNCORRECTED, 1), (FATAL, 1)]),
    *check(SOCKET, "ereport.cpu.other", None, [(CORRECTED, 40)]),
    *check("mem://page=1f000", "ereport.memory.page", "fault.memory.page", [(CORRECTED, 3), (DEFERRED, 1), (UNCORRECTED, 1), (FATAL, 1)]),
    *check("mem://page=1f000", "ereport.memory.lost", "fault.memory.lost", [(UNCORRECTED, 1)], result="Recovered"),
    *check("mem://socket=0/channel=2", "ereport.memory.channel", "fault.memory.channel", [(CORRECTED, 10)]),
    *check("mem://socket=0/channel=2", "ereport.memory.channel", "fault.memory.channel-ue", [(UNCORRECTED, 1), (DEFERRED, 1)]),
    *check(DIMM, "ereport.memory.module", "fault.memory.dimm-firmware", [(CORRECTED, 10)], source="firmware", module="A1"),
    *check(DIMM, "ereport.memory.module", "fault.memory.dimm-firmware-ue", [(DEFERRED, 1), (UNCORRECTED, 1), (FATAL, 1)],
           source="firmware", module="A1"),
    *check("dev://pci=0000:02:00.0", "ereport.io.pci.link", "fault.io.pci.link", [(CORRECTED, 7), (UNCORRECTED, 7)], slot="slot 3"),
    *check("dev://pci=0000:02:00.0", "ereport.io.pci.link", "fault.io.pci.fatal", [(FATAL, 1)], slot="slot 3"),
]


def inventory(resources):
    return {"at": START, "plugin": "cpu", "method": "inventory", "params": {"complete": True, "resources": resources}}


def event(number, resource, event_class, payload, apart=60 * SECOND):
    at = START + number * apart
    one = {"class": event_class, "resource": resource, "time": at, "ena": 0, "payload": payload}
    return {"at": at, "plugin": "cpu", "method": "events", "params": {"events": [one]}}


def conditions():
    """The critical conditions in the BMC's log: the parts of event classes after "ereport.ipmi."."""
    found = set()
    for kind in tomllib.loads((stage.ROOT / "plugins/ipmi/sensor_types.toml").read_text()).values():
        for entry in kind:
            for state in entry.get("states", []):
                named = re.match(r"(critical|non-recoverable) ([a-z_.]+):", state)
                if named:
                    found.add(named[2])
    return found


class Thresholds(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "story.jsonl"

    def cases(self, lines):
        self.file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        done = stage.run("fmadm", "replay", str(self.file), *shipped.options(), "--json",
                         FMD_BUS_ADDRESS="unix:path=/nonexistent")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [(case["class"], case["suspects"][0]["resource"]) for case in json.loads(done.stdout)]

    def test_each_at_its_number(self):
        for resource, event_class, payload, number, fault in ROWS:
            with self.subTest(event=event_class, **payload):
                lines = [event(i, resource, event_class, payload) for i in range(number)]
                self.assertEqual(self.cases(lines[:-1]), [], "one fewer")
                self.assertEqual(self.cases(lines), [(fault, resource)] if fault else [])

    def test_within_their_time(self):
        """The last error comes when the first is no longer counted."""
        slow = {"ereport.cpu.cache": 72, "ereport.cpu.bus": 72, "ereport.memory.page": 72, "ereport.memory.channel": 24, "ereport.io.pci.link": 2}
        for resource, event_class, payload, number, _ in ROWS:
            if number == 1 or event_class not in slow or "explained" in payload:
                continue
            with self.subTest(event=event_class, **payload):
                apart = slow[event_class] * HOUR // (number - 1)
                lines = [event(i, resource, event_class, payload, apart + SECOND) for i in range(number)]
                self.assertEqual(self.cases(lines), [])

    def test_modules_by_size_need_the_rate_and_the_pages(self):
        for size, pages in (("8G", 2001), ("4G", 1501), ("2G", 1001), ("1G", 501), ("512M", 251), ("unknown", 513)):
            with self.subTest(size=size):
                def story(out, errors):
                    lines = [inventory([{"fmri": DIMM, "type": "dimm", "properties": {"label": "A1", "ce_count": 0, "size_class": size}}])]
                    for i, (name, value) in enumerate((("ce_count", errors), ("pages_out", out))):
                        reading = {"resource": DIMM, "name": name, "value": value, "time": START + (i + 1) * SECOND}
                        lines.append({"at": START + (i + 1) * SECOND, "plugin": "cpu", "method": "readings", "params": {"readings": [reading]}})
                    return [c[0] for c in self.cases(lines)]
                self.assertEqual(story(pages - 1, 10), ["fault.memory.dimm-ce"])
                self.assertEqual(story(pages, 9), [])
                self.assertEqual(story(pages, 10), ["fault.memory.dimm-worn"])

    def test_uncorrected_by_edac(self):
        for kind in ("dimm", "edac-dimm"):
            fmri = "mem://mc=0/dimm=1"
            lines = [inventory([{"fmri": fmri, "type": kind, "properties": {"label": "A1", "ue_count": 3}}])]
            self.assertEqual(self.cases(lines), [], "what was there before is no news")
            reading = {"resource": fmri, "name": "ue_count", "value": 4, "time": START + SECOND}
            lines.append({"at": START + SECOND, "plugin": "cpu", "method": "readings", "params": {"readings": [reading]}})
            self.assertEqual(self.cases(lines), [("fault.memory.dimm-ue", fmri)])

    def test_each_critical_condition_of_the_log_is_a_case(self):
        found = conditions()
        self.assertGreater(len(found), 10)
        for condition in sorted(found):
            with self.subTest(condition=condition):
                payload = {"sensor": "S", "sensor_type": "memory", "offset": 1, "text": "it said so", "verdict": "critical", "deasserted": False,
                           "record": 7}
                lines = [event(i, SENSOR, "ereport.ipmi." + condition, payload) for i in range(10)]
                self.assertEqual(len(self.cases(lines)), 1)

    def test_a_forecast_of_a_slot(self):
        bay = "hc://chassis=1/bay=3"
        resources = [{"fmri": bay, "type": "bay", "properties": {"label": "SLOT 03", "bmc.state": "predicted", "bmc.reason": "predicted"},
                      "edges": [{"relation": "contains", "to": "dev://wwn=6"}]},
                     {"fmri": "dev://wwn=6", "type": "disk", "properties": {"serial": "S6"}}]
        late = {"at": START + 40 * SECOND, "plugin": "cpu", "method": "readings", "params": {"readings": []}}
        self.assertEqual([c[0] for c in self.cases([inventory(resources), late])], ["fault.disk.slot-predicted"])


if __name__ == "__main__":
    unittest.main()
