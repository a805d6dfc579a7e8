#!/usr/bin/env bats
# --check: every program on the checked simulator, whatever device the other tests run on.

load helpers

@test "words that --check and its relatives do not know are refused" {
    refuses 2 "unknown check 'everything'; choose among memcheck" reduce --check=everything
    refuses 2 "unknown schedule 'sideways'; choose independent" vecadd --schedule sideways
    refuses 2 "print-limit 'many' is not" matmul --print-limit many
    capture reduce --check -d gpu
    expect_status 2
    expect_refusal reduce "leave --device gpu out"
}

@test "without a device, and with -d sim, the checked simulator runs without a notice" {
    local device
    for device in "" "-d sim"; do
        # shellcheck disable=SC2086
        capture reduce --check $device -n 100 -k shared-tree
        expect_status 0
        expect_output_like ',pass,'
        expect_errors_like '^=========[^=]*ERROR SUMMARY: 0 errors$'
    done
}

@test "--check takes its list behind =, not from the operands" {
    pipeline 'seq 100 | reduce --check -'
    expect_status 0
    expect_output 5050
    pipeline 'seq 100 | reduce --check=racecheck,memcheck -'
    expect_output 5050
}
