"""Child programs, each with its own log, which end with this program at the latest."""
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
    """Process file descriptors of all descendants."""
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
    """One running program. Its output is appended to its log file, across restarts. When it ends, its descendants end too, as in a
    systemd unit."""

    def __init__(self, name, command, log, environment=None, path=None, groups=None):
        self.name, self.command, self.log = name, [str(word) for word in command], log
        self.environment = dict(os.environ, **(environment or {}))
        self.cwd, self.groups = path, groups  # groups: supplementary
        self.process = None
        self.told_to_end = False

    def start(self):
        self.told_to_end = False
        with open(self.log, "ab") as output:
            # A session of its own: the terminal's Ctrl-C is only for the program that starts and stops these.
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                            env=self.environment, cwd=self.cwd, start_new_session=True,
                                            preexec_fn=_die_with_parent, extra_groups=self.groups)
        return self

    def running(self):
        return self.process is not None and self.process.poll() is None

    def ended_by_itself(self):
        """How it ended, in words; None if it runs, never did, or was told to end."""
        if self.told_to_end or self.process is None or self.process.poll() is None:
            return None
        return ending(self.process.returncode)

    def signal(self, number):
        if self.running():
            self.process.send_signal(number)

    def kill(self):
        """Sends SIGKILL and waits for the end."""
        if not self.process:
            return
        self.told_to_end = True
        self.signal(signal.SIGSTOP)  # so that it starts nothing more
        rest = _offspring(self.process.pid) if self.running() else []
        self.signal(signal.SIGKILL)
        self.process.wait()
        _end_all(rest)

    def stop(self, seconds=5):
        """Asks it to end, and kills it after that time. Returns its exit status, None if it never ran."""
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
    """A return code of subprocess in words."""
    return f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"


def patience(seconds=PATIENCE):
    """The time limit in seconds for a wait that must succeed. A busy machine is no failure: at least a minute, multiplied by
    FMD_TEST_PATIENCE."""
    return max(seconds, PATIENCE) * float(os.environ.get("FMD_TEST_PATIENCE", "1"))


class TimeUp(Exception):
    """The awaited condition did not become true."""


class Ended(TimeUp):
    """It never will: a program that it needs has ended."""


def wait_for(condition, seconds, what, every=0.05, programs=()):
    """Waits until condition() returns something true, and returns that. Raises TimeUp with `what` (a text or a function that makes one)
    after the time limit (see patience()), or Ended immediately if one of the programs has ended by itself."""
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
