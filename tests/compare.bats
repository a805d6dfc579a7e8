#!/usr/bin/env bats
# compare: whether tables of timings differ, by how much, and what that means.
# shellcheck disable=SC2154  # helpers.bash sets $root and $output

load helpers

@test "compare: p is that of scipy, no change gives false alarms in at most 5 %, and 3 % are found with 30 samples" {
    capture "${CXX:-g++}" -std=c++20 -O1 -I "$root" "$root/tests/units/compare.cpp" "$root/build/libgridutils.a" \
        -Wl,--gc-sections -lfmt -lz -lpthread -o compare
    expect_status 0
    capture ./compare
    expect_status 0
    [[ $output == *$'\n0 wrong' ]] || complain "what is wrong"
}
