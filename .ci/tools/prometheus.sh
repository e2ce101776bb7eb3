# Debian's Prometheus, promtool, Alertmanager and amtool: the oldest versions that snowgauge supports.
. "$(dirname "$0")/../lib.sh"
have promtool prometheus || apt_install prometheus
have prometheus-alertmanager || apt_install prometheus-alertmanager
