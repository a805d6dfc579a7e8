#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --predict and its basis: the model of collectives, its terms, and predictions for gangs larger than the machine's.
# shellcheck disable=SC2154  # helpers.bash sets $output

load helpers

@test "the model's terms are recovered from times computed with them, with and without noise" {
    unit_program units/gang_model
    holds ./gang_model
}

# predicted PROGRAM [OPTION]...: its rows of predictions, and of the gangs that it measured.
predicted() {
    try "$1" -q --gang --csv -w 0 -r 2 "${@:2}"
    expect_status 0 && expect_no_errors && expect_clean_table || return
    [ "$(columns timer verify | sed -E 's/^(sim|event|host) pass$/measured/' | sort -u | paste -sd ,)" = "measured,model predicted" ] ||
        complain "a model predicts, and a clock measures"
}

# of_predictions COLUMN...: these columns of the predicted rows.
of_predictions() { columns timer "$@" | sed -n 's/^model //p'; }

@test "every program with --gang predicts" {
    local program
    devices 2
    for program in $(benchmarks); do
        "$program" --help | grep -q -e --per-machine || continue
        predicted "$program" -n 16 --predict 8
        [ "$(of_predictions gang | sort -u | paste -sd ' ')" = "2 8" ] || complain "$program ignores it" || return
        echo "$program" >>predicting
    done
    grep -q -x reduce predicting
}

@test "--predict measures available gangs, then predicts the largest of them and the requested ones" {
    devices 4
    predicted vecadd -n 5000 -k vector4 --predict 64,8,1024
    [ "$(column gang | paste -sd ' ')" = "1 2 4 4 8 64 1024" ]
    [ "$(column ranks | paste -sd ' ')" = "1 2 4 4 8 64 1024" ]
    [ "$(of_predictions n verify samples warmup | sort -u)" = "5000 predicted 0 0" ]
    [ "$(of_predictions exchange_ns | sort -u)" = 0.0 ] || complain "vecadd exchanges nothing"
    predicted vecadd -n 5000 -k vector4 --predict 2,8 --weak
    [ "$(of_predictions gang n bytes | paste -sd ' ')" = "2 10000 120000 4 20000 240000 8 40000 480000" ]
    predicted reduce -n 5000 -k tagged --predict 8 --weak
    [ "$(columns gang n | paste -sd ' ')" = "1 5000 2 10000 4 20000 4 20000 8 40000" ]
    # Its own columns are those of the row, without any measured for the share.
    predicted reduce -n 5000 -k tagged,shared-tree --predict 8 --op sum,max
    [ "$(of_predictions kernel p_op gang p_error_ulp | sort | paste -sd ' ')" = "shared-tree max 4 - shared-tree max 8 - \
shared-tree sum 4 - shared-tree sum 8 - tagged max 4 - tagged max 8 - tagged sum 4 - tagged sum 8 -" ] ||
        complain "$(of_predictions kernel p_op gang p_error_ulp)"
}

@test "a prediction is compared with the measured gang, and its efficiency follows from one device" {
    local weak
    devices 3
    for weak in '' --weak; do
        # shellcheck disable=SC2086
        predicted reduce -n 20000 -k 'tagged,shared-tree' --predict 2,5 $weak
        columns kernel gang timer median_ns efficiency exchange_ns prediction_error_percent >rows
        awk -v weak="$weak" 'function near(a, b, by) { return a - b < by && b - a < by }
            $3 != "model" { measured[$1, $2] = $4; if ($6 != "-" || $7 != "-") exit 1 }
            $3 == "model" { ++count
                wanted = ($1, $2) in measured ? 100 * ($4 / measured[$1, $2] - 1) : 0
                if (!near(wanted, $7, 0.011) || $6 <= 0 || $6 >= $4) { print; exit 1 }
                if (!near(measured[$1, 1] / ((weak ? 1 : $2) * $4), $5, 0.001)) { print; exit 1 }
                # With --weak, the share is the work of one device.
                if (weak && !near($4 - $6, measured[$1, 1], 0.11)) { print; exit 1 } }
            END { if (count != 6) exit 1 }' rows || complain "$(cat rows)"
    done
}

# A table of terms in which starting one operation costs MICROSECONDS, and nothing else costs anything.
links() { printf 'kernel,start_ns,latency_ns,gbyte_per_s\nall-reduce,%s,%s,1000\n' "${1}000" "${2-0}"; }

@test "the model uses the terms of --links, --per-machine and the network" {
    devices 1
    exchanges() { predicted reduce -n 100 -k tagged --predict 8,64 --links links.csv "$@" && of_predictions exchange_ns | sed "s/\.[0-9]*//" | paste -sd ' '; }
    links 20 >links.csv
    [ "$(exchanges --network-latency 1000)" = "20000 6020000" ] || complain "eight machines have a tree of three levels"
    [ "$(exchanges --network-latency 1000 --per-machine 64)" = "20000 20000" ]
    [ "$(exchanges --network-latency 1 --per-machine 1)" = "26000 32000" ]
    [ "$(exchanges --network-latency 1 --per-machine 1 --network-bandwidth 0.001)" = "34000 40000" ]
    links 20 1000 >links.csv
    [ "$(exchanges --per-machine 8 --network-latency 1)" = "34000 40000" ]
}

