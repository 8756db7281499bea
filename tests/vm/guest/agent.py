#!/usr/bin/python3
"""Runs commands in the guest for the tests on the host.

Requests and replies are JSON, one per line, over the virtio-serial port
fmd.agent. Each request has its own thread, so a long one (a scrub) does
not delay others:

    -> {"id": 7, "run": "zpool status", "timeout": 30, "user": "visitor"}
    <- {"id": 7, "rc": 0, "stdout": "...", "stderr": ""}

rc is null on a timeout; the reply then has the output so far. On start the
agent says {"hello": BOOT_ID}, from which the host detects a reboot.
"""

import json
import os
import signal
import subprocess
import threading
import time

PORT = "/dev/virtio-ports/fmd.agent"


def argv(request):
    command = ["/bin/bash", "-c", request["run"]]
    if request.get("user"):
        command = ["runuser", "-u", request["user"], "--"] + command
    return command


def run(request):
    process = subprocess.Popen(
        argv(request), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, start_new_session=True, cwd="/")
    rc = None
    try:
        out, err = process.communicate(timeout=request.get("timeout", 60))
        rc = process.returncode
    except subprocess.TimeoutExpired:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        try:
            # A process stuck in the kernel (D state) cannot be killed.
            out, err = process.communicate(timeout=2)
        except subprocess.TimeoutExpired:
            out, err = b"", b"(would not die)"
    return {"rc": rc, "stdout": out.decode("utf-8", "replace"),
            "stderr": err.decode("utf-8", "replace")}


def write_all(port, data):
    while data:
        data = data[os.write(port, data):]


def main():
    while not os.path.exists(PORT):
        time.sleep(0.1)
    port = os.open(PORT, os.O_RDWR)
    lock = threading.Lock()

    def send(message):
        with lock:
            write_all(port, json.dumps(message).encode() + b"\n")

    def answer(request):
        try:
            reply = run(request)
        except Exception as error:  # report any failure to the host
            reply = {"rc": None, "stdout": "", "stderr": f"agent: {error!r}"}
        send({"id": request["id"], **reply})

    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        send({"hello": file.read().strip()})
    pending = b""
    while True:
        data = os.read(port, 65536)
        if not data:  # the host is not connected
            time.sleep(0.2)
            continue
        *lines, pending = (pending + data).split(b"\n")
        for line in lines:
            if line.strip():
                threading.Thread(target=answer, args=(json.loads(line),), daemon=True).start()


if __name__ == "__main__":
    main()
