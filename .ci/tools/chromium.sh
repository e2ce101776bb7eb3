# The browser for tests of the status page.
. "$(dirname "$0")/../lib.sh"
have chromium || apt_install chromium
