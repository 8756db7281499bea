"""The tables as managers read them: fmd-snmp between a real fmd bus with a fake daemon and a real snmpd. The output of net-snmp's tools
is compared with that of fmadm and fmtopo."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path[:0] = [os.path.join(TREE, "ui", "cli", "tests"), os.path.join(TREE, "tests", "lib"), os.path.join(TREE, "simulator")]

import librenms  # noqa: E402
import mibs  # noqa: E402
import stage  # noqa: E402
from fake_core import FakeCore  # noqa: E402
from process import PATIENCE, Program, patience, wait_for  # noqa: E402
from sinks import Snmp  # noqa: E402

STATUS = mibs.base() + ".3"
SEVERITIES = {"Minor": 1, "Major": 2, "Critical": 3}


class Tables(unittest.TestCase):
    fixture = stage.FIXTURE

    def more_of_snmpd_conf(self):
        return ""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="fmd-tables-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.bus = stage.Bus()
        self.addCleanup(self.bus.stop)
        self.daemon = stage.Daemon(self.bus, fixture=self.fixture)
        self.addCleanup(lambda: self.daemon.stop())
        self.snmp = Snmp(self.folder, self.more_of_snmpd_conf())
        self.snmp.start()
        self.addCleanup(self.snmp.stop)
        self.core = FakeCore(self.folder)
        self.addCleanup(self.core.close)
        state = os.path.join(self.folder, "state")
        os.mkdir(state)
        config = os.path.join(self.folder, "snmp.toml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(f'agentx = "{self.snmp.agentx}"\nbus = "{self.bus.address}"\n')
        self.program = Program("fmd-snmp", [os.environ["FMD_SNMP"], "--socket", self.core.path, "--config", config],
                               os.path.join(self.folder, "log"), {"STATE_DIRECTORY": state})
        self.program.start()
        self.addCleanup(self.program.stop)
        self.core.greet()
        self.core.wait_status("ok", PATIENCE)
        self.wait_for(lambda: self.scalar("8.3") == "1", "tables with what fmd knows")

    def wait_for(self, condition, what):
        return wait_for(condition, PATIENCE, lambda: f"{what() if callable(what) else what}\n{self.program.tail()}",
                        programs=[self.program])

    # --- queries ----------------------------------------------------------------

    def net_snmp(self, tool, *arguments, fails=False):
        ran = subprocess.run([tool, "-v2c", "-c", "public", "-t", str(PATIENCE), *arguments], capture_output=True, timeout=patience(300), check=False,
                             env=mibs.environment(os.path.join(self.folder, "tools")))
        if ran.returncode and not fails:
            raise AssertionError(f"{tool} {arguments}: {ran.stderr.decode()}\n{self.program.tail()}")
        return ran.stdout.decode("utf-8", "surrogateescape")

    def walk(self, oid):
        return mibs.walk(self.address(), oid, os.path.join(self.folder, "tools"))

    def address(self):
        return f"127.0.0.1:{self.snmp.port}"

    def scalar(self, number):
        value = self.net_snmp("snmpget", "-OqvneU", self.address(), f"{STATUS}.{number}.0", fails=True).strip()
        return value.strip('"')

    def table(self, name):
        """snmptable's rows: {column: text}."""
        text = self.net_snmp("snmptable", "-Cf", "\x1f", "-Cl", "-OeU", self.address(), f"FMD-STATUS-MIB::{name}")
        lines = [line for line in text.splitlines() if "\x1f" in line]
        head, *rows = lines or [""]
        return [{column: cell.strip('"') for column, cell in zip(head.split("\x1f"), row.split("\x1f"))} for row in rows]

    def fmadm(self):
        done = stage.run("fmadm", "faulty", "--json", bus=self.bus)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [case for case in json.loads(done.stdout) if case["state"] not in ("UNSOLVED", "RESOLVED")]

    def fmtopo(self):
        done = stage.run("fmtopo", "--json", bus=self.bus)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {part["fmri"]: part for part in json.loads(done.stdout)}


