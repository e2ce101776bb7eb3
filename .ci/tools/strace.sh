# Shows whether a write is synced to disk before it is acknowledged.
. "$(dirname "$0")/../lib.sh"
have strace || apt_install strace
