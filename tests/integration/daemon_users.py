#!/usr/bin/python3
"""Two users on the bus: any local user may query, but cannot delay others or read what only root may read."""
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys

from daemon_bus import AS_OTHER, FMD, OTHER_NAME, BusCase, as_root
from daemon_case import FINE_CLASS, NOW_CLASS, disk, event, main

from process import patience, wait_for
from storm import cpu_seconds

LIB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib")
UUID, SERIAL, DIMM = "4C4C4544-0035-4D10-8053-B7C04F573432", "9XK3J42", "03AB12CD"
SECRETS = (UUID, UUID.lower(), SERIAL, DIMM)
READERS = (("ListCases", '{"all":true}'), ("ListEvents", "{}"), ("ListResources", "{}"), ("ListBayHistory", "{}"), ("ListPlugins",),
           ("ListSerd",), ("ListOutbox",), ("ListHappenings",), ("ListActions",), ("GetConfig",), ("GetStatus",), ("ListMaintenance",))

# Sends N queries and reads nothing until its input ends; then prints how many refusals had arrived. With NO_REPLY in its environment it asks for
# no answers.
GLUTTON = """
import sys; sys.path.insert(0, sys.argv[1])
from raw_bus import NO_REPLY, RawBus
import os
bus = RawBus(sys.argv[2])
try:
    for _ in range(int(sys.argv[3])):
        bus.send(*sys.argv[4:], flags=NO_REPLY if "NO_REPLY" in os.environ else 0)
except OSError:
    pass
print("asked", flush=True)
sys.stdin.read()
bus.socket.settimeout(2)
told = 0
try:
    while data := bus.socket.recv(1 << 20):
        told += data.count(b"Error.UnknownMethod")
except OSError:
    pass
print(told)
"""
# Sends one query on each of N connections, and never answers a Ping. Prints a line once each answer has begun to arrive, and leaves them unread.
MUTE = """
import socket, sys; sys.path.insert(0, sys.argv[1])
from raw_bus import RawBus
buses = [RawBus(sys.argv[2]) for _ in range(int(sys.argv[3]))]
for bus in buses:
    bus.send(*sys.argv[4:])
for bus in buses:
    bus.socket.recv(1, socket.MSG_PEEK)
print("answered", flush=True)
sys.stdin.read()
"""


