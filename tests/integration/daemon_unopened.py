#!/usr/bin/python3
"""A start on a file system that cannot be written: fmd runs, notifies and lights LEDs, and writes when it can."""
from daemon_case import BAY, FINE_CLASS, NOW_CLASS, DaemonCase, bay_with, disk, event, main

from process import wait_for
from small_disk import SmallDisk, in_own_mounts

STORE = "fmd://store"


class Unopened(DaemonCase):
    start = False

    def setUp(self):
        super().setUp()
        self.disk = self.mount()

    def mount(self):
        small = SmallDisk(self.daemon.state)
        self.addCleanup(small.unmount)
        return small

    def light(self, number):
        """The disk fails: the LED is lit at once. Returns the request, which has no answer yet."""
        shelf = self.daemon.plugin("enclosure", handles=["hc://"], commands=["set_led"])
        shelf.send_inventory(bay_with(disk(number)))
        source = self.daemon.plugin("source")
        request = source.send_events([event(NOW_CLASS, disk(number))], cursor=str(number))
        command = shelf.command(20, "set_led")
        self.assertEqual((command["params"]["resource"], command["params"]["args"]), (BAY, {"indication": "fault", "on": True}))
        self.assertTrue(source.is_unanswered(request))
        return source, request

    def told(self, notifier, wanted):
        """The parts that messages were about, in order, until all wanted ones were named."""
        seen = []
        while not set(wanted) <= set(seen):
            seen.append(notifier.deliver_next(20)["case"]["suspects"][0]["resource"])
        return seen

    def suspects(self, kind="case"):
        self.daemon.kill()
        return sorted((c["suspects"][0]["resource"], c["state"]) for c in self.daemon.stored()[kind].values())

    def test_a_first_start_on_a_full_disk(self):
        self.disk.fill()
        self.daemon.start()
        notifier = self.daemon.notifier()
        source, request = self.light(1)
        self.assertEqual(sorted(self.told(notifier, {STORE, disk(1)})), sorted([STORE, disk(1)]))
        self.disk.empty()
        self.assertEqual(source.result(request, 20)["cursor"], "1")
        self.daemon.wait_log("the store can be written again")
        source.events([])
        self.assertEqual(self.suspects(), [(disk(1), "SOLVED"), (STORE, "RESOLVED")])

    def test_one_that_became_read_only_is_read_and_goes_on(self):
        self.daemon.start()
        notifier = self.daemon.notifier()
        self.daemon.plugin("source").events([event(NOW_CLASS, disk(1))], cursor="1")
        self.told(notifier, {disk(1)})
        self.daemon.plugin("source2").events([])  # now the delivery is on disk
        self.daemon.kill()
        self.disk.read_only()
        for _ in range(2):  # a second start changes nothing
            self.daemon.kill()
            self.daemon.start()
            source = self.daemon.plugin("source", hello=False)
            self.assertEqual(source.hello()["cursor"], "1")
            source.close()
        notifier = self.daemon.notifier()
        source, request = self.light(2)
        self.assertNotIn(disk(1), self.told(notifier, {STORE, disk(2)}), "told before")
        self.disk.read_only(False)
        self.assertEqual(source.result(request, 20)["cursor"], "2")
        self.daemon.wait_log("sysevent.fmd.store.ok")
        source.events([])
        self.assertEqual(self.suspects(), [(disk(1), "SOLVED"), (disk(2), "SOLVED"), (STORE, "RESOLVED")])

    def test_one_that_was_stopped_well_and_is_read_only_is_read(self):
        self.daemon.start()
        self.daemon.plugin("source").events([event(NOW_CLASS, disk(1))], cursor="1")
        self.assertEqual(self.daemon.stop(), 0)
        self.disk.read_only()
        self.daemon.start()
        self.assertEqual(self.daemon.plugin("source", hello=False).hello()["cursor"], "1")
        self.assertEqual(self.daemon.stop(), 1)

    def test_damage_that_cannot_be_replaced_now_keeps_it_from_nothing(self):
        for damage in ((0, b"no database"), (4096 * 3, b"\xff" * 64)):
            with self.subTest(damage=damage):
                self.daemon.start()
                self.daemon.plugin("source").events([event(NOW_CLASS, disk(1))], cursor="1")
                self.daemon.stop()
                with open(f"{self.daemon.state}/fmd.db", "r+b") as file:
                    file.seek(damage[0])
                    file.write(damage[1])
                self.disk.read_only()
                self.daemon.start()
                self.light(2)
                self.disk.read_only(False)
                wait_for(lambda: not self.daemon.program.running() or "is moved aside to" in self.daemon.log_text(), 30, "its end, or a fresh file")
                if not self.daemon.program.running():
                    self.daemon.start()
                self.daemon.plugin("source").events([event(NOW_CLASS, disk(3))], cursor="3")
                self.daemon.stop()

    def test_a_light_of_a_first_start_is_its_own_after_a_kill(self):
        self.disk.fill()
        self.daemon.start()
        self.light(1)
        self.daemon.kill()
        self.disk.empty()
        self.daemon.start()
        shelf = self.daemon.plugin("enclosure", handles=["hc://"], commands=["set_led"])
        shelf.inventory(bay_with(disk(1), "on"))
        source = self.daemon.plugin("source")
        source.events([event(NOW_CLASS, disk(1))], cursor="1")
        source.events([event(FINE_CLASS, disk(1))], cursor="2")
        command = shelf.command(20, "set_led")
        self.assertEqual((command["params"]["resource"], command["params"]["args"]), (BAY, {"indication": "fault", "on": False}))

    def test_what_was_hidden_at_the_start_is_read_by_another(self):
        self.daemon.start()
        self.daemon.plugin("source").events([event(NOW_CLASS, disk(1))], cursor="1")
        self.daemon.kill()
        over = self.mount()
        over.fill()
        self.daemon.start()
        notifier = self.daemon.notifier()
        _, _ = self.light(2)
        self.told(notifier, {STORE, disk(2)})
        over.unmount()
        last = notifier.deliver_next(20)
        self.assertEqual((last["case"]["suspects"][0]["resource"], last["event"]), (STORE, "resolved"), "what was told is taken back")
        wait_for(lambda: not self.daemon.program.running(), 20, "the end of fmd")
        self.assertIn("starts again to read it", self.daemon.log_text())
        self.daemon.start()
        source = self.daemon.plugin("source", hello=False)
        self.assertEqual(source.hello()["cursor"], "1", "disk 2 comes again")
        source.events([event(NOW_CLASS, disk(2))], cursor="2")
        self.assertEqual(self.suspects(), [(disk(1), "SOLVED"), (disk(2), "SOLVED")])


if __name__ == "__main__":
    in_own_mounts()
    main()
