"""`zpool list` and `zpool get`. The table of `list -v` follows zpool-status-created.txt; -H separates by tabs, -p gives exact numbers.
Properties of vdevs (checksum_n ...) exist only since OpenZFS 2.2; this is 2.1.11."""
from . import vdevs
from .status import nice

HEADINGS = {"name": "NAME", "size": "SIZE", "allocated": "ALLOC", "free": "FREE", "checkpoint": "CKPOINT",
            "expandsize": "EXPANDSZ", "fragmentation": "FRAG", "capacity": "CAP", "dedupratio": "DEDUP", "health": "HEALTH",
            "altroot": "ALTROOT", "guid": "GUID", "autoreplace": "AUTOREPLACE", "failmode": "FAILMODE",
            "ashift": "ASHIFT", "multihost": "MULTIHOST", "load_guid": "LOAD_GUID", "version": "VERSION",
            "cachefile": "CACHEFILE", "readonly": "RDONLY", "delegation": "DELEGATION", "comment": "COMMENT"}
SHORT = {"alloc": "allocated", "cap": "capacity", "frag": "fragmentation", "dedup": "dedupratio", "ckpoint": "checkpoint",
         "expandsz": "expandsize"}
DEFAULT = ("name", "size", "allocated", "free", "checkpoint", "expandsize", "fragmentation", "capacity", "dedupratio",
           "health", "altroot")
LEFT = ("name", "altroot")
WIDTHS = {"size": 5, "allocated": 5, "free": 5, "checkpoint": 7, "expandsize": 8, "fragmentation": 5, "capacity": 5,
          "dedupratio": 5, "health": 8, "guid": 20}


def long_name(word):
    """The full name of a pool's property; None if there is none."""
    name = SHORT.get(word, word)
    return name if name in HEADINGS else None


USAGE = "usage:\n\tlist [-gHLpPv] [-o property[,...]] [-T d|u] [pool] ... \n\t    [interval [count]]"


def value(state, pool, name, exact):
    """A pool's property as text."""
    size = sum(leaf_size(state, leaf) for leaf in vdevs.leaves(pool["root"]) if not _is_second(pool, leaf))
    number = str if exact else nice
    unit = "" if exact else "%"
    values = {"name": pool["root"]["name"], "size": number(size), "allocated": number(pool["alloc"]),
              "free": number(size - pool["alloc"]), "fragmentation": "0" + unit,
              "capacity": f"{pool['alloc'] * 100 // size}{unit}", "dedupratio": "1.00" if exact else "1.00x",
              "health": vdevs.state_of(pool["root"]), "guid": str(pool["root"]["guid"]),
              "load_guid": str(pool["root"]["guid"] ^ 0x5555), "autoreplace": "off", "failmode": "wait", "ashift": "0",
              "multihost": "off", "readonly": "off", "delegation": "on"}
    return values.get(name, "-")


def leaf_size(state, leaf):
    return state.data["disks"][leaf["disk"]]["size"] - (10 << 20)


def _is_second(pool, leaf):
    """Whether it is the newer half of a replacing or spare pair, which has no data of its own."""
    group = vdevs.parent_of(pool["root"], leaf)
    return group["type"] in vdevs.GROUPS and group["children"][0] is not leaf


def list_pools(state, pools, options):
    names = [long_name(word) for word in options.columns] if options.columns else DEFAULT
    rows = [[value(state, pool, name, options.exact) for name in names] for pool in pools]
    if options.scripted:
        out = []
        for pool, row in zip(pools, rows):
            out.append("\t".join(row))
            if options.verbose:
                out += ["\t".join(cells) for cells in _vdev_rows(state, pool, names, options)]
        return out
    if options.verbose:
        rows = [r for pool, row in zip(pools, rows) for r in [row, *_vdev_rows(state, pool, names, options)]]
    widths = [max([len(HEADINGS[name]), WIDTHS.get(name, 0)] + [len(row[i]) for row in rows if i < len(row)])
              for i, name in enumerate(names)]
    return [_line(names, widths, row) for row in [[HEADINGS[name] for name in names], *rows]]


