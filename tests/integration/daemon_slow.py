#!/usr/bin/python3
"""The disk under fmd's database hangs: fmd answers, diagnoses and tells all the same, and nothing is lost or done twice when the
disk is back. Run as: daemon_slow.py PATH-OF-FMD SLOW-FSYNC-LIBRARY"""
import json
import os
import subprocess
import sys
import time

from daemon_case import NOW_CLASS, DaemonCase, NoAnswer, disk, event, main

from process import Program, wait_for

LIBRARY = os.path.abspath(sys.argv.pop(2))
STORE = "fmd://store"
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><listen>unix:path={}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
"""


class Slow(DaemonCase):
    start = False

    def setUp(self):
        super().setUp()
        path = self.daemon.folder
        self.bus, self.hung = os.path.join(path, "bus"), os.path.join(path, "hung")
        with open(os.path.join(path, "bus.conf"), "w", encoding="utf-8") as file:
            file.write(BUS.format(self.bus))
        bus = Program("bus", ["dbus-daemon", "--nofork", "--nopidfile", f"--config-file={path}/bus.conf"],
                      os.path.join(path, "bus.log")).start()
        self.addCleanup(bus.kill)
        wait_for(lambda: os.path.exists(self.bus), 20, "the bus")
        program = self.daemon.program
        program.command[program.command.index("none")] = f"unix:path={self.bus}"
        program.environment.update(LD_PRELOAD=LIBRARY, SLOW_FSYNC=self.hung)
        self.daemon.start()

    def hang(self):
        with open(self.hung, "w", encoding="utf-8"):
            pass

    def recover(self):
        os.unlink(self.hung)

    def ask(self, method, *arguments):
        """What fmd answers: (the document, seconds)."""
        command = ["dbus-send", f"--bus=unix:path={self.bus}", "--print-reply=literal", "--dest=org.fmd.FaultManager1",
                   "/org/fmd/FaultManager1", f"org.fmd.FaultManager1.{method}", *(f"string:{text}" for text in arguments)]
        begun = time.monotonic()
        ran = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return json.loads(ran.stdout), time.monotonic() - begun

    def cases_now(self):
        return {c["suspects"][0]["resource"]: c["state"] for c in self.ask("ListCases", '{"all":true}')[0]}

    def test_who_asks_is_answered_and_what_comes_is_seen_and_told(self):
        notifier = self.daemon.notifier()
        plugin = self.daemon.plugin("source")
        plugin.events([event(NOW_CLASS, disk(1))], cursor="1")
        notifier.deliver_next()
        usual = min(self.ask("ListCases", "{}")[1] for _ in range(5))
        self.hang()
        request = plugin.send_events([event(NOW_CLASS, disk(2))], cursor="2")
        wait_for(lambda: disk(2) in self.cases_now(), 10, "the case, from memory")
        slowest = max(self.ask(*query)[1] for query in [("ListCases", "{}"), ("ListResources", "{}"), ("GetConfig",)] * 5)
        self.assertLess(slowest, usual + 2, "a dbus-send each; the disk hangs all the while")
        with self.assertRaises(NoAnswer):
            plugin.result(request, 0.5)
        told = {notifier.deliver_next(15)["case"]["suspects"][0]["resource"] for _ in range(2)}
        self.assertEqual(told, {disk(2), STORE}, "both told, though nothing can be written")
        self.recover()
        self.assertEqual(plugin.result(request)["cursor"], "2")
        self.daemon.wait_log("the store took")
        plugin.events([event(NOW_CLASS, disk(3))], cursor="3")
        self.assertEqual(notifier.deliver_next()["case"]["suspects"][0]["resource"], disk(3))
        self.assertEqual(len(notifier.attempts), len(set(notifier.attempts)), "nothing is told twice")
        self.assertEqual([c["suspects"][0]["resource"] for c in self.cases()], [disk(1), disk(2), STORE, disk(3)])

    def test_killed_while_the_disk_hangs_what_was_acked_is_there(self):
        plugin = self.daemon.plugin("source")
        plugin.events([event(NOW_CLASS, disk(1))], cursor="1")
        self.hang()
        plugin.send_events([event(NOW_CLASS, disk(2))], cursor="2")
        wait_for(lambda: disk(2) in self.cases_now(), 10, "the case")
        self.recover()  # kill -9 ends it as soon as the disk lets go of it
        self.restart()
        plugin = self.daemon.plugin("source", hello=False)
        cursor = plugin.hello()["cursor"]
        self.assertIn(cursor, ("1", "2"))
        if cursor == "1":  # as a plugin does: what was not acked comes again
            plugin.events([event(NOW_CLASS, disk(2))], cursor="2")
        self.assertEqual([c["suspects"][0]["resource"] for c in self.cases()], [disk(1), disk(2)])

    def test_ends_with_what_it_had(self):
        plugin = self.daemon.plugin("source")
        self.hang()
        plugin.send_events([event(NOW_CLASS, disk(1))], cursor="1")
        wait_for(lambda: disk(1) in self.cases_now(), 10, "the case")
        self.recover()
        self.assertEqual([c["suspects"][0]["resource"] for c in self.cases()], [disk(1)])


if __name__ == "__main__":
    main()
