"""Links the fake programs of simulator/bin into a simulated host's own bin/."""
import os

TOOLS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin")


HARDWARE = {"ipmitool"}  # installed with the hardware that it reads: see bmc.py


def link_tools(folder, names=None):
    """Links the given ones, or those of every host."""
    own = os.path.join(folder, "bin")
    os.makedirs(own, exist_ok=True)
    for name in names or set(os.listdir(TOOLS)) - HARDWARE:
        os.symlink(os.path.join(TOOLS, name), os.path.join(own, name))
