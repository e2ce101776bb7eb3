# A real Kubernetes, control plane, kubelet and kubectl in one program, and what it runs on: etcd, containerd, runc.
. "$(dirname "$0")/../lib.sh"
version=v1.34.4
have etcd containerd runc iptables ip nsenter openssl catatonit jq curl && [ -x /usr/lib/cni/bridge ] ||
  apt_install etcd-server containerd runc containernetworking-plugins iptables iproute2 util-linux openssl catatonit jq curl
have kubernetes || (
  # As upstream builds it, but its staging modules come as they were published: the module archive has them empty.
  source=$(cd "$(dirname "$0")/kubernetes" && pwd)
  upstream=$(go mod download -json "k8s.io/kubernetes@$version" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  [ -n "$upstream" ] || { echo "cannot download Kubernetes $version" >&2; exit 1; }
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  cp "$source/main.go" "$upstream/go.sum" "$work/"
  cd "$work"
  {
    echo 'module kubernetes'
    grep -E '^(go|godebug) ' "$upstream/go.mod" || true
    sed -n '/^godebug (/,/^)/p' "$upstream/go.mod"
    echo "require k8s.io/kubernetes $version"
    sed -n '/^require (/,/^)/p' "$upstream/go.mod"
    sed -n "s#^\t\(k8s.io/[a-z0-9-]*\) => ./staging/.*#replace \1 => \1 v0.${version#v1.}#p" "$upstream/go.mod"
  } >go.mod
  minor=${version#v1.}
  flags='-s -w'
  for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    flags="$flags -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=${minor%%.*}"
    flags="$flags -X $package.gitTreeState=clean -X $package.buildDate=1970-01-01T00:00:00Z"
  done
  GOFLAGS=-mod=mod go build -trimpath -tags selinux,notest -ldflags "$flags" -o "$bin/.kubernetes.new" .
  mv "$bin/.kubernetes.new" "$bin/kubernetes"
)
for part in kube-apiserver kube-controller-manager kube-proxy kube-scheduler kubelet kubectl; do
  ln -sf kubernetes "$bin/$part"
done
