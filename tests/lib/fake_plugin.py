"""A plugin played by a test: speaks the plugin protocol over the daemon's socket, as strictly or as badly as needed.

    plugin = FakePlugin(socket_path, "zfs", handles=["zfs://"], commands=["retire"])
    cursor = plugin.hello()["cursor"]
    ack = plugin.events([event("ereport.x", "zfs://pool=1")], cursor="7")
    command = plugin.command(5)
    plugin.reply(command, "done")

Every line is checked against the protocol's JSON Schema, except those of send_raw(). Every wait has a limit, after
which it raises NoAnswer.
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


class CutOff(Exception):
    """The core closed the connection."""


def event(event_class, resource, time_ns=None, ena=0, **payload):
    return {"class": event_class, "resource": resource, "time": time.time_ns() if time_ns is None else time_ns,
            "ena": ena, "payload": payload}


class FakePlugin:
    def __init__(self, path, name, handles=(), commands=(), observes=("*",), heartbeat_ms=3_600_000, transient=False,
                 version="1.0", check=True):
        self.name, self.check = name, check
        self.greeting = {"name": name, "version": version, "protocol": 1, "observes": list(observes),
                         "commands": list(commands), "handles": list(handles), "heartbeat_ms": heartbeat_ms,
                         "transient": transient, "kept": True}
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self.socket.connect(path)
        except OSError:
            self.socket.close()
            raise
        self.next_id = 1
        self.buffer = b""
        self.results = {}  # id → message
        self.commands = []
        self.kept = []  # ids of requests that fmd holds in memory while it cannot write to its disk
        self.written = ""  # written up to this cursor, for events sent over earlier connections
        self.reproach = ""  # fmd's reason for closing the connection

    # --- out ----------------------------------------------------------------

    def send_raw(self, data):
        self.socket.sendall(data)

    def send(self, message):
        if self.check:
            protocol_schema.check(message)
        self.send_raw(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def request(self, method, params):
        number, self.next_id = self.next_id, self.next_id + 1
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def notify(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    # --- in -----------------------------------------------------------------

    def pump(self, seconds):
        """Reads at least one line within that time. False: nothing arrived."""
        readable, _, _ = select.select([self.socket], [], [], max(seconds, 0))
        if not readable:
            return False
        try:
            data = self.socket.recv(1 << 20)
        except ConnectionResetError:
            data = b""
        if not data:
            raise CutOff(self.name)
        self.buffer += data
        *lines, self.buffer = self.buffer.split(b"\n")
        for line in lines:
            self._take(json.loads(line))
        return True

    def _take(self, message):
        if self.check:
            protocol_schema.check(message)
        if message.get("method") == "command":
            self.commands.append(message)
        elif message.get("method") == "kept":
            self.kept += message["params"]["requests"]
        elif message.get("method") == "written":
            self.written = message["params"]["cursor"]
        elif "error" in message and message.get("id") is None:
            self.reproach = message["error"]["message"]
        else:
            self.results[message["id"]] = message

    def until(self, condition, seconds, what):
        seconds = patience(seconds)
        deadline = time.monotonic() + seconds
        while not (found := condition()):
            left = deadline - time.monotonic()
            if left <= 0 or not self.pump(left):
                if found := condition():
                    return found
                raise NoAnswer(f"{self.name}: not within {seconds} s: {what}")
        return found

    def answer(self, number, seconds=10):
        """The whole response (result or error) to a request."""
        self.until(lambda: number in self.results, seconds, f"the answer to request {number}")
        return self.results.pop(number)

    def result(self, number, seconds=10):
        message = self.answer(number, seconds)
        if "error" in message:
            raise AssertionError(message["error"])
        return message["result"]

    def round_trip(self):
        """Returns once fmd has read everything sent so far: it answers an unknown request at once."""
        number, self.next_id = self.next_id, self.next_id + 1
        self.send_raw(json.dumps({"jsonrpc": "2.0", "id": number, "method": "nothing", "params": {}}).encode() + b"\n")
        self.answer(number)

    def is_unanswered(self, number):
        """Whether a request has no answer although fmd has read it."""
        for _ in range(3):
            self.round_trip()
        return number not in self.results

    # --- whole dialogues ----------------------------------------------------

    def hello(self, seconds=10):
        return self.result(self.request("hello", self.greeting), seconds)

    def events(self, events, cursor=None, seconds=10):
        return self.result(self.send_events(events, cursor), seconds)

    def send_events(self, events, cursor=None):
        params = {"events": events}
        if cursor is not None:
            params["cursor"] = cursor
        return self.request("events", params)

    def inventory(self, resources, gone=(), complete=False, seconds=10):
        return self.result(self.send_inventory(resources, gone, complete), seconds)

    def send_inventory(self, resources, gone=(), complete=False):
        return self.request("inventory", {"complete": complete, "resources": resources, "gone": list(gone)})

    def beat(self):
        self.notify("heartbeat", {})

    def command(self, seconds=10, name=None):
        """The next pending command (of that name)."""
        def wanted():
            return next((c for c in self.commands if name in (None, c["params"]["name"])), None)
        found = self.until(wanted, seconds, f"a command {name or ''}")
        self.commands.remove(found)
        return found

    def reply(self, command, status="done", reason="", detail=None):
        self.send({"jsonrpc": "2.0", "id": command["id"],
                   "result": {"status": status, "reason": reason, "detail": detail or {}}})

    def cut_off(self, seconds=10):
        """Waits for fmd to close the connection; returns its reason, or ""."""
        seconds = patience(seconds)
        deadline = time.monotonic() + seconds
        try:
            while time.monotonic() < deadline:
                self.pump(deadline - time.monotonic())
        except CutOff:
            return self.reproach
        raise NoAnswer(f"{self.name}: not cut off within {seconds} s")

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Notifier(FakePlugin):
    """A notifier that records deliveries in a dictionary that outlives it: key → delivery arguments."""

    def __init__(self, path, name="mail", delivered=None):
        super().__init__(path, name, handles=[f"outbox:{name}"], commands=["deliver"], observes=[])
        self.delivered = {} if delivered is None else delivered
        self.attempts = []  # key of every delivery request, in order

    def deliver_next(self, seconds=10):
        command = self.command(seconds, "deliver")
        args = command["params"]["args"]
        self.attempts.append(args["key"])
        self.delivered.setdefault(args["key"], args)
        self.reply(command, "done")
        return args
