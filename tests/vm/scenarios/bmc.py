"""A BMC in the machine, queried in-band: the host's ipmi_sim behind QEMU's KCS interface."""

import os
import sys

from scenario import scenario
from watch import Watch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib"))

import bmc as real  # noqa: E402
from ports import free_port  # noqa: E402

FAN2, SUPPLY2 = 0x42, 0x62
OFTEN = 'interval = "3s"\nconfirm = "1s"\n'
KIPMI_AT_MOST = 0.10  # share of one emulated processor, on a busy host
FAN, SUPPLY = "fault.chassis.device.fan.fail", "fault.chassis.device.psu.fail"


def in_words(rig):
    return rig.m.run("fmadm ipmi; fmadm faulty; fmdump -e | tail -5; journalctl -b -u fmd-ipmi -n 20 --no-pager; ls -l /dev/ipmi0").out


def one_case(rig, watch, fault, known):
    rig.m.wait(lambda: [c for c in watch.solved() if c["class"] == fault], 240, lambda: f"{fault}\n{in_words(rig)}", every=2)
    new = [c for c in watch.solved(True) if c["uuid"] not in known]
    rig.equal([c["class"] for c in new], [fault], "new cases")
    known.add(new[0]["uuid"])
    return new[0]


def with_controller(rig, what):
    """Runs what(rig, controller) on a machine that has this BMC from its next boot on."""
    port = free_port()
    folder = os.path.join(rig.m.folder, "bmc")
    os.makedirs(folder, exist_ok=True)
    controller = real.Bmc(folder, serial=port).start()
    rig.m.bmc_port = port
    try:
        what(rig, controller)
    finally:
        rig.m.bmc_port = None
        controller.stop()


@scenario("bmc", order=94, timeout=1200, full=True)
def in_band(rig):
    """A failed fan and a failed power supply reported by the BMC become one case each, which closes on recovery.
    The case names the right part, and after a reboot old log entries are not reported again."""
    with_controller(rig, play)


@scenario("bmc-gently", order=95, timeout=1200, full=True)
def gently(rig):
    """Measures the CPU time of kipmi0 at fmd-ipmi's default interval.
    For a BMC interface without an interrupt this kernel thread polls for each byte, and spins while it waits."""
    with_controller(rig, measure)


def play(rig, controller):
    watch = Watch(rig)
    rig.fmd.enable()
    rig.fmd.configure("ipmi.toml", OFTEN)
    rig.step("a BMC is put in; the machine starts")
    rig.reboot()
    rig.m.wait(lambda: "PS1 Status" in rig.m.run("fmadm ipmi").out, 240, lambda: f"the BMC's sensors\n{in_words(rig)}", every=2)
    known = {c["uuid"] for c in watch.solved(True)}
    controller.value(FAN2, 2)
    fan = one_case(rig, watch, FAN, known)
    rig.equal((fan["suspects"][0]["resource"].rsplit("/", 1)[1], "FAN2" in fan["description"]), ("fan=ipmi2", True), "the fan")
    controller.state(SUPPLY2, 1)
    supply = one_case(rig, watch, SUPPLY, known)
    rig.equal(supply["suspects"][0]["serial"], "P920PCF21", "the supply's serial number")
    rig.step("a fan and a supply failed; the machine restarts")
    rig.reboot()
    rig.m.wait(lambda: "PS1 Status" in rig.m.run("fmadm ipmi").out, 240, lambda: f"the BMC's sensors\n{in_words(rig)}", every=2)
    rig.equal({c["uuid"] for c in watch.solved()} & {fan["uuid"], supply["uuid"]}, {fan["uuid"], supply["uuid"]}, "open cases")
    controller.value(FAN2, 56)
    controller.state(SUPPLY2, 1, False)
    for case in (fan, supply):
        rig.m.wait(lambda case=case: watch.now(case["uuid"])["state"] == "RESOLVED", 240,
                   lambda case=case: f"the end of {case['class']}\n{in_words(rig)}", every=2)
    rig.equal({c["uuid"] for c in watch.solved(True)}, known, "no case but these")


def measure(rig, _controller):
    rig.fmd.enable()
    rig.m.write("/etc/modprobe.d/kipmi.conf", "options ipmi_si force_kipmid=1\n")
    rig.step("a BMC is put in; the machine starts")
    rig.reboot()
    thread = rig.m.wait(lambda: rig.m.run("pgrep -x kipmi0").out.strip(), 60, lambda: f"kipmi0\n{in_words(rig)}")

    def spent():
        """Uptime and CPU time of the thread, in seconds."""
        uptime, stat = rig.m.sh(f"cut -d' ' -f1 /proc/uptime; cat /proc/{thread}/stat").split("\n")[:2]
        user, system = stat.rpartition(")")[2].split()[11:13]
        return float(uptime), (int(user) + int(system)) / 100

    rig.m.wait(lambda: "PS1 Status" in rig.m.run("fmadm ipmi").out, 240, lambda: f"the BMC's sensors\n{in_words(rig)}", every=2)
    began, before = spent()
    until = began + 150  # five polls
    rig.m.wait(lambda: spent()[0] >= until, 300, "two and a half minutes", every=10)
    ended, after = spent()
    share = (after - before) / (ended - began)
    rig.step(f"kipmi0 ran {after - before:.2f} s in {ended - began:.0f} s: {share:.2%} of one processor")
    rig.check(share < KIPMI_AT_MOST, f"kipmi0 takes less than {KIPMI_AT_MOST:.0%} of one processor")
