#!/usr/bin/env bash
# Runs in the machine, beside the control plane: the Prometheus Operator as a process, with its CRDs in FOLDER.
#   operator.sh STATE FOLDER RELOADER-IMAGE
set -euo pipefail
state=$1 definitions=$2 reloader=$3
. "$(dirname "$0")/processes.sh"

kubectl apply --server-side --filename="$definitions" >/dev/null
kubectl wait --for=condition=Established --timeout=120s --filename="$definitions" >/dev/null
run prometheus-operator prometheus-operator --apiserver=https://127.0.0.1:6443 --ca-file="$state/pki/ca.crt" \
  --cert-file="$state/pki/admin.crt" --key-file="$state/pki/admin.key" --web.listen-address=127.0.0.1:18080 \
  --prometheus-config-reloader="$reloader"
until_true prometheus-operator curl --silent --fail http://127.0.0.1:18080/healthz
