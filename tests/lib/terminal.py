"""Terminal: runs a program on a pty of 80 columns, with a simulated user who waits for output and answers questions."""
import fcntl
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import termios
import time

QUESTION_ENDS = (": ", "] ", "]? ")


class Terminal:
    def __init__(self, case, command, env=None, cwd=None):
        """case: the unittest.TestCase that closes it at its end."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        # A session with the pty as its controlling terminal: Ctrl-C works as on a real one.
        self.process = subprocess.Popen(["setsid", "--ctty", "--wait", *command], stdin=theirs, stdout=theirs, stderr=theirs,
                                        env=env, cwd=cwd)
        os.close(theirs)
        self.fd, self.seen, self.all = ours, "", ""
        case.addCleanup(self.close)

    def close(self, wait=False):
        """Closes the terminal. wait: give the program time to end by itself."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
        if wait:
            self.process.wait(60)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def child(self):
        """The program itself, below setsid(1)."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text(encoding="ascii").split()
        return int(children[0]) if children else self.process.pid

    def in_front(self):
        """The name of the terminal's foreground program ("" if it has just ended)."""
        try:
            return pathlib.Path(f"/proc/{os.tcgetpgrp(self.fd)}/comm").read_text(encoding="utf-8").strip()
        except OSError:
            return ""

    def read_until(self, shown, what, seconds):
        """Reads until shown() returns something; returns that."""
        end = time.monotonic() + seconds
        while not (found := shown()):
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            try:
                got = os.read(self.fd, 65536).decode() if ready else ""
            except OSError:  # EIO: the other side is closed
                got = ""
            if not got:
                raise AssertionError(f"{what} did not come: {self.all}")
            self.seen += got.replace("\r", "")
            self.all += got.replace("\r", "")
        return found

    def until(self, text, seconds=60):
        """Reads until the text appears, however its lines are broken; returns what came before it."""
        pattern = re.compile(r"\s+".join(map(re.escape, re.split(r"\s+", text))))
        found = self.read_until(lambda: pattern.search(self.seen), repr(text), seconds)
        before, self.seen = self.seen[:found.start()], self.seen[found.end():]
        return before

    def say(self, line, seconds=60):
        """Answers the question at the cursor. Typing earlier would echo the answer before the question, and no line end would separate
        the question from later output."""
        self.read_until(lambda: self.all.endswith(QUESTION_ENDS), "a question", seconds)
        os.write(self.fd, line.encode() + b"\n")

    def hear(self, *pairs):
        """Waits for each text, then answers."""
        for text, line in pairs:
            self.until(text)
            self.say(line)

    def end(self):
        """Returns the exit status. Asserts that all output fitted into 80 columns."""
        status = self.process.wait(60)
        for line in self.all.splitlines():
            too_long = len(line) > 80 and not line.startswith("fmadm: ") and max(map(len, line.split())) < 40
            assert not too_long, line
        return status
