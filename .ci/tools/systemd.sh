# systemd, the first process of a test machine, and systemd-analyze. None of it is started on this machine.
. "$(dirname "$0")/../lib.sh"
have systemctl systemd-analyze unshare nsenter ip curl && [ -x /lib/systemd/systemd ] || apt_install systemd util-linux iproute2 curl
