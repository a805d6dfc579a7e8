#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What collective promises: every operation gives every device the right result, for every number of devices, size, type
# and operator, and reports what it moved.

# Tests side by side on a GPU

# Takes long: run.bash begins with it.

load helpers

# Calls `once COUNT` for gangs of 1, 2, 3 and 5 simulated devices, or of the GPUs of this machine.
for_gangs() {
    local gang
    if ! on_simulator; then "$@" gpus && return; fi
    for gang in 1 2 3 5; do SIMCC_DEVICES=$gang "$@" $gang || complain "a gang of $gang" || return; done
}

all_devices() { if on_simulator; then echo sim; else echo all; fi; }

# collective_fine [ARGUMENT]...: exits 0 silently, and every row is verified; the rows are in $output.
collective_fine() {
    capture collective -q -d "$(all_devices)" --csv "$@"
    expect_status 0
    expect_no_errors
    expect_clean_table
    [ "$(column verify | sort -u)" = pass ] || complain "expected verified rows only"
}

@test "collective: every operation is right in gangs of any size, for fewer and for more elements than devices" {
    every_size() {
        collective_fine -n 0,1,2,7,1000,4099 -w 0 -r 2 || return
        [ "$(column kernel | sort | uniq -c | awk '$1 == 6' | wc -l)" -eq 11 ] || complain "expected eleven variants"
    }
    for_gangs every_size
}

@test "collective: every type and operator is right, in place and not" {
    local type operator place places turn=0
    export SIMCC_DEVICES=3
    for type in f32 f64 i32 i64 f16 bf16; do
        turn=$((turn + 1))
        for operator in sum prod min max avg; do
            [[ $type$operator != i?*avg ]] || continue
            places=('' --in-place)
            on_simulator || places=("${places[turn++ % 2]}")  # NCCL takes a second to set up
            for place in "${places[@]}"; do
                # shellcheck disable=SC2086
                collective_fine -n 1,1003 -w 0 -r 1 -t $type --op $operator $place -k 'all-reduce*,red*' ||
                    complain "$type $operator $place" || return
                [ "$(column p_op | sort -u) $(column p_in_place | sort -u)" = "$operator $([ -n "$place" ] && echo 1 || echo 0)" ]
            done
        done
    done
    refuses 2 "avg needs floating-point numbers, and i64 is an integer type" collective -n 1 -t i64 --op avg
}

@test "collective: any rank may be the root, and a root that is no rank is refused" {
    on_simulator || skip "as many devices as it likes"
    local root
    export SIMCC_DEVICES=3
    for root in 0 1 2; do
        collective_fine -n 5,100 -w 0 -r 1 --root $root -k broadcast,reduce
        [ "$(column p_root | sort -u)" = $root ]
        collective_fine -n 5,100 -w 0 -r 1 --root $root -k broadcast,reduce --in-place
    done
    collective_fine -n 5 -w 0 -r 1 -k ring
    [ "$(column p_root)" = "" ]  # a number that does not apply
    refuses 2 "root 3: there are ranks 0 to 2" collective --root 3
    SIMCC_DEVICES=1 refuses 2 "root 1: there is only rank 0" collective --root 1
}

@test "collective: in a series of launches of different kernels, the devices wait for the right one" {
    on_simulator || skip "its own threads"
    local threads
    export SIMCC_DEVICES=3
    for threads in 1 2 3 16; do
        export SIMCC_THREADS=$threads
        collective_fine -n 4000,1,300,40003,2 -w 1 -r 20 --max-ci 0 -k 'all-reduce-*,fastest' -b 64
        [ "$(column samples | sort -u)" = 20 ]
    done
}

@test "collective: the checked simulator finds nothing, however many threads simulate" {
    on_simulator || skip "its own device"
    local threads place
    export SIMCC_DEVICES=3
    for threads in 1 2 3 16; do
        for place in '' --in-place; do
            # shellcheck disable=SC2086
            SIMCC_THREADS=$threads capture collective --check=all,leakcheck -n 0,1,100,4099 --csv $place
            expect_status 0
            [ "$(column verify | sort -u)" = pass ]
            expect_errors_like "ERROR SUMMARY: 0 errors"
        done
    done
}

