# SPDX-License-Identifier: MIT
# Bash completion for @NAME@, which knows its own options, their words and the names that it accepts.
_@NAME@_complete() {
    mapfile -t COMPREPLY < <(@NAME@ --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1)
}

complete -o default -F _@NAME@_complete @NAME@
