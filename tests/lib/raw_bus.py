"""A D-Bus connection that misbehaves as no library allows: it calls and never reads, or is called and never answers.

    bus = RawBus("/path/of/socket")
    bus.send("org.fmd.FaultManager1", "/org/fmd/FaultManager1", "org.fmd.FaultManager1", "ListCases", "{}")
"""
import os
import socket
import struct


def _padded(data, to):
    return data + bytes(-len(data) % to)


def _text(value, kind):
    data = value.encode()
    return (bytes([len(data)]) if kind == "g" else struct.pack("<I", len(data))) + data + b"\0"


NO_REPLY = 1  # flag NO_REPLY_EXPECTED


def method_call(serial, destination, path, interface, member, *arguments, flags=0):
    """arguments: strings, and numbers as uint32."""
    body = b""
    for argument in arguments:
        body = _padded(body, 4) + (struct.pack("<I", argument) if isinstance(argument, int) else _text(argument, "s"))
    fields = [(1, "o", path), (2, "s", interface), (3, "s", member), (6, "s", destination)]
    if arguments:
        fields.append((8, "g", "".join("u" if isinstance(a, int) else "s" for a in arguments)))
    array = b""
    for code, kind, value in fields:
        array = _padded(array, 8) + bytes([code]) + _text(kind, "g")
        array = (array if kind == "g" else _padded(array, 4)) + _text(value, kind)
    return _padded(struct.pack("<BBBBIII", ord("l"), 1, flags, 1, len(body), serial, len(array)) + array, 8) + body


class RawBus:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(path)
        self.socket.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        answer = self.socket.recv(200)
        if not answer.startswith(b"OK"):
            raise ConnectionError(answer)
        self.socket.sendall(b"BEGIN\r\n")
        self.serial = 0
        self.send("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello")
        welcome = b""
        while b"NameAcquired" not in welcome:
            part = self.socket.recv(4096)
            if not part:
                raise ConnectionError(welcome)
            welcome += part

    def send(self, *call, flags=0):
        self.serial += 1
        self.socket.sendall(method_call(self.serial, *call, flags=flags))

    def request_name(self, name):
        self.send("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName", name, 0)
