"""The demo's output: 80 columns, colours only on a terminal."""
import os
import re
import sys
import textwrap
import time

WIDTH = 80
COLOURS = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "36"}
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Teller:
    """Writes to a stream; times are seconds since it was created."""

    def __init__(self, stream=None):
        self.stream = stream or sys.stdout
        self.coloured = self.stream.isatty() and os.environ.get("TERM") != "dumb" and "NO_COLOR" not in os.environ
        self.began = time.monotonic()
        self.checks = []

    def colour(self, text, *names):
        if not self.coloured or not names:
            return text
        return "".join(f"\033[{COLOURS[name]}m" for name in names) + text + "\033[0m"

    def line(self, text=""):
        print(text, file=self.stream, flush=True)

    def clock(self):
        return f"{time.monotonic() - self.began:5.1f} s"

    def step(self, text):
        """Begins a chapter."""
        self.line()
        for number, part in enumerate(textwrap.wrap(text, WIDTH - 9)):
            self.line(self.colour(f"{self.clock() if number == 0 else '':7}  {part}", "bold"))

    def say(self, text):
        for part in textwrap.wrap(text, WIDTH - 9):
            self.line(f"{'':9}{part}")

    def good(self, text, seconds):
        """An expected event, and the seconds it took."""
        self.checks.append((text, seconds))
        lines = textwrap.wrap(text, WIDTH - 24)
        for number, part in enumerate(lines):
            tail = f"{seconds:9.2f} s" if number == len(lines) - 1 else ""
            self.line(f"{self.clock() if number == 0 else '':7}  {self.colour('ok' if number == 0 else '  ', 'green')}  "
                      f"{part:<{WIDTH - 24}}{tail}")

    def shown(self, title, text):
        """Output as a user would see it, in full width; control characters are replaced."""
        self.line(self.colour(f"--- {title} ".ljust(WIDTH, "-"), "dim"))
        for raw in text.strip("\n").splitlines():
            line = CONTROL.sub("?", raw.expandtabs()).rstrip()
            indent = " " * min(40, len(line) - len(line.lstrip()))
            for part in textwrap.wrap(line, WIDTH, subsequent_indent=indent) or [""]:
                self.line(part)
        self.line(self.colour("-" * WIDTH, "dim"))

    def chassis(self, rows):
        """Bays side by side: number, serial, state, LEDs (`!` fault, `o` locate)."""
        def cells(make):
            return "|".join(make(row) for row in rows)
        edge = "+".join("-" * 8 for _ in rows)
        self.line(f"     +{edge}+")
        self.line(f"     |{cells(self._bay)}|")
        self.line(f"     |{cells(lambda row: CONTROL.sub('?', row['serial'])[:8].center(8))}|")
        self.line(f"     |{cells(self._state)}|")
        self.line(f"     |{cells(self._leds)}|")
        self.line(f"     +{edge}+")
        self.line(self.colour(f"{'':6}LEDs: ! fault   o locate", "dim"))

    def _bay(self, row):
        text = f"bay {row['bay']}".center(8)
        return self.colour(text, "red", "bold") if row["fault"] else text

    def _state(self, row):
        names = {"ONLINE": ["green"], "spare": ["dim"], "empty": ["dim"], "spare in use": ["yellow"], "new": ["blue"]}
        short = {"spare in use": "spare IN"}.get(row["note"], row["note"])
        return self.colour(short[:8].center(8), *names.get(row["note"], ["red"]))

    def _leds(self, row):
        fault = self.colour("!", "red", "bold") if row["fault"] else "."
        locate = self.colour("o", "blue", "bold") if row["locate"] else "."
        return f"  {fault}  {locate}  "

    def summary(self):
        self.line()
        self.line(self.colour("What was checked", "bold"))
        for text, seconds in self.checks:
            lines = textwrap.wrap(text, WIDTH - 20)
            for number, part in enumerate(lines):
                tail = f"{seconds:9.2f} s" if number == len(lines) - 1 else ""
                self.line(f"  {self.colour('ok', 'green') if number == 0 else '  '}  {part:<{WIDTH - 20}}{tail}")
