# helm 3. Without these flags of its Makefile it assumes Kubernetes 1.20 and rejects charts for newer versions.
. "$(dirname "$0")/../lib.sh"
kubernetes=34
have helm || {
  helm=helm.sh/helm/v3
  flags="-s -w -X $helm/internal/version.version=$(version_of $helm) -X $helm/internal/version.gitTreeState=clean"
  for package in pkg/lint/rules pkg/chartutil; do
    flags="$flags -X $helm/$package.k8sVersionMajor=1 -X $helm/$package.k8sVersionMinor=$kubernetes"
  done
  build helm $helm/cmd/helm "$flags"
}
