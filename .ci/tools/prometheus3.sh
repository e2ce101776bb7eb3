# Prometheus 3 as `prometheus3` and `promtool3` (Debian's is 2.42), and Alertmanager: what rules, dashboards and drills run against.
# Of the service discoveries only Kubernetes' is built in: all of them together take seven minutes.
. "$(dirname "$0")/../lib.sh"
prometheus=github.com/prometheus/prometheus
have promtool3 || TAGS=remove_all_sd,enable_kubernetes_sd go_build $prometheus v0.315.0 ./cmd/promtool promtool3
have prometheus3 || TAGS=remove_all_sd,enable_kubernetes_sd go_build $prometheus v0.315.0 ./cmd/prometheus prometheus3
# The module archive lacks the built pages; embedding them wants one file to be there.
have alertmanager || PRE='mkdir -p ui/app/dist && echo x > ui/app/dist/index.html' \
  go_build github.com/prometheus/alertmanager v0.34.2 ./cmd/alertmanager alertmanager
have amtool || PRE='mkdir -p ui/app/dist && echo x > ui/app/dist/index.html' \
  go_build github.com/prometheus/alertmanager v0.34.2 ./cmd/amtool amtool
