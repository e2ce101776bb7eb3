# The loader of Docker Compose, which validates deploy/compose.yaml without Docker.
. "$(dirname "$0")/../lib.sh"
have compose-spec || go_build github.com/compose-spec/compose-go/v2 v2.16.2 ./cmd compose-spec
