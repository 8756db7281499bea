"""A plugin for fmd in Python: the connection to the daemon, with reconnecting, resending, heartbeats and commands.

    import sys
    sys.path.append("/usr/share/fmd/python")
    import fmd_plugin

    class Room(fmd_plugin.Plugin):
        def connected(self, cursor, first_since_boot):
            self.send_inventory([fmd_plugin.resource("room://sensor=door", "room-sensor", name="door")], complete=True)

        def look(self):
            self.send_readings([fmd_plugin.reading("room://sensor=door", "temperature", 21.5, "celsius")])

    Room("room").run(every=60)

The class connects, and reconnects with growing pauses after fmd was restarted; resends events until fmd has them on disk;
sends heartbeats; runs each command once per key, also when fmd repeats it; splits an inventory that is longer than a line;
and notifies systemd that it is ready and alive (Type=notify, WatchdogSec=). One thread: look() and command handlers must
return within a heartbeat or two, so give anything that may hang a deadline (subprocess.run(timeout=...)).

The protocol: plugin-protocol.md. Needs Python 3.9 or later and only the standard library.
"""
import collections
import json
import os
import re
import selectors
import signal
import socket
import sys
import time
import urllib.parse

__all__ = ["Plugin", "Command", "Full", "done", "refused", "failed", "fmri", "resource", "edge", "event", "reading"]

DEFAULT_SOCKET = "/run/fmd/plugins.sock"
LONGEST_LINE = 1 << 20  # bytes; the core disconnects plugins that send longer lines
LONGEST_PART = 900_000  # bytes per message of an inventory that is split
MOST_EVENTS = 1000  # per batch
MOST_UNACKED = 6  # batches in flight; the core accepts 16 requests of any kind
MOST_KEPT = 8000  # events that wait for the core
KEYS_KEPT = 1000
NO_REQUEST = 0  # no request of this connection: the core got the batch over an earlier one and has it in memory
OWN = "#sdk-"  # begins the SDK's own suffix of a cursor
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0  # seconds between attempts to connect


class Lost(Exception):
    """The core lost events from its memory that an earlier process sent: exit, and resume at its cursor."""


class Full(Exception):
    """Too many events wait for the core: stop reading the source until `Plugin.unacked` is smaller."""


# --- messages, as dictionaries -------------------------------------------------------------------------------------------


def fmri(scheme, /, **parts):
    """fmri("ups", name="rack 3") == "ups://name=rack%203": the parts in the given order, characters escaped as in fmd."""
    return scheme + "://" + "/".join(f"{key}={urllib.parse.quote(str(value), safe='._:@+-').replace('~', '%7E')}"
                                     for key, value in parts.items())


def edge(relation, to):
    """relation: contains, path, power, cooling or redundancy."""
    return {"relation": relation, "to": to}


def resource(name, kind, /, edges=(), **properties):
    """One part. Properties that are None are left out; a dot in a name is written as two underscores (led__fault)."""
    known = {key.replace("__", "."): value for key, value in properties.items() if value is not None}
    return {"fmri": name, "type": kind, "properties": known, "edges": list(edges)}


def event(event_class, about, /, time_ns=None, ena=0, **payload):
    """Something that happened to the part `about`. Default time: now."""
    return {"class": event_class, "resource": about, "time": time.time_ns() if time_ns is None else time_ns, "ena": ena,
            "payload": payload}


def reading(about, name, value, unit="", time_ns=None):
    """A measured value. Default time: now."""
    return {"resource": about, "name": name, "value": value, "unit": unit,
            "time": time.time_ns() if time_ns is None else time_ns}


def done(reason="", **detail):
    """The answer to a command that has succeeded. already=True: nothing had to be done."""
    return {"status": "done", "reason": reason, "detail": detail}


def refused(reason, **detail):
    """The command must not be carried out; the reason is a sentence for the case's timeline."""
    return {"status": "refused", "reason": reason, "detail": detail}


def failed(reason, **detail):
    """The attempt failed; fmd tries again later."""
    return {"status": "failed", "reason": reason, "detail": detail}


class Command:
    """name, resource, key, args and deadline_ms, as in plugin-protocol.md."""

    def __init__(self, params):
        self.name, self.resource, self.key = params["name"], params["resource"], params["key"]
        self.args, self.deadline_ms = params.get("args", {}), params.get("deadline_ms", 60000)


