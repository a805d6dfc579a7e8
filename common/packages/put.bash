#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs a program or a library without its debug information, which makes up three quarters of it.
#     common/packages/put.bash FILE TARGET [DEBUG]
# With DEBUG, it goes to the file .debug/NAME.debug beside TARGET, where debuggers and the simulator's reports find it.
set -eu
file=$1 target=$2 debug=${3-}
install -m 755 "$file" "$target"
# What the checkers, where a program has them, look for in its symbol table: its variables, whose bounds they know from there, and the
# functions that have some of their own, such as kernels with __shared__ arrays.
checked_symbols() {
    nm -f posix "$1" | awk '
        $2 ~ /^[tTwW]$/ { functions[$1] }
        $2 ~ /^[bBdDvVu]$/ && $1 !~ /^_ZT|^_ZGV/ { print $1; if ($1 ~ /^_ZZ/) variables[$1] }
        END {
            for (name in variables) {
                for (i = 4; i <= length(name); ++i) {
                    if (substr(name, i, 1) != "E") continue
                    candidate = substr(name, 4, i - 4)
                    if (("_Z" candidate) in functions) print "_Z" candidate
                    if (sub(/^[0-9]+/, "", candidate) && (candidate in functions)) print candidate
                }
            }
        }'
}
case $file in
    *.a) chmod 644 "$target" && exec strip -g "$target" ;;
    *.so*) strip --strip-unneeded "$target" ;;
    *)
        if nm "$file" | grep -q -w _ZN7checked7backendEv; then
            checked_symbols "$file" >"$target.symbols"
            objcopy --strip-all --keep-symbols="$target.symbols" "$target"
            rm "$target.symbols"
        else
            strip "$target"
        fi
        ;;
esac
[ -n "$debug" ] || exit 0
apart=$(dirname "$target")/.debug/$(basename "$target").debug
mkdir -p "$(dirname "$apart")"
objcopy --only-keep-debug "$file" "$apart"
chmod 644 "$apart"
objcopy --add-gnu-debuglink="$apart" "$target"
