"""Cockpit: the real cockpit-ws with a session of one user, whose system bus is the simulated host's. No login: the session belongs to the
user who starts it, as with cockpit-desktop. Cockpit finds the page in a data folder of its own."""
import os
import pwd
import shutil

from ports import free_port, listening
from process import Program, wait_for

WEB_SERVERS = ("/usr/lib/cockpit/cockpit-ws", "/usr/libexec/cockpit-ws")


class Cockpit:
    """stage: a Stage (simulator/stage.py). page: the folder of the built page. user: a user id; None: this process' own."""

    def __init__(self, stage, page, user=None):
        self.name = f"cockpit-{user or os.getuid()}"
        self.port = free_port()
        home, data = (stage.path(self.name, folder) for folder in ("home", "data"))
        os.makedirs(home)
        os.makedirs(os.path.join(data, "cockpit", "fmd"))
        for name in ("index.html", "manifest.json", "fmd.css", "main.js"):  # a copy: the build folder may be closed to other users
            shutil.copy(os.path.join(page, name), os.path.join(data, "cockpit", "fmd"))
        command = [next(path for path in WEB_SERVERS if os.path.exists(path)), "--no-tls", "--address=127.0.0.1", f"--port={self.port}",
                   "--local-session=cockpit-bridge"]
        if user is not None:
            os.chown(home, user, pwd.getpwuid(user).pw_gid)
            command = ["setpriv", f"--reuid={user}", f"--regid={pwd.getpwuid(user).pw_gid}", "--clear-groups", "--", *command]
        self.program = Program(self.name, command, stage.path("log", f"{self.name}.log"), {
            "HOME": home, "XDG_DATA_DIRS": f"{data}:/usr/share", "XDG_RUNTIME_DIR": home, "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={stage.bus}", "DBUS_SESSION_BUS_ADDRESS": "disabled:"}, path="/")
        self.stage = stage

    def start(self):
        self.stage.programs[self.name] = self.program.start()
        wait_for(lambda: listening(self.port), 20, "cockpit-ws", programs=[self.program])
        return self

    def address(self, place=""):
        """The page alone. place: what follows "#" in the address."""
        return f"http://127.0.0.1:{self.port}/cockpit/@localhost/fmd/index.html" + (f"#/{place}" if place else "")

    def shell_address(self):
        """The page in Cockpit's own frame, with menu and host switch."""
        return f"http://127.0.0.1:{self.port}/fmd"
