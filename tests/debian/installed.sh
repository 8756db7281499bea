#!/bin/bash
# installed.sh: the packages in /build/packages as an administrator has them: installed, upgraded, not downgraded, removed,
# purged. Runs in a clean chroot (root.sh with FMD_CHROOT=clean); ./dev packages --check does all of it.
set -euo pipefail

debs=/build/packages
say() { printf '\n== %s\n' "$*"; }
fail() {
  printf 'installed: %s\n' "$*" >&2
  exit 1
}
apt() { apt-get -y -q -o Dpkg::Use-Pty=0 "$@" >/tmp/apt.log 2>&1 </dev/null; }
apt_must() { apt "$@" || { tail -n 40 /tmp/apt.log >&2; fail "apt-get $*"; }; }
# All that somebody else than the package system could have left behind.
files() {
  find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /build -o -path /fmd \
    -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache -o -path /var/log -o -path /root/.cache \) -prune \
    -o -path '*fmd*' -print | sort
}
enabled() { [[ -L /etc/systemd/system/$1.wants/$2 ]] || fail "$2 is not enabled (in $1)"; }

rm -f /usr/sbin/policy-rc.d
printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d # there is no systemd here
chmod +x /usr/sbin/policy-rc.d
apt-get update -q >/dev/null
# The server's own packages; what they bring is no business of ours.
mine=("$debs"/fmd_*.deb "$debs"/fmd-*.deb)

say "Install"
apt_must install --no-install-recommends systemd dbus default-mta zfsutils-linux- smartmontools ipmitool snmpd
before=$(files)
apt_must install --no-install-recommends "${mine[@]}"
for user in fmd fmd-mail fmd-snmp fmd-webhook fmd-alertmanager; do getent passwd "$user" >/dev/null || fail "no user $user"; done
fmd --check || fail "fmd --check finds errors in the files as installed"
enabled multi-user.target fmd.target
enabled fmd.target fmd.service
for plugin in cpu disk enclosure ipmi mail smart snmp system volumes zfs; do enabled fmd.target "fmd-$plugin.service"; done
fmadm --version && fmadm rules check >/dev/null

say "Upgrade: what was changed in a configuration file stays, and nothing asks"
printf '\n# mine\n' >>/etc/fmd/fmd.toml
mkdir -p /tmp/newer /var/lib/fmd
touch /var/lib/fmd/fmd.db
for deb in "${mine[@]}"; do
  dpkg-deb -R "$deb" /tmp/tree
  sed -i -E 's/^(Version: .*)$/\1+newer/; s/(\(= [^)]*)\)/\1+newer)/g' /tmp/tree/DEBIAN/control
  [[ ! -e /tmp/tree/etc/fmd/fmd.toml ]] || echo "# a new comment of ours" >>/tmp/tree/etc/fmd/fmd.toml
  dpkg-deb --root-owner-group -b /tmp/tree "/tmp/newer/$(basename "$deb")" >/dev/null
  rm -rf /tmp/tree
done
apt_must install --no-install-recommends -o Dpkg::Options::=--force-confold /tmp/newer/*.deb
grep -qx '# mine' /etc/fmd/fmd.toml || fail "the administrator's fmd.toml was replaced"
dpkg-query -W -f '${Version}\n' fmd | grep -q newer || fail "it was not upgraded"

say "Downgrade: refused while a newer database is there"
if apt install --allow-downgrades --no-install-recommends "${mine[@]}"; then fail "it was downgraded"; fi
grep -q "going back from" /tmp/apt.log || { tail -n 20 /tmp/apt.log; fail "the refusal does not say why"; }
apt_must install -f

say "Remove, and purge: nothing stays behind"
mapfile -t names < <(dpkg-query -W -f '${Package}\n' 'fmd*')
apt_must remove "${names[@]}"
[[ -e /etc/fmd/fmd.toml && -e /var/lib/fmd/fmd.db ]] || fail "removing took configuration or state"
apt_must purge "${names[@]}"
after=$(files)
[[ $after == "$before" ]] || { diff <(echo "$before") <(echo "$after") || true; fail "something stayed behind"; }
echo "installed, upgraded, not downgraded, removed, purged"
