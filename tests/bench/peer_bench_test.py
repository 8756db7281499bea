#!/usr/bin/python3
"""Tests of the peers' input and output: a wrong or missing answer never becomes a figure."""
import contextlib
import io
import os
import re
import sys
import unittest

sys.dont_write_bytecode = True

import as_zed
import peer_bench
import storm_bench

SICK = [1_000_000_000_000_000_000, 1_000_000_000_000_000_027]
START_NS = 1_790_000_000 * 1_000_000_000


def texts(count, payload=storm_bench.whole_payload, vdevs=2):
    return storm_bench.make_texts([(START_NS + index, index % vdevs) for index in range(count)], payload)


def lines(count, **more):
    return [as_zed.log_line(text) for text in texts(count, **more)]


def file_text(name):
    with open(os.path.join(peer_bench.FILES, name), encoding="utf-8") as file:
        return file.read()


class AsZed(unittest.TestCase):
    def test_a_line_of_the_log(self):
        self.assertEqual(lines(2)[1], "Sep 21 14:13:20 host zed[812]: eid=1 class=checksum pool_guid=0x6124FEE993BC0000 vdev_guid=0x0DE0B6B3A7640001 "
                                      "size=8192 offset=131072 priority=4 err=0 bookmark=54:33:0:17")

    def test_a_small_event_has_no_block(self):
        self.assertTrue(lines(2, payload=storm_bench.small_payload)[1].endswith(" size=131072 offset=131072 priority=4 err=52 bookmark=54:1:0:"))

    def test_a_zedlets_environment(self):
        environment = as_zed.environment(texts(2)[1], "/zed.d")
        for name, value in {"ZED_ZEDLET_DIR": "/zed.d", "ZEVENT_EID": "1", "ZEVENT_CLASS": "ereport.fs.zfs.checksum", "ZEVENT_SUBCLASS": "checksum",
                            "ZEVENT_VDEV_GUID": "0x0DE0B6B3A7640001", "ZEVENT_BAD_RANGES": "0 12288", "ZEVENT_TIME": "1790000000 1",
                            "ZEVENT_VDEV_ENC_SYSFS_PATH": "/sys/class/enclosure/0:0:0:0/SLOT 01"}.items():
            self.assertEqual(environment[name], value)
        self.assertNotIn("ZEVENT_DETECTOR", environment, "a list of pairs is no word")
        self.assertTrue(all(isinstance(value, str) for value in environment.values()))


class Sec(unittest.TestCase):
    def test_its_rule_knows_the_lines_and_is_ours(self):
        rule = dict(line.split("=", 1) for line in file_text("checksum.sec").splitlines() if "=" in line)
        for payload in (storm_bench.small_payload, storm_bench.whole_payload):
            self.assertEqual(re.search(rule["pattern"], lines(2, payload=payload)[1])[1], "0x0DE0B6B3A7640001")
        self.assertIsNone(re.search(rule["pattern"], lines(1)[0].replace("checksum", "io")))
        self.assertEqual((int(rule["thresh"]), rule["window"]), (peer_bench.THRESHOLD, "600"))

    def test_whom_it_is_to_find(self):
        self.assertEqual(peer_bench.at_threshold(lines(19)), ["0x0DE0B6B3A7640000"])  # the other vdev has nine
        self.assertEqual(len(peer_bench.at_threshold(lines(20))), 2)

    def test_what_it_says(self):
        self.assertEqual(peer_bench.sec_found("SEC (Simple Event Correlator) 2.9.1\n0x0B\n\n0x0A\n"), ["0x0A", "0x0B"])


class Esper(unittest.TestCase):
    def test_events_a_second(self):
        self.assertEqual(peer_bench.esper_rates('{"events":100,"seconds":0.5,"parsed_seconds":0.25,"sick":[1000000000000000000, 1000000000000000027]}\n',
                                                100, SICK[::-1]), (200, 400))

    def test_who_is_not_sick_makes_no_figure(self):
        for sick, count in (("[1000000000000000000]", 100), ("[1000000000000000000, 1000000000000000028]", 100), (SICK, 99)):
            with self.assertRaises(peer_bench.NoFigure):
                peer_bench.esper_rates(f'{{"events":{count},"seconds":1,"parsed_seconds":1,"sick":{sick}}}', 100, SICK)

    def test_its_rule_is_ours(self):
        self.assertIn(f"having count(*) >= {peer_bench.THRESHOLD};", file_text("checksum.epl"))


class Zedlets(unittest.TestCase):
    def test_each_event_counts_once(self):
        self.assertEqual(peer_bench.zedlets_logged("<29>Nov 27 00:00:00 zed: eid=1 class=checksum pool='a'\n<29> zed: eid=1 class=checksum pool='a'\n"
                                                   "<29> zed: eid=12 class=checksum pool='a'\n/bin/sh: eid=13: not found\n"), 2)


class Peers(unittest.TestCase):
    def test_one_that_fails_once_has_no_figure_and_is_told_of_once(self):
        class Fails(peer_bench.Peer):
            name = "Fails"

            def turn(self):
                if len(self.turns) == 1:
                    raise peer_bench.NoFigure("it has\nended")
                return 7

            def told(self, own):
                return [("fails", self.turns[0], "events/s", "")]
        with Fails("", [], [], "") as peer, contextlib.redirect_stderr(io.StringIO()) as said:
            peer.take_turn()
            self.assertEqual(peer.figures([1]), [("fails", 7, "events/s", "")])
            for _ in range(2):
                peer.take_turn()
        self.assertEqual((peer.figures([1]), said.getvalue()), ([], "dev bench: no figure of Fails: it has ended\n"))

    def test_one_that_cannot_be_run(self):
        with self.assertRaisesRegex(peer_bench.NoFigure, "no-such-program cannot be run"):
            peer_bench.need("sh", "no-such-program")

    def test_each_has_its_storms(self):
        found = {peer_bench.Sec: "sec", peer_bench.Zedlets: "/"}
        names = {storm: [peer.name for peer in peer_bench.of(found, storm, [], [], "")] for storm in ("storm", "storm_all", "storm_small")}
        self.assertEqual(names, {"storm": ["ZED's zedlets"], "storm_all": [], "storm_small": ["SEC"]})


if __name__ == "__main__":
    unittest.main()
