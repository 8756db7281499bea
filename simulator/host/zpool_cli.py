"""zpool's command line on a simulated host: the part that fmd's plugin and users need."""
import json
import os
import sys
import time
from types import SimpleNamespace

from . import events, hardware, listing, machine, status, zpool

POLL_S = 0.03  # seconds; delay of events in `zpool events -f`


class Usage(Exception):
    """A wrong command line; holds the lines for stderr."""


def options_of(arguments, flags, with_value="", usage=""):
    """Splits getopt-style arguments: (letters given, {letter: value}, operands)."""
    given, values, operands = set(), {}, []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--":
            operands += rest
            break
        if not word.startswith("-") or word == "-":
            operands.append(word)
            continue
        letters = word[1:]
        while letters:
            letter, letters = letters[0], letters[1:]
            if letter in with_value:
                if not letters and not rest:
                    raise Usage(f"missing argument for '{letter}' option\nusage:\n\t{usage}")
                values[letter], letters = letters or rest.pop(0), ""
            elif letter in flags:
                given.add(letter)
            else:
                raise Usage(f"invalid option '{letter}'\nusage:\n\t{usage}")
    return given, values, operands


class Zpool:
    """One call of zpool."""

    def __init__(self, host):
        self.host = host

    def run(self, arguments):
        verbs = {name[3:]: getattr(self, name) for name in dir(self) if name.startswith("do_")}
        if not arguments or arguments[0] not in verbs:
            word = f"unrecognized command '{arguments[0]}'" if arguments else "missing command"
            raise Usage(f"{word}\nusage: zpool command args ...")
        self._hang(arguments)
        verbs[arguments[0]](arguments[1:])

    def _hang(self, arguments):
        """Waits while a pool hangs that the command names, or includes by naming none."""
        while arguments[0] != "events":
            data = self.host.look().data
            hung = set(data.get("hung", []))
            if not hung or not hung & set(arguments) and set(data["pools"]) & set(arguments):
                return
            time.sleep(POLL_S)

    def _pools(self, state, names):
        if not names:
            return sorted(state.data["pools"].values(), key=lambda pool: pool["root"]["name"])
        return [zpool.pool_named(state, name) for name in names]

    def do_version(self, _):
        print("zfs-2.1.11-1+deb12u1\nzfs-kmod-2.1.11-1+deb12u1")

    def do_status(self, arguments):
        given, _, names = options_of(arguments, "igLpPstvxD", "cT",
                                     "status [-c [script1,script2,...]] [-igLpPstvxD]  [-T d|u] [pool] ... \n"
                                     "\t    [interval [count]]")
        options = SimpleNamespace(guid="g" in given, full_path="P" in given, resolve="L" in given, exact="p" in given,
                                  verbose="v" in given, slow="s" in given)
        state = self.host.look()
        pools = self._pools(state, names)
        if "x" in given:
            pools = [pool for pool in pools if status.condition(pool)]
        if not pools:
            print("all pools are healthy" if "x" in given else "no pools available")
            return
        print("\n\n".join(status.pool_status(state, pool, options) for pool in pools))

    def do_list(self, arguments):
        given, values, names = options_of(arguments, "gHLpPv", "oT", listing.USAGE.removeprefix("usage:\n\t"))
        options = SimpleNamespace(scripted="H" in given, exact="p" in given, verbose="v" in given, guid="g" in given,
                                  full_path="P" in given, columns=values["o"].split(",") if "o" in values else [])
        for name in options.columns:
            if listing.long_name(name) is None:
                raise Usage(f"bad property list: invalid property '{name}'\n{listing.USAGE}")
        state = self.host.look()
        pools = self._pools(state, names)
        if not pools and not options.scripted:
            print("no pools available")
        elif pools:
            print("\n".join(listing.list_pools(state, pools, options)))

    def do_get(self, arguments):
        usage = 'get [-Hp] [-o "all" | field[,...]] <"all" | property[,...]> <pool> ...'
        given, values, operands = options_of(arguments, "Hp", "o", usage)
        if not operands:
            raise Usage(f"missing property argument\nusage:\n\t{usage}")
        columns = values.get("o", "all").split(",")
        options = SimpleNamespace(scripted="H" in given, exact="p" in given,
                                  columns=[] if columns == ["all"] else columns)
        names = operands[0].split(",")
        for name in names if names != ["all"] else ():
            if listing.long_name(name) is None:
                raise Usage(f"bad property list: invalid property '{name}'\nusage:\n\t{usage}")
        state = self.host.look()
        print("\n".join(listing.get(state, self._pools(state, operands[1:]), names, options)))

    def do_iostat(self, arguments):
        """Only averages over an interval by vdev, without headings: `iostat -v -l -g -H -p -y POOL SECONDS 1`."""
        usage = "iostat -vlgHpy pool interval 1"
        given, _, operands = options_of(arguments, "vlgHpy", "", usage)
        if given != set("vlgHpy") or len(operands) != 3 or operands[2] != "1":
            raise Usage(f"the simulator's zpool knows no more than this\nusage:\n\t{usage}")
        time.sleep(float(operands[1]))
        state = self.host.look()
        print("\n".join(listing.waits(state, zpool.pool_named(state, operands[0]))))
        print()

    def _change(self, arguments, flags, least, most, usage, verb, act):
        """Parses "POOL WORD..." and acts on the pool under the lock."""
        given, _, operands = options_of(arguments, flags, "o", usage)
        if not operands:
            raise Usage(f"missing pool name argument\nusage:\n\t{usage}")
        if not least <= len(operands) <= most:
            raise Usage(f"{'missing device name' if len(operands) < least else 'too many arguments'}\nusage:\n\t{usage}")
        said = []
        with self.host.change() as state:
            pool = zpool.pool_named(state, operands[0])
            said = act(state, pool, operands[1:], given)
            hardware.write_kstat(state)
            zpool.log_command(state, pool, [verb, *arguments])
        print("".join(line + "\n" for line in said or () if line), end="")

    def do_offline(self, arguments):
        self._change(arguments, "ft", 2, 99, "offline [-f] [-t] <pool> <device> ...", "offline",
                     lambda state, pool, words, given: [zpool.offline(state, pool, w, "f" in given) for w in words])

    def do_online(self, arguments):
        self._change(arguments, "e", 2, 99, "online [-e] <pool> <device> ...", "online",
                     lambda state, pool, words, given: [zpool.online(state, pool, w) for w in words])

    def do_clear(self, arguments):
        self._change(arguments, "nF", 1, 2, "clear [-nF] <pool> [device]", "clear",
                     lambda state, pool, words, given: zpool.clear(state, pool, *words))

    def do_history(self, arguments):
        given, _, names = options_of(arguments, "il", "", "history [-il] [<pool>] ...")
        state = self.host.look()
        for pool in self._pools(state, names):
            print(zpool.history(state, pool, "l" in given))

    def do_detach(self, arguments):
        self._change(arguments, "", 2, 2, "detach <pool> <device>", "detach",
                     lambda state, pool, words, given: zpool.detach(state, pool, *words))

    def do_scrub(self, arguments):
        self._change(arguments, "spw", 1, 1, "scrub [-s | -p] [-w] <pool> ...", "scrub",
                     lambda state, pool, words, given: zpool.scrub(state, pool, "s" in given))

    def do_replace(self, arguments):
        self._change(arguments, "fsw", 2, 3,
                     "replace [-fsw] [-o property=value] <pool> <device> [new-device]", "replace",
                     lambda state, pool, words, given: zpool.replace(state, pool, words[0], (words + [None])[1],
                                                                     "f" in given))

    def do_events(self, arguments):
        given, _, names = options_of(arguments, "vHfc", "", "events [-vHf] [pool] | -c")
        if "c" in given:
            with self.host.change():
                self.host.clear_events()
            return
        if "H" not in given:
            print(events.header(), flush=True)
        EventReader(self.host, "v" in given, "H" in given, names).run("f" in given)


