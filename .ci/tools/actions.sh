# Checks the workflows in .github.
. "$(dirname "$0")/../lib.sh"
have actionlint || go_build github.com/rhysd/actionlint v1.7.12 ./cmd/actionlint actionlint
