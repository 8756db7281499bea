"""The tree of a pool. A vdev is a dict: guid, type ("root", "raidz", "mirror", "spare", "replacing", "disk"), children;
a leaf also: disk (key of the host's disks), path, devid, physpath, enc (enclosure path at the time it was opened), state,
aux, read, write, cksum, dtl (data is missing on it: it has been away or is still being resilvered)."""

DEAD = ("FAULTED", "OFFLINE", "REMOVED", "UNAVAIL")
GROUPS = ("spare", "replacing")  # they come and go; they hold one disk's data
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
    """ONLINE, DEGRADED... of any vdev; those of interior vdevs follow from their children."""
    if vdev["type"] == "disk":
        return vdev["state"]
    states = [state_of(child) for child in vdev["children"]]
    dead = sum(state in DEAD for state in states)
    allowed = {"raidz": vdev.get("nparity", 0), "root": 0}.get(vdev["type"], len(states) - 1)
    if dead > allowed:
        return "UNAVAIL"
    return "ONLINE" if all(state == "ONLINE" for state in states) else "DEGRADED"


def readable(vdev, without=None):
    """Whether all data below can be had, not asking `without`."""
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
    """As zpool prints it. resolve: a function from a path to the device node it leads to (-L)."""
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
    """wwn-0x5000-part1 → wwn-0x5000, sdb1 → sdb: zpool leaves the partition of whole disks out."""
    if name.endswith("-part1"):
        return name[:-len("-part1")]
    return name[:-1] if name.startswith("sd") and name.endswith("1") else name


def find(pool, word):
    """The vdev that a word on zpool's command line names, among the pool's spares too; None when there is none."""
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
    """The leaf that stands in the tree for a spare of the list, or None."""
    return next((leaf for leaf in leaves(pool["root"]) if leaf["guid"] == spare["guid"]), None)


def spare_user(pools, spare):
    """The pool that uses a spare, which several may share; None when none does."""
    return next((pool for pool in pools.values() if spare_in_use(pool, spare)), None)


def replace_child(root, old, new):
    parent = parent_of(root, old)
    parent["children"][[c is old for c in parent["children"]].index(True)] = new
