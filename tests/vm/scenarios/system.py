"""fmd among others: unprivileged users, the sandbox, ZED."""

import json

from scenario import scenario
from watch import Watch, nothing_cached

CHECKSUM = ("fault.fs.zfs.vdev.checksum", "ZFS-8000-GH")


@scenario("privileges", order=70, always=True)
def privileges(rig):
    """Anybody reads; polkit refuses an unprivileged user every change; root may."""
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
    """A plugin that runs as root is in its group, and to fmd who is in that is no other plugin."""
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


@scenario("zed", order=80)
def zed(rig):
    """zfs-zed as Debian ships it runs too: one spare used, one case, and fmd says so."""
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
    watch.told_exactly(2, 2)  # the second: it can be pulled
    m.run("systemctl stop zfs-zed")
