"""QMP: QEMU's control connection, one JSON message a line."""

import json
import queue
import socket
import threading
import time


class QmpError(Exception):
    """QEMU refused a command."""


class Qmp:
    """Commands go out one at a time; events are collected as they come."""

    def __init__(self, path, timeout=30):
        self._socket = connect_unix(path, timeout)
        self._lock = threading.Lock()
        self._replies = queue.Queue()
        self._events = []
        self._arrived = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()
        self._replies.get(timeout=timeout)  # the greeting
        self("qmp_capabilities")

    def _read(self):
        with self._socket.makefile("r", encoding="utf-8") as lines:
            try:
                for line in lines:
                    message = json.loads(line)
                    if "event" in message:
                        with self._arrived:
                            self._events.append(message)
                            self._arrived.notify_all()
                    else:
                        self._replies.put(message)
            except (OSError, ValueError):
                pass
        self._replies.put({"error": {"desc": "QEMU closed the connection"}})

    def __call__(self, command, **arguments):
        """Runs a command; underscores in argument names stand for hyphens (but
        for a command and properties of old, which have underscores)."""
        if command != "block_set_io_throttle":
            arguments = {k if k.endswith("_block_size") else k.replace("_", "-"): v for k, v in arguments.items()}
        with self._lock:
            message = {"execute": command, "arguments": arguments}
            self._socket.sendall(json.dumps(message).encode() + b"\n")
            reply = self._replies.get(timeout=60)
        if "error" in reply:
            raise QmpError(f"{command}: {reply['error']['desc']}")
        return reply.get("return")

    def wait_event(self, name, timeout=30, **data):
        """The next event of this name whose data has these values."""
        deadline = time.monotonic() + timeout
        with self._arrived:
            while True:
                for event in self._events:
                    found = event.get("data", {})
                    if event["event"] == name and all(found.get(k) == v for k, v in data.items()):
                        self._events.remove(event)
                        return event
                left = deadline - time.monotonic()
                if left <= 0:
                    raise QmpError(f"no {name} {data} within {timeout} s")
                self._arrived.wait(left)

    def close(self):
        self._socket.close()


def connect_unix(path, timeout):
    """Connects to a socket that somebody is about to create."""
    deadline = time.monotonic() + timeout
    while True:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(path)
            return connection
        except OSError:
            connection.close()
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
