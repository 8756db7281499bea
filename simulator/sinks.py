"""Receivers of mail and SNMP notifications: real servers on their own loopback ports."""
import json
import os
import re
import socket

from ports import free_port, listening
from process import Program, wait_for

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(HERE)
SMTPSINK = os.path.join(HERE, "smtpsink.py")
PARENTS = {"enterprises": ".1.3.6.1.4.1", "netSnmpPlaypen": ".1.3.6.1.4.1.8072.9999.9999"}


def mib():
    """The MIB in the source tree, or as installed by fmd-snmp (share/snmp/mibs beside share/fmd)."""
    for path in (os.path.join(TREE, "schemas", "FMD-MIB.txt"), os.path.join(os.path.dirname(TREE), "snmp", "mibs", "FMD-MIB.txt")):
        if os.path.exists(path):
            return path
    raise FileNotFoundError("FMD-MIB.txt: it is in the package fmd-snmp")


def mib_names():
    """{OID: name} of fmd's notifications and objects, read from the MIB (net-snmp would need the standard modules, which Debian lacks)."""
    with open(mib(), encoding="ascii") as file:
        text = file.read()
    place = re.search(r"^fmdMIB MODULE-IDENTITY\b.*?^\s*::= \{ (\w+)((?: \d+)+) \}", text, re.M | re.S)
    base = PARENTS[place[1]] + place[2].replace(" ", ".")
    found = re.findall(r"^(\w+)\s+(OBJECT-TYPE|NOTIFICATION-TYPE)\b.*?::= \{ \w+ (\d+) \}", text, re.M | re.S)
    return {f"{base}.0.{number}" if kind == "NOTIFICATION-TYPE" else f"{base}.1.{number}.0": name
            for name, kind, number in found}


def _lines(log):
    try:
        with open(log, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]
    except FileNotFoundError:
        return []


def accepted_mails(log):
    """The accepted mails from smtpsink.py's log: at, from, to, subject, headers, body, html, pictures."""
    received, accepted = {}, []
    for line in _lines(log):
        if line["state"] == "received":
            received[line["id"]] = line
        elif line["state"] == "accepted":
            accepted.append({**received[line["id"]], "at": line["at"]})
    return accepted


class Mail:
    """An SMTP server (aiosmtpd) that keeps its messages."""

    def __init__(self, folder):
        self.port = free_port()
        self.log, self.control = os.path.join(folder, "mail.jsonl"), os.path.join(folder, "mail.control")
        self.program = Program("smtp", ["/usr/bin/python3", SMTPSINK, self.log, self.control, self.port],
                               os.path.join(folder, "smtp.log"))

    def start(self):
        self.program.start()
        wait_for(lambda: listening(self.port), 20, lambda: f"the mail server\n{self.program.tail()}",
                 programs=[self.program])

    def stop(self):
        self.program.stop()

    def mode(self, word):
        """Sets its answer at the end of a message: accept, refuse (451) or hold (no answer until the mode changes)."""
        with open(self.control + ".new", "w", encoding="ascii") as file:
            file.write(word)
        os.replace(self.control + ".new", self.control)

    def transcript(self):
        """The whole log, as lines in smtpsink.py's format."""
        return _lines(self.log)

    def messages(self):
        return accepted_mails(self.log)


class Snmp:
    """snmpd as AgentX master, which sends every notification to its snmptrapd."""

    RESILVER_FINISHED = ".363.0.7"
    TRAP_OID = ".1.3.6.1.6.3.1.1.4.1.0"
    USER, AUTH, PRIVACY = "fmd", "authenticates-it", "hides-all-of-it"  # SNMPv3; only authPriv is accepted
    NOISE = (".1.3.6.1.6.3.1.1.5.1", ".1.3.6.1.4.1.8072.4.0.")  # snmpd's own: coldStart, nsNotify...

    def __init__(self, folder, more=""):
        """more: lines of snmpd.conf."""
        self.folder = os.path.join(folder, "snmp")
        os.makedirs(os.path.join(self.folder, "state"))
        self.agentx = os.path.join(self.folder, "agentx")
        self.log = os.path.join(self.folder, "traps.log")
        self.port, self.trap_port = free_port(socket.SOCK_DGRAM), free_port(socket.SOCK_DGRAM)
        self._write("snmpd.conf", f"agentaddress udp:127.0.0.1:{self.port}\nrocommunity public 127.0.0.1\n"
                    f"master agentx\nagentxsocket {self.agentx}\ntrap2sink 127.0.0.1:{self.trap_port} public\n{more}")
        self._write("snmptrapd.conf", f"snmpTrapdAddr udp:127.0.0.1:{self.trap_port}\nauthCommunity log public\n"
                    f"createUser {self.USER} SHA {self.AUTH} AES {self.PRIVACY}\nauthUser log {self.USER} priv\n"
                    "format2 NOTIFICATION %t %V | %v\\n\noutputOption n\n")
        # Do not use the state and MIBs of the machine's own SNMP.
        environment = {"SNMP_PERSISTENT_DIR": os.path.join(self.folder, "state"), "SNMPCONFPATH": self.folder,
                       "MIBDIRS": "/nonexistent", "MIBS": ""}
        self.manager = self._program("snmptrapd", "/usr/sbin/snmptrapd", environment, ["-Lf", self.log])
        self.agent = self._program("snmpd", "/usr/sbin/snmpd", environment, ["-Le"])

    def _write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="ascii") as file:
            file.write(text)

    def _program(self, name, path, environment, logs):
        config = os.path.join(self.folder, f"{name}.conf")
        return Program(name, [path, "-f", "-C", "-c", config, *logs], os.path.join(self.folder, f"{name}.log"),
                       environment)

    def start(self):
        self.start_manager()
        self.start_agent()

    def start_manager(self):
        self.manager.start()
        wait_for(lambda: "NET-SNMP version" in self._logged(), 20,
                 lambda: f"snmptrapd\n{self.manager.tail()}", programs=[self.manager])

    def start_agent(self):
        self.agent.start()
        wait_for(lambda: os.path.exists(self.agentx), 20, lambda: f"snmpd's AgentX socket\n{self.agent.tail()}",
                 programs=[self.agent])

    def stop_agent(self):
        self.agent.stop()
        if os.path.exists(self.agentx):
            os.unlink(self.agentx)

    def stop(self):
        self.agent.stop()
        self.manager.stop()

    def _logged(self):
        try:
            with open(self.log, encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def notifications(self):
        """Notifications about cases."""
        return [one for one in self.received() if not one["oid"].endswith(self.RESILVER_FINISHED)]

    def resilvers(self):
        return [one for one in self.received() if one["oid"].endswith(self.RESILVER_FINISHED)]

    def received(self):
        """All except snmpd's own: {"at", "oid", "values": {oid: text}}."""
        found = []
        for entry in re.split(r"^NOTIFICATION ", self._logged(), flags=re.M)[1:]:
            at, _, rest = entry.partition(" ")
            values = {}
            for pair in rest.strip().split(" | "):
                oid, separator, value = pair.strip().partition(" = ")
                if separator:
                    values[oid] = re.sub(r"^[A-Za-z0-9-]+: ", "", value).strip('"')
            oid = values.get(self.TRAP_OID, "")
            if not oid.startswith(self.NOISE):
                found.append({"at": float(at), "oid": oid, "values": values})
        return found
