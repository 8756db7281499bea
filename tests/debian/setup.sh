# shellcheck shell=bash
# ./dev setup: what is installed by apt, for whom and what for. Sourced by dev, whose say, fail and quietly it uses.

# What is needed: "for whom | why: package...". Names are the same on Debian 12 and 13; PACKAGE@12 is for that release only
# (in 13 another one brings its files).
needs() {
  cat <<'END'
build | compiler, build system, compiler cache: g++ meson ninja-build pkgconf ccache git
build | systemd's event loop, bus and journal; udev; block device probing: libsystemd-dev libudev-dev libblkid-dev
build | the store (SQLite, compressed blocks): libsqlite3-dev libzstd-dev
build | reading TOML and JSON, formatting, options, Result values: libtomlplusplus-dev libsimdjson-dev nlohmann-json3-dev libfmt-dev libcli11-dev libexpected-dev
build | mail (SMTP), web hooks (HTTPS, signatures) and SNMP (AgentX): libcurl4-openssl-dev libssl-dev libsnmp-dev
build | pictures of a chassis (SVG, PNG): libcairo2-dev
demo | a bus, a mail receiver and an SNMP manager of its own: dbus-daemon dbus-bin python3 python3-aiosmtpd snmp snmpd snmptrapd
demo | the management controller (BMC) of `demo cpu`: openipmi ipmitool
desktop | fmtray and its translations: qt6-base-dev qt6-charts-dev libqt6opengl6-dev@12 qt6-qpa-plugins qt6-l10n-tools
test | unit tests: libgtest-dev libgmock-dev libumockdev-dev umockdev
test | receivers with certificates, documents against their schemas: openssl python3-jsonschema util-linux
test | MIB modules read strictly, and a Prometheus and an Alertmanager of the tests' own: smitools prometheus prometheus-alertmanager
test | a screen, a window manager and a tray of the tests' own: xvfb openbox tint2 xdotool x11-utils
test | what a screen reader sees: at-spi2-core python3-gi gir1.2-atspi-2.0
test | completion in shells: zsh fish
test | a host reached over ssh: openssh-client openssh-server
test | checks of form (sources, scripts, manual pages, units): clang-format shellcheck groff systemd appstream desktop-file-utils
vm | the virtual machine of test-vm: qemu-system-x86 qemu-utils debootstrap e2fsprogs
chroot | a Debian of its own: debootstrap util-linux
packages | Debian packages, and what judges them: debhelper dpkg-dev build-essential lintian
peers | SEC and Esper beside the storm that `bench` measures: sec default-jdk-headless maven
END
}

# Servers that the tests run themselves: installing their packages leaves none running or enabled on this machine.
servers() {
  cat <<'END'
openssh-server ssh.service ssh.socket
prometheus prometheus.service
prometheus-alertmanager prometheus-alertmanager.service
sec sec.service
snmpd snmpd.service
snmptrapd snmptrapd.service snmptrapd.socket
END
}

installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# missing WHOM...: prints what apt is to install, and to stderr why.
missing() {
  local whom why packages package release lacking
  release=$(sed -n 's/^VERSION_ID="\(.*\)"$/\1/p' /etc/os-release)
  while IFS='|:' read -r whom why packages; do
    [[ " $* " == *" ${whom% } "* ]] || continue
    lacking=()
    for package in $packages; do
      [[ $package != *@* || ${package#*@} == "$release" ]] || continue
      installed "${package%@*}" || lacking+=("${package%@*}")
    done
    ((${#lacking[@]})) || continue
    printf '  %s:\n    %s\n' "${why# }" "${lacking[*]}" >&2
    printf '%s\n' "${lacking[@]}"
  done < <(needs)
}

# What is built for a library must be of its version; an older one stays if the archive still has what fits it, so that
# systemd is not upgraded under somebody's feet.
fitting() {
  local package library version
  for package; do
    case $package in
    libsystemd-dev) library=libsystemd0 ;;
    libudev-dev) library=libudev1 ;;
    *) echo "$package"; continue ;;
    esac
    version=$(dpkg-query -W -f '${Version}' "$library" 2>/dev/null) || version=''
    if [[ -n $version ]] && apt-cache madison "$package" | grep -qF " $version "; then echo "$package=$version"; else echo "$package"; fi
  done
}

# setup [WHOM...] [--list]: for build, demo, desktop, test, vm, chroot, packages, peers; all but the last three unless said.
setup() {
  local option whom=() lacking become=() quiet=() server units
  for option; do
    case $option in
    --list)
      needs
      return
      ;;
    build | demo | desktop | test | vm | chroot | packages | peers) whom+=("$option") ;;
    *) fail "setup takes build, demo, desktop, test, vm, chroot, packages, peers and --list, not '$option'" ;;
    esac
  done
  ((${#whom[@]})) || whom=(build demo desktop test vm)
  mapfile -t lacking < <(missing "${whom[@]}" 2>/dev/null)
  ((${#lacking[@]})) || return 0
  say "To be installed by apt"
  { missing "${whom[@]}" >/dev/null; } 2>&1
  if [[ $(id -u) != 0 ]]; then
    command -v sudo >/dev/null || fail "installing needs root: run ./dev setup as root once"
    become=(sudo)
    sudo -v # its question comes now, not beneath a line of progress
  fi
  if [[ -d /run/systemd/system ]]; then
    while read -r server units; do
      # shellcheck disable=SC2206  # words
      [[ " ${lacking[*]} " != *" $server "* ]] || quiet+=($units)
    done < <(servers)
  fi
  ((${#quiet[@]} == 0)) || "${become[@]}" systemctl mask --quiet --runtime "${quiet[@]}"
  quietly "Reading apt's lists" "${become[@]}" apt-get update -q
  mapfile -t lacking < <(fitting "${lacking[@]}")
  quietly "Installing ${#lacking[@]} packages and what they need" "${become[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${lacking[@]}"
  if ((${#quiet[@]})); then
    "${become[@]}" systemctl disable --quiet "${quiet[@]}" 2>/dev/null || true
    "${become[@]}" systemctl unmask --quiet --runtime "${quiet[@]}"
  fi
}
