# A real Kubernetes (control plane, kubelet and kubectl in one program) with etcd, containerd and runc.
. "$(dirname "$0")/../lib.sh"
have etcd containerd runc iptables ip nsenter openssl catatonit jq curl && [ -x /usr/lib/cni/bridge ] ||
  apt_install etcd-server containerd runc containernetworking-plugins iptables iproute2 util-linux openssl catatonit jq curl
have kubernetes || {
  # Built as upstream does, but with the published staging modules, because they are empty in the module archive.
  version=$(version_of k8s.io/kubernetes)
  minor=${version#v1.}
  flags='-s -w'
  for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    flags="$flags -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=${minor%%.*}"
    flags="$flags -X $package.gitTreeState=clean -X $package.buildDate=1970-01-01T00:00:00Z"
  done
  TAGS=selinux,notest build kubernetes ./kubernetes "$flags"
}
for part in kube-apiserver kube-controller-manager kube-proxy kube-scheduler kubelet kubectl; do
  ln -sf kubernetes "$bin/$part"
done
