#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Small expressions over all operators, types and intrinsics give the same bits as on a GPU. EVERY=1 runs all ten
# thousand of them, which takes minutes; the default is one in 17.
# shellcheck disable=SC2154  # helpers.bash sets $root and $device

# Takes long: run.bash begins with it.

load helpers

# Every expression, $1 in all, gives the same result or differs as documented.
all_the_same() {
    expect_status 0 && expect_no_errors && expect_output_like "^$1 expressions: .*, 0 different\$"
}

@test "expressions give the results of a GPU" {
    local every=${EVERY:-17}
    if on_simulator; then
        capture "$root/tests/expressions/compare.bash" sim "$every" -- -O2
    else
        need nvcc
        capture "$root/tests/expressions/compare.bash" gpu "$every"
    fi
    all_the_same $(((10000 + every - 1) / every))
}

@test "expressions mean the same without optimization, fully optimized and in the checked simulator" {
    on_simulator || skip "there is one build for a GPU"
    local flags first=5
    for flags in -O0 -O3 -G; do
        SIMCC_CHECK=none capture "$root/tests/expressions/compare.bash" sim 100 $((first += 20)) -- "$flags"
        all_the_same 100 || complain "built with $flags" || return
    done
}

@test "a wrong answer is found" {
    on_simulator || skip "the simulator is enough"
    cp -r "$root/tests/expressions" .
    sed -i '2s/^......../00000000/' expressions/gpu.txt
    capture bash expressions/compare.bash sim 10000 -- -O1
    expect_status 1
    expect_output_like "expression 0: .*a \+ b"
    expect_output_like "1 expressions: .*, 1 different"
}
