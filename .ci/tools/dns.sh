# The DNS server of the test cluster.
. "$(dirname "$0")/../lib.sh"
have coredns || build coredns ./coredns
