#!/usr/bin/python3
"""fmd-zfs as a process on a simulated host, with a core of the test's own. Argument or FMD_ZFS: the program."""
import os
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [HERE, os.path.join(TREE, "simulator")]

from core import Core  # noqa: E402  (the path has to be set before)
from host.actions import SimulatedHost  # noqa: E402
from process import Program  # noqa: E402

PROGRAM = os.environ.get("FMD_ZFS", "")
SPEED = {"scrub": 0.5, "resilver": 1.0, "notice": 0.1}
CHECKSUM = "ereport.fs.zfs.checksum"


class ZfsCase(unittest.TestCase):
    pools = ("tank=raidz2:1,2,3,4,5,6+7",)
    config = ""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="fmd-zfs-test-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.host = SimulatedHost.make(self.path("host"), pools=self.pools, speed=SPEED, seed=5)
        os.makedirs(self.path("state"))
        with open(self.path("zfs.toml"), "w", encoding="utf-8") as file:
            file.write('poll = "1s"\npoll_busy = "200ms"\nzpool_deadline = "20s"\n' + self.config)
        self.core = Core(self.path("sock"))
        self.addCleanup(self.core.close)
        self.plugin = Program("fmd-zfs", [PROGRAM, "--socket", self.path("sock"), "--config", self.path("zfs.toml")],
                              self.path("log"), {**self.environment(), "STATE_DIRECTORY": self.path("state")})
        self.addCleanup(self.plugin.kill)
        self.plugin.start()

    def environment(self):
        return self.host.environment()

    def run(self, result=None):
        before = len(result.errors) + len(result.failures)
        super().run(result)
        if len(result.errors) + len(result.failures) > before:
            print(self.plugin_log)

    def tearDown(self):
        with open(self.path("log"), encoding="utf-8", errors="replace") as file:
            self.plugin_log = file.read()

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def wait(self, condition, what):
        return self.core.wait(condition, what)

    def ready(self):
        self.wait(lambda: self.core.resources and self.core.statuses, "the first inventory")

    def vdev(self, bay):
        """The resource of the vdev on the disk in a bay, {} when there is none."""
        guid = str(self.host.vdev(bay).get("guid", ""))
        return next((r for f, r in self.core.resources.items() if guid and f.endswith("vdev=" + guid)), {})

    def state(self, bay, key):
        return self.vdev(bay).get("properties", {}).get(key)

    def pool(self):
        return next(r for r in self.core.resources.values() if r["type"] == "zfs-pool")

    def act(self, name, bay, **args):
        return self.core.command(name, self.vdev(bay)["fmri"], **args)

    def restart(self):
        self.plugin.kill()
        if self.core.connection:
            self.core.disconnect()
        self.core.hello = None
        self.plugin.start()
        self.wait(lambda: self.core.hello, "the plugin again")


class Inventory(ZfsCase):
    def test_pool_vdevs_disks_and_spare(self):
        self.ready()
        self.assertEqual(self.core.hello["name"], "zfs")
        types = sorted(r["type"] for r in self.core.resources.values())
        self.assertEqual(types, ["plugin"] + ["zfs-pool"] + ["zfs-vdev"] * 8)
        leaf = self.vdev(4)
        self.assertEqual(leaf["edges"], [{"relation": "redundancy", "to": "dev://wwn=5000c500a0000004"}])
        self.assertEqual(leaf["properties"]["service"], "in-service")
        self.assertEqual(leaf["properties"]["spares_available"], 1)
        self.assertEqual(leaf["properties"]["name"], "wwn-0x5000c500a0000004")
        self.assertNotIn("retire_refusal", leaf["properties"])
        self.assertTrue(self.core.inventories[0]["complete"])
        self.assertEqual(self.pool()["properties"]["spares_available"], 1)
        self.assertEqual(self.core.statuses[-1], ("ok", ""))

    def test_a_pulled_disk_keeps_its_edge_and_a_reconnect_tells_all(self):
        self.ready()
        fmri = self.vdev(4)["fmri"]
        self.host.pull(4)
        self.wait(lambda: self.core.resources[fmri]["properties"]["service"] == "removed", "the removal")
        self.assertEqual(self.core.resources[fmri]["edges"][0]["to"], "dev://wwn=5000c500a0000004")
        self.wait(lambda: self.core.of_class("resource.fs.zfs.removed"), "its event")
        self.core.disconnect()
        self.core.resources = {}
        self.wait(lambda: self.core.resources.get(fmri), "the inventory again")
        self.restart()
        self.core.resources = {}
        self.wait(lambda: self.core.resources.get(fmri), "the inventory of the next run")
        self.assertEqual(self.core.resources[fmri]["edges"][0]["to"], "dev://wwn=5000c500a0000004")


