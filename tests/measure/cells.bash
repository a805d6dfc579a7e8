# SPDX-License-Identifier: MIT
# Functions for all measurement scripts, which source this file.
# shellcheck shell=bash

# cells NAME...: these columns of a CSV table on standard input, without the header.
cells() {
    awk -F , -v names="$*" 'NR == 1 { n = split(names, name, " "); for (i = 1; i <= NF; ++i) at[$i] = i; next }
        { for (i = 1; i <= n; ++i) printf "%s%s", $at[name[i]], (i < n ? " " : "\n") }'
}

# aligned: lines of words on standard input, as columns of a table.
aligned() {
    awk '{ fields[NR] = NF
           for (i = 1; i <= NF; ++i) { word[NR, i] = $i; if (length($i) > width[i]) width[i] = length($i) } }
        END { for (row = 1; row <= NR; ++row) {
            for (i = 1; i < fields[row]; ++i) printf "%-" width[i] "s  ", word[row, i]
            print word[row, fields[row]] } }'
}
