#!/bin/bash
# from_repository.sh SUITE URL: apt with a repository at URL: what it refuses, installation, upgrade, refused downgrade, rotation of keys,
# removal, purge. Runs in a clean chroot (root.sh with FMD_CHROOT=clean), on a machine of its own (boot.sh), so that units run if the
# packages have any. apt-repository does all of it, and makes the states of the repository; /build/www/fmd is the one that is served.
set -euo pipefail

suite=$1 url=$2 booted=${3:-}
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
export DEBIAN_FRONTEND=noninteractive
keyring=/usr/share/keyrings/fmd-archive-keyring.pgp
installed=(fmd-archive-keyring fmd-server fmd-{zfs,ipmi,redfish,snmp,webhook,alertmanager,monitoring})
say() { printf '\n== %s\n' "$*"; }
fail() {
  printf 'from_repository: %s\n' "$*" >&2
  grep -E -B4 '^(dpkg: error|E: )' /tmp/apt.log >&2 || tail -n 20 /tmp/apt.log >&2
  exit 1
}
apt() { apt-get -y -q -o Dpkg::Use-Pty=0 "$@" >/tmp/apt.log 2>&1 </dev/null; }
apt_must() { apt "$@" || fail "apt-get $*"; }
fetch() { /usr/lib/apt/apt-helper download-file "$url/$1" "$2" >/tmp/apt.log 2>&1 || fail "cannot fetch $url/$1"; }
# Serves a state of the repository as modified just now. Otherwise the web server, which compares seconds, may not send it.
serve() {
  sleep 1.1
  ln -sfn "$1" /build/www/fmd
  find /build/www/fmd/dists -type f -exec touch {} +
}
# Reads the lists of this repository only. Any failure counts, also one that apt would only warn of.
update() {
  apt update -o APT::Update::Error-Mode=any -o Dir::Etc::SourceList=/etc/apt/sources.list.d/fmd.sources -o Dir::Etc::SourceParts=/dev/null \
    -o APT::Get::List-Cleanup=false
}
update_must() { update || fail "apt-get update, with the state $(readlink /build/www/fmd)"; }
refused() { # state, pattern of the reason
  serve "$1"
  ! update || fail "the state $1 was accepted"
  grep -Eq "$2" /tmp/apt.log || fail "the refusal of $1 does not say why"
}
candidate() { apt-cache policy "$1" | sed -n 's/^  Candidate: //p'; }
has() { [[ $(candidate "$1") == "$2" ]] || fail "the candidate of $1 is $(candidate "$1"), not $2"; }
versions() { dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\n' 'fmd*' 2>/dev/null | grep -v not-installed; }
all_are() { # version of all packages but the keys
  local others
  others=$(versions | grep -v '^fmd-archive-keyring ' | grep -v " $1 installed$" || true)
  [[ -z $others ]] || fail "not of version $1: $others"
}
files() {
  find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /build -o -path /fmd \
    -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache -o -path /var/log -o -path /root/.cache \) -prune \
    -o -path '*fmd*' -print | sort
}
keys() { gpg --batch --with-colons --show-keys "$1" 2>/dev/null | sed -n 's/^uid:.*:\([a-z]*\) <.*/\1/p' | sort | xargs; }
# Programs of fmd that run, also if their file was deleted.
running() { for exe in /proc/[0-9]*/exe; do readlink "$exe" 2>/dev/null || true; done | grep -E '^/usr/(libexec/fmd|s?bin/fmd)' || true; }
main_pid() { systemctl show -p MainPID --value fmd.service; }
services() { systemctl list-units --plain --no-legend --state=active 'fmd*.service' | cut -d' ' -f1 | sort; }
works() { # The daemon and these services run, and no unit has failed. Stand-ins have no units.
  [[ -e /usr/sbin/fmd ]] || return 0
  local deadline=$((SECONDS + 120)) lacking failed
  # The exit status of fmadm status is not 0: this machine lacks hardware.
  until lacking=$(comm -13 <(services) <(printf '%s\n' "$@" | sort)) && [[ -z $lacking && -n $(fmadm status 2>/dev/null || true) ]]; do
    ((SECONDS < deadline)) || fail "fmd does not run, or these do not: $lacking"
    sleep 1
  done
  failed=$(systemctl list-units --plain --no-legend --state=failed 'fmd*')
  [[ -z $failed ]] || fail "failed: $failed"
}
old=1.0+deb$(sed -n 's/^VERSION_ID="\(.*\)"$/\1/p' /etc/os-release)
new=${old/1.0/1.1}

printf 'Acquire::http::Proxy::127.0.0.1 "DIRECT";\n' >/etc/apt/apt.conf.d/90loopback
if [[ -z $booted ]]; then
  printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d # no services yet
  chmod +x /usr/sbin/policy-rc.d
  apt_must update
  apt_must install --no-install-recommends systemd systemd-sysv dbus polkitd gpg smartmontools ipmitool snmpd
  rm /usr/sbin/policy-rc.d
  exec "$here/boot.sh" "$here/from_repository.sh" "$suite" "$url" booted
fi
before=$(files)

say "Without the key: refused"
serve first
fetch "$suite.sources" /etc/apt/sources.list.d/fmd.sources
refused first 'NO_PUBKEY|is not signed|keyring.*(missing|not exist|failed)|No such file'
[[ -z $(apt-cache pkgnames fmd) ]] || fail "packages of a repository without a key are known"