@test "gangs that are larger than a machine say nothing about its links" {
    devices 2
    try reduce --gang --csv -n 100 -k tagged -w 0 -r 1 --predict 4 --per-machine 1 --network-latency 1000
    expect_errors_like "uses the defaults"
    [ "$(of_predictions gang exchange_ns | tail -1 | sed 's/\..*//')" = "4 4006000" ]
}

@test "collective --fit writes the input of --links, and says which terms its sizes do not show" {
    devices 3
    try collective -q --fit -n 1,4Ki -w 0 -r 2 -k 'all-*,ring,fastest' -o links.csv
    expect_status 0
    output=$(cat links.csv)
    expect_clean_table
    [ "$(columns kernel gang rows | paste -sd ' ')" = "all-reduce 3 4 all-gather 3 4 all-to-all 3 4 ring 3 4" ]
    awk '$1 < 0 || $2 < 0 || $3 <= 0 || $4 < 0 || $4 > $5 { exit 1 }' \
        <(columns start_ns latency_ns gbyte_per_s median_error_percent worst_error_percent) || complain "terms"
    predicted reduce -n 100 -k tagged --predict 8 --links links.csv
    # With one size, and gangs of one size, only one term can be found.
    devices 2
    try collective --fit -n 1 -w 0 -r 2 -k all-reduce
    expect_status 0
    expect_errors_like "all-reduce: gangs of one size, or of one step, show no latency"
    expect_errors_like "all-reduce: these sizes show no bandwidth: .* give -n a wider range"
    [ "$(columns rows latency_ns gbyte_per_s worst_error_percent)" = "1 600.0 327.000000 0.00" ]
}

@test "without a smaller measured gang, a prediction takes defaults, and says so" {
    devices 1
    try reduce --gang --csv -n 100 -k tagged -w 0 -r 1 --predict 2,16
    expect_status 0
    expect_errors_like "no gang smaller than 2 shows what all-reduce costs: its prediction uses the defaults"
    [ "$(of_predictions gang exchange_ns | paste -sd ' ')" = "2 7200.0 16 24400.0" ]
    [ "$(grep -c defaults stderr)" = 1 ]
    try vecadd --gang --csv -n 100 -k vector4 -w 0 -r 1 --predict 2
    [[ $errors != *defaults* ]] || complain "it exchanges nothing"
    # The gang of two is not predicted from itself.
    devices 2
    try reduce --gang --csv -n 100 -k tagged -w 0 -r 1 --predict 8
    expect_errors_like "no gang smaller than 2"
    [ "$(of_predictions gang exchange_ns | head -1)" = "2 7200.0" ]
}

@test "predicted rows are marked in the human table, in JSON and per sample, and a profile has none" {
    devices 2
    try vecadd -q --gang -n 64 -k vector4 --predict 16 -f human
    expect_output_like "and 15 more, 64 f32 elements, predicted"
    try vecadd -q --gang -n 64 -k vector4 --predict 16 --json
    [ "$(grep -c samples_ns stdout)" = 2 ]
    [ "$(grep -c '"verify":"predicted".*"prediction_error_percent":' stdout)" = 2 ]
    expect_output_like '"gang":16,.*"prediction_error_percent":null'
    predicted vecadd -n 64 -k vector4 --predict 16 --raw
    [ "$(columns gang sample | paste -sd ' ')" = "1 0 1 1 2 0 2 1 2 0 16 0" ]
    try vecadd -q --gang -n 64 -k vector4 --predict 16 --profile
    expect_output ""
}

@test "what cannot be predicted is refused, with a remedy" {
    devices 2
    refuses 2 "--predict extrapolates from measured gangs: add --gang" vecadd --predict 8
    refuses 2 "--links is for predictions: add --predict" reduce --gang --links links.csv
    refuses 2 "--per-machine is for predictions" reduce --gang --per-machine 4
    refuses 2 "gang '1' is not from 2 to" reduce --gang --predict 1
    refuses 2 "gang 'many' is not a whole number" reduce --gang --predict many
    refuses 4 "links.csv: " reduce --gang --predict 8 --links links.csv
    echo kernel,latency_ns >links.csv
    refuses 4 "start_ns" reduce --gang --predict 8 --links links.csv
    printf 'kernel,start_ns,latency_ns,gbyte_per_s\nall-reduce,1,1,0\n' >links.csv
    refuses 4 "links.csv:2: .*gbyte_per_s above 0" reduce --gang --predict 8 --links links.csv
    printf 'kernel,start_ns,latency_ns,gbyte_per_s\nring,1,1,1\n' >links.csv
    refuses 4 "links.csv has no row of all-reduce: collective --fit -k all-reduce" \
        reduce --gang --predict 8 --links links.csv -n 10 -k tagged -o /dev/null
    refuses 2 "takes rank 0 as the root: leave --root out" collective --fit --root 1
    refuses 2 "--fit prints a row per operation: leave" collective --fit --raw
    refuses 77 "none of the chosen operations is one of NCCL" collective --fit -k fastest -n 10
    if on_simulator; then
        refuses 2 "--predict needs times, and a checked run takes none" vecadd --gang --predict 8 --check
        SIMCC_DEVICES=1 refuses 77 "--fit needs two devices or more" collective --fit
    fi
}
