#!/usr/bin/python3
"""An SMTP server that delivers nowhere: each message becomes JSON lines.

    smtpsink.py LOG CONTROL [PORT]

CONTROL's first word selects the answer at the end of a message's data; it is
read each time, and without the file the answer is accept:

    accept   250
    refuse   451, try later
    hold     no answer until the word changes (the message has been received:
             this is where a sender may be killed)

Lines of LOG: {"state": "received", "id": N, "at": seconds, "from", "to",
"subject", "headers", "body", "html", "pictures"}, and at the answer {"state": "accepted" |
"refused" | "dropped" (the sender disconnected before), "id": N, "at": seconds}.
"""

import asyncio
import email
import email.policy
import json
import os
import sys
import time

from aiosmtpd.smtp import SMTP


def pictures(message):
    """Facts about a mail's pictures that show whether they are valid."""
    for part in message.walk():
        if part.get_content_maintype() == "image":
            bits = part.get_content()
            yield {"type": part.get_content_type(), "cid": str(part["Content-ID"]).strip("<>"), "bytes": len(bits),
                   "begins": bits[:8].hex()}


class Sink:
    def __init__(self, log, control):
        self.log, self.control = log, control
        self.count = 0

    def begin(self):
        """Completes a line that a power cut left unfinished."""
        with open(self.log, "ab+") as file:
            if file.seek(0, os.SEEK_END) > 0:
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":
                    file.write(b"\n")

    def mode(self):
        try:
            with open(self.control, encoding="ascii") as file:
                return (file.read().split() or ["accept"])[0]
        except OSError:
            return "accept"

    def record(self, **line):
        # As in a mail server, an acknowledged mail survives a power cut.
        with open(self.log, "a", encoding="utf-8") as file:
            file.write(json.dumps({"at": time.time(), **line}) + "\n")
            file.flush()
            os.fsync(file.fileno())

    async def handle_DATA(self, _server, _session, envelope):
        self.count += 1
        number = f"{os.getpid()}-{self.count}"
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        body = message.get_body(preferencelist=("plain", "html"))
        page = message.get_body(preferencelist=("html",))
        self.record(state="received", id=number, **{"from": envelope.mail_from},
                    to=envelope.rcpt_tos, subject=str(message["Subject"]),
                    headers={name: str(value) for name, value in message.items()},
                    body=body.get_content() if body else "",
                    html=page.get_content() if page else "", pictures=list(pictures(message)))
        try:
            while self.mode() == "hold":
                await asyncio.sleep(0.1)
        except asyncio.CancelledError:
            self.record(state="dropped", id=number)
            raise
        if self.mode() == "refuse":
            self.record(state="refused", id=number)
            return "451 4.3.0 Try again later"
        self.record(state="accepted", id=number)
        return "250 2.0.0 OK"


async def serve(log, control, port):
    sink = Sink(log, control)
    sink.begin()
    server = await asyncio.get_running_loop().create_server(
        lambda: SMTP(sink, hostname="smtpsink", enable_SMTPUTF8=True), "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 2525))
