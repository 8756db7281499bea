#!/usr/bin/python3
"""The manual pages against --help: each command and each option of it is explained, and none that there is not.

help_test.py FOLDER PROGRAM...     FOLDER: of fmadm.8, fmadm-chassis.8, ..., fmdump.8, fmstat.8, fmtopo.8
"""
import glob
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


def flags_of(page):
    """Every option that a page mentions, without its first dash: "-force", "w"."""
    flags = set(re.findall(r"Fl (-?[\w-]+)", page)) | {f"-{word}" for word in re.findall(r"Fl -([\w-]+)", page)}
    flags |= set(re.findall(r"Fl -[\w-]+ \| (-[\w-]+)", page))
    # "Fl afrsv" is five of them.
    return flags | {letter for word in flags if not word.startswith("-") for letter in word}


def pages_of(folder, name):
    """{page: text}: the program's own page, and the pages of groups of its commands (NAME-GROUP.8)."""
    pages = {}
    for path in [os.path.join(folder, name + ".8"), *sorted(glob.glob(os.path.join(glob.escape(folder), name + "-*.8")))]:
        with open(path, encoding="utf-8") as file:
            pages[os.path.basename(path)] = file.read()
    return pages


def page_of(pages, name, words):
    """The page whose synopsis shows the command; the program's own page lists the commands of the others in one line."""
    found = [page for page, text in pages.items() if words and page != name + ".8" and
             re.search(rf"^\.Cm {re.escape(words[0])}\b", text[:text.index(".Sh DESCRIPTION")], re.M)]
    return (found or [name + ".8"])[0], len(found) < 2


def main(folder, *programs):
    wrong = []
    for program in programs:
        name = os.path.basename(program)
        if name not in PROGRAMS:
            continue
        pages = pages_of(folder, name)
        known = {page: set() for page in pages}
        used = {page: set() for page in pages}
        for words, options, text in everything(program):
            command = " ".join(words)
            where, alone = page_of(pages, name, words)
            if not alone:
                wrong.append(f"several pages have '{command}' in their synopsis")
            page = pages[where]
            used[where].add(command)
            # "fmadm" itself has the options of all commands.
            for one in pages if not words else (where,):
                known[one] |= {f"-{long}" for long in options} | {short for short in options.values() if short}
            if f"\nExamples:\n  {name} {command}".rstrip() not in text:
                wrong.append(f"'{name} {command} --help' has no example of it")
            if longest := [line for line in text.splitlines() if len(line) > 80]:
                wrong.append(f"'{name} {command} --help' is wider than 80 columns: {longest[0]}")
            if words and not re.search(rf"^\.(Cm|Ss|Op Cm|Pq|Sy).*\b{re.escape(words[-1])}\b", page, re.M):
                wrong.append(f"{where} says nothing of '{command}'")
            written = flags_of(page)
            for long, short in options.items():
                if long in ("help", "version") and name != "fmadm" or long == "help" and words:
                    continue  # fmadm(8) has them for all
                if f"-{long}" not in written and short not in written:
                    wrong.append(f"{where} says nothing of --{long} of '{command or name}'")
        for where, page in pages.items():
            own = set(re.findall(r"^\.(?:It|Op) Fl (-[\w-]+|\w)\b", page, re.M)) | set(re.findall(r"^\.It Fl \w , Fl (-[\w-]+)", page, re.M))
            wrong += [f"{where} has -{flag}, which {name} has not" for flag in sorted(own - known[where])]
            if not used[where]:
                wrong.append(f"{where} has no command of {name}")
            wrong += [f"{where} does not refer to {other}(8)" for other in (one.removesuffix(".8") for one in pages)
                      if other + ".8" != where and f"\n.Xr {other} 8" not in page[page.index(".Sh SEE ALSO"):]]
    print("\n".join(wrong) or "as --help has them")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
