"""fmd and fmd-mail together with a real SMTP server."""
import asyncio
import collections
import email
import email.policy
import os
import sys
import threading

from daemon_case import DaemonCase

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TREE, "plugins", "mail", "tests"))

from mail_case import BINARY as MAIL  # noqa: E402
from mail_case import Server  # noqa: E402
from process import Program  # noqa: E402


class Sink(Server):
    """Stops at a stage of some delivery until it may continue. Mail that it accepts after the sender is gone is not
    counted as taken, because that reply was lost."""

    def __init__(self):
        super().__init__()
        self.stage, self.reached, self.go_on = None, threading.Event(), threading.Event()
        self.taken = collections.Counter()  # by Message-ID
        self.mails = []

    def busy(self):
        """The open connections."""
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
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        self.taken[mail["Message-ID"]] += 1
        self.mails.append(mail)
        if self.stage == "ANSWERED":  # the reply is on its way when this fires
            self.loop.call_soon(self.reached.set)
        return "250 OK"


class DaemonMailCase(DaemonCase):
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
