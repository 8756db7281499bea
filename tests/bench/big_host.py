"""Measures how long fmd takes to know a host of 1,000 disks in 20 shelves and at what cost, and how long a sweep over all their SMART
data takes while ten of them hang. Real fmd and plugins; the host is simulated (simulator/host/shelves.py)."""
import os
import subprocess
import sys
import time

sys.dont_write_bytecode = True
TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TREE, "simulator"))

from big_stage import BigStage  # noqa: E402  (the path has to be set before)

SHELVES, BAYS = 20, 50
INVENTORY_SECONDS = 2.0  # the target
# Seconds per query (typical of a SAS disk), queries in parallel, deadline in seconds, hung disks.
SLOW, AT_ONCE, DEADLINE, HUNG = 0.2, 16, 10, 10


def figure(name, value, unit, note):
    return {"name": name, "value": value, "unit": unit, "note": note}


def measure(build, shelves=SHELVES, bays=BAYS):
    smart = f'at_once = {AT_ONCE}\ndeadline = "{DEADLINE}s"\nrescan = "1h"\n'
    with BigStage(build, {"shelves": shelves, "bays": bays}, files={"smart.toml": smart}) as stage:
        figures = inventory(stage)
        if stage.is_built("smart"):
            figures += sweep(stage)
        return figures


def inventory(stage):
    disks = len(stage.host.disks)
    before = stage.cpu_seconds()["fmd"]
    seconds = stage.look()
    stage.settle()
    cpu, peak = stage.cpu_seconds(), stage.peak_bytes()
    cpu["fmd"] -= before
    figures = [figure("host.inventory", seconds, "s", f"from the plugins' start until fmd knows {disks} disks in their bays"),
               figure("host.inventory-share", seconds / INVENTORY_SECONDS, "ratio", f"of the {INVENTORY_SECONDS:g} s allowed")]
    for name in ("fmd", *(f"fmd-{plugin}" for plugin in stage.lookers)):
        figures += [figure(f"host.cpu.{name}", cpu[name], "s", "CPU until all was known and quiet"),
                    figure(f"host.memory.{name}", peak[name] / 2**20, "MiB", "most it had")]
    serial = next(iter(stage.host.disks.values()))["serial"]
    calls = {"fmtopo": (), "fmtopo-V": ("-V",), "fmtopo-json": ("--json",), "fmtopo-one": (serial,)}
    return figures + [asked(stage, name, *arguments) for name, arguments in calls.items()]


def asked(stage, name, *arguments):
    """Measures only the command line's CPU; the daemon's part is small in comparison."""
    before = os.times()
    ran = stage.run("fmtopo", *arguments, timeout=120)
    after = os.times()
    if ran.returncode or not ran.stdout:
        raise RuntimeError(f"fmtopo {arguments}: {ran.stderr}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return figure(f"host.cpu.{name}", cpu, "s", f"CPU of a call; it prints {ran.stdout.count(chr(10))} lines")


def sweep(stage):
    """The first poll of all disks, ten of which never answer."""
    disks = stage.host.disks
    places = sorted(disks)
    hung = set(places[::len(places) // HUNG][:HUNG])
    for place in places:
        stage.host.smart(place, [("hang", "on")] if place in hung else [("slow", SLOW)])
    one = seconds_of_one(stage, next(place for place in places if place not in hung))
    good = len(places) - HUNG
    allowed = 2 * DEADLINE + good * one / AT_ONCE
    before = stage.cpu_seconds()["fmd"]
    begun = time.monotonic()
    stage.start_plugin("smart")
    # Query fmd rarely: each query takes fmd time that is not part of the sweep.
    stage.wait(lambda: swept(stage) >= len(places), 20 * allowed, lambda: f"a sweep; {swept(stage)} so far", every=0.5)
    seconds = time.monotonic() - begun
    states = [r["properties"].get("smart.state") for r in stage.query({"type": "disk"})]
    if states.count("hung") < HUNG:
        raise RuntimeError(f"{HUNG} disks hang, and {states.count('hung')} are taken for it: this measures nothing")
    return [figure("host.sweep", seconds, "s", f"SMART of {len(places)} disks, {HUNG} hung, {AT_ONCE} at once, {one:.2f} s a good one"),
            figure("host.sweep-share", seconds / allowed, "ratio", f"of the {allowed:.1f} s allowed: the good ones' sum / {AT_ONCE} "
                                                                  f"+ 2 deadlines of {DEADLINE} s"),
            figure("host.sweep-late", states.count("hung") - HUNG, "disks", "good ones that missed the deadline: a busy machine"),
            figure("host.cpu.sweep.fmd", stage.cpu_seconds()["fmd"] - before, "s", "CPU of fmd for the sweep"),
            figure("host.cpu.sweep.fmd-smart", stage.cpu_seconds()["fmd-smart"], "s", "CPU with that of its smartctls"),
            figure("host.memory.fmd-smart", stage.peak_bytes()["fmd-smart"] / 2**20, "MiB", "most it had")]


def seconds_of_one(stage, place, rounds=10):
    """Duration of one successful smartctl by itself."""
    device = stage.host.disks[place]["names"][0]
    begun = time.monotonic()
    for _ in range(rounds):
        subprocess.run([os.path.join(stage.host.folder, "bin", "smartctl"), "-j", "-x", f"/dev/{device}"], check=True,
                       stdout=subprocess.DEVNULL, env={"FMD_HOST_ROOT": stage.host.folder, "PATH": "/usr/bin:/bin"})
    return (time.monotonic() - begun) / rounds


def swept(stage):
    return sum(1 for r in stage.query({"type": "disk"}) if r["properties"].get("smart.state") in ("observed", "hung"))
