"""A terminal on the test machine's serial console. Ctrl-] leaves it."""

import os
import select
import socket
import sys
import termios
import tty

LEAVE = b"\x1d"


def attach(path):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    print("[console] root's shell; Ctrl-] leaves", flush=True)
    connection.sendall(b"\n")
    try:
        tty.setraw(terminal)
        while True:
            ready, _, _ = select.select([terminal, connection], [], [])
            if connection in ready:
                data = connection.recv(65536)
                if not data:
                    return
                os.write(sys.stdout.fileno(), data)
            if terminal in ready:
                data = os.read(terminal, 1024)
                if not data or LEAVE in data:
                    return
                connection.sendall(data)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
        connection.close()
        print()


if __name__ == "__main__":
    attach(sys.argv[1])
