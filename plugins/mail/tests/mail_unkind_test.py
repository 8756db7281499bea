"""fmd-mail with misbehaving servers: greylisting, connections that break midway, slow answers."""
import os
import resource
import socket
import sys
import threading
import time
import unittest

from mail_case import BINARY, MailCase, notice


class Script:
    """A minimal SMTP server with one fault: at `stage` ("HELO", "MAIL", "RCPT", "DATA", "BODY", "END") it hangs up, or is silent for
    some seconds, the first `times` times. END: after the whole message, before the answer."""

    greeting = b"220 server.example\r\n"

    def __init__(self, stage, times=1, silent=None):
        self.stage, self.times, self.silent = stage, times, silent
        self.messages, self.connections = [], 0
        self.closing = threading.Event()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    def stop(self):
        self.closing.set()
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self.thread.join(20)

    def _accept(self):
        while not self.closing.is_set():
            try:
                peer, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(peer,), daemon=True).start()

    def _wrong(self, stage):
        """Whether to hang up now; waits first if it is to be silent."""
        if stage != self.stage or self.times == 0:
            return False
        self.times -= 1
        if self.silent is None:
            return True
        self.closing.wait(self.silent)
        return False

    def _serve(self, peer):
        with peer, peer.makefile("rb") as lines:
            try:
                peer.sendall(self.greeting)
                self._talk(peer, lines)
            except OSError:
                pass

    def _talk(self, peer, lines):
        for line in lines:
            verb = line[:4].decode("ascii", "replace").upper()
            if self._wrong({"EHLO": "HELO"}.get(verb, verb)):
                return
            if verb == "QUIT":
                return peer.sendall(b"221 bye\r\n")
            if verb != "DATA":
                peer.sendall(b"250 OK\r\n")
                continue
            peer.sendall(b"354 go on\r\n")
            body = []
            for part in lines:
                if self._wrong("BODY"):
                    return None
                if part == b".\r\n":
                    break
                body.append(part)
            if self._wrong("END"):
                return None
            peer.sendall(b"250 taken\r\n")
            self.messages.append(b"".join(body))
        return None


class Flood(Script):
    """A server whose greeting never ends."""
    greeting = b"220-"

    def __init__(self, flood):
        self.flood = flood
        super().__init__("HELO")

    def _talk(self, peer, lines):
        while not self.closing.is_set():
            peer.sendall(self.flood)


class Unkind(MailCase):
    def script(self, *given, **more):
        server = Script(*given, **more)
        self.addCleanup(server.stop)
        return server

    def test_greylisting_every_recipient(self):
        server = self.serve(answers={"RCPT": ["450 4.2.0 greylisted", "450 4.2.0 greylisted"]})
        self.start(server, to='["a@example.org", "b@example.org"]')
        reply = self.deliver(notice())
        self.assertEqual(reply["status"], "failed")
        self.assertIn("450 4.2.0 greylisted", reply["reason"])
        self.assertEqual(server.messages, [])
        self.delivered(notice())
        self.assertEqual([message[1] for message in server.messages], [["a@example.org", "b@example.org"]])

    def test_it_hangs_up_wherever_it_likes(self):
        for stage in ("HELO", "MAIL", "RCPT", "DATA", "BODY", "END"):
            with self.subTest(stage):
                server = self.script(stage)
                if self.program:
                    self.program.kill()
                self.start(server)
                reply = self.deliver(notice(stage))
                self.assertEqual(reply["status"], "failed", reply)
                self.assertIn(f"127.0.0.1:{server.port}", reply["reason"])
                self.assertEqual(server.messages, [], "half a message is none")
                self.delivered(notice(stage))
                self.assertEqual(len(server.messages), 1)
                self.delivered(notice(stage))
                self.assertEqual((len(server.messages), server.connections), (1, 2), "a key is delivered once")

    def test_it_takes_its_time(self):
        seconds = int(os.environ.get("ANSWERS_IN", "2"))
        server = self.script("END", silent=seconds)
        self.start(server)  # with the default timeout
        begun = time.monotonic()
        self.delivered(notice(), seconds=seconds + 30, deadline_ms=300000)
        self.assertGreaterEqual(time.monotonic() - begun, seconds)
        self.assertEqual((len(server.messages), server.connections), (1, 1), "left too soon, it would come twice")

    def test_it_takes_more_time_than_it_is_given(self):
        server = self.script("END", silent=3600)
        self.start(server, 'timeout = "1500ms"\n')
        reply = self.deliver(notice())
        self.assertEqual(reply["status"], "failed")
        self.assertIn("no answer in 2 s", reply["reason"])
        self.delivered(notice())
        self.assertEqual(len(server.messages), 1)

    def test_it_talks_without_an_end(self):
        """An endless line, and an endless multi-line answer: ends at the deadline, in bounded memory."""
        for flood in (b"x" * 65536, b"220-more\r\n" * 8192):
            with self.subTest(flood[:10]):
                if self.program:
                    self.program.kill()
                server = Flood(flood)
                self.addCleanup(server.stop)
                self.start(server, 'timeout = "3s"\n')
                self.assertEqual(self.deliver(notice())["status"], "failed")
        self.program.signal(15)
        self.program.process.wait(30)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, 200, "MiB")


if __name__ == "__main__":
    unittest.main(argv=[BINARY, *sys.argv[1:]], verbosity=2)
