"""fmd's environment: unprivileged users, the sandbox, ZED."""

import json

from scenario import scenario
from watch import Watch, nothing_cached

CHECKSUM = ("fault.fs.zfs.vdev.checksum", "ZFS-8000-GH")


@scenario("privileges", order=70, always=True)
def privileges(rig):
    """Any user may read; polkit refuses all changes by an unprivileged user; root may make them."""
    pool, m = rig.pool, rig.m
    m.corrupt_data(4, chunks=40)
    nothing_cached(rig)
    watch = Watch(rig)
    pool.scrub()
    uuid = watch.case(4, *CHECKSUM)["uuid"]
    rig.check(uuid in m.sh("fmadm faulty", user="nobody"), "the case, read by nobody")
    rig.check(m.run("fmdump -e", user="nobody").ok and m.run("fmtopo", user="nobody").ok, "nobody reads events and topology")
    rig.step("nobody can read")
    for command in (f"fmadm repaired {uuid}", f"fmadm replaced {uuid}", f"fmadm acquit {uuid}", f"fmadm ack {uuid}",
                    "fmadm locate on 'SLOT 01'", "fmadm dry-run on", "fmadm reload"):
        result = m.run(command, user="nobody")
        rig.equal(result.rc, 1, f"exit status of '{command}' as nobody ({result.out}{result.err})")
        rig.check("not authorized" in result.err.lower() or "denied" in result.err.lower(), f"the reason: {result.err}")
    rig.equal(watch.now(uuid)["acknowledged"], False, "nothing changed")
    rig.step("nobody is refused every change")
    m.sh(f"fmadm ack {uuid} 'seen'")
    rig.equal(watch.now(uuid)["acknowledged"], True, "acknowledged by root")
    for unit in rig.fmd.units():
        out = m.run(f"systemd-analyze security --no-pager {unit}", 60).out.strip().splitlines()
        rig.step(f"{unit}: {out[-1].strip(' →') if out else 'no answer'}")
    known_by_its_group(rig)


def known_by_its_group(rig):
    """A plugin that runs as root is in its own group, by which fmd identifies it."""
    m, root = rig.m, []
    for unit in rig.fmd.units():
        pid = m.sh(f"systemctl show -P MainPID {unit}").strip()
        if pid == "0" or m.sh(f"systemctl show -P User {unit}").strip():
            continue
        name = unit.removesuffix(".service")
        group = m.sh(f"getent group {name}").split(":")[2]
        rig.check(group in m.sh(f"grep ^Groups: /proc/{pid}/status").split(), f"{unit} in the group {name}")
        root.append(name)
    rig.check({"fmd-zfs", "fmd-disk", "fmd-enclosure"} <= set(root), f"plugins of root's: {root}")
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "hello", "params": {
        "name": "zfs", "version": "1", "protocol": 1, "observes": [], "commands": [], "handles": ["zfs://"], "heartbeat_ms": 10000, "transient": False}})
    said = m.sh(f"echo '{hello}' | setpriv --groups fmd-enclosure,fmd-plugins timeout 60 socat -t30 - UNIX-CONNECT:/run/fmd/plugins.sock", timeout=90)
    rig.check('may not be the plugin' in said, f"the refusal: {said}")
    rig.step(f"{', '.join(root)}: each in its group, and no other")


# Sockets of services that take orders from root.
ORDERED_BY_ROOT = ("docker.sock", "containerd/containerd.sock", "libvirt/libvirt-sock", "snapd.socket", "user/0/bus", "dbus/system_bus_socket",
                   "systemd/private")