def _line(names, widths, row):
    cells = []
    for i, (name, cell) in enumerate(zip(names, row)):
        # The last cell of a section's heading ("spare ... -") is not padded.
        bare = (name in LEFT and i == len(names) - 1) or (cell == "-" and i == len(row) - 1)
        cells.append(cell if bare else f"{cell:<{widths[i]}}" if name in LEFT else f"{cell:>{widths[i]}}")
    return "  ".join(cells)


def _vdev_rows(state, pool, names, options):
    """Rows of `list -v`, without ALTROOT."""
    names = [name for name in names if name != "altroot"]

    def rows(vdev, indent):
        yield _vdev_row(state, pool, vdev, indent, names, options)
        for child in vdev.get("children", ()):
            yield from rows(child, indent + 2)
    for child in pool["root"]["children"]:
        yield from rows(child, 2)
    if pool["spares"]:
        yield ["spare"] + ["-"] * (len(names) - 1)
        for spare in pool["spares"]:
            row = _vdev_row(state, pool, spare, 2, names, options)
            used = vdevs.spare_user(state.data["pools"], spare)
            yield ["INUSE" if used else "AVAIL" if n == "health" else cell for n, cell in zip(names, row)]


def _vdev_row(state, pool, vdev, indent, names, options):
    cells = {"name": " " * (0 if options.scripted else indent)
             + vdevs.name_of(vdev, pool["root"], options.guid, options.full_path), "health": vdevs.state_of(vdev)}
    number = str if options.exact else nice
    if vdev["type"] == "disk":
        cells["size"] = number(leaf_size(state, vdev))
    elif vdev in pool["root"]["children"]:
        size = sum(leaf_size(state, leaf) for leaf in vdevs.leaves(vdev) if not _is_second(pool, leaf))
        share = pool["alloc"] // len(pool["root"]["children"])
        cells |= {"size": number(size), "allocated": number(share), "free": number(size - share),
                  "fragmentation": "0" if options.exact else "0%",
                  "capacity": str(share * 100 // size) if options.exact else f"{share * 100 / size:.1f}%"}
    return [cells.get(name, "-") for name in names]


def waits(state, pool):
    """Rows of `iostat -vlgHpy`, as recorded: name, alloc, free, operations, bandwidth, total_wait, disk_wait, syncq_wait, asyncq_wait
    (each read and write), scrub and trim. A disk's "slow" is the duration of its I/O in milliseconds."""
    def row(vdev):
        mine = [state.data["disks"][leaf["disk"]].get("slow", 8) for leaf in vdevs.leaves(vdev)]
        wait = int(sum(mine) / len(mine) * 1e6)
        name = vdevs.name_of(vdev, pool["root"], guid=True)
        works = vdev["type"] != "disk" or vdev["state"] not in vdevs.DEAD
        yield [name, 0, 0, *((40, 20, 640000, 320000, wait, wait, wait, wait, 2000, 2000, "-", "-", "-", "-") if works
                             else (0, 0, 0, 0) + ("-",) * 10)]
        for child in vdev.get("children", ()):
            yield from row(child)
    return ["\t".join(str(cell) for cell in cells) for cells in row(pool["root"])]


def get(state, pools, names, options):
    """zpool get: NAME PROPERTY VALUE SOURCE."""
    if names == ["all"]:
        names = [name for name in HEADINGS if name != "name"]
    columns = options.columns or ["name", "property", "value", "source"]
    rows = []
    for pool in pools:
        for word in names:
            name = long_name(word)
            cells = {"name": pool["root"]["name"], "property": word, "value": value(state, pool, name, options.exact),
                     "source": "default" if name in ("autoreplace", "failmode", "multihost", "delegation") else "-"}
            rows.append([cells[column] for column in columns])
    if options.scripted:
        return ["\t".join(row) for row in rows]
    rows.insert(0, [column.upper() for column in columns])
    widths = [max(len(row[i]) for row in rows) for i in range(len(columns))]
    return ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths)) for row in rows]
