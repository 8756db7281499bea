"""Processors of a simulated host: a box (box.py) with a trace for the kernel's machine checks, and switches that take threads
offline. Lines of the trace: include/trace/events/mce.h and include/ras/ras_event.h of Linux 6.1, as recorded.

Not simulated: the kernel removes an offline thread's topology; lines that come while nothing reads the trace are lost here."""
import errno
import os
import random
import time

from . import box
from .tree import Tree

INSTANCE = "sys/kernel/tracing/instances/fmd-cpu"
EVENTS = ("mce/mce_record", "ras/mc_event", "ras/aer_event", "ras/memory_failure_event", "ras/arm_event", "ras/extlog_mem_event",
          "ras/non_standard_event")
# MCi_STATUS (Intel SDM 3B): valid and enabled; an error in the L1 data cache, in L2, …
VALID, UNCORRECTED, MISC, ADDRESS, CORRUPT = 1 << 63 | 1 << 60, 1 << 61, 1 << 59, 1 << 58, 1 << 57
KINDS = {"cache": VALID | 0x0135, "yellow": VALID | 2 << 53 | 0x0136, "uncorrected": VALID | UNCORRECTED | CORRUPT | 0x0136,
         "bus": VALID | 0x0c0f, "memory": VALID | MISC | ADDRESS | 0x0092}
CAPABILITIES = 0x1000c14  # reports cache status, counts corrected errors, recovers
THREADS = box.SOCKETS * box.CORES * 2


def make(folder, seed):
    tree = Tree(folder)
    box.make(tree, (), random.Random(seed))
    os.unlink(tree.path("sys/devices/system/cpu/cpu0/online"))  # as on x86
    tree.put("sys/devices/system/memory", {"soft_offline_page": ""})
    tree.put("proc", {"meminfo": "MemTotal:       536870912 kB"})
    tree.put(INSTANCE, {"trace_clock": "[local] global boot", "buffer_percent": "", "buffer_size_kb": "", "tracing_on": ""})
    for event in EVENTS:
        tree.put(f"{INSTANCE}/events/{event}", {"enable": 0})
    os.mkfifo(tree.path(f"{INSTANCE}/trace_pipe"))


def trace(folder, text):
    """Writes one line of the kernel's trace."""
    line = f"          <idle>-0       [000] ..s1.  {time.clock_gettime(time.CLOCK_BOOTTIME):.6f}: {text}\n"
    try:
        pipe = os.open(os.path.join(folder, INSTANCE, "trace_pipe"), os.O_WRONLY | os.O_NONBLOCK)
    except OSError as problem:
        if problem.errno == errno.ENXIO:
            raise SystemExit("fmsim: nobody reads the trace: start fmd-cpu first") from None
        raise
    with os.fdopen(pipe, "w", encoding="ascii") as file:
        file.write(line)


def check(folder, cpu, kind, address=0x1f0000040):
    """A machine check that the kernel polls from a bank of that thread."""
    socket = cpu % (box.SOCKETS * box.CORES) // box.CORES
    misc, where = (0x86, address) if kind == "memory" else (0, 0)
    trace(folder, f"mce_record: CPU: {cpu}, MCGc/s: {CAPABILITIES:x}/0, MC1: {KINDS[kind]:016x}, IPID: {0:016x}, ADDR/MISC/SYND: "
                  f"{where:016x}/{misc:016x}/{0:016x}, RIP: 00:<{0:016x}>, TSC: {time.monotonic_ns():x}, PROCESSOR: 0:606a6, TIME: {int(time.time())}, "
                  f"SOCKET: {socket}, APIC: {cpu:x}")


def online(folder):
    """The numbers of the online threads."""
    return {cpu for cpu in range(THREADS) if cpu == 0 or _read(folder, cpu) == "1"}


def boot(folder):
    for cpu in range(1, THREADS):
        Tree(folder).put(f"sys/devices/system/cpu/cpu{cpu}", {"online": 1})


def is_there(folder):
    return os.path.exists(os.path.join(folder, INSTANCE))


def _read(folder, cpu):
    with open(os.path.join(folder, f"sys/devices/system/cpu/cpu{cpu}/online"), encoding="ascii") as file:
        return file.read(8).strip()
