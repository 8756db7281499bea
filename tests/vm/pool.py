"""The ZFS pool of the test machine and the operations on it."""

import zpool
from machine import PATIENCE, quote


class Pool:
    """A pool on the disks of some slots. Does not exist before create()."""

    def __init__(self, machine, name="tank"):
        self.m = machine
        self.name = name
        self._seen = 0  # id of the last event before forget_events()

    # --- creating and filling -----------------------------------------------

    def create(self, slots=range(1, 7), spare=7, layout="raidz2", options=""):
        """layout: as in zpool create; "" for disks without redundancy. spare: a slot, or None."""
        disks = " ".join(self.m.disks[slot].by_id for slot in slots)
        spares = f"spare {self.m.disks[spare].by_id}" if spare else ""
        # On a busy host udev may create the partitions later than zpool waits (30 s: "failed to detect device partitions"), or their
        # links later than the kernel waits (1 s, zfs_vdev_open_timeout_ms: "currently unavailable"). For existing partitions it deletes
        # the old links first, which may take seconds longer.
        bare = "".join(f"wipefs -qaf {disk}-part* {disk}; " for disk in f"{disks} {self.m.disks[spare].by_id if spare else ''}".split())
        self.m.run(f"{bare} udevadm settle", timeout=PATIENCE)
        self.m.sh(f"create() {{ zpool create -f -O compression=off -O atime=off {options} "
                  f"{quote(self.name)} {layout} {disks} {spares}; }}; "
                  "create || { udevadm settle; create; } || { sleep 5; udevadm settle; create; }", timeout=2 * PATIENCE)

    def fill(self, mb=48, file_mb=4):
        """Writes incompressible random data in files of file_mb. All of it is on disk when this returns."""
        where = quote("/" + self.name)
        self.m.sh(f"head -c {file_mb}M /dev/urandom > /dev/shm/seed && "
                  f"for i in $(seq {max(1, mb // file_mb)}); do cp /dev/shm/seed {where}/file$i || exit; done; "
                  f"rm /dev/shm/seed; zpool sync {quote(self.name)}", timeout=PATIENCE)

    def destroy(self):
        """Destroys the pool if it exists."""
        self.m.run(f"zpool destroy -f {quote(self.name)}", timeout=PATIENCE)

    # --- state --------------------------------------------------------------

    def exists(self):
        return self.m.run(f"zpool list -H -o name {quote(self.name)}").ok

    def status(self, guids=False):
        """A zpool.Status: .state .scan .vdevs .spares .slot(n) .vdev(disk); with the vdevs' guids only on request, since they need a
        second zpool(8)."""
        name = quote(self.name)
        result = self.m.sh(f"zpool status -pP {name}" + (f" && echo =====GUIDS && zpool status -pg {name}" if guids else ""))
        with_paths, _, with_guids = result.partition("=====GUIDS\n")
        return zpool.parse_status(with_paths, with_guids, self.m.all_disks)

    def state(self, slot):
        """The state of the vdev on this slot's disk: "ONLINE", ..."""
        vdev = self.status().slot(slot)
        return vdev.state if vdev else None

    def wait_state(self, slot, state, timeout=60):
        return self.m.wait(lambda: self.state(slot) == state, timeout,
                           lambda: f"slot {slot} to be {state}\n{self.status()}", every=1)

    def wait_scan(self, timeout=PATIENCE):
        """Waits until no scrub or resilver runs; returns the Status."""
        def ended():
            status = self.status()
            return status if not status.scanning and "replacing-" not in status.text else None
        return self.m.wait(ended, timeout, lambda: f"the scan to end\n{self.status()}", every=1)

    # --- events ---------------------------------------------------------------

    def events(self, cls="", slot=None):
        """The kernel's events since forget_events(), oldest first: those whose class begins with cls, and of this slot's disk if given
        (see zpool.Event)."""
        found = zpool.parse_events(self.m.sh("zpool events -v", timeout=PATIENCE), self.m.all_disks)
        disk = self.m.disks.get(slot)
        return [e for e in found if e.eid > self._seen and e.cls.startswith(cls) and (slot is None or e.disk is disk)]

    def ereports(self, slot=None, kind=""):
        """Ereports, optionally of one kind: "checksum", "io", "probe_failure"; without those of an import, which are no fault and which
        fmd ignores."""
        return [e for e in self.events(f"ereport.fs.zfs.{kind}", slot) if not e["pool_context"]]

    def clear_events(self):
        """Clears the kernel's events. Not while fmd runs: it would miss them."""
        self.m.sh("zpool events -c")
        self._seen = 0

    def forget_events(self):
        """Makes events() and ereports() skip all events so far."""
        self._seen = 0  # the machine may have been restored since
        self._seen = max((e.eid for e in self.events()), default=0)

    # --- operations ---------------------------------------------------------

    def export(self):
        self.m.sh(f"zpool export {quote(self.name)}", timeout=PATIENCE)

    def import_(self):
        self.m.sh(f"zpool import -d /dev/disk/by-id {quote(self.name)}", timeout=PATIENCE)

    def reimport(self):
        """Empties the cache, so that the next reads come from disk."""
        self.export()
        self.import_()

    def scrub(self, wait=False, timeout=PATIENCE):
        """Starts a scrub. wait: until it ends; returns the Status then."""
        self.m.sh(f"zpool scrub {quote(self.name)}")
        return self.wait_scan(timeout) if wait else None

    def prefetch(self, on):
        """Off: every read is a demand read and reports checksum errors. On: most reads are prefetched and repaired silently."""
        self.m.sh(f"echo {int(not on)} > /sys/module/zfs/parameters/zfs_prefetch_disable")

    def read_all(self, timeout=PATIENCE):
        """Starts reading all files; returns a Job. Call reimport() first."""
        return self.m.start_job(f"cat {quote('/' + self.name)}/* > /dev/null", timeout)

    def clear(self):
        self.m.sh(f"zpool clear {quote(self.name)}")

    def touch(self):
        """A small write to every disk, by which ZFS notices that one has been pulled."""
        self.m.sh(f"date +%N > {quote('/' + self.name)}/touched && zpool sync {quote(self.name)}", timeout=PATIENCE)
