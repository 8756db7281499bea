"""`zpool status` of OpenZFS 2.1.11: zpool-status-created.txt, zpool-pulled.txt, zpool-replace.txt, zed-scrub-1-status.txt,
zed-read-noprefetch-status.txt, disk-io-errors.txt. The texts for an offline disk, one that cannot be opened, and an unavailable pool
were not recorded, but have the same form."""
import os
import time

from . import scans, vdevs

TEXTS = {  # condition: (status, action, see)
    "resilver": ("One or more devices is currently being resilvered.  The pool will\n"
                 "\tcontinue to function, possibly in a degraded state.",
                 "Wait for the resilver to complete.", None),
    "corrupt": ("One or more devices has experienced an error resulting in data\n"
                "\tcorruption.  Applications may be affected.",
                "Restore the file in question if possible.  Otherwise restore the\n\tentire pool from backup.",
                "ZFS-8000-8A"),
    "faulted": ("One or more devices are faulted in response to persistent errors.\n"
                "\tSufficient replicas exist for the pool to continue functioning in a\n\tdegraded state.",
                "Replace the faulted device, or use 'zpool clear' to mark the device\n\trepaired.", None),
    "unavailable": ("One or more devices could not be used because the label is missing or\n\tinvalid.",
                    "Destroy and re-create the pool from\n\ta backup source.", "ZFS-8000-5E"),
    "missing": ("One or more devices could not be opened.  Sufficient replicas exist for\n"
                "\tthe pool to continue functioning in a degraded state.",
                "Attach the missing device and online it using 'zpool online'.", "ZFS-8000-2Q"),
    "errors": ("One or more devices has experienced an unrecoverable error.  An\n"
               "\tattempt was made to correct the error.  Applications are unaffected.",
               "Determine if the device needs to be replaced, and clear the errors\n"
               "\tusing 'zpool clear' or replace the device with 'zpool replace'.", "ZFS-8000-9P"),
    "offline": ("One or more devices has been taken offline by the administrator.\n"
                "\tSufficient replicas exist for the pool to continue functioning in a\n\tdegraded state.",
                "Online the device using 'zpool online' or replace the device with\n\t'zpool replace'.", None),
    "removed": ("One or more devices has been removed by the administrator.\n"
                "\tSufficient replicas exist for the pool to continue functioning in a\n\tdegraded state.",
                "Online the device using zpool online' or replace the device with\n\t'zpool replace'.", None),
}


def nice(value):
    """zfs_nicenum: at most five characters, 1.38G."""
    for power, unit in enumerate("BKMGTPE"):
        if value < 1 << (10 * (power + 1)) or unit == "E":
            break
    if power == 0:
        return str(int(value))
    if value % (1 << (10 * power)) == 0:
        return f"{value >> (10 * power)}{unit}"
    for digits in (2, 1, 0):
        text = f"{value / (1 << (10 * power)):.{digits}f}{unit}"
        if len(text) <= 5:
            return text
    return text


def nice_count(value):
    return "0" if value == 0 else nice(value)


def condition(pool):
    """The key of TEXTS that applies, in zpool's order; None if all is well."""
    if scans.running(pool, "resilver"):
        return "resilver"
    if vdevs.state_of(pool["root"]) == "UNAVAIL":
        return "unavailable"
    if pool.get("damaged"):
        return "corrupt"
    # A disk below a replacing pair is no problem.
    shown = [leaf for leaf in vdevs.leaves(pool["root"])
             if vdevs.parent_of(pool["root"], leaf)["type"] != "replacing"]
    states = {leaf["state"] for leaf in shown}
    if "FAULTED" in states:
        return "faulted"
    if "UNAVAIL" in states:
        return "missing"
    if "DEGRADED" in states or any(leaf["read"] + leaf["write"] + leaf["cksum"] for leaf in shown):
        return "errors"
    return "offline" if "OFFLINE" in states else "removed" if "REMOVED" in states else None


