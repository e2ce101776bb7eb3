# What shows whether a write is on the disk before anybody is told of it.
. "$(dirname "$0")/../lib.sh"
have strace || apt_install strace
