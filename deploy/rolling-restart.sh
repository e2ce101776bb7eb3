#!/bin/sh
# Restarts the validators of several machines one after the other, each while that is safe (docs/safe-to-restart.md):
#
#     RESTART=./restart-node deploy/rolling-restart.sh http://10.0.0.1:9650 http://10.0.0.2:9650 http://10.0.0.3:9650
#
# RESTART is a command that gets the URL, and ends when the new process of that node runs, such as
# `ssh "$host" sudo systemctl restart avalanchego`.
set -eu

restart=${RESTART:?must be the command that restarts a node}
snowgauge=${SNOWGAUGE:-snowgauge}
downtime=${DOWNTIME:-10m}      # how long a restart takes
ready_within=${READY_WITHIN:-2h}
pause=${PAUSE:-60}             # seconds until it retries
patience=${PATIENCE:-7200}     # seconds until it gives up

if [ "$#" -eq 0 ]; then
  echo "name the URLs of all nodes, such as http://10.0.0.1:9650" >&2
  exit 2
fi

for node in "$@"; do
  waited=0
  while :; do
    code=0
    $snowgauge safe-to-restart "$@" --target "$node" --for "$downtime" || code=$?
    case $code in
      0) break ;;
      1 | 3) ;;
      *) exit "$code" ;;
    esac
    if [ "$waited" -ge "$patience" ]; then
      echo "not safe to restart $node for $waited s: gave up" >&2
      exit "$code"
    fi
    sleep "$pause"
    waited=$((waited + pause))
  done
  $restart "$node"
  $snowgauge wait "$node" --for ready --timeout "$ready_within"
done