@scenario("sandbox", order=71)
def sandbox(rig):
    """A root plugin sees only its allowed entries in /run and reconnects after fmd restarts; fmd-ipmi has no privilege."""
    m = rig.m
    for path in ORDERED_BY_ROOT:
        m.sh(f"mkdir -p $(dirname /run/{path}); [ -e /run/{path} ] || touch /run/{path}")
    m.sh("systemctl restart fmd.target", timeout=120)
    m.wait(lambda: m.run("systemctl is-active --quiet fmd fmd-zfs fmd-disk fmd-volumes").ok, 120, "fmd and its plugins started again")
    pids = {unit: m.sh(f"systemctl show -P MainPID {unit}").strip() for unit in rig.fmd.units() if unit != "fmd.service"}
    pids = {unit: pid for unit, pid in pids.items() if pid != "0"}
    root = [unit for unit in pids if not m.sh(f"systemctl show -P User {unit}").strip()]
    rig.check({"fmd-zfs.service", "fmd-disk.service", "fmd-volumes.service"} <= set(root), f"plugins of root's: {root}")
    for unit in root:
        seen = m.sh(f"nsenter -t {pids[unit]} -m ls /run /run/systemd").split()
        rig.check("fmd" in seen and "notify" in seen, f"{unit} sees fmd and systemd: {seen}")
        for path in ORDERED_BY_ROOT:
            rig.check(not m.run(f"nsenter -t {pids[unit]} -m test -e /run/{path}").ok, f"{unit} sees /run/{path}: {seen}")
        rig.check(not m.run(f"nsenter -t {pids[unit]} -m touch /run/new").ok, f"{unit} writes in /run")
    rig.step(f"{', '.join(root)}: nothing but their own in /run")
    if ipmi := pids.get("fmd-ipmi.service"):
        rig.check("CapEff:\t0000000000000000" in m.sh(f"cat /proc/{ipmi}/status"), "fmd-ipmi without a capability")
        rig.equal(m.sh(f"nsenter -t {ipmi} -n ls /sys/class/net").split(), ["lo"], "fmd-ipmi's network")
    for unit in (unit for unit in pids if unit in ("fmd-mail.service", "fmd-snmp.service", "fmd-ipmi.service")):
        rig.check(" 0 " in m.sh(f"grep 'Max core file size' /proc/{pids[unit]}/limits"), f"{unit} leaves no core file")
    m.sh("systemctl stop fmd; systemctl start fmd", timeout=120)
    def connected():
        plugins = {plugin["name"] for plugin in rig.fmd.json("fmstat --json") if plugin["connected"]}
        return {unit.removeprefix("fmd-").removesuffix(".service") for unit in root} <= plugins
    m.wait(connected, 120, lambda: "the plugins back after fmd was stopped\n" + m.run("fmstat; ls -ld /run/fmd").out)
    rig.equal({unit: m.sh(f"systemctl show -P MainPID {unit}").strip() for unit in root}, {unit: pids[unit] for unit in root}, "no plugin began anew")


@scenario("zed", order=80)
def zed(rig):
    """Debian's zfs-zed runs alongside: one spare is used, one case, and fmd reports ZED."""
    pool, m = rig.pool, rig.m
    m.corrupt_data(4, chunks=30)
    pool.prefetch(False)
    nothing_cached(rig)
    m.sh("systemctl unmask zfs-zed; systemctl start zfs-zed", timeout=60)
    watch = Watch(rig)
    m.wait(lambda: "zed" in m.sh("fmadm config").lower(), 150, "fmadm config to say that zed runs", every=1)
    pool.read_all()
    watch.case(4, *CHECKSUM)
    m.wait(lambda: [v.state for v in pool.status().spares] == ["INUSE"], 60, lambda: f"the spare in\n{pool.status()}")
    m.wait(lambda: pool.state(4) == "FAULTED", 330, lambda: f"slot 4 out of service\n{pool.status()}\n" + m.run("fmadm faulty -v").out)
    status = pool.status()
    rig.equal(status.text.count("spare-"), 1, "spare pairs")
    watch.untouched(1, 2, 3, 5, 6)
    rig.equal(len(watch.solved(True)), 1, "cases ever")
    watch.told_exactly(2, 2)  # the second: safe to pull
    m.run("systemctl stop zfs-zed")
