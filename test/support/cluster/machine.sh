#!/usr/bin/env bash
# A temporary machine for Kubernetes: its own mount, network, process, IPC, host name and cgroup namespaces. It reaches nothing
# outside, and its first process ends all others with it.
#   machine.sh up STATE            makes it, and lives and dies with it; says `up` when it can be used
#   machine.sh exec STATE CMD...   runs CMD inside
#   machine.sh down STATE          ends it, also one that an earlier run has left behind
set -euo pipefail
command=$1 state=$2
shift 2
mkdir -p "$state"
# Read first, because it changes as we move between cgroups.
cgroups=$(cat /proc/self/cgroup)
address=10.201.0.1

# Calls `$1 FOLDER CONTROLLERS` for our cgroup in each hierarchy: those of cgroups v1, or the one of v2.
each_cgroup() {
  local _ controllers path folder
  while IFS=: read -r _ controllers path; do
    if [ -n "$controllers" ]; then
      folder=/sys/fs/cgroup/${controllers#name=}
    else
      # Has no controllers beside v1 hierarchies.
      [ -d /sys/fs/cgroup/unified ] && continue
      folder=/sys/fs/cgroup
    fi
    path=${path%/}
    [ -d "$folder$path" ] && "$1" "$folder${path%/snowgauge-e2e}/snowgauge-e2e" "$controllers"
  done <<<"$cgroups"
  return 0
}

# A child of our own cgroup that becomes the root of the machine's cgroup namespace.
enter_cgroup() {
  mkdir -p "$1" 2>/dev/null || return 0
  if [ "$2" = cpuset ]; then
    cat "$1/../cpuset.cpus" >"$1/cpuset.cpus"
    cat "$1/../cpuset.mems" >"$1/cpuset.mems"
    echo 1 >"$1/cgroup.clone_children" 2>/dev/null || true
  fi
  echo $$ >"$1/cgroup.procs"
}

join_cgroup() { [ ! -d "$1" ] || echo $$ >"$1/cgroup.procs"; }

remove_cgroup() { [ ! -d "$1" ] || find "$1" -depth -type d -exec rmdir {} + 2>/dev/null || true; }

# pid and start time of the machine's first process, because a pid alone may have been reused.
started_at() { [ -r "/proc/$1/stat" ] && sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f20; }

mount_cgroups() {
  local _ controllers name
  mount -t tmpfs -o mode=755 cgroup /sys/fs/cgroup
  while IFS=: read -r _ controllers _; do
    [ -n "$controllers" ] || continue
    name=${controllers#name=}
    mkdir -p "/sys/fs/cgroup/$name"
    mount -t cgroup -o "$controllers" cgroup "/sys/fs/cgroup/$name"
  done <<<"$cgroups"
  [ -d /sys/fs/cgroup/memory ] || { umount /sys/fs/cgroup && mount -t cgroup2 cgroup2 /sys/fs/cgroup; }
}

# What the first process does before it becomes the reaper.
become_machine() {
  local folder first
  # The pid outside, while /proc is still the one outside.
  read -r first _ </proc/self/stat
  echo "$first $(started_at "$first")" >"$state/pid"
  mount --make-rprivate /
  mount -t proc proc /proc
  hostname machine
  umount -R /sys/fs/cgroup
  umount -R /sys 2>/dev/null || umount -l /sys
  mount -t sysfs sysfs /sys
  mount_cgroups
  mount -t tmpfs -o mode=755 tmpfs /run
  mkdir -p /run/netns
  for folder in /var/lib/kubelet /var/log/pods /var/log/containers; do
    mkdir -p "$folder" "$state$folder"
    mount --bind "$state$folder" "$folder"
  done
  # The kubelet propagates volumes to containers through this mount.
  mount --make-rshared /
  : >"$state/resolv.conf"
  printf '127.0.0.1 localhost\n%s machine\n' "$address" >"$state/hosts"
  mount --bind "$state/resolv.conf" /etc/resolv.conf
  mount --bind "$state/hosts" /etc/hosts
  ip link set lo up
  # A non-loopback address and a default route, which the kubelet requires. Both ends are in here, so it leads nowhere.
  ip link add eth0 type veth peer name nowhere
  ip link set nowhere up
  ip addr add "$address/24" dev eth0
  ip link set eth0 up
  ip route add default via 10.201.0.254 dev eth0
  echo 1 >/proc/sys/net/ipv4/ip_forward
  echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables 2>/dev/null || true
  echo up
  exec catatonit -P
}

case $command in
up)
  bash "$0" down "$state"
  each_cgroup enter_cgroup
  exec unshare --mount --net --ipc --uts --pid --cgroup --fork --kill-child --propagation private bash "$0" init "$state"
  ;;
init) become_machine ;;
exec)
  read -r first _ <"$state/pid"
  each_cgroup join_cgroup
  exec nsenter --wdns="$PWD" -t "$first" -m -n -i -u -p -C -- "$@"
  ;;
down)
  if [ -f "$state/pid" ]; then
    read -r first since <"$state/pid"
    [ "$(started_at "$first")" != "$since" ] || kill -9 "$first"
    for _ in $(seq 300); do
      [ "$(started_at "$first")" = "$since" ] || break
      sleep 0.1
    done
    rm -f "$state/pid"
  fi
  each_cgroup remove_cgroup
  ;;
esac
