# shellcheck shell=bash
# shellcheck disable=SC2154  # shipped and sanitizers are set by dev
# ./dev histories, fuzz, torture, test-vm --storm-cuts: what plays at random for as long as it is let. Sourced by dev, whose setup, configure
# and vm_image it uses.

histories() {
  setup build demo desktop test >&2
  configure build "${shipped[@]}" >&2
  ninja -C build --quiet tests/histories/fmd-histories >&2
  exec build/tests/histories/fmd-histories --jobs "$(nproc)" "$@"
}

# fuzz [MINUTES] [TARGET...] [--seed N]
fuzz() {
  local minutes=10
  [[ ! ${1:-} =~ ^[0-9.]+$ ]] || { minutes=$1 && shift; }
  setup build demo desktop test >&2
  configure build-asan "${sanitizers[@]}" >&2
  ninja -C build-asan --quiet tests/fuzz/fmd-fuzz >&2
  UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 exec build-asan/tests/fuzz/fmd-fuzz --minutes "$minutes" "$@"
}

# torture [HOURS] [--seed N] | --storm-kills [N] [--seed N]
torture() {
  local hours=1 kills=()
  if [[ ${1:-} == --storm-kills ]]; then
    shift
    if [[ " $* " == *" --help "* ]]; then exec /usr/bin/python3 -sE tests/torture/storm_kills.py --help; fi
    [[ ! ${1:-} =~ ^[0-9]+$ ]] || { kills=(--kills "$1") && shift; }
    storm_programs
    exec /usr/bin/python3 -sE tests/torture/storm_kills.py build/fmd/fmd build/tests/torture/journal-texts "${kills[@]}" "$@"
  fi
  [[ ! ${1:-} =~ ^[0-9.]+$ ]] || { hours=$1 && shift; }
  setup build demo desktop test >&2
  configure build "${shipped[@]}" >&2
  ninja -C build --quiet fmd/fmd plugins/mail/fmd-mail plugins/snmp/fmd-snmp tests/integration/libslow-fsync.so tests/torture/libclock-shift.so >&2
  exec /usr/bin/python3 -sE tests/torture/torture.py build/fmd/fmd build/plugins/mail/fmd-mail build/plugins/snmp/fmd-snmp build/tests/integration/libslow-fsync.so \
    build/tests/torture/libclock-shift.so --minutes "$(awk "BEGIN { print $hours * 60 }")" "$@"
}

# storm_cuts [N] [--seed N]: the kernel is the big machine's, of Debian 12; the programs are this host's.
storm_cuts() {
  if [[ " $* " == *" --help "* ]]; then exec /usr/bin/python3 -sE tests/vm/storm_cuts.py --help; fi
  local cuts=()
  [[ ! ${1:-} =~ ^[0-9]+$ ]] || { cuts=(--cuts "$1") && shift; }
  vm_image --debian 12
  storm_programs tests/vm/light-init
  exec /usr/bin/python3 -sE tests/vm/storm_cuts.py build/fmd/fmd build/tests/vm/light-init build/tests/torture/journal-texts "${cuts[@]}" "$@"
}

# What a storm with crashes in it needs, and what is said.
storm_programs() {
  setup build demo desktop test >&2
  configure build "${shipped[@]}" >&2
  ninja -C build --quiet fmd/fmd tests/torture/journal-texts "$@" >&2
}
