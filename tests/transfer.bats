#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What transfer promises: every way to copy brings every byte, for every size, alignment and number of threads.

# Several streams on a GPU

load helpers

# The variants that run by default: those between two devices only where there are two.
by_default() {
    if [ "$(device_count)" -ge 2 ]; then variants transfer; else variants transfer | grep -v ^peer-; fi
}

# transfer_fine SIZES [ARGUMENT]...: every variant has one verified row at each of the SIZES.
transfer_fine() {
    local sizes=$1 n
    shift
    expect_fine transfer -n "${sizes// /,}" -w 0 -r 1 --csv "$@"
    diff <(for n in $sizes; do for kernel in $expected_kernels; do echo "$kernel $n pass"; done; done) \
        <(columns kernel n verify) >&2 || complain "expected all of them, verified"
}

# Two simulated devices, or the GPUs of this machine.
two_devices() {
    if on_simulator; then export SIMCC_DEVICES=2; fi
    [ "$(device_count)" -ge 2 ] || skip "there is only one device"
}

@test "transfer: every way is right for small and larger sizes and any alignment" {
    expected_kernels=$(by_default)
    transfer_fine "0 1 15 16 17 255 4095 4096 4097 100003"
    transfer_fine "0 1 13 4096 100003" --offset 3
    transfer_fine "1 1000" --offset 4096 -b 1
}

@test "transfer: the ways between two devices are right, and left out with a reason if there is only one" {
    if on_simulator; then
        SIMCC_DEVICES=1 refuses 77 "peer-kernel: there is only one device" transfer -k peer-kernel -n 10
        SIMCC_DEVICES=1 try transfer -k 'peer-*,d2d-engine' -n 10 -v --csv
        expect_status 0
        expect_errors_like "peer-engine is left out: there is only one device"
        [ "$(column kernel)" = d2d-engine ]
    fi
    two_devices
    expected_kernels="peer-engine peer-both peer-kernel"
    transfer_fine "0 1 4097 100003" --offset 1 -k 'peer-*'
}

@test "transfer: a row shows what is moved, by whom and on whose clock" {
    expect_fine transfer -n 1000 -k 'pinned-both,mapped-h2d,managed-prefetch-d2h,d2d-kernel' --csv
    expect_clean_table
    local host=host
    if on_simulator; then host=sim; fi
    diff <(columns kernel bytes p_direction p_memory p_by timer) - <<EOF
pinned-both 2000 both pinned engine $host
mapped-h2d 1000 h2d mapped kernel $host
managed-prefetch-d2h 1000 d2h managed prefetch $host
d2d-kernel 2000 d2d device kernel $([ $host = sim ] && echo sim || echo event)
EOF
    expect_fine transfer -n 1000 -k d2d-engine -f human
    expect_output_like '^[^,]+, 1000 bytes'
    expect_fine transfer -n 1000 -k 'mapped-h2d,pinned-both,managed-h2d,d2d-kernel' --csv
    # Allocating host memory takes time, device memory is not counted.
    [ "$(columns p_memory p_alloc_ns | awk '($1 == "device") != ($2 == "-")')" = "" ]
}

@test "transfer: a staged copy is right with any number of threads and size of slots, smaller or larger than itself" {
    expect_fine transfer -n 1,4096,100003,3000001 -k 'staged-*' --threads 1,2,3,8 --slot 4Ki,5000,64Ki,2Mi -w 0 -r 2 --csv
    [ "$(column verify | sort | uniq -c | tr -d ' ')" = 128pass ]
    [ "$(column p_threads | sort -n | uniq -c | tr -s ' ' ' ' | paste -sd ,)" = " 32 1, 32 2, 32 3, 32 8" ]
    refuses 2 "--threads '0' is not from 1 to 256" transfer --threads 0
    refuses 2 "--threads '300' is not from 1 to 256" transfer --threads 2,300
    refuses 2 "--slot '1024' is not from 4096 to 1073741824" transfer --slot 1Ki
}

@test "transfer: the checked simulator finds nothing, however many threads simulate" {
    on_simulator || skip "its own device"
    local threads
    export SIMCC_DEVICES=2
    for threads in 1 2 3 16; do
        SIMCC_THREADS=$threads capture transfer --check=all,leakcheck -n 0,1,100003 --offset 1 --threads 3 --slot 8Ki --csv
        expect_status 0
        [ "$(column verify | sort | uniq -c | tr -d ' ')" = 69pass ]
        expect_errors_like "ERROR SUMMARY: 0 errors"
    done
}

