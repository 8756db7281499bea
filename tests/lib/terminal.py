"""Terminal: a program on a pty of 80 columns, with a person who waits for what it shows and answers."""
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
        """case: the unittest.TestCase at whose end it is closed."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        # A session of its own with the pty as its terminal: Ctrl-C arrives as on a real one.
        self.process = subprocess.Popen(["setsid", "--ctty", "--wait", *command], stdin=theirs, stdout=theirs, stderr=theirs,
                                        env=env, cwd=cwd)
        os.close(theirs)
        self.fd, self.seen, self.all = ours, "", ""
        case.addCleanup(self.close)

    def close(self, wait=False):
        """The terminal is gone. wait: what runs on it is given the time to end by itself."""
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
        """The name of the program that the terminal's keys signal ("" where it has just ended)."""
        try:
            return pathlib.Path(f"/proc/{os.tcgetpgrp(self.fd)}/comm").read_text(encoding="utf-8").strip()
        except OSError:
            return ""

    def read_until(self, shown, what, seconds):
        """Reads until shown() is something; that."""
        end = time.monotonic() + seconds
        while not (found := shown()):
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            try:
                got = os.read(self.fd, 65536).decode() if ready else ""
            except OSError:  # the other side is closed
                got = ""
            if not got:
                raise AssertionError(f"{what} did not come: {self.all}")
            self.seen += got.replace("\r", "")
            self.all += got.replace("\r", "")
        return found

    def until(self, text, seconds=60):
        """Reads until the text was shown, wherever its line was broken; what came after the text before."""
        pattern = re.compile(r"\s+".join(map(re.escape, re.split(r"\s+", text))))
        found = self.read_until(lambda: pattern.search(self.seen), repr(text), seconds)
        before, self.seen = self.seen[:found.start()], self.seen[found.end():]
        return before

    def say(self, line, seconds=60):
        """Answers the question at the cursor. One typed before it was asked would be echoed before it, and no end of line
        would part the question from what is shown next."""
        self.read_until(lambda: self.all.endswith(QUESTION_ENDS), "a question", seconds)
        os.write(self.fd, line.encode() + b"\n")

    def hear(self, *pairs):
        """Waits for each text, and answers."""
        for text, line in pairs:
            self.until(text)
            self.say(line)

    def end(self):
        """Its exit status. What it showed has fitted into 80 columns."""
        status = self.process.wait(60)
        for line in self.all.splitlines():
            too_long = len(line) > 80 and not line.startswith("fmadm: ") and max(map(len, line.split())) < 40
            assert not too_long, line
        return status
