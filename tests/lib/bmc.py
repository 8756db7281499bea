"""A BMC for tests: OpenIPMI's ipmi_sim with the sensors of a small server, over LAN on loopback or as a guest's own BMC.

Records follow the IPMI specification 2.0, section 43. Tests trigger failures (a fan stops, a log entry appears) through
ipmi_sim's console, a TCP port."""
import os
import signal
import socket
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "simulator"))
from ports import free_port  # noqa: E402
from process import patience  # noqa: E402

TEMPERATURE, VOLTAGE, FAN, PROCESSOR, SUPPLY, MEMORY, DRIVE_SLOT = 0x01, 0x02, 0x04, 0x07, 0x08, 0x0C, 0x0D
EVENT_LOG, WATCHDOG = 0x10, 0x23
CELSIUS, VOLTS, RPM = 1, 4, 18
THRESHOLD, SPECIFIC, REDUNDANCY = 0x01, 0x6F, 0x0B
CPU_ENTITY, BOARD, SUPPLY_ENTITY, FAN_ENTITY, DIMM, SLOT_ENTITY = 3, 7, 10, 29, 32, 26
USER, PASSWORD = "fmd", "secret"


def sdr(record_type, body):
    return bytes([0, 0, 0x51, record_type, len(body)]) + bytes(body)


def name_of(text):
    return [0xC0 | len(text), *text.encode()]


class Analog:
    """A threshold sensor. limits: raw bytes (lower non-recoverable, critical, non-critical; upper the same), None if absent."""

    def __init__(self, number, name, kind, unit, entity, value, lower=(), upper=(), multiplier=1, exponent=0):
        self.number, self.name, self.kind, self.unit, self.entity, self.value = number, name, kind, unit, entity, value
        self.lower = dict(zip((2, 1, 0), lower))  # by bit, the most severe first
        self.upper = dict(zip((5, 4, 3), upper))
        self.multiplier, self.exponent = multiplier, exponent

    def limits(self):
        return {bit: raw for bit, raw in {**self.lower, **self.upper}.items() if raw is not None}

    def commands(self):
        limits = self.limits()
        mask = sum(1 << bit for bit in limits)
        at = [limits.get(bit, 0) for bit in range(6)]
        body = [0x20, 0, self.number, *self.entity, 0x7F, 0x68, self.kind, THRESHOLD, 0, 0, 0, 0, mask, mask, 0, self.unit, 0,
                0, self.multiplier & 0xFF, (self.multiplier >> 8) << 6, 0, 0, 0, (self.exponent & 0xF) << 4, 0, 0, 0, 0, 255, 0,
                at[5], at[4], at[3], at[2], at[1], at[0], 1, 1, 0, 0, 0, *name_of(self.name)]
        enabled = "".join("1" if bit in limits else "0" for bit in range(5, -1, -1))
        values = " ".join(str(limits.get(bit, 0)) for bit in range(5, -1, -1))
        on = "0" * 3 + "".join("11" if bit in limits else "00" for bit in range(5, -1, -1))
        return [f"sensor_add 0x20 0 {self.number} {self.kind} {THRESHOLD}",
                f"sensor_set_threshold 0x20 0 {self.number} settable {enabled} {values}",
                f"sensor_set_value 0x20 0 {self.number} {self.value} 0",
                f"sensor_set_event_support 0x20 0 {self.number} enable scanning per-state {on} {on} {on} {on}",
                add_sdr(sdr(1, body))]


class Discrete:
    """A discrete sensor. states: the offsets it supports; now: those asserted."""

    def __init__(self, number, name, kind, entity, states, now=(), reading=SPECIFIC):
        self.number, self.name, self.kind, self.entity = number, name, kind, entity
        self.states, self.now, self.reading = states, now, reading

    def commands(self):
        mask = sum(1 << state for state in self.states)
        low, high = mask & 0xFF, mask >> 8
        body = [0x20, 0, self.number, *self.entity, 0x7F, 0x40, self.kind, self.reading, low, high, low, high, low, high, 0xC0,
                0, 0, 1, 0, 0, 0, 0, 0, 0, 0, *name_of(self.name)]
        on = f"{mask:015b}"
        return [f"sensor_add 0x20 0 {self.number} {self.kind} {self.reading}",
                f"sensor_set_event_support 0x20 0 {self.number} enable scanning per-state {on} {on} {on} {on}",
                *(f"sensor_set_bit 0x20 0 {self.number} {state} 1 0" for state in self.now), add_sdr(sdr(2, body))]


class EventOnly:
    def __init__(self, number, name, kind, entity, reading=SPECIFIC):
        self.number, self.name, self.kind, self.entity, self.reading = number, name, kind, entity, reading

    def commands(self):
        body = [0x20, 0, self.number, *self.entity, self.kind, self.reading, 1, 0, 0, 0, *name_of(self.name)]
        return [add_sdr(sdr(3, body))]


