#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What devquery promises: the same properties for every device, one per row, consistent with each other.

load helpers

# value PROPERTY: its value on the device under test.
value() { devquery -d "$device" --prop "$1" --value; }

@test "CSV has a row per property with device, group, value, unit and source" {
    expect_fine devquery --csv
    expect_clean_table
    [ "$(head -1 <<<"$output")" = device,group,property,value,unit,source ]
    [ "$(column property | sort | uniq -d)" = "" ]
    [ "$(column group | uniq | paste -sd ' ')" = "identity memory multiprocessors limits features clocks derived" ]
    [ "$(column device | sort -u)" = "$(if on_simulator; then echo sim; else echo 0; fi)" ]
}

@test "every property that courses ask for is there" {
    local property
    expect_fine devquery --csv
    column property >properties
    for property in name architecture features uuid pci_bus_id compute_capability multiprocessors warp_size threads_per_block threads_per_multiprocessor \
        registers_per_block registers_per_multiprocessor shared_memory_per_block_bytes shared_memory_per_block_optin_bytes \
        shared_memory_per_multiprocessor_bytes constant_memory_bytes l2_cache_bytes total_memory_bytes bus_width_bits \
        sm_clock_khz memory_clock_khz max_grid_dim_x max_grid_dim_y max_grid_dim_z max_block_dim_x max_block_dim_y max_block_dim_z \
        copy_engines concurrent_kernels ecc unified_addressing managed_memory driver_cuda_version runtime_cuda_version \
        fp32_cores peak_memory_gbyte_per_s peak_f32_tflop_per_s; do
        grep -q -x "$property" properties || complain "no $property"
    done
}

@test "values are those of a CUDA device and agree with each other" {
    [ "$(value warp_size)" -eq 32 ]
    [ "$(value threads_per_block)" -eq 1024 ]
    [ "$(value max_block_dim_x),$(value max_block_dim_y),$(value max_block_dim_z)" = 1024,1024,64 ]
    [ "$(value max_grid_dim_x),$(value max_grid_dim_y)" = 2147483647,65535 ]
    [ "$(value shared_memory_per_block_bytes)" -eq 49152 ]
    [ "$(value shared_memory_per_block_optin_bytes)" -le "$(value shared_memory_per_multiprocessor_bytes)" ]
    [ "$(value free_memory_bytes)" -gt 0 ]
    [ "$(value free_memory_bytes)" -le "$(value total_memory_bytes)" ]
    [ "$(value simulated)" -eq "$(if on_simulator; then echo 1; else echo 0; fi)" ]
    [[ $(value uuid) =~ ^GPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$ ]]
    [[ $(value compute_capability) =~ ^[0-9]+\.[0-9]$ ]]
    [ $(($(value fp32_cores) % $(value multiprocessors))) -eq 0 ]
    # bus width in bytes x memory clock x 2 transfers
    awk -v bits="$(value bus_width_bits)" -v khz="$(value memory_clock_khz)" -v peak="$(value peak_memory_gbyte_per_s)" \
        'BEGIN { exit !(bits / 8 * khz * 2e3 / 1e9 - peak < 0.1 && peak - bits / 8 * khz * 2e3 / 1e9 < 0.1) }'
    if ! on_simulator && command -v nvidia-smi >/dev/null; then
        [ "$(value uuid)" = "$(nvidia-smi --query-gpu=uuid --format=csv,noheader | head -1)" ]
        [ "$(value compute_capability)" = "$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1)" ]
    fi
}

@test "--prop chooses by names and globs, and an unknown name is refused with the nearest one" {
    expect_fine devquery --prop 'warp_size,max_grid_dim_?' --csv --no-header
    [ "$(cut -d , -f 3 <<<"$output" | sort | paste -sd ' ')" = "max_grid_dim_x max_grid_dim_y max_grid_dim_z warp_size" ]
    refuses 2 "unknown property 'warpsize'; did you mean 'warp_size'\?" devquery --prop warpsize
    refuses 2 "unknown property 'z\*'" devquery --prop 'name,z*'
    refuses 2 "prop" devquery --prop ''
}

@test "--value prints bare values for shell variables, in the table's order" {
    expect_fine devquery --prop 'max_block_dim_*,warp_size' --value
    expect_output "32
1024
1024
64"
}