class AsFmdSays(Tables):
    def test_problems_and_suspects(self):
        for case in self.fmadm():
            self.daemon.order(case={**case, "say": {"state": "diagnosed", "needs": "you", "headline": f"SLOT 04: {case['code']}",
                                                    "do_now": "Replace it now.", "steps": ["Use a blank disk."]}}, event="changed")
        cases = {case["uuid"]: case for case in self.fmadm()}
        self.assertTrue(cases)
        self.wait_for(lambda: all("SLOT 04" in row["fmdProblemDescription"] for row in self.table("fmdProblemTable")), "what fmd says")
        rows = {row["fmdProblemUuid"]: row for row in self.table("fmdProblemTable")}
        self.assertEqual(set(rows), set(cases))
        for uuid, case in cases.items():
            row = rows[uuid]
            self.assertEqual(row["fmdProblemCode"], case["code"])
            self.assertEqual(row["fmdProblemSeverity"], str(SEVERITIES[case["severity"]]))
            self.assertEqual(row["fmdProblemSuspectCount"], str(len(case["suspects"])))
            self.assertEqual(row["fmdProblemAcknowledged"], "1" if case.get("acknowledged") else "2")
            say = case["say"]
            self.assertTrue(row["fmdProblemDescription"].startswith(clean(say["headline"])), row["fmdProblemDescription"])
            self.assertTrue(row["fmdProblemAction"].startswith(clean(say["do_now"])), row["fmdProblemAction"])
            self.assertEqual(row["fmdProblemReference"], f"fmadm faulty -u {uuid}")
        for severity, number in (("Minor", "8.6"), ("Major", "8.7"), ("Critical", "8.8")):
            self.assertEqual(self.scalar(number), str(sum(case["severity"] == severity for case in cases.values())))
        told = {(row["fmdSuspectProblemUuid"], row["fmdSuspectClass"], row["fmdSuspectResource"], row["fmdSuspectCertainty"], row["fmdSuspectSerial"])
                for row in self.table("fmdSuspectTable")}
        known = {(case["uuid"], suspect["class"], suspect["resource"], str(suspect["certainty"]), suspect.get("serial", ""))
                 for case in cases.values() for suspect in case["suspects"]}
        self.assertEqual({tuple(clean(text) for text in row) for row in known}, told)

    def test_parts_and_bays(self):
        parts = self.fmtopo()
        rows = {row["fmdResourceFmri"]: row for row in self.table("fmdResourceTable")}
        self.assertEqual(set(rows), set(parts))
        self.assertEqual(self.scalar("4"), str(len(parts)))
        for fmri, part in parts.items():
            self.assertEqual(rows[fmri]["fmdResourceType"], part["type"])
            self.assertEqual(rows[fmri]["fmdResourceSerial"], clean(part["properties"].get("serial", "")))
            self.assertEqual(rows[fmri]["fmdResourcePresent"], "1" if part.get("present", True) else "2")
        faulty = {suspect["fru"] for case in self.fmadm() for suspect in case["suspects"]
                  if suspect["status"] == "faulty" and case["severity"] in ("Major", "Critical")} & set(parts)
        self.assertTrue(faulty)
        for fmri in faulty:
            self.assertEqual(rows[fmri]["fmdResourceStatus"], "5", fmri)
        lights = {"on": "1", "off": "2", "cannot-drive": "3"}
        bays = {fmri: part for fmri, part in parts.items() if part["type"] == "bay"}
        told = {row["fmdBayFmri"]: row for row in self.table("fmdBayTable")}
        self.assertEqual(set(told), set(bays))
        for fmri, bay in bays.items():
            self.assertEqual(told[fmri]["fmdBayLabel"], clean(bay["properties"]["label"]))
            self.assertEqual(told[fmri]["fmdBayFaultLight"], lights.get(bay["properties"].get("led.fault"), "4"))
            held = [edge["to"] for edge in bay.get("edges", []) if edge["relation"] == "contains" and edge["to"] in parts]
            self.assertEqual(told[fmri]["fmdBayDisk"], held[0] if held else "")

    def test_plugins_and_age(self):
        plugins = {row["fmdPluginName"]: row for row in self.table("fmdPluginTable")}
        with open(self.fixture, encoding="utf-8") as file:
            fixture = json.load(file)
        self.assertEqual(set(plugins), {plugin["name"] for plugin in fixture["plugins"]})
        words = {"ok": "2", "not-observed": "1", "degraded": "1", "silent": "3", "dead": "3", "stopped": "1",
                 "disabled": "1"}
        for plugin in fixture["plugins"]:
            self.assertEqual(plugins[plugin["name"]]["fmdPluginStatus"], words[plugin["state"]])
        self.assertEqual(self.scalar("8.1"), fixture["config"]["version"])
        self.assertEqual(self.scalar("8.2"), fixture["config"]["host"]["name"])
        self.wait_for(lambda: int(self.scalar("8.4")) < 30, "a picture that is kept fresh")

    def test_every_object_of_the_mib_is_served(self):
        served = {name.split(".")[0] for name in re.findall(r"::(\w+)\.", self.net_snmp("snmpbulkwalk", "-OS", self.address(), STATUS))}
        with open(os.path.join(TREE, "schemas", "FMD-STATUS-MIB.txt"), encoding="ascii") as file:
            readable = set(re.findall(r"^(\w+) OBJECT-TYPE\n    SYNTAX [^\n]* MAX-ACCESS read-only", file.read(), re.M))
        # This fixture has no sensors; those are in test_as_librenms_discovers.
        self.assertEqual({name for name in readable - served if not name.startswith("fmdSensor")}, set())
        self.assertEqual(served - readable, set())

    def test_a_walk_over_all_comes_to_an_end_and_each_name_can_be_got(self):
        names = list(self.walk(STATUS))
        self.assertGreater(len(names), 100)
        self.assertEqual(len(names), len(set(names)))
        for name in names[::7]:
            self.assertNotIn("No Such", self.net_snmp("snmpget", "-On", self.address(), f"{STATUS}.{name}"))