@test "transfer: warps of the copying kernel read whole lines" {
    on_simulator || skip "the simulator's counters"
    capture transfer --counters -k d2d-kernel -n 64Ki --csv
    expect_status 0
    # A warp's request is 32 vectors of 16 bytes: 16 sectors.
    [ "$(column gld_requests) $(column gld_sectors_per_request) $(column gst_requests)" = "128 16.0000 128" ]
}

@test "transfer: --matrix has a row per pair of places, or a matrix in the human format" {
    two_devices
    expect_fine transfer --matrix -n 0,1000 --csv
    expect_clean_table
    diff <(columns from to path bytes verify |
        grep -E '^(host|0|1) (host|0|1) .* 1000 ' | sed 's/through-host/peer/') - <<'EOF'
host 0 bus 1000 pass
host 1 bus 1000 pass
0 host bus 1000 pass
0 0 memory 1000 pass
0 1 peer 1000 pass
1 host bus 1000 pass
1 0 peer 1000 pass
1 1 memory 1000 pass
EOF
    # Rates are bytes divided by time, and within a device each byte counts twice.
    columns from to bytes median_ns gbyte_per_s |
        awk '{ rate = $3 / $4 * ($1 == $2 ? 2 : 1); if (rate - $5 > 0.001 * rate + 0.001 || $5 - rate > 0.001 * rate + 0.001) print }' >wrong
    [ ! -s wrong ] || complain "rates: $(cat wrong)"
    expect_fine transfer --matrix -n 1000 -f human
    expect_output_like $'^GB/s, copies of 1000 B.*\nfrom +to host +to 0 +to 1'
    expect_output_like $'\nhost +- +[0-9.]+ +[0-9.]+'
    expect_fine transfer --matrix -n 1 -f human
    ! grep -E ' 0[.]0+( |$)' stdout || complain "a byte's rate is small, not 0"
    expect_fine transfer --matrix -n 10 --no-verify --csv
    [ "$(column verify | sort -u)" = skipped ]
}

