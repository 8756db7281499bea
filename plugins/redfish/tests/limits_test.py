#!/usr/bin/python3
"""fmd-redfish with a fake core and a hostile service: a poll stays within its budget, the plugin reports that, and keeps the parts
that it knew."""
import gzip
import json
import os
import resource
import shutil
import sys
import tempfile
import unittest

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path[:0] = [os.path.join(TREE, "tests", "lib"), os.path.join(TREE, "simulator")]

import redfish  # noqa: E402
from fake_core import FakeCore  # noqa: E402
from process import Program  # noqa: E402

BINARY = os.environ["FMD_REDFISH"]
CHASSIS = redfish.ROOT + "Chassis/1"
SENSORS, THERMAL = CHASSIS + "/Sensors", CHASSIS + "/Thermal"
MIB = 1 << 20


class LimitsCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="fmd-redfish-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.bmc = redfish.Redfish(self.folder)
        self.addCleanup(self.bmc.stop)
        password, config = os.path.join(self.folder, "password"), os.path.join(self.folder, "redfish.toml")
        with open(os.open(password, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
            file.write(redfish.PASSWORD + "\n")
        with open(config, "w", encoding="ascii") as file:
            file.write(f'service = "{self.bmc.address}"\nuser = "{redfish.USER}"\npassword_file = "{password}"\n'
                       f'ca_file = "{self.bmc.certificate}"\ninterval = "1s"\nconfirm = "200ms"\nat_most = "2s"\ndeadline = "60s"\n')
        self.core = FakeCore(self.folder)
        self.addCleanup(self.core.close)
        os.mkdir(os.path.join(self.folder, "state"))
        self.plugin = Program("redfish", [BINARY, "--socket", self.core.path, "--config", config], f"{self.folder}/redfish.log",
                              {**os.environ, "STATE_DIRECTORY": os.path.join(self.folder, "state")})
        self.addCleanup(self.plugin.kill)

    def start(self):
        self.plugin.start()
        self.core.greet()

    def check_memory(self):
        """Peak memory of the plugin and of its largest child; the unit allows both together 512 MiB."""
        with open(f"/proc/{self.plugin.process.pid}/status", encoding="ascii") as file:
            own = next(int(line.split()[1]) // 1024 for line in file if line.startswith("VmHWM"))
        self.plugin.signal(15)
        self.plugin.process.wait(30)
        child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        print(f"memory of the plugin: {own} MiB, of its largest child: {child} MiB")
        self.assertLess(own, 250)
        self.assertLess(child, 400)

    def plugin_seconds(self):
        """Processor time that the plugin has used, without its children."""
        with open(f"/proc/{self.plugin.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def log(self):
        with open(f"{self.folder}/redfish.log", encoding="utf-8") as file:
            return file.read()

    def degraded(self):
        return self.core.wait_status("degraded", 120)

    def add_sensors(self, count, **members):
        """Documents that one collection links to."""
        for n in range(count):
            uri = f"{SENSORS}/x{n}"
            self.bmc.documents[uri] = redfish.named("Sensor", "v1_7_0", uri, f"x{n}", **members)
        self.bmc.documents[SENSORS]["Members"] += [redfish.to(f"{SENSORS}/x{n}") for n in range(count)]

    def remove_sensors(self):
        with self.bmc.lock:
            self.bmc.documents[SENSORS]["Members"] = self.bmc.documents[SENSORS]["Members"][:1]


class Limits(LimitsCase):
    def test_bytes_of_a_look(self):
        self.start()
        self.core.wait_status("ok")
        self.core.wait_resource("psu", 60)
        self.add_sensors(20, Padding="x" * 4 * MIB)
        before = self.bmc.requests
        self.assertIn("one look took in more than 32 MiB", self.degraded())
        self.assertLess(self.bmc.requests - before, 60)
        self.assertTrue(self.core.wait_resource("psu"), "what was known stays")
        self.assertFalse([fmri for fmri in self.core.gone if "psu" in fmri])
        self.remove_sensors()
        self.core.wait_status("ok", 60)

    def test_values_of_a_look_and_memory(self):
        """8 MiB of {} are 220 MiB of memory."""
        self.add_sensors(40, Padding=[{}] * 100_000)
        self.start()
        self.assertIn("500000 values", self.degraded())
        self.core.wait_beats(3, 120)
        self.check_memory()

    def test_nesting(self):
        deep = json.loads("[" * 70 + "]" * 70)
        self.add_sensors(1, Deep=deep)
        self.start()
        self.assertIn(f"{SENSORS}/x0 is nested more than 64 levels deep", self.degraded())
        self.core.wait_resource("psu", 60)

    def test_one_large_document(self):
        self.add_sensors(1, Padding="x" * 9 * MIB)
        self.start()
        self.assertIn(f"{SENSORS}/x0 is larger than 8 MiB", self.degraded())
        self.core.wait_resource("psu", 60)

    def test_compression(self):
        """Neither requested nor accepted: 8 KiB would become 8 MiB."""
        self.bmc.encode = lambda path, body: gzip.compress(body) if path.endswith("Inlet") else None
        self.start()
        self.assertIn("Inlet is compressed, which was not requested", self.degraded())
        self.assertEqual(self.bmc.encodings, {"identity"})

    def test_number_of_parts(self):
        """One small document lists as many parts as a whole poll may have values."""
        self.bmc.documents[THERMAL] = redfish.named("Thermal", "v1_7_0", THERMAL, "Cooling",
                                                    Temperatures=[{"Name": f"Temp {n}"} for n in range(100_000)])
        self.bmc.documents[CHASSIS]["Thermal"] = redfish.to(THERMAL)
        del self.bmc.documents[CHASSIS]["ThermalSubsystem"]
        self.start()
        self.assertIn("more than 4096 parts are described", self.degraded())
        self.core.wait_resource("psu", 60)
        self.core.wait_beats(3, 120)
        self.check_memory()

    def test_long_texts(self):
        """A label and a reason of megabytes would not fit into a line of the protocol."""
        self.add_sensors(2)
        self.bmc.documents[f"{SENSORS}/x0"]["Name"] = "n" * 3 * MIB
        self.bmc.documents[f"{SENSORS}/x1"]["Status"] = {
            "State": "Enabled", "Health": "Critical", "Conditions": [{"Message": f"{n:06}" + "m" * 100} for n in range(20_000)]}
        self.start()
        self.core.wait_resource("redfish-Chassis.1.Sensors.x1", 60)
        self.assertLess(self.core.longest_line, MIB)
        self.assertLess(self.plugin_seconds(), 20)

    def test_large_log(self):
        entries = redfish.ROOT + "Systems/1/LogServices/Log/Entries"

        def entry(n):
            uri = f"{entries}/{n:0100}"
            return redfish.named("LogEntry", "v1_0_0", uri, str(n), Severity="OK", Created="2024-01-01T00:00:00Z")
        self.bmc.documents[entries]["Members"] = [entry(n) for n in range(7000)]
        self.start()
        self.core.wait_event("sysevent.ipmi.known", 60)
        with self.bmc.lock:
            self.bmc.documents[entries]["Members"].append(entry(7000))
        self.core.wait_event("sysevent.ipmi.entry", 60)
        self.assertLess(self.core.longest_line, MIB)

    def test_flood_of_comments(self):
        """They are no events, and keep the connection open."""
        self.bmc.offer_events()
        self.bmc.stream_mode = "flood"
        self.start()
        self.core.until(lambda: "sends more than 4 MiB a minute" in self.log(), 60, "the end of the stream")
        self.core.wait_status("ok")

    def test_number_of_documents(self):
        self.add_sensors(2100)
        self.start()
        self.assertIn("more than 2000 documents are linked", self.degraded())


class Long(LimitsCase):
    def test_other_documents_each_time_do_not_pile_up(self):
        """An incomplete poll keeps known documents, but not without limit."""
        self.add_sensors(1, Deep=json.loads("[" * 70 + "]" * 70))
        self.start()
        self.degraded()
        for turn in range(6):
            with self.bmc.lock:
                uris = [f"{SENSORS}/turn{turn}-{n}" for n in range(4)]
                for uri in uris:
                    self.bmc.documents[uri] = redfish.named("Sensor", "v1_7_0", uri, uri[-8:], Padding="x" * 4 * MIB)
                self.bmc.documents[SENSORS]["Members"][2:] = [redfish.to(uri) for uri in uris]
                seen = self.bmc.requests
            self.core.until(lambda seen=seen: self.bmc.requests > seen + 40, 60, "a look")
        self.check_memory()


if __name__ == "__main__":
    unittest.main()
