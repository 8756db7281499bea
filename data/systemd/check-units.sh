#!/bin/sh
# check-units.sh SYSUSERS UNIT... -- SAMPLE...: systemd finds nothing wrong in them, none is more exposed than it may be, and to disable one
# plugin disables that plugin.
# The samples, which nobody enables for you, have bounds too.
# The programs need not be installed: a stand-in takes their place.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
users=$1
shift
into=$folder
for unit; do
  if [ "$unit" = -- ]; then
    into=$folder/samples
    mkdir "$into"
    continue
  fi
  sed -e 's,^ExecStart=.*,ExecStart=/bin/true,' "$unit" > "$into/$(basename "$unit")"
done
cd "$folder"

# --man=no: the pages need not be installed either.
complaints=$(systemd-analyze verify --man=no --recursive-errors=no ./fmd* ./samples/* 2>&1) || true
if [ -n "$complaints" ]; then
  echo "$complaints"
  exit 1
fi

# Tenths of a point of exposure, as `systemd-analyze security` counts: at most two above what each has by systemd 252.
# Others weigh some things otherwise.
status=0
other=5
case $(systemctl --version | head -n 1) in "systemd 252 "*) other=0 ;; esac
for limit in fmd.service=9 fmd-alertmanager.service=16 fmd-cpu.service=18 fmd-disk.service=20 fmd-enclosure.service=19 fmd-ipmi.service=24 fmd-mail.service=16 fmd-redfish.service=16 fmd-smart.service=26 fmd-snmp.service=16 fmd-system.service=15 fmd-volumes.service=24 fmd-webhook.service=16 fmd-zfs.service=25; do
  unit=${limit%=*}
  systemd-analyze security --no-pager --offline=true --threshold="$((${limit#*=} + other))" "./$unit" > report 2>&1 || status=1
  grep 'Overall exposure' report || cat report
done

# None may take the machine's memory or processes with it.
for unit in ./fmd*.service ./samples/*.service; do
  for bound in MemoryHigh MemoryMax TasksMax; do
    grep -q "^$bound=[1-9]" "$unit" || { echo "$unit sets no $bound="; status=1; }
  done
done

# Who runs as a user is known to sysusers.d, and may connect to fmd; who may speak with the network is not root.
for unit in ./fmd-*.service; do
  user=$(sed -n 's/^User=//p' "$unit")
  if [ -n "$user" ]; then
    grep -q "^u $user " "$users" && grep -Eq "^m $user +fmd-plugins$" "$users" || { echo "$unit: $user is not in sysusers.d, or not in fmd-plugins"; status=1; }
  elif grep -q '^RestrictAddressFamilies=.*AF_INET' "$unit"; then
    echo "$unit runs as root and speaks with the network"
    status=1
  fi
done

# Who runs as root, or with a capability of root's, cannot speak to systemd or on the bus.
for unit in ./fmd-*.service; do
  grep -Eq '^(User=|DynamicUser=yes)' "$unit" && ! grep -q '^AmbientCapabilities=CAP' "$unit" && continue
  grep -q '^InaccessiblePaths=.*/run/dbus.*/run/systemd/private' "$unit" || { echo "$unit runs as root and reaches the buses"; status=1; }
done

# Enabled as a whole, one by one disabled and enabled again, disabled as a whole.
root=$folder/root
units=$root/usr/lib/systemd/system
mkdir -p "$units" "$root/etc/systemd/system"
cp ./fmd*.service ./fmd.target "$units"
ctl() { systemctl --root="$root" --quiet "$@" 2> said || { cat said; exit 1; }; }
expect() {
  is=$(systemctl --root="$root" is-enabled "$1" 2> /dev/null) || true
  [ "$is" = "$2" ] || { echo "$1 is $is after $3, not $2"; status=1; }
}
ctl enable fmd.target
for off in ./fmd-*.service; do
  off=$(basename "$off")
  ctl disable "$off"
  for unit in fmd.target fmd.service ./fmd-*.service; do
    unit=$(basename "$unit")
    [ "$unit" = "$off" ] || expect "$unit" enabled "'systemctl disable $off'"
  done
  expect "$off" disabled "'systemctl disable $off'"
  ctl enable "$off"
done
ctl disable fmd.target
for unit in fmd.target ./fmd*.service; do
  expect "$(basename "$unit")" disabled "'systemctl disable fmd.target'"
done
exit $status
