#!/bin/sh
# check-units.sh SYSUSERS UNIT... -- SAMPLE... -- DROPIN...: checks that systemd accepts the units, that none exceeds its ceiling of exposure,
# and that disabling one plugin disables only that plugin. Samples and fmd-stopped@.service have ceilings, too: nothing enables the former,
# and fmd.service starts the latter. Programs need not be installed; a stand-in replaces them.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
users=$1
shift
into=$folder
astray=
for unit; do
  if [ "$unit" = -- ]; then
    [ "$into" = "$folder" ] && into=$folder/samples || into=$folder/dropins
    mkdir "$into"
    continue
  fi
  [ "$into" != "$folder/dropins" ] || { cp "$unit" "$into"; continue; }
  # The program of a sample is at its installed path, or at the path to which the sample's head says to copy it.
  [ "$into" = "$folder" ] || grep -Eq '^ExecStart=/usr/(bin/fmadm |local/libexec/fmd-|libexec/fmd/fmd-stopped )' "$unit" || astray="$astray $unit"
  sed -e 's,^ExecStart=.*,ExecStart=/bin/true,' "$unit" > "$into/$(basename "$unit")"
done
cd "$folder"

# --man=no: manual pages need not be installed.
complaints=$(systemd-analyze verify --man=no --recursive-errors=no ./fmd* ./samples/* 2>&1) || true
if [ -n "$complaints" ]; then
  echo "$complaints"
  exit 1
fi

# Each unit has a line "# Exposure: A B": its ceiling with systemd 252 (Debian 12) and 257 (Debian 13), in tenths of a point of
# `systemd-analyze security`. A ceiling is at most two above the actual value. Other versions of systemd count differently.
status=0
[ -z "$astray" ] || { echo "run what is not there:$astray"; status=1; }
version=$(systemctl --version | sed -n '1s/^systemd \([0-9]*\).*/\1/p')
for unit in ./fmd*.service ./samples/*.service; do
  exposure=$(sed -n 's/^# Exposure: \([0-9]* [0-9]*\)$/\1/p' "$unit")
  [ -n "$exposure" ] || { echo "$unit has no ceiling of exposure"; status=1; continue; }
  by252=${exposure% *} by257=${exposure#* }
  case $version in 252) limit=$by252 ;; 257) limit=$by257 ;; *) limit=$((by252 + 5)) ;; esac
  systemd-analyze security --no-pager --offline=true --threshold="$limit" "./$unit" > report 2>&1 || status=1
  grep 'Overall exposure' report || cat report
done

# Each unit limits its memory and processes.
for unit in ./fmd*.service ./samples/*.service; do
  for bound in MemoryHigh MemoryMax TasksMax; do
    grep -q "^$bound=[1-9]" "$unit" || { echo "$unit sets no $bound="; status=1; }
  done
done

# The samples have users of their own.
for unit in ./samples/*.service; do
  grep -Eq '^User=fmd(-|$)' "$unit" || { echo "$unit has no user of its own"; status=1; }
done

# Each user of a unit is in sysusers.d and may connect to fmd. Units with network access do not run as root.
for unit in ./fmd-*.service; do
  user=$(sed -n 's/^User=//p' "$unit")
  if [ -n "$user" ]; then
    grep -q "^u $user " "$users" && grep -Eq "^m $user +fmd-plugins$" "$users" || { echo "$unit: $user is not in sysusers.d, or not in fmd-plugins"; status=1; }
  else
    grep -q '^RestrictAddressFamilies=.*AF_INET' "$unit" && { echo "$unit runs as root and speaks with the network"; status=1; }
    # fmd identifies root's plugins by their group. With CAP_SETGID a plugin could change it.
    group=$(basename "$unit" .service)
    grep -q "^SupplementaryGroups=$group$" "$unit" && grep -q "^g $group " "$users" || { echo "$unit: the group $group is not in sysusers.d, or not its own"; status=1; }
    grep -q '^CapabilityBoundingSet=' "$unit" && ! grep -q '^CapabilityBoundingSet=.*SETGID' "$unit" || { echo "$unit may leave its group"; status=1; }
  fi
done

# Each group of a unit is in sysusers.d.
for unit in ./fmd*.service; do
  for group in $(sed -n 's/^SupplementaryGroups=//p' "$unit"); do
    grep -Eq "^[gu] $group " "$users" || { echo "$unit: the group $group is not in sysusers.d"; status=1; }
  done
done

# Units with root's user or capabilities see only these folders of /run. Otherwise they could use sockets of services that obey
# root (D-Bus, systemd, docker, containerd, libvirt, snapd, user sessions).
allowed='/run/fmd /run/systemd/notify /run/udev /run/systemd/container /run/mdadm /run/fmd-ipmi'
binds() { sed -n 's/^Bind\(ReadOnly\)\{0,1\}Paths=//p' "$1" | tr ' ' '\n' | sed 's/^-//' | sed '/^$/d'; }
for unit in ./fmd-*.service; do
  grep -q '^TemporaryFileSystem=' "$unit" || ! grep -Eq '^(User=|DynamicUser=yes)' "$unit" || grep -q '^AmbientCapabilities=CAP' "$unit" || continue
  grep -qx 'TemporaryFileSystem=/run:ro' "$unit" || { echo "$unit runs as root and sees all of /run"; status=1; }
  for path in $(binds "$unit"); do
    case " $allowed " in *" $path "*) ;; *) echo "$unit sees $path"; status=1 ;; esac
  done
  for path in /run/fmd /run/systemd/notify; do
    binds "$unit" | grep -qx "$path" || { echo "$unit does not see $path"; status=1; }
  done
  # A unit's own folder must also be bound.
  for path in $(sed -n 's,^RuntimeDirectory=,/run/,p' "$unit"); do
    binds "$unit" | grep -qx "$path" || { echo "$unit does not see its own $path"; status=1; }
  done
done
# Plugins bind /run/fmd when they start, so it must remain when fmd stops.
grep -qx 'RuntimeDirectoryPreserve=yes' ./fmd.service || { echo "fmd.service takes /run/fmd from its plugins when it stops"; status=1; }

# The local BMC needs neither a capability nor the network.
for line in CapabilityBoundingSet= PrivateNetwork=yes RestrictAddressFamilies=AF_UNIX; do
  grep -qx "$line" ./fmd-ipmi.service || { echo "fmd-ipmi.service lacks $line"; status=1; }
done
! grep -q '^AmbientCapabilities=' ./fmd-ipmi.service || { echo "fmd-ipmi.service has a capability"; status=1; }

# Programs with passwords or tokens write no core files: those with network access, and fmd-ipmi.
for unit in ./fmd-*.service; do
  [ "$unit" = ./fmd-ipmi.service ] || grep -q '^RestrictAddressFamilies=.*AF_INET' "$unit" || continue
  grep -qx 'LimitCORE=0' "$unit" || { echo "$unit may leave its secrets in a core file"; status=1; }
done

# A drop-in's name says its unit: fmd-NAME-*.conf.
for dropin in ./dropins/*; do
  name=$(basename "$dropin")
  name=${name#fmd-}
  unit=fmd-${name%%-*}.service
  mkdir -p with "with/$unit.d"
  cp "$unit" with
  cp "$dropin" "with/$unit.d"
  complaints=$(systemd-analyze verify --man=no --recursive-errors=no "./with/$unit" 2>&1) || true
  [ -z "$complaints" ] || { echo "$dropin: $complaints"; status=1; }
done

# Enable all, disable and enable each one, disable all.
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
