#!/usr/bin/python3
"""200,000 ereports on 1,000 vdevs through the plugin socket: exactly the 37 faulty vdevs are diagnosed."""
import unittest

import daemon_case
import storm


class Storm(unittest.TestCase):
    def test_exactly_the_faulty_ones(self):
        figures = storm.run(daemon_case.BINARY)
        print(f"\n{figures['events_per_second']} events/s made durable; {figures}")
        self.assertEqual(figures["events"], 200_000)
        self.assertEqual(figures["rejected"], 0)
        self.assertEqual(figures["cases"], 37)
        self.assertTrue(figures["right"], figures)

    def test_several_sources_at_once(self):
        figures = storm.run(daemon_case.BINARY, count=40_000, plugins=4)
        self.assertTrue(figures["right"], figures)


if __name__ == "__main__":
    daemon_case.main()
