"""Cost of idle fmd and plugins: memory, wake-ups, CPU and writes of each process, on a simulated host of 100 healthy disks. Real programs
with default settings; tests/bench/results.md lists what the simulated host lacks (udev events, a BMC)."""
import os
import sys
import time

sys.dont_write_bytecode = True
TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TREE, "simulator"))

from big_stage import BigStage  # noqa: E402  (the path has to be set before)

SHELVES, BAYS = 2, 50
# Besides BigStage's own: the plugins that fmd-server installs, and ZFS, which this host does not use.
MORE = ("smart", "volumes", "cpu", "mail", "zfs")
# Seconds. An enclosure is calm after five minutes; fmd-volumes becomes a case after ten, since this host has no device mapper.
SETTLE, SECONDS = 320, 240


def figure(name, value, unit, note):
    return {"name": name, "value": value, "unit": unit, "note": note}


def measure(build, seconds=None, settle=SETTLE):
    """Figures of each process and the total; their notes have the duration."""
    seconds = seconds or SECONDS
    with BigStage(build, {"shelves": SHELVES, "bays": BAYS}) as stage:
        stage.look()
        for name in MORE:
            if stage.is_built(name):
                stage.start_plugin(name)
        stage.settle()
        time.sleep(settle)
        before = counts(stage)
        time.sleep(seconds)
        after = counts(stage)
    figures, total = [], {}
    for name in before:
        for what, unit, note, value in (
                ("memory", "MiB", "its own share of what it has mapped (PSS)", after[name]["pss"] / 2**20),
                ("wake-ups", "1/s", "times a thread of it began to run", (after[name]["switches"] - before[name]["switches"]) / seconds),
                ("cpu", "%", "of one core, with its children", 100 * (after[name]["cpu"] - before[name]["cpu"]) / seconds),
                ("children", "%", "of that, its children: looks, and the programs that it runs",
                 100 * (after[name]["children"] - before[name]["children"]) / seconds),
                ("written", "KiB", f"handed to the disk in {seconds} s", (after[name]["written"] - before[name]["written"]) / 1024)):
            figures.append(figure(f"idle.{what}.{name}", value, unit, note))
            total[what] = total.get(what, 0) + value
    allowed = {"memory": ("MiB", 30), "wake-ups": ("1/s", 2), "cpu": ("%", 0.1), "written": ("KiB", 0)}
    return figures + [figure("idle.children", total["children"], "%", "of the processor's time below, that of all their children")] + [
        figure(f"idle.{what}", total[what], unit, f"all together; the aim is {aim}") for what, (unit, aim) in allowed.items()]


def counts(stage):
    cpu = stage.cpu_seconds()
    return {name: {"cpu": cpu[name], "children": stage.child_seconds()[name], "pss": pss(pid), "switches": switches(pid), "written": written(pid)}
            for name, pid in ((name, stage.programs[name].process.pid) for name in cpu) if name.startswith("fmd")}


def lines(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return dict(line.split(":", 1) for line in file if ":" in line)


def pss(pid):
    return int(lines(f"/proc/{pid}/smaps_rollup")["Pss"].split()[0]) << 10


def switches(pid):
    """Voluntary context switches of all threads: each is followed by a wake-up."""
    return sum(int(lines(f"/proc/{pid}/task/{task}/status")["voluntary_ctxt_switches"]) for task in os.listdir(f"/proc/{pid}/task"))


def written(pid):
    return int(lines(f"/proc/{pid}/io")["write_bytes"])
