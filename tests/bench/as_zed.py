"""Formats an ereport as ZED does: as a line of the system log, and as the environment of a zedlet."""
import json
import os
import time

MEMBERS_LOGGED = {"pool_guid": "pool_guid", "vdev_guid": "vdev_guid", "size": "zio_size", "offset": "zio_offset", "priority": "zio_priority", "err": "zio_err"}


def log_line(text):
    """The line that all-syslog.sh logs when it shows guids."""
    event = json.loads(text)
    payload = event["payload"]
    at = time.strftime("%b %e %H:%M:%S", time.gmtime(event["time"] // 1_000_000_000))
    words = [f"{word}={value(name, payload[name])}" for word, name in MEMBERS_LOGGED.items()]
    words.append("bookmark=" + ":".join(str(payload.get(f"zio_{part}", "")) for part in ("objset", "object", "level", "blkid")))
    return f"{at} host zed[812]: eid={payload['eid']} class={subclass(event)} {' '.join(words)}"


def environment(text, folder):
    """The environment of a zedlet in that folder."""
    event = json.loads(text)
    seconds, nanoseconds = divmod(event["time"], 1_000_000_000)
    members = {f"ZEVENT_{name.upper()}": value(name, member) for name, member in event["payload"].items() if not isinstance(member, dict)}
    return {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "ZED_PID": str(os.getpid()), "ZED_ZEDLET_DIR": folder, "ZFS": "/sbin/zfs", "ZPOOL": "/sbin/zpool",
            "ZEVENT_CLASS": event["class"], "ZEVENT_SUBCLASS": subclass(event), "ZEVENT_TIME": f"{seconds} {nanoseconds}",
            "ZEVENT_TIME_SECS": str(seconds), "ZEVENT_TIME_NSECS": str(nanoseconds),
            "ZEVENT_TIME_STRING": time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(seconds)), **members}


def subclass(event):
    return event["class"].rpartition(".")[2]


def value(name, member):
    if name.endswith("_guid"):
        return f"0x{member:016X}"
    return " ".join(map(str, member)) if isinstance(member, list) else str(member)
