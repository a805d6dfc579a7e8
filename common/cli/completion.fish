# SPDX-License-Identifier: MIT
# Fish completion for @NAME@, which knows its own options, their words and the names that it accepts.
function __@NAME@_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l candidates (@NAME@ --complete $words[2..-1] 2>/dev/null)
    if set -q candidates[1]
        string join \n -- $candidates
    else
        __fish_complete_path (commandline -ct)
    end
end

complete -c @NAME@ -f -a '(__@NAME@_complete)'