class Users(BusCase):
    def glutton(self, times, *call, program=GLUTTON, uid=AS_OTHER["user"], environment=()):
        process = subprocess.Popen([sys.executable, "-c", program, LIB, self.bus, str(times), *call], text=True, cwd="/",
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={"PYTHONDONTWRITEBYTECODE": "1", **dict(environment)},
                                   user=uid, group=uid, extra_groups=[])
        self.addCleanup(process.communicate, timeout=patience())
        return process

    def large_list(self):
        """Makes the answer to ListResources almost as long as it may be, and returns its size."""
        self.daemon.plugin("source").inventory(
            [{"fmri": disk(n), "type": "disk", "properties": {"model": "x" * 200}} for n in range(950)])
        size = len(self.call("ListResources", "{}").stdout)
        self.assertLess(250_000, size)
        return size

    def fmd_cpu(self):
        return cpu_seconds(self.daemon.program.process.pid)

    def answered(self, within=5.0):
        """Root is answered before fmd has done much for others: the best of three, in seconds of fmd's processor time."""
        def taken():
            before = self.fmd_cpu()
            self.ask("ListCases", "{}")
            return self.fmd_cpu() - before
        self.assertLess(min(taken() for _ in range(3)), within)

    def memory_mb(self):
        with open(f"/proc/{self.daemon.program.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) // 1024

    def test_root_only_identifiers(self):
        system = self.daemon.plugin("system", observes=())
        system.inventory([
            {"fmri": "hc://system=f9", "type": "system", "properties": {"uuid": UUID, "serial": SERIAL, "model": "R740"},
             "edges": [{"relation": "contains", "to": "mem://dimm=A1"}]},
            {"fmri": "mem://dimm=A1", "type": "dimm", "properties": {"serial": DIMM, "label": "A1"}}])
        source = self.daemon.plugin("source")
        source.inventory([{"fmri": disk(7), "type": "disk", "properties": {"serial": "Z1Y0DD06"}}])
        source.events([event(NOW_CLASS, "mem://dimm=A1", text=f"module {DIMM} of {SERIAL}"), event(NOW_CLASS, disk(7))], cursor="1")
        wait_for(lambda: len(self.ask("ListCases", '{"all":true}')[0]) == 2, 20, "both cases")
        for query in READERS:
            with self.subTest(query=query):
                told = self.call(*query, **AS_OTHER)
                self.assertEqual(told.returncode, 0, told.stderr)
                json.loads(told.stdout)
                self.assertFalse([s for s in SECRETS if s in told.stdout], told.stdout)
        objects = "org.freedesktop.DBus.ObjectManager"
        for user in (AS_OTHER, {}):
            told = self.call("GetManagedObjects", interface=objects, **user)
            self.assertIn("R740", told.stdout)
            self.assertFalse([s for s in SECRETS if s in told.stdout], "signals go to all: the objects have none of it")
        of_other = {r["fmri"]: r["properties"] for r in self.ask("ListResources", "{}", **AS_OTHER)[0]}
        self.assertEqual(of_other["hc://system=f9"]["serial"], "(root only)")
        self.assertEqual(of_other["hc://system=f9"]["model"], "R740")
        self.assertEqual(of_other[disk(7)]["serial"], "Z1Y0DD06", "udev shows it to all")
        of_root = {r["fmri"]: r["properties"] for r in self.ask("ListResources", "{}")[0]}
        self.assertEqual((of_root["hc://system=f9"]["uuid"], of_root["mem://dimm=A1"]["serial"]), (UUID, DIMM))
        self.assertIn(f"module {DIMM} of {SERIAL}", json.dumps(self.ask("ListEvents", "{}")[0]))
        system.inventory([{"fmri": "mem://dimm=A1", "type": "dimm", "properties": {"serial": "77EE88FF", "label": "A1"}}])
        wait_for(lambda: "77EE88FF" in json.dumps(self.ask("ListResources", "{}")[0]), 20, "the new module")
        self.assertNotIn("77EE88FF", json.dumps(self.ask("ListResources", "{}", **AS_OTHER)[0]), "one that was put in since")

    def test_a_store_of_before_that_calls_the_machine_by_its_uuid(self):
        """Case, bay and LED are renamed to the machine's present name; the old one is not visible."""
        old = UUID.lower()

        def tell(plugin, name):
            plugin.inventory([
                {"fmri": f"hc://system={name}", "type": "system", "properties": {"id": name},
                 "edges": [{"relation": "contains", "to": f"hc://chassis={name}"}]},
                {"fmri": f"hc://chassis={name}", "type": "enclosure", "edges": [{"relation": "contains", "to": f"hc://chassis={name}/bay=3"}]},
                {"fmri": f"hc://chassis={name}/bay=3", "type": "bay", "properties": {"label": "Bay 3"},
                 "edges": [{"relation": "contains", "to": disk(1)}]},
                {"fmri": disk(1), "type": "disk", "properties": {"serial": "TEST:1"}}], complete=True)

        plugin = self.daemon.plugin("source")
        tell(plugin, old)
        plugin.events([event(NOW_CLASS, disk(1), bay=f"hc://chassis={old}/bay=3")], cursor="1")
        wait_for(lambda: self.ask("ListCases", "{}")[0], 20, "the case")
        uuid = self.ask("ListCases", "{}")[0][0]["uuid"]
        self.assertEqual(self.daemon.stop(), 0)
        with contextlib.closing(sqlite3.connect(os.path.join(self.daemon.state, "fmd.db"))) as database, database:
            self.assertEqual(database.execute("DELETE FROM state WHERE kind = 'machine'").rowcount, 1)
        for _ in range(2):  # the second start has nothing to do
            self.daemon.start()
            wait_for(lambda: self.call("GetConfig").returncode == 0, 20, "fmd on the bus")
            name, = [r["fmri"].partition("=")[2] for r in self.ask("ListResources", '{"type":"system"}')[0]]
            self.assertNotEqual(name, old)
            plugin = self.daemon.plugin("source", hello=False)
            self.assertEqual(plugin.hello()["cursor"], "1")
            tell(plugin, name)
            case, = self.ask("ListCases", '{"all":true}')[0]
            self.assertEqual((case["uuid"], case["suspects"][0]["bay"], case["suspects"][0]["location"]),
                             (uuid, f"hc://chassis={name}/bay=3", "Bay 3"))
            for user in ({}, AS_OTHER):
                told = "".join(self.call(*query, **user).stdout for query in READERS)
                self.assertIn(f"hc://chassis={name}/bay=3", told)
                self.assertNotIn(old, told)
            stays, = self.ask("ListBayHistory", "{}")[0]
            self.assertEqual((stays["bay"], stays.get("to")), (f"hc://chassis={name}/bay=3", 0), "one stay, which goes on")
            self.assertEqual(self.daemon.stop(), 0)

    def test_who_may_not_change_anything_changes_nothing(self):
        self.daemon.plugin("source").events([event(NOW_CLASS, disk(1))], cursor="1")
        wait_for(lambda: self.ask("ListCases", "{}")[0], 20, "the case")
        case, = self.ask("ListCases", "{}")[0]
        for change in (("Judge", "repaired", case["uuid"], "", "boolean:false"), ("Acknowledge", case["uuid"], "x"), ("Reload",),
                       ("SetDryRun", "boolean:true"), ("Retire", disk(1), "degraded"), ("Restore", disk(1)), ("TestNotify", ""),
                       ("Locate", disk(1), "boolean:true"), ("HoldLocate", disk(1)), ("AddMaintenance", "{}"), ("EndMaintenance", "x"),
                       ("Replace", disk(1), disk(2), "boolean:false"), ("SelfTest", disk(1), "short", "boolean:false"), ("RefreshDisk", disk(1))):
            with self.subTest(change=change):
                refused = self.call(*change, **AS_OTHER)
                self.assertEqual(refused.returncode, 1)
                self.assertIn("AccessDenied", refused.stderr)
        self.assertEqual(self.ask("ListCases", "{}")[0][0]["state"], case["state"])

    def test_a_glob_that_costs_most(self):
        plugin = self.daemon.plugin("source")
        for batch in range(30):
            plugin.events([event(FINE_CLASS, disk(n)) for n in range(1000)], cursor=str(batch + 1), seconds=60)
        part, _ = self.ask("ListEvents", '{"class":"ereport.fmd.*"}', **AS_OTHER)
        self.assertEqual((part["events"], part["more"], 0 < part["next"] < 30_000), ([], True, True), "so many are looked at, and no more")
        refused = self.call("ListEvents", json.dumps({"class": "*e" * 8000}), **AS_OTHER)
        self.assertEqual(refused.returncode, 1)
        askers = [subprocess.Popen(["dbus-send", f"--bus=unix:path={self.bus}", "--print-reply=literal", f"--dest={FMD[0]}", FMD[1],
                                    f"{FMD[2]}.ListEvents", "string:" + json.dumps({"class": "*s*e" * 60 + "z"})], cwd="/",
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **AS_OTHER) for _ in range(20)]
        self.answered()
        for asker in askers:
            asker.wait(60)

    def test_questions_to_the_disk_hold_up_no_acknowledgement(self):
        plugin = self.daemon.plugin("source")
        for batch in range(25):
            plugin.events([event(FINE_CLASS, disk(n)) for n in range(1000)], cursor=str(batch + 1), seconds=60)
        dear = (*FMD, "ListEvents", '{"class":"ereport.fmd.*"}')
        before = self.memory_mb()
        for environment in ({"NO_REPLY": "1"}, {}):
            with self.subTest(**environment):
                flood = self.glutton(3000, *dear, environment=environment)
                self.assertEqual(flood.stdout.readline(), "asked\n")
                before = self.fmd_cpu()
                for _ in range(5):
                    plugin.events([event(NOW_CLASS, disk(2))])
                self.assertLess(self.fmd_cpu() - before, 10, "acknowledged, five times, before it has done much for others")
                self.answered()
        self.assertLess(self.memory_mb() - before, 300)
        self.assertEqual([c["code"] for c in self.ask("ListCases", '{"all":true}')[0] if "store" in json.dumps(c["evidence"])], [],
                         "no disk was slow")

    def test_pings_that_nobody_answers(self):
        """A user who never reads the answers is refused in the end; others, who read theirs, are not."""
        self.daemon.plugin("source").inventory(
            [{"fmri": disk(n), "type": "disk", "properties": {"model": "x" * 200}} for n in range(950)])
        for uid in (1, 2, 3):
            mute = self.glutton(20, *FMD, "ListResources", "{}", program=MUTE, uid=uid)
            self.assertEqual(mute.stdout.readline(), "answered\n")
        self.answered()
        given = 0
        while given < 48 << 20:
            told = self.call("ListResources", "{}", **AS_OTHER)
            self.assertEqual(told.returncode, 0, f"after {given >> 20} MiB: {told.stderr[:200]}")
            given += len(told.stdout)

    def test_a_page_has_its_size(self):
        plugin = self.daemon.plugin("source")
        for number in range(1, 31):
            plugin.events([event(FINE_CLASS, disk(number), filler="x" * 100_000)], cursor=str(number))
        found, more, after = [], True, 0
        while more:
            told = self.call("ListEvents", json.dumps({"class": FINE_CLASS, "after": after}), **AS_OTHER)
            self.assertLess(len(told.stdout), 1100 << 10)
            page = json.loads(told.stdout)
            more, after = page["more"], page["next"]
            found += [e["resource"] for e in page["events"]]
        self.assertEqual(found, [disk(number) for number in range(1, 31)])

    def test_what_is_rejected_is_kept_as_it_came(self):
        """A new OpenZFS renames a member: the telemetry is still shown."""
        renamed = event(NOW_CLASS + ".renamed", disk(1), vdev_giud=7, text="as it came")
        self.assertEqual(len(self.daemon.plugin("zfs-like").events([renamed])["rejected"]), 1)
        kept, = self.ask("ListEvents", '{"class":"ereport.fmd.plugin.rejected"}')[0]["events"]
        payload = kept["payload"]
        self.assertEqual(json.loads(payload["raw"])["payload"], renamed["payload"])
        self.assertEqual((payload["plugin"], payload["class"]), ("zfs-like", NOW_CLASS + ".renamed"))

    def test_what_is_rejected_does_not_fill_the_journal(self):
        broken = self.daemon.plugin("broken")
        for _ in range(3):
            self.assertEqual(len(broken.events([event("ereport.no.such.thing", disk(1), text="x" * 1000)] * 500, seconds=60)["rejected"]), 500)
        kept = self.ask("ListEvents", '{"class":"ereport.fmd.plugin.rejected"}')[0]["events"]
        self.assertEqual(len(kept), 100)
        counted, = [p for p in self.ask("ListPlugins")[0] if p["name"] == "broken"]
        self.assertEqual((counted["events_rejected"], counted["events_received"]), (1500, 0))

    def test_who_asks_and_never_reads(self):
        self.large_list()
        before = self.memory_mb()
        gluttons = [self.glutton(2000, *FMD, "ListResources", "{}") for _ in range(3)]
        gluttons.append(self.glutton(2000, FMD[0], FMD[1], "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"))
        for _ in range(30):
            self.answered()
        self.assertLess(self.memory_mb() - before, 300)
        self.assertIsNone(self.daemon.program.ended_by_itself())

    def test_all_users_together_have_a_limit_too(self):
        """Four users each stay within their limit, and the next user is refused; root is not."""
        each = (31 << 20) // self.large_list()
        gluttons = [self.glutton(each, *FMD, "ListResources", "{}", program=MUTE, uid=uid) for uid in (1, 2, 3, 4)]
        for glutton in gluttons:
            self.assertEqual(glutton.stdout.readline(), "answered\n")
        self.assertIn("LimitsExceeded", self.call("ListResources", "{}", **AS_OTHER).stderr, "there is no room for anybody else")
        self.answered()
        self.assertGreater(len(self.call("ListResources", "{}").stdout), 250_000)
        for glutton in gluttons:
            glutton.communicate(timeout=patience())
        wait_for(lambda: self.call("ListResources", "{}", **AS_OTHER).returncode == 0, 30, "they have left")

    def test_refusals_that_nobody_reads(self):
        """Each answer is small, but the bus accepts nothing more from fmd once enough of them are unread."""
        glutton = self.glutton(30_000, *FMD, "NoSuchMethod")
        self.assertEqual(glutton.stdout.readline(), "asked\n")
        self.answered()
        told = int(glutton.communicate(timeout=patience())[0])
        self.assertGreater(told, 1000, "as long as there is room, it is told")
        self.assertLess(told, 22_000, "and then it gets no answer")
        self.answered()
        wait_for(lambda: self.call("ListCases", "{}", **AS_OTHER).returncode == 0, 20, "it has left: its user is answered again")

    def test_questions_to_polkit_that_nobody_answers(self):
        polkit = subprocess.Popen(
            ["/usr/bin/python3", "-c", "import sys; sys.path.insert(0, sys.argv[1]); from raw_bus import RawBus, method_call\n"
             "bus = RawBus(sys.argv[2])\nbus.request_name('org.freedesktop.PolicyKit1')\nprint('there', flush=True)\n"
             "while bus.socket.recv(65536): pass", LIB, self.bus], text=True, stdout=subprocess.PIPE, env={"PYTHONDONTWRITEBYTECODE": "1"})
        self.addCleanup(polkit.stdout.close)
        self.addCleanup(polkit.wait)
        self.addCleanup(polkit.kill)
        self.assertEqual(polkit.stdout.readline(), "there\n")
        glutton = self.glutton(200, *FMD, "Reload")
        self.assertEqual(glutton.stdout.readline(), "asked\n")
        refused = self.call("Reload", **AS_OTHER)
        self.assertIn("LimitsExceeded", refused.stderr)
        self.assertEqual(self.call("Reload").returncode, 0, "root's change goes through")
        self.answered()

    def test_more_resources_than_a_message_holds(self):
        for name in ("one", "two"):
            plugin = self.daemon.plugin(name)
            for part in range(0, 13000, 1000):
                plugin.inventory([{"fmri": f"test://{name}={n}", "type": "x", "properties": {"text": "y" * 300}}
                                  for n in range(part, part + 1000)], seconds=60)
        for user in (AS_OTHER, {}):
            refused = self.call("GetManagedObjects", interface="org.freedesktop.DBus.ObjectManager", **user)
            self.assertIn("LimitsExceeded", refused.stderr)
            refused = self.call("ListResources", '{"type":"x"}', **user)
            self.assertIn("by ListPage", refused.stderr)
        found, pages = self.pages("resources", {"type": "x"}, **AS_OTHER)
        self.assertEqual(sorted(r["fmri"] for r in found), sorted(f"test://{name}={n}" for name in ("one", "two") for n in range(26000 // 2)))
        self.assertGreater(pages, 8, "a page is small")
        self.answered()

    def test_who_asks_for_all_there_is_again_and_again(self):
        """The user does read everything; root is answered in between."""
        self.daemon.plugin("source").inventory(
            [{"fmri": disk(n), "type": "disk", "properties": {"model": "x" * 200}} for n in range(3000)])
        asker = ["sh", "-c", f"while :; do dbus-send --bus=unix:path={self.bus} --print-reply=literal --dest={FMD[0]} {FMD[1]} "
                 f"{FMD[2]}.ListPage string:resources string:{{}}; done"]
        askers = [subprocess.Popen(asker, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, **AS_OTHER)
                  for _ in range(8)]
        try:
            for _ in range(3):
                self.answered()
        finally:
            for one in askers:
                os.killpg(one.pid, signal.SIGKILL)
                one.wait(20)


class NotifiersUser(BusCase):
    """fmd-snmp shows its tables to anyone who knows a community, so its user has no more rights than others."""
    grant = ""
    told = "(root only)"

    def setUp(self):
        self.config += f'[plugin.snmp]\nuser = "{OTHER_NAME}"\nnotifier = true\n{self.grant}'
        super().setUp()

    def test_what_it_may_ask_for(self):
        self.daemon.plugin("source").inventory([
            {"fmri": "mem://dimm=A1", "type": "dimm", "properties": {"serial": DIMM, "label": "A1"}},
            {"fmri": disk(7), "type": "disk", "properties": {"serial": "Z1Y0DD06"}}])
        wait_for(lambda: len(self.ask("ListResources", "{}")[0]) >= 2, 20, "the parts")
        of_it = {r["fmri"]: r["properties"] for r in self.ask("ListResources", "{}", **AS_OTHER)[0]}
        self.assertEqual((of_it["mem://dimm=A1"]["serial"], of_it[disk(7)]["serial"]), (self.told, "Z1Y0DD06"))


class NotifiersUserThatMay(NotifiersUser):
    grant = "reads_serials = true\n"
    told = DIMM


if __name__ == "__main__":
    as_root(main)
