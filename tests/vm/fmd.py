"""fmd in the test machine: installed like its packages, run by systemd."""

import json
import os
import subprocess

from machine import PATIENCE, SHARE


class Fmd:
    def __init__(self, machine):
        self.m = machine

    # --- installation -------------------------------------------------------

    def install(self, destdir):
        """Copies a tree made by `meson install --destdir` into the guest and does what the packages' scripts would do."""
        archive = os.path.join(self.m.share, "xfer", "fmd.tar")
        subprocess.run(["tar", "-C", destdir, "--owner=0", "--group=0", "-cf", archive, "."], check=True)
        # Keep the guest's /lib, a link to usr/lib.
        self.m.sh(f"tar -C / --keep-directory-symlink --no-overwrite-dir -xf {SHARE}/xfer/fmd.tar && "
                  f"rm {SHARE}/xfer/fmd.tar", timeout=300)
        self.m.sh("ldconfig; systemd-sysusers && systemctl daemon-reload && "
                  "{ systemd-tmpfiles --create --prefix=/run/fmd --prefix=/var/lib/fmd --prefix=/sys/firmware/dmi || true; } && "
                  "udevadm control --reload && systemctl reload dbus", timeout=PATIENCE)

    def installed(self):
        return bool(self.units())

    def units(self):
        """fmd's services, the daemon first. (fmd-test-* are the tests' own.)"""
        out = self.m.sh("systemctl list-unit-files --no-legend 'fmd.service' 'fmd-*.service'")
        names = [line.split()[0] for line in out.splitlines()]
        return sorted((n for n in names if not n.startswith("fmd-test-") and "@" not in n),
                      key=lambda n: (n != "fmd.service", n))

    # --- life cycle ----------------------------------------------------------

    def start(self, *units):
        """Starts the named units, or all of them."""
        self.m.sh("systemctl start " + " ".join(units or self.units()), timeout=PATIENCE)

    def stop(self, *units):
        names = units or self.units()
        if names:
            self.m.sh("systemctl stop " + " ".join(reversed(names)), timeout=PATIENCE)

    def restart(self, *units):
        self.m.sh("systemctl restart " + " ".join(units or self.units()), timeout=PATIENCE)

    def enable(self):
        """Enables them at boot."""
        self.m.sh("systemctl enable -q fmd.target")

    def kill(self, unit="fmd.service"):
        """kill -9 of every process of the unit. systemd may start it again."""
        self.m.sh(f"systemctl kill -s KILL {unit}")

    def active(self, unit="fmd.service"):
        return self.m.run(f"systemctl is-active -q {unit}").ok

    def wait_active(self, *units, timeout=30):
        for unit in units or self.units():
            self.m.wait(lambda: self.active(unit), timeout,
                        lambda: f"{unit} to be active\n" + self.m.run(f"systemctl status -n 20 {unit}").out)

    # --- queries ------------------------------------------------------------

    def json(self, command, user=None, timeout=30):
        """The JSON value that a command prints, such as "fmadm faulty --json"."""
        result = self.m.run(command, timeout, user)
        if not result.ok:
            raise AssertionError(str(result))
        try:
            return json.loads(result.out)
        except ValueError:
            raise AssertionError(f"not JSON: {result}") from None

    def configure(self, name, text):
        """Writes /etc/fmd/NAME."""
        self.m.write(f"/etc/fmd/{name}", text)

    def sooner(self, file, *holds):
        """Shortens holds in a file of rules: ("15min", "5s") for each hold of 15 minutes."""
        self.ruled(file, *((f'hold = "{shipped}"', f'hold = "{wanted}"') for shipped, wanted in holds))

    def ruled(self, file, *changes):
        """Replaces lines in a file of shipped rules, effective from fmd's next start."""
        text = self.m.read(f"/usr/share/fmd/rules/{file}")
        for shipped, wanted in changes:
            assert shipped in text, f"no rule of {file} says {shipped}"
            text = text.replace(shipped, wanted)
        self.configure(f"rules.d/{file}", text)

    def journal(self, unit=None, lines=10000):
        which = f"-u {unit}" if unit else "-u fmd.service -u 'fmd-*.service'"
        return self.m.run(f"journalctl -b -q --no-pager -o short-precise -n {lines} {which}").out
