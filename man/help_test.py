#!/usr/bin/python3
"""The manual pages against --help: each command and each option of it is explained, and none that there is not.

help_test.py FOLDER PROGRAM...     FOLDER: of fmadm.8, fmdump.8, fmstat.8, fmtopo.8
"""
import os
import re
import subprocess
import sys

PROGRAMS = ("fmadm", "fmdump", "fmstat", "fmtopo")


def help_of(program, *words):
    """(options as {long: short}, subcommands) as --help lists them."""
    text = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True, env={"LC_ALL": "C"}).stdout
    options = {long: short for short, long in re.findall(r"^  (?:-(\w),)?--([a-z-]+)", text, re.M)}
    _, _, below = text.partition("\nSubcommands:\n")
    return options, re.findall(r"^  ([a-z-]+) ", below.partition("\n\n")[0], re.M)


def everything(program, *words):
    """Every (command, options) below."""
    options, verbs = help_of(program, *words)
    yield words, options
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
        for words, options in everything(program):
            known |= {f"-{long}" for long in options} | {short for short in options.values() if short}
            command = " ".join(words)
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