class AsManagersDiscover(Tables):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.fixture = os.path.join(folder.name, "fixture.json")
        with open(stage.FIXTURE, encoding="utf-8") as file:
            fixture = json.load(file)
        shelf = next(part["fmri"] for part in fixture["resources"] if part["type"] == "enclosure")
        disk = next(part for part in fixture["resources"] if part["type"] == "disk")
        disk["properties"]["temperature_celsius"] = 41
        fixture["resources"] += [
            {"fmri": "hc://system=S1", "type": "system", "properties": {"name": "store1", "model": "R740", "vendor": "Maker", "serial": "SN9"},
             "edges": [{"relation": "contains", "to": "cpu://socket=0"}, {"relation": "contains", "to": "mem://dimm=A1"}]},
            {"fmri": "cpu://socket=0", "type": "cpu", "properties": {"name": "CPU 0", "model": "X"}},
            {"fmri": "mem://dimm=A1", "type": "dimm", "properties": {"label": "A1", "serial": "M1"}},
            {"fmri": f"{shelf}/psu=0", "type": "psu", "properties": {"label": "PSU 0", "status": "OK"}},
            {"fmri": f"{shelf}/fan=0", "type": "fan", "properties": {"label": "Fan 0", "status": "OK", "value": 5400, "unit": "rpm"}},
            {"fmri": "hc://system=S1/sensor=coretemp-1", "type": "sensor",
             "properties": {"label": "Package 0", "kind": "temperature", "unit": "celsius", "value": 48.5, "status": "ok", "limit_high": 90}},
            {"fmri": "hc://system=S1/sensor=ipmi-7", "type": "sensor",
             "properties": {"label": "12V", "kind": "voltage", "unit": "volts", "value": 12.06, "status": "ok"}},
            {"fmri": "hc://system=S1/sensor=ipmi-9", "type": "sensor",
             "properties": {"label": "Inlet", "kind": "temperature", "unit": "celsius", "status": "unknown"}}]
        with open(self.fixture, "w", encoding="utf-8") as file:
            json.dump(fixture, file)
        super().setUp()

    def test_as_librenms_discovers(self):
        found = librenms.discover(self.walk)
        names = {part["name"]: part for part in found.parts.values()}
        for name, kind, holder in (("store1", 3, None), ("CPU 0", 12, "store1"), ("A1", 9, "store1"), ("Shelf", 3, None), ("SLOT 03", 5, "Shelf"),
                                   ("SLOT 03 disk", 9, "SLOT 03"), ("PSU 0", 6, "Shelf"), ("Fan 0", 7, "Shelf"), ("Package 0", 8, "store1")):
            self.assertIn(name, names)
            self.assertEqual(names[name]["class"], kind, name)
            parent = found.parts.get(names[name]["contained_in"])
            self.assertEqual(parent["name"] if parent else None, holder, name)
        self.assertEqual((names["store1"]["serial"], names["store1"]["model"], names["store1"]["maker"]), ("SN9", "R740", "Maker"))
        sensors = {one["descr"]: (one["class"], one["current"]) for one in found.sensors.values()}
        self.assertEqual(sensors["Package 0"], ("temperature", 48.5))
        self.assertEqual(sensors["12V"], ("voltage", 12.06))
        self.assertEqual(sensors["Fan 0 Speed"], ("fanspeed", 5400))
        self.assertIn(("temperature", 41), sensors.values())
        self.assertNotIn("Inlet", sensors)  # unavailable
        # Every part has a state; that of the faulty disk is an alarm.
        self.assertEqual(set(found.states), set(found.parts))
        alarms = {found.parts[number]["name"]: state["alarm"] for number, state in found.states.items() if state["alarm"] != 0}
        faulty = {suspect["location"] for case in self.fmadm() for suspect in case["suspects"] if suspect["status"] == "faulty"}
        self.assertEqual({name for name, bits in alarms.items() if bits & 0x38 and name.endswith(" disk")}, {f"{bay} disk" for bay in faulty if bay})
        for state in found.states.values():
            self.assertIsNotNone(state["changed"])

    def test_as_fmtopo_contains(self):
        """entPhysicalContainsTable and entPhysicalContainedIn agree with each other, and with fmtopo about bays and disks."""
        found = librenms.discover(self.walk)
        pairs = {tuple(map(int, name.split("."))) for name in self.walk(".1.3.6.1.2.1.47.1.3.3.1.1")}
        self.assertEqual(pairs, {(part["contained_in"], number) for number, part in found.parts.items() if part["contained_in"]})
        by_fmri = {part["uris"]: number for number, part in found.parts.items() if part["uris"]}
        parts = self.fmtopo()
        for fmri, part in parts.items():
            if part["type"] != "bay":
                continue
            for edge in part.get("edges", []):
                if edge["to"] in parts:
                    self.assertEqual(found.parts[by_fmri[edge["to"]]]["contained_in"], by_fmri[fmri])

    def test_sensors_of_the_own_table(self):
        rows = {row["fmdSensorLabel"]: row for row in self.table("fmdSensorTable")}
        self.assertEqual((rows["Package 0"]["fmdSensorValue"], rows["Package 0"]["fmdSensorLimitHigh"], rows["Package 0"]["fmdSensorStatus"]),
                         ("48500", "90000", "2"))
        self.assertEqual((rows["Inlet"]["fmdSensorValue"], rows["Inlet"]["fmdSensorStatus"]), ("?", "4"))


