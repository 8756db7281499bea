#!/usr/bin/python3
"""The shells' completions against --help: for every command exactly its options and subcommands, in bash, zsh and fish.

help_test.py fmd.bash _fmadm fmadm.fish PROGRAM...     PROGRAM: path of fmadm, fmdump, fmstat, fmtopo
"""
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests"))
import cli_help  # noqa: E402

COMMON = {"--bus", "--host", "--json", "--color", "--no-pager", "--help", "--version"}


def help_of(program, *words):
    """(options, subcommands) as --help lists them."""
    options, verbs, _ = cli_help.help_of(program, *words)
    return {f"--{long}" for long in options}, verbs


def below(program, *words):
    """(options, words) of a command and of all below it."""
    options, verbs = help_of(program, *words)
    names = set(verbs)
    for verb in verbs:
        more, deeper = below(program, *words, verb)
        options |= more
        names |= deeper
    return options, names


def blocks(text, start, end):
    """{verb: text} of the branches of a case; start: a regex with the verbs as its group."""
    found = {}
    for branch in re.finditer(rf"{start}(.*?){end}", text, re.M | re.S):
        for verb in re.split(r"[ |]+", branch[1].strip()):
            found[verb] = found.get(verb, "") + branch[2]
    return found


def of_bash(text):
    verbs = blocks(text.partition("\n_fmadm()")[2].partition("\n}\n")[0], r"^    ([a-z| -]+)\)", r"\n?[ ]*;;\n(?=    [a-z\"]|  esac)")
    programs = blocks(text.partition("\n_fmd()")[2], r"^    \*(fm\w+)\)", r"(?=^    \*fm|^  esac)")
    return verbs, programs


def of_zsh(text):
    verbs = blocks(text, r"^        ([a-z|-]+)\) ", r";;\n(?=        [a-z*])")
    programs = blocks(text.partition("case $service in")[2], r"^  (fm\w+)\) ", r";;\n")
    return verbs, programs


def of_fish(text):
    verbs, programs = {}, {}
    for line in text.splitlines():
        if not (found := re.match(r"complete -c (\w+) ", line)):
            continue
        options = " ".join(f"--{name}" for name in re.findall(r" -l ([a-z-]+)", line))
        words = " ".join(re.findall(r" -a '([^']*)'", line))
        if seen := re.search(r"-n ['\"]__fish_seen_subcommand_from ([a-z -]+)", line):
            for verb in seen[1].split():
                verbs[verb] = verbs.get(verb, "") + f" {options} {words} "
        else:
            programs[found[1]] = programs.get(found[1], "") + f" {options} {words} "
    return verbs, programs


def main(bash, zsh, fish, *programs):
    wrong = []
    texts = {}
    for shell, path, parse in (("bash", bash, of_bash), ("zsh", zsh, of_zsh), ("fish", fish, of_fish)):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        texts[shell] = (text, *parse(text))

    def compare(shell, name, text, options, words):
        offered = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))
        wrong.extend(f"{shell}: {name} does not offer {o}" for o in sorted(options - COMMON - offered))
        wrong.extend(f"{shell}: {name} offers {o}, which it has not" for o in sorted(offered - options - COMMON))
        wrong.extend(f"{shell}: {name} does not offer '{w}'" for w in sorted(words) if not re.search(rf"(?<![\w-]){w}(?![\w-])", text))

    for program in programs:
        name = os.path.basename(program)
        if name not in ("fmadm", "fmdump", "fmstat", "fmtopo"):
            continue  # nobody types check_fmd
        options, verbs = help_of(program)
        for shell, (text, of_verb, of_program) in texts.items():
            wrong.extend(f"{shell}: {one} is nowhere offered" for one in sorted(options & COMMON - {"--version"})
                         if one not in text and f"-l {one[2:]}" not in text)
            if not verbs:
                compare(shell, name, of_program.get(name, ""), options, ())
        for verb in verbs:
            own, words = below(program, verb)
            for shell, (text, of_verb, _) in texts.items():
                if not re.search(rf"(?<![\w-]){verb}(?![\w-])", text):
                    wrong.append(f"{shell}: no '{verb}'")
                compare(shell, f"fmadm {verb}", of_verb.get(verb, ""), own, words)
    print("\n".join(wrong) or "as --help has them")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
