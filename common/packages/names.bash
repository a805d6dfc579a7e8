#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What programs are called when they are installed: names.bash FOLDER NAME... prints lines "NAME INSTALLED".
#
# PROGRAM_PREFIX comes before all names. A name that is taken, by a file in FOLDER or by a program in PATH that is not
# ours, becomes gridutils-NAME, which the program `gridutils` finds. (PATH counts only if FOLDER is on this machine,
# that is, if DESTDIR is empty.) RENAMED lists programs that become gridutils-NAME in any case: packages are built
# before anybody knows what else will be installed beside them.
set -eu
folder=$1
shift

# Our programs name the folder of their libraries.
is_ours() { grep -q -a -F gridutils "$1"; }

is_taken() {
    local other=$folder/$1
    if [ ! -e "$other" ] && [ -z "${DESTDIR-}" ]; then other=$(type -P "$1" || true); fi
    [ -n "$other" ] && [ -e "$other" ] && ! is_ours "$other"
}

for name; do
    installed=${PROGRAM_PREFIX-}$name
    if [[ " ${RENAMED-} " == *" $name "* ]]; then
        installed=gridutils-$name
    elif is_taken "$installed"; then
        echo "make: another program is called $installed: ours becomes gridutils-$name" >&2
        installed=gridutils-$name
    fi
    echo "$name $installed"
done
