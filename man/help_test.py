#!/usr/bin/python3
"""The manual pages against --help: each command and each option of it is explained, and none that there is not.

help_test.py FOLDER PROGRAM...     FOLDER: of fmadm.8, fmdump.8, fmstat.8, fmtopo.8
"""
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests"))
import cli_help  # noqa: E402

PROGRAMS = ("fmadm", "fmdump", "fmstat", "fmtopo")


def everything(program, *words):
    """Every (command, options) below."""
    options, verbs, text = cli_help.help_of(program, *words)
    yield words, options, text
    for verb in verbs:
        yield from everything(program, *words, verb)


def main(folder, *programs):
    wrong = []
    for program in programs:
        name = os.path.basename(program)
        if name not in PROGRAMS:
            continue
        with open(os.path.join(folder, name + ".8"), encoding="utf-8") as file:
            page = file.read()
        written = set(re.findall(r"Fl (-?[\w-]+)", page)) | {f"-{word}" for word in re.findall(r"Fl -([\w-]+)", page)}
        written |= set(re.findall(r"Fl -[\w-]+ \| (-[\w-]+)", page))
        # "Fl afrsv" is five of them.
        written |= {letter for word in written if not word.startswith("-") for letter in word}
        known = set()
        for words, options, text in everything(program):
            known |= {f"-{long}" for long in options} | {short for short in options.values() if short}
            command = " ".join(words)
            if f"\nExamples:\n  {name} {command}".rstrip() not in text:
                wrong.append(f"'{name} {command} --help' has no example of it")
            if longest := [line for line in text.splitlines() if len(line) > 80]:
                wrong.append(f"'{name} {command} --help' is wider than 80 columns: {longest[0]}")
            if words and not re.search(rf"^\.(Cm|Ss|Op Cm|Pq|Sy).*\b{re.escape(words[-1])}\b", page, re.M):
                wrong.append(f"{name}.8 says nothing of '{command}'")
            for long, short in options.items():
                if long in ("help", "version") and name != "fmadm":
                    continue  # fmadm(8) has them for all
                if f"-{long}" not in written and short not in written:
                    wrong.append(f"{name}.8 says nothing of --{long} of '{command or name}'")
        own = set(re.findall(r"^\.(?:It|Op) Fl (-[\w-]+|\w)\b", page, re.M)) | set(re.findall(r"^\.It Fl \w , Fl (-[\w-]+)", page, re.M))
        wrong += [f"{name}.8 has -{flag}, which {name} has not" for flag in sorted(own - known)]
    print("\n".join(wrong) or "as --help has them")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