@test "--list names the devices" {
    expect_fine devquery --list --csv
    expect_clean_table
    [ "$(head -1 <<<"$output")" = device,name,compute_capability,multiprocessors,memory_bytes,uuid,pci_bus_id ]
    [ "$(column uuid | head -1)" = "$(value uuid)" ]
    [ "$(column multiprocessors | head -1)" = "$(value multiprocessors)" ]
}

# facts CAPABILITY: what --capabilities says of it: architecture, threads, blocks, registers, shared memory.
facts() {
    columns compute_capability architecture threads_per_multiprocessor blocks_per_multiprocessor registers_per_multiprocessor \
        shared_memory_per_multiprocessor_bytes | awk -v of="$1" '$1 == of { print $2, $(NF - 3), $(NF - 2), $(NF - 1), $NF }'
}

@test "--capabilities has every generation, once, with the limits that the occupancy calculator uses" {
    local range first last name
    expect_fine devquery --capabilities --csv
    expect_clean_table
    [ "$(column compute_capability)" = "$(matadd -q -d sim --occupancy cc=all --csv | sed 1d | cut -d , -f 1 | uniq)" ]
    # As the tutorial lists them, and those since.
    column compute_capability >capabilities
    column architecture >architectures
    for range in 1.0:1.3:Tesla 2.0:2.1:Fermi 3.0:3.7:Kepler 5.0:5.3:Maxwell 6.0:6.2:Pascal 7.0:7.2:Volta 7.5:7.5:Turing 8.0:8.8:Ampere \
        '8.9:8.9:Ada Lovelace' 9.0:9.0:Hopper 10.0:12.1:Blackwell; do
        IFS=: read -r first last name <<<"$range"
        [ "$(paste capabilities architectures | awk -F '\t' -v first="$first" -v last="$last" '$1 >= first && $1 <= last { print $2 }' |
            sort -u)" = "$name" ] || complain "$first to $last are $name"
    done
    # Cores as deviceQuery counts them; registers of a block, fewer than a multiprocessor's on the Jetsons and the K80.
    [ "$(columns compute_capability f32_lanes f64_lanes registers_per_block | awk '$1 == 1.0 || $1 == 1.3 || $1 == 2.1 || $1 == 3.2 || $1 == 3.7 || $1 == 5.3 || $1 == 8.7')" = "\
1.0 8 - 8192
1.3 8 1 16384
2.1 48 4 32768
3.2 192 8 32768
3.7 192 64 65536
5.3 128 4 32768
8.7 128 2 65536" ]
    [ "$(columns compute_capability f32_lanes | awk '$2 == "-" { print $1 }')" = 8.8 ]
    [ "$(facts 2.0)" = "Fermi 1536 8 32768 49152" ]
    [ "$(facts 7.5)" = "Turing 1024 16 65536 65536" ]
    [ "$(facts 9.0)" = "Hopper 2048 32 65536 233472" ]
    # What the tutorial says came with each.
    paste architectures <(column introduced) >features
    for range in 'Fermi:ballots.*32-bit floats.*grids in 3' Kepler:shuffles 'Kepler:dynamic parallelism' 'Maxwell:half precision' \
        'Pascal:64-bit floats' 'Volta:tensor cores' 'Ampere:residency in L2'; do
        grep -q "^${range%:*}$(printf '\t').*${range#*:}" features || complain "not there: $range"
    done
}

@test "--capabilities needs no device, and prints one table for several" {
    CUDA_VISIBLE_DEVICES='' capture devquery --capabilities --csv
    expect_status 0
    [ -z "$errors" ] || complain "what speaks of a device: $errors" || return
    printf '%s\n' "$output" >alone
    capture devquery -d all --capabilities --csv
    expect_status 0
    [ "$output" = "$(cat alone)" ]
}

@test "the device's architecture, features and limits are those of its capability" {
    local capability
    capability=$(value compute_capability)
    expect_fine devquery --capabilities --csv
    [ "$(facts "$capability" | cut -d ' ' -f 1)" = "$(value architecture | cut -d ' ' -f 1)" ]
    [ "$(facts "$capability" | awk '{ print $(NF - 3), $(NF - 2), $(NF - 1) }')" = \
        "$(value threads_per_multiprocessor) $(value blocks_per_multiprocessor) $(value registers_per_multiprocessor)" ]
    [[ "$(value features)" == *"$(columns compute_capability introduced | sed -n "s/^$capability //p")"* ]]
}

@test "--roofline: a course's figures, the ridge, and the device's own peaks" {
    expect_fine devquery --csv --roofline=gflop_per_s=1000,gbyte_per_s=150,bytes_per_flop=4,bytes_per_flop=6,bytes_per_flop=0.15
    expect_clean_table
    [ "$(columns needed_gbyte_per_s attainable_gflop_per_s percent_of_peak limiter)" = "4000.0 37.5 3.75 memory
6000.0 25.0 2.50 memory
150.0 1000.0 100.00 arithmetic" ]
    expect_fine devquery --csv --roofline=gflop_per_s=345.6,bus_bits=384,memory_mhz=1800,bytes_per_flop=4
    [ "$(columns gbyte_per_s attainable_gflop_per_s)" = "86.4 21.6" ]
    # Without figures, those of the device: each point is on its roof.
    expect_fine devquery --csv --roofline
    [ "$(column bytes_per_flop | wc -l)" -eq 9 ]
    [ "$(column limiter | uniq | paste -sd ' ')" = "arithmetic memory" ]
    columns bytes_per_flop gbyte_per_s gflop_per_s attainable_gflop_per_s | awk '
        { roof = $2 / $1 < $3 ? $2 / $1 : $3; if (($4 - roof) ^ 2 > (roof * 1e-3 + 0.1) ^ 2) exit 1 }'
}

@test "--little: what is in flight is latency times throughput, and more of it per thread needs fewer warps" {
    expect_fine devquery --csv --little=gpu=rtx2080ti
    expect_clean_table
    [ "$(column gpu | sort -u)" = "NVIDIA GeForce RTX 2080 Ti (published figures)" ]
    [ "$(column instructions | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd ' ')" = "4 arithmetic 8 memory" ]
    columns latency_cycles per_cycle in_flight bytes_per_load in_flight_per_thread threads_per_multiprocessor \
        warps_per_multiprocessor occupancy_percent possible >ways
    awk '{ bytes = $4 == "-" ? 1 : $4 }
        ($1 * $2 / $3 - 1) ^ 2 > 1e-4 || $6 < $3 / (bytes * $5) || $6 > $3 / (bytes * $5) + 1 || $7 != (bytes == 1 && $6 < 128 ? 4 : int(($6 + 31) / 32)) ||
        ($8 - $7 / 32 * 100) ^ 2 > 0.01 || $9 != ($8 <= 100) { print; bad = 1 } END { exit bad }' ways
    # 64 lanes for 4 cycles, or a book's 20.
    [ "$(head -1 ways)" = "4.00 64.00 256.0 - 1 256 8 25.00 1" ]
    expect_fine devquery --csv --little=gpu=rtx2080ti,latency=20
    [ "$(columns in_flight warps_per_multiprocessor possible | head -2)" = $'1280.0 40 0\n1280.0 20 1' ]
    [ "$(column gpu | head -1)" = "own figures and NVIDIA GeForce RTX 2080 Ti (published figures)" ]
    # Its memory, in cycles of its own clock: 88 bytes.
    expect_fine devquery -f human --little=gpu=rtx2080ti,gbyte_per_s=616,clock_mhz=7000
    expect_output_like "Memory moves 88 bytes per cycle of 7000 MHz"
    on_simulator || return 0
    expect_fine devquery --csv --little
    [ "$(column gpu | sort -u)" = "NVIDIA H200" ]
}

@test "questions with unknown, invalid or contradictory figures are refused" {
    refuses 2 "--little 'latencies' is not one of gpu, latency, .*; did you mean 'latency'" devquery --little=latencies=3
    refuses 2 "--little latency '0' is not a number above 0" devquery --little=latency=0
    refuses 2 "--roofline gbyte_per_s 'fast' is not a number above 0" devquery --roofline=gbyte_per_s=fast
    refuses 2 "--little: there is no GPU model 'h2000'" devquery --little=gpu=h2000
    refuses 2 "bus_bits and memory_mhz make a bandwidth together" devquery --roofline=bus_bits=384
    refuses 2 "say what gbyte_per_s says" devquery --roofline=bus_bits=384,memory_mhz=900,gbyte_per_s=4
    refuses 2 "say all of a GPU; leave gpu out" devquery --roofline=gpu=h200,gbyte_per_s=4,gflop_per_s=4
    refuses 2 "--p2p and --little print different tables" devquery --p2p --little
    refuses 2 "--capabilities and --roofline print different tables" devquery --capabilities --roofline
}

@test "a GPU is found by number, UUID and PCI id, whole or in part" {
    if on_simulator; then skip "the simulator has one name: sim"; fi
    local uuid pci
    uuid=$(value uuid)
    pci=$(value pci_bus_id)
    for name in 0 "$uuid" "${uuid:0:12}" "${uuid:4:8}" "$pci" "${pci:5}"; do
        expect_fine devquery -d "$name" --prop uuid --value
        expect_output "$uuid"
    done
}

@test "a UUID that begins with digits is found among several, and a word that names none or two is refused" {
    unit_program units/devices
    capture ./devices 2 0,1 11223918 11224 GPU-11224055 9f5b 43:00.0 0000:9d 9f5b,0 1122 3 112 11223919 GPU-
    expect_status 0
    expect_output "2: 2
0,1: 0 1
11223918: 0
11224: 1
GPU-11224055: 1
9f5b: 2
43:00.0: 1
0000:9d: 2
9f5b,0: 2 0
1122: 2, '1122' names 2 GPUs; give more of the id
3: 77, no GPU '3': there are numbers 0 to 2; devquery --list shows them
112: 77, no GPU '112': there are numbers 0 to 2; devquery --list shows them
11223919: 77, no GPU '11223919': there are numbers 0 to 2; devquery --list shows them
GPU-: 2, 'GPU-' names 3 GPUs; give more of the id"
}

@test "--p2p says for each pair of devices whether one can access the other's memory" {
    expect_fine devquery --p2p --csv
    expect_clean_table
    [ "$(head -1 <<<"$output")" = from_device,to_device,access,native_atomics,performance_rank ]
    [ "$(sed -n 2p <<<"$output")" = 0,0,1,1,0 ]
}

@test "the simulator has as many devices as SIMCC_DEVICES says" {
    SIMCC_DEVICES=3 capture devquery -d sim --p2p --csv
    expect_status 0
    [ "$(column to_device | paste -sd ' ')" = "0 1 2" ]
}

@test "all formats show the same properties" {
    need jq
    expect_fine devquery --prop 'max_*' --csv
    column property >expected
    expect_fine devquery --prop 'max_*' -f tsv
    expect_clean_table $'\t'
    cut -f 3 stdout | sed 1d | diff expected -
    expect_fine devquery --prop 'max_*' --json
    jq -r .property stdout | diff expected -
    expect_fine devquery --prop 'max_*' -f md
    sed 1,2d stdout | awk -F '|' '{ print $3 }' | tr -d ' ' | diff expected -
    expect_fine devquery --prop 'max_*' -f human
    expect_output_like '^device (sim|0): '
    sed 1,2d stdout | awk '{ print $2 }' | diff expected -
}

@test "mlr and jq read the table" {
    need mlr jq
    pipeline 'devquery -d $device | mlr --icsv --onidx filter "\$property == \"warp_size\"" then cut -f value'
    expect_status 0
    expect_no_errors
    expect_output 32
    pipeline 'devquery -d $device --json | jq -r "select(.property == \"warp_size\") | .value | tonumber"'
    expect_status 0
    expect_no_errors
    expect_output 32
}

@test "the human table has the digits of the machine formats" {
    on_simulator || skip "needs the simulator's device"
    local peak
    # A multiply-add is two operations.
    peak=$(awk -v cores="$(value fp32_cores)" -v khz="$(value sm_clock_khz)" 'BEGIN { printf "%.3f", 2 * cores * khz / 1e9 }')
    [ "$(value peak_f32_tflop_per_s)" = "$peak" ]
    capture devquery -d sim --format human
    expect_status 0
    expect_output_like "peak_f32_tflop_per_s +$peak "
}
