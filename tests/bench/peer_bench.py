"""Peers of the storm (--peers), with the same events and alternating with fmd: Esper and SEC, which apply the rule in memory only, and
the script that ZED starts for each event. A peer that is unavailable is reported on stderr and has no figure."""
import collections
import contextlib
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

import as_zed

FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers")
WARM_UP = 1_000_000  # uncounted events for Esper: Java compiles hot code
PASSES = 3  # Esper's passes per turn; the median counts, since a garbage collection doubles a pass's time
THRESHOLD = 10  # the rule's threshold, as in checksum.epl and checksum.sec
ZEDLETS = 500  # events
JOBS = 16  # ZED's default number of parallel zedlets
ZEDLET, FUNCTIONS = "usr/lib/zfs-linux/zed.d/all-syslog.sh", "etc/zfs/zed.d/zed-functions.sh"


class NoFigure(Exception):
    """Why a peer has no figure."""


class Peer(contextlib.ExitStack):
    """One peer in one storm. Each has turn(), which measures once, and told(), which computes figures from the turns."""
    name = ""

    def __init__(self, where, texts, sick, folder):
        """where: result of look(); texts: the events as JSON; sick: guids of the sick vdevs; folder: for its files."""
        super().__init__()
        self.where, self.texts, self.sick, self.folder = where, texts, sick, folder
        self.turns, self.failed = [], False

    def take_turn(self):
        if not self.failed:
            try:
                self.turns.append(self.turn())
            except (OSError, subprocess.SubprocessError, ValueError, NoFigure) as problem:
                self.failed = True
                complain(self.name, problem)

    def figures(self, own):
        """[(name, value, unit, note)]; own: fmd's events per second in each round."""
        return [] if self.failed else self.told(own)

    def file_of(self, lines):
        file = self.enter_context(tempfile.NamedTemporaryFile("w", dir=self.folder, prefix="fmd-peer-"))
        file.writelines(line + "\n" for line in lines)
        file.flush()
        return file.name