def text_field(text):
    return bytes([0xC0 | len(text)]) + text.encode()


def checked(area):
    area += b"\xc1"
    area += bytes(-(len(area) + 1) % 8)
    area = bytes([area[0], (len(area) + 1) // 8]) + area[2:]
    return area + bytes([-sum(area) & 0xFF])


class Fru:
    """A FRU inventory: its board and product areas (IPMI's FRU information storage definition)."""

    def __init__(self, number, name, entity, maker, product, part, serial):
        self.number, self.name, self.entity = number, name, entity
        self.maker, self.product, self.part, self.serial = maker, product, part, serial

    def data(self):
        board = checked(bytes([1, 0, 25, 0, 0, 0]) +
                        b"".join(text_field(t) for t in (self.maker, self.product, self.serial, self.part, "")))
        product = checked(bytes([1, 0, 25]) +
                          b"".join(text_field(t) for t in (self.maker, self.product, self.part, "1", self.serial, "", "")))
        header = bytes([1, 0, 0, 1, 1 + len(board) // 8, 0, 0])
        return header + bytes([-sum(header) & 0xFF]) + board + product

    def commands(self):
        data = self.data()
        locator = [0x20, self.number, 0x80, 0, 0, 0x10, 0, *self.entity, 0, *name_of(self.name)]
        return [f"mc_add_fru_data 0x20 {self.number} {len(data)} data " + " ".join(f"0x{b:02x}" for b in data),
                add_sdr(sdr(0x11, locator))]


def add_sdr(record):
    return "main_sdr_add 0x20 " + " ".join(f"0x{byte:02x}" for byte in record)


def small_server():
    """Two supplies, three fans, a board; all healthy."""
    parts = [Analog(1, "CPU1 Temp", TEMPERATURE, CELSIUS, (CPU_ENTITY, 1), 41, (), (100, 95, 90)),
             Analog(2, "System Temp", TEMPERATURE, CELSIUS, (BOARD, 1), 28, (), (90, 85, 80)),
             Analog(3, "12V", VOLTAGE, VOLTS, (BOARD, 1), 120, (100, 105, 108), (140, 135, 132), 1, -1)]
    for n in (1, 2, 3):
        parts.append(Analog(0x40 + n, f"FAN{n}", FAN, RPM, (FAN_ENTITY, n), 56, (3, 5, 7), (), 100))
    for n in (1, 2):
        parts.append(Discrete(0x60 + n, f"PS{n} Status", SUPPLY, (SUPPLY_ENTITY, n), (0, 1, 2, 3, 7), (0,)))
        parts.append(Fru(n, f"PSU{n}", (SUPPLY_ENTITY, n), "Acme Power", "PWS-920P", "PWS-920P-SQ", f"P920PCF{n}1"))
    parts.append(Discrete(0x70, "PS Redundancy", SUPPLY, (SUPPLY_ENTITY, 9), (0, 1, 2), (0,), REDUNDANCY))
    parts.append(Discrete(0x10, "CPU1 Status", PROCESSOR, (CPU_ENTITY, 1), (0, 1, 7, 10), (7,)))
    parts.append(Discrete(0x80, "Slot 3", DRIVE_SLOT, (SLOT_ENTITY, 3), (0, 1, 2), (0,)))
    parts.append(EventOnly(0x90, "ECC", MEMORY, (DIMM, 1)))
    parts.append(EventOnly(0x91, "SEL", EVENT_LOG, (BOARD, 1)))
    parts.append(EventOnly(0x92, "Watchdog", WATCHDOG, (BOARD, 1)))
    return parts


def event(sensor_type, number, reading, offset, deassert=False, data2=0xFF, data3=0xFF):
    """The 13 bytes of a system event record in sel_add's format, with the BMC's own timestamp."""
    flags = 0x00 if data2 == 0xFF else 0xA0
    return [0, 0, 0, 0, 0x20, 0, 0x04, sensor_type, number, reading | (0x80 if deassert else 0), flags | offset, data2, data3]


class Bmc:
    """A running ipmi_sim. serial: the TCP port for a virtual machine's BMC interface."""

    def __init__(self, folder, parts=None, serial=None, sel_size=200):
        self.folder, self.parts = folder, parts if parts is not None else small_server()
        self.sel_size, self.serial = sel_size, serial
        self.process, self.console_port, self.lan_port = None, 0, 0
        self.after_start = []  # log entries present from the start

    def write(self):
        os.makedirs(self.folder + "/state", exist_ok=True)
        lan = ['name "fmd"', f"console 127.0.0.1 {self.console_port}", "startlan 1", f"  addr 127.0.0.1 {self.lan_port}",
               "  priv_limit admin", "  allowed_auths_callback md5", "  allowed_auths_user md5",
               "  allowed_auths_operator md5", "  allowed_auths_admin md5",
               "  guid a123456789abcdefa123456789abcdef", "endlan", f'user 2 true "{USER}" "{PASSWORD}" admin 10 md5']
        lan.append(f'chassis_control "{self._chassis_program()}"')
        if self.serial:
            lan.append(f"serial 15 127.0.0.1 {self.serial} codec VM")
        emu = ["mc_setbmc 0x20", "mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02",
               f"sel_enable 0x20 {self.sel_size} 0x0a"]
        for part in self.parts:
            emu += part.commands()
        emu.append("mc_enable 0x20")
        for name, lines in (("lan.conf", lan), ("bmc.emu", emu)):
            with open(f"{self.folder}/{name}", "w", encoding="utf-8") as out:
                out.write("\n".join(lines) + "\n")

    def _chassis_program(self):
        """The program that ipmi_sim runs for chassis control: it keeps each setting in a file of that name."""
        program = os.path.join(self.folder, "chassis")
        with open(program, "w", encoding="ascii") as out:
            out.write("#!/bin/sh\n# [ADDRESS] set NAME VALUE... | [ADDRESS] get NAME...\ncase $1 in set | get) ;; *) shift ;; esac\n"
                      "verb=$1\nshift\n"
                      f"if [ \"$verb\" = set ]; then name=$1; shift; echo \"$*\" > '{self.folder}/chassis-'$name; exit; fi\n"
                      f"for name; do echo $name:$(cat '{self.folder}/chassis-'$name 2> /dev/null || echo 0); done\n")
        os.chmod(program, 0o755)
        return program

    def identify(self):
        """Last setting of the chassis' locate light: "" if never set; else seconds, and whether indefinitely."""
        try:
            with open(os.path.join(self.folder, "chassis-identify"), encoding="ascii") as file:
                return file.read().strip()
        except FileNotFoundError:
            return ""

    def start(self, attempts=5):
        for _ in range(attempts):  # another process may take a free port before it is bound
            self.console_port = free_port(socket.SOCK_STREAM)
            self.lan_port = self.lan_port or free_port(socket.SOCK_DGRAM)
            self.write()
            # Keep SIGPIPE ignored, as in this process: ipmi_sim may still write after say() has closed the connection, and would die.
            self.process = subprocess.Popen(
                ["ipmi_sim", "-c", self.folder + "/lan.conf", "-f", self.folder + "/bmc.emu", "-s", self.folder + "/state",
                 "-n"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, restore_signals=False)
            if self._answers():
                for entry in self.after_start:
                    self.log(entry)
                return self
            self.stop()
        raise RuntimeError("ipmi_sim does not come up")

    def _answers(self):
        end = time.monotonic() + 30
        while time.monotonic() < end and self.process.poll() is None:
            try:
                self.say("")
                return True
            except OSError:
                time.sleep(0.05)
        return False

    def say(self, *commands):
        """Sends commands to the console; each is answered by a prompt."""
        with socket.create_connection(("127.0.0.1", self.console_port), timeout=patience()) as console:
            said = b""
            for command in (None, *commands):
                if command is not None:
                    console.sendall(command.encode() + b"\n")
                seen = said.count(b"> ")
                while said.count(b"> ") <= seen:
                    more = console.recv(4096)
                    if not more:
                        return said.decode(errors="replace")
                    said += more
            return said.decode(errors="replace")

    def value(self, number, raw):
        self.say(f"sensor_set_value 0x20 0 {number} {raw} 1")

    def state(self, number, offset, on=True):
        self.say(f"sensor_set_bit 0x20 0 {number} {offset} {int(on)} 1")

    def log(self, entry):
        self.say("sel_add 0x20 0x02 " + " ".join(f"0x{byte:02x}" for byte in entry))

    def tool(self, *words):
        """Runs the real ipmitool, as an administrator would."""
        subprocess.run(["ipmitool", "-I", "lan", "-H", "127.0.0.1", "-p", str(self.lan_port), "-U", USER, "-P", PASSWORD, *words],
                       check=True, timeout=patience(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def set_clock(self, seconds):
        """Set SEL Time (section 31.11)."""
        self.tool("raw", "0x0a", "0x49", *(f"0x{byte:02x}" for byte in seconds.to_bytes(4, "little")))

    def delete_entry(self, number):
        """Delete SEL Entry (section 31.8) with this record id."""
        self.tool("sel", "delete", str(number))

    def clear_log(self):
        self.tool("sel", "clear")

    def freeze(self, on=True):
        self.process.send_signal(signal.SIGSTOP if on else signal.SIGCONT)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
        if self.process:
            self.process.wait()
