# Helpers in the machine: start a process with its log in $state and wait until it works.

# run NAME CMD...
run() {
  local name=$1
  shift
  setsid "$@" >"$state/$name.log" 2>&1 </dev/null &
  echo $! >"$state/$name.pid"
}

# until_true NAME CMD...: waits up to two minutes while the process lives.
until_true() {
  local name=$1
  shift
  for _ in $(seq 1200); do
    "$@" >/dev/null 2>&1 && return
    kill -0 "$(cat "$state/$name.pid")" || break
    sleep 0.1
  done
  tail -n 20 "$state/$name.log" >&2
  echo "$name is not up" >&2
  exit 1
}
