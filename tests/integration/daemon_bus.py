"""A daemon on a private bus, which root and another user may query."""
import json
import os
import pwd
import grp
import subprocess
import sys
import time

from daemon_case import DaemonCase

import own_bus
from process import patience, wait_for

OTHER = 65534  # "nobody": an ordinary user
OTHER_NAME, OTHER_GROUP = pwd.getpwuid(OTHER).pw_name, grp.getgrgid(OTHER).gr_name
AS_OTHER = {"user": OTHER, "group": OTHER, "extra_groups": []}
FMD = ["org.fmd.FaultManager1", "/org/fmd/FaultManager1", "org.fmd.FaultManager1"]


class BusCase(DaemonCase):
    start = False
    environment = {}
    limits = {}  # of the bus

    def setUp(self):
        super().setUp()
        os.chmod(self.daemon.folder, 0o711)
        bus, self.bus = own_bus.start(self.daemon, self.limits)
        self.addCleanup(bus.kill)
        self.daemon.program.environment.update(self.environment)
        self.daemon.start()
        wait_for(lambda: self.call("GetConfig").returncode == 0, 20, "fmd on the bus")

    def call(self, method, *arguments, interface=FMD[2], **user):
        """dbus-send; user: **AS_OTHER."""
        command = ["dbus-send", f"--bus=unix:path={self.bus}", "--print-reply=literal", f"--reply-timeout={round(patience() * 1000)}", f"--dest={FMD[0]}", FMD[1],
                   f"{interface}.{method}", *(a if a.startswith("boolean:") else f"string:{a}" for a in arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=patience(), check=False, cwd="/", **user)

    def ask(self, method, *arguments, **user):
        """fmd's answer: (document, seconds)."""
        begun = time.monotonic()
        ran = self.call(method, *arguments, **user)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return json.loads(ran.stdout), time.monotonic() - begun

    def pages(self, name, filters, **user):
        """The whole list, read page by page, and the number of pages."""
        items, count, page = [], 0, {"more": True, "next": ""}
        while page["more"]:
            page, _ = self.ask("ListPage", name, json.dumps(filters | {"after": page["next"]}), **user)
            items, count = items + page["items"], count + 1
        return items, count


def as_root(main):
    """Runs a test with a real second user, which requires root or a user namespace."""
    if os.geteuid() != 0:
        os.execvp("unshare", ["unshare", "--user", "--map-root-user", "--map-auto", sys.executable, *sys.argv])
    main()
