"""The host's side of the connection to the guest's agent (guest/agent.py)."""

import concurrent.futures
import itertools
import json
import threading

from qmp import connect_unix


class Result:
    """The result of a command in the guest. rc is None if it timed out."""

    def __init__(self, command, reply):
        self.command = command
        self.rc = reply["rc"]
        self.out = reply["stdout"]
        self.err = reply["stderr"]

    @property
    def ok(self):
        return self.rc == 0

    def json(self):
        return json.loads(self.out)

    def __str__(self):
        ended = "timed out" if self.rc is None else f"exit {self.rc}"
        return f"{self.command!r}: {ended}\n{self.out}{self.err}".rstrip()


class CommandFailed(Exception):
    """A command in the guest that had to succeed failed."""


class Job:
    """A command running in the guest."""

    def __init__(self, command, future):
        self.command = command
        self._future = future

    def done(self):
        return self._future.done()

    def wait(self, timeout=60):
        """Waits until it has ended; returns its Result."""
        try:
            return Result(self.command, self._future.result(timeout))
        except concurrent.futures.TimeoutError:
            raise CommandFailed(f"no answer from the guest within {timeout} s: {self.command!r}") from None


class Agent:
    def __init__(self, path):
        self._socket = connect_unix(path, 30)
        self._ids = itertools.count(1)
        self._waiting = {}
        self._lock = threading.Lock()
        self._greeted = threading.Condition()
        self.boot_id = None
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        pending = b""
        while True:
            try:
                data = self._socket.recv(65536)
            except OSError:
                data = b""
            if not data:
                self._drop("the connection to the guest closed")
                return
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                try:
                    self._take(json.loads(line))
                except ValueError:
                    pass  # a partial line from before a reboot

    def _take(self, message):
        if "hello" in message:
            self._drop("the guest's agent was started anew")
            with self._greeted:
                self.boot_id = message["hello"]
                self._greeted.notify_all()
            return
        with self._lock:
            future = self._waiting.pop(message["id"], None)
        if future:
            future.set_result(message)

    def _drop(self, why):
        """Fails all pending requests: no answer will come."""
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            future.set_result({"rc": None, "stdout": "", "stderr": why})

    def wait_hello(self, timeout, other_than=None):
        """Waits until the guest is up, with another boot id than other_than."""
        with self._greeted:
            return self._greeted.wait_for(
                lambda: self.boot_id is not None and self.boot_id != other_than, timeout)

    def start(self, command, timeout=60, user=None):
        future = concurrent.futures.Future()
        number = next(self._ids)
        request = {"id": number, "run": command, "timeout": timeout}
        if user:
            request["user"] = user
        with self._lock:
            self._waiting[number] = future
            self._socket.sendall(json.dumps(request).encode() + b"\n")
        return Job(command, future)

    def close(self):
        self._socket.close()
