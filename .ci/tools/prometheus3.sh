# Prometheus 3 as `prometheus3` and `promtool3` (Debian has 2.42) and Alertmanager, for the tests of rules, dashboards and drills.
# Only the service discovery of Kubernetes is included, because all of them take seven minutes to build.
. "$(dirname "$0")/../lib.sh"
prometheus=github.com/prometheus/prometheus
have promtool3 || TAGS=remove_all_sd,enable_kubernetes_sd go_build $prometheus v0.315.0 ./cmd/promtool promtool3
have prometheus3 || TAGS=remove_all_sd,enable_kubernetes_sd go_build $prometheus v0.315.0 ./cmd/prometheus prometheus3
# The module archive lacks the built web pages, and embedding them requires one file.
have alertmanager || PRE='mkdir -p ui/app/dist && echo x > ui/app/dist/index.html' \
  go_build github.com/prometheus/alertmanager v0.34.2 ./cmd/alertmanager alertmanager
have amtool || PRE='mkdir -p ui/app/dist && echo x > ui/app/dist/index.html' \
  go_build github.com/prometheus/alertmanager v0.34.2 ./cmd/amtool amtool
