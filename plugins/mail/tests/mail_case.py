"""Shared by the tests of fmd-mail: the real program between a fake core and a real SMTP server."""
import asyncio
import email
import email.policy
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path[:0] = [os.path.join(TREE, "tests", "lib"), os.path.join(TREE, "simulator")]

from aiosmtpd.smtp import SMTP, AuthResult  # noqa: E402
from fake_core import FakeCore  # noqa: E402
from process import Program, patience  # noqa: E402

BINARY = os.environ["FMD_MAIL"]
TIME_NS = 1795229321000000000  # 2026-11-21 02:48:41 UTC


def notice(number=1, event="diagnosed", **changes):
    """A delivery as the core sends it."""
    uuid = "6f3cbe38-13ea-4ff7-a4e0-8d4b9d1b3e11"
    return {"key": f"{uuid}:{event}:{number}", "event": event, "subject": "[fmd] storage1: Major ZFS-8000-GH: too many"
            " checksum errors, bay SLOT 03 serial FM000003", "body": "Too many checksum errors.\n\nReplace it.\n",
            "host": "storage1", "time": TIME_NS,
            "case": {"uuid": uuid, "code": "ZFS-8000-GH", "severity": "Major",
                     "suspects": [{"class": "fault.fs.zfs.vdev.checksum", "serial": "FM000003"}]}} | changes


class Server:
    """aiosmtpd in a thread. answers: {"RCPT": [...], "DATA": [...]}, used one after the other, then 250."""

    def __init__(self, tls=None, smtps=None, require_tls=False, password=None, answers=None):
        self.messages, self.attempts, self.secured, self.logins = [], 0, [], []
        self.answers = {name: list(given) for name, given in (answers or {}).items()}
        self.password = password
        self.hold = threading.Event()  # set: does not answer the end of the data
        self.holding = threading.Event()
        self.options = {"hostname": "server.example", "tls_context": tls, "require_starttls": require_tls,
                        "enable_SMTPUTF8": False, "auth_require_tls": tls is not None}
        if password:
            self.options |= {"authenticator": self._authenticate, "auth_required": True}
        self.smtps = smtps
        self.loop = asyncio.new_event_loop()
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.started = threading.Event()

    def start(self):
        self.thread.start()
        self.started.wait(20)
        return self

    def stop(self):
        if not self.thread.is_alive():
            return
        self.hold.clear()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(20)
        self.socket.close()

    def _run(self):
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self.loop.create_server(
            lambda: SMTP(self, loop=self.loop, **self.options), sock=self.socket, ssl=self.smtps))
        self.started.set()
        self.loop.run_forever()
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()

    def _authenticate(self, _server, _session, _envelope, _mechanism, data):
        login = (data.login.decode(), data.password.decode())
        self.logins.append(login)
        return AuthResult(success=login == self.password, handled=False)

    def _answer(self, command, usual):
        given = self.answers.get(command)
        return given.pop(0) or usual if given else usual

    async def handle_RCPT(self, _server, _session, envelope, address, _options):
        answer = self._answer("RCPT", "250 2.1.5 OK")
        if answer.startswith("2"):
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_DATA(self, _server, session, envelope):
        self.attempts += 1
        self.secured.append(session.ssl is not None)
        while self.hold.is_set():
            self.holding.set()
            await asyncio.sleep(0.02)
        answer = self._answer("DATA", "250 2.0.0 OK")
        if answer.startswith("2"):
            self.messages.append((envelope.mail_from, list(envelope.rcpt_tos), envelope.content))
        return answer

    def parsed(self, which=-1):
        return email.message_from_bytes(self.messages[which][2], policy=email.policy.default)


class MailCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="fmd-mail-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.core = FakeCore(self.folder)
        self.addCleanup(self.core.close)
        self.state = os.path.join(self.folder, "state")
        os.mkdir(self.state)
        self.config = os.path.join(self.folder, "mail.toml")
        self.log = os.path.join(self.folder, "log")
        self.program = None

    def serve(self, **options):
        server = Server(**options).start()
        self.addCleanup(server.stop)
        return server

    def write_config(self, text):
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(text)

    def start(self, server=None, more="", to='["operator@example.org"]', scheme="smtp", binary=BINARY):
        """Starts the plugin with that server; it is connected when this returns."""
        if server:
            self.write_config(f'server = "{scheme}://127.0.0.1:{server.port}"\nfrom = "fmd@storage1.example"\n'
                              f"to = {to}\n{more}")
        self.start_program(binary)
        return self.core.greet()

    def start_program(self, binary=BINARY):
        self.program = Program("fmd-mail", [binary, "--socket", self.core.path, "--config", self.config], self.log,
                               {"STATE_DIRECTORY": self.state})
        self.program.start()
        self.addCleanup(self.program.kill)

    def restart(self):
        """Kills it with SIGKILL first."""
        self.program.kill()
        self.program.start()
        self.core.greet()

    def deliver(self, args, seconds=20, deadline_ms=60000):
        return self.core.deliver("outbox:mail", args, seconds, deadline_ms)

    def delivered(self, args, **options):
        reply = self.deliver(args, **options)
        self.assertEqual(reply["status"], "done", reply)
        return reply

    def refused_config(self, text):
        """The error message for an invalid configuration."""
        self.write_config(text)
        ran = subprocess.run([BINARY, "--socket", self.core.path, "--config", self.config], capture_output=True,
                             text=True, timeout=patience(), check=False, env=dict(os.environ, STATE_DIRECTORY=self.state))
        self.assertEqual(ran.returncode, 78, ran.stderr)
        return ran.stderr

    def certificate(self, name="127.0.0.1"):
        """A self-signed certificate; returns (server's context, path of the certificate)."""
        cert, key = os.path.join(self.folder, "cert.pem"), os.path.join(self.folder, "key.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-keyout", key, "-out", cert, "-days", "2", "-subj", f"/CN={name}",
                        "-addext", f"subjectAltName=IP:{name}"], check=True, capture_output=True)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(cert, key)
        return context, cert

