#!/usr/bin/python3
"""fmd-zfs on a simulated host's pool. Argument or FMD_ZFS: the program."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from zfs_case import CHECKSUM, ZfsCase, main  # noqa: E402  (the path has to be set before)


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
        self.assertIn("holds its data", self.act("spare_out", 4, by="person")["reason"])
        self.assertEqual(self.act("retire", 4, to="out-of-service")["status"], "done")
        self.assertEqual(self.host.vdev(4)["state"], "FAULTED")
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
        self.act("retire", 4, call="case:retire:1", to="degraded")
        restored = self.act("restore", 4, key="case:retire:1")
        self.assertEqual(restored["status"], "done", restored)
        self.assertEqual(self.host.vdev(4)["state"], "ONLINE")
        self.assertTrue("sysevent.fs.zfs.vdev_clear" in self.host.events(), "the simulated kernel told of it")
        # A later clear by an administrator is reported.
        self.act("retire", 2, to="degraded")
        self.host.person(2, "clear")
        self.wait(lambda: self.core.of_class("sysevent.fs.zfs.vdev_clear"), "the administrator's clear")
        self.assertEqual([e["resource"] for e in self.core.of_class("sysevent.fs.zfs.vdev_clear")], [self.vdev(2)["fmri"]])


class Refusals(ZfsCase):
    pools = ("tank=stripe:1", "tank2=mirror:2,3+4")

    def test_last_copies(self):
        self.ready()
        self.assertEqual(self.state(1, "retire_refusal"), "last copy: pool 'tank' has no redundancy")
        refusal = self.act("retire", 1, to="out-of-service")
        self.assertEqual((refusal["status"], refusal["reason"]), ("refused", "last copy: pool 'tank' has no redundancy"))
        self.assertEqual(self.act("retire", 2, to="out-of-service")["status"], "done")
        self.assertEqual(self.act("retire", 3, to="out-of-service")["status"], "refused")
        self.assertEqual(self.host.vdev(3)["state"], "ONLINE")
        self.assertEqual(self.act("retire", 3, to="degraded")["status"], "done", "that takes no copy away")
        self.assertEqual(self.host.vdev(3)["state"], "DEGRADED")
        self.assertEqual(self.act("spare_in", 1)["status"], "refused")
        self.assertEqual(self.core.command("retire", "zfs://pool=1/vdev=2", to="degraded")["status"], "failed")
        self.assertEqual(self.core.command("retire", "dev://wwn=1", to="degraded")["status"], "failed")
        self.assertEqual(self.core.command("refresh", "zfs://")["status"], "done")

    def test_one_after_the_other_in_a_row(self):
        """Commands queued behind the first one are answered at once, from its look."""
        self.ready()
        asked = [self.core.send_command("retire", self.vdev(bay)["fmri"], to="out-of-service") for bay in (2, 3, 3, 3)]
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


class Past(ZfsCase):
    def properties(self):
        return self.pool()["properties"]

    def test_how_full_and_when_scrubbed(self):
        self.ready()
        full = self.properties()["capacity_percent"]
        self.assertEqual(str(full), self.host_says("list", "-H", "-p", "-o", "capacity"))
        self.assertEqual((self.properties()["scrub_days"], self.properties()["scrubbed"]), (0, False))
        self.assertNotIn("scrub_repaired", self.properties())
        self.host.corrupt(4, blocks=20)
        self.host.scrub()
        self.wait(lambda: self.properties().get("scrubbed"), "the scrub's end")
        self.assertGreater(self.properties()["scrub_repaired"], 0)
        self.wait(lambda: self.state(4, "checksum_own") == 20, "its errors")
        self.assertEqual(self.state(5, "checksum_own"), 0)

    def test_a_pool_that_does_not_come_back_after_a_boot(self):
        self.ready()
        fmri = self.pool()["fmri"]
        self.plugin.kill()
        self.core.disconnect()
        self.host.reboot()
        with self.host.change() as state:
            pool = state.data["pools"].pop("tank")
        self.core.resources, self.core.hello = {}, None
        self.plugin.start()
        self.wait(lambda: fmri in self.core.resources, "the pool that is missing")
        self.assertEqual(self.properties(), {"name": "tank", "health": "NOT IMPORTED"})
        with self.host.change() as state:
            state.data["pools"]["tank"] = pool
        self.wait(lambda: self.properties()["health"] == "ONLINE", "the import")


    # zdb's output for a disk of the pool, and udev's data: the simulated host has neither.
    def labels(self, state):
        pool = self.pool()["fmri"].partition("pool=")[2]
        with open(self.path("host", "bin", "zdb"), "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\n[ "$1" = -l ] && cat "$2.label"\n')
        os.chmod(self.path("host", "bin", "zdb"), 0o755)
        block = self.path("host", "sys", "class", "block")
        for bay in range(1, 7):
            name = os.path.basename(os.path.realpath(self.path("host", *self.host.vdev(bay)["path"].strip("/").split("/"))))
            with open(os.path.join(block, name, "dev"), encoding="utf-8") as file:
                number = file.read().strip()
            with open(self.path("host", "run", "udev", "data", "b" + number), "w", encoding="utf-8") as file:
                file.write(f"E:ID_FS_TYPE=zfs_member\nE:ID_FS_UUID={pool}\n")
            with open(self.path("host", "dev", name + ".label"), "w", encoding="utf-8") as file:
                file.write(f"LABEL 0 \n    state: {state}\n    txg: 40\n    pool_guid: {pool}\n    guid: {self.host.vdev(bay)['guid']}\n")

    def test_one_that_was_exported_while_nobody_looked_is_not_expected(self):
        self.ready()
        fmri = self.pool()["fmri"]
        self.plugin.kill()
        self.core.disconnect()
        self.labels(1)
        self.host.reboot()
        with self.host.change() as state:
            state.data["pools"].pop("tank")
        self.core.resources, self.core.hello = {}, None
        self.plugin.start()
        self.wait(lambda: fmri in self.core.resources, "the pool that is missing")
        self.wait(lambda: fmri not in self.core.resources, "what its disks say")
        self.restart()
        self.wait(lambda: self.core.resources, "the first inventory")
        self.assertNotIn(fmri, self.core.resources)


class LostData(ZfsCase):
    def lost(self):
        properties = self.pool()["properties"]
        return properties.get("data_errors"), properties.get("damaged")

    def test_how_much_and_of_what(self):
        self.ready()
        self.assertEqual(self.lost(), (0, ""))
        self.host.lose([f"/tank/file {n}" for n in range(11)] + ["tank/home:<0x2>"])
        self.wait(lambda: self.lost()[0] == 12, "the errors")
        self.assertEqual(self.lost()[1], ", ".join(f"/tank/file {n}" for n in range(10)) + " and 2 more")
        self.wait(lambda: len(self.core.of_class("ereport.fs.zfs.data")) == 12, "the events")
        event = self.core.of_class("ereport.fs.zfs.data")[0]
        self.assertEqual((event["resource"], event["payload"]["context"]), (self.pool()["fmri"], "none"))
        self.host.lose([])
        self.wait(lambda: self.lost() == (0, ""), "the empty list")

    def test_a_name_is_text(self):
        self.ready()
        self.host.lose(["/tank/\x1b[31mred\n  pool: forged", "/tank/" + "x" * 300])
        self.wait(lambda: self.lost()[0] == 2, "the errors")
        self.assertTrue(self.lost()[1].startswith("/tank/\\x1b[31mred"), self.lost()[1])
        self.assertIn("/tank/xxx", self.lost()[1])
        self.assertLess(len(self.lost()[1]), 300)


class Slow(ZfsCase):
    config = 'latency_every = "2s"\n'

    def test_a_slow_disk_stands_out_and_ends(self):
        self.ready()
        self.wait(lambda: self.core.reading(self.vdev(3)["fmri"], "read_latency_ms"), "a reading")
        self.assertEqual(self.core.reading(self.vdev(3)["fmri"], "read_slowness"), 0)
        self.host.slow(3, 2000)
        self.wait(lambda: self.core.reading(self.vdev(3)["fmri"], "read_slowness") > 50, "the slow one")
        self.assertEqual(self.core.reading(self.vdev(3)["fmri"], "read_siblings_ms"), 8)
        for bay in (1, 2, 4, 5, 6):
            self.assertEqual(self.core.reading(self.vdev(bay)["fmri"], "read_slowness"), 0)


if __name__ == "__main__":
    main()
