"""Peers of the storm (--peers), with its events and in turn with fmd: Esper and SEC, which look for what the rule says and keep it in memory
only, and the script that ZED starts for each event. A peer that cannot be had is told of on stderr, and has no figure."""
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
WARM_UP = 1_000_000  # events to Esper that are not counted: Java compiles what has run often
PASSES = 3  # of Esper's in a turn: the middle one counts, since one in which garbage is collected takes twice the time
THRESHOLD = 10  # of the rule, as in checksum.epl and checksum.sec
ZEDLETS = 500  # events
JOBS = 16  # zedlets that ZED has run at the same time unless told otherwise
ZEDLET, FUNCTIONS = "usr/lib/zfs-linux/zed.d/all-syslog.sh", "etc/zfs/zed.d/zed-functions.sh"


class NoFigure(Exception):
    """Why a peer has none."""


class Peer(contextlib.ExitStack):
    """One peer in one storm. Each has turn(), which measures once, and told(), which makes figures of the turns."""
    name = ""

    def __init__(self, where, texts, sick, folder):
        """where: what of() has found of it; texts: the events as JSON; sick: the guids of vdevs that are; folder: for its files."""
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
        """[(name, value, unit, note)]; own: fmd's events a second, of each round."""
        return [] if self.failed else self.told(own)

    def file_of(self, lines):
        file = self.enter_context(tempfile.NamedTemporaryFile("w", dir=self.folder, prefix="fmd-peer-"))
        file.writelines(line + "\n" for line in lines)
        file.flush()
        return file.name


class Esper(Peer):
    """Kept from turn to turn, since it gets faster; stopped when it is not its turn, so that it takes nothing from others."""
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
        for _ in range(0, WARM_UP, 2 * len(self.texts)):  # a pass has all of them twice, with parsing and without
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
    """Events a second, with parsing and without, of what EsperStorm prints."""
    found = json.loads(answer)
    if found["events"] != count or sorted(found["sick"]) != sorted(sick):
        raise NoFigure(f"it found {len(found['sick'])} vdevs in {found['events']} events, and not those {len(sick)} that are sick")
    return count / found["seconds"], count / found["parsed_seconds"]


class Sec(Peer):
    """Reads a log of the events. By its clock all of them happen now, so every vdev with ten errors is to be found."""
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
    """The vdevs with so many errors."""
    counts = collections.Counter(line.partition(" vdev_guid=")[2].split()[0] for line in lines)
    return sorted(vdev for vdev, count in counts.items() if count >= THRESHOLD)


class Zedlets(Peer):
    """ZED starts each enabled script that an event is for: of a wrong checksum, as Debian has it, all-syslog.sh alone."""
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
        # Nothing reaches this machine's log: logger, with a socket of this test, does all but the last write; the test counts its
        # output.
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
    """How many different events."""
    return len({word for line in output.splitlines() if " class=checksum " in line for word in line.split() if word.startswith("eid=")})


OF_STORM = {"storm": (Esper, Zedlets), "storm_small": (Esper, Sec)}


def find():
    """{peer: where it is}, of those that are here or can be fetched."""
    found = {}
    for peer in (Esper, Sec, Zedlets):
        try:
            found[peer] = peer.look()
        except (OSError, NoFigure) as problem:
            complain(peer.name, problem)
    return found


def of(found, storm, texts, sick, folder):
    """The peers in a storm of that name."""
    return [peer(found[peer], texts, sick, folder) for peer in OF_STORM.get(storm, ()) if peer in found]


def complain(name, problem):
    """In a line; of a long reason the end."""
    print(f"dev bench: no figure of {name}: {' '.join(str(problem).split())[-300:]}", file=sys.stderr)


def need(*programs):
    if missing := [program for program in programs if not shutil.which(program)]:
        raise NoFigure(f"{', '.join(missing)} cannot be run: ./dev setup peers")


def fetched(what):
    ran = subprocess.run([os.path.join(FILES, "fetch.sh"), what], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, check=False)
    if ran.returncode:
        raise NoFigure(f"cannot be fetched: {ran.stderr}")
    return ran.stdout.strip()
