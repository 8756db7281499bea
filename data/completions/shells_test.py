#!/usr/bin/python3
"""shells_test.py COMPLETIONS ZSH|FISH: a person at that shell types the beginning of a command, TAB and Enter. What the command gets is the
label that completion inserted, as text, however hostile, and nothing of it has run.

The shell is the real one, on a terminal of its own; fmadm and fmtopo are functions in it."""
import fcntl
import json
import os
import pty
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import threading
import unittest

FOLDER, SHELL = os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1)
sys.path.append(os.path.join(FOLDER, "..", "..", "simulator"))

from process import wait_for  # noqa: E402

LABELS = ("$(touch pwned)", "`touch pwned`", "it's", "a;touch pwned", "(touch pwned)", "SLOT 06", "a&touch pwned")
ZSH = """PS1='> '
fpath=({folder} $fpath)
autoload -Uz compinit
compinit -u -D
fmtopo() {{ cat label.json }}
fmadm() {{ print -rNn -- "$@" >got.new; mv got.new got }}
precmd() {{ touch ready }}
"""
FISH = """source {folder}/fmadm.fish
function fmtopo; cat label.json; end
function fmadm; printf '%s\\0' $argv >got.new; mv got.new got; end
function fish_prompt; touch ready; echo '> '; end
"""


class Typed(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.mkdtemp(prefix="fmd-shell-")
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)
        text, self.command = {"zsh": (ZSH, [SHELL, "-i"]), "fish": (FISH, [SHELL, "--no-config", "-i", "-C", f"source {self.path('rc.fish')}"])}[
            os.path.basename(SHELL)]
        for name in (".zshrc", "rc.fish"):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(text.format(folder=shlex.quote(FOLDER)))
        self.terminal, inner = pty.openpty()
        self.addCleanup(os.close, self.terminal)
        environment = {**os.environ, "HOME": self.home, "ZDOTDIR": self.home, "XDG_CONFIG_HOME": self.home, "XDG_DATA_HOME": self.home,
                       "XDG_RUNTIME_DIR": self.home, "TERM": "xterm", "LC_ALL": "C.UTF-8"}
        self.shell = subprocess.Popen(self.command, cwd=self.home, env=environment, stdin=inner, stdout=inner, stderr=inner,
                                      start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(inner)
        self.addCleanup(self.shell.wait)
        self.addCleanup(self.shell.send_signal, signal.SIGKILL)
        self.shown = b""
        threading.Thread(target=self.read, daemon=True).start()

    def path(self, name):
        return os.path.join(self.home, name)

    def read(self):
        try:
            while more := os.read(self.terminal, 4096):
                self.shown += more
        except OSError:  # the shell has ended
            pass

    def there(self, name):
        return os.path.exists(self.path(name))

    def typed(self, begun, label):
        """What the command gets when the word that begins so is completed."""
        with open(self.path("label.json"), "w", encoding="utf-8") as file:
            json.dump([{"label": label}], file, indent=2)
        wait_for(lambda: self.there("ready"), 20, "a prompt")
        os.unlink(self.path("ready"))
        os.write(self.terminal, f"fmadm retire {begun}\t\r".encode())
        wait_for(lambda: self.there("got"), 20, lambda: f"the command; on the terminal: {self.shown[-2000:]!r}")
        with open(self.path("got"), "rb") as file:
            got = file.read().decode()
        os.unlink(self.path("got"))
        return got.rstrip("\0").split("\0")

    def test_what_is_completed_is_text(self):
        for begun in ("", '"', "'"):
            for label in LABELS:
                self.assertEqual(self.typed(begun, label), ["retire", label], f"begun with <{begun}>")
                self.assertFalse(self.there("pwned"), f"begun with <{begun}>: {label} ran")


if __name__ == "__main__":
    unittest.main()
