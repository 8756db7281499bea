#!/bin/bash
# first_hour.sh PHASE: an administrator's first hour with the packages in /build/packages, on a machine that has booted
# (boot.sh) with nothing but Debian's base. Phases are boots of one machine:
#   install   install, look, a first case, its mail, one plugin disabled
#   again     after a reboot: all of it is there and runs; upgrade; purge
set -euo pipefail

debs=/build/packages
say() { printf '\n== %s\n' "$*"; }
fail() {
  printf 'first-hour: %s\n' "$*" >&2
  journalctl --no-pager -q -n 40 -u 'fmd*' >&2 || true
  exit 1
}
apt_must() { apt-get -y -q -o Dpkg::Use-Pty=0 "$@" >/tmp/apt.log 2>&1 </dev/null || { tail -n 40 /tmp/apt.log >&2; fail "apt-get $*"; }; }
within() { # seconds, what, command...
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < deadline)) || fail "not within the time: $what"
    sleep 1
  done
}
units() { # those of the packages that are installed, but for one
  local unit
  for unit in /usr/lib/systemd/system/fmd*.service; do
    unit=$(basename "$unit")
    [[ $unit == fmd-redfish.service || $unit == fmd-webhook.service || $unit == fmd-alertmanager.service ]] || echo "$unit"
  done
}
all_run() {
  local unit
  for unit in $(units); do
    [[ $unit == "${1:-}" ]] || systemctl is-active --quiet "$unit" || fail "$unit does not run: $(systemctl show -p Result,ExecMainStatus "$unit" | xargs)"
  done
}
# Ten checksum errors of a disk that this machine has not, told as any script can.
disk_fails() {
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    /usr/share/doc/fmd/examples/fmd-inject ereport.fs.zfs.checksum zfs://pool=11/vdev=66 \
      pool=tank pool_guid=11 vdev_guid=66 vdev_type=disk context=none scan='""'
  done
}
has_case() { fmadm faulty | grep -q ZFS-8000-GH; }
has_mail() { grep -rqs "ZFS-8000-GH" /var/mail /var/spool/mail; }

case $1 in
install)
  say "Install"
  rm -f /usr/sbin/policy-rc.d
  apt-get update -q >/dev/null
  apt_must install --no-install-recommends python3 default-mta "$debs"/fmd_*.deb "$debs"/fmd-{server,cpu,disk,enclosure,mail,smart,volumes,ipmi,zfs}_*.deb
  within 60 "every unit runs" all_run
  fmadm config >/dev/null || fail "fmadm config"
  say "fmadm status"
  fmadm status || (($? == 1 || $? == 3)) || fail "fmadm status: exit $?"

  say "The first case, and its mail"
  sed -i 's/^#to = .*/to = ["root@localhost"]/' /etc/fmd/mail.toml
  systemctl restart fmd-mail
  disk_fails
  within 60 "a case" has_case
  within 120 "its mail" has_mail
  fmadm faulty -s

  say "One plugin less"
  systemctl disable --now fmd-smart
  within 30 "the others run" all_run fmd-smart.service
  fmadm status | grep -i smart || fail "fmadm status says nothing of fmd-smart"
  ;;
again)
  say "After the reboot"
  within 90 "every unit but one runs" all_run fmd-smart.service
  ! systemctl is-active --quiet fmd-smart || fail "fmd-smart was disabled and runs"
  has_case || fail "the case is gone"

  say "Upgrade"
  mkdir -p /tmp/newer
  for deb in $(dpkg-query -W -f '${Package}\n' 'fmd*'); do
    dpkg-deb -R "$debs/${deb}"_*.deb /tmp/tree
    sed -i -E 's/^(Version: .*)$/\1+newer/; s/(\(= [^)]*)\)/\1+newer)/g' /tmp/tree/DEBIAN/control
    dpkg-deb --root-owner-group -b /tmp/tree "/tmp/newer/$deb.deb" >/dev/null
    rm -rf /tmp/tree
  done
  before=$(systemctl show -p MainPID --value fmd)
  apt_must install --no-install-recommends /tmp/newer/*.deb
  within 60 "every unit but one runs" all_run fmd-smart.service
  [[ $(systemctl show -p MainPID --value fmd) != "$before" ]] || fail "fmd was not restarted"
  has_case || fail "the case is gone"

  say "Purge"
  mapfile -t installed < <(dpkg-query -W -f '${Package}\n' 'fmd*')
  apt_must purge "${installed[@]}"
  ! pgrep -f /usr/libexec/fmd || fail "something still runs"
  [[ ! -e /var/lib/fmd && ! -e /etc/fmd ]] || fail "something stayed behind in /var/lib/fmd or /etc/fmd"
  ;;
*) fail "phase install or again, not '$1'" ;;
esac
echo "first hour, $1: passed"
