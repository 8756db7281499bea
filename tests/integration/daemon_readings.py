#!/usr/bin/python3
"""After a stop the last readings are on disk; after kill -9 older ones may be."""
from daemon_case import DaemonCase, disk, main

DISKS = 60  # more than one commit writes


class Readings(DaemonCase):
    def setUp(self):
        super().setUp()
        self.plugin = self.daemon.plugin("thermometer")
        self.plugin.inventory([{"fmri": disk(n), "type": "disk", "properties": {"temperature_celsius": 20}} for n in range(DISKS)])
        self.read(31)

    def read(self, celsius):
        self.plugin.notify("readings", {"readings": [{"resource": disk(n), "name": "temperature_celsius", "value": celsius, "unit": "celsius",
                                                      "time": 1} for n in range(DISKS)]})
        self.plugin.inventory([{"fmri": disk("after"), "type": "disk", "properties": {"read": celsius}}])  # they are taken in by its answer

    def values(self):
        found = [doc["properties"].get("temperature_celsius") for key, doc in self.daemon.stored()["resource"].items() if key.startswith("thermometer ")]
        return {value: found.count(value) for value in set(found) - {None}}

    def test_a_stop_keeps_the_last(self):
        self.assertEqual(self.daemon.stop(), 0)
        self.assertEqual(self.values(), {31: DISKS})

    def test_a_kill_leaves_some_as_they_were(self):
        self.daemon.kill()
        values = self.values()
        self.assertEqual(sum(values.values()), DISKS)
        self.assertEqual(set(values), {20, 31}, "else a row is written for each reading")

    def test_of_very_many_those_within_the_limit_outlive_a_start(self):
        """A message has at most 1,000 of a part, but readings add to what is known; 4,000 are kept."""
        def kept():
            return len(self.daemon.stored()["resource"]["thermometer " + disk(0)]["properties"])
        for message in range(6):
            self.plugin.notify("readings", {"readings": [{"resource": disk(0), "name": f"r{message}.{n}", "value": n, "unit": "", "time": 1}
                                                         for n in range(900)]})
            self.read(32 + message)
        self.assertEqual(self.daemon.stop(), 0)
        self.assertEqual(kept(), 4 * 900 + 1)
        self.daemon.start()
        self.plugin = self.daemon.plugin("thermometer")
        self.read(40)
        self.assertEqual(self.daemon.stop(), 0)
        self.assertEqual(kept(), 4 * 900 + 1)

    def test_each_has_its_turn(self):
        for celsius in range(32, 36):
            self.read(celsius)
        self.daemon.kill()
        self.assertNotIn(20, self.values())


if __name__ == "__main__":
    main()
