"""The kernel's simulated SCSI disk, scsi_debug, reached through one or several hosts."""

DEBUG = "/sys/bus/pseudo/drivers/scsi_debug"
MEDIUM, TIMEOUT, TRANSPORT = 2, 4, 0x10  # scsi_debug's opts
SCSI_SECONDS = 2  # the kernel's timeouts for a command (default 30 s) and for error recovery (10 s)


class Debug:
    """The disk of scsi_debug."""

    def __init__(self, rig, hosts):
        self.rig, self.m = rig, rig.m
        self.m.sh(f"modprobe scsi_debug dev_size_mb=64 vpd_use_hostno=0 statistics=1 add_host={hosts} && udevadm settle")
        self.names = self.m.sh(f"ls {DEBUG}/*/host*/target*/*/block").split()
        self.names = sorted(n for n in self.names if n.startswith("sd"))
        rig.equal(len(self.names), hosts, "its device names")
        for name in self.names:
            self.m.sh(f"for which in timeout eh_timeout; do echo {SCSI_SECONDS} > /sys/block/{name}/device/$which; done")
        rig.m.wait(lambda: self.resource(), 60, "fmd to know it", every=1)
        self.fmri = self.resource()["fmri"]

    def resource(self):
        return next((r for r in self.rig.fmd.json("fmtopo --json")
                     if r["type"] == "disk" and r["present"] and r["properties"].get("model") == "scsi_debug"), None)

    def misbehave(self, opts):
        self.m.sh(f"echo {opts:#x} > {DEBUG}/opts; echo {1 if opts not in (0, MEDIUM) else 0} > {DEBUG}/every_nth")

    def reading(self, name, sector, times=1):
        """A job that reads one sector this many times, 1.5 s apart."""
        return self.m.start_job(f"for i in $(seq {times}); do dd if=/dev/{name} of=/dev/null bs=512 skip={sector} count=8 iflag=direct "
                                "2>/dev/null; sleep 1.5; done", timeout=300)

    def read(self, name, sector, times, opts):
        """Reads while the disk misbehaves."""
        self.misbehave(opts)
        self.reading(name, sector, times).wait(300)
        self.misbehave(0)
