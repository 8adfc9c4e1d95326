#!/usr/bin/env bash
# Proves the README on a bare machine: a minimal Debian 12 with git, make and sudo only, a fresh clone of HEAD, and the two
# commands; first as root, then, in another fresh machine, as a new user with sudo.
#
#   tools/fresh_machine.sh [COMMAND]      default: make run && make test
#
# Needs root. The machine is a folder below ${TMPDIR:-/tmp} that gets this machine's package sources and proxy, and is
# removed at the end (KEEP=1 keeps it).
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
command=${1:-make run && make test}
suite=bookworm

say() { printf '\nfresh: %s\n' "$*"; }
if [ "$(id -u)" -ne 0 ]; then
  echo "fresh: needs root: debootstrap and chroot" >&2
  exit 1
fi
git -C "$repository" rev-parse --verify -q HEAD >/dev/null || { echo "fresh: nothing is committed yet" >&2; exit 1; }
if ! command -v debootstrap >/dev/null; then
  say "installing debootstrap"
  apt-get -qq update
  apt-get -qq install -y --no-install-recommends debootstrap >/dev/null
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/tactor-fresh.XXXXXX")
clean_up() {
  if [ -n "${KEEP:-}" ]; then say "kept $work"; else rm -rf --one-file-system "$work"; fi
}
trap clean_up EXIT

# The mirror this machine uses for the suite.
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
  sed -n "s/ $suite\$//p" | head -n 1)
if [ -z "$mirror" ]; then
  echo "fresh: this machine's package sources have no $suite" >&2
  exit 1
fi

say "debootstrap: a minimal $suite with git, make, sudo, ca-certificates"
base=$work/base
debootstrap --variant=minbase --include=git,make,sudo,ca-certificates $suite "$base" "$mirror" >"$work/debootstrap.log" ||
  { tail -n 20 "$work/debootstrap.log"; exit 1; }

# Package sources with their keys, settings of the transfer, proxy, certificates, name resolution: copied from this machine.
rm -f "$base/etc/apt/sources.list"
(
  shopt -s nullglob
  cd /
  cp -a --parents etc/apt/sources.list etc/apt/sources.list.d/*.{list,sources} etc/apt/auth.conf.d/* etc/apt/keyrings/* \
    etc/apt/trusted.gpg.d/* usr/share/keyrings/* usr/local/share/ca-certificates/* "$base" 2>/dev/null || true
  for file in etc/apt/apt.conf.d/*; do
    if grep -q 'Acquire::' "$file"; then cp -a --parents "$file" "$base"; fi
  done
)
cp -L /etc/resolv.conf "$base/etc/resolv.conf"
echo "127.0.0.1 localhost $(uname -n)" >"$base/etc/hosts"
settings=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "TERM=${TERM:-dumb}")
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
  if [ -n "${!name:-}" ]; then settings+=("$name=${!name}"); fi
done
if [ -n "${http_proxy:-}" ]; then echo "Acquire::http::Proxy \"$http_proxy\";" >"$base/etc/apt/apt.conf.d/90proxy"; fi
chroot "$base" /usr/sbin/update-ca-certificates >/dev/null 2>&1 || true

# in_machine ROOT USER COMMAND: mounts are in a namespace of their own and end with the command.
in_machine() {
  unshare --mount --pid --fork bash -euc '
    root=$1 user=$2 command=$3
    shift 3
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -t sysfs -o ro sysfs "$root/sys"
    home=$(chroot "$root" getent passwd "$user" | cut -d: -f6)
    exec chroot "$root" setpriv --reuid "$user" --regid "$user" --init-groups \
      env -i "$@" HOME="$home" USER="$user" bash -euc "cd ~/tactor; $command"
  ' in_machine "$@" "${settings[@]}"
}

visit() {
  local user=$1 machine=$work/$1 start=$SECONDS home=/root
  cp -a "$base" "$machine"
  if [ "$user" != root ]; then
    home=/home/$user
    chroot "$machine" useradd --create-home --shell /bin/bash "$user"
    echo "$user ALL=(ALL) NOPASSWD: ALL" >"$machine/etc/sudoers.d/$user"
  fi
  git clone -q --no-local "$repository" "$machine$home/tactor"
  chroot "$machine" chown -R "$user:$user" "$home/tactor"
  say "as $user, $(git -C "$repository" rev-parse --short HEAD): $command"
  in_machine "$machine" "$user" "$command"
  say "as $user: done in $(((SECONDS - start) / 60)) min $(((SECONDS - start) % 60)) s"
  if [ -z "${KEEP:-}" ]; then rm -rf --one-file-system "$machine"; fi
}

visit root
visit newcomer
say "both passed"
