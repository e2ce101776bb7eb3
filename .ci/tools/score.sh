# What judges the objects of the chart and of the plain manifests by the rules of those who run clusters.
. "$(dirname "$0")/../lib.sh"
have kube-score || go_build github.com/zegl/kube-score v1.20.0 ./cmd/kube-score kube-score
