#!/usr/bin/env bash
# Runs in the machine: etcd, API server, controller manager, scheduler and DNS. All their files are in STATE.
#   control-plane.sh STATE
set -euo pipefail
state=$1 address=10.201.0.1 port=6443
pki=$state/pki
mkdir -p "$pki" "$state/etcd"

. "$(dirname "$0")/processes.sh"

openssl genrsa -out "$pki/accounts.key" 2048 2>/dev/null
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$pki/ca.key" -out "$pki/ca.crt" -days 3 -subj /CN=machine 2>/dev/null
# certificate NAME SUBJECT EXTENSION
certificate() {
  openssl req -newkey rsa:2048 -nodes -keyout "$pki/$1.key" -out "$pki/$1.csr" -subj "$2" 2>/dev/null
  openssl x509 -req -in "$pki/$1.csr" -CA "$pki/ca.crt" -CAkey "$pki/ca.key" -CAcreateserial -days 3 \
    -extfile <(echo "$3") -out "$pki/$1.crt" 2>/dev/null
}
names=DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:localhost
certificate apiserver /CN=kube-apiserver "subjectAltName=$names,IP:127.0.0.1,IP:10.96.0.1,IP:$address"
certificate admin /O=system:masters/CN=admin extendedKeyUsage=clientAuth

cat >"$state/kubeconfig" <<Y
apiVersion: v1
kind: Config
clusters: [{ name: machine, cluster: { server: "https://127.0.0.1:$port", certificate-authority: "$pki/ca.crt" } }]
users: [{ name: admin, user: { client-certificate: "$pki/admin.crt", client-key: "$pki/admin.key" } }]
contexts: [{ name: machine, context: { cluster: machine, user: admin } }]
current-context: machine
Y
export KUBECONFIG=$state/kubeconfig

run etcd etcd --data-dir "$state/etcd" --log-level warn --initial-cluster default=http://127.0.0.1:2380 \
  --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
  --listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 --unsafe-no-fsync
run kube-apiserver kube-apiserver --etcd-servers=http://127.0.0.1:2379 --secure-port=$port --advertise-address=$address \
  --service-cluster-ip-range=10.96.0.0/16 --allow-privileged=true --authorization-mode=Node,RBAC \
  --tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key" --client-ca-file="$pki/ca.crt" \
  --service-account-issuer=https://kubernetes.default.svc --service-account-key-file="$pki/accounts.key" \
  --service-account-signing-key-file="$pki/accounts.key" --kubelet-preferred-address-types=InternalIP \
  --kubelet-client-certificate="$pki/admin.crt" --kubelet-client-key="$pki/admin.key" \
  --feature-gates=MutatingAdmissionPolicy=true --runtime-config=admissionregistration.k8s.io/v1beta1=true
until_true kube-apiserver kubectl get --raw /readyz
run kube-controller-manager kube-controller-manager --kubeconfig="$KUBECONFIG" --leader-elect=false --bind-address=127.0.0.1 \
  --use-service-account-credentials=true --service-account-private-key-file="$pki/accounts.key" --root-ca-file="$pki/ca.crt" \
  --service-cluster-ip-range=10.96.0.0/16 --cluster-cidr=10.244.0.0/16 --allocate-node-cidrs=false --node-monitor-period=2s
run kube-scheduler kube-scheduler --kubeconfig="$KUBECONFIG" --leader-elect=false --bind-address=127.0.0.1
cat >"$state/Corefile" <<C
.:53 {
  bind $address
  errors
  kubernetes cluster.local in-addr.arpa {
    kubeconfig $KUBECONFIG machine
  }
}
C
run coredns coredns -conf "$state/Corefile"
until_true kube-controller-manager kubectl get serviceaccount default
