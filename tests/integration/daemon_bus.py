"""A daemon on a bus of the test's own, which root and another user may ask."""
import json
import os
import pwd
import grp
import subprocess
import sys
import time

from daemon_case import DaemonCase

from process import Program, wait_for

OTHER = 65534  # "nobody": a user like any
OTHER_NAME, OTHER_GROUP = pwd.getpwuid(OTHER).pw_name, grp.getgrgid(OTHER).gr_name
AS_OTHER = {"user": OTHER, "group": OTHER, "extra_groups": []}
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><listen>unix:path={}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
"""
FMD = ["org.fmd.FaultManager1", "/org/fmd/FaultManager1", "org.fmd.FaultManager1"]


class BusCase(DaemonCase):
    start = False
    environment = {}

    def setUp(self):
        super().setUp()
        path = self.daemon.folder
        os.chmod(path, 0o711)
        self.bus = os.path.join(path, "bus")
        with open(os.path.join(path, "bus.conf"), "w", encoding="utf-8") as file:
            file.write(BUS.format(self.bus))
        bus = Program("bus", ["dbus-daemon", "--nofork", "--nopidfile", f"--config-file={path}/bus.conf"],
                      os.path.join(path, "bus.log")).start()
        self.addCleanup(bus.kill)
        wait_for(lambda: os.path.exists(self.bus), 20, "the bus")
        program = self.daemon.program
        program.command[program.command.index("none")] = f"unix:path={self.bus}"
        program.environment.update(self.environment)
        self.daemon.start()
        wait_for(lambda: self.call("GetConfig").returncode == 0, 20, "fmd on the bus")

    def call(self, method, *arguments, interface=FMD[2], **user):
        """dbus-send; user: **AS_OTHER."""
        command = ["dbus-send", f"--bus=unix:path={self.bus}", "--print-reply=literal", f"--dest={FMD[0]}", FMD[1],
                   f"{interface}.{method}", *(a if a.startswith("boolean:") else f"string:{a}" for a in arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd="/", **user)

    def ask(self, method, *arguments, **user):
        """What fmd answers: (the document, seconds)."""
        begun = time.monotonic()
        ran = self.call(method, *arguments, **user)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return json.loads(ran.stdout), time.monotonic() - begun

    def pages(self, name, filters, **user):
        """The whole list, page by page, and how many pages it had."""
        items, count, page = [], 0, {"more": True, "next": ""}
        while page["more"]:
            page, _ = self.ask("ListPage", name, json.dumps(filters | {"after": page["next"]}), **user)
            items, count = items + page["items"], count + 1
        return items, count


def as_root(main):
    """Runs a test whose other user is a real one: that takes root's right, or that of a namespace."""
    if os.geteuid() != 0:
        os.execvp("unshare", ["unshare", "--user", "--map-root-user", "--map-auto", sys.executable, *sys.argv])
    main()
