#!/bin/bash
# fetch.sh esper | zedlets: fetches the files of that peer once into the user's cache and prints the folder. Nothing is installed: ZED's
# package requires kernel modules.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/fmd-bench
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:?}")

# esper FOLDER
esper() {
  mvn -q -B -f "$here/pom.xml" dependency:copy-dependencies -DoutputDirectory="$1"
}

# zedlets FOLDER: ZED is in Debian's contrib, which may not be configured on this machine. If so, uses the archive of main with its own
# package lists.
zedlets() {
  local apt=(apt-get -q -o "Dir::Etc::SourceList=$own/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$own/lists" -o "Dir::Cache=$own/cache" -o Acquire::Languages=none)
  cd "$own"
  if ! apt-get -q download zfs-zed; then
    apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
      awk -v suite="$codename" '$2 == suite && $3 == "main" && !found++ { print "deb", $1, $2, "contrib" }' >sources.list
    mkdir -p lists/partial cache/archives/partial
    "${apt[@]}" update
    "${apt[@]}" download zfs-zed
  fi
  dpkg-deb -x zfs-zed_*.deb "$1"
}

case ${1:-} in
esper) folder=$cache/esper-$(sed -n 's:.*<esper.version>\(.*\)</.*:\1:p' "$here/pom.xml") ;;
zedlets) folder=$cache/zfs-zed-$codename ;;
*)
  echo "usage: fetch.sh esper | zedlets" >&2
  exit 2
  ;;
esac
if [[ ! -d $folder ]]; then
  mkdir -p "$cache"
  own=$(mktemp -d "$cache/new.XXXXXX")
  trap 'rm -rf "$own"' EXIT
  mkdir "$own/whole"
  "$1" "$own/whole" >&2
  mv -T "$own/whole" "$folder"
fi
echo "$folder"
