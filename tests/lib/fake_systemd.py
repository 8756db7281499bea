#!/usr/bin/python3
"""org.freedesktop.systemd1 on a bus, with one unit: fake_systemd.py BUS-ADDRESS UNIT LoadState ActiveState SubState ExecMainStatus

Prints "ready" once it owns its name, and ends with standard input.
"""
import sys

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402  (require_version() must run first)

UNIT = """<node><interface name="org.freedesktop.systemd1.Unit">
<property name="LoadState" type="s" access="read"/><property name="ActiveState" type="s" access="read"/>
<property name="SubState" type="s" access="read"/></interface>
<interface name="org.freedesktop.systemd1.Service"><property name="ExecMainStatus" type="i" access="read"/></interface></node>"""


def main(address, unit, load, active, sub, status):
    values = {"LoadState": GLib.Variant("s", load), "ActiveState": GLib.Variant("s", active), "SubState": GLib.Variant("s", sub),
              "ExecMainStatus": GLib.Variant("i", int(status))}
    flags = Gio.DBusConnectionFlags
    bus = Gio.DBusConnection.new_for_address_sync(address, flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION, None, None)
    path = "/org/freedesktop/systemd1/unit/" + "".join(c if c.isalnum() else f"_{ord(c):02x}" for c in unit)
    for interface in Gio.DBusNodeInfo.new_for_xml(UNIT).interfaces:
        bus.register_object(path, interface, None, lambda _bus, _sender, _path, _interface, name: values[name], None)
    Gio.bus_own_name_on_connection(bus, "org.freedesktop.systemd1", 0, lambda *_: print("ready", flush=True), None)
    loop = GLib.MainLoop()
    GLib.io_add_watch(sys.stdin, GLib.PRIORITY_DEFAULT, GLib.IOCondition.HUP, lambda *_: loop.quit())
    loop.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
