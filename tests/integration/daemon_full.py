#!/usr/bin/python3
"""A full disk and a damaged store: acknowledged events are safe, new ones wait, and a case reports it."""
import contextlib
import os
import sqlite3

from daemon_case import BAY, FINE_CLASS, NOW_CLASS, DaemonCase, bay_with, disk, event, main
from process import wait_for

STORE, CANNOT_WRITE = "fmd://store", "cannot write"


class Full(DaemonCase):
    def fill(self, plugin, first, each=lambda: None):
        """Stops all files from growing, and sends until a batch is not acknowledged: (its request, its number)."""
        for file in os.listdir(self.daemon.state):
            self.assertTrue(file.startswith("fmd.db"), file)
        largest = max(os.path.getsize(os.path.join(self.daemon.state, f)) for f in os.listdir(self.daemon.state) if "reserve" not in f)
        self.daemon.limit_file_size(largest + (256 << 10))
        number = first
        while number < first + 2000:
            request = plugin.send_events([event(NOW_CLASS, disk(number), filler=os.urandom(300).hex())], cursor=str(number))
            each()
            plugin.until(lambda: request in plugin.results or CANNOT_WRITE in self.daemon.log_text(), 60, "an answer, or a full disk")
            if request not in plugin.results:
                return request, number
            plugin.result(request)
            number += 1
        self.fail("the disk never became full")

    def test_full_disk_and_recovery(self):
        plugin = self.daemon.plugin("source")
        plugin.events([event(NOW_CLASS, disk(1))], cursor="1")
        request, number = self.fill(plugin, 2)
        self.daemon.wait_log(CANNOT_WRITE)
        self.assertGreater(number, 2)
        self.assertTrue(plugin.is_unanswered(request), "still nothing acked")
        self.daemon.limit_file_size(None)
        self.assertEqual(plugin.result(request)["cursor"], str(number))
        plugin.events([event(NOW_CLASS, disk(number + 1))], cursor=str(number + 1))
        self.daemon.wait_log("the store can be written again")
        self.daemon.wait_log("sysevent.fmd.store.ok")
        plugin.events([])
        cases = self.cases()
        about_disks = [c for c in cases if c["suspects"][0]["resource"] != STORE]
        self.assertEqual(len(about_disks), number + 1)
        about_store = [c for c in cases if c["suspects"][0]["resource"] == STORE]
        self.assertEqual([(c["suspects"][0]["class"], c["state"]) for c in about_store],
                         [("fault.fmd.store.full", "RESOLVED")])

    def test_the_light_is_lit_though_nothing_can_be_written(self):
        shelf = self.daemon.plugin("enclosure", handles=["hc://"], commands=["set_led"])
        shelf.inventory(bay_with(disk(5000)))
        plugin = self.daemon.plugin("source")
        self.fill(plugin, 1)
        request = plugin.send_events([event(NOW_CLASS, disk(5000))], cursor="last")
        command = shelf.command(20, "set_led")
        self.assertEqual((command["params"]["resource"], command["params"]["args"]), (BAY, {"indication": "fault", "on": True}))
        self.assertTrue(plugin.is_unanswered(request))
        self.daemon.limit_file_size(None)

    def test_a_light_that_was_lit_so_is_its_own_after_a_kill(self):
        shelf = self.daemon.plugin("enclosure", handles=["hc://"], commands=["set_led"])
        shelf.inventory(bay_with(disk(5000)))
        plugin = self.daemon.plugin("source")
        self.fill(plugin, 1)
        batch = [event(NOW_CLASS, disk(5000))]
        plugin.send_events(batch, cursor="last")
        command = shelf.command(20, "set_led")
        shelf.reply(command)
        shelf.send_inventory(bay_with(disk(5000), "on"))
        ahead = os.path.join(self.daemon.folder, "lights-ahead")
        self.assertTrue(os.path.exists(ahead))
        self.restart()
        shelf = self.daemon.plugin("enclosure", handles=["hc://"], commands=["set_led"])
        shelf.inventory(bay_with(disk(5000), "on"))
        self.assertFalse(os.path.exists(ahead), "it is on disk now")
        plugin = self.daemon.plugin("source")
        plugin.events(batch, cursor="last")
        plugin.events([event(FINE_CLASS, disk(5000))], cursor="fine")
        command = shelf.command(20, "set_led")
        self.assertEqual((command["params"]["resource"], command["params"]["args"]), (BAY, {"indication": "fault", "on": False}))

    def test_what_is_seen_while_nothing_can_be_written_is_diagnosed_however_much(self):
        """A source may have eight unanswered requests, but a disk can be full for hours."""
        plugin = self.daemon.plugin("source", heartbeat_ms=1500)
        first, number = self.fill(plugin, 1, plugin.beat)
        requests = [plugin.send_events([event(NOW_CLASS, disk(6000 + n))], cursor=f"late {n}") for n in range(40)]
        for n in range(40):
            self.daemon.wait_log(disk(6000 + n))
        plugin.until(lambda: {first, *requests} <= set(plugin.kept), 10, "the word that they are kept")
        self.assertTrue(plugin.is_unanswered(first))
        self.daemon.limit_file_size(None)
        self.assertEqual([plugin.result(request)["cursor"] for request in requests], [f"late {n}" for n in range(40)])
        suspects = [c["suspects"][0]["resource"] for c in self.cases() if c["suspects"][0]["resource"] != STORE]
        self.assertEqual(len(suspects), len(set(suspects)))
        self.assertEqual(len(suspects), number + 40)
        self.assertNotIn("ereport.fmd.plugin.silent", self.daemon.log_text())

    def test_a_source_that_starts_anew_while_the_disk_is_full_goes_on(self):
        plugin = self.daemon.plugin("source")
        _, number = self.fill(plugin, 1)
        plugin.close()
        again = self.daemon.plugin("source", hello=False)
        welcome = again.hello()
        self.assertEqual(welcome["kept"], str(number), "what is in memory does not come twice")
        self.assertLess(int(welcome["cursor"]), number, "on disk it is not")
        request = again.send_events([event(NOW_CLASS, disk(7000))], cursor="on")
        self.daemon.wait_log(disk(7000))
        self.daemon.limit_file_size(None)
        again.result(request)
        self.assertEqual(again.written, str(number), "what the connection before had sent is on disk now")
        suspects = [c["suspects"][0]["resource"] for c in self.cases() if c["suspects"][0]["resource"] != STORE]
        self.assertEqual(sorted(suspects), sorted(disk(n) for n in (*range(1, number + 1), 7000)))

    def test_what_was_only_in_memory_is_not_taken_for_written_after_a_kill(self):
        plugin = self.daemon.plugin("source")
        first, number = self.fill(plugin, 1)
        plugin.close()
        again = self.daemon.plugin("source")
        self.daemon.kill()
        self.daemon.start()
        third = self.daemon.plugin("source", hello=False)
        welcome = third.hello()
        self.assertNotIn("kept", welcome)
        self.assertLess(int(welcome["cursor"]), number)

    def test_one_that_floods_leaves_room(self):
        """One plugin has 4000 of the 8000 events waiting in memory: another plugin is still heard, and the LED is lit."""
        shelf = self.daemon.plugin("enclosure", handles=["hc://"], commands=["set_led"])
        shelf.inventory(bay_with(disk(8000)))
        plugin = self.daemon.plugin("source")
        self.fill(plugin, 1)
        requests = [plugin.send_events([event("sysevent.disk.added", disk(9000 + n)) for _ in range(1000)], cursor=f"flood {n}")
                    for n in range(8)]
        other = self.daemon.plugin("other")
        other.send_events([event(NOW_CLASS, disk(8000))], cursor="1")
        command = shelf.command(20, "set_led")
        self.assertEqual((command["params"]["resource"], command["params"]["args"]["on"]), (BAY, True))
        while plugin.pump(0):
            pass
        self.assertLess(len(set(requests) & set(plugin.kept)), 8)
        self.daemon.limit_file_size(None)
        for request in requests:
            plugin.result(request)

    def test_acked_is_safe_when_killed_with_a_full_disk(self):
        plugin = self.daemon.plugin("source")
        plugin.events([event(NOW_CLASS, disk(1))], cursor="1")
        _, number = self.fill(plugin, 2)
        self.restart()
        plugin = self.daemon.plugin("source", hello=False)
        self.assertEqual(plugin.hello()["cursor"], str(number - 1))
        plugin.events([event(NOW_CLASS, disk(number))], cursor=str(number))
        about_disks = [c for c in self.cases() if c["suspects"][0]["resource"] != STORE]
        self.assertEqual(len(about_disks), number)

    def test_others_are_still_heard_of_and_nobody_is_called_silent(self):
        beating = self.daemon.plugin("beating", heartbeat_ms=3000)
        plugin = self.daemon.plugin("source")
        request, _ = self.fill(plugin, 1, beating.beat)
        self.daemon.plugin("mute", heartbeat_ms=3500)  # silent later than the other would be if its heartbeats were not taken

        def mute_is_silent():
            beating.beat()
            return "ereport.fmd.plugin.silent fmd://plugin=mute" in self.daemon.log_text()
        wait_for(mute_is_silent, 60, "the one that does not beat")
        self.assertTrue(plugin.is_unanswered(request))
        self.daemon.limit_file_size(None)
        plugin.result(request)
        beating.beat()
        self.assertNotIn("ereport.fmd.plugin.silent fmd://plugin=beating", self.daemon.log_text())


