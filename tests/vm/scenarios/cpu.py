"""Processors, memory and PCIe: QEMU injects machine checks into the processor's banks, and fmd reacts."""

import json

from scenario import scenario
from watch import Watch

# MCi_STATUS, valid and enabled, with an address: a data read in the L1 cache; a read of memory on channel 2.
CACHE, MEMORY = 0x9400000000000135, 0x9400000000000092
YELLOW = 0x9440000000000136  # a data read in the L2 cache; [54:53] = 2 (yellow): more lines had errors than the maker's threshold
FATAL = 0xbe00000000000135  # the same data read, uncorrected, processor context corrupt
OFFLINE = "/sys/devices/system/cpu/offline"

# A program that prints the address of one of its pages and checks the page's contents on request.
HOLDER = r"""
import mmap, struct, time
page = mmap.mmap(-1, 4096)
page[:5] = b"fmdpg"
import ctypes
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
with open("/proc/self/pagemap", "rb") as file:
    file.seek(address // 4096 * 8)
    frame = struct.unpack("<Q", file.read(8))[0] & (1 << 55) - 1
print(f"{frame << 12:#x}", flush=True)
open("/run/held", "w").write(f"{frame << 12:#x}")
while True:
    time.sleep(1)
    open("/run/holds", "w").write("yes" if page[:5] == b"fmdpg" else "no")
"""


def inject(rig, status, address, cpu=1):
    rig.m.qmp("human-monitor-command", **{"command-line": f"mce {cpu} 3 {status:#x} 0x0 {address:#x} 0x0"})


def heard(rig, event_class):
    return rig.m.run(f"fmdump -e -c {event_class}").out.count(event_class)


def in_words(rig):
    return rig.m.run("fmadm faulty; fmdump -e | tail -5; journalctl -b -u fmd-cpu -n 20 --no-pager; dmesg | tail -5").out


def inject_each(rig, status, address, event_class, times, cpu=1):
    """Injects one at a time: the bank holds one error, and the kernel polls once a second."""
    before = heard(rig, event_class)
    for number in range(1, times + 1):
        inject(rig, status, address, cpu)
        rig.m.wait(lambda number=number: heard(rig, event_class) >= before + number, 60,
                   lambda number=number: f"error {number} to be heard\n{in_words(rig)}", every=1)


def poll_often(rig):
    rig.m.sh("echo 1 > /sys/devices/system/machinecheck/machinecheck0/check_interval")


def wait_offline(rig, wanted):
    rig.m.wait(lambda: rig.m.read(OFFLINE).strip() == wanted, 60, lambda: f"'{wanted}' to be offline\n{in_words(rig)}", every=1)


@scenario("cpu-core", order=92, timeout=900, always=True)
def cpu_core(rig):
    """With corrected = "offline", the 18th corrected cache error takes a core offline, also after a reboot, until 'fmadm repaired'."""
    watch = Watch(rig)
    rig.fmd.enable()
    # Debian 13's kernel hides corrected memory errors from EDAC (RAS_CEC); Debian 12's does not.
    processor = json.loads(rig.m.sh("fmtopo --json cpu://socket=0"))[0]["properties"]
    rig.equal(processor["collector"], "active" if rig.m.debian == "13" else "none", "collector")
    rig.equal("(RAS_CEC) is active" in " ".join(rig.m.run("fmadm status").out.split()), rig.m.debian == "13", "fmadm status tells of the collector")
    poll_often(rig)
    rig.m.sh("echo 'corrected = \"offline\"' >> /etc/fmd/cpu.toml && systemctl restart fmd-cpu")
    inject_each(rig, CACHE, 0x12345000, "ereport.cpu.cache", 3)
    rig.equal(watch.solved(), [], "cases after three errors")
    inject_each(rig, CACHE, 0x12345000, "ereport.cpu.cache", 14)
    case = rig.m.wait(watch.solved, 30, lambda: f"a case\n{in_words(rig)}", every=1)[0]
    rig.equal(case["severity"], "Minor", "the case of corrected errors")
    wait_offline(rig, "")
    inject_each(rig, CACHE, 0x12345000, "ereport.cpu.cache", 1)
    case = rig.m.wait(lambda: [c for c in watch.solved() if c["severity"] == "Major"], 30, lambda: f"a case\n{in_words(rig)}", every=1)[0]
    suspect = case["suspects"][-1]
    rig.equal((suspect["class"], suspect["asru"], suspect["fru"]),
              ("fault.cpu.cache", "cpu://socket=0/core=1", "cpu://socket=0"), "suspect")
    wait_offline(rig, "1")
    watch.wait_action(case["uuid"], "retire", "done")
    rig.check(any(name in rig.mail.wait(1, 30)[0]["body"] for name in ("core 1 of CPU", "CPU 0 core 1")), "the core in the mail")
    rig.step("offline; reboot")
    rig.reboot()
    wait_offline(rig, "1")
    rig.equal([c["uuid"] for c in watch.cases()], [case["uuid"]], "open cases after the reboot")
    rig.m.sh("fmadm repaired cpu://socket=0/core=1")
    wait_offline(rig, "")
    rig.m.wait(lambda: watch.now(case["uuid"])["state"] == "RESOLVED", 30, lambda: f"the end\n{in_words(rig)}", every=1)