def clock(ns):
    return time.strftime("%a %b %e %H:%M:%S %Y", time.localtime(ns // 1_000_000_000))


def span(seconds):
    seconds = int(seconds)
    days, rest = divmod(seconds, 86400)
    text = f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    return f"{days} days {text}" if days else text


def scan_lines(scan, now_ns):
    if not scan:
        return []
    func = scan["func"]
    if scan["state"] == "canceled":
        return [f"  scan: {func} canceled on {clock(scan['end_ns'])}"]
    elapsed = max(0.001, ((scan["end_ns"] or now_ns) - scan["start_ns"]) / 1e9)
    share = scans.progress(scan, now_ns)
    copied = scan["repaired"] if func == "scrub" else int(scan["total"] * share / 6)
    if scan["state"] == "finished":
        done = "scrub repaired" if func == "scrub" else "resilvered"
        return [f"  scan: {done} {nice(copied) if copied else '0B'} in {span(elapsed)} with {scan['errors']} errors "
                f"on {clock(scan['end_ns'])}"]
    issued = int(scan["total"] * share)
    rate = issued / elapsed
    left = f"{span((scan['total'] - issued) / rate)} to go" if rate >= 10 << 20 else "no estimated completion time"
    if rate >= 10 << 20 and (scan["total"] - issued) / rate > 30 * 86400:
        left = "no estimated completion time"
    what = "repaired" if func == "scrub" else "resilvered"
    return [f"  scan: {func} in progress since {clock(scan['start_ns'])}",
            f"\t{nice(scan['total'])} scanned at {nice(int(scan['total'] / elapsed))}/s, {nice(issued)} issued at "
            f"{nice(int(rate))}/s, {nice(scan['total'])} total",
            f"\t{nice(copied) if copied else '0B'} {what}, {share * 100:.2f}% done, {left}"]


class Table:
    """The table of the configuration."""

    def __init__(self, state, pool, options):
        self.pool, self.pools, self.options = pool, state.data["pools"], options
        resolve = None
        if options.resolve:
            def resolve(path):
                node = state.machine.path(path)
                return "/dev/" + os.readlink(node).rsplit("/", 1)[-1] if os.path.islink(node) else None
        self.name = lambda vdev: vdevs.name_of(vdev, pool["root"], options.guid, options.full_path, resolve)
        self.number = str if options.exact else nice_count

    def lines(self):
        rows = list(self._rows(self.pool["root"], 0))
        spares = [(2, self.name(spare), spare) for spare in self.pool["spares"]]
        width = max([10] + [indent + len(name) for indent, name, _ in rows + spares])
        out = [f"\t{'NAME':<{width}}  {'STATE':<8} {'READ':>5} {'WRITE':>5} {'CKSUM':>5}" + "  SLOW" * self.options.slow]
        for indent, name, vdev in rows:
            counts = " ".join(f"{self.number(vdev.get(key, 0)):>5}" for key in ("read", "write", "cksum"))
            if self.options.slow:
                counts += f" {self.slow(vdev):>5}"
            out.append(f"\t{'':{indent}}{name:<{width - indent}}  {vdevs.state_of(vdev):<8} {counts}{self._note(vdev)}")
        if spares:
            out.append("\tspares")
        for indent, name, spare in spares:
            user = vdevs.spare_user(self.pools, spare)
            state = "INUSE" if user else "AVAIL"
            note = "" if not user else "  currently in use" if user is self.pool else f"  in use by pool '{user['root']['name']}'"
            out.append(f"\t{'':{indent}}{name:<{width - indent}}  {state:<8}{note}")
        return out

    def slow(self, vdev):
        """openzfs-2.3.9/90-slow-io/status-s.txt has the exact format."""
        return self.number(vdev.get("slow_ios", 0)) if vdev["type"] == "disk" or self.options.exact else "-"

    def _rows(self, vdev, indent):
        yield indent, self.name(vdev), vdev
        for child in vdev.get("children", ()):
            yield from self._rows(child, indent + 2)

    def _note(self, vdev):
        if vdev["type"] != "disk":
            return ""
        note = f"  {vdev['aux']}" if vdev["aux"] else ""
        if vdev["dtl"] and vdev["state"] not in vdevs.DEAD and scans.running(self.pool, "resilver"):
            note += "  (resilvering)"
        elif scans.running(self.pool, "scrub") and vdev["cksum"]:
            note += "  (repairing)"
        return note


def pool_status(state, pool, options):
    """One pool, without the blank line between two pools."""
    lines = [f"  pool: {pool['root']['name']}", f" state: {vdevs.state_of(pool['root'])}"]
    what = condition(pool)
    if what:
        text, action, see = TEXTS[what]
        lines += [f"status: {text}", f"action: {action}"]
        if see:
            lines.append(f"   see: https://openzfs.github.io/openzfs-docs/msg/{see}")
    lines += scan_lines(pool["scan"], state.now_ns)
    lines += ["config:", ""] + Table(state, pool, options).lines() + [""]
    return "\n".join(lines + error_lines(pool.get("damaged", []), options.verbose))


def error_lines(damaged, verbose):
    """Not recorded: status_callback() and print_error_log() of cmd/zpool/zpool_main.c."""
    if not damaged:
        return ["errors: No known data errors"]
    if not verbose:
        return [f"errors: {len(damaged)} data errors, use '-v' for a list"]
    return ["errors: Permanent errors have been detected in the following files:", ""] + [f"        {name}" for name in damaged]
