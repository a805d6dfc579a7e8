#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Conversions that no cast shows. The text beside the program is what a GPU must print, too.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

# Needs no GPU

load helpers

PATH=${BIN:-$root/bin}:$PATH

@test "a number out of range saturates wherever device code converts it to an integer without a cast, in every build" {
    local flags
    for flags in -O0 -O3 "-O1 -std=c++20 -lanes stacks" -G; do
        # shellcheck disable=SC2086  # several options
        capture simcc $flags "$root/tests/simcc/implicit_conversions.cu" -o converted
        expect_status 0 && expect_no_errors || return
        capture ./converted
        expect_status 0 || return
        diff "$root/tests/simcc/implicit_conversions.txt" <(grep -v === <<<"$output") || complain "built with $flags" || return
    done
}
