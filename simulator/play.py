#!/usr/bin/python3
"""A complete simulated server to try out: the real fmd and its plugins, and a shell in which fmadm, fmsim, zpool and the tray use
this server. Everything ends with the shell.

play.py --build FOLDER [-c COMMANDS]     -c: runs these commands in the shell; the exit status is the shell's
play.py --mails LOG                      prints the mails that were sent (the shell's command `mails`)
"""
import argparse
import glob
import os
import shlex
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

from process import TimeUp  # noqa: E402  (the path has to be set before)
from sinks import HERE, TREE, accepted_mails  # noqa: E402
from stage import Stage  # noqa: E402

PLUGINS = ("disk", "system", "enclosure", "zfs", "smart", "cpu", "ipmi", "mail")
HOST = {"speed": {"scrub": 20.0, "resilver": 20.0}, "hostname": "simulated", "box": True, "controllers": 1}
CHANNELS = '[[notify]]\nname = "cases"\nchannels = ["mail"]\n'
PROGRAMS = ("fmadm", "fmdump", "fmstat", "fmtopo", "fmtray")
WELCOME = """\
A simulated server is running, with fmd on it: eight bays, six disks in the pool 'tank', a spare, two processors.
In this shell fmadm, fmdump, fmtopo, zpool and smartctl mean this server; fmsim breaks it. Nothing of it is real.

  fmadm                               what is watched, and what is wrong
  fmsim corrupt 4 && fmsim scrub      the disk in bay 4 returns garbage, and a scrub finds it
  fmadm faulty                        what is broken and what to do; 'fmadm resilver': how far the spare is
  mails                               the mail that fmd has sent
  fmadm locate on "SLOT 04"           let the bay blink ('fmsim show' shows the lights)
  fmsim pull 4 && fmsim insert 4      swap the disk; the case closes when the new one holds all data
  fmsim cable 1 broken                all disks behind the controller fail at once: one case, about what they share
  fmsim --help, man fmadm             what else can go wrong, and what else fmadm does
{tray}  exit                                end it all
"""


class Play:
    def __init__(self, stage):
        self.stage = stage
        self.bin = stage.path("play")

    def prepare(self):
        """Creates a folder of commands that use this server, and the manual pages in the layout of man(1)."""
        os.makedirs(self.bin)
        for name in PROGRAMS:
            try:
                os.symlink(self.stage.binary(name), os.path.join(self.bin, name))
            except FileNotFoundError:  # the tray may not be built
                continue
        self.script("fmsim", f'FMSIM_HOST={quoted(self.stage.host.folder)} exec {quoted(HERE, "fmsim")} "$@"\n')
        self.script("mails", f'exec /usr/bin/python3 {quoted(os.path.abspath(__file__))} --mails {quoted(self.stage.mail.log)}\n')
        # Manual pages of the source tree; man(1) finds those of the packages itself.
        for page in glob.glob(os.path.join(TREE, "man", "*.[158]")) + glob.glob(os.path.join(TREE, "plugins", "*", "*.[158]")):
            folder = self.stage.path("man", f"man{page[-1]}")
            os.makedirs(folder, exist_ok=True)
            os.symlink(page, os.path.join(folder, os.path.basename(page)))

    def script(self, name, text):
        path = os.path.join(self.bin, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, 0o755)

    def environment(self):
        path = os.pathsep.join((self.bin, self.stage.host.path("bin"), os.environ.get("PATH", "/usr/bin:/bin")))
        return {**os.environ, "PATH": path, "FMD_BUS_ADDRESS": f"unix:path={self.stage.bus}", "FMD_SOCKET": self.stage.socket,
                "FMD_BUILD": self.stage.build or "", "FMD_RULES": ":".join(self.stage.rule_folders), "FMD_EVENTS": ":".join(self.stage.event_folders),
                "MANPATH": f"{self.stage.path('man')}:{os.environ.get('MANPATH', '')}"}

    def startup_file(self):
        """The user's startup file, which may set PATH and the prompt, then ours."""
        path = self.stage.path("etc", "bashrc")
        completion = os.path.join(TREE, "data", "completions", "fmd.bash")
        if not os.path.exists(completion):  # installed: share/fmd is TREE
            completion = os.path.join(os.path.dirname(TREE), "bash-completion", "completions", "fmadm")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"[ ! -r ~/.bashrc ] || . ~/.bashrc\nPATH={shlex.quote(self.environment()['PATH'])}\n"
                       f"PS1='simulated# '\n[ -z \"$(type -t _init_completion)\" ] || . {quoted(completion)}\n")
        return path

    def shell(self, commands):
        """Runs the shell; returns its exit status."""
        if commands is not None:
            signal.signal(signal.SIGINT, on_signal)
            return subprocess.call(["/bin/bash", "-c", commands], env=self.environment())
        tray = "  fmtray &                            the same on the desktop\n"
        has_screen = os.path.exists(os.path.join(self.bin, "fmtray")) and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
        print(WELCOME.format(tray=tray if has_screen else ""), flush=True)
        return subprocess.call(["/bin/bash", "--rcfile", self.startup_file(), "-i"], env=self.environment())


def quoted(*names):
    return shlex.quote(os.path.join(*names))


def print_mails(log):
    mails = accepted_mails(log)
    if not mails:
        print("No mail has been sent yet.")
    for mail in mails:
        print(f"From: {mail['from']}\nTo: {', '.join(mail['to'])}\nSubject: {mail['subject']}\n\n{mail['body']}\n{'-' * 72}")


def on_signal(number, _):
    raise SystemExit(128 + number)


def main():
    parser = argparse.ArgumentParser(description="A simulated server with fmd on it, and a shell to play with both.")
    parser.add_argument("--build", help="folder fmd was built in; the installed programs when left out")
    parser.add_argument("-c", dest="commands", metavar="COMMANDS", help="run these in place of an interactive shell")
    parser.add_argument("--mails", metavar="LOG", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.mails:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # for `mails | head`
        print_mails(options.mails)
        return 0
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, on_signal)
    if options.commands is None:
        print("Starting the simulated server and fmd ...", flush=True)
    stage = Stage(options.build, HOST, plugins=PLUGINS, files={"fmd.toml": CHANNELS})
    try:
        stage.host.bmc([])
        stage.start()
        stage.wait(lambda: stage.resources("zfs-pool") and stage.resources("cpu") and stage.resources("psu"), 30,
                   "fmd to know the pool, the processors and the power supplies")
        # From here on Ctrl-C belongs to the shell. Not SIG_IGN, which its children would inherit.
        signal.signal(signal.SIGINT, lambda *_: None)
        play = Play(stage)
        play.prepare()
        status = play.shell(options.commands)
        return status if status >= 0 else 128 - status  # as shells report a signal
    except TimeUp as problem:
        print(f"play: {problem}\n{stage.logs()}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        stage.stop()


if __name__ == "__main__":
    sys.exit(main())
