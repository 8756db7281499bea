#!/usr/bin/python3
"""What assistive technology sees.

accessible.py PROGRAM    of that program's windows: a line for each control, with a tab between ROLE, NAME, DESCRIPTION and
                         "focusable"; exits with 1 while the program is not on the accessibility bus
accessible.py PROGRAM --press NAME
                         does what a click on what has that name does, and prints what state it is in afterwards, a word each;
                         exits with 1 when nothing shown has that name
accessible.py --ready    whether the accessibility bus and its registry answer; exits with 1 and says why while they do not
"""
import sys

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, Gio, GLib  # noqa: E402  (the version has to be set before)

PATIENCE_MS = 120_000


def ready():
    """Sends the query that a starting program sends; the program shows nothing before it has the answer."""
    try:
        session = Gio.bus_get_sync(Gio.BusType.SESSION)
        address, = session.call_sync("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None, None,
                                     Gio.DBusCallFlags.NO_AUTO_START, PATIENCE_MS).unpack()
        bus = Gio.DBusConnection.new_for_address_sync(
            address, Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION | Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT)
        bus.call_sync("org.a11y.atspi.Registry", "/org/a11y/atspi/registry", "org.a11y.atspi.Registry", "GetRegisteredEvents",
                      None, None, Gio.DBusCallFlags.NONE, PATIENCE_MS)
        return None
    except GLib.Error as error:
        return error.message


def shown(node, depth=0):
    """What a program shows, from its windows inwards."""
    if node is None or depth > 40:
        return
    if depth > 1 and not node.get_state_set().contains(Atspi.StateType.SHOWING):
        return
    yield node
    for index in range(min(node.get_child_count(), 500)):
        yield from shown(node.get_child_at_index(index), depth + 1)


def describe(node):
    name, description = (" ".join(text.split()) for text in (node.get_name(), node.get_description()))  # one line each
    focusable = node.get_state_set().contains(Atspi.StateType.FOCUSABLE)
    print(f"{node.get_role_name()}\t{name}\t{description}\t{'focusable' if focusable else ''}")


def press(node):
    actions = node.get_action_iface()
    names = [actions.get_action_name(index) for index in range(actions.get_n_actions())]
    actions.do_action(names.index("Press"))
    for state in Atspi.Accessible.get_state_set(node).get_states():
        print(state.value_nick)


def main():
    if sys.argv[1] == "--ready":
        return ready()
    Atspi.set_timeout(PATIENCE_MS, PATIENCE_MS)  # 0.8 s is little on a busy machine
    desktop = Atspi.get_desktop(0)
    for index in range(desktop.get_child_count()):
        program = desktop.get_child_at_index(index)
        if program is not None and program.get_name() == sys.argv[1] and program.get_child_count():
            if sys.argv[2:3] != ["--press"]:
                for node in shown(program):
                    describe(node)
                return 0
            for node in shown(program):
                if node.get_name() == sys.argv[3]:
                    press(node)
                    return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
