"""The tree of a pool. A vdev is a dict: guid, type ("root", "raidz", "mirror", "spare", "replacing", "disk"), children; a leaf also:
disk (key of the host's disks), path, devid, physpath, enc (enclosure path when it was opened), state, aux, read, write, cksum, dtl (data
is missing on it: it was away or is being resilvered)."""

DEAD = ("FAULTED", "OFFLINE", "REMOVED", "UNAVAIL")
GROUPS = ("spare", "replacing")  # temporary; contain one disk's data
STATE_NUMBERS = {"CLOSED": 1, "OFFLINE": 2, "REMOVED": 3, "UNAVAIL": 4, "FAULTED": 5, "DEGRADED": 6, "ONLINE": 7}


def walk(vdev):
    yield vdev
    for child in vdev.get("children", ()):
        yield from walk(child)


def leaves(vdev):
    return [v for v in walk(vdev) if v["type"] == "disk"]


def parent_of(root, vdev):
    return next((v for v in walk(root) if any(c is vdev for c in v.get("children", ()))), None)


def is_dead(vdev):
    return state_of(vdev) in DEAD


def state_of(vdev):
    """ONLINE, DEGRADED... of any vdev; that of an interior vdev follows from its children."""
    if vdev["type"] == "disk":
        return vdev["state"]
    states = [state_of(child) for child in vdev["children"]]
    dead = sum(state in DEAD for state in states)
    allowed = {"raidz": vdev.get("nparity", 0), "root": 0}.get(vdev["type"], len(states) - 1)
    if dead > allowed:
        return "UNAVAIL"
    return "ONLINE" if all(state == "ONLINE" for state in states) else "DEGRADED"


def readable(vdev, without=None):
    """Whether all data below the vdev is readable without the vdev `without`."""
    if vdev["type"] == "disk":
        return vdev is not without and vdev["state"] not in DEAD and not vdev["dtl"]
    good = [readable(child, without) for child in vdev["children"]]
    if vdev["type"] == "raidz":
        return good.count(False) <= vdev["nparity"]
    return all(good) if vdev["type"] == "root" else any(good)


def required(root, leaf):
    """Whether data would be lost without that leaf (the kernel's vdev_dtl_required)."""
    return leaf["state"] not in DEAD and not readable(root, without=leaf)


def name_of(vdev, root, guid=False, full_path=False, resolve=None):
    """The name as zpool prints it. resolve: maps a path to its device node (-L)."""
    if guid and vdev["type"] != "root":
        return str(vdev["guid"])
    if vdev["type"] == "root":
        return vdev["name"]
    if vdev["type"] == "disk":
        path = vdev["path"]
        resolved = resolve(path) if resolve else None
        if resolved:
            path = resolved
        if full_path:
            return path
        return without_partition(path.rsplit("/", 1)[-1])
    parent = parent_of(root, vdev)
    index = parent["children"].index(vdev)
    return {"raidz": f"raidz{vdev.get('nparity')}-{index}"}.get(vdev["type"], f"{vdev['type']}-{index}")


def without_partition(name):
    """wwn-0x5000-part1 → wwn-0x5000, sdb1 → sdb: zpool omits the partition of whole disks."""
    if name.endswith("-part1"):
        return name[:-len("-part1")]
    return name[:-1] if name.startswith("sd") and name.endswith("1") else name


def find(pool, word):
    """The vdev named by a word on zpool's command line, including the pool's spares; None if there is none."""
    root = pool["root"]
    for vdev in list(walk(root)) + pool["spares"]:
        names = {str(vdev["guid"]), str(vdev.get("path"))}
        if vdev["type"] == "disk":
            names |= {without_partition(vdev["path"]), name_of(vdev, root)}
        elif vdev["type"] != "root":
            names.add(name_of(vdev, root))
        if word in names:
            return vdev
    return None


def spare_in_use(pool, spare):
    """The leaf in the tree for a spare of the list, or None."""
    return next((leaf for leaf in leaves(pool["root"]) if leaf["guid"] == spare["guid"]), None)


def spare_user(pools, spare):
    """The pool that uses a spare, which several may share; None if it is unused."""
    return next((pool for pool in pools.values() if spare_in_use(pool, spare)), None)


def replace_child(root, old, new):
    parent = parent_of(root, old)
    parent["children"][[c is old for c in parent["children"]].index(True)] = new
