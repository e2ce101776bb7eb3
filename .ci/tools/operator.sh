# The Prometheus Operator, the sidecar that it puts beside each Prometheus, and its definitions.
. "$(dirname "$0")/../lib.sh"
operator=github.com/prometheus-operator/prometheus-operator version=v0.85.0
have prometheus-operator || go_build $operator $version ./cmd/operator prometheus-operator
have prometheus-config-reloader || go_build $operator $version ./cmd/prometheus-config-reloader prometheus-config-reloader
[ -d "$cache/crds" ] || {
  found=$(go mod download -json "$operator@$version" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  rm -rf "$cache/.crds"
  cp -r "$found/example/prometheus-operator-crd" "$cache/.crds"
  chmod -R u+w "$cache/.crds"
  mv "$cache/.crds" "$cache/crds"
}
