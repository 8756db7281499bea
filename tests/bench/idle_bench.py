"""What fmd and its plugins cost when nothing happens: memory, wake-ups, CPU and writes of each process, on a simulated host of 100
disks that all answer. Real programs with their own defaults; what the simulated host lacks (udev's events, a BMC) is listed in tests/bench/results.md."""
import os
import sys
import time

sys.dont_write_bytecode = True
TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TREE, "simulator"))

from big_stage import BigStage  # noqa: E402  (the path has to be set before)

SHELVES, BAYS = 2, 50
# Beside those that BigStage starts: what fmd-server installs, and ZFS, of which this host has none.
MORE = ("smart", "volumes", "cpu", "mail", "zfs")
# An enclosure is calm after five minutes; fmd-volumes, which has no device mapper on this host, is a case after ten.
SETTLE, SECONDS = 320, 240


def figure(name, value, unit, note):
    return {"name": name, "value": value, "unit": unit, "note": note}


def measure(build, seconds=None, settle=SETTLE):
    """Figures of each process, and of all together; the time watched is in their notes."""
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
    """Of all threads, by their own will: each is followed by a wake-up."""
    return sum(int(lines(f"/proc/{pid}/task/{task}/status")["voluntary_ctxt_switches"]) for task in os.listdir(f"/proc/{pid}/task"))


def written(pid):
    return int(lines(f"/proc/{pid}/io")["write_bytes"])
