#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What streams promises: every variant moves and computes every element, in any chunks and order; its table, its drawings
# and its traces agree; and options that make no sense are refused.

# Alone on a GPU: what overlaps is seen by its time.

load helpers

# The variants of one experiment that move --size elements, and those that do not.
copies() { variants streams | grep -x -e 'cpu' -e 'copy-.*'; }
others() { variants streams | grep -v -x -e 'cpu' -e 'copy-.*'; }

# Every row of $output is verified, and every copy variant is there for each of the sizes.
expect_copies_verified() {
    local n kernel
    [ "$(column verify | sort -u)" = pass ] || complain "not every row is verified"
    for n; do
        for kernel in $(copies | grep -v cpu); do
            columns kernel n | grep -q -x "$kernel $n" || complain "no row for $kernel with n = $n"
        done
    done
}

@test "every variant is right, the copies at every size, the others once" {
    local kernel
    expect_fine streams -n 0,1,7,31,1000,4097 -w 0 -r 1 --csv
    expect_clean_table
    expect_copies_verified 0 1 7 31 1000 4097
    for kernel in $(others); do
        [ "$(column kernel | grep -c -x "$kernel")" -eq 1 ] || complain "$kernel is not there once"
    done
    [ "$(column p_experiment | sort -u | paste -sd ' ')" = "copy host kernels launch priority" ]
}

@test "every order of issue is right for any streams and chunks, even where they do not divide n" {
    need mlr
    expect_fine streams -k 'copy-*' -n 10007 --streams 1,2,3,5,16 --chunks 1,3,7,64 -w 0 -r 1 --csv
    expect_copies_verified 10007
    # Variants with streams per stage round their number; the whole array has one stream and one chunk.
    [ "$(mlr --icsv --onidx filter '$kernel == "copy-by-stage"' then cut -f p_streams then uniq -g p_streams <<<"$output" | paste -sd ' ')" = "3 15" ]
    [ "$(mlr --icsv --onidx filter '$kernel == "copy-serial"' then cut -o -f p_streams,p_chunks <<<"$output")" = "1 1" ]
    [ "$(mlr --icsv --onidx filter '$kernel == "copy-depth-first"' then count <<<"$output")" -eq 20 ]
}

@test "a chunk can be given by its size" {
    expect_fine streams -k copy-depth-first -n 1000 --chunk 1000,300,1 -w 0 -r 1 --csv
    [ "$(column p_chunks | paste -sd ' ')" = "1 4 1000" ]
    [ "$(column verify | sort -u)" = pass ]
}

@test "pageable memory is also right, and a variant whose kernel cannot access it is left out with a notice" {
    expect_fine streams -k 'cpu,copy-serial,copy-depth-first,copy-graph' --memory all -n 5000 -w 0 -r 1 --csv
    [ "$(column p_memory | paste -sd ' ')" = "pinned pinned pinned pinned pageable pageable pageable" ]
    [ "$(column verify | sort -u)" = pass ]
    try streams -k copy-mapped --memory pageable -n 100 --csv
    expect_status 77
    expect_errors_like "copy-mapped: a kernel cannot access pageable memory; left out"
}

@test "blocks of any size and chains of any length are right" {
    local block work
    for block in 1 33 1024; do
        expect_fine streams -k 'cpu,copy-*,kernels-*,priority-*,host-*' -n 1000 -b $block -w 0 -r 1 --csv
        [ "$(column verify | sort -u)" = pass ]
    done
    for work in 0 1 9; do
        expect_fine streams -k 'cpu,copy-*,kernels-events' -n 1000 --work $work -w 0 -r 1 --csv
        [ "$(column verify | sort -u)" = pass ]
    done
}

