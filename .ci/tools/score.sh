# kube-score, which checks the objects of the chart and of the plain manifests against best practices.
. "$(dirname "$0")/../lib.sh"
have kube-score || go_build github.com/zegl/kube-score v1.20.0 ./cmd/kube-score kube-score
