#!/bin/bash
# play_first_hour.sh WAY: an administrator's first hour on a clean Debian, on a separate machine (boot.sh) that is booted twice. WAY is
#   packages   install, upgrade and purge the packages in /build/packages
#   by-hand    without packages: the output of `meson install` in /build/installed, then the instructions of docs/install.md
# Runs in root.sh with FMD_CHROOT=clean; ./dev first-hour does all of it. Calls itself for the phases on the running machine
# (play_first_hour.sh WAY PHASE).
set -euo pipefail

way=$1 phase=${2:-}
debs=/build/packages
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
say() { printf '\n== %s\n' "$*"; }
fail() {
  printf 'first-hour: %s\n' "$*" >&2
  [[ -z $phase ]] || journalctl --no-pager -q -n 60 -o short-monotonic >&2 || true
  tail -n 20 /var/log/exim4/*log >&2 2>/dev/null || true
  exit 1
}
apt_must() { DEBIAN_FRONTEND=noninteractive apt-get -y -q -o Dpkg::Use-Pty=0 "$@" >/tmp/apt.log 2>&1 </dev/null || { tail -n 40 /tmp/apt.log >&2; fail "apt-get $*"; }; }
within() { # seconds, what, command...
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < deadline)) || fail "not within the time: $what"
    sleep 1
  done
}
# Installed services, except those that need a configuration file first.
units() {
  local unit
  for unit in /usr/lib/systemd/system/fmd*.service /lib/systemd/system/fmd*.service; do
    unit=$(basename "$unit")
    case $unit in 'fmd*.service' | fmd-redfish.service | fmd-webhook.service | fmd-alertmanager.service | *@.service | fmd-metrics*) ;; *) echo "$unit" ;; esac
  done | sort -u
}
runs_not() { for unit in $(units); do [[ $unit == "${1:-}" ]] || systemctl is-active --quiet "$unit" || echo "$unit"; done; }
all_run() { [[ -z $(runs_not "${1:-}") ]]; }
all_run_within() { # seconds, optional unit that may be down
  local deadline=$((SECONDS + $1))
  until all_run "${2:-}"; do
    ((SECONDS < deadline)) || fail "does not run: $(runs_not "${2:-}" | xargs)"
    sleep 1
  done
}
state_of() { fmadm config --json | python3 -c 'import json, sys; print({p["name"]: p["state"] for p in json.load(sys.stdin)["plugins"]}.get(sys.argv[1]))' "$1"; }
is_state() { [[ $(state_of "$1") == "$2" ]]; }
speaks() { [[ $(state_of "$1") =~ ^(ok|not-observed|degraded)$ ]]; } # hardware missing on this machine is not-observed
# Reports ten checksum errors of a disk that does not exist, as any script can.
disk_fails() {
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    python3 /usr/share/doc/fmd/examples/fmd-inject ereport.fs.zfs.checksum zfs://pool=11/vdev=66 pool=tank pool_guid=11 vdev_guid=66 vdev_type=disk context=none scan='""'
  done
}
has_case() { fmadm faulty | grep -q ZFS-8000-GH; }
restarts_told() { (($(fmdump -e -c ereport.fmd.plugin.restarted --json | grep -c fmd://plugin=system) >= $1)); }
keeps_crashing() { fmadm faulty | grep -q fault.fmd.plugin.restarts; }
is_dead() { fmadm faulty --json | python3 -c 'import json, sys; sys.exit(not any(s["class"] == "fault.fmd.plugin.dead" and s["resource"] == f"fmd://plugin={sys.argv[1]}" for c in json.load(sys.stdin) for s in c["suspects"]))' "$1"; }
breaks() { # unit: makes it fail to start from now on
  mkdir -p "/run/systemd/system/$1.service.d"
  printf '[Service]\nExecStartPre=/bin/false\n' >"/run/systemd/system/$1.service.d/broken.conf"
  systemctl daemon-reload
  systemctl restart --no-block "$1"
}
works_again() {
  rm -r "/run/systemd/system/$1.service.d"
  systemctl daemon-reload
  systemctl restart "$1"
}
installed_packages() { dpkg-query -W -f '${db:Status-Status} ${Package}\n' 'fmd*' | sed -n 's/^installed //p'; }
# Looks at /proc/PID/exe, which also shows programs whose file was deleted.
running() { for exe in /proc/[0-9]*/exe; do readlink "$exe" 2>/dev/null || true; done | grep -E '^/usr/(libexec/fmd|s?bin/fmd)' || true; }
has_mail() { grep -rqs "ZFS-8000-GH" /var/mail /var/spool/mail; }

