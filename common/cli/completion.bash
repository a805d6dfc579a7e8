# Bash completion of @NAME@: options from its help, variants from its list, and words where the help says "a, b or c".

_@NAME@_complete() {
    local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} choices='' before=''
    # Bash splits --option=word into three words.
    if [[ $current == = ]]; then
        current=
    elif [[ $option == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi

    case $option in
        -k | --kernel | --versus) choices=$(@NAME@ --list --csv --no-header 2>/dev/null | cut -d , -f 1) ;;
        -d | --device) choices='auto gpu all sim' ;;
        -t | --dtype) choices=$(@NAME@ --help | sed -n 's/.*--dtype .*\[\(.*\)\]$/\1/p' | tr , ' ') ;;
        --check) choices='memcheck racecheck initcheck synccheck leakcheck unusedcheck all' ;;
        --schedule) choices='independent lockstep random:' ;;
        --cache) choices='cold warm' ;;
        --input-format) choices='text npy raw:f32 raw:f64 raw:i32 raw:i64 raw:f16' ;;
        *)
            if [[ $current == -* ]]; then
                choices=$(@NAME@ --help | grep -o -E -e '(^|, ) *--?[A-Za-z][a-z0-9-]*' | tr -d ', ')
            elif [[ $option =~ ^--?[a-z-]+$ ]]; then
                choices=$(@NAME@ --help | sed -n -E "s/^ .*$option(, --[a-z-]+)? [A-Z]+ +(([a-z-]+, )*[a-z-]+) or ([a-z-]+).*/\2 \4/p")
            fi
            ;;
    esac
    # The last of several names in a list.
    if [[ $current == *,* ]]; then
        before=${current%,*},
        current=${current##*,}
    fi
    mapfile -t COMPREPLY < <(compgen -W "${choices//,/ }" -P "$before" -- "$current")
}

complete -o default -F _@NAME@_complete @NAME@
