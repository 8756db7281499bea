#!/usr/bin/python3
"""A file system that is really full (a private tmpfs): fmd lives on its reserve, reports it, and restores the reserve afterwards."""
import os

from daemon_case import NOW_CLASS, DaemonCase, disk, event, main

from process import wait_for
from small_disk import SmallDisk, in_own_mounts

STORE, MB = "fmd://store", 1 << 20


class Reserve(DaemonCase):
    start = False

    def setUp(self):
        super().setUp()
        self.disk = SmallDisk(self.daemon.state)
        self.addCleanup(self.disk.unmount)
        self.daemon.start()
        wait_for(self.kept, 20, "the reserve")

    def kept(self):
        path = os.path.join(self.daemon.state, "fmd.db.reserve")
        return os.path.exists(path) and os.path.getsize(path) == 4 * MB

    def send(self, plugin, number, **more):
        return plugin.events([event(NOW_CLASS, disk(number), **more)], cursor=str(number))

    def until_full(self, plugin, number):
        """Sends until the reserve is used; returns the next number."""
        while self.kept():
            self.send(plugin, number, filler=os.urandom(2000).hex())
            number += 1
        return number

    def about_store(self):
        """As the files on disk show."""
        return [(c["suspects"][0]["class"], c["state"]) for c in self.daemon.stored().get("case", {}).values() if c["suspects"][0]["resource"] == STORE]

    def test_what_is_to_be_told_on_that_day_is_written(self):
        notifier = self.daemon.notifier()
        plugin = self.daemon.plugin("source")
        self.send(plugin, 1)
        self.disk.fill()
        number = self.until_full(plugin, 2)
        self.send(plugin, number)  # acknowledged: it is on disk
        told = set()
        while not {STORE, disk(number)} <= told:
            told.add(notifier.deliver_next(20)["case"]["suspects"][0]["resource"])
        self.daemon.kill()
        stored = {c["suspects"][0]["resource"] for c in self.daemon.stored()["case"].values()}
        self.assertLessEqual({STORE, *(disk(n) for n in range(1, number + 1))}, stored, "what was told and acknowledged, after a kill -9")

    def test_it_is_taken_back_when_there_is_room_and_only_then_the_case_is_over(self):
        plugin = self.daemon.plugin("source")
        self.disk.fill()
        number = self.until_full(plugin, 1)
        self.daemon.wait_log("lives on the little")
        os.truncate(self.disk.ballast, os.path.getsize(self.disk.ballast) - 2 * MB)  # not enough
        self.send(plugin, number)
        self.assertFalse(self.kept())
        self.assertNotIn("sysevent.fmd.store.ok", self.daemon.log_text())
        self.disk.empty()
        self.send(plugin, number + 1)
        self.daemon.wait_log("sysevent.fmd.store.ok")
        self.assertTrue(self.kept())
        self.send(plugin, number + 2)
        self.assertEqual(self.about_store(), [("fault.fmd.store.full", "RESOLVED")])

    def test_a_start_on_the_full_file_system_goes_on_so(self):
        plugin = self.daemon.plugin("source")
        self.disk.fill()
        number = self.until_full(plugin, 1)
        self.send(plugin, number)
        wait_for(self.about_store, 20, "the case")
        self.restart()
        plugin = self.daemon.plugin("source", hello=False)
        self.assertEqual(plugin.hello()["cursor"], str(number))
        self.send(plugin, number + 1)
        self.assertEqual(self.about_store(), [("fault.fmd.store.full", "SOLVED")], "not over, and no second one")
        self.disk.empty()
        self.send(plugin, number + 2)
        self.daemon.wait_log("sysevent.fmd.store.ok")
        self.assertTrue(self.kept())
        self.send(plugin, number + 3)
        self.assertEqual(self.about_store(), [("fault.fmd.store.full", "RESOLVED")])

    def test_a_file_system_that_is_too_small_for_it_is_not_called_full(self):
        self.assertEqual(self.daemon.stop(), 0)
        os.unlink(os.path.join(self.daemon.state, "fmd.db.reserve"))
        with open(self.disk.ballast, "wb") as file:
            file.write(bytes(20 * MB))
        self.daemon.start()
        plugin = self.daemon.plugin("source")
        self.send(plugin, 1)
        self.assertFalse(self.kept())
        self.assertEqual(self.about_store(), [])

    def test_when_that_is_used_up_too_nothing_is_lost(self):
        plugin = self.daemon.plugin("source")
        self.disk.fill()
        number = self.until_full(plugin, 1)
        while True:
            request = plugin.send_events([event(NOW_CLASS, disk(number), filler=os.urandom(60_000).hex())], cursor=str(number))
            plugin.until(lambda: request in plugin.results or "cannot write" in self.daemon.log_text(), 60, "an answer, or a full disk")
            if request not in plugin.results:
                break
            plugin.result(request)
            number += 1
        self.daemon.wait_log("cannot write")
        self.disk.empty()
        self.assertEqual(plugin.result(request, 30)["cursor"], str(number))
        self.daemon.wait_log("the store can be written again")
        self.send(plugin, number + 1)
        wait_for(self.kept, 20, "the reserve again")
        self.assertEqual(self.about_store(), [("fault.fmd.store.full", "RESOLVED")])
        about_disks = [c for c in self.daemon.stored()["case"].values() if c["suspects"][0]["resource"] != STORE]
        self.assertEqual(len(about_disks), number + 1)


if __name__ == "__main__":
    in_own_mounts()
    main()
