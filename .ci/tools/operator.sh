# The Prometheus Operator, its config reloader and its CRDs.
. "$(dirname "$0")/../lib.sh"
operator=github.com/prometheus-operator/prometheus-operator
have prometheus-operator || build prometheus-operator $operator/cmd/operator
have prometheus-config-reloader || build prometheus-config-reloader $operator/cmd/prometheus-config-reloader
[ -d "$cache/crds" ] || {
  found=$(folder_of $operator)
  rm -rf "$cache/.crds"
  cp -r "$found/example/prometheus-operator-crd" "$cache/.crds"
  chmod -R u+w "$cache/.crds"
  mv "$cache/.crds" "$cache/crds"
}
