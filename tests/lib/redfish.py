"""A Redfish service for tests: a real HTTPS server with a small server's documents, after DSP0266 (protocol) and DSP0268 (schemas). It
counts sessions and concurrent requests, and can be slow, hang, answer garbage or refuse the password. offer_events() adds an event
stream."""
import hashlib
import http.server
import json
import os
import ssl
import subprocess
import threading

USER, PASSWORD = "fmd", "secret"
ROOT = "/redfish/v1/"
SESSIONS = ROOT + "SessionService/Sessions"
EVENTS = ROOT + "EventService/SSE"
LONG = 10 << 20


def named(kind, version, uri, name, **members):
    return {"@odata.id": uri, "@odata.type": f"#{kind}.{version}.{kind}", "Id": uri.rstrip("/").rsplit("/", 1)[1], "Name": name, **members}


def collection(uri, members):
    return {"@odata.id": uri, "@odata.type": "#ResourceCollection.ResourceCollection", "Name": "Collection",
            "Members": [{"@odata.id": member} for member in members], "Members@odata.count": len(members)}


def to(uri):
    return {"@odata.id": uri}


def good(state="Enabled"):
    return {"State": state, "Health": "OK"}


def small_server():
    """Two supplies, two fans, a temperature sensor, a memory module, two drive bays (one empty), and a log."""
    chassis, system = ROOT + "Chassis/1", ROOT + "Systems/1"
    log = system + "/LogServices/Log"
    documents = {
        ROOT: named("ServiceRoot", "v1_15_0", ROOT, "Root", RedfishVersion="1.18.0", Chassis=to(ROOT + "Chassis"),
                    Systems=to(ROOT + "Systems"), Managers=to(ROOT + "Managers"), Links={"Sessions": to(SESSIONS)}),
        ROOT + "Chassis": collection(ROOT + "Chassis", [chassis]),
        chassis: named("Chassis", "v1_23_0", chassis, "Chassis", Status={**good(), "HealthRollup": "OK"},
                       PowerSubsystem=to(chassis + "/PowerSubsystem"), ThermalSubsystem=to(chassis + "/ThermalSubsystem"),
                       Sensors=to(chassis + "/Sensors")),
        chassis + "/PowerSubsystem": named("PowerSubsystem", "v1_1_1", chassis + "/PowerSubsystem", "Power", Status=good(),
                                           PowerSupplies=to(chassis + "/PowerSubsystem/PowerSupplies")),
        chassis + "/ThermalSubsystem": named("ThermalSubsystem", "v1_3_1", chassis + "/ThermalSubsystem", "Cooling", Status=good(),
                                             Fans=to(chassis + "/ThermalSubsystem/Fans")),
        ROOT + "Systems": collection(ROOT + "Systems", [system]),
        system: named("ComputerSystem", "v1_20_1", system, "System", Status={**good(), "HealthRollup": "OK"}, SerialNumber="437XR1138R2",
                      Memory=to(system + "/Memory"), Storage=to(system + "/Storage"), LogServices=to(system + "/LogServices")),
        system + "/LogServices": collection(system + "/LogServices", [log]),
        log: named("LogService", "v1_4_0", log, "Log", ServiceEnabled=True, Entries=to(log + "/Entries")),
        log + "/Entries": {**collection(log + "/Entries", []), "Members": []},
        ROOT + "Managers": collection(ROOT + "Managers", [ROOT + "Managers/BMC"]),
        ROOT + "Managers/BMC": named("Manager", "v1_18_0", ROOT + "Managers/BMC", "Manager", FirmwareVersion="1.45", Status=good()),
    }

    def add(folder, one):
        documents.setdefault(folder, collection(folder, []))["Members"].append(to(one["@odata.id"]))
        documents[one["@odata.id"]] = one
    for n in (1, 2):
        uri = f"{chassis}/PowerSubsystem/PowerSupplies/{n}"
        add(chassis + "/PowerSubsystem/PowerSupplies",
            named("PowerSupply", "v1_5_2", uri, f"PSU {n}", Status=good(), LineInputStatus="Normal", Manufacturer="Acme Power",
                  Model="PWS-920P", PartNumber="PWS-920P-SQ", SerialNumber=f"P920PCF{n}1"))
        uri = f"{chassis}/ThermalSubsystem/Fans/{n}"
        add(chassis + "/ThermalSubsystem/Fans", named("Fan", "v1_5_0", uri, f"Fan {n}", Status=good(), SpeedPercent={"Reading": 45}))
        uri = f"{system}/Storage/1/Drives/{n}"
        drive = named("Drive", "v1_17_0", uri, f"Drive {n}", Status=good() if n == 1 else {"State": "Absent"},
                      LocationIndicatorActive=False, PhysicalLocation={"PartLocation": {"ServiceLabel": f"Bay {n}", "LocationOrdinalValue": n}})
        if n == 1:
            drive.update(SerialNumber="DISK03G1", Model="ST4000", FailurePredicted=False,
                         Identifiers=[{"DurableNameFormat": "NAA", "DurableName": "5000C500A0000003"}])
        documents[uri] = drive
    add(chassis + "/Sensors", named("Sensor", "v1_7_0", chassis + "/Sensors/Inlet", "Inlet Temp", ReadingType="Temperature", Reading=24,
                                    ReadingUnits="Cel", Status=good()))
    add(system + "/Memory", named("Memory", "v1_18_0", system + "/Memory/A1", "A1", DeviceLocator="DIMM_A1", Status=good()))
    add(system + "/Storage", named("Storage", "v1_15_1", system + "/Storage/1", "Storage", Status=good(),
                                   Drives=[to(f"{system}/Storage/1/Drives/{n}") for n in (1, 2)]))
    return documents


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # otherwise each answer waits 40 ms for an acknowledgement

    def log_message(self, *_):
        pass

    def answer(self, status, body=None, **headers):
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def body(self):
        return json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")

    def service(self, method):
        bmc = self.server.bmc
        bmc.enter(method, self.path)
        try:
            if bmc.mode == "hang":
                bmc.released.wait(120)
                self.close_connection = True
                return
            if bmc.mode == "garbage":
                self.answer(200, b"\x00\xff<html>not what was asked" * 50)
                return
            method(self, bmc)
        finally:
            bmc.leave()

    def stream(self):
        """Server-sent events, until the client disconnects or stream_mode changes."""
        bmc = self.server.bmc
        self.close_connection = True
        if not bmc.known(self.headers.get("X-Auth-Token")) or "text/event-stream" not in self.headers.get("Accept", ""):
            return self.answer(401)
        with bmc.told:
            bmc.streams_opened += 1
            bmc.streams += 1
            bmc.most_streams = max(bmc.most_streams, bmc.streams)
            mode, sent = bmc.stream_mode, len(bmc.events)
        try:
            if mode == "hang":
                with bmc.told:
                    while bmc.stream_mode == mode:
                        bmc.told.wait(0.1)
                return None
            if mode == "html":
                return self.answer(200, b"<html>" * 1000)
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream; charset=utf-8")
            self.end_headers()
            if mode == "garbage":
                self.wfile.write(b"\x00\xff<html>not what was asked\n" * 5000)
            if mode == "long":
                self.wfile.write(b"data: " + b"x" * LONG)
            while mode == "flood" and bmc.stream_mode == mode:
                self.wfile.write(b": a comment\n" * 10000)
            while mode == "ok":
                with bmc.told:
                    bmc.told.wait(0.1)
                    new, sent = bmc.events[sent:], len(bmc.events)
                    if bmc.stream_mode != mode or bmc.stopped.is_set():
                        return None
                for event in new:
                    self.wfile.write(f"id: {sent}\r\ndata: {json.dumps(event)}\r\n\r\n".encode())
                self.wfile.write(b": nothing else\n\n")
                self.wfile.flush()
        except OSError:
            pass  # the client has disconnected
        finally:
            with bmc.told:
                bmc.streams -= 1
        return None

    def do_GET(self):
        if self.path == EVENTS and self.server.bmc.mode == "ok":
            self.stream()
            return
        def get(self, bmc):
            if not bmc.known(self.headers.get("X-Auth-Token")) and self.path != ROOT:
                return self.answer(401)
            with bmc.lock:
                document = bmc.documents.get(self.path)
                body = json.dumps(document).encode()
            if document is None:
                return self.answer(404)
            bmc.encodings.add(self.headers.get("Accept-Encoding"))
            if packed := bmc.encode(self.path, body):
                return self.answer(200, packed, Content_Encoding="gzip")
            etag = '"' + hashlib.sha256(body).hexdigest()[:16] + '"'
            if self.headers.get("If-None-Match") == etag:
                bmc.unchanged += 1
                return self.answer(304, ETag=etag)
            return self.answer(200, body, ETag=etag)
        self.service(get)

    def do_POST(self):
        def post(self, bmc):
            asked = self.body()
            if self.path != SESSIONS or (asked.get("UserName"), asked.get("Password")) != (USER, bmc.password):
                return self.answer(401)
            with bmc.lock:
                bmc.opened += 1
                number, token = bmc.opened, f"token-{bmc.opened}"
                bmc.sessions[f"{SESSIONS}/{number}"] = token
            return self.answer(201, to(f"{SESSIONS}/{number}"), X_Auth_Token=token, Location=f"{SESSIONS}/{number}")
        self.service(post)

    def do_PATCH(self):
        def patch(self, bmc):
            change = self.body()
            if not bmc.known(self.headers.get("X-Auth-Token")) or self.path not in bmc.documents:
                return self.answer(401)
            bmc.change(self.path, **change)
            return self.answer(204)
        self.service(patch)

    def do_DELETE(self):
        def delete(self, bmc):
            with bmc.lock:
                gone = bmc.known(self.headers.get("X-Auth-Token")) and bmc.sessions.pop(self.path, None)
            return self.answer(204 if gone else 404)
        self.service(delete)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # the client has disconnected


