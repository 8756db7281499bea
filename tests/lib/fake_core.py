"""fmd's side of the plugin protocol, played by a test that drives a real plugin program.

    with FakeCore(folder) as core:
        plugin = Program("mail", [binary, "--socket", core.path], log)
        plugin.start()
        core.greet()
        reply = core.deliver("outbox:mail", args)

Every line is checked against the protocol's JSON Schema, in both directions. Every wait has a limit, after which it
raises NoAnswer.
"""
import json
import os
import select
import socket
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "simulator"))

import protocol_schema
from process import patience


class NoAnswer(Exception):
    """An expected message did not arrive in time."""


class FakeCore:
    def __init__(self, folder, cursor=""):
        self.path = os.path.join(folder, "plugins.sock")
        self.cursor = cursor
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(self.path)
        self.listener.listen(4)
        self.peer = None
        self.buffer = b""
        self.next_id = 1
        self.hello = None  # params of the plugin's hello
        self.statuses = []  # params
        self.beats = 0
        self.longest_line = 0  # bytes; fmd ends a connection with a line over 1 MiB
        self.events = []
        self.replies = {}  # id of a command → result
        self.resources, self.gone = {}, {}  # FMRI → resource as last described; FMRI → its "gone" entry

    # --- the connection -----------------------------------------------------

    def greet(self, seconds=20):
        """Waits for a plugin's connection and answers its hello; returns the hello's params."""
        self.disconnect()
        self.hello = None
        self._until(lambda: self.hello, seconds, "a plugin's hello")
        return self.hello

    def disconnect(self):
        """Closes the connection, which looks like a crash of fmd to the plugin."""
        if self.peer:
            self.peer.close()
        self.peer, self.buffer = None, b""
        self.replies.clear()

    def close(self):
        self.disconnect()
        self.listener.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # --- commands -----------------------------------------------------------

    def command(self, name, resource, args, key, deadline_ms=60000):
        """Sends a command; returns its id for reply()."""
        number, self.next_id = self.next_id, self.next_id + 1
        self._send({"jsonrpc": "2.0", "id": number, "method": "command",
                    "params": {"name": name, "key": key, "deadline_ms": deadline_ms, "resource": resource,
                               "args": args}})
        return number

    def reply(self, number, seconds=20):
        self._until(lambda: number in self.replies, seconds, f"the reply to command {number}")
        return self.replies.pop(number)

    def deliver(self, target, args, seconds=20, deadline_ms=60000):
        """Sends a delivery; returns its reply: {"status", "reason", "detail"}."""
        return self.reply(self.command("deliver", target, args, args["key"], deadline_ms), seconds)

    def wait_status(self, state, seconds=20):
        """Waits for the plugin to report that status; returns the reason."""
        def wanted():
            return self.statuses and self.statuses[-1]["state"] == state
        self._until(wanted, seconds, f"status {state}, it said {self.statuses}")
        return self.statuses[-1].get("reason", "")

    def wait_resource(self, text, seconds=20):
        """Waits for a resource whose FMRI contains the text; returns it."""
        def found():
            return [one for fmri, one in self.resources.items() if text in fmri]
        self.until(found, seconds, f"a resource {text} in {list(self.resources)}, status {self.statuses}")
        return found()[0]

    def wait_event(self, event_class, seconds=20):
        self.until(lambda: any(one["class"] == event_class for one in self.events), seconds, f"an event {event_class}")

    def wait_beats(self, count, seconds=20):
        wanted = self.beats + count
        self._until(lambda: self.beats >= wanted, seconds, f"{count} heartbeats")

    def pump(self, seconds):
        """Reads at least once what arrives within that time. False: nothing arrived."""
        sources = [self.peer] if self.peer else [self.listener]
        readable, _, _ = select.select(sources, [], [], max(seconds, 0))
        if not readable:
            return False
        if self.peer is None:
            self.peer, _ = self.listener.accept()
            return True
        try:
            data = self.peer.recv(1 << 20)
        except ConnectionResetError:
            data = b""
        if not data:
            self.disconnect()
            return True
        self.buffer += data
        *lines, self.buffer = self.buffer.split(b"\n")
        for line in lines:
            self.longest_line = max(self.longest_line, len(line))
            self._take(json.loads(line))
        return True

    def until(self, condition, seconds, what):
        """Reads messages until the condition is true."""
        self._until(condition, seconds, what)

    # --- inside -------------------------------------------------------------

    def _until(self, condition, seconds, what):
        seconds = patience(seconds)
        deadline = time.monotonic() + seconds
        while not condition():
            left = deadline - time.monotonic()
            if left <= 0 or not self.pump(left):
                if condition():
                    return
                raise NoAnswer(f"not within {seconds} s: {what}")

    def _send(self, message):
        protocol_schema.check(message)
        self.peer.sendall(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def _take(self, message):
        protocol_schema.check(message)
        method = message.get("method")
        if method == "hello":
            self.hello = message["params"]
            self._send({"jsonrpc": "2.0", "id": message["id"],
                        "result": {"cursor": self.cursor, "protocol": 1, "boot": False}})
        elif method == "status":
            self.statuses.append(message["params"])
        elif method == "heartbeat":
            self.beats += 1
        elif method in ("inventory", "events"):
            params = message["params"]
            self.events += params.get("events", [])
            self.resources.update({one["fmri"]: one for one in params.get("resources", [])})
            for one in params.get("gone", []):
                self.gone[one["fmri"]] = one
                self.resources.pop(one["fmri"], None)
            self._send({"jsonrpc": "2.0", "id": message["id"], "result": {}})
        elif method is None:
            self.replies[message["id"]] = message.get("result", message)
