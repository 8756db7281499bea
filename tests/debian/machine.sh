# shellcheck shell=bash disable=SC2154
# ./dev first-hour: packages or programs are put where first_hour.sh finds them. Sourced by dev, whose functions it uses.

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
  in_debian_do "$release" tests/debian/first_hour.sh "$way"
}
