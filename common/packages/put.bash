#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs a program or a library without its debug information, which makes up three quarters of it.
#     common/packages/put.bash FILE TARGET [DEBUG]
# With DEBUG, it goes to the file .debug/NAME.debug beside TARGET, where debuggers and the simulator's reports find it.
set -eu
file=$1 target=$2 debug=${3-}
install -m 755 "$file" "$target"
case $file in
    *.a) chmod 644 "$target" && exec strip -g "$target" ;;
    *.so*) how=--strip-unneeded ;;
    *) how=--strip-all ;;
esac
strip "$how" "$target"
[ -n "$debug" ] || exit 0
apart=$(dirname "$target")/.debug/$(basename "$target").debug
mkdir -p "$(dirname "$apart")"
objcopy --only-keep-debug "$file" "$apart"
chmod 644 "$apart"
objcopy --add-gnu-debuglink="$apart" "$target"
