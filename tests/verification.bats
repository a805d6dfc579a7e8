#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Tests that "verify: pass" means something: the verification itself works, and notices kernels known to be wrong.

# Alone on a GPU: durations of kernels are compared with known ones.

load helpers

@test "the comparison, the statistics and the generated inputs keep their promises" {
    unit_program units/verify
    holds ./verify
}

@test "every kind of wrong kernel is detected, and a right one among them passes" {
    capture simcc -std=c++17 -O1 -I "$root" -DBACKEND=sim "$root/tests/units/wrong.cu" "$root/build/sim/cuda-unit.o" \
        "$root/build/libgridutils.a" -lfmt -lz -o wrong
    expect_status 0
    capture ./wrong -d sim --csv
    expect_status 1
    [ "$(column kernel) $(column verify)" = "right pass" ]
    [ "$(wc -l <stderr)" -eq 5 ]
    local kernel
    for kernel in writes-nothing forgets-last slightly-off writes-nan reads-neighbor; do
        expect_errors_like "wrong: $kernel: wrong result for n = 1000, f32: element [0-9]+: got "
    done
    expect_errors_like "forgets-last: .*: element 999: "
    expect_errors_like "writes-nan: .*: element 500: got -?nan, "
    capture ./wrong -d sim --profile
    expect_status 1
    capture ./wrong -d sim --versus forgets-last --csv
    expect_status 1
    [ "$(column kernel) $(column versus_ratio)" = "right " ]
    capture ./wrong -d sim --no-verify --csv
    expect_status 0
    [ "$(column verify | uniq -c | tr -d ' ')" = 6skipped ]
}

@test "results do not depend on the simulator's number of threads" {
    local threads
    for threads in 1 2 7; do
        SIMCC_THREADS=$threads expect_fine reduce -d sim -n 1,1000,10000 -w 0 -r 1 --csv
        [ "$(column verify | sort -u)" = pass ]
        SIMCC_THREADS=$threads expect_fine vecadd -d sim -n 1,1000,10000 -w 0 -r 1 --csv
        [ "$(column verify | sort -u)" = pass ]
    done
}

@test "kernels of known duration are timed correctly" {
    if on_simulator; then skip "the simulator's times are not a GPU's"; fi
    [ -x "$root/bin/timing-test" ] || skip "bin/timing-test is not built; make test-gpu builds it"
    try timing-test --csv
    expect_status 0
    expect_no_errors
    [ "$(column kernel | sort -u | paste -sd ' ')" = "spin-cycles spin-nanoseconds" ]
}
