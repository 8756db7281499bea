"""A simulated host's BMC: the sensors of bmc/small-server.sdr (recorded), their values, and the event log, in sim/bmc.json. bin/ipmitool
answers for it. Byte numbers and bits: IPMI specification v2.0, sections 31.5 (log), 35.14 (readings) and 43 (records)."""
import contextlib
import fcntl
import json
import os
import sys
import time

from .tools import link_tools

RECORDED = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bmc")
STATE = "sim/bmc.json"
FULL, COMPACT, EVENT_ONLY = 1, 2, 3
NAME_AT = {FULL: 47, COMPACT: 31, EVENT_ONLY: 16}
NO_RECORD, INVALID = 0xCB, 0xCC


class Refused(Exception):
    """Holds the BMC's completion code."""


def sensors():
    """{number: {"name", "type", "reading", "limits", "multiplier"}} from the recorded records."""
    with open(os.path.join(RECORDED, "small-server.sdr"), "rb") as file:
        data = file.read()
    found = {}
    while data:
        record, data = data[:5 + data[4]], data[5 + data[4]:]
        if record[3] not in NAME_AT:
            continue
        at = NAME_AT[record[3]]
        one = {"name": record[at + 1:at + 1 + (record[at] & 0x1F)].decode(), "event_only": record[3] == EVENT_ONLY,
               "type": record[10 if record[3] == EVENT_ONLY else 12], "reading": record[11 if record[3] == EVENT_ONLY else 13]}
        if record[3] == FULL:
            exponent = record[29] >> 4
            one["multiplier"] = record[24] * 10.0 ** (exponent - 16 if exponent > 7 else exponent)
            one["limits"] = {bit: record[41 - bit] for bit in range(6) if record[18] >> bit & 1}
        found[record[7]] = one
    return found


def install(folder):
    """A healthy machine with an empty log."""
    path = os.path.join(folder, STATE)
    if os.path.exists(path):
        return
    state = {"mode": "ok", "log": [], "next": 1, "added": 0, "erased": 0, "values": {}, "states": {}}
    usual = {"CPU1 Temp": 41, "System Temp": 28, "12V": 120, "CPU1 Status": 1 << 7}
    for number, one in sensors().items():
        if one["event_only"]:
            continue
        if one["reading"] == 1:
            state["values"][str(number)] = usual.get(one["name"], 56)
        else:
            state["states"][str(number)] = usual.get(one["name"], 1)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        json.dump(state, file)
    os.makedirs(os.path.join(folder, "dev"), exist_ok=True)
    with open(os.path.join(folder, "dev/ipmi0"), "w", encoding="ascii"):
        pass
    link_tools(folder, ("ipmitool",))


@contextlib.contextmanager
def changing(folder):
    with open(os.path.join(folder, STATE), "r+", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        state = json.load(file)
        yield state
        file.seek(0)
        file.truncate()
        json.dump(state, file)


def read(folder):
    with open(os.path.join(folder, STATE), encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        return json.load(file)


def change(folder, changes):
    """changes: [(name, value)], a sensor's name, or log, clear, hang; see fmsim bmc --help."""
    install(folder)
    known = sensors()
    numbers = {one["name"].lower(): number for number, one in known.items()}
    with changing(folder) as state:
        for name, value in changes:
            if name == "hang":
                state["mode"] = "hang" if value == "on" else "ok"
            elif name == "clear":
                state.update(log=[], next=1, erased=int(time.time()))
            elif name == "log":
                sensor, offset = value.rsplit(",", 1)
                number = numbers[sensor.lower()]
                _log(state, known[number], number, int(offset))
            elif name.lower() in numbers:
                _set(state, known, numbers[name.lower()], value)
            else:
                sys.exit(f"fmsim: '{name}' is no sensor; there are {', '.join(sorted(numbers))}")


def _set(state, known, number, value):
    one = known[number]
    kind = "values" if one["reading"] == 1 else "states"
    if value == "none":
        state[kind][str(number)] = None
    elif kind == "values":
        state[kind][str(number)] = max(0, min(255, round(float(value) / one["multiplier"])))
    else:
        state[kind][str(number)] = sum(1 << int(offset) for offset in value.split(",") if offset)


def _log(state, one, number, offset):
    now = int(time.time())
    record = [state["next"] & 0xFF, state["next"] >> 8, 0x02, *now.to_bytes(4, "little"), 0x20, 0, 0x04, one["type"], number,
              one["reading"], offset, 0xFF, 0xFF]
    state["log"].append(bytes(record).hex())
    state.update(next=state["next"] + 1, added=now)


def answer(state, netfn, command, data):
    """The answer to one raw request, as bytes."""
    log = [bytes.fromhex(record) for record in state["log"]]
    if (netfn, command) == (0x06, 0x01):  # Get Device ID
        return bytes([0, 3, 9, 8, 2, 0x9F, 0x91, 0x12, 0, 2, 0x0F, 0, 0, 0, 0])
    if (netfn, command) == (0x0A, 0x40):  # Get SEL Info
        return (b"\x51" + len(log).to_bytes(2, "little") + (3200 - 16 * len(log)).to_bytes(2, "little") +
                state["added"].to_bytes(4, "little") + state["erased"].to_bytes(4, "little") + b"\x0a")
    if (netfn, command) == (0x0A, 0x48):  # Get SEL Time
        return int(time.time()).to_bytes(4, "little")
    if (netfn, command) == (0x0A, 0x20):  # Get SDR Repository Info
        return bytes([0x51, 16, 0, 0xFE, 0xFF, 1, 0, 0, 0, 0, 0, 0, 0, 2])
    if (netfn, command) == (0x0A, 0x43) and len(data) == 6:
        return _entry(log, int.from_bytes(data[2:4], "little"))
    if (netfn, command) == (0x04, 0x2D) and len(data) == 1:
        return _reading(state, data[0])
    raise Refused(INVALID)


def _entry(log, number):
    for place, record in enumerate(log):
        own = int.from_bytes(record[:2], "little")
        if number == own or (number == 0 and place == 0) or (number == 0xFFFF and place == len(log) - 1):
            return (log[place + 1][:2] if place + 1 < len(log) else b"\xff\xff") + record
    raise Refused(NO_RECORD)


def _reading(state, number):
    key = str(number)
    if key in state["values"]:
        value = state["values"][key]
        if value is None:
            return bytes([0, 0xE0, 0, 0])
        limits = sensors()[number]["limits"]
        beyond = [bit for bit, limit in limits.items() if (value <= limit if bit < 3 else value >= limit)]
        return bytes([value, 0xC0, sum(1 << bit for bit in beyond), 0])
    if key in state["states"]:
        states = state["states"][key]
        return bytes([0, 0xE0, 0, 0]) if states is None else bytes([0, 0xC0, states & 0xFF, states >> 8])
    raise Refused(INVALID)