class AsTheSnippetHasIt(Tables):
    """data/snmp/fmd.conf in snmpd.conf, and an SNMPv3 user."""
    LOGIN = ("-v3", "-u", "monitoring", "-l", "authPriv", "-a", "SHA", "-A", "authenticates-it", "-x", "AES", "-X", "hides-all-of-it")

    def more_of_snmpd_conf(self):
        with open(os.path.join(TREE, "data", "snmp", "fmd.conf"), encoding="ascii") as file:
            text = file.read()
        # The test machine lacks these users, so the user who runs the test may open the socket.
        text, perms = re.subn(r"^agentXPerms 0660 0755 Debian-snmp fmd-snmp$", f"agentXPerms 0660 0755 {os.getuid()} {os.getgid()}", text, flags=re.M)
        text, user = re.subn(r"^#(rouser monitoring authpriv -V fmd)$", r"\1", text, flags=re.M)
        self.assertEqual((perms, user), (1, 1))
        return f"{text}createUser monitoring SHA {self.LOGIN[8]} AES {self.LOGIN[12]}\n"

    def as_user(self, *arguments, login=LOGIN):
        ran = subprocess.run(["snmpwalk", "-On", "-t", "2", "-r", "1", *login, self.address(), *arguments], capture_output=True, text=True, errors="replace",
                             timeout=patience(120), check=False, env=mibs.environment(os.path.join(self.folder, "tools")))
        return [line for line in ran.stdout.splitlines() if line.startswith(".") and "No " not in line]

    def test_a_user_of_version_3_sees_what_the_view_shows(self):
        self.assertEqual(os.stat(self.snmp.agentx).st_mode & 0o777, 0o660)
        for oid in (STATUS, ".1.3.6.1.2.1.47", ".1.3.6.1.2.1.131", ".1.3.6.1.2.1.1"):
            self.assertTrue(self.as_user(oid), oid)
        self.assertEqual(len(self.as_user(STATUS)), len(self.walk(STATUS)))
        self.assertEqual(self.as_user(".1.3.6.1.6.3"), [])  # our views exclude users and access control
        wrong = [*self.LOGIN]
        wrong[8] = "something-else"
        self.assertEqual(self.as_user(STATUS, login=wrong), [])
        self.assertEqual(self.as_user(STATUS, login=(*self.LOGIN[:4], "authNoPriv", *self.LOGIN[5:9])), [])


