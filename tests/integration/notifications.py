#!/usr/bin/python3
"""A desktop's notification server on the session bus: each line printed is a JSON array, first ["ready"], then ["Notify", SUMMARY,
ACTIONS] and ["CloseNotification", ID] as they come. The first notification has the id 1."""
import json

from gi.repository import Gio, GLib

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
INTERFACE = f"""<node><interface name="{NAME}">
<method name="Notify"><arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/>
<arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="as" direction="in"/><arg type="a{{sv}}" direction="in"/>
<arg type="i" direction="in"/><arg type="u" direction="out"/></method>
<method name="CloseNotification"><arg type="u" direction="in"/></method>
</interface></node>"""


def say(*what):
    print(json.dumps(what), flush=True)


class Server:
    def __init__(self, bus):
        self.count = 0
        bus.register_object(PATH, Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces[0], self.called, None, None)
        Gio.bus_own_name_on_connection(bus, NAME, Gio.BusNameOwnerFlags.NONE, lambda *_: say("ready"), None)

    def called(self, _bus, _sender, _path, _interface, method, arguments, invocation):
        values = arguments.unpack()
        if method == "Notify":
            self.count += 1
            say(method, values[3], values[5])
            invocation.return_value(GLib.Variant("(u)", (self.count,)))
        else:
            say(method, values[0])
            invocation.return_value(None)


if __name__ == "__main__":
    SERVER = Server(Gio.bus_get_sync(Gio.BusType.SESSION))
    GLib.MainLoop().run()
