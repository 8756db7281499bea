"""Ports on 127.0.0.1 for servers that are started with a number."""
import random
import socket

_reserved = []  # held until this process ends
_PORTS = range(20000, 32000)  # below Linux's ephemeral ports (ip_local_port_range), which any connection may take at any time


def free_port(kind=socket.SOCK_STREAM):
    """A port that no other caller gets as long as this process lives, in any process of this network namespace. A server may be started
    on it again and again."""
    for port in random.sample(_PORTS, len(_PORTS)):
        mark = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            mark.bind(f"\0fmd-port-{port}")  # abstract: the kernel frees it when this process ends
            with socket.socket(socket.AF_INET, kind) as probe:
                probe.bind(("127.0.0.1", port))
        except OSError:
            mark.close()
            continue
        _reserved.append(mark)
        return port
    raise OSError(f"no port of {_PORTS.start} to {_PORTS.stop - 1} is free")


def listening(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
