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

ROUNDS = int(os.environ.get("ROUNDS", "100"))
STAGES = ("MAIL", "RCPT", "TAKEN", "ANSWERED")


class Sink(Server):
    """Stops at a stage of some delivery until it is told to go on. What it takes without being able to say so, since
    who sent it is gone, is not counted as taken: that reply was lost."""

    def __init__(self):
        super().__init__()
        self.stage, self.reached, self.go_on = None, threading.Event(), threading.Event()
        self.taken = collections.Counter()  # by Message-ID

    def busy(self):
        """Connections that are open."""
        return [task for task in asyncio.all_tasks(self.loop) if "_handle_client" in repr(task.get_coro())]

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
        """What fmd-mail has on disk as delivered."""
        try:
            with open(os.path.join(self.state, "delivered"), encoding="utf-8") as file:
                return set(file.read().splitlines())
        except FileNotFoundError:
            return set()

    def count_lost(self):
        """fmd-mail is gone: what the server took and fmd-mail has not on disk was a reply lost."""
        wait_for(lambda: not self.sink.busy(), 20, "the server to be done with the connections that broke")
        known = self.known_keys()
        for message_id, times in self.sink.taken.items():
            if message_id.strip("<>").split("@")[0].replace("/", ":") not in known:
                self.lost[message_id] = times

    def test_a_hundred_times(self):
        chance, begun = random.Random(4), time.monotonic()
        self.lost = collections.Counter()
        for number in range(ROUNDS):
            stage = STAGES[number // 2 % len(STAGES)]
            self.sink.arm(stage)
            self.daemon.plugin("source", transient=True).events([event(NOW_CLASS, disk(number))])
            self.assertTrue(self.sink.reached.wait(30), f"round {number}: nothing came as far as {stage}")
            if stage == "ANSWERED":
                time.sleep(chance.random() * 0.004)  # somewhere on the way from the reply to the next message
            if number % 2:
                self.daemon.kill()
                self.sink.release()
                self.daemon.start()
            else:
                self.mail.kill()
                self.sink.release()
                self.count_lost()
                self.mail.start()
        def heard():
            return {m: times - self.lost[m] for m, times in self.sink.taken.items()}
        # What was lost comes again, at the latest after what fmd waits between two tries.
        wait_for(lambda: len(heard()) >= ROUNDS and min(heard().values()) >= 1 and not self.sink.busy(), 90,
                 lambda: f"{ROUNDS} messages; {collections.Counter(heard().values())}\n" + self.mail.tail())
        print(f"\n{ROUNDS} kills in {time.monotonic() - begun:.0f} s; {sum(self.lost.values())} replies lost")
        self.assertEqual(len(self.sink.taken), ROUNDS)
        self.assertEqual(heard(), dict.fromkeys(self.sink.taken, 1), "each once, but for those whose reply was lost")


if __name__ == "__main__":
    daemon_case.main()
