"""A bus like the machine's: the distribution's system.conf with fmd's policy, on its own socket."""
import os
import re

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SYSTEM = "/usr/share/dbus-1/system.conf"
POLICY = "org.fmd.FaultManager1.conf"
# Elements that apply only to the machine's own bus: its user, files, services and their configuration.
MACHINES = (r"<user>.*?</user>", r"<fork/>", r"<syslog/>", r"<pidfile>.*?</pidfile>", r"<standard_system_servicedirs/>",
            r"<servicehelper>.*?</servicehelper>", r"<includedir>.*?</includedir>", r"<include\b[^>]*>.*?</include>")
# Any user may own the names of the fake polkit and systemd, and call them, as in these programs' policies.
STAND_INS = "".join(f'<policy context="default"><allow own="{name}"/><allow send_destination="{name}"/></policy>\n'
                    for name in ("org.freedesktop.PolicyKit1", "org.freedesktop.systemd1"))


def _policy():
    for folder in (os.path.join(TREE, "data", "dbus"), "/usr/share/dbus-1/system.d"):
        if os.path.exists(os.path.join(folder, POLICY)):
            with open(os.path.join(folder, POLICY), encoding="utf-8") as file:
                return re.search(r"<busconfig>(.*)</busconfig>", file.read(), re.S)[1].replace('user="fmd"', f'user="{os.getuid()}"')
    raise FileNotFoundError(POLICY)


def configuration(socket, limits=None):
    """A configuration for dbus-daemon's --config-file, in which this process' user takes the place of fmd's. limits: names
    and values as in dbus-daemon(1)."""
    with open(SYSTEM, encoding="utf-8") as file:
        text = file.read()
    for pattern in MACHINES:
        text = re.sub(pattern, "", text, flags=re.S)
    text = re.sub(r"<listen>.*?</listen>", f"<listen>unix:path={socket}</listen>", text, flags=re.S)
    lower = "".join(f'<limit name="{name}">{value}</limit>' for name, value in (limits or {}).items())
    return text.replace("</busconfig>", _policy() + STAND_INS + lower + "</busconfig>")