class Changes(Tables):
    def test_what_changes_is_told_soon(self):
        case = self.fmadm()[0]
        self.daemon.order(case={**case, "uuid": "11111111-2222-4333-8444-555555555555", "severity": "Critical"}, event="diagnosed")
        self.wait_for(lambda: "11111111-2222-4333-8444-555555555555" in self.walk(f"{STATUS}.1.1.2").values(), "the new problem")
        self.daemon.order(case={**case, "acknowledged": True, "acknowledged_by": "root"}, event="acknowledged")
        self.wait_for(lambda: {row["fmdProblemUuid"]: row for row in self.table("fmdProblemTable")}[case["uuid"]]["fmdProblemAcknowledged"] == "1",
                      "the acknowledgement")
        self.daemon.order(case={**case, "state": "RESOLVED"}, event="resolved")
        self.wait_for(lambda: case["uuid"] not in self.walk(f"{STATUS}.1.1.2").values(), "the resolved one gone")
        self.daemon.order(resource={"fmri": "hc://chassis=5000c500fa0e5e50/bay=9", "type": "bay", "properties": {"label": "SLOT 09", "slot": 9}})
        self.wait_for(lambda: "SLOT 09" in self.walk(f"{STATUS}.7.1.3").values(), "the new bay")

    def test_fmd_ends_and_comes_back(self):
        before = self.walk(f"{STATUS}.5.1.2")
        self.daemon.stop()
        self.wait_for(lambda: self.scalar("8.4") not in ("", "0"), "an age")
        self.assertEqual(self.walk(f"{STATUS}.5.1.2"), before)
        self.daemon = stage.Daemon(self.bus, fixture=self.fixture)
        self.wait_for(lambda: int(self.scalar("8.4")) < 3, lambda: f"a fresh picture, age {self.scalar('8.4')}")

    def test_numbers_stay_after_a_restart(self):
        before = self.walk(f"{STATUS}.5.1.2")
        self.program.kill()
        self.program.start()
        self.core.greet()
        self.core.wait_status("ok", PATIENCE)
        self.wait_for(lambda: self.scalar("8.3") == "1", "tables again")
        self.assertEqual(self.walk(f"{STATUS}.5.1.2"), before)


class Many(Tables):
    DISKS = 10000

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.fixture = os.path.join(folder.name, "fixture.json")
        resources = [{"fmri": f"dev://wwn=5000c500{number:08x}", "type": "disk",
                      "properties": {"serial": f"Z{number}", "model": "ST8000", "temperature_celsius": 30 + number % 20}} for number in range(self.DISKS)]
        with open(self.fixture, "w", encoding="utf-8") as file:
            json.dump({"config": {}, "plugins": [], "serd": [], "resources": resources, "actions": [], "cases": [], "events": [],
                       "reload_errors": [], "bay_history": [], "readings": {}}, file)
        super().setUp()

    def test_ten_thousand_rows_are_walked_and_nobody_waits(self):
        walked = os.path.join(self.folder, "walked")
        with open(walked, "wb") as file:
            walker = subprocess.Popen(["snmpbulkwalk", "-v2c", "-c", "public", "-Cr50", "-t", str(PATIENCE), "-Onq", self.address(), f"{STATUS}.5.1"],
                                      stdout=file, env=mibs.environment(os.path.join(self.folder, "tools")))
        self.addCleanup(walker.wait)
        calls = 0
        while walker.poll() is None:
            done = stage.run("fmadm", "faulty", "--json", bus=self.bus)
            self.assertEqual(done.returncode, 0, done.stderr)
            calls += 1
            number = self.core.command("refresh", "outbox:snmp", {}, f"during-{calls}")
            self.assertEqual(self.core.reply(number)["status"], "failed")  # fmd-snmp answers its commands meanwhile
        with open(walked, "rb") as file:
            lines = file.read().splitlines()
        self.assertEqual(walker.returncode, 0)
        self.assertEqual(len(lines), 9 * self.DISKS)
        self.assertGreater(calls, 2, "if the walk delayed fmd or fmd-snmp, the first answer would come at its end")

    def test_snmpd_restarts_under_load(self):
        walk = ["snmpbulkwalk", "-v2c", "-c", "public", "-Cr50", "-t", "1", "-r", "0", "-Onq", self.address(), f"{STATUS}.5.1"]
        for _ in range(3):
            walker = subprocess.Popen(walk, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                      env=mibs.environment(os.path.join(self.folder, "tools")))
            self.assertTrue(walker.stdout.readline())  # the walk has begun
            self.snmp.agent.kill()
            walker.communicate(timeout=patience())
            self.snmp.stop_agent()
            self.snmp.start_agent()
            self.wait_for(lambda: self.scalar("4") == str(self.DISKS), "the tables at the new snmpd")
        self.assertTrue(self.program.running())


def clean(text):
    """Escapes control characters like fmd."""
    return "".join(char if ord(char) >= 32 and char != "\x7f" else "".join(f"\\x{byte:02x}" for byte in char.encode()) for char in text)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
