#!/usr/bin/python3
"""A start on a file system that takes nothing: fmd is there, tells and lights, and writes when it can."""
from daemon_case import BAY, NOW_CLASS, DaemonCase, NoAnswer, bay_with, disk, event, main

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
        """The disk breaks: the light is lit at once. The request, which is not answered yet."""
        shelf = self.daemon.plugin("enclosure", handles=["hc://"], commands=["set_led"])
        shelf.send_inventory(bay_with(disk(number)))
        source = self.daemon.plugin("source")
        request = source.send_events([event(NOW_CLASS, disk(number))], cursor=str(number))
        command = shelf.command(20, "set_led")
        self.assertEqual((command["params"]["resource"], command["params"]["args"]), (BAY, {"indication": "fault", "on": True}))
        with self.assertRaises(NoAnswer):
            source.result(request, 0.5)
        return source, request

    def told(self, notifier, wanted):
        """Who was told of, in order, until all wanted are."""
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
        self.daemon.plugin("source2").events([])  # that it was delivered is on disk
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

    def test_what_was_hidden_at_the_start_is_read_by_another(self):
        self.daemon.start()
        self.daemon.plugin("source").events([event(NOW_CLASS, disk(1))], cursor="1")
        self.daemon.kill()
        over = self.mount()
        over.fill()
        self.daemon.start()
        _, _ = self.light(2)
        over.unmount()
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