@scenario("cpu-yellow", order=93, timeout=1200, full=True)
def cpu_yellow(rig):
    """One yellow status (a worn-out cache) takes all CPUs that share the cache offline, but never CPU 0.
    Without the capability (MCG_CAP[11]) the status is ignored. On an Intel processor of two cores with two threads each."""
    watch, was = Watch(rig), (rig.m.processor, rig.m.cpus)
    rig.m.processor, rig.m.cpus = rig.m.processor + ",vendor=GenuineIntel", "4,sockets=1,cores=2,threads=2"
    try:
        rig.fmd.enable()
        rig.reboot()
        watch.wait_ready()
        shared = "/sys/devices/system/cpu/cpu3/cache/index2/shared_cpu_list"
        rig.equal((rig.m.sh("grep -m 1 -o GenuineIntel /proc/cpuinfo").strip(), rig.m.read(shared).strip()), ("GenuineIntel", "2-3"), "processor")
        poll_often(rig)
        inject_each(rig, YELLOW, 0x12345000, "ereport.cpu.cache", 1, cpu=3)
        rig.equal(watch.cases(), [], "cases of a processor that does not give that status")
        rig.m.sh("modprobe tespcap")
        inject_each(rig, YELLOW, 0x12345000, "ereport.cpu.cache", 1, cpu=3)
        case = rig.m.wait(watch.solved, 30, lambda: f"a case\n{in_words(rig)}", every=1)[0]
        rig.equal([(s["class"], s["asru"], s["fru"]) for s in case["suspects"]],
                  [("fault.cpu.cache-yellow", "cpu://socket=0/core=1", "cpu://socket=0")], "suspects")
        rig.step(case["description"])
        wait_offline(rig, "2-3")
        watch.wait_action(case["uuid"], "retire", "done")
        rig.m.sh("fmadm repaired cpu://socket=0/core=1")
        wait_offline(rig, "")
        rig.m.wait(lambda: watch.now(case["uuid"])["state"] == "RESOLVED", 30, lambda: f"the end\n{in_words(rig)}", every=1)
        rig.step("back; the same of CPU 0")
        inject_each(rig, YELLOW, 0x12345000, "ereport.cpu.cache", 1, cpu=0)
        case = rig.m.wait(watch.solved, 30, lambda: f"a case\n{in_words(rig)}", every=1)[0]
        refused = watch.wait_action(case["uuid"], "retire", "refused")["detail"]
        rig.check("cpu0" in refused, f"why it was refused: {refused}")
        wait_offline(rig, "")
    finally:
        rig.m.processor, rig.m.cpus = was


