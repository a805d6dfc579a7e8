#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the examples of manual pages, with the programs that PATH has:
#     common/packages/examples.bash PAGE...            pages may be compressed
#     common/packages/examples.bash --installed DIR PREFIX    make installcheck: all our pages below DIR, with the programs in DIR/bin
# An example is a command in a literal block, after "$ "; lines with "> " continue it. Those of a page run in order, in a
# scratch folder. Each must exit 0 and print what the page shows, unless a comment '.\" varies' before the block says that
# figures differ. The pages name no device: they mean the simulator, or with GRIDUTILS_DEVICE=gpu one GPU.
set -u
export LC_ALL=C
if [ "${GRIDUTILS_DEVICE:-sim}" = sim ]; then export CUDA_VISIBLE_DEVICES=; else export CUDA_VISIBLE_DEVICES="${CUDA_VISIBLE_DEVICES-0}"; fi
unset COLUMNS

# Makes the files N.command and, where the output is known, N.output of the page on standard input.
extract() {
    # shellcheck disable=SC2016  # Perl's variables
    perl -ne '
        if (/^\.\\" varies/) { $varies = 1 }
        elsif (/^\.Bd -literal/) { $inside = 1 }
        elsif (/^\.Ed/) { $inside = $varies = 0 }
        elsif ($inside) {
            s/\\e/\\/g; s/\\&//g; s/\\-/-/g; s/\\\(aq/\x27/g;
            if (s/^\$ //) { $name = sprintf "%03d", ++$count; open COMMAND, ">", "$name.command"; print COMMAND; open OUTPUT, ">", "$name.output" unless $varies }
            elsif (s/^> //) { print COMMAND }
            elsif (!$varies) { print OUTPUT }
        }'
}

# What an example needs besides ours and is not installed, by its messages; "" if it did not fail for that.
missing_program() {
    sed -n -E -e 's/.*: ([^ :]+): command not found$/\1/p' -e 's/.*cannot run ([^:]+): No such file.*/\1/p' \
        -e 's/.*: cannot start (simcc), .*/\1/p' -e 's/.*: (simcc) is missing: .*/\1/p' "$1" | head -n 1
}

# The page's examples, in a folder of its own. Counts in $passed, $failed, $left_out.
run_page() {
    local page=$1 name status needed of_page=0 command
    work=$scratch/${page##*/}
    mkdir "$work" && cd "$work" || exit
    if [[ $page = *.gz ]]; then gzip -d -c "$page"; else cat "$page"; fi | extract
    for command in *.command; do
        [ -e "$command" ] || continue
        name=${command%.command} status=0
        bash -o pipefail "$command" >"$name.actual" 2>"$name.errors" </dev/null || status=$?
        if [ "$status" -eq 0 ] && { [ ! -f "$name.output" ] || diff "$name.output" "$name.actual" >"$name.diff"; }; then
            passed=$((passed + 1)) of_page=$((of_page + 1))
            continue
        fi
        needed=$(missing_program "$name.errors")
        if [ -n "$needed" ]; then
            left_out=$((left_out + 1)) missing+=" $needed"
        else
            failed=$((failed + 1))
            printf 'example of %s, exit status %s:\n' "${page##*/}" "$status"
            cat "$command" "$name.errors" "$name.diff" 2>/dev/null
        fi
    done >&2
    [ "$of_page" -eq 0 ] || echo "${page##*/}: $of_page"
}

installed=
if [ "${1-}" = --installed ]; then
    installed=$2
    PATH=$(cd "$installed/bin" && pwd):$PATH
    mapfile -t pages < <(find "$(cd "$installed/share/man" && pwd)" -type f \( -name '*.[17]' -o -name '*.[17].gz' \) -exec zgrep -l '^\.Xr gridutils 7' {} + | sort)
    set -- "${pages[@]}"
fi
scratch=$(mktemp -d)
trap 'cd / && rm -rf "$scratch"' EXIT
passed=0 failed=0 left_out=0 missing=
mapfile -t pages < <(realpath "$@")
for page in "${pages[@]}"; do run_page "$page"; done
if [ -n "$installed" ]; then
    [ "$left_out" -eq 0 ] || echo "not installed, but used in examples:$(tr ' ' '\n' <<<"$missing" | sort -u | tr '\n' ' ')"
    echo "$# pages: $passed examples passed, $failed failed, $left_out left out"
elif [ "$left_out" -gt 0 ]; then
    echo "examples need$missing" >&2 && exit 1
fi
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
