"""A bus as the machine's own is: the distribution's system.conf with fmd's policy, on a socket of its own."""
import os
import re

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SYSTEM = "/usr/share/dbus-1/system.conf"
POLICY = "org.fmd.FaultManager1.conf"
# Elements that only the machine's own bus has: its user, its files, its services and their configuration.
MACHINES = (r"<user>.*?</user>", r"<fork/>", r"<syslog/>", r"<pidfile>.*?</pidfile>", r"<standard_system_servicedirs/>",
            r"<servicehelper>.*?</servicehelper>", r"<includedir>.*?</includedir>", r"<include\b[^>]*>.*?</include>")
# The stand-ins of polkit and systemd are anybody's; who may ask them is as in these programs' own policies.
STAND_INS = "".join(f'<policy context="default"><allow own="{name}"/><allow send_destination="{name}"/></policy>\n'
                    for name in ("org.freedesktop.PolicyKit1", "org.freedesktop.systemd1"))


def _policy():
    for folder in (os.path.join(TREE, "data", "dbus"), "/usr/share/dbus-1/system.d"):
        if os.path.exists(os.path.join(folder, POLICY)):
            with open(os.path.join(folder, POLICY), encoding="utf-8") as file:
                return re.search(r"<busconfig>(.*)</busconfig>", file.read(), re.S)[1].replace('user="fmd"', f'user="{os.getuid()}"')
    raise FileNotFoundError(POLICY)


def configuration(socket):
    """For dbus-daemon's --config-file. This process' user is who fmd's user is on a machine."""
    with open(SYSTEM, encoding="utf-8") as file:
        text = file.read()
    for pattern in MACHINES:
        text = re.sub(pattern, "", text, flags=re.S)
    text = re.sub(r"<listen>.*?</listen>", f"<listen>unix:path={socket}</listen>", text, flags=re.S)
    return text.replace("</busconfig>", _policy() + STAND_INS + "</busconfig>")