class Redfish:
    """mode: ok, hang (no answers), garbage. sessions: currently open; opened: total ever opened."""

    def __init__(self, folder, documents=None):
        self.documents = documents if documents is not None else small_server()
        self.lock, self.released = threading.RLock(), threading.Event()
        self.mode, self.delay, self.password = "ok", 0, PASSWORD
        self.sessions, self.opened, self.unchanged, self.requests = {}, 0, 0, 0
        self.encode, self.encodings = lambda _path, _body: None, set()  # returns a compressed body or None; encodings seen
        self.now, self.most = 0, 0  # requests in progress, and their maximum
        self.told, self.events, self.stopped = threading.Condition(), [], threading.Event()
        # ok, hang (never answers), html, garbage, long (an endless line), flood (comments without end), end (closes at once)
        self.stream_mode, self.streams, self.most_streams, self.streams_opened = "ok", 0, 0, 0
        self.certificate = os.path.join(folder, "bmc.pem")
        key = os.path.join(folder, "bmc.key")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                        "-subj", "/CN=bmc", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", self.certificate],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.bmc = self
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.address = f"https://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def enter(self, _method, _path):
        with self.lock:
            self.requests += 1
            self.now += 1
            self.most = max(self.most, self.now)
        self.stopped.wait(self.delay)

    def leave(self):
        with self.lock:
            self.now -= 1

    def known(self, token):
        with self.lock:
            return token in self.sessions.values()

    def offer_events(self):
        service = ROOT + "EventService"
        self.documents[service] = named("EventService", "v1_10_0", service, "Events", ServiceEnabled=True, ServerSentEventUri=EVENTS)
        self.documents[ROOT]["EventService"] = to(service)

    def tell(self, event=None):
        with self.told:
            self.events.append(event or {"@odata.type": "#Event.v1_9_0.Event", "Id": "1", "Name": "Event", "Events": [
                {"EventId": "1", "MemberId": "0", "MessageId": "ResourceEvent.1.3.ResourceStatusChangedCritical"}]})
            self.told.notify_all()

    def set_stream(self, mode):
        with self.told:
            self.stream_mode = mode
            self.told.notify_all()

    def change(self, uri, **members):
        with self.lock:
            self.documents[uri].update(members)

    def log(self, entry_id, severity, message, created="2026-11-23T01:02:03+00:00", origin=None, resolved=False, **members):
        uri = ROOT + "Systems/1/LogServices/Log/Entries"
        entry = named("LogEntry", "v1_16_1", f"{uri}/{entry_id}", "Log entry", EntryType="Event", Severity=severity, Message=message,
                      Created=created, Resolved=resolved, **members)
        if origin:
            entry["Links"] = {"OriginOfCondition": to(origin)}
        with self.lock:
            self.documents[uri]["Members"].append(entry)

    def clear_log(self):
        with self.lock:
            self.documents[ROOT + "Systems/1/LogServices/Log/Entries"]["Members"] = []

    def set_mode(self, mode):
        self.mode = mode
        if mode == "hang":
            self.released.clear()
        else:
            self.released.set()

    def stop(self):
        self.set_mode("ok")
        self.stopped.set()
        self.server.shutdown()
        self.server.server_close()
