# Functions for all measurement scripts, which source this file.
# shellcheck shell=bash

# cells NAME...: these columns of a CSV table on standard input, without the header.
cells() {
    awk -F , -v names="$*" 'NR == 1 { n = split(names, name, " "); for (i = 1; i <= NF; ++i) at[$i] = i; next }
        { for (i = 1; i <= n; ++i) printf "%s%s", $at[name[i]], (i < n ? " " : "\n") }'
}
