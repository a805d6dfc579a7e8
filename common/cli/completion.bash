# Bash completion of @NAME@, which knows its options, their words and the names that it takes.
_@NAME@_complete() {
    mapfile -t COMPREPLY < <(@NAME@ --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1)
}

complete -o default -F _@NAME@_complete @NAME@