def log(priority, text):
    """Logs to the journal through stderr; escapes device text so that it cannot forge a line. priority: 3 error, 4 warning, 6
    information."""
    print(f"<{priority}>" + re.sub(r"[^ -~\u00a0-\U0010ffff]", "?", text), file=sys.stderr, flush=True)


# --- the connection ------------------------------------------------------------------------------------------------------


class Plugin:
    """name: [a-z0-9-], also in its unit's name: fmd-NAME.service. observes: the event classes it sends ("ereport.ups.*").
    commands: {"set_led": function(Command) -> done(), refused() or failed()}. handles: FMRI prefixes of the parts whose
    commands it accepts ("ups://"). heartbeat: seconds. transient: a script; its exit is no fault. path: of fmd's socket."""

    def __init__(self, name, version="1", observes=(), commands=None, handles=(), heartbeat=10.0, transient=False, path=None):
        self.name, self.commands, self.heartbeat = name, dict(commands or {}), heartbeat
        self.path = path or os.environ.get("FMD_SOCKET", DEFAULT_SOCKET)
        self.greeting = {"name": name, "version": version, "protocol": 1, "observes": list(observes),
                         "commands": list(self.commands), "handles": list(handles), "heartbeat_ms": round(heartbeat * 1000),
                         "transient": transient, "kept": True}
        self.waiting = collections.deque()  # batches of events: [events, cursor, id of the pending request, whether the core keeps it]
        self.answers = collections.OrderedDict()  # key -> the answer given
        self.status_said = None
        self._socket, self._input, self._output = None, b"", b""
        self._welcome, self._next_id = False, 1
        self._pause, self._connect_at, self._beat_at, self._look_at = FIRST_PAUSE, 0.0, 0.0, 0.0
        self._trouble = ""
        self._source_cursor, self._instance, self._batches = "", f"{os.getpid()}-{time.time_ns()}", 0
        self._stop, self._been_there, self._began_behind = False, False, ""

    # --- override these ---

    def connected(self, cursor, first_since_boot):
        """Connected to the core: send a complete inventory. cursor: that of the newest events which the core has stored or
        which wait here, "" if none. first_since_boot: the core's cursor is from before the last boot of the machine."""

    def look(self):
        """Called after connected(), and then at run()'s interval `every` (seconds) while connected."""

    def rejected(self, lost_event, reason):
        """The core rejected this event and recorded it as ereport.fmd.plugin.rejected."""
        log(4, f"fmd rejects {lost_event['class']}: {reason}")

    # --- call these ---

    @property
    def is_connected(self):
        return self._welcome

    @property
    def unacked(self):
        """The number of events that are not yet on the core's disk."""
        # A copy: the caller may be in another thread than run(), which removes acknowledged batches.
        return sum(len(batch[0]) for batch in list(self.waiting))

    def send_events(self, events, cursor=""):
        """Sends events, and keeps them until the core has stored them, however often it restarts. cursor: where to resume
        reading the source after these. Raises Full, and keeps none of them, if too many wait."""
        events = list(events)
        if self.unacked + len(events) > MOST_KEPT:
            raise Full(f"{self.unacked} events wait for fmd")
        for start in range(0, len(events), MOST_EVENTS):
            last = start + MOST_EVENTS >= len(events)
            self.waiting.append([events[start:start + MOST_EVENTS], cursor if last and cursor else self._own_cursor(), None, False])
            self._source_cursor = _source_part(self.waiting[-1][1])
        self._send_waiting()

    def send_inventory(self, resources, gone=(), complete=False):
        """complete: parts that were sent before and are missing now are gone. Dropped while disconnected; connected() is called after a
        reconnect."""
        if not self._welcome:
            return
        parts, size = [[]], 0
        for one in resources:
            length = len(json.dumps(one))
            if size + length > LONGEST_PART and parts[-1]:
                parts.append([])
                size = 0
            parts[-1].append(one)
            size += length
        for part in parts[:-1]:
            self._request("inventory", {"complete": False, "resources": part, "gone": []})
        params = {"complete": complete, "resources": parts[-1], "gone": list(gone)}
        if complete and len(parts) > 1:
            params["kept"] = [one["fmri"] for part in parts[:-1] for one in part]
        self._request("inventory", params)

    def send_readings(self, readings):
        """Dropped while disconnected: only current readings are of use."""
        readings = list(readings)
        if self._welcome and readings:
            self._notify("readings", {"readings": readings})

    def send_status(self, state, reason=""):
        """state: ok, not-observed (nothing to observe on this machine) or degraded, with a sentence as reason."""
        said = {"state": state, "reason": reason}
        if said == self.status_said:
            return
        self.status_said = said
        if self._welcome:
            self._notify("status", said)

    def stop(self):
        """Makes run() return."""
        self._stop = True

    def run(self, every=60.0):
        """Runs until SIGTERM, SIGINT or stop(), and calls look() every `every` seconds."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.stop())
        # Wakes the wait: a signal between the check of _stop and the wait would otherwise take effect one wait later.
        ours, theirs = socket.socketpair()
        for end in (ours, theirs):
            end.setblocking(False)
        signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        watchdog = int(os.environ.get("WATCHDOG_USEC", "0")) / 2e6
        _notify_systemd("READY=1")
        alive_at = 0.0
        try:
            while not self._stop:
                now = time.monotonic()
                if self._socket is None and now >= self._connect_at:
                    self._connect()
                if self._welcome and now >= self._look_at:
                    self._look_at = now + every
                    self.look()
                if self._welcome and now >= self._beat_at:
                    self._beat()
                if watchdog and now >= alive_at:
                    alive_at = now + watchdog
                    _notify_systemd("WATCHDOG=1")
                due = [alive_at] if watchdog else []
                due += [self._look_at, self._beat_at] if self._welcome else []
                due += [self._connect_at] if self._socket is None else []
                self._wait(ours, max(0.0, min(due) - time.monotonic()) if due else 60.0)
        finally:
            signal.set_wakeup_fd(-1)
            _notify_systemd("STOPPING=1")
            self._close()
            ours.close()
            theirs.close()

    # --- private ---

    def _wait(self, signals, seconds):
        with selectors.DefaultSelector() as selector:
            selector.register(signals, selectors.EVENT_READ)
            if self._socket is not None:
                wish = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._output else 0)
                selector.register(self._socket, wish)
            for key, what in selector.select(seconds):
                if key.fileobj is signals:
                    signals.recv(4096)
                    continue
                if what & selectors.EVENT_WRITE:
                    self._flush()
                if what & selectors.EVENT_READ and self._socket is not None:
                    self._read()

    def _connect(self):
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        try:
            connection.settimeout(10)
            connection.connect(self.path)
        except OSError as problem:
            connection.close()
            self._lost(f"{self.path}: {problem.strerror or problem}")
            return
        connection.setblocking(False)
        self._socket, self._input, self._output = connection, b"", b""
        self._request("hello", self.greeting)

    def _lost(self, trouble):
        self._close()
        if trouble != self._trouble:
            log(4, f"no connection to fmd: {trouble}")
        self._trouble = trouble
        self._connect_at = time.monotonic() + self._pause
        self._pause = min(self._pause * 2, LONGEST_PAUSE)

    def _close(self):
        if self._socket is not None:
            self._socket.close()
        self._socket, self._welcome = None, False
        for batch in self.waiting:
            batch[2:] = [None, False]  # to be resent

    def _write(self, message):
        line = json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        if len(line) > LONGEST_LINE:
            raise ValueError(f"a message of {len(line)} bytes: fmd takes {LONGEST_LINE}")
        if self._socket is not None:
            self._output += line
            self._flush()

    def _request(self, method, params):
        number, self._next_id = self._next_id, self._next_id + 1
        self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def _notify(self, method, params):
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def _flush(self):
        try:
            while self._output:
                self._output = self._output[self._socket.send(self._output):]
        except BlockingIOError:
            pass
        except OSError as problem:
            self._lost(problem.strerror or str(problem))

    def _read(self):
        try:
            data = self._socket.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError as problem:
            self._lost(problem.strerror or str(problem))
            return
        if not data:
            self._lost(self._trouble or "fmd closed the connection")
            return
        self._input += data
        *lines, self._input = self._input.split(b"\n")
        for line in lines:
            if self._socket is None:  # closed because of the previous line
                return
            self._take(json.loads(line))

    def _take(self, message):
        if message.get("method") == "command":
            self._command(message)
        elif message.get("method") == "kept":
            self._kept(message["params"]["requests"])
        elif message.get("method") == "written":
            self._written(message["params"]["cursor"])
        elif "method" in message:
            pass  # from a later version of the protocol
        elif "error" in message:
            self._refused(message)
        elif not self._welcome:
            self._welcomed(message["result"])
        else:
            self._acked(message)

    def _welcomed(self, result):
        self._welcome, self._pause, self._trouble = True, FIRST_PAUSE, ""
        self._beat()
        self._look_at = 0.0  # immediately
        if self.status_said:
            self._notify("status", self.status_said)
        committed, kept = result.get("cursor", ""), result.get("kept", "")
        known = [batch[1] for batch in self.waiting]
        behind = self._began_behind
        if behind and behind not in (committed, kept) and committed not in known and kept not in known:
            raise Lost("fmd ended before it had written what it kept: begin again, behind its cursor")
        # Events that the core has stored are not resent, even if its answer was lost.
        self._written(committed)
        if committed in known:
            self._began_behind = ""
        if any(batch[1] == kept for batch in self.waiting):
            for batch in self.waiting:
                batch[2:] = [NO_REQUEST, True]
                if batch[1] == kept:
                    break
        elif not self._been_there:
            self._began_behind = kept
        self._been_there = True
        last = self.waiting[-1][1] if self.waiting else self._began_behind or committed
        self._source_cursor = _source_part(last)
        self.connected(self._source_cursor, bool(result.get("boot")))
        self._send_waiting()

    def _send_waiting(self):
        if not self._welcome:
            return
        under_way = sum(batch[2] is not None and not batch[3] for batch in self.waiting)
        for batch in self.waiting:
            if under_way >= MOST_UNACKED or self._socket is None:
                return
            if batch[2] is None:
                batch[2] = self._request("events", {"events": batch[0], "cursor": batch[1]})
                under_way += 1

    def _own_cursor(self):
        """Identifies a batch that has no cursor of the source."""
        self._batches += 1
        return f"{self._source_cursor}{OWN}{self._instance}-{self._batches}"

    def _kept(self, requests):
        """The core has these requests in memory but cannot write them now; they no longer count as in flight."""
        for batch in self.waiting:
            batch[3] = batch[3] or batch[2] in requests
        self._send_waiting()

    def _written(self, cursor):
        """Everything up to this cursor is on the core's disk, including batches sent over an earlier connection."""
        if cursor == self._began_behind:
            self._began_behind = ""
        if any(batch[1] == cursor for batch in self.waiting):
            while self.waiting.popleft()[1] != cursor:
                pass

    def _acked(self, message):
        batch = next((batch for batch in self.waiting if batch[2] == message["id"]), None)
        if batch is None:
            return  # the answer to an inventory
        self.waiting.remove(batch)
        self._began_behind = ""
        for one in message["result"].get("rejected", ()):
            self.rejected(batch[0][one["index"]], one["reason"])
        self._send_waiting()

    def _refused(self, message):
        """An error without an id gives the reason why the core is about to disconnect."""
        said = str(message["error"].get("message", "no reason given"))
        if message.get("id") is None:
            self._trouble = said
            log(3, f"fmd ends the connection: {said}")
            return
        log(3, f"fmd refuses: {said}")
        # Do not resend: the core would refuse the whole request again.
        self.waiting = collections.deque(batch for batch in self.waiting if batch[2] != message["id"])

    def _command(self, message):
        command = Command(message["params"])
        answer = self.answers.get(command.key)
        if answer is None:
            answer = self._carry_out(command)
            self.answers[command.key] = answer
            while len(self.answers) > KEYS_KEPT:
                self.answers.popitem(last=False)
        self._write({"jsonrpc": "2.0", "id": message["id"], "result": answer})

    def _carry_out(self, command):
        handler = self.commands.get(command.name)
        if handler is None:
            return failed(f"fmd-{self.name} has no command {command.name}")
        try:
            return handler(command)
        except Exception as problem:  # noqa: BLE001  (the core needs an answer to every command)
            log(3, f"{command.name} of {command.resource}: {problem!r}")
            return failed(f"fmd-{self.name}: {problem}")

    def _beat(self):
        self._beat_at = time.monotonic() + self.heartbeat
        self._notify("heartbeat", {})


def _source_part(cursor):
    return cursor.rpartition(OWN)[0] if OWN in cursor else cursor


def _notify_systemd(text):
    """sd_notify(3)."""
    path = os.environ.get("NOTIFY_SOCKET")
    if not path:
        return
    address = "\0" + path[1:] if path.startswith("@") else path
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        try:
            systemd.sendto(text.encode(), address)
        except OSError as problem:
            log(4, f"systemd does not listen at {path}: {problem}")
