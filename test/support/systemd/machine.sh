#!/usr/bin/env bash
# A temporary machine with systemd as its first process: its own mount, network, process, IPC, host name and cgroup namespaces,
# and an overlay over this machine's files that is discarded with it.
#   machine.sh up STATE            makes it, and lives and dies with it; writes the pid of its first process to STATE/pid
#   machine.sh exec STATE CMD...   runs CMD inside
#   machine.sh down STATE          takes away its cgroups
#   machine.sh try STATE           whether there can be one
set -euo pipefail
command=$1 state=$2
shift 2
# Read first, because it changes as we move between cgroups.
cgroups=$(cat /proc/self/cgroup)
name=snowgauge-systemd-${state##*/}
controllers='name=systemd memory pids'

# Our cgroup of that name in each hierarchy: those of cgroups v1, or the one of v2.
own_cgroups() {
  local _ controller path
  while IFS=: read -r _ controller path; do
    if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
      [ -n "$controller" ] || printf '%s\n' "/sys/fs/cgroup${path%/}/$name"
    elif [ -n "$controller" ] && [[ " $controllers " == *" $controller "* ]]; then
      printf '%s\n' "/sys/fs/cgroup/${controller#name=}${path%/}/$name"
    fi
  done <<<"$cgroups"
}

mount_cgroups() {
  local controller
  if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
    mount -t cgroup2 cgroup "$root/sys/fs/cgroup"
    return
  fi
  mount -t tmpfs -o mode=755 tmpfs "$root/sys/fs/cgroup"
  for controller in $controllers; do
    mkdir "$root/sys/fs/cgroup/${controller#name=}"
    case $controller in
    name=*) mount -t cgroup -o "none,$controller" cgroup "$root/sys/fs/cgroup/${controller#name=}" ;;
    *) mount -t cgroup -o "$controller" cgroup "$root/sys/fs/cgroup/$controller" ;;
    esac
  done
}

become_machine() {
  local first device root=$state/layer/root
  # The pid outside, while /proc is still the one outside.
  read -r first _ </proc/self/stat
  mount --make-rprivate /
  mkdir -p "$state/layer"
  mount -t tmpfs tmpfs "$state/layer"
  mkdir "$state"/layer/{up,work,root}
  mount -t overlay overlay -o "lowerdir=/,upperdir=$state/layer/up,workdir=$state/layer/work" "$root"
  mount -t proc proc "$root/proc"
  # Otherwise systemd would apply sysctls to the whole host.
  mount --bind -o ro "$root/proc/sys" "$root/proc/sys"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount_cgroups
  for folder in run dev; do mount -t tmpfs -o mode=755 tmpfs "$root/$folder"; done
  mount -t tmpfs tmpfs "$root/tmp"
  mkdir "$root"/dev/{pts,shm} "$root"/tmp/{given,layer}
  for device in null zero full random urandom tty; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  done
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
  ln -s pts/ptmx "$root/dev/ptmx"
  mount --bind "$state/given" "$root/tmp/given"
  # The files that differ from the host, kept in the overlay.
  mount --bind "$state/layer/up" "$root/tmp/layer"
  # Start none of the host's services; ours are added later.
  rm -rf "$root"/etc/systemd/system/* "$root/etc/snowgauge" "$root/usr/local/lib/node_modules/snowgauge"
  ip link set lo up
  echo "$first" >"$state/.pid"
  mv "$state/.pid" "$state/pid"
  # Not chroot, because user namespaces cannot be created in one.
  cd "$root"
  pivot_root . mnt
  umount -l /mnt
  # As container managers do for systemd; otherwise credentials are mounted where services cannot see them.
  mount --make-rshared /
  exec env -i container=sandbox PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin \
    /lib/systemd/systemd --unit=basic.target --log-target=null --show-status=0
}

case $command in
up)
  for cgroup in $(own_cgroups); do
    mkdir -p "$cgroup"
    echo $$ >"$cgroup/cgroup.procs"
  done
  exec unshare --mount --net --ipc --uts --pid --cgroup --fork --kill-child bash "$0" init "$state"
  ;;
init) become_machine ;;
exec)
  read -r first <"$state/pid"
  exec nsenter -t "$first" -m -n -i -u -p -C -- env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin HOME=/root "$@"
  ;;
try)
  # Checks that an overlay in new namespaces is possible, and a user namespace in it.
  trap 'rm -rf "$state"' EXIT
  unshare --mount --net --ipc --uts --pid --cgroup --fork bash -euc '
    mount -t tmpfs tmpfs "$0" && mkdir "$0"/{up,work,root}
    mount -t overlay overlay -o "lowerdir=/,upperdir=$0/up,workdir=$0/work" "$0/root"
    unshare --user true' "$state"
  ;;
down)
  for cgroup in $(own_cgroups); do
    [ ! -d "$cgroup" ] || find "$cgroup" -depth -type d -exec rmdir {} + 2>/dev/null || true
  done
  ;;
esac