case $way-$phase in
packages-)
  sed -i /path-exclude/d /etc/dpkg/dpkg.cfg.d/fast # the chroot omits manuals and documents, which administrators have
  say "A clean Debian $(cat /etc/debian_version), with systemd and a mail system"
  apt-get update -q >/dev/null
  apt_must install --no-install-recommends systemd systemd-sysv dbus python3 exim4-daemon-light polkitd
  "$here/boot.sh" "$here/play_first_hour.sh" packages install
  "$here/boot.sh" "$here/play_first_hour.sh" packages again
  ;;
by-hand-)
  say "A clean Debian $(cat /etc/debian_version), with systemd, a mail system, and the libraries"
  apt-get update -q >/dev/null
  mapfile -t libraries </build/installed.packages
  apt_must install --no-install-recommends systemd systemd-sysv dbus python3 exim4-daemon-light polkitd "${libraries[@]}"
  "$here/boot.sh" "$here/play_first_hour.sh" by-hand install
  "$here/boot.sh" "$here/play_first_hour.sh" by-hand again
  ;;
*-install)
  if [[ $way == packages ]]; then
    say "apt install"
    rm -f /usr/sbin/policy-rc.d # allows units to start
    # With ZFS, ZED is enabled, and fmd-zfs reports who acts. The real ZED needs the kernel module.
    printf '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n' >/etc/systemd/system/zfs-zed.service
    systemctl enable -q --now zfs-zed
    mapfile -t mine < <(find "$debs" -name 'fmd*.deb' ! -name '*-dbgsym_*')
    apt_must install --no-install-recommends "${mine[@]}"
    grep -E '^(fmd|Setting up fmd)' /tmp/apt.log
    grep -q '^fmd-zfs: ZED is enabled as well, and both act' /tmp/apt.log || fail "nothing says who acts, fmd or ZED"
    systemctl disable -q --now zfs-zed
  else
    say "meson install, and what README says then"
    cp -a --no-preserve=ownership /build/installed/. /
    systemd-sysusers
    systemd-tmpfiles --create
    udevadm control --reload
    udevadm trigger --subsystem-match=ipmi
    systemctl daemon-reload
    systemctl reload dbus
    systemctl enable --now fmd.target
  fi
  all_run_within 90
  say "fmadm status"
  fmadm status || (($? == 1 || $? == 3)) || fail "fmadm status: exit $?"
  fmadm config >/dev/null || fail "fmadm config"

  if [[ $way == packages ]]; then
    say "The packages' own test (debian/tests/smoke)"
    "$here/../../debian/tests/smoke"
    say "The first case on the simulated host, from the package"
    python3 /usr/share/fmd/simulator/play.py -c '
      set -e
      fmadm status
      fmsim corrupt 4 && fmsim scrub
      for i in $(seq 120); do [ -z "$(fmadm faulty -s | grep ZFS-8000-GH)" ] || break; sleep 0.5; done
      fmadm faulty
      for i in $(seq 120); do mails | grep -q ^Subject && break; sleep 0.5; done
      mails' >/tmp/play.log 2>&1 || { cat /tmp/play.log; fail "play.py: exit $?"; }
    grep -q "no open problem" /tmp/play.log && grep -q "SLOT 04" /tmp/play.log && grep "^Subject:" /tmp/play.log || { cat /tmp/play.log; fail "no case, or no mail of it"; }
  fi

  say "The first case, and its mail"
  disk_fails
  within 60 "a case" has_case
  fmadm faulty -s
  within 120 "its mail" has_mail

  say "One plugin less"
  systemctl disable --now fmd-smart
  within 30 "fmd-smart is called disabled" is_state smart disabled
  all_run || all_run_within 30 fmd-smart.service
  { fmadm status || true; } | grep "Not watched *: smart, disabled" || fail "fmadm status says nothing of fmd-smart"

  say "One stopped, one that dies again and again"
  systemctl stop fmd-volumes
  within 30 "fmd-volumes is called stopped" is_state volumes stopped
  breaks fmd-cpu
  within 60 "fmd-cpu is called dead" is_state cpu dead
  [[ $(state_of smart) == disabled ]] || fail "fmd-smart is called $(state_of smart)"
  works_again fmd-cpu
  within 30 "fmd-cpu is back" speaks cpu

  say "One that is restarted by hand, and one that keeps crashing"
  for n in 1 2 3 4 5; do
    systemctl restart fmd-disk
    ! keeps_crashing || fail "after $((n - 1)) crashes it is a case"
    systemctl kill --kill-whom=main --signal=KILL fmd-system # signal only the main process: its children may be gone
    within 30 "crash $n is told" restarts_told "$n"
  done
  within 30 "the case of fmd-system" keeps_crashing
  ! fmadm faulty | grep -q fmd://plugin=disk || fail "fmd-disk was only restarted by hand"
  ;;
