"""Programs that run beside the one that started them, each with its own log, and end with it at the latest."""
import ctypes
import os
import select
import signal
import subprocess
import time

PR_SET_PDEATHSIG = 1
PATIENCE = 60  # seconds
_libc = ctypes.CDLL(None)


def _die_with_parent():
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _offspring(pid):
    """Of what it has started, and what those have: process file descriptors."""
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                for child in map(int, file.read().split()):
                    found += [os.pidfd_open(child), *_offspring(child)]
    except OSError:  # it has ended meanwhile
        pass
    return found


def _end_all(processes):
    for process in processes:
        try:
            signal.pidfd_send_signal(process, signal.SIGKILL)
            select.select([process], [], [], 10)
        except ProcessLookupError:
            pass
        os.close(process)


class Program:
    """One running program. What it prints goes to its log file, added to over restarts. When it ends, what it has started ends
    too, as in a unit of systemd's."""

    def __init__(self, name, command, log, environment=None, path=None, groups=None):
        self.name, self.command, self.log = name, [str(word) for word in command], log
        self.environment = dict(os.environ, **(environment or {}))
        self.cwd, self.groups = path, groups  # groups: supplementary ones
        self.process = None
        self.told_to_end = False

    def start(self):
        self.told_to_end = False
        with open(self.log, "ab") as output:
            # A session of its own: the terminal's Ctrl-C goes to the program that starts and stops these.
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                            env=self.environment, cwd=self.cwd, start_new_session=True,
                                            preexec_fn=_die_with_parent, extra_groups=self.groups)
        return self

    def running(self):
        return self.process is not None and self.process.poll() is None

    def ended_by_itself(self):
        """How, in words; None when it runs, never did, or was told to end."""
        if self.told_to_end or self.process is None or self.process.poll() is None:
            return None
        return ending(self.process.returncode)

    def signal(self, number):
        if self.running():
            self.process.send_signal(number)

    def kill(self):
        """kill -9, and waits until it is gone."""
        if not self.process:
            return
        self.told_to_end = True
        self.signal(signal.SIGSTOP)  # it starts nothing more
        rest = _offspring(self.process.pid) if self.running() else []
        self.signal(signal.SIGKILL)
        self.process.wait()
        _end_all(rest)

    def stop(self, seconds=5):
        """Asks it to end; kills it when it has not. Returns its exit status, None when it never ran."""
        if not self.process:
            return None
        self.told_to_end = True
        rest = _offspring(self.process.pid) if self.running() else []
        self.signal(signal.SIGCONT)
        self.signal(signal.SIGTERM)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
        _end_all(rest)
        return self.process.returncode

    def tail(self, lines=20):
        try:
            with open(self.log, encoding="utf-8", errors="replace") as file:
                return "".join(file.readlines()[-lines:])
        except FileNotFoundError:
            return ""


def ending(status):
    """A return code of subprocess's in words."""
    return f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"


def patience(seconds=PATIENCE):
    """How long a wait that must succeed may take, in seconds. A busy machine is no failure: at least a minute, and
    FMD_TEST_PATIENCE multiplies it."""
    return max(seconds, PATIENCE) * float(os.environ.get("FMD_TEST_PATIENCE", "1"))


class TimeUp(Exception):
    """What was waited for did not come."""


class Ended(TimeUp):
    """Nor will it: a program that it needs has ended."""


def wait_for(condition, seconds, what, every=0.05, programs=()):
    """Waits until condition() gives something true and returns that; raises TimeUp, saying what (a text or a
    function that makes one), when the time is up (see patience()), and Ended at once when one of the programs has ended by
    itself."""
    seconds = patience(seconds)
    deadline = time.monotonic() + seconds

    def missing():
        return what() if callable(what) else what
    while True:
        result = condition()
        if result:
            return result
        for program in programs:
            if program.ended_by_itself():
                raise Ended(f"{program.name} {program.ended_by_itself()}, and {missing()} will not come. Its log ends:\n"
                            f"{program.tail()}")
        if time.monotonic() >= deadline:
            raise TimeUp(f"not within {seconds:g} s: {missing()}")
        time.sleep(every)