@test "collective: a row says what was moved, by whom, and how fast a link was" {
    on_simulator || skip "as many devices as it likes"
    SIMCC_DEVICES=3 collective_fine -n 1000 -t f64 -w 0 -r 1
    diff <(columns kernel bytes flop p_method gang ranks) - <<'EOT'
all-reduce-two-shot 8000 2000 two-shot 3 3
all-reduce-one-shot 8000 2000 one-shot 3 3
all-reduce-low-latency 8000 2000 low-latency 3 3
fastest 8000 2000 low-latency 3 3
all-reduce 8000 2000 nccl 3 3
reduce-scatter 8016 2004 nccl 3 3
all-gather 8016 0 nccl 3 3
broadcast 8000 0 nccl 3 3
reduce 8000 2000 nccl 3 3
all-to-all 8016 0 nccl 3 3
ring 8000 0 nccl 3 3
EOT
    # Bus bandwidth is bytes by time, times the operation's factor.
    columns kernel bytes median_ns p_bus_gbyte_per_s | awk '
        { factor = $1 ~ /^(all-reduce|fastest)/ ? 4 / 3 : $1 ~ /^(broadcast|reduce|ring)$/ ? 1 : 2 / 3
          wanted = $2 / $3 * factor; if (wanted - $4 > 0.0006 || $4 - wanted > 0.0006) print }' >wrong
    [ ! -s wrong ] || complain "bandwidths: $(cat wrong)"
    # Which of our variants is best depends on the size.
    SIMCC_DEVICES=2 collective_fine -n 128Ki,131073,1Mi,1048577 -k fastest -w 0 -r 1
    [ "$(column p_method | paste -sd ' ')" = "low-latency one-shot one-shot two-shot" ]
}

@test "collective: blocks are whole warps, and no larger than their registers allow" {
    local threads
    export SIMCC_DEVICES=2
    for threads in 1 33 512 1024; do
        collective_fine -n 70001 -w 0 -r 1 -b $threads -k '*-shot,*-latency'
        [ "$(column block | sort -u)" = $((threads > 512 ? 512 : (threads + 31) / 32 * 32)) ]
    done
}

@test "collective: variants that cannot run are left out with a reason, and refused when named" {
    on_simulator || skip "as many devices as it likes"
    SIMCC_DEVICES=2 refuses 77 "ring: it cannot be in place" collective -k ring --in-place -n 10
    SIMCC_DEVICES=2 capture collective -d sim -v --in-place -n 10 --csv
    expect_status 0
    expect_errors_like "all-to-all is left out: it cannot be in place"
    [ "$(column kernel | wc -l)" -eq 9 ]
    SIMCC_DEVICES=9 refuses 77 "fastest: 9 devices are more than the 8" collective -k fastest -n 10
    SIMCC_DEVICES=9 capture collective -d sim -v -n 10 -w 0 -r 1 --csv
    expect_status 0
    [ "$(column ranks | sort | uniq -c | tr -s ' ')" = " 7 9" ]
}

@test "collective: operations of one kind are compared with each other, and all with what --versus names" {
    export SIMCC_DEVICES=2
    collective_fine -n 100 --ladder -k 'all-reduce*,broadcast'
    [ "$(columns kernel step_speedup | sed -n '1p;$p')" = "all-reduce-two-shot 1.000
broadcast 1.000" ]
    collective_fine -n 100 -r 3 --versus all-reduce -k 'fastest,broadcast'
    [ "$(column versus | sort -u)" = all-reduce ]
    [ "$(column kernel | paste -sd ' ')" = "fastest all-reduce broadcast" ]
}

@test "collective: operations and references agree with results computed by hand" {
    on_simulator || skip "needs no GPU"
    unit_program units/collective
    holds ./collective
}

@test "collective: a full device, a closed pipe and a wrong option end it like any other program" {
    export SIMCC_DEVICES=2
    try collective -n 1 -w 0 -r 1 -o /dev/full
    expect_status 5
    refuses 2 "unknown option|--opp" collective --opp sum
    refuses 2 "--op" collective --op mean
    pipeline "collective -q -d $device -n 1:64 -w 0 -r 1 --csv | head -1 | cut -c -6"
    expect_output schema
}
