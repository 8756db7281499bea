#!/usr/bin/python3
"""fmd_plugin.py with the real daemon: a Python plugin's events arrive once, across restarts of both; and the sample plugin
for UPSes with its rules."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest.mock

from daemon_case import NOW_CLASS, SERD_CLASS, DaemonCase, disk, event, main

TREE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TREE / "plugins" / "sdk"))

import fmd_plugin  # noqa: E402  (the path has to be set before)
import shipped  # noqa: E402
from process import wait_for  # noqa: E402

EXAMPLES = TREE / "plugins/sdk/examples"


class Recorder(fmd_plugin.Plugin):
    """Runs in its own thread; remembers what it received."""

    def __init__(self, daemon, name="py", **about):
        super().__init__(name, path=daemon.socket, observes=["ereport.test.*"], heartbeat=0.2, **about)
        self.hellos, self.refused, self.jobs = [], [], []
        self.thread = threading.Thread(target=self._run)

    def _run(self):
        with unittest.mock.patch.object(fmd_plugin.signal, "signal"), \
                unittest.mock.patch.object(fmd_plugin.signal, "set_wakeup_fd"):
            self.run(every=0.05)

    def connected(self, cursor, first_since_boot):
        self.hellos.append((cursor, first_since_boot))

    def look(self):
        while self.jobs:
            self.jobs.pop(0)()

    def rejected(self, lost_event, reason):
        self.refused.append((lost_event["resource"], reason))

    def do(self, job):
        """In its own thread, as a plugin does."""
        finished = threading.Event()
        self.jobs.append(lambda: (job(), finished.set()))
        assert finished.wait(30), "its loop does not turn"

    def __enter__(self):
        self.thread.start()
        wait_for(lambda: self.hellos, 20, lambda: "hello")
        return self

    def __exit__(self, *_):
        self.stop()
        self.thread.join(60)


def broken(number, time_ns=None):
    return fmd_plugin.event(NOW_CLASS, disk(number), time_ns)


class Python(DaemonCase):
    def suspects(self):
        return [c["suspects"][0]["resource"] for c in self.cases()]

    def settled(self, plugin):
        wait_for(lambda: plugin.unacked == 0, 30, lambda: f"{plugin.unacked} events not acknowledged")

    def test_a_full_disk_does_not_make_it_wait(self):
        with Recorder(self.daemon) as plugin:
            self.fill(plugin)
            self.assertGreater(plugin.unacked, 0)
            self.daemon.limit_file_size(None)
            self.settled(plugin)
        self.assertEqual(sorted(s for s in self.suspects() if s != "fmd://store"), sorted(disk(n) for n in range(400)))

    def fill(self, plugin):
        """Sends 400 events, until nothing more can be written; the last ones are in fmd's memory only."""
        state = pathlib.Path(self.daemon.state)
        self.daemon.limit_file_size(max(f.stat().st_size for f in state.iterdir() if "reserve" not in f.name) + (64 << 10))
        for number in range(400):  # more than six, and enough to fill it
            plugin.do(lambda n=number: plugin.send_events([event(NOW_CLASS, disk(n), filler="x" * 999)], str(n)))
        self.daemon.wait_log("cannot write")
        self.daemon.wait_log(disk(399))

    def test_what_was_in_memory_only_comes_again_after_a_kill(self):
        with Recorder(self.daemon) as plugin:
            self.fill(plugin)
            plugin.do(plugin._close)
            wait_for(lambda: len(plugin.hellos) == 2, 30, lambda: "the second hello")
            self.assertGreater(plugin.unacked, 0, "it is not on disk")
            self.restart()
            self.settled(plugin)
        self.assertEqual(sorted(s for s in self.suspects() if s != "fmd://store"), sorted(disk(n) for n in range(400)))

    def test_what_is_written_after_a_new_connection_is_told(self):
        with Recorder(self.daemon) as plugin:
            self.fill(plugin)
            plugin.do(plugin._close)
            wait_for(lambda: len(plugin.hellos) == 2, 30, lambda: "the second hello")
            self.assertEqual(plugin.hellos[-1][0], "399")
            self.daemon.limit_file_size(None)
            self.settled(plugin)
        self.assertEqual(sorted(s for s in self.suspects() if s != "fmd://store"), sorted(disk(n) for n in range(400)))

    def test_one_that_began_behind_what_was_lost_ends(self):
        with Recorder(self.daemon) as plugin:
            self.fill(plugin)
        late = Recorder(self.daemon)
        lost = []
        late.thread = threading.Thread(target=self._until_lost, args=(late._run, lost))
        with late:
            self.assertEqual(late.hellos[0][0], "399")
            self.restart()
            wait_for(lambda: lost, 60, lambda: "its end")

    @staticmethod
    def _until_lost(run, lost):
        try:
            run()
        except fmd_plugin.Lost as why:
            lost.append(why)

    def test_events_are_on_disk_when_they_are_acked(self):
        with Recorder(self.daemon) as plugin:
            plugin.do(lambda: plugin.send_events([broken(1), broken(2)], "7"))
            self.settled(plugin)
            self.restart()
            wait_for(lambda: len(plugin.hellos) == 2, 60, lambda: "the second hello")
            self.assertEqual(plugin.hellos, [("", False), ("7", False)])
        self.assertEqual(sorted(self.suspects()), [disk(1), disk(2)])

    def test_events_wait_for_a_daemon_that_is_away(self):
        with Recorder(self.daemon) as plugin:
            self.daemon.kill()
            wait_for(lambda: not plugin.is_connected, 30, lambda: "the end of the connection")
            plugin.send_events([broken(number) for number in range(2500)], "late")  # its loop waits, so nobody else writes
            self.assertEqual(plugin.unacked, 2500)
            self.daemon.start()
            self.settled(plugin)
            self.assertEqual(plugin.hellos[-1][0], "late", "what waits here is read already")
        self.assertEqual(len(self.suspects()), 2500)

    def test_what_was_committed_does_not_go_twice(self):
        """The answer is lost, as if the daemon had died between its commit and the answer."""
        with Recorder(self.daemon) as plugin:
            plugin.do(lambda: plugin.send_events([fmd_plugin.event(SERD_CLASS, disk(1)), fmd_plugin.event(SERD_CLASS, disk(1))]))
            self.settled(plugin)
            with unittest.mock.patch.object(Recorder, "_acked", lambda *_: None):
                plugin.do(lambda: plugin.send_events([fmd_plugin.event(SERD_CLASS, disk(1))]))
                probe = self.daemon.plugin("probe", transient=True)
                probe.events([])  # answered when all earlier events are on disk
                self.assertEqual(len(plugin.waiting), 1)
                plugin.do(plugin._close)
            wait_for(lambda: len(plugin.hellos) == 2, 30, lambda: "the second hello")
            self.settled(plugin)
        self.daemon.stop()
        engines = self.daemon.stored()["serd"].values()
        self.assertEqual([len(engine["entries"]) for engine in engines], [3])

    def test_too_many_are_refused_at_once(self):
        with Recorder(self.daemon) as plugin:
            self.daemon.kill()
            wait_for(lambda: not plugin.is_connected, 30, lambda: "the end of the connection")
            plugin.send_events([broken(1)] * 8000)
            with self.assertRaises(fmd_plugin.Full):
                plugin.send_events([broken(2)])
            self.assertEqual(plugin.unacked, 8000)

    def test_rejected_events_come_back_with_the_reason(self):
        with Recorder(self.daemon) as plugin:
            plugin.do(lambda: plugin.send_events([broken(1, int(time.time())), broken(2), broken(3, 2**62),
                                                  fmd_plugin.event("ereport.test.unheard.of", disk(4)),
                                                  fmd_plugin.event("ereport.other.thing", disk(5))]))
            self.settled(plugin)
            wait_for(lambda: len(plugin.refused) == 4, 10, lambda: str(plugin.refused))
        why = dict(plugin.refused)
        self.assertIn("looks like seconds; it must be nanoseconds since 1970", why[disk(1)])
        self.assertIn("days ahead of this machine's clock", why[disk(3)])
        self.assertIn("unheard", why[disk(4)])
        self.assertIn('"observes" of its hello names ereport.test.*', why[disk(5)])
        self.assertIn(disk(2), self.suspects())

    def test_a_long_inventory_and_one_that_is_shorter_next_time(self):
        def many(count):
            return [fmd_plugin.resource(fmd_plugin.fmri("dev", serial=f"X:{n}"), "disk", note="x" * 900) for n in range(count)]
        with Recorder(self.daemon) as plugin:
            plugin.do(lambda: plugin.send_inventory(many(2500), complete=True))
            plugin.do(lambda: plugin.send_inventory(many(2400), complete=True))
            plugin.do(lambda: plugin.send_readings([fmd_plugin.reading("dev://serial=X:1", "temperature", 31.0, "celsius")]))
            plugin.do(lambda: plugin.send_inventory([], complete=False))
            plugin.do(lambda: plugin.send_events([broken(1)], "x"))
            self.settled(plugin)
        self.daemon.stop()
        known = self.daemon.stored()["resource"]
        here = [doc for name, doc in known.items() if "serial=X:" in name and json.dumps(doc).find('"present": false') < 0]
        self.assertGreaterEqual(len(here), 2400)

    def test_a_command_is_done_once_a_key(self):
        bay = "hc://chassis=1/bay=1"
        lit = []

        def light(plugin, on):
            plugin.send_inventory([fmd_plugin.resource(bay, "bay", [fmd_plugin.edge("contains", disk(1))], label="SLOT 01",
                                                       led__fault="on" if on else "off", led__locate="off")])

        def set_led(command):
            lit.append((command.resource, command.args["indication"], command.args["on"]))
            light(plugin, command.args["on"])
            return fmd_plugin.done()
        plugin = Recorder(self.daemon, commands={"set_led": set_led}, handles=["hc://"])
        with plugin:
            plugin.do(lambda: light(plugin, False))
            plugin.do(lambda: plugin.send_inventory([fmd_plugin.resource(disk(1), "disk", serial="S1")]))
            plugin.do(lambda: plugin.send_events([broken(1)]))
            wait_for(lambda: lit, 20, lambda: "the command")
            # The same again, as after a lost answer.
            self.assertEqual(lit, [(bay, "fault", True)])
            key, answer = next(iter(plugin.answers.items()))
            written = []
            with unittest.mock.patch.object(plugin, "_write", written.append):
                plugin._command({"id": 99, "params": {"name": "set_led", "resource": bay, "key": key, "args": {}}})
                plugin._command({"id": 100, "params": {"name": "explode", "resource": bay, "key": "k", "args": {}}})
            self.assertEqual(written[0]["result"], answer)
            self.assertEqual(written[1]["result"]["status"], "failed")
            self.assertEqual(len(lit), 1)

    def test_a_handler_that_breaks_is_a_failed_command(self):
        plugin = fmd_plugin.Plugin("x", commands={"refresh": lambda command: 1 // 0})
        with unittest.mock.patch.object(plugin, "_write") as write:
            plugin._command({"id": 1, "params": {"name": "refresh", "resource": "x://a=1", "key": "k"}})
        self.assertEqual(write.call_args[0][0]["result"]["status"], "failed")

    def test_the_core_tells_why_it_cuts_off(self):
        with Recorder(self.daemon) as plugin, unittest.mock.patch.object(fmd_plugin, "log") as log:
            plugin.do(lambda: plugin._notify("status", {"state": "splendid"}))
            wait_for(lambda: len(plugin.hellos) == 2, 30, lambda: "it comes back")
        self.assertIn('"state" must be ok, not-observed or degraded', str(log.call_args_list))


FMRIS = {"dev://wwn=5000c500a0000003": True, "dev://serial=A:b.C_d@e+f-g": True, "fmd://store": True, "hc://chassis=1/bay=2": True,
         "ups://name=rack%203": True, "ups://name=a%2fb": True, "my-own_1://a-b_c=1": True, "ups://name=": False, "ups://": False,
         "ups:/name=x": False, "Ups://name=x": False, "ups://Name=x": False, "ups://name=rack 3": False, "ups://name=a~b": False,
         "ups://name=a%2": False, "ups://name=a%zz": False, "ups://name=a/": False, "ups://name=a=b": False, "ups://n\u00e4me=a": False,
         "ups://name=" + "x" * 2040: False, "rack": False}


class Fmri(DaemonCase):
    def test_the_schema_and_the_core_take_the_same(self):
        schema = json.loads((TREE / "schemas/plugin-protocol.schema.json").read_text(encoding="utf-8"))["definitions"]["fmri"]
        by_schema = {fmri: bool(re.search(schema["pattern"], fmri)) and len(fmri) <= schema["maxLength"] for fmri in FMRIS}
        self.assertEqual(by_schema, FMRIS)
        script = self.daemon.plugin("script", transient=True, check=False)
        ack = script.events([event(NOW_CLASS, fmri) for fmri in FMRIS])
        refused = {list(FMRIS)[one["index"]] for one in ack["rejected"]}
        self.assertEqual({fmri: fmri not in refused for fmri in FMRIS}, FMRIS)

    def test_any_text_can_be_a_value(self):
        self.assertEqual(fmd_plugin.fmri("ups", name="rack 3/a~b\u00e4"), "ups://name=rack%203%2Fa%7Eb%C3%A4")


UPS = """battery.charge: 80
battery.runtime: 1200
device.type: ups
ups.load: 23
ups.mfr: EATON
ups.model: 5P 1550
ups.serial: G355A: 1
ups.status: {}
"""


class Ups(DaemonCase):
    start = False
    # As in the sample's unit, for the user of this test.
    grant = '[plugin.ups]\nuser = "{}"\ndescribes = ["ups://"]\n'
    config = DaemonCase.config + grant.format(os.getuid())

    def setUp(self):
        super().setUp()
        shutil.copy(EXAMPLES / "ups.toml", self.daemon.rules)
        shutil.copy(EXAMPLES / "ups-words.toml", self.daemon.events)
        shutil.copy(shipped.event_file("resources.toml"), self.daemon.events)
        text = pathlib.Path(self.daemon.rules, "ups.toml").read_text(encoding="utf-8")
        for hold in ("1min", "10min"):
            text = text.replace(f'hold = "{hold}"', 'hold = "1s"')
        pathlib.Path(self.daemon.rules, "ups.toml").write_text(text, encoding="utf-8")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        upsc = pathlib.Path(self.folder.name, "upsc")
        upsc.write_text(f'#!/bin/sh\n[ "$1" != -l ] || {{ echo rack; exit; }}\ncat "{self.folder.name}/says"\n', encoding="utf-8")
        upsc.chmod(0o755)
        self.says("OL CHRG")
        unit = (EXAMPLES / "fmd-ups.service").read_text(encoding="utf-8")
        self.assertIn(self.grant.format("fmd-ups").replace("\n", "\\n"), unit)
        self.daemon.start()
        # 15 s is too long for a test.
        source = (EXAMPLES / "fmd-ups").read_text(encoding="utf-8")
        self.assertIn("run(every=15)", source)
        program = pathlib.Path(self.folder.name, "fmd-ups")
        program.write_text(source.replace("run(every=15)", "run(every=0.2)"), encoding="utf-8")
        environment = {**os.environ, "UPSC": str(upsc), "FMD_SOCKET": self.daemon.socket, "PYTHONPATH": str(TREE / "plugins/sdk"),
                       "PYTHONDONTWRITEBYTECODE": "1"}
        self.ups = subprocess.Popen([sys.executable, program], env=environment)
        self.addCleanup(self.ups.wait)
        self.addCleanup(self.ups.terminate)

    def says(self, status):
        path = pathlib.Path(self.folder.name, "says")
        path.with_suffix(".new").write_text(UPS.format(status), encoding="utf-8")
        path.with_suffix(".new").rename(path)

    def wait_for_the_ups(self):
        wait_for(lambda: "rack" in json.dumps(self.daemon.stored().get("resource", {})), 20, "the UPS")

    def test_from_mains_to_battery_and_back(self):
        notifier = self.daemon.notifier()
        self.wait_for_the_ups()
        self.says("OB DISCHRG")
        told = notifier.deliver_next(20)
        suspect = told["case"]["suspects"][0]
        self.assertEqual((suspect["class"], suspect["resource"]), ("defect.ups.on-battery", "ups://name=rack"))
        body = " ".join(told["body"].split())
        self.assertIn("The UPS rack (EATON 5P 1550, serial number G355A: 1) has been running on its battery", body)
        self.assertIn("at the last look 80 % were left", body)
        self.says("OL CHRG")
        self.assertEqual(notifier.deliver_next(20)["event"], "resolved")

    def test_it_ends_when_told(self):
        self.wait_for_the_ups()
        self.ups.terminate()
        self.assertEqual(self.ups.wait(10), 0)


if __name__ == "__main__":
    main()
