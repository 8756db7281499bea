#!/bin/bash
# installed.sh: tests the packages in /build/packages: install, upgrade, refused downgrade, remove, purge. Runs in a clean chroot (root.sh
# with FMD_CHROOT=clean); ./dev packages --check does all of it.
set -euo pipefail

debs=/build/packages
say() { printf '\n== %s\n' "$*"; }
fail() {
  printf 'installed: %s\n' "$*" >&2
  exit 1
}
apt() { apt-get -y -q -o Dpkg::Use-Pty=0 "$@" >/tmp/apt.log 2>&1 </dev/null; }
apt_must() { apt "$@" || { tail -n 40 /tmp/apt.log >&2; fail "apt-get $*"; }; }
# All fmd files outside the package manager's own folders and logs.
files() {
  find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /build -o -path /fmd \
    -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache -o -path /var/log -o -path /root/.cache \) -prune \
    -o -path '*fmd*' -print | sort
}
enabled() { [[ -L /etc/systemd/system/$1.wants/$2 ]] || fail "$2 is not enabled (in $1)"; }

versions() { dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\n' 'fmd*' | grep -v not-installed; }

sed -i /path-exclude/d /etc/dpkg/dpkg.cfg.d/fast # the chroot omits manuals and documents, which administrators have
printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d # systemd is not running here
chmod +x /usr/sbin/policy-rc.d
apt-get update -q >/dev/null
mapfile -t mine < <(find "$debs" \( -name 'fmd*.deb' -o -name 'cockpit-fmd_*.deb' \) ! -name '*-dbgsym_*' | sort)
mapfile -t symbols < <(find "$debs" -name 'fmd*-dbgsym_*.deb' | sort)
((${#mine[@]} && ${#symbols[@]})) || fail "there are no packages in $debs"

say "Install"
apt_must install --no-install-recommends systemd dbus default-mta zfsutils-linux- smartmontools ipmitool snmpd man-db
before=$(files)
apt_must install --no-install-recommends "${mine[@]}"
for user in fmd fmd-mail fmd-snmp fmd-system fmd-ipmi fmd-redfish fmd-webhook fmd-alertmanager; do
  id -Gn "$user" | grep -qw fmd-plugins || fail "no user $user in fmd-plugins"
done
# Units do not start if a user or group they name is missing.
for unit in "" -alertmanager -cpu -disk -enclosure -ipmi -mail -redfish -smart -snmp -system -volumes -webhook -zfs; do
  sed -n 's/^\(User\|Group\|SupplementaryGroups\)=//p' "/lib/systemd/system/fmd$unit.service" | tr ' ' '\n' |
    while read -r name; do getent passwd "$name" >/dev/null || getent group "$name" >/dev/null || fail "fmd$unit.service: no user or group $name"; done
done
for page in fmd-snmp/snmp.md fmd-desktop/desktop.md fmd/README.md; do
  [[ -n $(compgen -G "/usr/share/doc/$page*") ]] || fail "no $page"
done
[[ -s /usr/share/cockpit/fmd/main.js ]] || fail "no page for Cockpit"
fmd --check || fail "fmd --check finds errors in the files as installed"
enabled multi-user.target fmd.target
enabled fmd.target fmd.service
for plugin in cpu disk enclosure ipmi mail smart snmp system volumes zfs; do enabled fmd.target "fmd-$plugin.service"; done
fmadm --version && fmadm rules check >/dev/null
for page in fmd fmadm fmadm-{chassis,notify,rules} fmdump fmtopo fmd.toml fmd-rules fmd-chassis fmd-{alertmanager,cpu,disk,enclosure,ipmi,mail,redfish,smart,snmp,system,volumes,webhook,zfs} fmtray; do man -w "$page" >/dev/null || fail "no manual page of $page"; done

say "Symbols for a debugger"
apt_must install --no-install-recommends "${symbols[@]}"
for program in /usr/sbin/fmd /usr/bin/fmadm /usr/libexec/fmd/fmd-zfs; do
  # The note has the build id, which names the debug file, after a 16-byte header.
  id=$(python3 -c 'import re, sys; print(re.search(rb"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0(.{20})", open(sys.argv[1], "rb").read(), re.S)[1].hex())' "$program")
  [[ -e /usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug ]] || fail "no symbols of $program"
done
mapfile -t names < <(for deb in "${symbols[@]}"; do dpkg-deb -f "$deb" Package; done)
apt_must purge "${names[@]}"

say "Upgrade: what was changed in a configuration file stays, and nothing asks"
printf '\n# mine\n' >>/etc/fmd/fmd.toml
mkdir -p /tmp/newer /var/lib/fmd
touch /var/lib/fmd/fmd.db
for deb in "${mine[@]}"; do
  dpkg-deb -R "$deb" /tmp/tree
  sed -i -E 's/^(Version: .*)$/\1+newer/; s/(fmd[a-z-]*) \(= ([^)]*)\)/\1 (= \2+newer)/g' /tmp/tree/DEBIAN/control
  [[ ! -e /tmp/tree/etc/fmd/fmd.toml ]] || echo "# a new comment of ours" >>/tmp/tree/etc/fmd/fmd.toml
  dpkg-deb --root-owner-group -b /tmp/tree "/tmp/newer/$(basename "$deb")" >/dev/null
  rm -rf /tmp/tree
done
apt_must install --no-install-recommends -o Dpkg::Options::=--force-confold /tmp/newer/*.deb
grep -qx '# mine' /etc/fmd/fmd.toml || fail "the administrator's fmd.toml was replaced"
dpkg-query -W -f '${Version}\n' fmd | grep -q newer || fail "it was not upgraded"

say "Downgrade: refused while a newer database is there"
newer=$(versions)
if apt install --allow-downgrades --no-install-recommends "${mine[@]}"; then fail "it was downgraded"; fi
grep -q "going back from" /tmp/apt.log || { tail -n 20 /tmp/apt.log; fail "the refusal does not say why"; }
[[ $(versions) == "$newer" ]] || { diff <(echo "$newer") <(versions) || true; fail "the refusal left some of it at another version"; }
[[ -z $(dpkg --audit) ]] || { dpkg --audit; fail "the refusal left packages half installed"; }
apt_must check
say "Downgrade: once the database is out of the way"
mv /var/lib/fmd/fmd.db /tmp/
apt_must install --allow-downgrades --no-install-recommends -o Dpkg::Options::=--force-confold "${mine[@]}"
! versions | grep newer || fail "not all went back"
mv /tmp/fmd.db /var/lib/fmd/

say "Remove, and purge: nothing stays behind"
mapfile -t names < <(versions | cut -d' ' -f1)
apt_must remove "${names[@]}"
[[ -e /etc/fmd/fmd.toml && -e /var/lib/fmd/fmd.db ]] || fail "removing took configuration or state"
# Packages without configuration or state are no longer known.
mapfile -t names < <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 'fmd*' | sed -n 's/^config-files //p')
apt_must purge "${names[@]}"
after=$(files)
[[ $after == "$before" ]] || { diff <(echo "$before") <(echo "$after") || true; fail "something stayed behind"; }
echo "installed, upgraded, downgrade refused, removed, purged"