class Damaged(DaemonCase):
    def damage(self):
        path = os.path.join(self.daemon.state, "fmd.db")
        size = os.path.getsize(path)
        with open(path, "r+b") as file:
            for offset in range(0, size, 512):
                file.seek(offset)
                file.write(b"\xde\xad\xbe\xef" * 4)

    def test_a_newer_format_ends_with_the_status_that_is_reported(self):
        """One number of the header alone is damage (fmd/store/tests/damage_test.cpp); with tables of its own it is a newer format."""
        self.assertEqual(self.daemon.stop(), 0)
        path = os.path.join(self.daemon.state, "fmd.db")
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.execute("CREATE TABLE of_later (x)")
            database.execute("PRAGMA user_version = 1000")
        code, said = self.daemon.run_to_end()
        self.assertEqual(code, 78, said)
        self.assertIn("a newer fmd wrote this database", said)
        self.assertFalse(any("damaged" in name for name in os.listdir(self.daemon.state)))

    def test_damaged_database_at_start(self):
        self.daemon.plugin("source").events([event(NOW_CLASS, disk(1))], cursor="1")
        self.assertEqual(self.daemon.stop(), 0)
        self.damage()
        self.daemon.start()
        notifier = self.daemon.notifier()
        message = notifier.deliver_next()
        self.assertEqual(message["case"]["suspects"][0]["class"], "defect.fmd.store.damaged")
        self.assertIn("fmd.db.damaged-", message["body"].replace("\n", ""))
        self.assertTrue(any(f.startswith("fmd.db.damaged-") for f in os.listdir(self.daemon.state)))
        plugin = self.daemon.plugin("source", hello=False)
        plugin.hello()
        plugin.events([event(NOW_CLASS, disk(2))], cursor="2")
        self.assertTrue(any(c["suspects"][0]["resource"] == disk(2) for c in self.cases()), "service goes on")

    def test_damage_while_running_loses_nothing_that_is_in_memory(self):
        plugin = self.daemon.plugin("source")
        for number in range(1, 101):
            plugin.events([event(NOW_CLASS, disk(number))], cursor=str(number))
        # More than the database caches of its file, so that it must read old pages again.
        for _ in range(20):
            plugin.events([event(FINE_CLASS, disk(0), filler=os.urandom(200_000).hex())], cursor="101")
        self.damage_pages()
        for number in range(1, 101):
            plugin.events([event(FINE_CLASS, disk(number))], cursor=str(200 + number))
        self.daemon.wait_log("the store was damaged")
        plugin.events([])
        self.daemon.kill()
        cases = [c for c in self.daemon.stored()["case"].values() if c["suspects"][0]["resource"] != STORE]
        self.assertEqual({c["suspects"][0]["resource"] for c in cases}, {disk(n) for n in range(1, 101)})
        self.assertEqual({c["state"] for c in cases}, {"RESOLVED"})
        self.daemon.start()
        self.assertEqual(self.daemon.plugin("source", hello=False).hello()["cursor"], "300")

    def damage_pages(self):
        """All pages but the first of the database, and of the log that goes before them."""
        for name in ("fmd.db", "fmd.db-wal"):
            path = os.path.join(self.daemon.state, name)
            with open(path, "r+b") as file:
                for offset in range(4096, os.path.getsize(path), 512):
                    file.seek(offset)
                    file.write(b"\xde\xad\xbe\xef" * 4)


if __name__ == "__main__":
    main()
