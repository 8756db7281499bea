"""A private bus for a test, with the system bus's policy."""
import os

import bus as system_bus  # the importer adds the simulator's folder to sys.path
from process import Program, wait_for


def start(daemon, limits=None):
    """The Daemon uses this bus from its next start. Returns the bus, a Program, and the path of its socket. limits: of the bus."""
    path, config = (os.path.join(daemon.folder, name) for name in ("bus", "bus.conf"))
    with open(config, "w", encoding="utf-8") as file:
        file.write(system_bus.configuration(path, limits))
    bus = Program("bus", ["dbus-daemon", "--nofork", "--nopidfile", f"--config-file={config}"], path + ".log").start()
    wait_for(lambda: os.path.exists(path), 20, "the bus")
    command = daemon.program.command
    command[command.index("none")] = f"unix:path={path}"
    return bus, path