class Events(ZfsCase):
    def test_a_scrubs_errors_come_once_over_restarts(self):
        self.ready()
        self.host.corrupt(4, blocks=30)
        self.host.scrub()
        self.wait(lambda: self.core.of_class("sysevent.fs.zfs.scrub_finish"), "the scrub's end")
        errors = self.core.of_class(CHECKSUM)
        self.assertGreaterEqual(len(errors), 10)
        self.assertEqual({e["resource"] for e in errors}, {self.vdev(4)["fmri"]})
        self.assertEqual({(e["payload"]["scan"], e["payload"]["context"]) for e in errors}, {("scrub", "none")})
        self.assertFalse(self.core.of_class("sysevent.fs.zfs.history_event"))
        seen = [e["payload"]["eid"] for e in self.core.events]
        self.assertEqual(seen, sorted(set(seen)))
        self.restart()
        self.host.corrupt(2, blocks=1)
        self.host.read()
        self.wait(lambda: any(e["resource"] == self.vdev(2)["fmri"] for e in self.core.of_class(CHECKSUM)), "the next error")
        again = [e["payload"]["eid"] for e in self.core.events]
        self.assertEqual(again, sorted(set(again)), "nothing twice, nothing missing")
        self.assertFalse(self.core.of_class("ereport.fmd.plugin.events_lost"))

    def test_unacked_events_come_again_and_a_reboot_begins_anew(self):
        self.ready()
        self.host.corrupt(4, blocks=5)
        self.core.acking = False
        self.host.read()
        self.wait(lambda: len(self.core.of_class(CHECKSUM)) == 5, "five errors")
        self.core.events = []
        self.core.acking = True
        self.restart()
        self.wait(lambda: len(self.core.of_class(CHECKSUM)) == 5, "the five again")
        self.plugin.kill()
        self.host.reboot()
        self.core.events = []
        self.restart()
        self.host.corrupt(3, blocks=2)
        self.host.read()
        self.wait(lambda: len(self.core.of_class(CHECKSUM)) >= 2, "two errors of the next boot")

    def test_events_lost_while_nobody_read(self):
        self.ready()
        self.host.read()
        self.host.corrupt(4, blocks=1)
        self.host.read()
        self.wait(lambda: self.core.of_class(CHECKSUM), "a first event")
        self.plugin.kill()
        with self.host.change() as state:
            pool = state.data["pools"]["tank"]
            from host import events
            for _ in range(600):
                events.pool_event(state, pool, "scrub_start")
        self.restart()
        lost = self.wait(lambda: self.core.of_class("ereport.fmd.plugin.events_lost"), "the loss")[0]
        self.assertEqual(lost["resource"], "fmd://plugin=zfs")
        payload = lost["payload"]
        self.assertEqual(payload["count"], payload["to"] - payload["from"] + 1)
        self.assertGreaterEqual(payload["count"], 600 - 512)


