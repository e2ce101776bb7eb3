#!/usr/bin/env bash
# A throw-away machine whose first process is systemd: mount, network, process, IPC, host name and cgroup namespaces of its own, and over this
# machine's files a layer that is gone with it.
#   machine.sh up STATE            makes it, and lives and dies with it; writes the pid of its first process to STATE/pid
#   machine.sh exec STATE CMD...   runs CMD inside
#   machine.sh down STATE          takes away its cgroups
#   machine.sh try STATE           whether there can be one
set -euo pipefail
command=$1 state=$2
shift 2
# Read at once: it changes as we move between cgroups.
cgroups=$(cat /proc/self/cgroup)
name=snowgauge-systemd-${state##*/}
controllers='name=systemd memory pids'

# Our cgroup of that name in each hierarchy: those of version 1, or the one of version 2.
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
  # The pid outside, as long as /proc is still that of outside.
  read -r first _ </proc/self/stat
  mount --make-rprivate /
  mkdir -p "$state/layer"
  mount -t tmpfs tmpfs "$state/layer"
  mkdir "$state"/layer/{up,work,root}
  mount -t overlay overlay -o "lowerdir=/,upperdir=$state/layer/up,workdir=$state/layer/work" "$root"
  mount -t proc proc "$root/proc"
  # Else it would set what is set for all of this machine.
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
  # What differs from this machine's files.
  mount --bind "$state/layer/up" "$root/tmp/layer"
  # Of this machine's own services none is started, and none of ours is there yet.
  rm -rf "$root"/etc/systemd/system/* "$root/etc/snowgauge" "$root/usr/local/lib/node_modules/snowgauge"
  ip link set lo up
  echo "$first" >"$state/.pid"
  mv "$state/.pid" "$state/pid"
  # Not chroot: in one no namespace of users may be made.
  cd "$root"
  pivot_root . mnt
  umount -l /mnt
  # As whoever starts a container for systemd must: else credentials are mounted where no service sees them.
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
  # An overlay in namespaces of its own, and one of users in it.
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
