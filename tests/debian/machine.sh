# shellcheck shell=bash disable=SC2154
# ./dev packages and ./dev first-hour: what their chroots are given. Sourced by dev, whose functions it uses.

# The packages of the libraries that the programs in that folder need, but for the desktop's.
libraries_of() {
  local library real
  { find "$1" -type f -executable ! -name fmtray -exec ldd {} + 2>/dev/null || true; } | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
    while read -r library; do
      real=$(readlink -f "$library")
      dpkg -S "$real" 2>/dev/null || dpkg -S "${real#/usr}" 2>/dev/null || true
    done | cut -d: -f1 | sort -u
}

first_hour() {
  local release way=packages folder staged
  release=$(host_release)
  while (($#)); do
    case $1 in
    --debian)
      release=${2:?which Debian?}
      shift
      ;;
    --by-hand) way=by-hand ;;
    *) fail "first-hour takes --debian and --by-hand, not '$1'" ;;
    esac
    shift
  done
  setup chroot
  # Where the programs were built for that release: here, or in its chroot.
  if [[ $way == by-hand && $release == "$(host_release)" ]]; then
    setup build demo
    lean=yes build_programs build-install "${shipped[@]}"
    staged=$(mktemp -d "${TMPDIR:-/tmp}/fmd-install.XXXXXX")
    # shellcheck disable=SC2064  # the folder's name as it is now
    trap "rm -rf '$staged'" EXIT
    chmod 755 "$staged"
    meson install -C build-install --no-rebuild --quiet --destdir "$staged/installed"
    libraries_of "$staged/installed" >"$staged/installed.packages"
  elif [[ $way == by-hand ]]; then
    in_debian_do "$release" ./dev in-debian programs
    staged=$(tests/debian/root.sh "$release" --built)
  fi
  export FMD_CHROOT=clean
  folder=$(tests/debian/root.sh "$release" --built)
  as_root rm -rf "$folder/packages" "$folder/installed"
  as_root mkdir -p "$folder/packages"
  if [[ $way == by-hand ]]; then
    as_root cp -a --no-preserve=ownership "$staged/installed" "$staged/installed.packages" "$folder/"
  else
    [[ -n $(compgen -G "packages/debian-$release/fmd_*.deb") ]] || fail "there are no packages in packages/debian-$release: ./dev packages --debian $release"
    as_root cp "packages/debian-$release"/*.deb "$folder/packages/"
  fi
  # The machine has this host's network: with two of them one mail system would get the other's mail.
  exec 7>"${TMPDIR:-/tmp}/fmd-first-hour.lock"
  flock -n 7 || { say "another first hour is played here, waiting for it" && flock 7; }
  in_debian_do "$release" tests/debian/first_hour.sh "$way"
}

# The tree as git knows it goes into the chroot, whose own /fmd is read only; what is built comes back to packages/.
packages() {
  local release check='' quick='' folder version
  release=$(host_release)
  while (($#)); do
    case $1 in
    --debian)
      release=${2:?which Debian?}
      shift
      ;;
    --check) check=yes ;;
    --quick) quick=yes ;;
    *) fail "packages takes --debian, --check and --quick, not '$1'" ;;
    esac
    shift
  done
  setup chroot
  version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" meson.build)
  export FMD_CHROOT=packages
  folder=$(tests/debian/root.sh "$release" --built)
  as_root rm -rf "$folder/source" "$folder/packages"
  as_root mkdir -p "$folder/source/fmd-$version"
  git ls-files -z --cached --others --exclude-standard | tar -c --null --files-from - |
    as_root tar -x --no-same-owner -C "$folder/source/fmd-$version"
  in_debian_do "$release" "/build/source/fmd-$version/tests/debian/packages.sh" "/build/source/fmd-$version" ${quick:+--quick}
  mkdir -p "packages/debian-$release"
  rm -f "packages/debian-$release"/*
  cp "$folder"/packages/* "packages/debian-$release/"
  if [[ -n $check ]]; then
    FMD_CHROOT=clean check_packages "$release"
    [[ -n $quick ]] ||
      in_debian_do "$release" "/build/source/fmd-$version/tests/debian/packages.sh" "/build/source/fmd-$version" --again
  fi
  say "packages/debian-$release/"
  (cd "packages/debian-$release" && du -h -- *)
}

# As an administrator has them.
check_packages() {
  local folder
  folder=$(tests/debian/root.sh "$1" --built)
  as_root mkdir -p "$folder/packages"
  as_root rm -f "$folder"/packages/*
  as_root cp "packages/debian-$1"/*.deb "$folder/packages/"
  in_debian_do "$1" tests/debian/installed.sh
}