say "Another key, another index: refused"
fetch fmd-archive-keyring.pgp "$keyring"
fetch fmd.pref /etc/apt/preferences.d/fmd.pref
refused stranger 'NO_PUBKEY|Missing key'
refused other-index 'Hash Sum mismatch|unexpected size'
[[ -z $(apt-cache pkgnames fmd) ]] || fail "packages of a refused repository are known"

say "Another package: refused"
serve other-package
update_must
! apt install --no-install-recommends fmd || fail "a changed package was installed"
grep -Eq 'Hash Sum mismatch|unexpected size' /tmp/apt.log || fail "the refusal of a changed package does not say why"
[[ -z $(versions) ]] || fail "a part of it was installed: $(versions)"

say "Install"
serve first
: >/build/www.log
rm -rf /var/lib/apt/lists/127.0.0.1*
update_must
grep -q 'main/binary-amd64/by-hash/SHA256/.* 200 ' /build/www.log || fail "the index was not fetched by its hash"
! grep -q 'binary-amd64/Packages' /build/www.log || fail "the index was fetched by its name"
apt_must install --no-install-recommends "${installed[@]}"
all_are "$old"
(($(versions | wc -l) >= 15)) || fail "these are not all: $(versions)"
[[ $(dpkg-query -S "$keyring") == fmd-archive-keyring:* ]] || fail "the keyring belongs to no package"
versions
works fmd{,-cpu,-disk,-enclosure,-mail,-smart,-snmp,-system,-volumes,-zfs}.service

say "No package of Debian's from there"
serve intruder
update_must
[[ $(candidate base-files) != 9999 ]] || fail "base-files of fmd's repository would be installed"
mv /etc/apt/preferences.d/fmd.pref /tmp/
has base-files 9999 # without fmd.pref
mv /tmp/fmd.pref /etc/apt/preferences.d/

say "Upgrade: a changed configuration file stays, and nothing asks"
printf '\n# mine\n' >>/etc/fmd/fmd.toml
if [[ ! -e /usr/sbin/fmd ]]; then mkdir -p /var/lib/fmd && touch /var/lib/fmd/fmd.db; fi # stand-ins have no database
process=$(main_pid)
mapfile -t services < <(services)
serve second
# The state before had a later date, and apt never goes back.
rm -rf /var/lib/apt/lists/127.0.0.1*
update_must
apt_must upgrade --no-install-recommends -o Dpkg::Options::=--force-confold
all_are "$new"
works "${services[@]}"
[[ ! -e /usr/sbin/fmd || $(main_pid) != "$process" ]] || fail "fmd was not restarted"
grep -qx '# mine' /etc/fmd/fmd.toml || fail "the administrator's fmd.toml was replaced"

say "An older state of the repository: ignored"
serve first
update || true
has fmd "$new"

say "Downgrade: refused by apt, and by the packages while a newer database is there"
serve second
update_must
state=$(versions)
mapfile -t older < <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 'fmd*' | sed -n "s/^installed \(.*\)/\1=$old/p" | grep -v keyring)
! apt install --no-install-recommends "${older[@]}" || fail "it was downgraded"
grep -q -e --allow-downgrades /tmp/apt.log || fail "apt does not say why"
! apt install --no-install-recommends --allow-downgrades "${older[@]}" || fail "it was downgraded"
grep -q "going back from $new to $old is not supported" /tmp/apt.log || fail "the refusal does not say why"
[[ $(versions) == "$state" ]] || { diff <(echo "$state") <(versions) || true; fail "the refusal left some of it at another version"; }
[[ -z $(dpkg --audit) ]] || { dpkg --audit; fail "the refusal left packages half installed"; }
apt_must check
works "${services[@]}"

say "Another key: announced, used beside the old one, used alone"
[[ $(keys "$keyring") == old ]] || fail "the keys are $(keys "$keyring")"
cp "$keyring" /tmp/old.gpg
serve trust
update_must
apt_must upgrade
[[ $(keys "$keyring") == "new old" ]] || fail "the keys are $(keys "$keyring")"
serve both
update_must
cp "$keyring" /tmp/both.gpg
cp /tmp/old.gpg "$keyring" # a machine that missed the announcement
rm -rf /var/lib/apt/lists/127.0.0.1*
update_must
cp /tmp/both.gpg "$keyring"
serve new
update_must
apt_must upgrade
[[ $(keys "$keyring") == new ]] || fail "the keys are $(keys "$keyring")"
refused second 'NO_PUBKEY|Missing key'
all_are "$new"

say "A machine that was off meanwhile: refused until it has the new key"
cp /tmp/old.gpg "$keyring"
rm -rf /var/lib/apt/lists/127.0.0.1*
refused new 'NO_PUBKEY|Missing key'
fetch fmd-archive-keyring.pgp "$keyring"
update_must

say "Remove, and purge: nothing stays behind"
rm /etc/apt/sources.list.d/fmd.sources /etc/apt/preferences.d/fmd.pref # from apt, not from a package
mapfile -t names < <(versions | cut -d' ' -f1)
apt_must remove "${names[@]}"
[[ -z $(running) ]] || fail "still runs after removal: $(running)"
[[ -e /etc/fmd/fmd.toml && -e /var/lib/fmd/fmd.db ]] || fail "removing took configuration or state"
mapfile -t names < <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 'fmd*' | sed -n 's/^config-files //p')
apt_must purge "${names[@]}"
after=$(files)
[[ $after == "$before" ]] || { diff <(echo "$before") <(echo "$after") || true; fail "something stayed behind"; }
echo "refused, installed, upgraded, downgrade refused, keys rotated, removed, purged"
