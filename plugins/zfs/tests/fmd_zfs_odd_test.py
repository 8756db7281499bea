#!/usr/bin/python3
"""fmd-zfs without zpool(8), with a fake one, and with mistakes in its configuration. Argument or FMD_ZFS: the program."""
import os
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from zfs_case import CHECKSUM, Program, ZfsCase, main, program  # noqa: E402  (the path has to be set before)


class OtherZpool(ZfsCase):
    """Without zpool, or with a small script instead."""

    def environment(self):
        os.makedirs(self.path("tools"))
        for name in ("sleep", "cat", "tail", "touch"):
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
    def before(self):
        shutil.rmtree(self.path("host", "proc/spl/kstat/zfs"))

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


class NoZpoolButPools(OtherZpool):
    """zpool(8) was removed from a host whose kernel has a pool."""

    def test_it_is_blind(self):
        self.wait(lambda: self.core.statuses, "a status")
        self.assertEqual(self.core.statuses[-1], ("degraded", "no zpool(8) found on this host: zfs is not observed"))


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
    poll = "300ms"
    slow = ""  # runs before each look at the pool

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
            file.write(f'poll = "{self.poll}"\nzpool_deadline = "3s"\n')
        here = self.path("tools")
        self.tool(f"""cd {here}
[ -e hang ] && [ "$1" != events ] && exec sleep 1000
{self.slow}
case "$1 $2 $3" in
"list "*) cat list;;
"status -P"*) cat paths;;
"status -g"*) cat guids;;
"events -v -f") exec tail -n +1 -f events;;
"events -v "*) cat events;;
"get -H"*) [ "$7" = tank ] && [ "$8" = all-vdevs ] && cat properties;;
*) echo "unknown" >&2; exit 2;;
esac
""")

    def events(self):
        return EVENT.format(CHECKSUM, "        vdev_guid = 0xb\n", 5, " ") + "\n"


class VdevProperties(Scripted):
    def test_limits_of_newer_zfs(self):
        self.ready()
        limits = {f: {k: v for k, v in r["properties"].items() if k.rstrip("nt") in ("checksum_", "io_", "slow_io_")}
                  for f, r in self.core.resources.items() if r["type"].startswith("zfs-")}
        self.assertEqual(limits, {"zfs://pool=7": {"io_n": 7}, "zfs://pool=7/vdev=10": {"checksum_n": 20},
                                  "zfs://pool=7/vdev=11": {"io_t": 60}, "zfs://pool=7/vdev=12": {}})


class VdevPropertyThatChanges(Scripted):
    poll = "1h"

    def test_is_known_with_the_event(self):
        self.ready()
        number = lambda: self.core.resources["zfs://pool=7/vdev=11"]["properties"].get("checksum_n")  # noqa: E731
        self.assertIsNone(number())
        with open(self.path("tools", "properties"), "w", encoding="ascii") as file:
            file.write("sda\tchecksum_n\t1\n")
        with open(self.path("tools", "events"), "a", encoding="ascii") as file:
            file.write(EVENT.format("sysevent.fs.zfs.history_event", '        history_internal_str = "vdev_guid=11: checksum_n=1"\n'
                                    '        history_internal_name = "vdev set"\n', 6, " ") + "\n")
        self.wait(lambda: number() == 1, lambda: f"the number: {self.core.resources}")


class OlderVdevProperties(VdevProperties):
    """2.2 has no slow_io_n: the other properties are still read."""
    slow = '[ "$1" = get ] && case "$6" in *slow*) echo "bad property list: invalid property" >&2; exit 2;; esac'


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


class AnImportRuns(Scripted):
    def test_the_pool_waits_for_it(self):
        def process(number, name, *arguments):
            folder = self.path("host", "proc", number)
            os.makedirs(folder)
            for file, text in (("comm", name + "\n"), ("cmdline", "".join(word + "\0" for word in arguments))):
                with open(os.path.join(folder, file), "w", encoding="ascii") as out:
                    out.write(text)
        pool = lambda: self.core.resources["zfs://pool=7"]["properties"]  # noqa: E731
        self.ready()
        process("4710", "zpool", "zpool", "status", "import")
        process("4711", "grep", "grep", "import", "x")
        with open(self.path("tools", "hang"), "w", encoding="ascii"):
            pass
        self.wait(lambda: pool()["observed"] == "not-observed", "not observed")
        self.assertNotIn("waits_for", pool())
        process("4712", "zpool", "/sbin/zpool", "import", "-a")
        self.wait(lambda: pool().get("waits_for") == "import", "the import")
        self.wait(lambda: "'zpool import' runs (process 4712)" in self.core.statuses[-1][1], "the reason")
        shutil.rmtree(self.path("host", "proc", "4712"))
        self.wait(lambda: "waits_for" not in pool(), "its end")
        self.assertEqual(pool()["observed"], "not-observed")


