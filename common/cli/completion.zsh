#compdef @NAME@
# SPDX-License-Identifier: MIT
# Zsh completion for @NAME@, which knows its own options, their words and the names that it accepts.
_@NAME@() {
    local line
    local -a candidates shown
    while IFS= read -r line; do
        candidates+=("${line%%$'\t'*}")
        shown+=("${line/$'\t'/  -- }")
    done < <(@NAME@ --complete "${(@)words[2,CURRENT]}" 2>/dev/null)
    if (( $#candidates )); then
        compadd -l -d shown -a candidates
    else
        _files
    fi
}

_@NAME@ "$@"
