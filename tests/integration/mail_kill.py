#!/usr/bin/python3
"""kill -9 of fmd or of fmd-mail in the midst of delivery, a hundred times: each message arrives once. Twice at most
where a reply of the server's was lost with fmd-mail, under the same Message-ID then; never not at all."""
import asyncio
import collections
import email
import os
import random
import sys
import threading
import time
import unittest

import daemon_case
from daemon_case import NOW_CLASS, DaemonCase, disk, event

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TREE, "plugins", "mail", "tests"))

from mail_case import BINARY as MAIL  # noqa: E402
from mail_case import Server  # noqa: E402
from process import Program, wait_for  # noqa: E402

ROUNDS = 100
STAGES = ("MAIL", "RCPT", "TAKEN", "ANSWERED")


class Sink(Server):
    """Stops at a stage of some delivery until it is told to go on. What it takes without being able to say so, since
    who sent it is gone, is not counted as taken: that reply was lost."""

    def __init__(self):
        super().__init__()
        self.stage, self.reached, self.go_on = None, threading.Event(), threading.Event()
        self.taken = collections.Counter()  # by Message-ID

    def arm(self, stage):
        self.reached.clear()
        self.go_on.clear()
        self.stage = stage

    def release(self):
        self.stage = None
        self.go_on.set()

    async def _at(self, stage):
        if self.stage != stage:
            return
        self.reached.set()
        while not self.go_on.is_set():
            await asyncio.sleep(0.002)

    async def handle_MAIL(self, _server, _session, envelope, address, _options):
        await self._at("MAIL")
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        await self._at("RCPT")
        return await super().handle_RCPT(server, session, envelope, address, options)

    async def handle_DATA(self, server, _session, envelope):
        await self._at("TAKEN")
        if server.transport is None or server.transport.is_closing():
            return "451 nobody hears it"
        self.taken[email.message_from_bytes(envelope.content)["Message-ID"]] += 1
        if self.stage == "ANSWERED":  # the reply is on its way when this fires
            self.loop.call_soon(self.reached.set)
        return "250 OK"


class KillNine(DaemonCase):
    config = "[digest]\nchannels = []\n"

    def setUp(self):
        super().setUp()
        self.sink = Sink().start()
        self.addCleanup(self.sink.stop)
        folder = self.daemon.folder
        self.state = os.path.join(folder, "mail-state")
        os.mkdir(self.state)
        config = os.path.join(folder, "mail.toml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(f'server = "smtp://127.0.0.1:{self.sink.port}"\nfrom = "fmd@storage1.example"\n'
                       f'to = ["operator@example.org"]\nhost = "storage1.example"\ntemplates = "{folder}/mail.d"\n')
        self.mail = Program("fmd-mail", [MAIL, "--socket", self.daemon.socket, "--config", config],
                            os.path.join(folder, "mail-log"), {"STATE_DIRECTORY": self.state})
        self.mail.start()
        self.addCleanup(self.mail.kill)

    def known_keys(self):
        with open(os.path.join(self.state, "delivered"), encoding="utf-8") as file:
            return set(file.read().splitlines())

    def test_a_hundred_times(self):
        chance = random.Random(4)
        may_be_twice, begun = 0, time.monotonic()
        for number in range(ROUNDS):
            victim = "fmd" if number % 2 else "fmd-mail"
            stage = STAGES[number // 2 % len(STAGES)]
            self.sink.arm(stage)
            known = self.known_keys() if os.path.exists(os.path.join(self.state, "delivered")) else set()
            self.daemon.plugin("source", transient=True).events([event(NOW_CLASS, disk(number))])
            self.assertTrue(self.sink.reached.wait(30), f"round {number}: nothing came as far as {stage}")
            if stage == "ANSWERED":
                time.sleep(chance.random() * 0.004)  # somewhere on the way from the reply to the next message
            if victim == "fmd":
                self.daemon.kill()
            else:
                taken_before = sum(self.sink.taken.values())
                self.mail.kill()
                # A reply that came and was not on disk yet is lost.
                lost = sum(self.sink.taken.values()) - len(self.known_keys() | known)
                may_be_twice += 1 if stage == "ANSWERED" and lost > 0 and taken_before else 0
            self.sink.release()
            if victim == "fmd":
                self.daemon.start()
            else:
                self.mail.start()
        wait_for(lambda: len(self.sink.taken) >= ROUNDS, 60,
                 lambda: f"{ROUNDS} messages; {len(self.sink.taken)} came\n" + self.mail.tail())
        twice = [key for key, times in self.sink.taken.items() if times > 1]
        print(f"\n{ROUNDS} kills in {time.monotonic() - begun:.0f} s; {len(twice)} message(s) twice, {may_be_twice} replies lost")
        self.assertEqual(len(self.sink.taken), ROUNDS)
        self.assertLessEqual(len(twice), may_be_twice, "twice though no reply was lost")
        self.assertLessEqual(max(self.sink.taken.values()), 2)


if __name__ == "__main__":
    daemon_case.main()
