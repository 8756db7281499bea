"""Receivers of mail and SNMP notifications in the test machine."""

import json
import re

from machine import PATIENCE

FOLDER = "/var/log/fmd-test"
GUEST = "/mnt/share/guest"


def _parsed(line):
    """The JSON value, or None for a partial line from before a power cut."""
    try:
        return json.loads(line)
    except ValueError:
        return None


class _Service:
    """A transient unit; must be started again after a reboot."""

    unit = ""
    command = ""
    ready = ""

    def __init__(self, machine):
        self.m = machine

    def start(self):
        self.m.sh(f"mkdir -p {FOLDER} /var/agentx; systemctl is-active -q {self.unit} || "
                  f"systemd-run -q --collect --unit={self.unit} {self.command}")
        self.m.wait(lambda: self.m.run(self.ready).ok, PATIENCE, f"{self.unit} to be ready")

    def stop(self):
        self.m.run(f"systemctl stop {self.unit}")


class Mail(_Service):
    """An SMTP server on 127.0.0.1:2525 that keeps what it receives."""

    PORT = 2525
    log = f"{FOLDER}/mail.jsonl"
    control = f"{FOLDER}/mail.control"
    unit = "fmd-test-mail"
    command = f"/usr/bin/python3 {GUEST}/smtpsink.py {log} {control} {PORT}"
    ready = f"ss -Hltn 'sport = :{PORT}' | grep -q ."

    def mode(self, word):
        """What it does at the end of a message: accept, refuse (451), or hold (no answer until the mode changes)."""
        self.m.sh(f"mkdir -p {FOLDER} && echo {word} > {self.control}.new && mv {self.control}.new {self.control}")

    def transcript(self):
        """Everything that happened, as lines described in smtpsink.py."""
        return [line for line in map(_parsed, self.m.read(self.log).splitlines()) if line]

    def messages(self):
        """The accepted mails: at, from, to, subject, headers, body, html, pictures."""
        received, accepted = {}, []
        for line in self.transcript():
            if line["state"] == "received":
                received[line["id"]] = line
            elif line["state"] == "accepted":
                accepted.append({**received[line["id"]], "at": line["at"]})
        return accepted

    def wait(self, count, timeout=10):
        """Waits for this many mails; returns all."""
        return self.m.wait(lambda: len(self.messages()) >= count and self.messages(), timeout,
                           lambda: f"{count} mails; there are {[m['subject'] for m in self.messages()]}", every=1)

    def reset(self):
        self.stop()
        self.m.sh(f"rm -f {self.log} {self.control}")


class Traps(_Service):
    """snmpd as the AgentX master, and snmptrapd, which logs its notifications."""

    log = f"{FOLDER}/traps.log"
    unit = "fmd-test-snmptrapd"
    command = f"/usr/sbin/snmptrapd -f -A -C -c {GUEST}/snmptrapd.conf -M /dev/null -m '' -Lf {log}"
    ready = "ss -Hlun 'sport = :1162' | grep -q ."
    agent_unit = "fmd-test-snmpd"
    agent = f"/usr/sbin/snmpd -f -C -c {GUEST}/snmpd.conf -M /dev/null -m '' -Lf {FOLDER}/snmpd.log"
    RESILVER_FINISHED = ".363.0.7"
    TRAP_OID = ".1.3.6.1.6.3.1.1.4.1.0"
    # coldStart, nsNotifyRestart and nsNotifyShutdown are snmpd's own.
    NOISE = (".1.3.6.1.6.3.1.1.5.1", ".1.3.6.1.4.1.8072.4.0.")

    def start(self):
        super().start()
        self.start_agent()

    def start_agent(self):
        """Starts only snmpd, for tests that stop it in between."""
        self.m.sh(f"systemctl is-active -q {self.agent_unit} || "
                  f"systemd-run -q --collect --unit={self.agent_unit} {self.agent}")
        self.m.wait(lambda: self.m.run("test -S /var/agentx/master").ok, PATIENCE, "snmpd's AgentX socket")

    def stop_agent(self):
        self.m.run(f"systemctl stop {self.agent_unit}; rm -f /var/agentx/master")

    def stop(self):
        self.stop_agent()
        super().stop()

    def notifications(self):
        """The notifications about cases."""
        return [one for one in self.received() if not one["oid"].endswith(self.RESILVER_FINISHED)]

    def received(self):
        """All notifications except snmpd's own: {"at", "oid", "values": {oid: text}}."""
        found = []
        for entry in re.split(r"^NOTIFICATION ", self.m.read(self.log), flags=re.M)[1:]:
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

    def wait(self, count, timeout=10):
        """Waits for this many notifications; returns all."""
        return self.m.wait(lambda: len(self.notifications()) >= count and self.notifications(), timeout,
                           lambda: f"{count} notifications; there are {self.notifications()}", every=1)

    def reset(self):
        self.stop()
        self.m.sh(f"rm -f {self.log}")
