#!/usr/bin/python3
"""accessible.py PROGRAM: what assistive technology sees of that program's windows: a line for each control, with a tab between
ROLE, NAME, DESCRIPTION and "focusable".
Exits with 1 while the program is not on the accessibility bus."""
import sys

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402  (the version has to be set before)


def walk(node, depth=0):
    if node is None or depth > 40:
        return
    states = node.get_state_set()
    if depth > 1 and not states.contains(Atspi.StateType.SHOWING):
        return
    focusable = states.contains(Atspi.StateType.FOCUSABLE)
    print(f"{node.get_role_name()}\t{node.get_name()}\t{node.get_description()}\t{'focusable' if focusable else ''}")
    for index in range(min(node.get_child_count(), 500)):
        walk(node.get_child_at_index(index), depth + 1)


def main():
    desktop = Atspi.get_desktop(0)
    for index in range(desktop.get_child_count()):
        program = desktop.get_child_at_index(index)
        if program is not None and program.get_name() == sys.argv[1] and program.get_child_count():
            walk(program)
            return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
