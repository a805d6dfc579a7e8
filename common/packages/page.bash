#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Prints a manual page as it is installed, with programs under the names that they have there:
#     page.bash PAGE <NAMES    NAMES are lines "NAME INSTALLED", as names.bash prints them
#
# Names of programs are English words, too, so only these are replaced: in .Nm, .Xr and the page's own title, and in
# commands and messages of literal text. A command is a name where a shell expects one, or a name with an option.
set -eu
page=$1
names=$(awk '$1 != $2')

rules() {
    local name installed
    while read -r name installed; do
        # The suite has the name of its program gridutils, and keeps it.
        [ "$name" = gridutils ] && [[ $page != *.1 ]] ||
            printf '%s\n' "/^\\.Nm /{:$name;s/ $name( |\$)/ @\\1/;t$name;s/ @/ $installed/g}"
        printf '%s\n' "s/^\\.Dt ${name^^} 1/.Dt ${installed^^} 1/" "s/(^|[ .])Xr $name 1/\\1Xr $installed 1/" \
            "/^\\.Bd -literal/,/^\\.Ed/{
                s/(^[\$>] *|[|;&(] *|^[\$>].*[A-Z]=([^ ]* )?)$name( |\\)|\$)/\\1$installed\\3/g
                s/(^| )$name -/\\1$installed -/g
                s/^$name: /$installed: /
            }" \
            "/^\\.[DQ]l /{s/(^\\.[DQ]l (\\\$ )?|[|;&(] *)$name /\\1$installed /g;s/ $name -/ $installed -/g}"
    done <<<"$names"
    # The arguments of gridutils are the plain names.
    while read -r name installed; do printf '%s\n' "s/gridutils $installed /gridutils $name /g"; done <<<"$names"
}

if [ -n "$names" ]; then sed -E -f <(rules) "$page"; else cat "$page"; fi
