"""QMP: QEMU's control connection, one JSON message per line."""

import json
import queue
import socket
import threading
import time


class QmpError(Exception):
    """QEMU refused a command."""


class Qmp:
    """Sends commands one at a time; collects events as they arrive."""

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
        """Runs a command. Underscores in argument names stand for hyphens, except in one old command and old properties, whose names have
        underscores."""
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
        """Waits for the next event of this name whose data has these values."""
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
    """Connects to a socket that is about to be created."""
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