class Esper(Peer):
    """Keeps running between turns, since it gets faster, but stopped with a signal so that it uses no CPU."""
    name = "Esper"
    process = log = None

    @staticmethod
    def look():
        need("java", "javac")
        return fetched("esper")

    def start(self):
        self.log = self.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace"))
        command = ["java", "-cp", os.path.join(self.where, "*"), os.path.join(FILES, "EsperStorm.java"), self.file_of(self.texts), os.path.join(FILES, "checksum.epl")]
        self.process = self.enter_context(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True))
        self.callback(self.process.kill)
        for _ in range(0, WARM_UP, 2 * len(self.texts)):  # a pass uses all events twice: with and without parsing
            self.ask()

    def turn(self):
        if not self.process:
            self.start()
        self.process.send_signal(signal.SIGCONT)
        passes = [esper_rates(self.ask(), len(self.texts), self.sick) for _ in range(PASSES)]
        self.process.send_signal(signal.SIGSTOP)
        return tuple(map(statistics.median, zip(*passes)))

    def ask(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write("\n")
            self.process.stdin.flush()
        if answer := self.process.stdout.readline():
            return answer
        self.log.seek(0)
        raise NoFigure(f"it ended: {self.log.read()}")

    def told(self, own):
        whole, parsed = zip(*self.turns)
        return [("esper", statistics.median(whole), "events/s", "Esper, in memory only, one thread: from JSON lines to exactly the sick ones"),
                ("esper_parsed", statistics.median(parsed), "events/s", "the same, but lines were parsed before"),
                ("esper_ratio", statistics.median(a / b for a, b in zip(own, whole)), "ratio", "fmd to Esper with its parsing, in turn")]


def esper_rates(answer, count, sick):
    """Events per second, with and without parsing, from EsperStorm's output."""
    found = json.loads(answer)
    if found["events"] != count or sorted(found["sick"]) != sorted(sick):
        raise NoFigure(f"it found {len(found['sick'])} vdevs in {found['events']} events, and not those {len(sick)} that are sick")
    return count / found["seconds"], count / found["parsed_seconds"]


class Sec(Peer):
    """Reads a log of the events. To its clock they all happen now, so every vdev with ten errors must be found."""
    name = "SEC"
    files = ()

    @staticmethod
    def look():
        need("sec")
        return "sec"

    def turn(self):
        if not self.files:
            lines = [as_zed.log_line(text) for text in self.texts]
            self.files, self.expected = (self.file_of([]), self.file_of(lines)), at_threshold(lines)
        (start, _), (took, output) = map(self.run, self.files)
        if (found := sec_found(output)) != self.expected:
            raise NoFigure(f"it found {len(found)} vdevs, and not those {len(self.expected)} that have {THRESHOLD} errors")
        return len(self.texts) / (took - start)

    def run(self, path):
        begun = time.monotonic()
        ran = subprocess.run([self.where, f"--conf={os.path.join(FILES, 'checksum.sec')}", f"--input={path}", "--notail", "--debug=3"],
                             check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True, timeout=600)
        return time.monotonic() - begun, ran.stdout

    def told(self, own):
        return [("sec", statistics.median(self.turns), "events/s",
                 "SEC, in memory only, log lines; it counts by when it reads them, so every vdev is found: only the speed compares")]


def sec_found(output):
    return sorted(line for line in output.splitlines() if line.startswith("0x"))


def at_threshold(lines):
    """The vdevs with at least THRESHOLD errors."""
    counts = collections.Counter(line.partition(" vdev_guid=")[2].split()[0] for line in lines)
    return sorted(vdev for vdev, count in counts.items() if count >= THRESHOLD)


class Zedlets(Peer):
    """ZED starts each enabled script for the event: in Debian, for a checksum error, only all-syslog.sh."""
    name = "ZED's zedlets"
    own = ""

    @staticmethod
    def look():
        need("logger")
        return "/" if all(os.path.exists(f"/{path}") for path in (ZEDLET, FUNCTIONS)) else fetched("zedlets")

    def prepare(self):
        self.own = self.enter_context(tempfile.TemporaryDirectory(dir=self.folder, prefix="fmd-zedlets-"))
        for path in (ZEDLET, FUNCTIONS):
            shutil.copy(os.path.join(self.where, path), self.own)
        # Nothing must reach this machine's log: logger, given this test's socket, does everything but the final write, and its output is
        # counted.
        self.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)).bind(os.path.join(self.own, "socket"))
        with open(os.path.join(self.own, "zed.rc"), "w", encoding="utf-8") as file:
            file.write('ZED_SYSLOG_SUBCLASS_EXCLUDE="history_event"\n'
                       'logger() { command logger --no-act --stderr --socket "$ZED_ZEDLET_DIR/socket" "$@"; }\n')

    def turn(self):
        if not self.own:
            self.prepare()
        environments = [as_zed.environment(text, self.own) for text in self.texts[:ZEDLETS]]
        script, log = os.path.join(self.own, os.path.basename(ZEDLET)), os.path.join(self.own, "log")
        to = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
              (os.POSIX_SPAWN_OPEN, 2, log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)]
        running, statuses = collections.deque(), []
        begun = time.monotonic()
        for environment in environments:
            if len(running) == JOBS:
                statuses.append(os.waitpid(running.popleft(), 0)[1])
            running.append(os.posix_spawn(script, [script], environment, file_actions=to))
        statuses += [os.waitpid(pid, 0)[1] for pid in running]
        took = time.monotonic() - begun
        with open(log, encoding="utf-8", errors="replace") as file:
            logged = zedlets_logged(file.read())
        os.unlink(log)
        if any(statuses) or logged != len(environments):
            raise NoFigure(f"{logged} of {len(environments)} events were logged")
        return len(environments) / took

    def told(self, own):
        return [("zedlets", statistics.median(self.turns), "events/s", f"ZED's script that logs an event, {JOBS} at a time, of {ZEDLETS}; its own work is left out")]


def zedlets_logged(output):
    """The number of distinct events."""
    return len({word for line in output.splitlines() if " class=checksum " in line for word in line.split() if word.startswith("eid=")})


OF_STORM = {"storm": (Esper, Zedlets), "storm_small": (Esper, Sec)}


def find():
    """{peer: its location} of those that are installed or can be fetched."""
    found = {}
    for peer in (Esper, Sec, Zedlets):
        try:
            found[peer] = peer.look()
        except (OSError, NoFigure) as problem:
            complain(peer.name, problem)
    return found


def of(found, storm, texts, sick, folder):
    """The available peers of the storm with that name."""
    return [peer(found[peer], texts, sick, folder) for peer in OF_STORM.get(storm, ()) if peer in found]


def complain(name, problem):
    """Prints one line, with the end of a long reason."""
    print(f"dev bench: no figure of {name}: {' '.join(str(problem).split())[-300:]}", file=sys.stderr)


def need(*programs):
    if missing := [program for program in programs if not shutil.which(program)]:
        raise NoFigure(f"{', '.join(missing)} cannot be run: ./dev setup peers")


def fetched(what):
    ran = subprocess.run([os.path.join(FILES, "fetch.sh"), what], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, check=False)
    if ran.returncode:
        raise NoFigure(f"cannot be fetched: {ran.stderr}")
    return ran.stdout.strip()
