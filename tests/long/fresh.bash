#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a newcomer sees: the README's two commands, `make demo` and `make test`, in a minimal Debian or Ubuntu.
#     DIST=trixie tests/long/fresh.bash
# debootstrap makes a root of the release DIST (this machine's own by default) in a temporary folder, with nothing but
# what every system has, make, git, and ca-certificates if packages come by HTTPS. A clone of this repository's last
# commit goes to /srv/gridutils there, and both commands run in it. The table at the end has the time of each command,
# the processor time of the command and, apart, of apt-get, and the counts of the tests. Exits 1 if a command or a test
# failed, 2 if the root cannot be made.
#
# COMMANDS="demo"               runs only one of them
# COMMANDS="try-packages"       tries the packages that make deb wheel has put into build/packages
# CXX=clang++-19 PACKAGES="clang-19"    installs these packages first, and builds with this compiler
# MIRROR=URI                    takes packages from there, not from the archives that this machine's apt-get uses
# LOGS=FOLDER                   puts the commands' output there, not into build/fresh
# KEEP=1                        keeps the root and says where it is
#
# The new root is kept as build/fresh/DIST.tar, which saves debootstrap's time the next time. Everything else is inside
# namespaces of its own, so that no mount and no process outlives this script.
set -u

cd "$(dirname "$0")/../.." || exit
say() { printf 'tests/long/fresh.bash: %s\n' "$1" >&2; }
give_up() { say "$1" && exit 2; }

# ---- inside the namespaces, where $ROOT is the new root

# Only the devices that every container has.
mount_kernel() {
    mount -t proc proc "$ROOT/proc" && mkdir -p "$ROOT"/dev/{pts,shm} &&
        mount -t tmpfs -o mode=1777 tmpfs "$ROOT/dev/shm" &&
        mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$ROOT/dev/pts" &&
        rm -f "$ROOT/dev/ptmx" && ln -s pts/ptmx "$ROOT/dev/ptmx"
}

# inside COMMAND...: runs it in the root, with the variables of a new login and the proxies of this machine.
inside() {
    local name variables=()
    for name in http_proxy https_proxy ftp_proxy no_proxy; do
        [ -z "${!name-}" ] || variables+=("$name=${!name}")
    done
    chroot "$ROOT" /usr/bin/env -i HOME=/root USER=root SHELL=/bin/bash TERM="${TERM-dumb}" \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${variables[@]}" "$@"
}

# Where a machine's apt-get accepts an archive that is no longer updated, or goes through a proxy, so does the root's.
configure_apt() {
    cp /etc/resolv.conf /etc/hosts "$ROOT/etc" || return
    apt-config dump 2>/dev/null | grep -E '^Acquire::(https?::Proxy|Check-|Retries)' >"$ROOT/etc/apt/apt.conf.d/90machine"
    inside apt-get update >"$LOGS/update.log" 2>&1 && return
    if grep -q 'expired' "$LOGS/update.log"; then
        say "the archive's Release file has expired: apt-get is told not to mind"
        echo 'Acquire::Check-Valid-Until "false";' >>"$ROOT/etc/apt/apt.conf.d/90machine"
        inside apt-get update >"$LOGS/update.log" 2>&1 && return
    fi
    cat "$LOGS/update.log" >&2
    give_up "apt-get update fails in the new root"
}

# An apt-get ahead of the real one, that writes down what it takes.
time_apt() {
    cat >"$ROOT/usr/local/bin/apt-get" <<'WRAPPER'
#!/bin/bash
TIMEFORMAT='%R %U %S'
{ time /usr/bin/apt-get "$@" 2>&3; } 3>&2 2>>/srv/apt-get.seconds
WRAPPER
    chmod +x "$ROOT/usr/local/bin/apt-get"
}

# run_command NAME: make NAME, with its output here and in LOGS; a row of the table. Fails if make fails.
run_command() {
    local command=(make "$1") status=0 row
    [ -z "${CXX-}" ] || command+=("CXX=$CXX")
    : >"$ROOT/srv/apt-get.seconds"
    printf '\n---- %s\n' "${command[*]}"
    TIMEFORMAT='%R %U %S'
    { time inside bash -c 'cd /srv/gridutils && exec "$@"' bash "${command[@]}" 2>&1; } 2>"$LOGS/seconds" |
        tee "$LOGS/$1.log"
    status=${PIPESTATUS[0]}
    row=$(awk 'FILENAME == ARGV[1] { wall += $1; processor += $2 + $3; next }
               { printf "%.0f %.0f %.0f %.0f", $1, $2 + $3 - processor, wall, processor }' \
        "$ROOT/srv/apt-get.seconds" "$LOGS/seconds")
    rm "$LOGS/seconds"
    # shellcheck disable=SC2086  # four numbers
    printf '%-28s %7s %7d %12d %11d %11d  %s\n' "${command[*]}" $status $row \
        "$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$LOGS/$1.log" | tail -n 1)" >>"$LOGS/table"
    return "$status"
}