class OneHangs(Scripted):
    """One of two pools does not respond: zpool(8) hangs if it names that pool, or none."""
    slow = """case "$*" in
events*|*tank*) ;;
*) [ -e hang-dozer ] && exec sleep 1000;;
esac
case "$*" in *dozer*) cd dozer;; esac"""
    tank, dozer = "zfs://pool=7/vdev=11", "zfs://pool=8/vdev=21"

    def before(self):
        super().before()
        os.makedirs(self.path("tools", "dozer"))
        os.makedirs(self.path("host", "proc/spl/kstat/zfs/dozer"))
        self.put("../host/proc/spl/kstat/zfs/dozer/state", "ONLINE\n")
        for name in ("guids", "paths", "list"):
            with open(self.path("tools", name), encoding="ascii") as file:
                text = file.read().replace("tank", "dozer").replace("dozer\t7", "dozer\t8").replace("11  ", "21  ")
            self.put("dozer/" + name, text.replace("12  ", "22  ").replace("10      ", "20      ").replace("/dev/sd", "/dev/sdd"))
        self.put("dozer/properties", "")

    def put(self, name, text=""):
        with open(self.path("tools", name), "w", encoding="ascii") as file:
            file.write(text)

    def observed(self, pool):
        return self.core.resources[pool]["properties"]["observed"]

    def test_the_others_are_seen_and_served(self):
        self.ready()
        known = dict(self.core.resources[self.dozer])
        self.put("hang-dozer")
        self.wait(lambda: self.observed("zfs://pool=8") == "not-observed", "its silence")
        self.wait(lambda: self.core.statuses[-1][0] == "degraded", "degraded")
        self.assertRegex(self.core.statuses[-1][1], "^pool 'dozer' is not observed: .*(no answer|still hangs)")
        self.assertEqual(self.core.resources[self.dozer], known)
        with open(self.path("tools", "guids"), encoding="ascii") as file:
            text = file.read()
        self.put("guids", text.replace("12          ONLINE ", "12          OFFLINE"))
        self.wait(lambda: self.core.resources["zfs://pool=7/vdev=12"]["properties"]["state"] == "OFFLINE", "what happens to the other")
        self.assertEqual(self.observed("zfs://pool=7"), "observed")
        self.assertEqual(self.core.command("restore", self.tank, by="person")["status"], "done")
        result = self.core.command("restore", self.dozer, by="person")
        self.assertEqual(result["status"], "failed")
        self.assertRegex(result["reason"], "no answer|still hangs")
        os.unlink(self.path("tools", "hang-dozer"))
        self.wait(lambda: self.core.statuses[-1][0] == "ok", "all well again")
        self.assertEqual(self.observed("zfs://pool=8"), "observed")
        self.assertEqual(self.core.command("restore", self.dozer, by="person")["status"], "done")

    def test_what_the_core_knows_of_it_outlasts_a_restart(self):
        self.ready()
        self.put("hang-dozer")
        self.plugin.kill()
        self.core.disconnect()
        self.core.inventories = []
        self.plugin.start()
        self.wait(lambda: self.core.inventories, "an inventory")
        self.assertFalse(any(i["complete"] for i in self.core.inventories))
        self.assertEqual(self.core.resources["zfs://pool=8"]["properties"]["health"], "ONLINE")
        os.unlink(self.path("tools", "hang-dozer"))
        self.wait(lambda: any(i["complete"] for i in self.core.inventories), "all of it")
        self.assertIn(self.dozer, self.core.resources)
        self.assertEqual(self.core.gone, {})


class Reconnected(Scripted):
    slow = 'if [ -e hold ] && [ "$1" = status ]; then touch held; while [ -e hold ]; do sleep 0.05; done; fi'

    def put(self, name, mode="a", text=""):
        with open(self.path("tools", name), mode, encoding="ascii") as file:
            file.write(text)

    def happens(self, eid):
        self.put("events", text=EVENT.format(CHECKSUM, "        vdev_guid = 0xb\n", eid, " ") + "\n")
        self.wait(lambda: self.core.events[-1:] and self.core.events[-1]["payload"]["eid"] == eid, f"event {eid}")

    def test_events_that_come_while_it_looks_again_are_told_once(self):
        self.ready()
        self.wait(lambda: self.core.events, "the first event")
        self.put("hold")
        self.core.disconnect()
        self.wait(lambda: os.path.exists(self.path("tools", "held")), "the look after the connection")
        self.happens(6)
        os.unlink(self.path("tools", "hold"))
        self.assertEqual(self.core.command("refresh", "zfs://")["status"], "done")
        self.happens(7)
        self.assertEqual([e["payload"]["eid"] for e in self.core.events], [5, 6, 7])


class Forged(Scripted):
    """A user property with newlines can look like events; it must not retire a disk."""

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
            for text, words in (('acts = "never"\n', 'act'), ('act = "sometimes"\n', "unless-zed"), ("poll = 3\n", "poll"),
                                ("spare_order = \"any\"\n", "disks-first")):
                with open(config, "w", encoding="ascii") as file:
                    file.write(text)
                plugin = Program("fmd-zfs", [program(), "--socket", folder + "/none", "--config", config], folder + "/log").start()
                self.assertEqual(plugin.process.wait(30), 78)
                log = plugin.tail()
                self.assertIn("zfs.toml:1", log)
                self.assertIn(words, log)


class SlowIos(ZfsCase):
    def test_a_clear_of_a_slow_disk_posts_no_event(self):
        clear = "sysevent.fs.zfs.vdev_clear"
        self.ready()
        with self.host.change() as state:
            state.data["pools"]["tank"]["root"]["children"][0]["children"][2]["slow_ios"] = 12
        self.wait(lambda: self.state(3, "slow_ios") == 12, lambda: f"the slow I/Os: {self.vdev(3)}")
        self.host.person(3, "clear")
        self.wait(lambda: self.core.of_class(clear), "the clear")
        payload = self.core.of_class(clear)[0]["payload"]
        self.assertEqual((payload["by"], payload["seen_by"]), ("administrator", "counters"))
        self.assertNotIn(clear, self.host.events())


if __name__ == "__main__":
    main()