*-again)
  say "After the reboot"
  all_run_within 120 fmd-smart.service
  ! systemctl is-active --quiet fmd-smart || fail "fmd-smart was disabled and runs"
  within 60 "fmd-smart is called disabled" is_state smart disabled
  within 60 "what was only stopped runs again" speaks volumes
  has_case || fail "the case is gone"

  say "Enabled again"
  systemctl enable --now fmd-smart
  within 30 "fmd-smart is there" speaks smart
  all_run_within 30
  [[ $way == packages ]] || { echo "first hour, $way: passed"; exit; }

  say "Upgrade"
  mkdir -p /tmp/newer
  for deb in $(installed_packages); do
    dpkg-deb -R "$debs/${deb}"_*.deb /tmp/tree
    sed -i -E 's/^(Version: .*)$/\1+newer/; s/(fmd[a-z-]*) \(= ([^)]*)\)/\1 (= \2+newer)/g' /tmp/tree/DEBIAN/control
    dpkg-deb --root-owner-group -b /tmp/tree "/tmp/newer/$deb.deb" >/dev/null
    rm -rf /tmp/tree
  done
  before=$(systemctl show -p MainPID --value fmd)
  apt_must install --no-install-recommends /tmp/newer/*.deb
  all_run_within 60
  [[ $(systemctl show -p MainPID --value fmd) != "$before" ]] || fail "fmd was not restarted"
  has_case || fail "the case is gone"

  say "A package removed"
  apt_must purge fmd-volumes fmd-server
  within 60 "fmd-volumes is forgotten" is_state volumes None
  # If fmd-volumes were to get a case, it would have one before the plugin that breaks now.
  breaks fmd-disk
  within 90 "fmd-disk is a case" is_dead disk
  ! is_dead volumes || fail "fmd-volumes was purged, and is called dead"
  works_again fmd-disk

  say "Purge"
  mapfile -t installed < <(installed_packages)
  apt_must purge "${installed[@]}"
  [[ -z $(running) ]] || fail "something still runs: $(running)"
  [[ ! -e /var/lib/fmd && ! -e /etc/fmd ]] || fail "something stayed behind in /var/lib/fmd or /etc/fmd"
  echo "first hour, $way: passed"
  ;;
*) fail "'$way' '$phase'" ;;
esac
