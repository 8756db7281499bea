#!/usr/bin/python3
"""A desktop's tray as KDE, and GNOME with its extension, have it: it shows what registers at the StatusNotifierWatcher of the session
bus.

tray_host.py                is that tray; prints "ready", then the bus name of each item that registers, a line each
tray_host.py ITEM           what it shows of that item: a JSON object of "Category", "Status", "Id", "Title", "tip" (texts), "sizes" (of
                            its pictures, pixels), "picture" (of the largest; two of them differ when they look different), "menu"
                            (texts), "submenus" (text: its texts)
tray_host.py ITEM click     as a click on the icon
tray_host.py ITEM TEXT      as a click on that entry of its menu; exits with 1 when there is none
"""
import hashlib
import json
import sys

from gi.repository import Gio, GLib

WATCHER, WATCHER_PATH = "org.kde.StatusNotifierWatcher", "/StatusNotifierWatcher"
ITEM, MENU = "org.kde.StatusNotifierItem", "com.canonical.dbusmenu"
INTERFACE = f"""<node><interface name="{WATCHER}">
<method name="RegisterStatusNotifierItem"><arg type="s" direction="in"/></method>
<method name="RegisterStatusNotifierHost"><arg type="s" direction="in"/></method>
<property name="RegisteredStatusNotifierItems" type="as" access="read"/>
<property name="IsStatusNotifierHostRegistered" type="b" access="read"/>
<property name="ProtocolVersion" type="i" access="read"/>
</interface></node>"""


def serve(bus):
    items = []

    def called(_bus, _sender, _path, _interface, method, arguments, invocation):
        if method == "RegisterStatusNotifierItem":
            items.append(arguments.unpack()[0])
            print(items[-1], flush=True)
        invocation.return_value(None)

    def asked(_bus, _sender, _path, _interface, name):
        return {"RegisteredStatusNotifierItems": GLib.Variant("as", items), "IsStatusNotifierHostRegistered": GLib.Variant("b", True),
                "ProtocolVersion": GLib.Variant("i", 0)}[name]

    bus.register_object(WATCHER_PATH, Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces[0], called, asked, None)
    Gio.bus_own_name_on_connection(bus, WATCHER, Gio.BusNameOwnerFlags.NONE, lambda *_: print("ready", flush=True), None)
    GLib.MainLoop().run()


class Item:
    def __init__(self, bus, name):
        self.bus, self.name = bus, name
        self.has = self.properties()

    def properties(self):
        return self.call("/StatusNotifierItem", "org.freedesktop.DBus.Properties", "GetAll", GLib.Variant("(s)", (ITEM,)))[0]

    def call(self, path, interface, method, arguments):
        return self.bus.call_sync(self.name, path, interface, method, arguments, None, Gio.DBusCallFlags.NONE, 20000, None).unpack()

    def entries(self):
        """The menu's entries: (number, text without key marks, entries of its submenu)."""
        def below(entry):
            return [(number, properties.get("label", "").replace("_", ""), below((number, properties, entries)))
                    for number, properties, entries in entry[2]
                    if properties.get("type") != "separator" and properties.get("visible", True)]
        self.call(self.has["Menu"], MENU, "AboutToShow", GLib.Variant("(i)", (0,)))
        return below(self.call(self.has["Menu"], MENU, "GetLayout", GLib.Variant("(iias)", (0, -1, [])))[1])

    def look(self):
        entries = self.entries()
        self.has = self.properties()  # after the menu, so that they are not older than it
        pictures = sorted(self.has["IconPixmap"])
        return {name: self.has[name] for name in ("Category", "Status", "Id", "Title")} | {
            "tip": self.has["ToolTip"][2:], "sizes": [width for width, _, _ in pictures],
            "picture": hashlib.sha256(bytes(pictures[-1][2])).hexdigest() if pictures else "",
            "menu": [text for _, text, _ in entries],
            "submenus": {text: [inner for _, inner, _ in below] for _, text, below in entries if below}}

    def click(self):
        self.call("/StatusNotifierItem", ITEM, "Activate", GLib.Variant("(ii)", (0, 0)))

    def choose(self, text):
        for number, label, _ in self.entries():
            if label == text:
                self.call(self.has["Menu"], MENU, "Event", GLib.Variant("(isvu)", (number, "clicked", GLib.Variant("s", ""), 0)))
                return 0
        return 1


def main():
    bus = Gio.bus_get_sync(Gio.BusType.SESSION)
    if len(sys.argv) == 1:
        return serve(bus)
    item = Item(bus, sys.argv[1])
    if len(sys.argv) == 2:
        return print(json.dumps(item.look()))
    return item.click() if sys.argv[2] == "click" else item.choose(sys.argv[2])


if __name__ == "__main__":
    sys.exit(main())