@test "transfer: --break-even has a row for each way that may pay, or a sentence in the human format" {
    expect_fine transfer --break-even -n 1Ki:64Ki:x4 --csv
    expect_clean_table
    [ "$(columns way versus allocation_counted largest_bytes)" = \
"staged-h2d pageable-h2d 0 65536
staged-d2h pageable-d2h 0 65536
pinned-h2d pageable-h2d 1 65536
pinned-d2h pageable-d2h 1 65536" ]
    # A measured size, or none.
    [ "$(column from_bytes | grep -c -v -x -E '|1024|4096|16384|65536')" -eq 0 ]
    expect_fine transfer --break-even -n 1Ki,4Ki -f human
    [ "$(grep -c -E '^(staged|pinned)-(h2d|d2h),? .*pageable-(h2d|d2h).*\.$' stdout)" -eq 4 ]
    COLUMNS=50 expect_fine transfer --break-even -n 1Ki,4Ki -f human
    [ "$(awk '{ if (length($0) > most) most = length($0) } END { print most }' stdout)" -le 50 ]
    refuses 2 "--break-even needs two sizes or more" transfer --break-even -n 1Ki
}

@test "transfer: the steps of --ladder are those of one direction, from pageable memory on" {
    expect_fine transfer --ladder -n 4Ki,64Ki -k 'pageable-h2d,pageable-d2h,staged-h2d,pinned-h2d,pinned-d2h,d2d-*' --csv
    expect_clean_table
    columns kernel n p_direction median_ns step_speedup cumulative_speedup | awk '
        function is(printed, ratio) { return printed - ratio < 0.001 * ratio + 0.001 && ratio - printed < 0.001 * ratio + 0.001 }
        { of = $2 $3; if (!(of in first)) first[of] = before[of] = $4
          if (!is($5, before[of] / $4) || !is($6, first[of] / $4)) print; before[of] = $4; ++rows }
        END { exit rows != 14 }' >wrong || complain "$output"
    [ ! -s wrong ] || complain "steps that are none: $(cat wrong)"
    [ "$(transfer -d sim --list --csv | awk -F , '$3 == "none"')" = "" ]
}

@test "transfer: --timeout ends the samples of all its tables, and the warm-up before them" {
    local table
    for table in --break-even --matrix; do
        capture timeout 60 transfer -q -d "$device" $table -n 1Mi,2Mi -w 1000000 -r 1000000 --timeout 0.02 --csv
        expect_status 0
        [ "$(wc -l <stdout)" -ge 3 ]
    done
}

@test "transfer: break-evens follow from the costs, and one wrong bit anywhere is found" {
    unit_program units/transfer
    holds ./transfer
}

@test "transfer: options that its other tables would ignore are refused" {
    refuses 2 "--matrix and --break-even exclude each other" transfer --matrix --break-even
    local option
    for option in '-k pinned-h2d' '--versus pinned-h2d' --ladder --raw --profile '--threads 1,2' '--slot 4Ki,8Ki'; do
        # shellcheck disable=SC2086  # an option and its argument
        refuses 2 "--matrix prints a table of its own, to which .*${option%% *}.* means nothing" transfer --matrix $option
        # shellcheck disable=SC2086
        refuses 2 "--break-even prints a table of its own" transfer --break-even $option
    done
    refuses 2 "unexpected operand 'a'" transfer a
    refuses 2 "unknown option '--thread'; did you mean '--threads'" transfer --thread 5
    refuses 2 "unknown option '-t|unknown option '--dtype'" transfer -t f32
}

@test "transfer: tables go into other programs, a full device is an error and a closed pipe is none" {
    need mlr
    pipeline 'transfer -q -d $device -n 1Ki,4Ki -k "pinned-*" | mlr --icsv --ojson cut -f kernel,n then count-distinct -f n | grep -c count'
    expect_status 0
    expect_output 2
    [ -c /dev/full ] || return 0
    capture bash -c "transfer -d $device --matrix -n 10 >/dev/full"
    expect_status 5
    capture bash -c "transfer -q -d $device -n 10 --csv | head -1 >/dev/null; exit \${PIPESTATUS[0]}"
    [ "$status" -eq 141 ] || [ "$status" -eq 0 ] || complain "a closed pipe"
}

@test "transfer: the examples of its page run" { need mlr && run_examples transfer.1; }

# ---- staged copies in filters

# bytes_of COUNT VALUE: COUNT bytes of this octal value.
bytes_of() { head -c "$1" /dev/zero | tr '\0' "\\$2"; }

@test "filters copy data larger than a slot through slots, and the results are the same" {
    # (Larger than the threshold for staged copies, and than a chunk of vecadd's.)
    bytes_of 20000004 1 >ones
    bytes_of 20000004 2 >twos
    local threads settings=("")
    if on_simulator; then settings=(SIMCC_THREADS=1 SIMCC_THREADS=2 SIMCC_THREADS=3 SIMCC_THREADS=16); fi
    for threads in "${settings[@]}"; do
        capture env ${threads:+"$threads"} vecadd -d "$device" --input-format raw:i32 ones twos -o sum
        expect_status 0
        expect_no_errors
        bytes_of 20000004 3 | cmp - sum
    done
    expect_fine reduce --input-format raw:i32 ones
    expect_output $((0x01010101 * 5000001))
    # 1536^2 numbers of 4 bytes are 9 MiB. (The simulator can only multiply a row of it within a test.)
    perl -e 'srand 1; print pack "f<*", map { int(rand 200) } 1 .. 1536 * 1536' >matrix
    perl -e 'print pack "f<*", 1, (0) x 1535' >row
    expect_fine matmul -k naive --input-format raw:f32 --shape 1x1536x1536 row matrix -o product
    head -c 6144 matrix | cmp - product
}

@test "staged copies of filters pass the checkers" {
    on_simulator || skip "its own device"
    bytes_of 9000000 1 >ones
    capture vecadd --check=all,leakcheck --input-format raw:f32 ones ones -o sum
    expect_status 0
    expect_errors_like "ERROR SUMMARY: 0 errors"
    capture reduce --check=all,leakcheck --input-format raw:i32 ones
    expect_status 0
    expect_output $((0x01010101 * 2250000))
    expect_errors_like "ERROR SUMMARY: 0 errors"
}

@test "if no threads can be started, a filter copies without them, whatever the limit" {
    on_simulator || skip "a driver needs threads of its own"
    [ "$(id -u)" -eq 0 ] || skip "only root may change to a user without processes"
    need_user
    bytes_of 9000000 1 >large
    bytes_of 900 1 >small
    chmod 755 . && chmod 644 large small
    local limit worked=0
    # limited LIMIT FILE: its sum, by a user who may have LIMIT processes.
    limited() {
        capture setpriv --reuid 54322 --clear-groups bash -c "ulimit -u $1 && exec reduce -d sim --input-format raw:i32 $2"
    }
    for limit in 3 4 5 6 7 8 10 12 14 17 20 24; do
        limited "$limit" small
        [ "$status" -eq 0 ] || continue
        limited "$limit" large
        expect_status 0
        expect_output $((0x01010101 * 2250000))
        worked=$((worked + 1))
    done
    [ $worked -ge 6 ]
}
