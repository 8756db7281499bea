"""Cost of 10,001 open cases: fmd's work for each kind of query on the bus, `fmadm faulty -s`, and fmd's memory.
tests/integration/daemon_many_cases.py checks that the work does not grow with the number of cases."""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

from latency_bench import DISKS, shelf
from size_bench import pss, settle
from storm_bench import figure  # storm_bench sets the path

import own_bus
from daemon import NOW_CLASS, Daemon
from fake_plugin import event
from process import wait_for

CASES, EACH, TRIES = 10_001, 500, 15
OTHER = {"user": 65534, "group": 65534, "extra_groups": []}
FMD = ("org.fmd.FaultManager1", "/org/fmd/FaultManager1", "org.fmd.FaultManager1")


def call(bus, method, *arguments, interface=FMD[2], path=FMD[1], may_fail=False, **user):
    """may_fail: a list that is too long is refused, which must not cost more than an answer. user: subprocess.run()'s user, group."""
    ran = subprocess.run(["dbus-send", f"--bus=unix:path={bus}", "--print-reply=literal", "--reply-timeout=120000", f"--dest={FMD[0]}", path,
                          f"{interface}.{method}", *(f"string:{one}" for one in arguments)], capture_output=True, text=True, check=False, cwd="/", **user)
    if ran.returncode and not (may_fail and "ListPage" in ran.stderr):
        raise RuntimeError(f"{method}: {ran.stderr}")
    return ran.stdout


def work_ms(daemon, ask):
    """CPU time of fmd's main thread, which handles queries."""
    def used():
        with open(f"/proc/{daemon.program.process.pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[0]) / 1e6
    took = []
    for _ in range(TRIES):
        before = used()
        ask()
        took.append(used() - before)
    return statistics.median(took)


def open_cases(bus):
    return int(call(bus, "Get", FMD[2], "OpenCases", interface="org.freedesktop.DBus.Properties").split()[-1])


def questions(bus):
    page = json.loads(call(bus, "ListPage", "cases", "{}"))
    uuid = page["items"][0]["uuid"]
    return {"ping": lambda: call(bus, "Ping", interface="org.freedesktop.DBus.Peer"),
            "open_cases": lambda: open_cases(bus),
            "page": lambda: call(bus, "ListPage", "cases", "{}"),
            "next_page": lambda: call(bus, "ListPage", "cases", json.dumps({"after": page["next"]})),
            "summaries": lambda: call(bus, "ListPage", "cases", '{"summary": true}'),
            "one": lambda: call(bus, "ListPage", "cases", json.dumps({"uuid": uuid})),
            "acknowledge": lambda: call(bus, "Acknowledge", uuid, ""),
            "status": lambda: call(bus, "GetStatus"),
            "config": lambda: call(bus, "GetConfig"),
            "odds": lambda: call(bus, "ListPage", "explanations", "{}"),
            "odds_of_case": lambda: call(bus, "ListPage", "explanations", json.dumps({"uuid": uuid})),
            # Whole lists: those that are too long are refused.
            "all_cases": lambda: call(bus, "ListCases", "{}", may_fail=True),
            "all_resources": lambda: call(bus, "ListResources", "{}", may_fail=True),
            "disks": lambda: call(bus, "ListResources", '{"type": "disk"}', may_fail=True),
            "resources_page": lambda: call(bus, "ListPage", "resources", "{}"),
            "disks_of_user": lambda: call(bus, "ListResources", '{"type": "disk"}', may_fail=True, **OTHER),
            "all_stays": lambda: call(bus, "ListBayHistory", "{}", may_fail=True),
            "stays_page": lambda: call(bus, "ListPage", "bay-history", "{}"),
            "last_stays_page": lambda: call(bus, "ListPage", "bay-history", json.dumps({"after": "hc://chassis=t/bay=99"})),
            "serd": lambda: call(bus, "ListSerd"),
            "outbox": lambda: call(bus, "ListOutbox"),
            "happenings": lambda: call(bus, "ListHappenings"),
            "actions": lambda: call(bus, "ListActions"),
            "events": lambda: call(bus, "ListEvents", "{}"),
            "plugins": lambda: call(bus, "ListPlugins"),
            "objects": lambda: call(bus, "GetManagedObjects", interface="org.freedesktop.DBus.ObjectManager", may_fail=True)}


def seconds(command, environment):
    begun = time.monotonic()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - begun


def measure(build, folder):
    tempfile.tempdir = folder
    fmadm = os.path.join(build, "ui", "cli", "fmadm")
    with Daemon(os.path.join(build, "fmd", "fmd")) as daemon:
        bus, path = own_bus.start(daemon)
        try:
            daemon.start()
            os.chmod(daemon.folder, 0o755)  # for the other user
            source = daemon.plugin("source", transient=True)
            parts = shelf()
            for first in range(0, len(parts), EACH):
                source.inventory(parts[first:first + EACH])
            for first in range(0, CASES, EACH):
                source.events([event(NOW_CLASS, f"dev://serial=TEST:{number}") for number in range(first, min(first + EACH, CASES))], seconds=600)
            settle(daemon)
            wait_for(lambda: open_cases(path) >= CASES, 600, "all cases", every=1)
            settle(daemon)
            took = {name: work_ms(daemon, ask) for name, ask in questions(path).items()}
            environment = {**os.environ, "FMD_BUS_ADDRESS": f"unix:path={path}"}
            faulty = statistics.median(seconds([fmadm, "faulty", "-s"], environment) for _ in range(5))
            memory = pss(daemon.program.process.pid)
        finally:
            bus.kill()
    with_bays = f"{CASES} open cases, {DISKS} of them with a bay"
    return [*(figure(f"cases.{name}", value, "ms", f"fmd's work for the question, {with_bays}; 5 allowed") for name, value in took.items()),
            figure("cases.faulty", faulty, "s", "fmadm faulty -s, the whole program; 1 allowed"),
            figure("cases.memory", memory, "MiB", "fmd's memory (PSS), no message composed yet; 120 allowed")]
