# The DNS of a cluster.
. "$(dirname "$0")/../lib.sh"
have coredns || (
  source=$(cd "$(dirname "$0")/dns" && pwd)
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  cp "$source/main.go" "$work/"
  cd "$work"
  printf 'module dns\n\nrequire github.com/coredns/coredns v1.12.4\n' >go.mod
  GOFLAGS=-mod=mod go mod tidy
  GOFLAGS=-mod=mod go build -trimpath -ldflags '-s -w' -o "$bin/.coredns.new" .
  mv "$bin/.coredns.new" "$bin/coredns"
)
