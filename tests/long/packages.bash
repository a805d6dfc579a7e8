#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tries the packages that `make deb wheel` has made, as a user of a fresh machine would:
#     tests/long/packages.bash FOLDER
# FOLDER has the packages. Run it as root in a new Debian system that may be spoiled, such as a container or the root that
# tests/long/fresh.bash makes (COMMANDS=try-packages make fresh), since it installs and removes packages there. It prints how long the first result takes, runs the pages'
# examples with the installed programs, and checks that names are shared with ImageMagick and plotutils and that removal
# leaves nothing. Exits 1 if anything was wrong.
# shellcheck disable=SC2317  # timed calls functions
set -u
folder=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")/../.." && pwd)
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
wrong() { echo "WRONG: $*" && failed=1; }

quietly() { "$@" >"$log" 2>&1 || { wrong "$*" && tail -n 5 "$log"; }; }
apt() { quietly apt-get -q -y --no-install-recommends "$@"; }
# timed WHAT COMMAND...: prints the seconds; more than 30 are too many.
timed() {
    local what=$1 begin=$EPOCHREALTIME seconds
    shift
    "$@"
    seconds=$(awk -v from="$begin" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f", to - from }')
    echo "$what: $seconds s"
    awk -v seconds="$seconds" 'BEGIN { exit !(seconds < 30) }' || wrong "$what takes more than 30 seconds"
}
# The files of a folder, without what the package manager keeps for itself.
files_of() { find "$1" -xdev \( -name __pycache__ -o -name '*.cache' -o -name 'cache' \) -prune -o ! -type d -print | sort; }
first_result() { "$1" -q -d sim -n 64Ki -k tagged --csv 2>&1 | grep -q ',pass,' || wrong "$1 has no result"; }
# target NAME: what /usr/bin/NAME is in the end, and whether it is ours.
is_ours() { [ "$(readlink -f "/usr/bin/$1")" = "/usr/bin/gridutils-$1" ]; }

apt update

echo "---- gridutils_*.deb"
files_of /usr >before
files_of /etc >>before
from_deb() { apt install "$folder"/gridutils_*.deb && first_result reduce; }
timed "apt install and the first result" from_deb
echo "installed: $(dpkg-query -W -f '${Installed-Size}' gridutils) KiB"
{ is_ours compare && is_ours plot; } || wrong "no plain names"
apt purge gridutils
{ files_of /usr && files_of /etc; } | diff before - | grep '^[<>]' && wrong "removal leaves or takes these"
rm before

echo "---- names of others"
apt install plotutils imagemagick-7.q16
apt install "$folder"/gridutils_*.deb
is_ours compare && wrong "compare was ImageMagick's"
is_ours plot && wrong "plot was plotutils'"
[ "$(echo 'n,x
1,2' | gridutils plot 2>&1 | wc -l)" -gt 2 ] || wrong "gridutils plot does not run ours"
apt purge gridutils
compare -version | grep -q ImageMagick || wrong "ImageMagick has lost its name"
apt install "$folder"/gridutils_*.deb
apt purge plotutils imagemagick-7.q16
is_ours compare || wrong "compare does not become ours when ImageMagick goes"

echo "---- gridutils-simcc_*.deb, and the examples of the pages"
apt install "$folder"/gridutils-simcc_*.deb make
apt install miller datamash jq sqlite3
bash "$here/common/packages/examples.bash" --installed /usr || wrong "examples"
apt purge gridutils gridutils-simcc
find /usr /etc /var/lib -xdev -name '*gridutils*' | grep . && wrong "left behind"

echo "---- the wheel, in a venv"
apt install python3-venv
quietly python3 -m venv venv
files_of venv >before
from_wheel() { quietly venv/bin/pip install --no-index "$folder"/gridutils-*.whl && first_result venv/bin/reduce; }
timed "pip install and the first result" from_wheel
bash "$here/common/packages/examples.bash" --installed venv || wrong "examples"
quietly venv/bin/pip uninstall -y gridutils
files_of venv | diff before - | grep '^[<>]' && wrong "removal leaves these"
rm -rf before venv
exit $failed
