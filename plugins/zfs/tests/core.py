"""Fake fmd for one plugin under test: its socket, which records messages and sends commands."""
import json
import os
import socket
import time

from process import patience


class TimeUp(AssertionError):
    pass


class Core:
    def __init__(self, path):
        self.path = path
        self.cursor = ""
        self.acking = True
        self.events, self.inventories, self.statuses = [], [], []
        self.resources, self.gone, self.readings = {}, {}, {}
        self.replies = {}
        self.connection = None
        self.hello = None
        self.held = []  # ids of event requests not yet acknowledged
        self._buffer = b""
        self._next = 1000
        if os.path.exists(path):
            os.unlink(path)
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(path)
        self.server.listen()
        self.server.settimeout(patience())

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None
        self.server.close()

    def disconnect(self):
        self.connection.close()
        self.connection = None

    def step(self, seconds=0.05):
        """Processes received messages."""
        if not self.connection:
            self.connection, _ = self.server.accept()
            self._buffer = b""
        self.connection.settimeout(seconds)
        try:
            data = self.connection.recv(1 << 20)
        except (TimeoutError, ConnectionResetError):
            return
        if not data:
            self.disconnect()
            return
        self._buffer += data
        *lines, self._buffer = self._buffer.split(b"\n")
        for line in lines:
            self._take(json.loads(line))

    def wait(self, condition, what):
        end = time.monotonic() + patience()
        while time.monotonic() < end:
            found = condition()
            if found:
                return found
            self.step()
        raise TimeUp(f"waited in vain for {what() if callable(what) else what}")

    def command(self, name, resource, **args):
        """Sends a command and waits for its result."""
        number = self.send_command(name, resource, **args)
        return self.wait(lambda: self.replies.get(number), f"the result of {name}")

    def send_command(self, name, resource, call=None, deadline_ms=30000, **args):
        """call: the command's idempotency key; default: a new one."""
        number = self._next = self._next + 1
        self._send({"id": number, "method": "command", "params": {
            "name": name, "resource": resource, "key": call or f"test:{number}", "deadline_ms": deadline_ms, "args": args}})
        return number

    def reading(self, resource, name):
        return self.readings.get((resource, name))

    def of_class(self, name):
        return [event for event in self.events if event["class"] == name]

    def release(self):
        """Acknowledges the held events."""
        self.acking = True
        for number in self.held:
            self._send({"id": number, "result": {"cursor": self.cursor, "rejected": []}})
        self.held = []

    def _send(self, message):
        self.connection.sendall(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def _take(self, message):
        params = message.get("params", {})
        method = message.get("method")
        if method == "hello":
            self.hello = params
            self._send({"id": message["id"], "result": {"cursor": self.cursor, "protocol": 1, "boot": True}})
        elif method == "inventory":
            self._inventory(params)
            self._send({"id": message["id"], "result": {}})
        elif method == "events":
            self.events += params["events"]
            if self.acking:
                self.cursor = params.get("cursor", self.cursor)
                self._send({"id": message["id"], "result": {"cursor": self.cursor, "rejected": []}})
            else:
                self.held.append(message["id"])
        elif method == "readings":
            self.readings.update({(r["resource"], r["name"]): r["value"] for r in params["readings"]})
        elif method == "status":
            self.statuses.append((params["state"], params["reason"]))
        elif "result" in message:
            self.replies[message["id"]] = message["result"]

    def _inventory(self, params):
        self.inventories.append(params)
        if params["complete"]:
            self.resources = {}
        for resource in params["resources"]:
            self.resources[resource["fmri"]] = resource
            self.gone.pop(resource["fmri"], None)
        for gone in params["gone"]:
            self.resources.pop(gone["fmri"], None)
            self.gone[gone["fmri"]] = gone
