#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The tables: one header for all programs, five formats, and pipelines into other programs.

# Tests side by side on a GPU

load helpers

common_header=schema,tool,kernel,dtype,n,bytes,flop,grid,block,smem_bytes,device,device_uuid,timer,cache,warmup,samples,min_ns,p25_ns,median_ns,p75_ns,max_ns,mean_ns,gbyte_per_s,gflop_per_s,sm_clock_mhz,throttled,verify,driver_version,host_name,run_utc,version,cuda_version,compiler

# The columns of --counters, as the header has them.
counters() { reduce --counters -k shared-tree -n 10 --csv | head -1 | tr , '\n' | grep -v -e '^p_' | tail -n +34 | paste -sd ,; }

@test "CSV has the header of the schema, then only the program's own columns" {
    local program header counters
    counters=$(counters)
    [[ $counters == gld_requests,*,exchanges,* ]]
    for program in $(benchmarks); do
        expect_fine "$program" -n 10,100 --csv
        expect_clean_table
        header=$(head -1 <<<"$output")
        # If a program is about the counters, they follow.
        if on_simulator; then header=${header%",$counters"}; fi
        [[ $header == "$common_header",* || $header == "$common_header" ]] || complain "header: $header"
        # (Columns of devices that work together have the names of --gang in all programs.)
        [ -z "$(tr , '\n' <<<"${header#"$common_header"}" | grep -v -x -e 'p_.*' -e '' -e gang -e ranks)" ]
        [ "$(column tool | sort -u)" = "$program" ]
        [ "$(column schema | sort -u)" = 3 ]
    done
}

@test "CSV stays clean with every option that adds columns or rows" {
    local program versus
    for program in $(benchmarks); do
        versus=(--versus "$(variants "$program" | head -1)")
        if counts_here "$program"; then
            refuses 2 "--versus compares times, and in the simulator $program counts" "$program" -n 33 "${versus[@]}"
            versus=()
        fi
        expect_fine "$program" -n 0,1,33 --ladder "${versus[@]}" --raw -r 2 --csv
        expect_clean_table
        for options in --list '--list --no-verify'; do
            # shellcheck disable=SC2086  # one word per option
            expect_fine "$program" $options --csv
            expect_clean_table
        done
    done
}

@test "the columns of a row agree with each other" {
    local program timer=event
    if on_simulator; then timer=sim; fi
    for program in $(benchmarks); do
        expect_fine "$program" -n 1,100 -r 9 --csv
        [ "$(column timer | grep -c -v -x -e host -e $timer)" -eq 0 ]
        # Host rows have no device; the host's clock may also time a device's work.
        [ "$(columns device device_uuid timer | grep ^host | grep -c -v -x 'host none host')" -eq 0 ]
        # Order statistics are ordered; rates are bytes and flop divided by the median, to three digits even if they are
        # tiny; host rows have no launch.
        columns samples min_ns p25_ns median_ns p75_ns max_ns mean_ns bytes gbyte_per_s flop gflop_per_s | awk '
            function is(rate, shown) {
                within = (0.006 + 0.05 / $4) * rate
                return rate - shown <= within && shown - rate <= within
            }
            !($1 >= 1 && $1 <= 9 && $2 > 0 && $2 <= $3 && $3 <= $4 && $4 <= $5 && $5 <= $6 && $7 >= $2 && $7 <= $6 &&
              is($8 / $4, $9) && is($10 / $4, $11))' >wrong
        [ ! -s wrong ] || complain "rows that contradict themselves: $(cat wrong)"
    done
}

@test "every row says where and when it was measured: driver, machine and one time in UTC" {
    local program before after
    for program in reduce vecadd; do
        before=$(date -u +%FT%TZ)
        TZ=UTC-5 expect_fine "$program" -n 1,100 -r 3 --csv
        after=$(date -u +%FT%TZ)
        [ "$(column host_name | sort -u)" = "$(uname -n)" ]
        [ "$(column run_utc | sort -u | wc -l)" -eq 1 ]
        [[ ! $(column run_utc | tail -1) < $before && ! $(column run_utc | tail -1) > $after ]] || complain "not between $before and $after"
        # Host and simulator rows have no driver.
        columns timer driver_version | grep -v -x -E '(host|sim) none|event [0-9]+(\.[0-9]+)+' >wrong || continue
        complain "timers and drivers: $(cat wrong)"
    done
}

@test "the driver's version comes from NVML; without NVML, or for a device that it does not know, there is none" {
    local sources=("$root/tests/units/origin.cpp" "$root"/common/measure/{origin,nvml,version}.cpp)
    "${CXX:-g++}" -std=c++20 -I "$root" "${sources[@]}" -ldl -o origin
    "${CXX:-g++}" -std=c++20 -I "$root" -DAS_NVML -shared -fPIC "${sources[0]}" -o libnvidia-ml.so.1
    capture env LD_LIBRARY_PATH=. ./origin
    expect_output $'580.65.06\nnone\nnone\n1'
    if ! ldconfig -p | grep -q libnvidia-ml; then
        capture ./origin
        expect_output $'none\nnone\nnone\n1'
    fi
}

@test "tables of several programs have the same first columns and concatenate" {
    pipeline '{ reduce -d $device -n 100 --csv; vecadd -d $device -n 100 --csv --no-header; } | cut -d , -f 1-33'
    expect_status 0
    expect_clean_table
    [ "$(column tool | uniq | paste -sd ' ')" = "reduce vecadd" ]
}

@test "TSV has the same cells as CSV" {
    expect_fine reduce --list --csv
    local csv=$output
    expect_fine reduce --list --tsv
    expect_clean_table $'\t'
    [ "$(cut -f 1-3 <<<"$output")" = "$(cut -d , -f 1-3 --output-delimiter $'\t' <<<"$csv")" ]
}

@test "JSON Lines has the keys of CSV and all samples" {
    need jq
    expect_fine reduce -n 100,1000 -r 7 --max-ci 0 --json
    jq -e . <stdout >/dev/null
    [ "$(jq -s length <stdout)" -eq "$(($(variants reduce | wc -l) * 2))" ]
    [ "$(head -1 stdout | jq -r 'keys_unsorted | join(",")')" = "$common_header,p_op,p_offset,p_error_ulp,samples_ns,median_ci_ns" ]
    jq -e -s 'all(.[]; .samples == 7 and (.samples_ns | length) == 7 and (.samples_ns | min) >= .min_ns - 0.1
        and (.n | type) == "number" and (.median_ns | type) == "number" and .median_ci_ns[0] <= .median_ci_ns[1])' <stdout >/dev/null
    [[ $(head -1 stdout) =~ \"samples_ns\":\[([0-9]+\.[0-9],){6}[0-9]+\.[0-9]\] ]] || complain "samples with other digits"
    cp stdout json
    expect_fine reduce -n 100,1000 -f jsonl
    [ "$(jq -r .kernel <stdout)" = "$(jq -r .kernel <json)" ]
    expect_fine reduce --list --json
    jq -e -s 'all(.[]; .kernel != "" and .idea != "")' <stdout >/dev/null
}

@test "in JSON numbers are numbers, and cells that do not apply are null" {
    need jq
    expect_fine reduce -n 1000 -k cpu,shared-tree --ladder --json
    jq -e -s '.[0] | .grid == null and .block == null and .smem_bytes == null and .device_uuid == null and .cache == null
        and .step_speedup == null and .n == 1000 and .median_ns > 0' <stdout >/dev/null
    jq -e -s '.[1] | .step_speedup == 1 and (.cpu_speedup | type) == "number" and .smem_bytes > 0 and .device_uuid != null' <stdout >/dev/null
    expect_fine vecadd -n 1000 -k cpu,grid-stride --json
    jq -e -s '.[0].p_alloc_ns == null and .[0].p_memory == "device"' <stdout >/dev/null
    capture reduce --counters -n 1000 -k cpu,shared-tree --json -q
    jq -e -s '.[0].gld_sectors_per_request == null and .[1].gld_sectors_per_request > 1 and .[1].gld_requests > 1' <stdout >/dev/null
    expect_fine devquery --json
    jq -e -s 'map({(.property): .value}) | add | .warp_size == 32 and .ordinal == 0 and (.name | type) == "string"
        and (.total_memory_bytes | type) == "number" and (.runtime_cuda_version | type) == "string"' <stdout >/dev/null
    jq -e -s 'all(.[]; .unit != "none" and .unit != "unknown" and .value != "unknown")' <stdout >/dev/null
}

# ---- the human table on a terminal

# The longest line of standard input.
longest_line() { awk '{ if (length($0) > most) most = length($0) } END { print most + 0 }'; }

# words FILE: its words, sorted, each once.
words() { tr -s ' ' '\n' <"$1" | sort -u; }

@test "human output fits the terminal, and no word is broken" {
    local command columns
    for command in 'reduce --list' 'reduce --help' 'matmul --help' 'memcheckdemo --list' 'devquery -v' 'devquery --list' \
        'memcheckdemo --help' 'reduce -n 1000 -k cpu,sh*' 'vecadd -n 1000' 'matmul -n 16 -k naive,cpu' \
        'reduce --by-line -n 100 -k shuffle-tree' 'reduce --counters -n 100 -k shared-tree'; do
        [[ $command != *--by-line* && $command != *--counters* ]] || on_simulator || continue
        COLUMNS=100000 bash -c "${command/ / -d $device -q -f human }" >wide
        for columns in 40 80 132; do
            COLUMNS=$columns bash -c "${command/ / -d $device -q -f human }" >narrow || complain "$command"
            [ "$(longest_line <narrow)" -le $columns ] || complain "$command: $(longest_line <narrow) of $columns columns: $(cat narrow)"
            # Figures differ between runs, but words do not. Words of the notes and paths are longer.
            comm -13 <(words wide) <(words narrow) | grep -v -E '^[0-9.-]+$' |
                grep -v -x -E '\(?left|out:|columns|of|or|a|terminal|--csv|shows|all\)|and|.*[,;]|to|simulate:|level|with|times|is|the|fastest.*|.*\.' >broken || true
            [ ! -s broken ] || complain "$command in $columns columns breaks: $(cat broken)"
        done
    done
    for columns in 40 60 80; do
        [ "$(COLUMNS=$columns simcc --help | longest_line)" -le $columns ] || complain "simcc --help in $columns columns"
    done
}

@test "a row that is wider than usual begins a table that fits" {
    local columns
    for columns in 60 64 67 70 80; do
        COLUMNS=$columns expect_fine vecadd -n 100 -k one-per-thread --memory all -f human
        [ "$(longest_line <stdout)" -le $columns ] || complain "$(longest_line <stdout) of $columns columns"
    done
}

@test "the terminal's width counts, unless COLUMNS overrides it" {
    need script
    local shown
    for columns in 50 80 132; do
        shown=$(on_terminal $columns "memcheckdemo -q --list; reduce -d $device -q -k 'cpu,sh*' -n 1000")
        [ "$(longest_line <<<"$shown")" -le $columns ] || complain "$(longest_line <<<"$shown") of $columns columns"
    done
    shown=$(on_terminal 132 "COLUMNS=60 memcheckdemo -q --list")
    [ "$(longest_line <<<"$shown")" -le 60 ]
    # Without a terminal there is no limit.
    [ "$(memcheckdemo -q --list -f human | longest_line)" -gt 200 ]
}

@test "columns that do not fit are named below the table, and many that do not fit make paragraphs" {
    COLUMNS=44 try reduce -n 1000 -k cpu,shared-tree -f human
    expect_output_like '\(left out: .*grid'
    expect_output_like 'or[[:space:]]+--csv[[:space:]]+shows[[:space:]]+all\)'
    [[ $(grep ^kernel stdout) == *verify && $(grep ^kernel stdout) != *grid* ]] || complain "the head has other columns"
    COLUMNS=30 try memcheckdemo --list -f human
    expect_output_like $'\nclass                memcheck\n'
    expect_output_like $'\n\nplant\n  [a-z-]+\n'
    [ "$(grep -c '^plant' stdout)" -eq "$(memcheckdemo --list --csv --no-header | wc -l)" ]
}

@test "the human table has the columns that apply to its rows, and no number becomes 0" {
    # A matrix that is transposed is not computed with; the host has no blocks.
    expect_fine transpose -n 64 -k cpu -f human
    [[ $(grep ^kernel stdout) =~ ^kernel\ .*rows.*verify && ! $(grep ^kernel stdout) =~ grid|block|FLOP|peak ]] ||
        complain "columns without a value"
    expect_fine reduce -n 10 -k 'cpu,sequential' -f human
    [[ $(grep ^kernel stdout) == kernel*grid*block*verify* ]] || complain "the host's row chose the columns"
    [ -z "$(awk '$1 == "cpu" || $1 == "sequential" { for (i = 3; i <= NF; ++i) if ($i ~ /^0[.]0+$/ && i != 5) print }' stdout)" ] ||
        complain "a time of 0"
    # Steps of a ladder are no columns without a kernel, nor are ratios to the host without a variant on it.
    expect_fine vecadd -n 100 -k unroll4,vector4 --ladder -f human
    [[ $(grep ^kernel stdout) == *cumulative* && $(grep ^kernel stdout) != *CPU* ]] || complain "a ratio to nothing"
    expect_fine vecadd -n 100 -k cpu --ladder -f human
    [[ $(grep ^kernel stdout) == *'over CPU'* && $(grep ^kernel stdout) != *cumulative* ]] || complain "a step of nothing"
    if ! on_simulator; then return; fi
    SIMCC_DEVICES=2 expect_fine vecadd -n 100 -k vector4 --gang --predict 4 -f human
    [ "$(grep -c '^kernel.*exchange' stdout) $(grep -c '^kernel.*verify' stdout)" = "2 4" ] || complain "an exchange that is not predicted"
    # All counters of one kernel: those that it has not used are missing, and the table fits.
    COLUMNS=100 try reduce --counters -n 1000 -k cpu,shared-tree -f human
    [[ $(grep ^kernel stdout) == *'shared loads'* && $(grep ^kernel stdout) != *texture* ]] || complain "which columns?"
    [ "$(longest_line <stdout)" -le 100 ]
}

@test "the counters of a ladder are one table on a narrow terminal, with those that tell its variants apart" {
    on_simulator || skip "counters of the simulator"
    # heads: how many tables there are, and the columns of the first
    heads() { echo "$(grep -c '^kernel ' stdout): $(grep -m 1 '^kernel ' stdout | tr -s ' ')"; }
    local columns
    for columns in 80 60; do
        COLUMNS=$columns try reduce --counters -n 4Ki -k 'interleaved-*,sequential,first-add' --no-predict -f human
        [ "$(longest_line <stdout)" -le $columns ]
        [[ $(heads) == '1: kernel '*'shared loads wavefronts each'* ]] || complain "$columns: $(heads)"
        [ "$(grep -c -E '^(interleaved|sequential|first-add)' stdout)" -eq 5 ]
    done
    # What is the same in all of them goes first, even though it is to the left.
    expect_output_like 'left out: .*verify.*loads,[[:space:]]sectors[[:space:]]each'
    COLUMNS=80 try transpose --counters -n 4Ki -k 'naive-*,tile,padded' --no-predict -f human
    [[ $(heads) == '1: kernel '*'wavefronts each'* ]] || complain "$(heads)"
    COLUMNS=80 try trapezoid --counters -n 4Ki --no-predict -f human
    [[ $(heads) == '1: kernel '* ]] || complain "$(heads)"
}

@test "--columns shows the named columns, in that order and in every format" {
    local format
    expect_fine reduce -n 1000 -k cpu,shared-tree --columns verify,kernel,n --csv
    expect_output $'verify,kernel,n\npass,cpu,1000\npass,shared-tree,1000'
    expect_fine reduce -n 1000 -k shared-tree --columns 'n,kernel' --json
    expect_output_like '^\{"n":1000,"kernel":"shared-tree"'
    expect_fine reduce -n 1000 -k cpu,shared-tree --columns 'kernel,p_o*,smem_bytes' -f human
    expect_output_like $'\nkernel +p_op +p_offset +smem_bytes\ncpu +sum +0 +-\nshared-tree +sum +0 +1024'
    # A narrow table keeps the first ones.
    COLUMNS=24 try reduce -n 1000 -k shared-tree --columns 'kernel,p_o*,smem_bytes' -f human
    expect_output_like $'\nkernel +p_op\nshared-tree +sum\n\(left out: p_offset[[:space:]]and'
    refuses 2 "--columns: this table has no column 'kernle'" reduce -n 1000 -k shared-tree --columns kernle
    on_simulator || return 0
    expect_fine reduce -n 1000 -k shared-tree --counters --columns 'kernel,sld_conflicts,gld_sectors_per*' -f human
    expect_output_like $'\nkernel +sld_conflicts +gld_sectors_per_request\nshared-tree +0 +3.9062'
    expect_fine reduce -n 1000 -k shared-tree --by-line --columns 'line,sld_requests' --csv
    expect_output_like $'^line,sld_requests\n[0-9]+,[0-9]+\n'
}

@test "the human table has no digit that the machine formats do not have" {
    expect_fine trapezoid -n 100 -k cpu --csv
    local integral off
    read -r integral off <<<"$(columns p_integral p_off_closed_form)"
    expect_fine trapezoid -n 100 -k cpu -f human
    expect_output_like $'\n'"cpu +100 +$integral +$off "
}

@test "what does not apply is empty in CSV, null in JSON, and left out by sums and means" {
    need mlr
    expect_fine reduce -n 10 -k 'cpu,sequential' --csv
    if on_simulator; then [ -z "$(column sm_clock_mhz | tr -d '\n')" ] || complain "the simulator has a clock"; fi
    [ "$(column smem_bytes | head -1)" = "" ] && [ "$(column smem_bytes | tail -1)" -gt 0 ] || complain "no shared memory"
    [ "$(mlr --icsv --onidx stats1 -a mean,count -f smem_bytes stdout)" = "$(column smem_bytes | tail -1) 1" ] ||
        complain "a mean counts the host"
    expect_fine reduce -n 10 -k cpu --json
    [[ $output == *'"smem_bytes":null'* ]] || complain "not null"
}

@test "rows of the human table appear when they are known, and an interrupt keeps those that were measured" {
    local size='-n 256Ki -r 500'
    on_simulator || size='-n 16Mi -r 100'
    # (A program in the background ignores interrupts unless it is told not to.)
    # shellcheck disable=SC2086  # options
    perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' reduce -q -d "$device" -k cpu,sequential,atomic-global $size -w 0 --timeout 1000 \
        --max-ci 0 -f human >table 2>errors &
    local program=$!
    timeout 60 bash -c 'until grep -q "^atomic-global " table; do sleep 0.05; done' || complain "the first row did not appear"
    kill -INT $program
    status=0
    wait $program || status=$?
    expect_status 130
    [ ! -s errors ]
    # (A GPU's table has columns after the verdict.)
    [[ $(sed -n 2p table) == kernel* && $(sed -n 3p table) =~ ^cpu\ .*\ pass(\ .*)?$ ]] || complain "$(cat table)"
    [ "$(tail -c 1 table | od -An -c | tr -d ' ')" = '\n' ]
}

@test "the human output of a benchmark ends with a sentence: the fastest, compared with the second and the peer" {
    local format
    expect_fine vecadd -n 100k -k 'cpu*,one-per-thread,vector4' --versus one-per-thread -r 9 -f human
    [[ $(tail -1 <<<"$output") =~ ^[a-z0-9-]+\ is\ the\ fastest(\ to\ simulate)?:\ (level\ with|[0-9.]+\ times)\ [a-z0-9-]+(\ \(uncertain\))?\.$ ]] ||
        complain "no sentence"
    # The table's figures confirm it, to the digits shown.
    expect_fine reduce -n 16Ki -k 'cpu,atomic-global,tagged,shared-tree' -r 9 -f human
    awk '/ pass( |$)/ && $1 != "cpu" { time[$1] = $5 }
        / is the fastest/ {
            sub(/ \(uncertain\)/, "")
            fastest = $1
            second = $NF
            sub(/\.$/, "", second)
            if (!(fastest in time && second in time) || fastest == second) wrong = 1
            for (name in time) if (time[name] < time[fastest] || (name != fastest && time[name] < time[second])) wrong = 1
            ratio = $(NF - 2)
            if (ratio != "level" && (time[second] / time[fastest] > ratio + 0.1 * ratio || time[second] / time[fastest] < 0.9 * ratio)) wrong = 1
            seen = 1
        }
        END { exit wrong || !seen }' stdout || complain "$(cat stdout)"
    for format in csv tsv jsonl md; do
        expect_fine reduce -n 100 -k 'cpu,s*' -f $format
        [[ $output != *fastest* ]] || complain "$format has a sentence"
    done
}

@test "Markdown is one pipe table" {
    expect_fine reduce -n 100 -k 'cpu*,s*' -f md
    expect_output_like '^\| kernel '
    [ "$(sed -n 2p <<<"$output" | tr -d -- '-|:')" = "" ]
    [ "$(tr -d -c '|\n' <<<"$output" | sort -u | wc -l)" -eq 1 ]  # the same number of bars in each line
    [ "$(wc -l <stdout)" -eq 10 ]
}

@test "the human table is aligned, and shows rates for a GPU but never for the simulator" {
    expect_fine reduce -n 1000 -f human
    expect_output_like 'kernel +n +grid'
    expect_output_like 'single-pass'
    if on_simulator; then
        expect_output_like "simulation's on this CPU, not a GPU's"
        expect_output_like 'simulated in ms'
        [[ $output != *GB/s* && $output != *FLOP* ]]
    else
        expect_output_like 'median us .*GB/s .*% of peak'
    fi
    [ -z "$(grep -E ' $' stdout)" ]  # no trailing blanks
    # Below its title the table has a head and a row per variant, and each "pass" begins where "verify" does.
    sed '1d; $d' stdout | awk -v rows="$(variants reduce | wc -l)" '
        NR == 1 { at = index($0, "verify") } NR > 1 && substr($0, at - 2, 7) !~ /^  pass( |$)/ { wrong = 1 }
        END { exit wrong || NR != rows + 1 }' || complain "not aligned"
    [[ $(tail -1 stdout) == *" is the fastest"* ]] || complain "no sentence"
}

@test "the format is human on a terminal, CSV elsewhere, and can be chosen" {
    need script
    [[ $(on_terminal 80 "reduce -d $device --progress never -k cpu -n 10") == *"kernel"*"verify"* ]]
    [[ $(on_terminal 80 "reduce -d $device --progress never -k cpu -n 10") != *schema* ]]
    [[ $(on_terminal 80 "reduce -d $device --progress never -k cpu -n 10 --csv") == schema,* ]]
    [[ $(reduce -d "$device" -k cpu -n 10) == schema,* ]]
    [[ $(on_terminal 80 "reduce -d $device --progress never -k cpu -n 10 -o file"; cat file) == schema,* ]]
}

@test "--no-header leaves out the header and nothing else" {
    expect_fine reduce --list --csv
    local rows
    rows=$(sed 1d <<<"$output")
    expect_fine reduce --list --csv --no-header
    expect_output "$rows"
    expect_fine reduce -k cpu -n 10 --csv --no-header
    [ "$(wc -l <stdout)" -eq 1 ]
}

@test "--raw gives a row for each sample" {
    expect_fine reduce -k cpu,shared-tree -n 1000 -r 8 --max-ci 0 --raw --csv
    expect_clean_table
    [ "$(column sample | paste -sd ' ')" = "0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7" ]
    [ "$(column samples | sort -u)" = 1 ]
    [ "$(paste -d = <(column min_ns) <(column max_ns) | awk -F = '$1 != $2' | wc -l)" -eq 0 ]
}

@test "sampling stops at the number of samples, the confidence, or the time limit" {
    expect_fine reduce -k cpu -n 1000 -r 13 --max-ci 0 --csv
    [ "$(column samples)" -eq 13 ]
    expect_fine reduce -k cpu -n 1000 -r 100000 --max-ci 100 --csv  # any interval is good enough
    [ "$(column samples)" -ge 10 ]  # (More if others use the processor.)
    [ "$(column samples)" -lt 100000 ]
    expect_fine reduce -k cpu -n 100k -r 1000000 --max-ci 0 --timeout 1 --csv
    [ "$(column samples)" -lt 1000000 ]
    [ "$(column samples)" -gt 10 ]
}

@test "--versus adds the peer's time over each variant's, with its interval" {
    expect_fine reduce -k 'cpu,shared-tree,atomic-global' -n 2000 --versus shared-tree -r 9 --csv
    expect_clean_table
    [ "$(column versus | sort -u)" = shared-tree ]
    [ "$(column kernel | wc -l)" = 3 ]
    # The peer need not be named twice.
    expect_fine reduce -k cpu -n 100 --versus shared-tree --csv
    [ "$(column kernel | paste -sd ' ')" = "cpu shared-tree" ]
    expect_fine reduce -k cpu -n 2000 -k 'cpu,shared-tree,atomic-global' --versus shared-tree -r 9 --csv
    columns versus_low versus_ratio versus_high |
        awk '!($1 > 0 && $1 <= $2 && $2 <= $3) { wrong = 1 } END { exit wrong || NR != 3 }' || complain "ratio outside its interval"
}

@test "a variant compared with itself is neither faster nor slower, and the clock is that of its run" {
    if on_simulator; then skip "it has no clock"; fi
    local n most
    most=$(($(devquery --value --prop sm_clock_khz) / 1000))
    for n in 4096 16Mi; do
        expect_fine vecadd -k streaming --versus streaming -n $n --csv
        awk -v ratio="$(column versus_ratio)" -v clock="$(column sm_clock_mhz)" -v most="$most" \
            'BEGIN { exit !(ratio > 0.95 && ratio < 1.05 && clock > 100 && clock <= 1.02 * most) }' ||
            complain "n = $n: ratio $(column versus_ratio), clock $(column sm_clock_mhz) of $most MHz"
    done
}

@test "the cache is cold on a GPU unless --cache warm is given, and none elsewhere" {
    local cold=cold warm=warm
    if on_simulator; then cold=none warm=none; fi
    expect_fine reduce -k cpu,single-pass -n 100 --csv
    [ "$(column cache | paste -sd ' ')" = "none $cold" ]
    expect_fine reduce -k cpu,single-pass -n 100 --cache warm --csv
    [ "$(column cache | paste -sd ' ')" = "none $warm" ]
}

@test "the rows of several GPUs are one table" {
    if on_simulator; then skip "the simulator is one device"; fi
    expect_fine reduce -d 0,0 -k single-pass,cpu -n 100 --csv
    expect_clean_table
    [ "$(column kernel | paste -sd ' ')" = "cpu single-pass cpu single-pass" ]
    expect_fine reduce -d all -k single-pass -n 100 --csv
    [ "$(column device_uuid | wc -l)" -eq "$(devquery -d all --list --csv --no-header | wc -l)" ]
}

@test "--ladder starts afresh for every size" {
    expect_fine vecadd --ladder -n 500,1000 -k 'cpu,one-per-thread,unroll4' --csv
    [ "$(column step_speedup | sed -n '2p;5p' | paste -sd ' ')" = "1.000 1.000" ]
    [ "$(column cpu_speedup | sed -n '1p;4p' | paste -sd ' ')" = "1.000 1.000" ]
}

# ---- pipelines

@test "a pipeline into mlr finds the fastest variant" {
    need mlr
    pipeline 'reduce -d $device -n 1Ki,4Ki | mlr --icsv --ojson sort -n median_ns then head -n 1 -g n then cut -f n,kernel'
    expect_status 0
    expect_no_errors
    [ "$(jq -r '.[].n' <<<"$output" | paste -sd ' ')" = "1024 4096" ] || [ "$(jq -r '.[].n' <<<"$output" | sort -n | paste -sd ' ')" = "1024 4096" ]
}

@test "a pipeline into datamash groups rows" {
    need datamash
    pipeline 'vecadd -d $device -n 1Ki:4Ki:x2 | datamash -t , --header-in -s -g n count kernel unique verify'
    expect_status 0
    expect_no_errors
    [ "$(cut -d , -f 1,3 <<<"$output" | paste -sd ' ')" = "1024,pass 2048,pass 4096,pass" ]
}

@test "a pipeline into sqlite3 answers a query" {
    need sqlite3
    pipeline 'reduce -d $device -n 1000 >table.csv && printf ".mode csv\n.import table.csv t\nselect count(*), sum(verify = \047pass\047), typeof(max(median_ns + 0)) from t;\n" | sqlite3'
    expect_status 0
    expect_no_errors
    expect_output "$(variants reduce | wc -l),$(variants reduce | wc -l),real"
}

@test "a pipeline into jq reads every row" {
    need jq
    pipeline 'vecadd -d $device -n 1000 --json | jq -s "map(.median_ns > 0) | all"'
    expect_status 0
    expect_no_errors
    expect_output true
}

@test "a pipeline into csvlook shows a table" {
    need csvlook
    pipeline 'reduce -d $device -n 1000 -k "s*" | cut -d , -f 3,5,19 | csvlook'
    expect_status 0
    expect_no_errors
    expect_output_like '\| shared-tree '
}

@test "a pipeline of our own programs adds vectors and reduces the sum" {
    pipeline 'vecadd -d $device <(seq 1000) <(seq 1000) | reduce -d $device -'
    expect_status 0
    expect_no_errors
    expect_output 1001000
}