class Story(ZfsCase):
    def test_retire_spare_offline_replace(self):
        self.host.freeze()
        self.ready()
        bad, disk = self.vdev(4)["fmri"], self.host.vdev(4)
        self.assertEqual(self.act("retire", 4, to="degraded")["status"], "done")
        self.assertEqual(self.host.vdev(4)["state"], "DEGRADED")
        self.assertEqual(self.state(4, "service"), "degraded", "the inventory came before the reply")
        again = self.act("retire", 4, to="degraded")
        self.assertIn("already so", again["reason"])
        spare = self.act("spare_in", 4)
        self.assertEqual(spare["status"], "done", spare)
        self.assertEqual(spare["detail"]["spare"], self.state(4, "spare_by"))
        self.assertEqual(self.state(4, "spare"), "resilvering")
        self.assertEqual((self.state(4, "busy"), self.pool()["properties"]["scan"]), ("resilver", "resilver"))
        self.assertEqual(self.act("spare_in", 4)["status"], "done", "a second one is not used")
        self.host.tick(5)
        self.wait(lambda: self.state(4, "spare") == "active", "the spare's resilver")
        self.assertIn("holds its data", self.act("spare_out", 4)["reason"])
        self.assertEqual(self.act("retire", 4, to="out-of-service")["status"], "done")
        self.assertEqual(self.host.vdev(4)["state"], "OFFLINE")
        self.host.pull(4)
        self.host.insert(4)
        new = "dev://wwn=5000c500b0000008"
        done = self.core.command("replace", bad, device=new, path="", blank=True)
        self.assertEqual(done["status"], "done", done)
        self.assertTrue(self.core.resources[bad]["properties"]["replacing"].startswith("zfs://"))
        self.assertNotIn(bad, self.core.gone)
        self.host.tick(5)
        self.wait(lambda: bad in self.core.gone, lambda: f"the replacement: {self.core.resources}")
        self.assertEqual(self.core.gone[bad]["reason"], "replaced")
        self.assertEqual(self.core.gone[bad]["replaced_by"], self.vdev(4)["fmri"])
        self.assertNotEqual(self.host.vdev(4)["guid"], disk["guid"])
        self.wait(lambda: self.pool()["properties"]["spares_available"] == 1, "the spare back")
        self.assertEqual(self.core.command("replace", bad, device=new, path="")["status"], "done", "already replaced")

    def test_restore_is_not_an_administrators_doing(self):
        self.ready()
        self.act("retire", 4, to="degraded")
        restored = self.act("restore", 4)
        self.assertEqual(restored["status"], "done", restored)
        self.assertEqual(self.host.vdev(4)["state"], "ONLINE")
        self.assertTrue("sysevent.fs.zfs.vdev_clear" in self.host.events(), "the simulated kernel told of it")
        # An administrator's own clear, later, is told.
        self.act("retire", 2, to="degraded")
        with self.host.change() as state:
            from host import zpool
            zpool.clear(state, state.data["pools"]["tank"], str(self.host_guid(2, state)))
        self.wait(lambda: self.core.of_class("sysevent.fs.zfs.vdev_clear"), "the administrator's clear")
        self.assertEqual([e["resource"] for e in self.core.of_class("sysevent.fs.zfs.vdev_clear")], [self.vdev(2)["fmri"]])

    @staticmethod
    def host_guid(bay, state):
        from host import faults
        return faults.leaf_on(state, state.data["bays"][str(bay)]["disk"])[1]["guid"]


class Refusals(ZfsCase):
    pools = ("tank=stripe:1", "tank2=mirror:2,3+4")

    def test_last_copies(self):
        self.ready()
        self.assertEqual(self.state(1, "retire_refusal"), "last copy: pool 'tank' has no redundancy")
        refusal = self.act("retire", 1, to="degraded")
        self.assertEqual((refusal["status"], refusal["reason"]), ("refused", "last copy: pool 'tank' has no redundancy"))
        self.assertEqual(self.act("retire", 2, to="out-of-service")["status"], "done")
        self.assertEqual(self.act("retire", 3, to="degraded")["status"], "refused")
        self.assertEqual(self.host.vdev(3)["state"], "ONLINE")
        self.assertEqual(self.act("spare_in", 1)["status"], "refused")
        self.assertEqual(self.core.command("retire", "zfs://pool=1/vdev=2", to="degraded")["status"], "failed")
        self.assertEqual(self.core.command("retire", "dev://wwn=1", to="degraded")["status"], "failed")
        self.assertEqual(self.core.command("refresh", "zfs://")["status"], "done")

    def test_one_after_the_other_in_a_row(self):
        """Those that wait for the first are answered at once, from its look."""
        self.ready()
        asked = [self.core.send_command("retire", self.vdev(bay)["fmri"], to="degraded") for bay in (2, 3, 3, 3)]
        self.wait(lambda: all(number in self.core.replies for number in asked), "all answers")
        self.assertEqual([self.core.replies[number]["status"] for number in asked], ["done", "refused", "refused", "refused"])


