#!/usr/bin/python3
"""Plugins that are stopped, disabled or removed by an administrator, or that die: the state of their units decides, played by an
org.freedesktop.systemd1 of the test on fmd's bus."""
import threading
import unittest
import unittest.mock

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402  (the version has to be chosen before)
from sim_case import SimCase, Stage
from stage import Refused  # noqa: E402

UNIT = """<node><interface name="org.freedesktop.systemd1.Unit">
<property name="LoadState" type="s" access="read"/><property name="ActiveState" type="s" access="read"/>
<property name="UnitFileState" type="s" access="read"/><property name="ConditionResult" type="b" access="read"/>
<property name="ConditionTimestampMonotonic" type="t" access="read"/></interface>
<interface name="org.freedesktop.systemd1.Service"><property name="NRestarts" type="u" access="read"/></interface></node>"""
DEAD = "fault.fmd.plugin.dead"
RESTARTS = "fault.fmd.plugin.restarts"


class Systemd:
    """units: {plugin: (LoadState, ActiveState, UnitFileState)}; restarts: {plugin: NRestarts}."""

    def __init__(self, address, names):
        self.units = {name: ("loaded", "active", "enabled") for name in names}
        self.restarts = dict.fromkeys(names, 0)
        self.loop = GLib.MainLoop(context := GLib.MainContext())
        ready = threading.Event()

        def serve():
            context.push_thread_default()
            flags = Gio.DBusConnectionFlags
            self.bus = Gio.DBusConnection.new_for_address_sync(
                address, flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION, None, None)
            for name in names:
                path = f"/org/freedesktop/systemd1/unit/fmd_2d{name}_2eservice"
                for interface in Gio.DBusNodeInfo.new_for_xml(UNIT).interfaces:
                    self.bus.register_object(path, interface, None, lambda _b, _s, _p, _i, what, name=name: self.tell(name, what), None)
            Gio.bus_own_name_on_connection(self.bus, "org.freedesktop.systemd1", 0, lambda *_: ready.set(), None)
            self.loop.run()
        threading.Thread(target=serve, daemon=True).start()
        assert ready.wait(20)

    def tell(self, name, what):
        load, active, file = self.units[name]
        return {"LoadState": GLib.Variant("s", load), "ActiveState": GLib.Variant("s", active),
                "UnitFileState": GLib.Variant("s", file), "ConditionResult": GLib.Variant("b", True),
                "ConditionTimestampMonotonic": GLib.Variant("t", 5), "NRestarts": GLib.Variant("u", self.restarts[name])}[what]


class Disabled(SimCase):
    plugins = ("disk", "enclosure", "zfs", "smart", "mail")

    def setUp(self):
        start_fmd, self.systemd = Stage.start_fmd, None

        def start(stage):
            self.systemd = self.systemd or Systemd(f"unix:path={stage.bus}", self.plugins)
            start_fmd(stage)
        with unittest.mock.patch.object(Stage, "start_fmd", start):
            super().setUp()
        self.addCleanup(self.systemd.loop.quit)
        self.stage.wait(lambda: all(plugin.get("unit") for plugin in self.known().values()), 30, "fmd to know the units")

    def known(self):
        return {r["properties"]["name"]: r["properties"] for r in self.stage.resources("plugin")}

    def state(self, name):
        try:
            plugins = self.stage.ask("fmadm", "config")["plugins"]
        except Refused:
            return None  # fmd is away
        return {p["name"]: (p["state"], p["reason"]) for p in plugins}.get(name)

    def ends(self, name, *unit):
        """Its process ends, and systemd reports this state of its unit."""
        self.systemd.units[name] = unit
        self.stage.programs[f"fmd-{name}"].stop()

    def dead(self, fault=DEAD, **how):
        return [s["resource"] for c in self.stage.cases(**how) for s in c["suspects"] if s["class"] == fault]

    def told_restarts(self):
        return [e["resource"] for e in self.stage.ask("fmdump", "-e") if e["class"] == "ereport.fmd.plugin.restarted"]

    def test_one_that_comes_and_dies_again_and_again(self):
        for n in range(1, 6):
            for name in ("smart", "zfs"):
                self.systemd.restarts[name] = n if name == "smart" else 0  # a person restarts the other as often
                self.stage.kill(f"fmd-{name}")
                self.stage.start_plugin(name)
            self.stage.wait(lambda: len(self.told_restarts()) == n, 30, lambda: f"restart {n}: {self.told_restarts()}")
        self.stage.wait(lambda: self.dead(RESTARTS) == ["fmd://plugin=smart"], 30, "its case")
        self.assertEqual(set(self.told_restarts()), {"fmd://plugin=smart"})
        self.assertEqual(self.dead(everything=True), [])
        self.ends("smart", "loaded", "inactive", "disabled")
        self.stage.wait(lambda: not self.dead(RESTARTS), 30, "the end of its case")

    def test_one_is_disabled_another_dies_and_is_disabled_then(self):
        self.ends("smart", "loaded", "inactive", "disabled")
        self.ends("enclosure", "loaded", "activating", "enabled")  # restarts again and again, without success
        self.stage.wait(lambda: self.state("smart") == ("disabled", "fmd-smart.service is disabled"), 15, "smart: disabled")
        self.stage.wait(lambda: self.dead() == ["fmd://plugin=enclosure"], 60, "the case of the one that died")
        self.assertEqual(self.state("smart")[0], "disabled")
        status = self.stage.run("fmadm", "status")
        self.assertIn("smart, disabled: fmd-smart.service is disabled", " ".join(status.stdout.split()))
        # After a kill and a start, fmd knows the same about both.
        self.stage.restart()
        self.stage.wait(lambda: self.state("smart"), 30, "fmd, again")
        self.assertEqual((self.state("smart")[0], self.state("enclosure")[0]), ("disabled", "dead"))
        # The administrator disables the other one as well.
        self.systemd.units["enclosure"] = ("loaded", "inactive", "disabled")
        self.stage.wait(lambda: not self.dead(), 30, "the end of its case")
        self.assertEqual(self.state("enclosure")[0], "disabled")
        # Enabled and started again.
        self.systemd.units["smart"] = ("loaded", "active", "enabled")
        self.stage.start_plugin("smart")
        self.stage.wait(lambda: self.state("smart") == ("ok", ""), 30, "smart: ok")
        self.assertEqual(self.dead(everything=True), ["fmd://plugin=enclosure"], "never of smart")

    def test_stopped_and_removed(self):
        self.ends("smart", "loaded", "inactive", "enabled")
        self.stage.wait(lambda: (self.state("smart") or ("",))[0] == "stopped", 15, "smart: stopped")
        self.ends("mail", "not-found", "inactive", "")
        self.stage.wait(lambda: self.state("mail") is None and "mail" not in self.known(), 15, "mail: forgotten")
        self.assertEqual(self.dead(everything=True), [])
        logged = {e["payload"]["reason"] for e in self.stage.ask("fmdump", "-e") if e["class"] == "sysevent.fmd.plugin.stopped"}
        self.assertEqual(logged, {"fmd-smart.service has been stopped; 'systemctl start fmd-smart.service' starts it again",
                                  "fmd-mail.service has been removed"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
