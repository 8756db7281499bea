"""Failures injected into fmd in a campaign. Each begins, and ends when its time or the round is over."""
import contextlib
import os
import signal
import socket
import struct
import subprocess
import time

# Sends the most expensive queries as fast as possible; most of them without expecting a reply.
ASKER = """while :; do
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    dbus-send --bus="$1" --type=method_call --dest=org.fmd.FaultManager1 /org/fmd/FaultManager1 \\
      org.fmd.FaultManager1.ListEvents 'string:{"class":"*e*r*e*p*o*r*t*z"}'
  done
  dbus-send --bus="$1" --print-reply --dest=org.fmd.FaultManager1 /org/fmd/FaultManager1 \\
    org.fmd.FaultManager1.ListEvents 'string:{"class":"*e*r*e*p*o*r*t*z"}'
  dbus-send --bus="$1" --print-reply --dest=org.fmd.FaultManager1 /org/fmd/FaultManager1 \\
    org.freedesktop.DBus.ObjectManager.GetManagedObjects
done"""
OTHER = 65534


class Evil:
    lasts = (0.1, 2.0)

    def __init__(self, torture):
        self.t = torture

    def begin(self):
        pass

    def end(self):
        pass


class Kill(Evil):
    """kill -9 of fmd."""
    lasts = (0.0, 0.3)

    def begin(self):
        self.t.daemon.program.kill()

    def end(self):
        self.t.daemon.start(60)


class Freeze(Evil):
    """fmd gets no CPU time."""
    lasts = (0.1, 4.0)

    def begin(self):
        self.t.daemon.program.signal(signal.SIGSTOP)

    def end(self):
        self.t.daemon.program.signal(signal.SIGCONT)


class FullDisk(Evil):
    lasts = (0.5, 5.0)

    def begin(self):
        with contextlib.suppress(ProcessLookupError, ValueError):
            sizes = [os.path.getsize(os.path.join(self.t.daemon.state, f)) for f in os.listdir(self.t.daemon.state)
                     if f not in ("fmd.db.reserve", "ballast")]
            self.t.daemon.limit_file_size(max(sizes) + (16 << 10))

    def end(self):
        with contextlib.suppress(ProcessLookupError):
            self.t.daemon.limit_file_size(None)


class NoSpace(Evil):
    """Its file system is full to the last byte: fmd uses its reserve, then memory."""
    lasts = (0.5, 5.0)

    def begin(self):
        self.t.disk.fill()

    def end(self):
        self.t.disk.empty()


class PoolDies(Evil):
    """The pool's plugin dies repeatedly after executing a command, before fmd gets the answer."""
    lasts = (0.5, 5.0)

    def begin(self):
        self.t.pool.dies = 0.5

    def end(self):
        self.t.pool.dies = 0.0


class SlowDisk(Evil):
    """fsync hangs."""
    lasts = (0.2, 7.0)

    def begin(self):
        with open(self.t.hung, "w", encoding="utf-8"):
            pass

    def end(self):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.t.hung)


class ClockJump(Evil):
    """The wall clock is wrong by up to ten years."""
    lasts = (0.2, 3.0)

    def begin(self):
        self.set(self.t.chance.choice([-1, 1]) * self.t.chance.choice([90, 4000, 90_000, 315_000_000]))

    def end(self):
        self.set(0)

    def set(self, seconds):
        with open(self.t.shift, "r+b") as file:
            file.write(struct.pack("q", seconds))


class PluginsDie(Evil):
    lasts = (0.0, 0.0)

    def begin(self):
        for peer in self.t.peers:
            if self.t.chance.random() < 0.5:
                peer.drop()


class TellerDies(Evil):
    """The notifier dies repeatedly while delivering messages."""
    lasts = (0.5, 5.0)

    def begin(self):
        self.teller = self.t.chance.choice(self.t.tellers)
        self.teller.dies = 0.5

    def end(self):
        self.teller.dies = 0.0


class Flood(Evil):
    """Peers that occupy connections and send nothing, nonsense, too much, or incomplete messages."""
    lasts = (0.1, 2.0)
    lines = (b"", b"{\n", b'{"jsonrpc":"2.0","id":1,"method":"hello","params":{"name":"flood","protocol":1}}\n' * 3, b"x" * 300_000,
             b'{"jsonrpc":"2.0","id":1,"method":"events","params":{"events":[]}}\n', b"\xff\xfe\n", b"[" * 50_000 + b"\n")

    def begin(self):
        self.held = []
        for _ in range(100):
            one = socket.socket(socket.AF_UNIX)
            one.setblocking(False)
            self.held.append(one)
            with contextlib.suppress(OSError):
                one.connect(self.t.daemon.socket)
                one.send(self.t.chance.choice(self.lines))

    def end(self):
        for one in self.held:
            one.close()


class BusFlood(Evil):
    """Two users query everything, all the time."""
    lasts = (0.5, 4.0)

    def begin(self):
        def ask(**user):
            return subprocess.Popen(["sh", "-c", ASKER, "asker", f"unix:path={self.t.bus}"], cwd="/", start_new_session=True,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **user)
        self.askers = [ask(), ask(user=OTHER, group=OTHER, extra_groups=[]), ask(user=OTHER, group=OTHER, extra_groups=[])]

    def end(self):
        for asker in self.askers:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(asker.pid, signal.SIGKILL)
            asker.wait()


class ServerDies(Evil):
    """The mail server or snmpd is down for some time."""
    lasts = (0.3, 5.0)

    def begin(self):
        self.name = self.t.chance.choice(("mail", "snmp"))
        self.t.notifiers.server_dies(self.name)

    def end(self):
        self.t.notifiers.server_is_back(self.name)


class NotifierDies(Evil):
    """kill -9 of fmd-mail or fmd-snmp."""
    lasts = (0.0, 0.0)

    def begin(self):
        self.t.notifiers.kill(self.t.chance.choice(("mail", "snmp")))


ALL = (Kill, Kill, Freeze, FullDisk, NoSpace, SlowDisk, PoolDies, ClockJump, PluginsDie, TellerDies, Flood, BusFlood, ServerDies, NotifierDies)

UNWRITTEN = {FullDisk, NoSpace, SlowDisk}  # while one of these is active, messages may be sent before their case is on disk


class Running:
    """An active evil."""

    def __init__(self, evil, seconds):
        self.evil, self.until = evil, time.monotonic() + seconds
        evil.begin()

    def over(self):
        return time.monotonic() >= self.until
