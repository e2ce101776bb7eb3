# What the scripts of .ci/tools share. Each is run by itself (`bash .ci/tools/NAME.sh`), may be run again at any time, and does
# nothing where its tools are there already.

set -euo pipefail
export DEBIAN_FRONTEND=noninteractive GOTOOLCHAIN=local CGO_ENABLED=0
# On a new machine Go stands outside the PATH.
PATH=$PATH:/usr/local/go/bin
programs=$(cd "$(dirname "${BASH_SOURCE[0]}")/tools/programs" && pwd)
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/snowgauge
# Where the tests look after the PATH.
bin=$cache/bin
mkdir -p "$bin"
# The compiler collects its garbage less often: a tenth of its time, for memory that there is.
export GOGC=400
# Nothing is debugged here. The same flags everywhere: what is built with others is compiled again.
compiling=(-trimpath -gcflags=all=-dwarf=false)

have() { local tool; for tool; do [ -x "$bin/$tool" ] || command -v "$tool" >/dev/null || return 1; done; }

# in_turn NAME COMMAND...: one at a time of those that .ci/run starts at once. The turn ends with the command, whatever that leaves behind.
in_turn() (
  exec 9>"$cache/.$1.lock"
  # Whoever is ended meanwhile was not the one that took too long.
  flock -n 9 || { echo "waits for its turn: $1" && flock 9 && echo "has its turn: $1"; }
  shift
  "$@" 9>&-
)

# Debian packages, without starting the services that some of them bring.
apt_install() { in_turn apt apt_install_now "$@"; }
apt_install_now() {
  local policy=/usr/sbin/policy-rc.d made= code=0
  [ -e "$policy" ] || { printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy" && made=1; }
  { apt-get update -q && apt-get install -q -y --no-install-recommends "$@"; } || code=$?
  [ -z "$made" ] || rm -f "$policy"
  return "$code"
}

# build NAME PACKAGE [LDFLAGS]: a main package of the module .ci/tools/programs as $bin/NAME. Its go.mod has one version of whatever
# several programs are made of, so that a run compiles it once; `go mod tidy` after a change there. TAGS: build tags.
# Two programs that begin at the same time would both compile what they share.
build() { in_turn programs build_now "$@"; }
build_now() (
  cd "$programs"
  go build "${compiling[@]}" ${TAGS:+-tags "$TAGS"} -ldflags "${3:--s -w}" -o "$bin/.$1.new" "$2"
  mv "$bin/.$1.new" "$bin/$1"
)
# Of a module that they are made of: version_of MODULE, and folder_of MODULE, its source.
version_of() { (cd "$programs" && go list -m -f '{{.Version}}' "$1"); }
folder_of() { (cd "$programs" && go mod download "$1" && go list -m -f '{{.Dir}}' "$1"); }

# module_folder MODULE VERSION: the source of a published one. What is wrong stands in the answer.
module_folder() {
  local answer
  answer=$(go mod download -json "$1@$2") || { echo "cannot download $1@$2: $answer" >&2; return 1; }
  sed -n 's/^\t"Dir": "\(.*\)",$/\1/p' <<<"$answer"
}

# go_build MODULE VERSION PACKAGE NAME [LDFLAGS]: a main package of a published module as $bin/NAME, also where its go.mod has
# replacements, which `go install` refuses: those by a neighbouring folder are dropped. TAGS: build tags. PRE: run in the
# source first (a placeholder for what module archives lack). Built beside its place: a killed build leaves nothing half done.
# One of them at a time, and one of the module of all programs, is as much as two processors and the memory take.
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
