#!/usr/bin/python3
"""Peers that send nonsense, too much or nothing, or do not read, are disconnected and reported; others are not affected."""
import json
import os
import socket
import stat

from daemon_case import NOW_CLASS, DaemonCase, disk, event, main
from fake_plugin import FakePlugin


class Peers(DaemonCase):
    def setUp(self):
        super().setUp()
        self.good = self.daemon.plugin("good")
        self.count = 0

    def good_goes_on(self):
        self.count += 1
        self.assertEqual(self.good.events([event(NOW_CLASS, disk(self.count))])["rejected"], [])

    def expect_report(self, name, text):
        self.daemon.wait_log(f"ereport.fmd.plugin.protocol fmd://plugin={name}: ")
        self.assertIn(text, self.daemon.log_text())

    def bad(self, name, hello=True):
        return self.daemon.plugin(name, hello=hello, check=False)

    def test_malformed_messages(self):
        wrong = {
            "json": b"{this is no json}\n",
            "text": b"GET / HTTP/1.1\n",
            "empty": b"\n",
            "list": b"[]\n",
            "binary": bytes(range(11, 256)) + b"\n",
            "version": b'{"id":1,"method":"events","params":{"events":[]}}\n',
            "params": b'{"jsonrpc":"2.0","id":1,"method":"events","params":"x"}\n',
            "events": b'{"jsonrpc":"2.0","id":1,"method":"events","params":{"events":{}}}\n',
            "cursor": b'{"jsonrpc":"2.0","id":1,"method":"events","params":{"events":[],"cursor":7}}\n',
            "no-id": b'{"jsonrpc":"2.0","method":"events","params":{"events":[]}}\n',
            "inventory": b'{"jsonrpc":"2.0","id":1,"method":"inventory","params":{"resources":7}}\n',
            "readings": b'{"jsonrpc":"2.0","method":"readings","params":{"readings":7}}\n',
            "status": b'{"jsonrpc":"2.0","method":"status","params":{"state":"splendid"}}\n',
            "hello-again": b'{"jsonrpc":"2.0","id":9,"method":"hello","params":{"name":"x","protocol":1}}\n',
        }
        for name, line in wrong.items():
            with self.subTest(name=name):
                bad = self.bad(name)
                bad.send_raw(line)
                self.assertNotEqual(bad.cut_off(), "")
                self.expect_report(name, "")
                self.good_goes_on()

    def test_first_message_must_be_hello(self):
        bad = self.bad("early", hello=False)
        bad.send_raw(b'{"jsonrpc":"2.0","id":1,"method":"events","params":{"events":[]}}\n')
        self.assertIn("hello", bad.cut_off())
        self.expect_report("unidentified", "hello")

    def test_wrong_hello(self):
        for params in ({}, {"name": "Bad Name", "protocol": 1}, {"name": "x", "protocol": 2}, {"name": "x" * 33, "protocol": 1},
                       {"name": "x", "protocol": 1, "handles": "zfs://"}, {"name": "x", "protocol": 1, "heartbeat_ms": 0}):
            with self.subTest(params=params):
                bad = self.bad("x", hello=False)
                bad.send_raw(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "hello", "params": params}).encode() + b"\n")
                self.assertIn("hello", bad.cut_off())
                self.good_goes_on()

    def test_oversized_line(self):
        bad = self.bad("big")
        try:
            for _ in range(40):
                bad.send_raw(b"x" * 65536)
        except (BrokenPipeError, ConnectionResetError):
            pass  # cut off while it was still sending
        bad.cut_off()
        self.expect_report("big", "1048576 bytes")
        self.good_goes_on()

    def test_a_line_just_within_the_limit_is_taken(self):
        text = "x" * 1_000_000
        ack = self.good.events([event(NOW_CLASS, disk(77), text=text)])
        self.assertEqual(ack["rejected"], [])

    def test_slow_peer_that_does_not_read(self):
        bad = self.bad("slow")
        bad.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        line = b'{"jsonrpc":"2.0","id":1,"method":"nosuch' + b"x" * 200 + b'"}\n'
        sent = 0
        try:
            # Each request gets an answer that nobody reads; fmd keeps a few megabytes of them, then closes the connection.
            while sent < 64 << 20:
                bad.send_raw(line * 1000)
                sent += len(line) * 1000
        except (BrokenPipeError, ConnectionResetError):
            pass
        self.expect_report("slow", "does not read")
        self.good_goes_on()

    def test_peer_that_says_nothing_hinders_nobody(self):
        for _ in range(20):
            self.daemon.plugins.append(FakePlugin(self.daemon.socket, "mute"))
        self.good_goes_on()
        self.expect_report("unidentified", "no hello within 10 s")

    def test_half_a_line_hinders_nobody(self):
        bad = self.bad("half")
        bad.send_raw(b'{"jsonrpc":"2.0","id":1,"meth')
        self.good_goes_on()
        bad.send_raw(b'od":"events","params":{"events":[]}}\n')
        bad.result(1 if bad.next_id == 1 else 1)

    def test_unknown_request_is_answered_not_punished(self):
        peer = self.bad("newer")
        number = peer.request("frobnicate", {})
        self.assertEqual(peer.answer(number)["error"]["code"], -32601)
        peer.notify("something-new", {})
        self.assertEqual(peer.events([])["rejected"], [])

    def test_socket_is_closed_to_others(self):
        mode = os.stat(self.daemon.socket).st_mode
        self.assertEqual(stat.S_IMODE(mode), 0o660)

    def test_hostile_strings_are_kept_as_they_are_and_shown_escaped(self):
        name = "a\x1b[2J\n\u202e\"'; DROP TABLE state; -- 日本 " + "x" * 200
        notifier = self.daemon.notifier()
        self.good.inventory([{"fmri": disk(9), "type": "disk", "properties": {"serial": name}, "edges": []}])
        self.good.events([event(NOW_CLASS, disk(9), serial=name)])
        message = notifier.deliver_next()
        for text in (message["subject"], message["body"].replace("\n", "")):
            self.assertTrue(all(ord(c) >= 32 and c != "\u202e" for c in text), repr(text))
        self.assertEqual(len(self.cases()), 1)


if __name__ == "__main__":
    main()
