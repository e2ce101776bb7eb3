# Shared by the scripts of .ci/tools. Each one can be run by itself (`bash .ci/tools/NAME.sh`) and repeatedly, and does nothing if
# its tools exist.

set -euo pipefail
export DEBIAN_FRONTEND=noninteractive GOTOOLCHAIN=local CGO_ENABLED=0
# On a new machine Go may not be on the PATH.
PATH=$PATH:/usr/local/go/bin
programs=$(cd "$(dirname "${BASH_SOURCE[0]}")/tools/programs" && pwd)
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/snowgauge
# Where the tests look for tools after the PATH.
bin=$cache/bin
mkdir -p "$bin"
# Less frequent garbage collection saves a tenth of the compile time and costs available memory.
export GOGC=400
# Without debug information. The same flags everywhere, because other flags would compile everything again.
compiling=(-trimpath -gcflags=all=-dwarf=false)

have() { local tool; for tool; do [ -x "$bin/$tool" ] || command -v "$tool" >/dev/null || return 1; done; }

# in_turn NAME COMMAND...: runs one of the concurrent jobs of .ci/run at a time. The turn ends with the command, even if it leaves
# processes behind.
in_turn() (
  exec 9>"$cache/.$1.lock"
  # Printed, so that a job killed while it waited is not taken for the slow one.
  flock -n 9 || { echo "waits for its turn: $1" && flock 9 && echo "has its turn: $1"; }
  shift
  "$@" 9>&-
)

# Installs Debian packages without starting their services.
apt_install() { in_turn apt apt_install_now "$@"; }
apt_install_now() {
  local policy=/usr/sbin/policy-rc.d made= code=0
  [ -e "$policy" ] || { printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy" && made=1; }
  { apt-get update -q && apt-get install -q -y --no-install-recommends "$@"; } || code=$?
  [ -z "$made" ] || rm -f "$policy"
  return "$code"
}

# build NAME PACKAGE [LDFLAGS]: builds a main package of the module .ci/tools/programs as $bin/NAME. Its go.mod has one version of
# each shared dependency, so that a run compiles it once; run `go mod tidy` after a change there. TAGS: build tags. One at a time,
# because two concurrent builds would both compile the shared packages.
build() { in_turn programs build_now "$@"; }
build_now() (
  cd "$programs"
  go build "${compiling[@]}" ${TAGS:+-tags "$TAGS"} -ldflags "${3:--s -w}" -o "$bin/.$1.new" "$2"
  mv "$bin/.$1.new" "$bin/$1"
)
# version_of MODULE and folder_of MODULE: the version and source of a dependency of these programs.
version_of() { (cd "$programs" && go list -m -f '{{.Version}}' "$1"); }
folder_of() { (cd "$programs" && go mod download "$1" && go list -m -f '{{.Dir}}' "$1"); }

# module_folder MODULE VERSION: the source of a published module. Errors are in the JSON output.
module_folder() {
  local answer
  answer=$(go mod download -json "$1@$2") || { echo "cannot download $1@$2: $answer" >&2; return 1; }
  sed -n 's/^\t"Dir": "\(.*\)",$/\1/p' <<<"$answer"
}

# go_build MODULE VERSION PACKAGE NAME [LDFLAGS]: builds a main package of a published module as $bin/NAME, also if its go.mod has
# replacements, which `go install` rejects; those by a neighbouring folder are dropped. TAGS: build tags. PRE: a command to run in
# the source first, for files that module archives lack. Builds to a temporary name, so that a killed build leaves no partial
# file. One at a time: together with a build of the programs module it uses two cores and the memory.
go_build() { in_turn modules go_build_now "$@"; }
go_build_now() (
  module=$1 version=$2 package=$3 name=$4 ldflags=${5:--s -w}
  found=$(module_folder "$module" "$version")
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  cp -r "$found/." "$work/"
  chmod -R u+w "$work"
  cd "$work"
  rm -rf vendor go.work go.work.sum
  sed -n 's#^\t\?\(replace \)\?\([^ ]*\) => \.\.\?/.*#\2#p' go.mod | while read -r old; do go mod edit -dropreplace="$old"; done
  [ -z "${PRE:-}" ] || eval "$PRE"
  GOFLAGS=-mod=mod go build "${compiling[@]}" ${TAGS:+-tags "$TAGS"} -ldflags "$ldflags" -o "$bin/.$name.new" "$package"
  mv "$bin/.$name.new" "$bin/$name"
)
