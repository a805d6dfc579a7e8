# Bash completion of @NAME@, all of it from --help: options, the words of an option that knows a few ("a, b or c: ..."), and for
# an argument named VARIANT or VARIANTS what --list shows.

# The argument of an option and what --help says of it: "LIST  a, b or c: ...".
_@NAME@_help_of() {
    @NAME@ --help | awk -v option="$1" '{
        sub(/^ +/, "")
        split($0, words, /[ ,[=]+/)
        if (words[1] != option && words[2] != option) next
        sub(/^(-[A-Za-z], )?(--[a-z-]+)?[[ =]*/, "")
        print
        exit
    }'
}

_@NAME@_complete() {
    local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} choices='' before='' help=''
    # Bash splits --option=word into three words.
    if [[ $current == = ]]; then
        current=
    elif [[ $option == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi

    if [[ $current == -* ]]; then
        choices=$(@NAME@ --help | grep -o -E -e '(^|, ) *--?[A-Za-z][a-z0-9-]*' | tr -d ', ')
    elif [[ $option =~ ^--?[A-Za-z-]+$ ]]; then
        help=$(_@NAME@_help_of "$option")
        case $help in
            VARIANT*) choices=$(@NAME@ --list --csv --no-header 2>/dev/null | cut -d , -f 1) ;;
            # What is no word, such as N or UUID, is left out.
            [A-Z0-9]*)
                choices=$(sed -n -E 's/^[^ ]+ +//; s/(: |; | \[).*//; / or /!d; s/,? or /, /g; s/, /\n/g; s/:SEED/:/g; p' <<<"$help" |
                    grep -x -E '[a-z0-9][a-z0-9:-]*')
                ;;
        esac
    fi
    # The last of several names in a list.
    if [[ $current == *,* ]]; then
        before=${current%,*},
        current=${current##*,}
    fi
    mapfile -t COMPREPLY < <(compgen -W "${choices//,/ }" -P "$before" -- "$current")
}

complete -o default -F _@NAME@_complete @NAME@
