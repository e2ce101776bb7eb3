# Tools that check the chart and the plain manifests, and strict schemas of Kubernetes.
. "$(dirname "$0")/../lib.sh"

have kubeconform || go_build github.com/yannh/kubeconform v0.7.0 ./cmd/kubeconform kubeconform
have helm-docs || go_build github.com/norwoodj/helm-docs v1.14.2 ./cmd/helm-docs helm-docs
have kustomize || build kustomize sigs.k8s.io/kustomize/kustomize/v5
have helm-unittest || build helm-unittest github.com/helm-unittest/helm-unittest/cmd/helm-unittest

# The latest release of each minor version on the Go module proxy. Only the API documents are kept.
schemas=$cache/schemas
make_schemas() {
  local name=$1 made
  shift
  made=$(mktemp -d "$schemas/.new.XXXXXX")
  node "$(dirname "$0")/../kubernetes-schemas.mjs" "$made" "$@"
  chmod 755 "$made"
  mv -T "$made" "$schemas/$name"
}
mkdir -p "$schemas"
for version in v1.29.6 v1.30.14 v1.31.14 v1.32.13 v1.33.13 v1.34.4 v1.35.4 v1.36.3; do
  minor=${version%.*}
  [ -d "$schemas/$minor" ] || {
    folder=$(module_folder k8s.io/kubernetes "$version")
    make_schemas "$minor" "$folder/api/openapi-spec/swagger.json"
  }
done
[ -f "$schemas/monitoring/scrapeconfig-monitoring-v1alpha1.json" ] || {
  folder=$(module_folder github.com/prometheus-operator/prometheus-operator v0.85.0)
  kinds=$folder/jsonnet/prometheus-operator
  rm -rf "$schemas/monitoring"
  make_schemas monitoring "$kinds"/{servicemonitors,podmonitors,probes,prometheusrules,scrapeconfigs}-crd.json
}
[ -d "$schemas/gateway" ] || {
  folder=$(module_folder sigs.k8s.io/gateway-api v1.3.0)
  make_schemas gateway "$folder/config/crd/standard/gateway.networking.k8s.io_httproutes.yaml"
}