@test "a row shows streams, chunks, the sum of the parts and the ideal" {
    need mlr
    expect_fine streams -k 'copy-depth-first,kernels-streams,kernels-graph-events' -n 1000 --streams 2 --chunks 5 --work 3 --csv
    [ "$(column p_streams | paste -sd ' ')" = "2 5 5" ]
    [ "$(column p_chunks | paste -sd ' ')" = "5  " ]
    [ "$(column p_operations | paste -sd ' ')" = "15 5 5" ]
    [ "$(column bytes | head -1) $(column flop | head -1)" = "8000 6000" ]
    mlr --icsv --ojson put -q '
        # The ratios are printed to 3 and 4 digits, and are small if other processes use the processor.
        concurrency = $p_sum_ns / $median_ns; efficiency = $p_ideal_ns / $median_ns;
        bad = $p_sum_ns <= 0 || $p_ideal_ns <= 0 || abs($p_concurrency - concurrency) > 0.0006 + 0.001 * concurrency ||
            abs($p_efficiency - efficiency) > 0.00006 + 0.001 * efficiency ||
            abs($median_ns - $p_ideal_ns - $p_overhead_ns) > 1;
        if (bad) { emit $* }' <<<"$output" >wrong
    [ -z "$(tr -d '[] \n' <wrong)" ] || complain "$(cat wrong)"
}

@test "columns that do not apply to a variant are empty or none" {
    expect_fine streams -k 'launch-*' --csv
    [ -z "$(columns p_sum_ns p_ideal_ns p_efficiency | tr -d ' \n-')" ]
    [ "$(column p_memory | sort -u)" = none ]
    [ "$(column n)" = "$(column p_operations)" ]
}

@test "work that should overlap overlaps, and work that should wait waits" {
    if on_simulator; then skip "the simulator shows the order, not the time"; fi
    need mlr
    expect_fine streams -k 'kernels-*,host-*streams,priority-*' --csv
    mlr --icsv --ojson put -q '
        together = $kernel == "kernels-streams" || $kernel == "kernels-graph" || $kernel == "host-nonblocking-streams";
        alone = $kernel == "kernels-default" || $kernel == "kernels-both-defaults" || $kernel == "kernels-threads-legacy" ||
            $kernel == "host-blocking-streams";
        if (together && $p_concurrency < 4 || alone && $p_concurrency > 1.1) { emit $* }' <<<"$output" >wrong
    [ -z "$(tr -d '[] \n' <wrong)" ] || complain "$(cat wrong)"
    [ "$(mlr --icsv --onidx filter '$kernel == "priority-urgent"' then cut -f median_ns <<<"$output" | cut -d . -f 1)" -lt \
      "$(mlr --icsv --onidx filter '$kernel == "priority-equal"' then cut -f median_ns <<<"$output" | cut -d . -f 1)" ]
}

@test "--tune finds streams and chunks, and says with --verbose what it tried" {
    try streams -k 'copy-serial,copy-depth-first,copy-by-stage' -n 2000 --work 1 --tune -v -w 0 -r 1 --csv
    expect_status 0
    [ "$(column kernel | paste -sd ' ')" = "copy-serial copy-depth-first copy-by-stage" ]
    [ "$(column verify | sort -u)" = pass ]
    expect_errors_like "copy-depth-first with 8 streams and 128 chunks: [0-9.]+ (ns|us|ms)"
    # Its result is among the attempts.
    grep -q "copy-by-stage with $(column p_streams | sed -n 3p) streams and $(column p_chunks | sed -n 3p) chunks" stderr
}

# ---- seeing it

@test "--timeline draws a bar for every stream, below the human table or on standard error" {
    expect_fine streams -k 'copy-depth-first,kernels-streams' -n 1000 --streams 3 --chunks 6 --timeline -f human
    expect_output_like "copy-depth-first, 3 streams, 6 chunks, pinned: .*> h2d, # kernel, < d2h"
    [ "$(grep -c '^  stream [0-9] *|.*|$' stdout)" -eq 8 ]
    [ "$(grep '^  stream' stdout | awk '{ print length }' | sort -u | wc -l)" -eq 1 ]
    for k in 0 1 2 3 4; do grep -q "^  stream $k  *| *$k$k*  *|$\|^  stream $k  *| *$k$k*|$" stdout || complain "no bar of kernel $k"; done
    if on_simulator; then expect_output_like "host time of the simulation"; else expect_output_like "time of the device's events"; fi
    try streams -k 'launch-kernel,kernels-default' --timeline --csv
    expect_status 0
    expect_clean_table
    expect_errors_like "^kernels-default: .*digits are kernels"
    [ "$(grep -c '^  stream' stderr)" -eq 1 ]
}

