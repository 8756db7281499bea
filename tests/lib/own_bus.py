"""A bus of a test's own, which any user may ask."""
import os

from process import Program, wait_for  # whoever uses it has the simulator's folder on the path

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><listen>unix:path={}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
"""


def start(daemon):
    """From its next start on a Daemon is on it. Returns the bus, a Program, and the path of its socket."""
    path, config = (os.path.join(daemon.folder, name) for name in ("bus", "bus.conf"))
    with open(config, "w", encoding="utf-8") as file:
        file.write(BUS.format(path))
    bus = Program("bus", ["dbus-daemon", "--nofork", "--nopidfile", f"--config-file={config}"], path + ".log").start()
    wait_for(lambda: os.path.exists(path), 20, "the bus")
    command = daemon.program.command
    command[command.index("none")] = f"unix:path={path}"
    return bus, path