class Passive(ZfsCase):
    config = 'act = "unless-zed"\n'

    def test_zed_is_seen_and_left_to_act(self):
        os.makedirs(self.host.path("run"), exist_ok=True)
        os.makedirs(self.host.path("proc/4711"), exist_ok=True)
        with open(self.host.path("run/zed.pid"), "w", encoding="ascii") as file:
            file.write("4711\n")
        with open(self.host.path("proc/4711/comm"), "w", encoding="ascii") as file:
            file.write("zed\n")
        self.ready()
        self.wait(lambda: self.core.statuses[-1][1].startswith("zed is running"), "the word on zed")
        self.assertEqual(self.core.resources["fmd://plugin=zfs"]["properties"]["zed"], "running")
        refusal = self.act("retire", 4, to="degraded")
        self.assertEqual(refusal["status"], "refused")
        self.assertIn("zed", refusal["reason"])
        os.unlink(self.host.path("run/zed.pid"))
        self.wait(lambda: self.core.statuses[-1] == ("ok", ""), "zed gone")
        self.assertEqual(self.act("retire", 4, to="degraded")["status"], "done")


class OtherZpool(ZfsCase):
    """With no zpool, or a small script of the test's own."""

    def environment(self):
        os.makedirs(self.path("tools"))
        for name in ("sleep", "cat"):
            os.symlink(shutil.which(name), self.path("tools", name))
        self.before()
        return {"FMD_HOST_ROOT": self.path("host"), "FMD_HOST_PATH": self.path("tools"), "PATH": self.path("tools")}

    def before(self):
        pass

    def tool(self, text):
        with open(self.path("tools", "zpool"), "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(self.path("tools", "zpool"), 0o755)


class NoZpool(OtherZpool):
    def test_not_observed_and_no_crash(self):
        self.wait(lambda: self.core.statuses, "a status")
        self.assertEqual(self.core.statuses[-1], ("not-observed", "no zpool(8) found on this host: zfs is not observed"))
        self.tool('echo "The ZFS modules are not loaded." >&2; exit 1\n')
        result = self.core.command("refresh", "zfs://")
        self.assertEqual(result["status"], "failed")
        self.wait(lambda: "module is not loaded" in self.core.statuses[-1][1], "the module's absence")
        self.tool('case "$1" in events) exec sleep 100;; esac; echo "cannot open: I/O error" >&2; exit 1\n')
        self.core.command("refresh", "zfs://")
        self.wait(lambda: self.core.statuses[-1][0] == "degraded", "degraded")
        self.assertIn("I/O error", self.core.statuses[-1][1])
        self.assertTrue(self.plugin.running())


STATUS = """  pool: tank
 state: ONLINE
  scan: none requested
config:

\tNAME          STATE     READ WRITE CKSUM
\ttank          ONLINE       0     0     0
\t  mirror-0    ONLINE       0     0     0
\t    {}  ONLINE       0     0     0
\t    {}  ONLINE       0     0     0

errors: No known data errors
"""
EVENT = """Nov 21 2026 02:42:22.048000000 {0}
        class = "{0}"
        pool = "tank"
        pool_guid = 0x7
        pool_context = 0x0
{1}        time = 0x6b01050e 0x2dc6c00{3}
        eid = {2:#x}
"""


class Scripted(OtherZpool):
    config = ""

    def before(self):
        def put(name, text):
            with open(self.path("tools", name), "w", encoding="ascii") as file:
                file.write(text)
        put("guids", STATUS.format("11        ", "12        ").replace("mirror-0", "10      "))
        put("paths", STATUS.format("/dev/sda1 ", "/dev/sdb1 "))
        put("properties", "root-0\tchecksum_n\t-\nroot-0\tio_n\t7\nmirror-0\tchecksum_n\t20\nsda\tio_t\t60\n")
        put("list", "tank\t7\tONLINE\n")
        put("events", "TIME                           CLASS\n" + self.events())
        with open(self.path("zfs.toml"), "w", encoding="ascii") as file:
            file.write('poll = "300ms"\nzpool_deadline = "3s"\n')
        here = self.path("tools")
        self.tool(f"""[ -e {here}/hang ] && [ "$1" != events ] && exec sleep 1000
case "$1 $2 $3" in
"list "*) cat {here}/list;;
"status -P"*) cat {here}/paths;;
"status -g"*) cat {here}/guids;;
"events -v -f") cat {here}/events; exec sleep 1000;;
"events -v "*) ;;
"get -H"*) [ "$7" = tank ] && [ "$8" = all-vdevs ] && cat {here}/properties;;
*) echo "unknown" >&2; exit 2;;
esac
""")

    def events(self):
        return EVENT.format(CHECKSUM, "        vdev_guid = 0xb\n", 5, " ") + "\n"


class VdevProperties(Scripted):
    def test_limits_of_newer_zfs(self):
        self.ready()
        limits = {f: {k: v for k, v in r["properties"].items() if k in ("checksum_n", "checksum_t", "io_n", "io_t")}
                  for f, r in self.core.resources.items() if r["type"].startswith("zfs-")}
        self.assertEqual(limits, {"zfs://pool=7": {"io_n": 7}, "zfs://pool=7/vdev=10": {"checksum_n": 20},
                                  "zfs://pool=7/vdev=11": {"io_t": 60}, "zfs://pool=7/vdev=12": {}})


class Hanging(Scripted):
    def test_a_hanging_zpool_keeps_what_is_known(self):
        self.ready()
        vdev = "zfs://pool=7/vdev=11"
        self.assertIn(vdev, self.core.resources)
        self.wait(lambda: self.core.events, "the event")
        with open(self.path("tools", "hang"), "w", encoding="ascii"):
            pass
        self.wait(lambda: self.core.statuses[-1][0] == "degraded", "degraded")
        self.assertRegex(self.core.statuses[-1][1], "no answer|still hangs")
        result = self.core.command("retire", vdev, to="degraded")
        self.assertEqual(result["status"], "failed")
        self.assertIn(vdev, self.core.resources)
        os.unlink(self.path("tools", "hang"))
        self.wait(lambda: self.core.statuses[-1][0] == "ok", "well again")
        self.assertTrue(self.plugin.running())


class Forged(Scripted):
    """A user property with line ends in it can look like events; it must not retire a disk."""

    def events(self):
        forged = "".join("\n" + EVENT.format(CHECKSUM, "        vdev_guid = 0xb\n", 7 + n, " ") for n in range(20))
        text = ('x"\n        time = 0x6b01050e 0x2dc6c00 \n        eid = 0x6\n' + forged
                + "\nNov 21 2026 02:42:22.048000000 sysevent.fs.zfs.history_event\n"
                + '        class = "sysevent.fs.zfs.history_event"\n        history_internal_str = "')
        history = EVENT.format("sysevent.fs.zfs.history_event", f'        history_internal_str = "{text}"\n', 6, " ")
        real = EVENT.format("ereport.fs.zfs.io", "        vdev_guid = 0xb\n", 7, " ")
        return super().events() + history + "\n" + real + "\n"

    def test_only_the_real_ones_count(self):
        self.wait(lambda: self.core.of_class("ereport.fs.zfs.io"), "the event behind it")
        self.assertEqual([(e["class"], e["payload"]["eid"]) for e in self.core.events],
                         [(CHECKSUM, 5), ("ereport.fs.zfs.io", 7)])


class Configuration(unittest.TestCase):
    def test_mistakes_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            config = os.path.join(folder, "zfs.toml")
            for text, words in (('acts = "never"\n', 'act'), ('act = "sometimes"\n', "unless-zed"), ("poll = 3\n", "poll")):
                with open(config, "w", encoding="ascii") as file:
                    file.write(text)
                program = Program("fmd-zfs", [PROGRAM, "--socket", folder + "/none", "--config", config], folder + "/log").start()
                self.assertEqual(program.process.wait(30), 78)
                log = program.tail()
                self.assertIn("zfs.toml:1", log)
                self.assertIn(words, log)


if __name__ == "__main__":
    if len(sys.argv) > 1 and os.path.isfile(sys.argv[1]):
        PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
