#!/usr/bin/env bash
# Runs in the machine, beside the control plane: containerd with a bridge network, kubelet, kube-proxy.
#   kubelet.sh STATE
set -euo pipefail
state=$1 address=10.201.0.1
export KUBECONFIG=$state/kubeconfig
mkdir -p "$state/cni" "$state/containerd"

. "$(dirname "$0")/processes.sh"

cat >"$state/cni/10-bridge.conflist" <<'J'
{ "cniVersion": "0.4.0", "name": "bridge", "plugins": [
  { "type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false, "hairpinMode": true,
    "ipam": { "type": "host-local", "ranges": [[{ "subnet": "10.244.0.0/24" }]], "routes": [{ "dst": "0.0.0.0/0" }],
              "dataDir": "/run/cni-ipam" } },
  { "type": "portmap", "capabilities": { "portMappings": true } } ] }
J
# Without CAP_SYS_RESOURCE the OOM score of a process cannot be lowered below ours.
cat >"$state/containerd.toml" <<T
version = 2
root = "$state/containerd"
state = "/run/containerd"
oom_score = 0
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/snowgauge/pause:latest"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$state/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      BinaryName = "$(command -v runc)"
      SystemdCgroup = false
T
run containerd containerd -c "$state/containerd.toml"
until_true containerd ctr version


cat >"$state/kubelet.yaml" <<Y
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupDriver: cgroupfs
failCgroupV1: false
failSwapOn: false
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
address: 0.0.0.0
healthzBindAddress: 127.0.0.1
authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: $state/pki/ca.crt } }
authorization: { mode: Webhook }
clusterDNS: [$address]
clusterDomain: cluster.local
resolvConf: ""
# A changed ConfigMap reaches its volume within this time, instead of a minute by default.
syncFrequency: 5s
nodeStatusUpdateFrequency: 5s
imageGCHighThresholdPercent: 100
localStorageCapacityIsolation: false
evictionHard: { memory.available: 1Mi, nodefs.available: 0%, imagefs.available: 0%, nodefs.inodesFree: 0% }
oomScoreAdj: 0
Y
# The kubelet sets these sysctls for the whole host, which runs other programs too.
kept=$(sysctl vm.overcommit_memory kernel.panic kernel.panic_on_oops | tr -d ' ')
run kubelet kubelet --config="$state/kubelet.yaml" --kubeconfig="$KUBECONFIG" --root-dir=/var/lib/kubelet \
  --hostname-override=machine --node-ip=$address
until_true kubelet kubectl wait --for=condition=Ready --timeout=1s node/machine
for setting in $kept; do sysctl -qw "$setting"; done
run kube-proxy kube-proxy --kubeconfig="$KUBECONFIG" --proxy-mode=iptables --cluster-cidr=10.244.0.0/16 \
  --hostname-override=machine --bind-address=127.0.0.1 --conntrack-max-per-core=0 \
  --conntrack-tcp-timeout-established=0 --conntrack-tcp-timeout-close-wait=0
