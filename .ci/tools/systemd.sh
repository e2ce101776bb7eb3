# systemd, which is the first process of a machine that a test makes, and its systemd-analyze. On this machine nothing of it is started.
. "$(dirname "$0")/../lib.sh"
have systemctl systemd-analyze unshare nsenter ip curl && [ -x /lib/systemd/systemd ] || apt_install systemd util-linux iproute2 curl