class EventReader:
    """Prints the ring's events; with follow, forever. If it falls behind the ring, it prints the number of lost events."""

    def __init__(self, host, verbose, scripted, names):
        self.host, self.verbose, self.scripted, self.names = host, verbose, scripted, names
        self.offset = 0
        self.last = None  # last printed eid

    def run(self, follow):
        self.host.look()
        path = self.host.path(machine.EVENTS)
        self._print(path)
        seen = next_ns = None
        while follow:
            sys.stdout.flush()
            stamp = os.stat(self.host.path(machine.STATE)).st_mtime_ns
            if stamp != seen:
                seen = stamp
                next_ns = self.host.next_due_ns()
                self._print(path)
            if next_ns is not None and time.time_ns() >= next_ns:
                self.host.look()
            else:
                time.sleep(POLL_S)

    def _print(self, path):
        with open(path, encoding="utf-8") as file:
            if os.fstat(file.fileno()).st_size < self.offset:  # emptied
                self.offset, self.last = 0, None
            file.seek(self.offset)
            lines = file.readlines()
        if lines and not lines[-1].endswith("\n"):
            lines.pop()
        self.offset += sum(len(line.encode()) for line in lines)
        # The ring holds only the newest events.
        lost = max(0, len(lines) - machine.RING)
        if lost and self.last is not None:
            print(f"dropped {lost} events")
        for line in lines[lost:]:
            event = json.loads(line)
            self.last = event["eid"]
            pool = next((value for name, _, value in event["fields"] if name == "pool"), None)
            if not self.names or pool in self.names:
                print(events.render(event, self.verbose, self.scripted))
        sys.stdout.flush()


def main(host, arguments):
    try:
        Zpool(host).run(arguments)
        sys.stdout.flush()
    except Usage as problem:
        print(problem, file=sys.stderr)
        return 2
    except zpool.Refused as problem:
        print(problem, file=sys.stderr)
        return 1
    except (BrokenPipeError, KeyboardInterrupt):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    return 0