@scenario("fatal-check", order=93, timeout=1200, full=True)
def fatal_check(rig):
    """A fatal machine check is reported after the next boot, from the firmware's record: core, bank and error.
    Later boots do not report it again."""
    watch = Watch(rig)
    rig.m.keeps_records = True
    try:
        rig.fmd.enable()
        rig.reboot()
        rig.equal(rig.m.read("/sys/module/pstore/parameters/backend").strip(), "erst", "pstore's backend")
        watch.wait_ready()
        rig.m.qmp("human-monitor-command", **{"command-line": f"mce 1 3 {FATAL:#x} 0x5 0x12345000 0x86"})
        rig.m.wait(lambda: "Kernel panic" in console(rig), 120, lambda: f"the kernel to panic\n{console(rig)[-2000:]}", every=1)
        rig.step("the kernel stopped; power off and on")
        rig.m.crash()
        for sink in (rig.mail, rig.traps):
            sink.start()
        case = rig.m.wait(watch.solved, 240, lambda: f"a case\n{in_words(rig)}\n{rig.m.run('find /sys/fs/pstore /var/lib/systemd/pstore').out}", every=2)[0]
        rig.equal((case["class"], case["suspects"][0]["asru"]), ("fault.cpu.crash", "cpu://socket=0/core=1"), "case")
        rig.step(case["description"])
        rig.check("bank 3" in case["description"] and "CPU 1" in case["description"], case["description"])
        wait_offline(rig, "1")
        rig.reboot()
        watch.wait_ready()
        rig.m.sh("sleep 20")
        rig.equal([c["uuid"] for c in watch.solved(True)], [case["uuid"]], "told once")
        rig.m.sh("fmadm repaired cpu://socket=0/core=1")
        wait_offline(rig, "")
    finally:
        rig.m.keeps_records = False


def console(rig):
    with open(rig.m.console, errors="replace", encoding="utf-8") as file:
        return file.read()


@scenario("hardware-errors", order=93, timeout=600, full=True)
def hardware_errors(rig):
    """A memory page with errors is retired and its contents are kept, even if the kernel's collector hides the errors from EDAC.
    A failed PCIe link is named with its device or port; CPU 0 stays online."""
    watch = Watch(rig)
    poll_often(rig)
    rig.m.write("/run/hold.py", HOLDER)
    rig.m.sh("systemd-run -q --unit=fmd-test-holder python3 /run/hold.py")
    rig.m.wait(lambda: rig.m.run("cat /run/holds").out.strip() == "yes", 60, "a page to be held", every=1)
    address = int(rig.m.read("/run/held"), 16)
    inject_each(rig, MEMORY, address | 0x40, "ereport.memory.page", 3)
    case = rig.m.wait(watch.solved, 30, lambda: f"a case\n{in_words(rig)}", every=1)[0]
    rig.equal((case["class"], case["suspects"][0]["asru"]), ("fault.memory.page", f"mem://page={address:x}"), "case")
    watch.wait_action(case["uuid"], "retire", "done")
    rig.step(rig.m.sh("grep HardwareCorrupted /proc/meminfo; cat /sys/kernel/debug/ras/cec/action_threshold 2>&1; true"))
    rig.check("    4 kB" in rig.m.sh("grep HardwareCorrupted /proc/meminfo"), "4 KiB given up")
    rig.m.sh("rm /run/holds")
    rig.m.wait(lambda: rig.m.run("cat /run/holds").out.strip() == "yes", 60, "its contents to be there still", every=1)
    rig.m.sh(f"fmadm acquit {case['uuid']}")
    rig.m.wait(lambda: not watch.cases(), 30, lambda: f"the end\n{in_words(rig)}", every=1)

    rig.m.qmp("human-monitor-command", **{"command-line": "pcie_aer_inject_error port11 DLP"})
    case = rig.m.wait(watch.solved, 60, lambda: f"a case\n{in_words(rig)}", every=1)[0]
    rig.equal(case["class"], "fault.io.pci.fatal", "class")
    rig.step(case["description"])
    rig.check("Data Link Protocol" in case["description"] and "slot 11" in case["description"], case["description"])
