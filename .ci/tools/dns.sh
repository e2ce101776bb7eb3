# The DNS of a cluster.
. "$(dirname "$0")/../lib.sh"
have coredns || build coredns ./coredns
