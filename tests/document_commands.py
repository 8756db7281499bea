#!/usr/bin/python3
"""Checks the commands in documents: each fmadm, fmdump, fmstat and fmtopo command and its options are in --help, each ./dev command
exists, and so does each unit passed to systemctl or journalctl.

document_commands.py PROGRAM...
"""
import os
import re
import shlex
import sys

import cli_help
import documents

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OTHER_UNITS = {"zfs-zed", "smartmontools", "mdmonitor", "rasdaemon", "ledmon", "fmd", "fmd.target", "fmd-metrics.socket", "fmd-textfile.timer", "fmd-NAME", "fmd-PLUGIN", "snmpd",
               "fmd*"}


def commands(text):
    """Every command line in fenced blocks and in inline code."""
    for block in re.findall(r"^ *```(?:console|sh)?\n(.*?)^ *```", text, re.M | re.S):
        yield from block.splitlines()
    yield from re.findall(r"^    +(\S.*)$", text, re.M)
    yield from (line.replace("\n", " ") for line in re.findall(r"(?<!`)`([^`]+)`(?!`)", text))


def split(line):
    """Each simple command of a line as words, without sudo."""
    line = re.sub(r"\s#\s.*$|\s{3,}.*$", "", line.strip().removeprefix("$ "))
    for part in re.split(r"&&|\|(?!\w)|;", line):
        try:
            words = shlex.split(part)
        except ValueError:
            continue
        words = words[1:] if words[:1] == ["sudo"] else words
        if words:
            yield words


class Checker:
    def __init__(self, programs):
        self.programs = {os.path.basename(program): program for program in programs}
        self.helps = {}
        with open(os.path.join(TREE, "dev"), encoding="utf-8") as file:
            text = file.read().partition("\nEND\n")[0]
        self.dev = set(re.findall(r"^  ([a-z-]+) ", text, re.M)) | set(re.findall(r"[a-z-]+", text.partition("with --help:")[2]))
        with open(os.path.join(TREE, "plugins/list"), encoding="utf-8") as file:
            self.units = OTHER_UNITS | {f"fmd-{name}" for name in file.read().split()}

    def help_of(self, *words):
        if words not in self.helps:
            self.helps[words] = cli_help.help_of(self.programs[words[0]], *words[1:])
        return self.helps[words]

    def problem(self, words):
        """Returns what is wrong with one command, or None."""
        name = words[0]
        if name in self.programs:
            return self.of_program(name, words[1:])
        if name == "./dev" and len(words) > 1 and words[1] not in self.dev | {"--help", "COMMAND"}:
            return f"./dev has no command {words[1]}"
        if name == "systemctl" and words[1] in ("start", "stop", "restart", "status", "enable", "disable", "reload"):
            units = {word.removesuffix(".service") for word in words[2:] if not word.startswith("-")}
            if unknown := units - self.units - {"dbus"}:
                return f"there is no unit {', '.join(sorted(unknown))}"
        return None

    def of_program(self, name, rest):
        path = (name,)
        options, verbs, _ = self.help_of(name)
        for index, word in enumerate(rest):
            if word.startswith("--"):
                if word.partition("=")[0].removeprefix("--") not in set(options) | set(self.help_of(name)[0]):
                    return f"{' '.join(path)} has no option {word}"
            elif word in verbs:
                path += (word,)
                options, verbs, _ = self.help_of(*path)
            elif verbs and re.fullmatch(r"[a-z-]+", word) and word != "help" and not rest[index - 1].startswith("-"):
                return f"{' '.join(path)} has no command {word}"
        return None


def main(programs):
    checker = Checker(programs)
    tree = documents.Tree(TREE)
    wrong, seen = [], 0
    for path, text in tree.items():
        if not documents.is_page(path) or os.path.basename(path) in ("CHANGELOG.md", "STYLE.md"):
            continue
        for line in commands(text):
            for words in split(line):
                seen += words[0] in checker.programs
                if problem := checker.problem(words):
                    wrong.append(f"{path}: '{' '.join(words)}': {problem}")
    print("\n".join(wrong) or f"{seen} commands")
    return 1 if wrong or seen < 100 else 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(print(__doc__.strip()) if "--help" in sys.argv else __doc__.strip())
    sys.exit(main(sys.argv[1:]))