in_namespaces() {
    local failed=0 command
    umask 022
    if [ -f "$CACHE" ]; then
        tar --numeric-owner --xattrs -xpf "$CACHE" -C "$ROOT" || return
    else
        say "debootstrap makes $DIST from $MIRROR (its output: $LOGS/debootstrap.log)"
        # shellcheck disable=SC2086  # options
        debootstrap --variant=minbase $OPTIONS "$DIST" "$ROOT" "$MIRROR" >"$LOGS/debootstrap.log" 2>&1 ||
            { tail -n 3 "$LOGS/debootstrap.log" >&2; give_up "debootstrap failed: see $LOGS/debootstrap.log"; }
        inside apt-get clean
        rm -rf "$ROOT"/var/lib/apt/lists/*
        tar --numeric-owner --xattrs -cf "$CACHE.new" --exclude=./proc/* --exclude=./sys/* -C "$ROOT" . &&
            mv "$CACHE.new" "$CACHE" || return
    fi
    { mount_kernel && configure_apt; } || give_up "cannot prepare the new root"
    if [ "${PACKAGES-}" ]; then
        # shellcheck disable=SC2086  # several packages
        inside env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $PACKAGES \
            >"$LOGS/packages.log" 2>&1 ||
            { tail -n 3 "$LOGS/packages.log" >&2; give_up "apt-get does not install $PACKAGES: see $LOGS/packages.log"; }
    fi
    inside apt-get clean
    rm -rf "$ROOT"/var/lib/apt/lists/*
    time_apt
    git clone --quiet --no-hardlinks . "$ROOT/srv/gridutils" || give_up "cannot clone this repository"
    mkdir -p "$ROOT/srv/gridutils/build/packages"
    find build/packages -maxdepth 1 \( -name '*.deb' -o -name '*.whl' \) -exec cp -t "$ROOT/srv/gridutils/build/packages" {} + 2>/dev/null
    printf '%s\n' "$TITLE" >"$LOGS/table"
    printf '%-28s %7s %7s %12s %11s %11s\n' command status seconds CPU-seconds apt-get apt-get-CPU >>"$LOGS/table"
    for command in ${COMMANDS:-demo test}; do
        run_command "$command" || failed=1
    done
    printf '\n' && cat "$LOGS/table"
    return $failed
}

if [ "${INSIDE_NAMESPACES-}" ]; then
    in_namespaces
    exit
fi

# ---- outside: what is needed, from where, and a folder

[ "$(id -u)" -eq 0 ] || give_up "a root needs root's rights: type sudo make fresh"
for command in debootstrap unshare chroot git wget; do
    command -v "$command" >/dev/null || give_up "$command is missing: install it first"
done
[ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$PWD" ] || give_up "this tree is no git repository, so there is nothing to clone"
DIST=${DIST:-$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)}
[ -e "/usr/share/debootstrap/scripts/$DIST" ] || give_up "debootstrap does not know the release '$DIST'"

# Of the archives that apt-get uses here, the first that has this release.
release=$(mktemp)
# shellcheck disable=SC2016  # apt's own variable
archives=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | uniq)
for uri in ${MIRROR:-$archives}; do
    if wget -q -O "$release" "${uri%/}/dists/$DIST/Release"; then found=$uri && break; fi
done
components=main
if grep -q '^Components:.* universe' "$release"; then components=main,universe; fi
rm "$release"
[ "${found-}" ] || give_up "none of the archives that apt-get uses here has $DIST: name one with MIRROR=URI"
programs=make,git
case $found in https:*) programs+=,ca-certificates ;; esac

LOGS=$(mkdir -p "${LOGS:=build/fresh/$DIST}" build/fresh && cd "$LOGS" && pwd) || exit
CACHE=$PWD/build/fresh/$DIST.tar
MIRROR=$found OPTIONS="--include=$programs --components=$components"
ROOT=$(mktemp -d) || exit
child=
# shellcheck disable=SC2317  # the trap calls it
# (--one-file-system: should a mount ever be visible here, it is not emptied.)
clean() {
    # (unshare ignores milder signals. Its child ends with it, and so does everything in the namespaces.)
    if [ "$child" ]; then kill -KILL "$child" && wait "$child"; fi 2>/dev/null
    if [ "${KEEP-}" ]; then say "the root is $ROOT: chroot $ROOT"; else rm -rf --one-file-system "$ROOT"; fi
}
trap clean EXIT
trap 'exit 130' INT TERM
chmod 755 "$ROOT"

revision=$(git rev-parse --short HEAD)
[ -z "$(git status --porcelain)" ] || say "uncommitted changes are left out: $revision is what runs"
TITLE="$revision on $DIST, $(uname -m), $(nproc) processors, $(date -u +%F)"
export DIST MIRROR OPTIONS LOGS CACHE ROOT TITLE
INSIDE_NAMESPACES=1 unshare --mount --propagation private --pid --fork --kill-child bash "tests/long/fresh.bash" &
child=$!
wait "$child"
status=$?
child=
exit "$status"
