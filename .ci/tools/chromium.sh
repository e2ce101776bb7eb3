# The browser that the status page is looked at in.
. "$(dirname "$0")/../lib.sh"
have chromium || apt_install chromium
