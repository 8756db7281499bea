"""Parses the output of zpool (OpenZFS 2.1 has no JSON)."""

import re
from dataclasses import dataclass, field

MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


@dataclass
class Vdev:
    """One line of the configuration part of `zpool status`."""

    name: str          # a path, or raidz2-0, spare-3, ...
    guid: str          # "" without status(guids=True)
    state: str         # ONLINE, DEGRADED, FAULTED, OFFLINE, REMOVED, AVAIL, INUSE ...
    read: int
    write: int
    cksum: int
    note: str          # "too many errors", "(resilvering)", "was /dev/..."
    depth: int         # 0 is the pool
    group: str         # "" or spares, cache, logs ...
    disk: object = None  # the Disk that it is on, if any

    @property
    def leaf(self):
        return self.name.startswith("/") or self.name.isdigit()


@dataclass
class Status:
    """One pool, as `zpool status` shows it."""

    pool: str = ""
    state: str = ""
    scan: str = ""
    errors: str = ""
    vdevs: list = field(default_factory=list)
    text: str = ""

    @property
    def scanning(self):
        return "in progress" in self.scan

    @property
    def resilvering(self):
        return "resilver in progress" in self.scan

    def vdev(self, disk, group=""):
        """The vdev on this disk (group "spares": its entry among the spares)."""
        for vdev in self.vdevs:
            if vdev.disk is disk and vdev.group == group:
                return vdev
        return None

    def slot(self, number, group=""):
        """The vdev on the disk in this slot."""
        for vdev in self.vdevs:
            if vdev.disk and vdev.disk.slot == number and vdev.group == group:
                return vdev
        return None

    @property
    def spares(self):
        return [vdev for vdev in self.vdevs if vdev.group == "spares" and vdev.depth > 0]

    def __str__(self):
        return self.text


def _numbers(words):
    return [int(word) if word.isdigit() else 0 for word in words]


def parse_status(with_paths, with_guids, disks):
    """Parses `zpool status -pP` and `zpool status -pg`, which differ only in names; the latter may be ""."""
    status = Status(text=with_paths)
    key = None
    config = []
    for line in with_paths.splitlines():
        match = re.match(r" *(pool|state|status|action|scan|see|config|errors): ?(.*)", line)
        if match:
            key, value = match.groups()
            if key in ("pool", "state", "scan", "errors"):
                setattr(status, key, value.strip())
        elif key == "scan":
            status.scan += "\n" + line.strip()
        elif key == "config" and line.startswith("\t"):
            config.append(line[1:])
    guids = [line[1:].split()[0] for line in with_guids.split("config:", 1)[-1].splitlines()
             if line.startswith("\t")] or [""] * len(config)
    group = ""
    for line, guid in zip(config[1:], guids[1:]):
        words = line.split()
        depth = (len(line) - len(line.lstrip())) // 2
        if depth == 0 and len(words) == 1:  # spares, cache, logs
            group = words[0]
            continue
        counts = _numbers(words[2:5]) if len(words) >= 5 and words[2].isdigit() else [0, 0, 0]
        note = " ".join(words[5:] if len(words) >= 5 and words[2].isdigit() else words[2:])
        status.vdevs.append(Vdev(words[0], guid, words[1], *counts, note, depth, group,
                                 _disk_of(words[0], note, disks)))
    return status


def _disk_of(name, note, disks):
    """The disk of this vdev; ZFS shows a missing one as a guid with 'was PATH'."""
    path = note.split("was ", 1)[1] if "was " in note else name
    for disk in disks:
        if re.fullmatch(re.escape(disk.by_id) + r"(-part\d+)?", path):
            return disk
    return None


@dataclass
class Event:
    """One event of `zpool events -v`."""

    cls: str
    at: float          # seconds since 1970
    eid: int
    values: dict
    disk: object = None

    def __getitem__(self, name):
        return self.values.get(name)

    def __repr__(self):
        where = f" {self.disk.serial}" if self.disk else ""
        return f"<{self.eid} {self.cls}{where} {self.at:.3f}>"


def _value(text):
    match = re.fullmatch(r'"(.*)"(?: \(0x[0-9a-f]+\))?', text)
    if match:
        return match.group(1)
    words = text.split()
    if words and all(re.fullmatch(r"0x[0-9a-f]+", word) for word in words):
        numbers = [int(word, 16) for word in words]
        return numbers[0] if len(numbers) == 1 else numbers
    return text


def parse_events(text, disks):
    """Events from `zpool events -v`, oldest first."""
    events = []
    for block in text.split("\n\n"):
        lines = block.strip("\n").splitlines()
        if lines and lines[0].startswith("TIME "):  # the header precedes the first event directly
            del lines[0]
        if len(lines) < 2 or not lines[0][:3] in MONTHS:
            continue
        values = {}
        nested = False  # detector = (embedded nvlist) .. (end detector)
        for line in lines[1:]:
            if "(embedded nvlist)" in line or "(end " in line:
                nested = "(end " not in line
                continue
            if nested:
                continue
            name, separator, value = line.strip().partition(" = ")
            if separator:
                values[name] = _value(value)
        seconds, nanoseconds = values.get("time", [0, 0])
        event = Event(values.get("class") or lines[0].split()[-1], seconds + nanoseconds / 1e9,
                      values.get("eid", 0), values)
        event.disk = _disk_of(str(values.get("vdev_path", "")), "", disks)
        events.append(event)
    return events
