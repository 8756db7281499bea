#!/usr/bin/python3
"""A plugin that reports numbered events to fmd, one at a time, and records on the host which ones fmd has acknowledged.

    witness.py FILE

Each line of FILE is the highest acknowledged number. Reconnects whenever the connection is lost; if fmd then knows fewer events
than it had acknowledged, it writes a line "LOST N: fmd knows M"."""

import json
import os
import socket
import sys
import time

SOCKET = "/run/fmd/plugins.sock"
PAUSE = 0.3


class Connection:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(300)  # a full disk may stay full for minutes
        self.socket.connect(SOCKET)
        self.lines = self.socket.makefile("rb")
        self.number = 0

    def ask(self, method, **params):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.socket.sendall(json.dumps(message).encode() + b"\n")
        for line in self.lines:
            answer = json.loads(line)
            if answer.get("id") == self.number and "result" in answer:
                return answer["result"]
            if "error" in answer:
                raise ConnectionError(answer["error"])
        raise ConnectionError("cut off")


def last_acked(path):
    try:
        with open(path, encoding="ascii") as file:
            return max((int(line) for line in file if line.strip().isdigit()), default=0)
    except FileNotFoundError:
        return 0


def tell(path, connection):
    acked = last_acked(path)
    hello = connection.ask("hello", name="witness", protocol=1, observes=["sysevent.test.witness"], transient=True,
                           heartbeat_ms=3_600_000)
    known = int(hello.get("cursor") or 0)
    with open(path, "a", encoding="ascii") as file:
        if known < acked:
            file.write(f"LOST {acked}: fmd knows {known}\n")
        while True:
            known += 1
            event = {"class": "sysevent.test.witness", "resource": "dev://serial=WITNESS", "time": time.time_ns(),
                     "payload": {"number": known}}
            answer = connection.ask("events", events=[event], cursor=str(known))
            if answer.get("rejected"):
                file.write(f"REJECTED {answer['rejected']}\n")
            file.write(f"{known}\n")
            file.flush()
            os.fsync(file.fileno())
            time.sleep(PAUSE)


def main():
    while True:
        try:
            tell(sys.argv[1], Connection())
        except (OSError, ValueError, ConnectionError) as why:
            print(why, file=sys.stderr, flush=True)
            time.sleep(1)


if __name__ == "__main__":
    main()
