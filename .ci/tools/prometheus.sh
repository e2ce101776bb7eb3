# Debian's Prometheus and promtool: what the end-to-end tests scrape and check with.
. "$(dirname "$0")/../lib.sh"
have promtool prometheus || apt_install prometheus
