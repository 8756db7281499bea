"""The stand-ins of simulator/bin in a simulated host's own bin/."""
import os

TOOLS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin")


HARDWARE = {"ipmitool"}  # there with what it asks: see bmc.py


def link_tools(folder, names=None):
    """All of them that every host has, or these."""
    own = os.path.join(folder, "bin")
    os.makedirs(own, exist_ok=True)
    for name in names or set(os.listdir(TOOLS)) - HARDWARE:
        os.symlink(os.path.join(TOOLS, name), os.path.join(own, name))