@test "in the picture and in the trace no operation begins before what it depends on has ended" {
    need jq
    expect_fine streams -k 'copy-*,kernels-events,kernels-graph-events' -n 10000 --chunks 5 --trace trace.json --csv
    # In every run, a chunk's stages follow each other, and so do the diamond's kernels; a microsecond is for clock steps.
    jq -e '[.traceEvents[] | select(.ph == "X")] | group_by(.pid)[] |
        (map({key: .name, value: .}) | from_entries) as $span |
        def ends($name): $span[$name] | .ts + .dur;
        def begins($name): $span[$name].ts + 1;
        if $span["kernel 4"] and ($span["h2d 0"] | not) then
            ends("kernel 0") <= begins("kernel 1") and ends("kernel 0") <= begins("kernel 3") and
            ends("kernel 1") <= begins("kernel 4") and ends("kernel 3") <= begins("kernel 4")
        else
            all(.[] | select(.cat == "kernel") | .name[7:]; . as $i |
                ($span["h2d " + $i] | not) or ends("h2d " + $i) <= begins("kernel " + $i)) and
            all(.[] | select(.cat == "d2h") | .name[4:]; . as $i | ends("kernel " + $i) <= begins("d2h " + $i))
        end' trace.json >verdicts || complain "$(cat verdicts)"
    [ "$(grep -c true verdicts)" -eq "$(($(copies | wc -l) - 1 + 2))" ]
}

@test "--trace writes the Trace Event Format" {
    need jq
    expect_fine streams -k 'copy-by-stage,kernels-streams,host-callback' -n 1000,2000 --streams 3 --chunks 4 --trace trace.json --csv
    # Complete events have name, category, process, thread, begin and duration in microseconds; all else is metadata.
    jq -e '(.displayTimeUnit == "ns") and (.traceEvents | type == "array" and length > 0) and all(.traceEvents[];
        (.pid | type) == "number" and (.tid | type) == "number" and (.name | type) == "string" and
        if .ph == "X" then (.cat | type) == "string" and .ts >= 0 and .dur >= 0
        else .ph == "M" and (.name == "process_name" or .name == "thread_name") and (.args.name | type) == "string" end)' trace.json
    # A process per run, a thread per stream, an event per operation; every event's process and thread has a name.
    [ "$(jq '[.traceEvents[] | select(.name == "process_name")] | length' trace.json)" -eq 4 ]
    [ "$(jq '[.traceEvents[] | select(.name == "thread_name")] | length' trace.json)" -eq 16 ]
    [ "$(jq '[.traceEvents[] | select(.ph == "X")] | length' trace.json)" -eq $((12 + 12 + 5 + 10)) ]
    jq -e '[.traceEvents[] | select(.ph == "M" and .name == "thread_name") | [.pid, .tid]] as $named |
        all(.traceEvents[] | select(.ph == "X"); [.pid, .tid] as $where | any($named[]; . == $where))' trace.json
    jq -r '.traceEvents[] | select(.name == "process_name") | .args.name' trace.json >names
    if on_simulator; then [ "$(grep -c 'host time of the simulation' names)" -eq 4 ]; fi
    refuses 5 "nowhere/trace.json" streams -k kernels-default --trace nowhere/trace.json --csv
}

# ---- refusals

@test "options that make no sense are refused before anything runs" {
    refuses 2 "--chunks '0': at least 1" streams --chunks 0
    refuses 2 "--chunk '0': at least 1" streams --chunk 0
    refuses 2 "--streams '0': at least 1" streams --streams 0
    refuses 2 "--chunk '1001' is larger than the array: n = 1000" streams -n 5000,1000 --chunk 1001
    refuses 2 "--chunks '11' is more than there are elements: n = 10" streams -n 10 --chunks 11
    refuses 2 "--chunk and --chunks exclude each other" streams --chunk 10 --chunks 10
    refuses 2 "--streams '1000' is too many: .* runs at most [0-9]+ kernels at once" streams --streams 2,1000
    refuses 2 "--streams 'x'" streams --streams x
    refuses 2 "--streams is empty" streams --streams ''
    refuses 2 "--chunks is empty" streams --chunks ''
    refuses 2 "unknown memory kind 'pined'.*pinned, pageable, all" streams --memory pined
    refuses 2 "--work '-1'" streams --work=-1
    refuses 2 "--work '9999999999' is too large" streams --work 9999999999
}
