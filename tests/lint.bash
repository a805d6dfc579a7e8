#!/usr/bin/env bash
# What can be seen without a build: tests/lint.bash SOURCE... Prints what is wrong; exits 1 if anything is.
# shellcheck disable=SC2317  # part calls the functions
set -u
cd "$(dirname "$0")/.." || exit

status=0
# part TITLE COMMAND...: prints nothing if the command is content.
part() {
    local title=$1 output
    shift
    if ! output=$("$@" 2>&1); then
        printf -- '---- %s\n%s\n' "$title" "$output"
        status=1
    fi
}

# Of the files that are not in clang-format's form, their names alone: `make format` mends them.
format() {
    local file wrong=0
    for file; do
        clang-format "$file" | cmp -s - "$file" || { echo "$file" && wrong=1; }
    done
    return "$wrong"
}

no_include_goes_up() {
    local up
    up=$(tests/rooms.bash --up)
    [ -z "$up" ] || { echo "$up" && return 1; }
}

# So that a source that compiles shows that its header does, too.
own_header_is_first() {
    local source header wrong=0
    while read -r source; do
        header=${source%.cpp}.hpp
        [ ! -e "$header" ] || [ "$(grep -m1 '^#include' "$source")" = "#include \"$header\"" ] || { echo "$source" && wrong=1; }
    done < <(find common kernels tools -name '*.cpp')
    return "$wrong"
}

# awk takes `print a > b` for a redirection to the file b, whatever follows.
no_comparison_is_printed() { ! grep -nE "printf? [^(|]*[a-z_0-9\"] >=? [^|;]*\?" tests/*.bash tests/*.bats tests/*/*.bash; }

part "the form of sources: make format" format "$@"
part "scripts" shellcheck -s bash tests/*.bash tests/*/*.bash .ci/run
part "pages" mandoc -T lint -W warning man/*.[17]
part "awk: comparisons within print need parentheses" no_comparison_is_printed
part "headers: these sources do not include their own header first" own_header_is_first
part "rooms: these includes go up (tests/rooms.bash)" no_include_goes_up
exit $status
