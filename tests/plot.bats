#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What plot draws of which tables, and what it says about tables that it cannot draw.
# shellcheck disable=SC2016  # jq's and awk's own variables

load helpers

# (plot looks for no device: `try` and what is built on it do not apply.)
# draws [ARGUMENT]...: exits 0 with nothing on standard error. The table is on standard input.
draws() { capture plot "$@" && expect_status 0 && expect_no_errors; }

# rejects STATUS PATTERN [ARGUMENT]...: one line on standard error, nothing on standard output.
rejects() {
    local expected=$1 pattern=$2
    shift 2
    capture plot "$@"
    expect_status "$expected" && expect_refusal plot "$pattern"
}

# The elements of class CLASS in FILE.
count() { grep -c -E "class=\"$1\"" "$2" || true; }

# A row as our programs print it: measured KERNEL N MEDIAN GBYTE_PER_S [SAMPLE].
header=schema,tool,kernel,dtype,n,device,timer,cache,samples,p25_ns,median_ns,p75_ns,gbyte_per_s,gflop_per_s
measured() { awk -v k="$1" -v n="$2" -v t="$3" -v r="$4" -v more="${5-}" 'BEGIN {
    printf "1,reduce,%s,f32,%d,NVIDIA H200,event,cold,30,%.1f,%.1f,%.1f,%.3f,%.3f%s\n", k, n, t * 0.9, t, t * 1.2, r, r / 4, more }'; }

sweep() {
    echo $header
    for n in 1024 4096 16384 65536; do measured tagged $n $((n / 10)) $((n / 100)) && measured cub $n $((n / 8)) $((n / 110)); done
}

ladder() {
    echo $header,step_speedup,cumulative_speedup
    measured naive 1048576 90000 46 ,0,1 && measured better 1048576 3000 1398 ,30,30 && measured best 1048576 2000 2097 ,1.5,45
}

raw() {
    echo $header,sample
    for i in 0 1 2 3 4 5 6 7 8 9; do measured tagged 1024 $((1000 + i * i)) 4 ",$i" && measured cub 1024 $((1100 + i * i)) 4 ",$i"; done
}

# ---- what it chooses

@test "a sweep is lines on logarithmic axes with a band for the quartiles" {
    sweep >sweep.csv
    draws sweep.csv -o sweep.svg
    [ "$(count series sweep.svg) $(count band sweep.svg) $(count point sweep.svg)" = "2 2 8" ]
    grep -q 'class="lines"' sweep.svg
    grep -q '>16Ki</text>' sweep.svg
    grep -q '>100 GB/s</text>' sweep.svg
    # Sizes grow by the same factor, so points are equally far apart, and higher rates are higher up.
    sed -n -E 's/.*class="point" cx="([0-9.]+)" cy="([0-9.]+)".*/\1 \2/p' sweep.svg | head -4 >points
    awk 'NR > 1 { step = $1 - x; if (NR > 2 && (step - last > 0.2 || last - step > 0.2)) exit 1; last = step; if ($2 >= y) exit 1 }
        { x = $1; y = $2 }' points || complain "points: $(cat points)"
}

@test "rows of schemas 1, 2 and 3 in one file are one sweep" {
    sweep >sweep.csv
    # with SCHEMA COLUMNS CELLS: the sweep's rows of that schema, which has these columns behind the first table's.
    with() { sed "1s/\$/$2/; 1!s/^1,/$1,/; 1!s/\$/$3/" sweep.csv; }
    {
        grep -v ,65536, sweep.csv
        with 2 ,driver_version,host_name,run_utc ,580.1,alpha,2026-01-02T00:00:00Z | grep -e schema -e 'tagged,f32,65536,'
        with 3 ,driver_version,host_name,run_utc,version,cuda_version,compiler \
            ,580.1,alpha,2026-01-02T00:00:00Z,0.2.0+0123456789ab,13.0.88,g++-12.2.0 | grep -e schema -e 'cub,f32,65536,'
    } >all.csv
    for file in sweep all; do
        draws $file.csv -o $file.svg
        grep -E '<(path|circle|text) ' $file.svg | sed 's/<title>.*//' >$file.marks
    done
    [ "$(count point all.svg)" = 8 ]
    [ -s all.marks ] && diff sweep.marks all.marks >&2 || complain "another picture than that of schema 1"
    [ "$(grep -c '^host_name: alpha' all.svg) $(grep -c '^compiler: g++-12.2.0' all.svg)" = "2 1" ] || complain "what the rows say"
}

@test "over sizes both axes are logarithmic, unless the values lie within a factor of 2" {
    # steps FACTOR [X [ARGUMENT]...]: the ratio of the second step upwards to the first, for times that grow by FACTOR.
    steps() {
        awk -v x="${2-n}" -v f="$1" 'BEGIN { print x ",median_ns"; for (i = 0; i < 3; ++i) print 3000 * 3 ^ i "," 1000 * f ^ i }' |
            draws -o steps.svg "${@:3}"
        sed -n -E 's/.*class="point" cx="([0-9.]+)" cy="([0-9.]+)".*/\1 \2/p' steps.svg | awk '{ x[NR] = $1; y[NR] = $2 }
            END { printf "%.1f %.1f", (x[3] - x[2]) / (x[2] - x[1]), (y[2] - y[3]) / (y[1] - y[2]) }'
    }
    [ "$(steps 2)" = "1.0 1.0" ]
    [ "$(steps 1.3)" = "1.0 1.3" ]
    [ "$(steps 2 p_bytes)" = "1.0 1.0" ]
    # Over other numbers it takes a larger factor.
    [ "$(steps 2 p_stride)" = "3.0 2.0" ]
    [ "$(steps 6 p_stride)" = "3.0 1.0" ]
    [ "$(steps 2 n --log none)" = "3.0 2.0" ]
    # A span of less than two powers of ten has ticks that show it.
    steps 2.9 >/dev/null
    [ "$(sed -n '/axis y/,/<\/g>/s/.*>\([0-9]* us\)<.*/\1/p' steps.svg | paste -sd ' ')" = "1 us 2 us 5 us" ]
}

@test "the band of a rate follows from its times" {
    sweep | grep -e schema -e tagged,f32,1024, -e tagged,f32,4096, >two.csv
    draws two.csv -o two.svg --log none
    # At 4096: 40 GB/s at the median, 40 / 1.2 at p75, 40 / 0.9 at p25.
    sed -n -E 's/.*class="band" d="M[0-9.]+ [0-9.]+ L[0-9.]+ ([0-9.]+) L[0-9.]+ ([0-9.]+) L.*/\1 \2/p' two.svg >band
    sed -n -E 's/.*class="point" cx="[0-9.]+" cy="([0-9.]+)".*/\1/p' two.svg >points
    cat points band | paste -sd ' ' | awk '{ scale = ($1 - $2) / 30; up = ($2 - $3) / scale; down = ($4 - $2) / scale
        exit !(up > 4.3 && up < 4.6 && down > 6.5 && down < 6.8) }' || complain "$(cat points band)"
}

@test "a ladder is ascending bars with the gains written on them" {
    ladder >ladder.csv
    draws ladder.csv --size 80x24
    [ "$(sed -n '3,5s/ *|.*//p' stdout | paste -sd ' ')" = "naive better best" ]
    expect_output_like 'best +\|#+ 2\.1 TB/s  x45  \(step x1\.5\)'
    expect_output_like 'NVIDIA H200, n = 1Mi, f32, cold cache'
    draws ladder.csv -o ladder.svg
    [ "$(count bar ladder.svg)" = 3 ]
    # Lengths are proportional to the rates: bars begin at 0.
    sed -n -E 's/.*<rect x="[0-9.]+" y="[0-9.]+" width="([0-9.]+)".*/\1/p' ladder.svg | paste -sd ' ' |
        awk '{ exit !(NF == 3 && $3 / $2 > 1.49 && $3 / $2 < 1.51 && $3 / $1 > 44 && $3 / $1 < 47) }' || complain "lengths"
}

@test "gangs of one problem are lines of efficiency below the ideal, and predictions have their own lines" {
    # gangs [WEAK]: two kernels on 1, 2 and 4 devices, and one of them predicted for 4 and 64.
    gangs() {
        local g
        echo "$header,block,gang,efficiency"
        for g in 1 2 4; do
            measured tagged $((1024 * ${1:+g*}1)) $((8000 / g)) 40 ",$((1024 / g)),$g,0.9$g"
            measured cub $((1024 * ${1:+g*}1)) $((9000 / g)) 30 ",256,$g,0.8$g"
        done
        for g in 4 64; do measured tagged $((1024 * ${1:+g*}1)) 90 40 ",256,$g,0.6" | sed s/,event,/,model,/; done
    }
    local weak
    for weak in '' weak; do
        gangs $weak >gangs.csv
        draws gangs.csv -o gangs.svg --size 800x500
        [ "$(count series gangs.svg) $(count point gangs.svg) $(count 'predicted point' gangs.svg)" = "4 6 2" ] || complain "series and points"
        grep -q 'class="roof".*>ideal<' gangs.svg
        grep -q '>tagged, model<' gangs.svg
        draws gangs.csv --size 70x20 --characters ascii
        expect_output_like '^reduce: efficiency'
        expect_output_like 'a tagged, event .*\(c\) tagged, model .*-- ideal'
        expect_output_like $'\n +1 [ 0-9]* 64\n +gang'
    done
    # With several sizes, gangs are series, like any other difference between rows.
    { gangs && measured tagged 2048 5000 40 ,512,1,1 && measured tagged 2048 2600 40 ,512,2,0.97; } | grep -v model >sizes.csv
    draws sizes.csv --size 70x20 --characters ascii --where 'kernel=tagged,gang<4'
    expect_output_like 'a gang 1 +b gang 2'
    # Without the column, or over another one, there is no ideal.
    draws gangs.csv -x gang -y median_ns -o times.svg
    [ "$(count roof times.svg)" = 0 ]
}

@test "one size is bars, the best at the top: the largest rate, the smallest time" {
    sweep | grep -e schema -e ,65536, >one.csv
    draws one.csv --size 60x12
    expect_output_like $'\ntagged \|.*\ncub '
    draws one.csv --size 60x12 -y median_ns
    expect_output_like $'\ntagged \|.*\ncub '
    draws one.csv --size 60x12 -y p75_ns --where 'kernel=cub'
    [[ $output != *tagged* ]]
}

@test "the smallest is best for costs, the largest for rates per second" {
    local column
    # first COLUMN [UNIT]: the upper of two kernels' bars.
    first() {
        printf 'kernel,%s\nsmall,3\nlarge,90\n' "$1" >bars.csv
        draws bars.csv --size 60x12 --characters ascii && sed -n -E '1s/ *\|.*//p' <(grep '|' stdout)
    }
    for column in p_ns_per_launch x_us_per_call median_ns p_slowdown p_expected_slowdown p_error_ulp errors p_passes_per_request \
        p_ways gld_sectors_per_request p_cycles_per_wavefront p_off_reference; do
        [ "$(first $column)" = small ] || complain "$column" || return
    done
    for column in gbyte_per_s p_gop_per_s requests_per_s p_occupancy_percent speedup always offers; do
        [ "$(first $column)" = large ] || complain "$column" || return
    done
    first p_ns_per_launch >/dev/null
    expect_output_like 'small \|#+ 3 ns'
    expect_output_like ' time per launch'
    first p_gop_per_s >/dev/null
    expect_output_like 'large \|#+ 90 GOP/s'
    # Values are rounded to three digits before their unit is chosen.
    printf 'k,t_ns\na,999.9\nb,999.4\nc,9999.6\nd,0.5\n' | draws --size 60x12 --characters ascii
    [ "$(sed -n -E 's/^([a-d]) \|[# ]* (.*)/\1 \2/p' stdout | sort | paste -sd ,)" = "a 1 us,b 999 ns,c 10 us,d 0.5 ns" ] || complain "units"
    printf 'k,v\na,999.9\nb,999999\nc,-999.9\nd,3\n' | draws --size 60x12 --characters ascii
    [ "$(sed -n -E 's/^([a-d]) \|[# ]* (.*)/\1 \2/p' stdout | sort | paste -sd ,)" = "a 1k,b 1M,c -1k,d 3" ] || complain "prefixes"
    draws --size 60x12 --characters ascii < <(printf 'k,t_s\na,999.9\n')
    expect_output_like 'a \|#+ 1000 s'
}

@test "a histogram in the terminal has every bin, however few columns there are" {
    awk 'BEGIN { print "v"; for (i = 0; i < 220000; ++i) printf "%.4f\n", i * 60 / 220000; for (i = 0; i < 20000; ++i) print 20.2 }' >peak.csv
    draws peak.csv --kind histogram --size 40x10 --characters ascii
    # Only the highest bin reaches the top.
    [ "$(sed -n -E 's/^[^|+]*[|+]//p' stdout | head -1 | tr -d ' ')" = '#' ] || complain "no peak"
    printf 'v\n1\n1\n1\n1\n9\n' | draws --kind histogram --size 40x10 --characters ascii
    [ "$(sed -n -E 's/^[^|+]*[|+]//p' stdout | head -1 | grep -o '#*' | wc -l)" = 1 ]
}

@test "samples make a histogram that counts each of them once" {
    raw >raw.csv
    draws raw.csv -o raw.svg
    grep -q 'class="histogram"' raw.svg
    for kernel in tagged cub; do
        counted=$(sed -n -E "s/.*$kernel: .*: ([0-9]+) of 10<.*/\1/p" raw.svg | awk '{ sum += $1 } END { print sum }')
        [ "$counted" = 10 ] || complain "$kernel: $counted of 10"
    done
    printf '{"kernel":"a","median_ns":2,"samples_ns":[1,2,3,4,5]}\n' | draws --kind histogram -y median_ns -o lists.svg
    [ "$(sed -n -E 's/.*: ([0-9]+) of 5<.*/\1/p' lists.svg | awk '{ sum += $1 } END { print sum }')" = 5 ]
}

@test "samples of three kernels or more are violins with quartiles, and Gaussian kernels of Silverman's bandwidth" {
    raw >two.csv
    { cat two.csv && sed -n 's/,cub,/,third,/p' two.csv; } >raw.csv
    draws raw.csv -o raw.svg
    grep -q 'class="violin" font' raw.svg
    [ "$(count violin raw.svg) $(count quartiles raw.svg) $(count median raw.svg)" = "4 3 3" ]  # (one is the picture)
    [ "$(grep -A 1 'data-name="third"' raw.svg | grep -c '<title>third$')" = 1 ]
    grep -q '^median 1\.12 us$' raw.svg
    grep -q '^quartiles 1\.11 us and 1\.15 us$' raw.svg
    grep -q '^10 samples from 1\.1 us to 1\.18 us</title>' raw.svg
    # The right half of the outline starts at the lowest sample, and the left half leads back.
    sed -n -E 's/.*class="violin" d="M([^Z]*) Z".*/\1/p' raw.svg | head -1 | sed 's/ L/\n/g' >outline
    sed -n -E 's/.*class="median" cx="([0-9.]+)" cy="([0-9.]+)".*/\2/p' raw.svg | head -1 >median
    awk 'BEGIN { n = 0 } FNR == NR { median = $1; next } { x[n] = $1; y[n++] = $2 }
        END {
            for (i = 0; i < 10; ++i) { s[i] = 1000 + i * i; mean += s[i] / 10 }
            for (i = 0; i < 10; ++i) squares += (s[i] - mean) ^ 2
            # The quartiles are 1005.25 and 1045.75: less wide than the standard deviation.
            spread = sqrt(squares / 9); if (spread > 40.5 / 1.34) { print "not this"; exit 1 }
            width = 0.9 * spread * 10 ^ -0.2
            for (p = 0; p < n / 2; ++p) {
                at = 1000 + 81 * p / (n / 2 - 1); f[p] = 0
                for (i = 0; i < 10; ++i) f[p] += exp(-((at - s[i]) / width) ^ 2 / 2)
                if (f[p] > most) most = f[p]
                if (x[p] - x[n - 1 - p] > widest) widest = x[p] - x[n - 1 - p]
            }
            for (p = 0; p < n / 2; ++p) {
                off = (x[p] - x[n - 1 - p]) / widest - f[p] / most
                if (off > 0.01 || off < -0.01) { print p, off; exit 1 }
            }
            # The median is (16 + 25) / 2 above the lowest of 81.
            share = (y[0] - median) / (y[0] - y[n / 2 - 1]); if (share < 0.25 || share > 0.256) { print share; exit 1 }
            exit n < 100
        }' median outline >why || complain "$(cat why)"
    draws raw.csv --size 60x20 --characters ascii
    [ "$(grep -c '[.|*]' stdout)" -ge 8 ]
    expect_output_like $'\n +tagged +cub +third\n'
    COLUMNS=40 draws raw.csv --size 30x20 --characters ascii
    expect_output_like $'\n +a +b +c\n'
    expect_output_like 'a tagged   b cub'
    printf '{"kernel":"a","median_ns":2,"samples_ns":[1,2,3,4,5]}\n' | draws --kind violin -y median_ns -o lists.svg
    grep -q '^5 samples from 1 ns to 5 ns' lists.svg
    printf 'v\n1\n1\n' | draws --kind violin -o equal.svg
    ! grep -q nan equal.svg || complain "nan in the picture"
}

@test "two files are drawn over each other" {
    # (A tenth of the times.)
    sweep >before.csv
    sed -E 's/(^|,)([0-9]+)([0-9])(\.[0-9]+)/\1\2.\3/g' before.csv >after.csv
    ! cmp -s before.csv after.csv || complain "the same files"
    draws before.csv after.csv -o both.svg
    [ "$(count series both.svg)" = 4 ]
    grep -q 'data-name="after, cub"' both.svg
    # Each is drawn at its own numbers.
    [ "$(grep -A 1 -E 'data-name="(before|after), tagged"' both.svg | grep -o ' d="[^"]*"' | sort -u | wc -l)" -ge 2 ]
    # The same kernel has the same color with a different dash.
    [ "$(grep -o 'data-name="[a-z]*, tagged" stroke="[^"]*"' both.svg | grep -o '#.*' | sort -u | wc -l)" = 1 ]
    [ "$(grep -A 1 'data-name="before, tagged"' both.svg | grep -c dasharray)" = 0 ]
    [ "$(grep -A 2 'data-name="after, tagged"' both.svg | grep -c dasharray)" = 1 ]
}

@test "a foreign table needs only a header" {
    draws --size 60x12 < <(printf 'city;inhabitants\nUlm;126000\nBonn;330000\n')
    expect_output_like $'Bonn \|#+ 330k\nUlm +\|#+ 126k\n'
    printf 'when\thow much\n1\t2\n2\t4\n3\t8\n' | draws -o tabs.svg
    [ "$(count point tabs.svg)" = 3 ]
    printf '{"a":1,"b":{"c":5}}\n{"a":2,"b":{"c":6}}\n' | draws -x a -y b.c -o nested.svg
    [ "$(count point nested.svg)" = 2 ]
}

@test "a trace of streams, and any table with spans, is a timeline" {
    try streams -q -n 4Ki -k 'kernels-default,kernels-streams' --trace trace.json
    draws trace.json -o trace.svg
    grep -q 'class="timeline"' trace.svg
    [ "$(count heading trace.svg)" = 2 ]
    [ "$(count bar trace.svg)" = "$(jq '[.traceEvents[] | select(.ph == "X")] | length' trace.json)" ]
    [ "$(count row trace.svg)" = "$(jq '[.traceEvents[] | select(.name == "thread_name")] | length' trace.json)" ]
    # The same, spread over several lines.
    jq . trace.json >pretty.json
    draws pretty.json -o pretty.svg
    [ "$(count bar pretty.svg)" = "$(count bar trace.svg)" ]
    draws --size 40x10 --characters ascii < <(printf 'lane,begin_ns,end_ns,category\na,100,200,copy\nb,200,300,work\n')
    expect_output_like $'\na \|a+ *\nb \| +b+\n'
    printf '{\n"a": 1\n}\n' | rejects 4 'is one JSON document over several lines: .*jq -c'
    printf '{"traceEvents":[{"ph":"X","pid":1,"tid":1}]}\n' | rejects 4 'is a trace with an invalid event'
    printf '{"traceEvents":[]}\n' | rejects 4 'is a trace without complete events'
}

@test "if there are more categories than colors, each has a letter and a title" {
    awk 'BEGIN { print "lane,begin_ns,end_ns,category"; for (i = 0; i < 10; ++i) print "L" i "," i * 10 "," i * 10 + 10 ",work" i }' >ten.csv
    draws ten.csv --size 60x20 --characters ascii
    for i in 0 1 2 3 4 5 6 7 8 9; do
        letter=$(sed -n -E "s/^L$i \| *(.)\1*\$/\1/p" stdout)
        [ -n "$letter" ] || complain "lane $i has no letter" || return
        grep -q -E "(^| )$letter work$i( |\$)" stdout || complain "the legend says otherwise of $letter" || return
    done
    draws ten.csv --gnuplot
    [ "$(grep -o "title 'work[0-9]'" stdout | sort -u | wc -l)" = 10 ] || complain "titles"
    [ "$(sed -n '/^\$boxes8/,/^END/p' stdout | sed '1d;$d' | cut -d ' ' -f 1-4)" = "80 8 80 90" ] || complain "boxes"
    if command -v gnuplot >/dev/null; then
        capture gnuplot -e 'set terminal dumb' stdout
        expect_status 0
    fi
}

@test "matrix products on a GPU are points below the limits of the device" {
    { echo $header,bytes,flop,p_peak_percent
      for n in 1024 2048; do measured tiled $n $((n * 10)) 100 ",$((n * n)),$((n * n * 50)),10" | sed 's/reduce/matmul/'; done
      measured best 2048 $((2048 * 2)) 500 ",$((2048 * 2048)),$((2048 * 2048 * 50)),50" | sed 's/reduce/matmul/'; } >matmul.csv
    draws matmul.csv -o roofline.svg
    grep -q 'class="roofline"' roofline.svg
    [ "$(count point roofline.svg)" = 3 ]
    # 25 GFLOP/s at 10 % of the peak; 125 GFLOP/s at 50 operations a byte.
    grep -q '>f32 peak 250 GFLOP/s</text>' roofline.svg
    grep -q '>memory, fastest seen 2.5 GB/s</text>' roofline.svg
    printf 'device,group,property,value\n0,derived,peak_memory_gbyte_per_s,4800\n' >device.csv
    draws matmul.csv device.csv -o roofline.svg
    grep -q '>memory 4.8 TB/s</text>' roofline.svg
    [ "$(count point roofline.svg)" = 3 ]
}

@test "a roofline has the peaks of the types in the rows, from devquery where the rows have none" {
    { echo kernel,dtype,flop,bytes,gflop_per_s && echo a,f32,4,2,100 && echo a,f64,8,2,50 && echo b,bf16,8,2,9; } >rows.csv
    { echo device,group,property,value && echo 0,derived,peak_memory_gbyte_per_s,4800 && echo 0,derived,peak_f32_tflop_per_s,60 &&
        echo 0,derived,peak_f64_tflop_per_s,30 && echo 0,derived,peak_f16_tflop_per_s,120 &&
        echo 0,derived,peak_bf16_tensor_tflop_per_s,900; } >device.csv
    # peaks [FILE]: the names of the limits.
    peaks() { draws "${1:--}" device.csv --kind roofline -o roofline.svg && sed -n -E 's/.*class="roof".*>(.*)<.*/\1/p' roofline.svg | paste -sd ,; }
    [ "$(peaks rows.csv)" = "bf16 peak 900 TFLOP/s,f32 peak 60 TFLOP/s,f64 peak 30 TFLOP/s,memory 4.8 TB/s" ]
    [ "$(grep -v bf16 rows.csv | peaks)" = "f32 peak 60 TFLOP/s,f64 peak 30 TFLOP/s,memory 4.8 TB/s" ]
    [ "$(grep -v -e f32 -e bf16 rows.csv | peaks)" = "f64 peak 30 TFLOP/s,memory 4.8 TB/s" ]
    # Rows without types may be either.
    [ "$(cut -d , -f 1,3- rows.csv | peaks)" = "f32 peak 60 TFLOP/s,f64 peak 30 TFLOP/s,memory 4.8 TB/s" ]
    # 50 GFLOP/s are 20 % of f64's in the rows, which say nothing of f32.
    [ "$(grep -v bf16 rows.csv | sed '1s/$/,p_peak_percent/; /f32/s/$/,0/; /f64/s/$/,20/' | peaks)" = \
        "f32 peak 60 TFLOP/s,f64 peak 250 GFLOP/s,memory 4.8 TB/s" ]
    # As in matmul, tensor cores count.
    echo 0,derived,peak_f64_tensor_tflop_per_s,67 >>device.csv
    [ "$(grep f rows.csv | grep -v -e f32 -e bf16 | peaks)" = "f64 peak 67 TFLOP/s,memory 4.8 TB/s" ]
}

@test "rows that are not a span, or not a point of a roofline, are counted, and make no lane" {
    { echo timeline,lane,begin_ns,end_ns && echo T1,a,0,5 && echo T1,b,7,2 && echo T1,c,x,9 && echo T2,d,1,3; } >q1.csv
    capture plot q1.csv --characters ascii --size 50x12
    expect_status 0
    [ "$errors" = "plot: 2 of 4 rows are left out: they have no span, from begin_ns to an end_ns that is no smaller" ]
    [ "$(sed -n -E 's/^([^ ]*)( \|#+ *)?$/\1/p' stdout | paste -sd ' ')" = "timeline T1 a T2 d" ] || complain "lanes"
    cp q1.csv q2.csv
    draws -q q1.csv q2.csv --characters ascii --size 50x12
    [ "$(grep : stdout | paste -sd ,)" = "q1: T1,q1: T2,q2: T1,q2: T2" ]
    printf 'kernel,flop,bytes,gflop_per_s,gbyte_per_s,p_peak_percent\na,4,2,1,1,10\nb,0,2,1,1,10\n' >roofline.csv
    capture plot roofline.csv --kind roofline -o roofline.svg
    expect_status 0
    [ "$errors" = "plot: 1 of 2 rows is left out: it has no flop, bytes and gflop_per_s above 0" ]
}

# A row of the simulator, as it predicts an H200's time: predicted KERNEL N NS LOW HIGH GBYTE_PER_S GFLOP_PER_S [GPU].
predictions=p_predicted_ns,p_predicted_low_ns,p_predicted_high_ns,p_predicted_gbyte_per_s,p_predicted_gflop_per_s,p_predicted_peak_gbyte_per_s,p_predicted_peak_gflop_per_s,p_predicted_gpu,p_predicted_n
predicted() { echo "3,reduce,$1,f32,1024,SIMT simulator,sim,none,5,7e6,8e6,9e6,0.001,0.002,$3,$4,$5,$6,$7,4388.5,63758.6,${8-NVIDIA H200},$2"; }

# Two kernels on an H200, with its figures; and in the simulator, with one that has no prediction, and the host.
on_gpu() {
    echo $header
    measured tree 1048576 15040 278.9 && measured tree 16777216 123330 544.1
    measured single-pass 1048576 9330 449.6 && measured single-pass 16777216 23230 2888.9
}
in_simulator() {
    echo $header,$predictions
    predicted tree 1048576 15490 14230 17430 270.8 67.7 "$@" && predicted tree 16777216 126230 121650 133700 531.6 132.9 "$@"
    predicted single-pass 1048576 7650 6420 9480 548.3 137.1 "$@" && predicted single-pass 16777216 22480 20380 31810 2985.3 746.3 "$@"
    echo "3,reduce,nested,f32,1024,SIMT simulator,sim,none,5,7e6,8e6,9e6,0.001,0.002,,,,,,,,none,"
    echo "3,reduce,cpu,f32,1024,host,host,none,5,7e3,8e3,9e3,0.512,0.128,,,,,,,,none,"
}

@test "predicted points are open and have their interval, measured ones are full, in one file or in two" {
    on_gpu >gpu.csv && in_simulator >sim.csv && cat gpu.csv sim.csv >both.csv
    local files word left_out='2 rows are'
    for files in 'gpu.csv sim.csv' 'sim.csv gpu.csv' both.csv; do
        [ "$files" != both.csv ] || left_out='1 row is' # (a host beside a GPU is)
        # shellcheck disable=SC2086  # several files
        capture plot $files -o both.svg --where 'kernel!=cpu'
        expect_status 0 || return
        expect_errors_like "^plot: $left_out left out: of a simulated table, only what it predicts for a GPU is drawn$" || return
        [ "$(count series both.svg) $(count point both.svg) $(count 'predicted point' both.svg) $(count interval both.svg)" = "4 4 4 4" ] ||
            complain "$files: points" || return
        [ "$(grep -c 'predicted point.*fill="#ffffff"' both.svg)" = 4 ] || complain "$files: open points" || return
        for word in 'tree, predicted, NVIDIA H200' 'single-pass, measured, NVIDIA H200'; do
            grep -q "class=\"entry\".*>$word</text>" both.svg || complain "$files: no $word" || return
        done
        # A kernel has one color.
        [ "$(sed -n -E 's/.*data-name="tree, .* stroke="([^"]*)".*/\1/p' both.svg | uniq -c | awk '{ print $1 }')" = 2 ] ||
            complain "$files: colors" || return
    done
    # The rates at both ends of the interval follow from its times.
    draws gpu.csv sim.csv -q --gnuplot
    grep -q -E '^16777216 2985.3 2109[.0-9]* 3292' stdout || complain "a prediction that is too fast"
    grep -q -E '^1048576 270.8 240[.0-9]* 294' stdout || complain "a prediction that is too slow"
    grep -q '^16777216 544.1 ' stdout || complain "a measured rate"
    grep -q 'yerrorbars pt 6' stdout && grep -q 'linespoints pt 7' stdout || complain "markers"
    draws gpu.csv sim.csv -q -y median_ns --gnuplot
    grep -q '^1048576 7650 6420 9480' stdout && grep -q '^1048576 9330 ' stdout || complain "times"
    ! grep -q 8000000 stdout || complain "a time of the simulation"
    draws gpu.csv sim.csv -q --where 'n=1Mi,timer=sim' -y gbyte_per_s --by kernel --gnuplot
    grep -q 548.3 stdout && ! grep -q -E '2985.3|278.9' stdout || complain "--where"
}

@test "predicted points are open in the terminal, in a page and in gnuplot's pictures" {
    on_gpu >gpu.csv && in_simulator >sim.csv
    draws gpu.csv sim.csv -q --characters ascii --size 100x24
    expect_output_like 'a tree, measured, NVIDIA H200 +b single-pass, measured, NVIDIA H200'
    expect_output_like '\(c\) tree, predicted, NVIDIA H200 +\(d\) single-pass, predicted, NVIDIA H200'
    expect_output_like '\|.*\(d\)'
    # What differs between all rows of two tables, as the cache, is in no name.
    { on_gpu && measured cpu 1048576 9000000 0.5 | sed 's/NVIDIA H200,event,cold/host,host,none/'; } >host.csv
    draws host.csv sim.csv -q --characters ascii --size 100x24
    expect_output_like 'b single-pass, measured, NVIDIA H200 +c cpu, host'
    draws gpu.csv sim.csv -q --color always --size 100x24 --characters ascii
    expect_output_like $'\e\\[38;5;[0-9]+mo\e\\[0m tree, predicted'
    expect_output_like $'\e\\[38;5;[0-9]+m\\*\e\\[0m tree, measured'
    draws gpu.csv sim.csv -q -o both.html
    [ "$(count 'predicted point' both.html)" = 4 ] || complain "the page"
    # The row under the pointer is that of the file.
    grep -q '^timer: sim' both.html || complain "a row that is not the file's"
    need gnuplot
    draws gpu.csv sim.csv -q -o both.png
    [ "$(head -c 4 both.png | tail -c 3)" = PNG ]
}

@test "bars of what is predicted are outlines beside those of what was measured" {
    on_gpu >gpu.csv && in_simulator >sim.csv
    draws gpu.csv sim.csv -q --where n=16Mi -o bars.svg
    [ "$(count bar bars.svg) $(grep -c 'rect.* class="predicted"' bars.svg)" = "4 2" ] || complain "bars"
    grep -q 'class="entry".*>predicted, NVIDIA H200</text>' bars.svg
    grep -q 'class="entry".*>measured, NVIDIA H200</text>' bars.svg
    draws gpu.csv sim.csv -q --where n=16Mi --characters ascii --size 70x20
    [ "$(sed -n -E 's/^(single-pass|tree) +\|([#=])\2* (.*)/\1 \2 \3/p' stdout | paste -sd ,)" = \
        "single-pass # 2.89 TB/s,single-pass = 2.99 TB/s,tree # 544 GB/s,tree = 532 GB/s" ] || complain "lines"
    expect_output_like '# measured, NVIDIA H200 +. predicted, NVIDIA H200'
    draws gpu.csv sim.csv -q --where n=16Mi --gnuplot
    grep -q '\$predicted1 using .* fs empty border' stdout
    grep -q '\$boxes0 using .* fs solid 1' stdout
    # Alone, what is predicted keeps its name; asked for, the simulation's own times are drawn.
    draws sim.csv -q --where p_predicted_n=16Mi --characters ascii --size 70x20
    expect_output_like 'predicted for NVIDIA H200, not measured'
    expect_output_like 'single-pass \|=+ 22.5 us'
    draws sim.csv -q --where p_predicted_n=16Mi -y median_ns --characters ascii --size 70x20
    expect_output_like 'times of the simulation'
    expect_output_like '\|#+ 8 ms'
}

@test "predicted points lie below the roofs of the GPU that they are for, and two GPUs share no roof" {
    in_simulator | sed '1s/$/,bytes,flop/; 2,$s/$/,4096,1024/' >sim.csv
    on_gpu | sed '1s/$/,bytes,flop/; 2,$s/$/,4e6,1e6/' >gpu.csv
    draws sim.csv -q --kind roofline -o roof.svg
    [ "$(sed -n -E 's/.*class="roof".*>(.*)<.*/\1/p' roof.svg | paste -sd ,)" = "f32 peak 63.8 TFLOP/s,memory 4.39 TB/s" ] || complain "roofs"
    [ "$(count 'predicted point' roof.svg) $(count point roof.svg) $(count interval roof.svg)" = "4 0 4" ] || complain "points"
    grep -q 'predicted for NVIDIA H200, not measured' roof.svg
    # Operations per byte, and per second, are those at the predicted size.
    draws sim.csv -q --kind roofline --gnuplot
    grep -q -E '^0.2499[0-9]* 746.3 527[.0-9]* 823' stdout || complain "a point"
    draws sim.csv gpu.csv -q --kind roofline -o roof.svg
    [ "$(count 'predicted point' roof.svg) $(count point roof.svg)" = "4 4" ] || complain "points of both"
    in_simulator 'NVIDIA A100' | sed '1s/$/,bytes,flop/; 2,$s/$/,4096,1024/' >other.csv
    rejects 4 'a roofline is of one GPU, and the rows are of NVIDIA A100 and NVIDIA H200' other.csv gpu.csv -q --kind roofline
}

@test "columns that distinguish no further rows are in no name" {
    { echo $header,p_memory && measured cpu 64 9 9 ,device | sed 's/NVIDIA H200/host/' && measured a 64 5 5 ,pinned &&
        measured a 64 6 6 ,mapped; } >some.csv
    draws some.csv --size 60x12
    expect_output_like 'a, mapped'
    expect_output_like 'a, pinned'
    expect_output_like 'cpu, device'
    [[ $output != *"cpu, host"* ]]
}

# ---- what the options choose

@test "--where takes numbers with suffixes, patterns and alternatives" {
    sweep >sweep.csv
    draws sweep.csv --where 'n>=4Ki,kernel=tag*' -o some.svg
    [ "$(count point some.svg)" = 3 ]
    draws sweep.csv --where 'n=1024|65536,kernel!=cub' -o some.svg
    [ "$(count point some.svg)" = 2 ]
    rejects 2 "'kernel' is not a condition" sweep.csv --where kernel
    rejects 2 "'x' is none" sweep.csv --where 'n<x'
    rejects 4 "no column 'kernle'; did you mean 'kernel'\?" sweep.csv --where kernle=cub
    rejects 4 "no rows.*--where" sweep.csv --where kernel=nothing
}

@test "-x, -y, --by, --log, --title and --annotate do what they say" {
    sweep >sweep.csv
    draws sweep.csv -x n -y median_ns --by tool --title 'A <title> & more' --annotate samples --log none -o own.svg
    [ "$(count series own.svg)" = 1 ]
    grep -q '>A &lt;title&gt; &amp; more</text>' own.svg
    [ "$(count note own.svg)" = 4 ]
    grep -q '>20k</text>' own.svg
    rejects 4 "no column 'm'" sweep.csv -y m
    rejects 2 "'pie' is not one of" sweep.csv --kind pie
    rejects 2 "WIDTHxHEIGHT" sweep.csv --size 80
}

@test "options without effect on the drawing are refused, for the kind that is given or chosen" {
    sweep >sweep.csv && ladder >ladder.csv && raw >raw.csv
    echo 'lane,begin_ns,end_ns,n
a,1,2,3' >lanes.csv
    refuses_of() { rejects 2 "^plot: $1 means nothing to $2.*: leave it out, or choose another --kind" "${@:3}"; }
    refuses_of -x histogram raw.csv --kind histogram -x n
    refuses_of -x violin raw.csv --kind violin -x n
    refuses_of --annotate histogram raw.csv --annotate n
    refuses_of --annotate violin raw.csv --kind violin --annotate n
    refuses_of '--log x' bars ladder.csv --log x
    refuses_of '--log x' bars ladder.csv --log xy
    refuses_of '--log x' histogram raw.csv --log x
    refuses_of -x 'bars beside --by' ladder.csv --kind bars --by kernel -x n
    for option in '-x n' '-y n' '--by n' '--log y'; do
        # shellcheck disable=SC2086  # an option and its argument
        refuses_of "${option% [ny]}" timeline lanes.csv --kind timeline $option
    done
    for option in '-x n' '-y n' '--log none'; do
        # shellcheck disable=SC2086
        refuses_of "${option% *}" roofline nowhere.csv --kind roofline $option
    done
    # If a kind is given, nothing needs to be read.
    refuses_of -x histogram nowhere.csv --kind histogram -x n
    rejects 2 '--characters is for drawings in the terminal, and this is a picture' nowhere.csv --characters ascii -o y.svg
    rejects 2 '--characters is for drawings in the terminal, and this is a script' nowhere.csv --characters ascii --gnuplot
    rejects 2 '--size is for drawings, and a script has none' nowhere.csv --size 80x20 --gnuplot
    [ ! -e y.svg ]
    draws ladder.csv --kind bars -x kernel --log y --annotate n
    draws lanes.csv --annotate n
    draws raw.csv --kind histogram --log y --by kernel -y median_ns
    draws sweep.csv --log xy -o y.txt --characters ascii
}

@test "two apostrophes select empty cells, and the message about too many bars calls them bars" {
    printf 'name,v,w\na,1,x\n,2,y\nb,3,"y,z"\n' >cells.csv
    # chosen CONDITIONS: column w of these rows.
    chosen() { draws cells.csv -q --kind bars -y v --by w --size 40x10 --characters ascii --where "$1" && sed -n -E 's/^([xyz,]+) +\|.*/\1/p' stdout | paste -sd ' '; }
    [ "$(chosen "name=''")" = y ]
    [ "$(chosen "name!=''")" = "y,z x" ]
    [ "$(chosen "name=''|a")" = "y x" ]
    [ "$(chosen "w=y?z")" = "y,z" ]
    rejects 2 "'name=' is not a condition" cells.csv --where name=
    awk 'BEGIN { print "k,v"; for (i = 0; i < 10001; ++i) print "k" i "," i }' >many.csv
    rejects 4 'more than 10000 bars by k: choose rows with --where' many.csv --kind bars --by k
}

@test "what is neither a picture nor text is refused before anything is read" {
    rejects 2 "its name has to end in" nowhere.csv -o picture.jpg
    [ ! -e picture.jpg ]
}

# ---- in the terminal

@test "a drawing has the full width, and is pure ASCII where nothing else can be shown" {
    local width
    sweep >sweep.csv
    for width in 40 80 133; do
        COLUMNS=$width draws sweep.csv
        [ "$(wc -L <stdout)" -le "$width" ] || complain "wider than $width"
        [ "$(wc -L <stdout)" -ge $((width - 3)) ] || complain "narrower than $width"
        [ "$(wc -l <stdout)" -le 24 ]
        ! grep -q -P '[^\x20-\x7e]' stdout || complain "not ASCII"
    done
    TERM=dumb LC_ALL=C.UTF-8 draws sweep.csv
    ! grep -q -P '[^\x20-\x7e]' stdout || complain "not ASCII in a dumb terminal"
    LC_ALL=C.UTF-8 draws sweep.csv
    [ "$(grep -c -P '\xe2[\xa0-\xa3]' stdout)" -ge 5 ]
    LC_ALL=C.UTF-8 draws sweep.csv --characters blocks
    [ "$(grep -c -P '\xe2\x96' stdout)" -ge 5 ]
}

@test "a terminal gets colors and its whole height, unless NO_COLOR or --color never says otherwise" {
    need script
    sweep >sweep.csv
    on_terminal 70 "plot sweep.csv" >screen.txt
    grep -q $'\033\\[38;5;32m' screen.txt
    [ "$(grep -c . screen.txt)" -ge 20 ]
    on_terminal 70 "NO_COLOR=1 plot sweep.csv; plot sweep.csv --color never; TERM=dumb plot sweep.csv" >screen.txt
    ! grep -q $'\033' screen.txt || complain "colors"
    draws sweep.csv --color always
    grep -q $'\033\\[38;5;32m' stdout
}

@test "words from a table cannot control the terminal, and stay well-formed in a picture" {
    printf 'name,v\n\033[31mred\007,1\n"\xff<&"">",2\n\xc3\xa9,3\n' >odd.csv
    LC_ALL=C.UTF-8 draws odd.csv
    ! grep -q $'[\033\007]' stdout || complain "control characters"
    draws odd.csv -o odd.svg
    grep -q '?&lt;&amp;&quot;&gt;' odd.svg
    if command -v python3 >/dev/null; then python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' odd.svg; fi
}

@test "a title that only repeats an axis label is left out" {
    printf 'a,b_ns\n1,5\n2,7\n3,9\n' >lines.csv
    draws --size 60x12 <lines.csv
    [ "$(grep -c 'b time' stdout)" = 1 ]
    printf 'a,b_ns\nx,5\ny,7\n' | draws --size 60x12
    [ "$(grep -c 'b time' stdout)" = 1 ]
    draws --size 60x12 --title 'All of it' <lines.csv
    expect_output_like $'^All of it\nb time\n'
    draws -o lines.svg <lines.csv
    [ "$(grep -c 'class="title".*>b time<' lines.svg)" = 1 ]
}

# Limits of five seconds and 2 GB, which a sanitizer's own memory exceeds.
limit() { ulimit -t 5 && { [ -n "${SANITIZE-}" ] || ulimit -v 2000000; }; }

@test "ticks have enough digits to differ, and enough room" {
    # ticks AXIS: the labels on this axis of ticks.svg.
    ticks() { sed -n "/class=\"axis $1\"/,/<\\/g>/s/.*class=\"tick\".*>\(.*\)<.*/\1/p" ticks.svg; }
    local start axis last
    for start in 1000000000 -1000000000 123456 10000000000000000 1e-7; do
        awk -v s="$start" 'BEGIN { step = s > 1e15 ? 2 : s < 1 && s > 0 ? 1e-12 : 1
            print "a,b_ratio"; for (i = 1; i < 6; ++i) printf "%.17g,%.17g\n", s + i * step, s + i * step }' >ticks.csv
        (limit && plot ticks.csv --log none -o ticks.svg) || complain "$start" || return
        for axis in x y; do
            [ "$(ticks $axis | wc -l)" -ge 2 ] || complain "$start: $(ticks $axis)" || return
            [ "$(ticks $axis | sort | uniq -d)" = "" ] || complain "$start: $(ticks $axis)" || return
        done
        # Labels on the x axis are side by side: 6.7 pixels a letter.
        sed -n '/class="axis x"/,/<\/g>/s/.*class="tick" x="\([0-9.]*\)".*>\(.*\)<.*/\1 \2/p' ticks.svg | awk '
            { half = length($2 " " $3) * 3.35; if (NR > 1 && $1 - half < end - 5) exit 1; end = $1 + half; last = end }
            END { exit last > 640 }' || complain "$start: $(ticks x)" || return
        (limit && plot ticks.csv --log none --size 80x20 >stdout) || complain "$start" || return
        [ "$(sed -n 's/ [+].*//p' stdout | sort | uniq -d)" = "" ] || complain "$start: $(cat stdout)" || return
    done
    printf 'b\n1000000001\n1000000002\n1000000005\n' | draws -o bins.svg
    [ "$(grep -c 'title>\([^ ]*\) to \1:' bins.svg)" = 0 ]
}

# ---- pictures

@test "a page holds its picture, loads nothing, and shows the row" {
    sweep >sweep.csv
    draws sweep.csv -o sweep.html
    [ "$(grep -c '<svg' sweep.html)" = 1 ]
    ! grep -E '(src|href)=|@import|url\(|fetch' sweep.html || complain "it loads something"
    [ "$(grep -c '<title>tool: reduce' sweep.html)" = 8 ]
    grep -q '^median_ns: 6553' sweep.html
    sed -n '/<script>/,/<\/script>/p' sweep.html | sed '1d;$d' >script.js
    [ -s script.js ]
    if command -v node >/dev/null; then node --check script.js; fi
    if command -v python3 >/dev/null; then
        sed -n '/<svg/,/<\/svg>/p' sweep.html >inside.svg
        python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' inside.svg
    fi
}

# in_browser PAGE SCRIPT: what a browser shows of the page (in $output) after the script, which says what it sees with
# say(), has run in it; "error: ..." if any script fails.
in_browser() {
    need chromium
    { sed '/<head>/q' "$1" && cat && sed '1,/<head>/d; /<\/body>/,$d' "$1" && echo "<script>$2</script></body></html>"; } >shown.html <<'END'
<script>
const said = [];
function say(words) { said.push(words); }
addEventListener("error", (event) => say("error: " + event.message));
addEventListener("load", () => { document.body.textContent = said.join("\n") + "\n"; });
</script>
END
    capture chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" --dump-dom "file://$PWD/shown.html"
    expect_status 0
    output=$(sed -n '/<body>/,$p' stdout | sed '1s/.*<body>//; s/<\/body>.*//; s/&gt;/>/g; s/&lt;/</g; s/&amp;/\&/g')
}

@test "in a browser, the row of the point or violin under the pointer appears beside it, and goes with the pointer" {
    sweep >sweep.csv
    draws sweep.csv -o sweep.html
    # shellcheck disable=SC2016  # JavaScript's own
    in_browser sweep.html '
        for (const shape of document.querySelectorAll("svg g [aria-label]")) {
            const box = shape.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
            const under = document.elementFromPoint(x, y).closest("[aria-label]") === shape;
            const was_hidden = row.hidden;
            for (const type of ["pointerenter", "pointermove"])
                shape.dispatchEvent(new PointerEvent(type, { clientX: x, clientY: y, pageX: x }));
            const place = row.getBoundingClientRect();
            const beside = Math.abs(place.x - x) < 20 + place.width && Math.abs(place.y - y) < 20 + place.height;
            const inside = place.right <= innerWidth && place.left >= 0;
            if (!under) say("above it: " + document.elementFromPoint(x, y).outerHTML);
            say(["shape", under, was_hidden, !row.hidden && place.width > 0, beside, inside, row.textContent.split("\n").filter(
                (line) => /^(kernel|n|median_ns): /.test(line)).join(" ")].join(" "));
            shape.dispatchEvent(new PointerEvent("pointerleave"));
            if (!row.hidden) say("the row stays");
        }
        nothing_like_this();'
    expect_output_like 'error: .*nothing_like_this is not defined'
    [ "$(grep -c error <<<"$output")" -eq 1 ] || complain "errors of scripts"
    [[ $output != *"the row stays"* ]]
    awk -F , 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i } NR > 1 {
        print "shape true true true true true kernel: " $at["kernel"] " n: " $at["n"] " median_ns: " $at["median_ns"] + 0 }' sweep.csv | sort >expected
    grep '^shape' <<<"$output" | sort | diff expected - >&2 || complain "what is seen"
    # What is drawn over bars and violins lets the pointer through.
    ladder >bars.csv && raw >violin.csv
    local kind
    for kind in bars violin; do
        draws $kind.csv --kind $kind -o $kind.html
        # shellcheck disable=SC2016  # JavaScript's own
        in_browser $kind.html '
            for (const shape of document.querySelectorAll("svg g [aria-label]")) {
                const box = shape.getBoundingClientRect();
                const over = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
                say(over.closest("[aria-label]") === shape ? "reached" : "hidden by " + over.outerHTML);
            }'
        [ "$(sort -u <<<"$output" | grep .)" = reached ] || complain "$kind: $output"
    done
}

@test "gnuplot draws every kind as png and pdf, and its script needs no other file" {
    need gnuplot
    local kind
    sweep >lines.csv && ladder >bars.csv && raw >histogram.csv && raw >violin.csv
    printf "lane,begin_ns,end_ns,category\nit's,100,200,copy\nb,200,300,work\n" >timeline.csv
    printf 'flop,bytes,gflop_per_s,gbyte_per_s,p_peak_percent\n1000,100,5,0.5,50\n2000,100,7,0.4,60\n' >roofline.csv
    for kind in lines bars histogram violin timeline roofline; do
        draws $kind.csv --kind $kind -o $kind.png
        [ "$(head -c 4 $kind.png | tail -c 3)" = PNG ] || complain $kind
        draws $kind.csv --kind $kind -o $kind.pdf
        [ "$(head -c 4 $kind.pdf)" = %PDF ] || complain $kind
        draws $kind.csv --kind $kind --gnuplot -o $kind.gp
        capture gnuplot -e 'set terminal dumb' $kind.gp
        expect_status 0
        expect_no_errors
    done
    grep -q "title 'tagged'" lines.gp
    # A title is not run as a command, and an apostrophe ends no word.
    printf 'a,b\n`touch x`,1\n' | draws --title "it's \`touch y\`" -o t.png
    [ ! -e x ]
    [ ! -e y ]
}

@test "without gnuplot, png and pdf say what is missing, and all other formats are drawn" {
    sweep >sweep.csv
    mkdir bin && ln -s "$root/bin/plot" bin
    capture env PATH="$PWD/bin" plot sweep.csv -o sweep.png
    expect_status 5
    expect_refusal plot 'cannot start gnuplot.*install gnuplot-nox, or write .svg'
    [ ! -e sweep.png ]
    for name in sweep.svg sweep.html sweep.txt; do
        capture env PATH="$PWD/bin" plot sweep.csv -o $name
        expect_status 0
        [ -s $name ]
    done
    printf '#!/bin/sh\necho line 3: no such thing >&2; exit 1\n' >bin/gnuplot && chmod +x bin/gnuplot
    capture env PATH="$PWD/bin" plot sweep.csv -o sweep.pdf
    expect_status 5
    expect_refusal plot 'gnuplot.* failed: line 3: no such thing'
}

@test "small numbers keep their digits, on bars and on axes" {
    local number
    printf 'a,b\nx,0.003\ny,0.0042\nz,0.0149\nw,0.972\n' >small.csv
    capture plot --kind bars -y b --by a small.csv
    expect_status 0
    for number in 0.003 0.0042 0.0149 0.972; do grep -q " $number\$" <<<"$output" || complain "$number" || return; done
    printf 'a,b\n1,0.003\n2,0.0042\n3,0.0149\n' >small.csv
    capture plot -x a -y b small.csv
    grep -q '^0\.005 ' <<<"$output" || complain "$output"
    printf 'a,b\nx,1e300\n' >large.csv
    capture plot --kind bars -y b large.csv
    expect_status 4
    expect_errors_like "0, or 1e-280 to 1e280 in size"
    # On logarithmic axes, too: what is next to the limits has its values beside it, what is beyond them the reason.
    printf 'x,y\n1,2e-280\n2,1\n3,5e279\n' >limits.csv
    capture plot -x x -y y --log y limits.csv
    expect_status 0
    expect_no_errors
    [ "$(grep -c -E '^ *1e[-+][0-9]+ ' <<<"$output")" -ge 2 ] || complain "values beside the axis"
    printf 'x,y\n1,5e-324\n2,1\n3,1e300\n' >beyond.csv
    capture plot -x x -y y --log y beyond.csv
    expect_status 0
    [[ $errors == "plot: 2 of 3 rows are left out: they have no number that can be shown (1e-280 to 1e280 in size,"* ]]
    printf 'x,y\n1,5e-324\n2,1e-323\n' >denormal.csv
    for axis in x y xy none; do
        capture plot -x x -y y --log $axis denormal.csv
        expect_status 4
        expect_errors_like "0, or 1e-280 to 1e280 in size"
    done
}

@test "numbers that cannot be shown are left out, and counted" {
    printf 'a,b\n1,5\n2,nan\n3,inf\n4,7\n' >holes.csv
    capture plot holes.csv -o holes.svg
    expect_status 0
    [ "$errors" = "plot: 2 of 4 rows are left out: they have no number that can be shown (1e-280 to 1e280 in size, or 0 where the axis is not logarithmic)" ]
    [ "$(count point holes.svg)" = 2 ]
    draws -q holes.csv
}

# ---- tables at the edge

@test "few, equal, negative and missing numbers make a picture" {
    local table
    for table in 'a\n5' 'a,b\n1,2' 'a,b\n1,2\n2,2\n3,2' 'a,b\n-1,-2\n-2,-3' 'a,b\n1,3\n2,nan\n3,7' 'a\n1\n1\n1' 'a,b\nx,-5\ny,7' \
        'a,b\nx,0\ny,0' 'n,t_ns\n1,inf\n2,3' 'a\n-3\n-1' 'a,b\n1,1e270\n2,-1e270\n3,1e300' 'a,b\n1,1e-270\n2,2e-270'; do
        printf "$table\n" >edge.csv
        draws -q edge.csv -o edge.svg || complain "$table" || return
        draws -q edge.csv || complain "$table" || return
        ! grep -q -E '[ "](-?nan|-?inf)[ "]' edge.svg || complain "$table: nan in the picture" || return
    done
}

@test "a table that cannot be drawn is refused with the reason" {
    printf '' | rejects 4 'standard input: is empty'
    printf 'a,b\n' | rejects 4 'standard input: there are no rows'
    printf 'a,b\nx,y\n' | rejects 4 'no column has numbers alone: name one with -y'
    printf 'a,b\nx,y\n' | rejects 4 "no row has a number in 'b' that an axis has a place for" -y b --kind bars
    { echo $header && measured a 64 5 5; } | rejects 4 'no number differs that lines could go along: .* -x' --kind lines
    printf 'a,b\n1,2\n3\n' | rejects 4 'standard input: line 3: has 1 field, and the header names 2 columns'
    printf '1,2\n3,4\n' | rejects 4 'line 1: has only numbers: expected a header'
    printf 'a,a\n' | rejects 4 "names the column 'a' twice"
    printf 'a,b\n1,"2\n' | rejects 4 'line 2: a quote is opened and never closed'
    printf '{"a":1}\n{"a":}\n' | rejects 4 'line 2: is not JSON, at byte 6'
    printf '{"a":1}\n3\n' | rejects 4 'line 2: is not a JSON object'
    printf '[{"a":1}]\n' | rejects 4 "jq -c '.\[\]'"
    rejects 4 'nowhere.csv: cannot read' nowhere.csv
    rejects 4 'is a directory' .
    head -c 2000 "$root/bin/plot" | rejects 4 'line 1: is not text'
    printf 'kernel,flop,bytes,gflop_per_s\na,x,y,z\n' | rejects 4 'no row has flop, bytes and gflop_per_s' --kind roofline
    printf 'kernel,flop,bytes,gflop_per_s\na,4,2,1\n' | rejects 4 'peaks are in no row: add devquery' --kind roofline
    printf 'lane,begin_ns,end_ns\na,4,2\n' | rejects 4 'no row has a span'
}

@test "quotes, blank lines, CRLF, a byte order mark and tables below tables are read correctly" {
    printf '\xef\xbb\xbfname,"rate, all"\r\n"a ""b""",1\r\n\r\n"c\nd",2\r\n' >quoted.csv
    draws quoted.csv -o quoted.svg
    grep -q '>a &quot;b&quot;</text>' quoted.svg
    # (A newline within quotes is a character that is not shown.)
    grep -q '>c?d</text>' quoted.svg
    { echo name,size,rate && echo a,1,5 && echo name,size,more,rate && echo b,2,0,7; } | draws -x size -y rate --by name -o both.svg
    [ "$(count series both.svg)" = 2 ]
    grep -q 'rate: 7' both.svg
}

@test "values of JSON Lines are read to the last bit, whatever the previous line was" {
    need jq
    local number i=0
    for number in 1 12 12 123 12 1.5 -1.5 -1.5 0.1 1e3 1.0 1E-2 123456789012345678 0.30000000000000004 -0.0 99999.99999999999 0.1 \
        4.35 1e22 9007199254740993 2.2250738585072014e-200 33 33 3 null 3; do
        # The key before it is a prefix of another, and its value a prefix of the next value.
        printf '{"i":%d,"word":"%s","v":%s,"v2": %s}\n' $((++i)) "$(printf 'a%.0s' $(seq $((i % 3 + 1))))" "$number" "$number"
    done >numbers.jsonl
    # Other orders, late members, and a repeated key, whose first value counts.
    printf '%s\n' '{"v":41,"i":41,"word":"a"}' '{"v":41,"i":42,"late":1}' '{"late":1,"v":43,"i":43,"v":7}' '{ "v" : 44 , "i" : 44 }' >>numbers.jsonl
    for column in v v2; do
        draws -q numbers.jsonl -x i -y $column --log none --gnuplot
        sed -n '/^\$series0/,/^END/s/^\([0-9]* [^ ]*\) NaN NaN$/\1/p' stdout >read
        # (jq 1.6 prints 17 digits.)
        awk -v column="\"$column\" *:" '{ match($0, /"i" *: */); i = substr($0, RSTART + RLENGTH) + 0; if (match($0, column " *"))
            if ((v = substr($0, RSTART + RLENGTH)) !~ /^null/) printf "%d %.17g\n", i, v + 0 }' numbers.jsonl >expected
        awk '{ printf "%d %.17g\n", $1, $2 }' read | diff expected - || complain $column || return
        [ "$(wc -l <read)" -ge 25 ]
    done
    draws -q numbers.jsonl --where 'word=aa' -x i -y v --gnuplot
    [ "$(sed -n '/^\$series0/,/^END/p' stdout | wc -l)" = 10 ]
    for number in 1. .5 01 1e - 1.e5 +1 1-2 nan; do
        printf '{"a":1}\n{"a":%s}\n' "$number" | rejects 4 'line 2: is not JSON' || complain "$number" || return
    done
    printf '{"a":1}\n{"a":1e999}\n' | rejects 4 'line 2: has a number that is too large'
}

@test "200000 rows of our own JSON Lines are drawn within 2 seconds of processor time" {
    [ -z "${ASAN_OPTIONS-}${TSAN_OPTIONS-}" ] || skip "sanitizers are slow"
    awk 'BEGIN { for (i = 0; i < 200000; ++i) {
        t = 1000 + (i * 7919) % 100003 / 7
        printf "{\"schema\":2,\"tool\":\"reduce\",\"kernel\":\"k%d\",\"dtype\":\"f32\",\"n\":%d,\"bytes\":4096,\"flop\":1024,", i % 4, 2 ^ (10 + i % 20)
        printf "\"grid\":\"1056\",\"block\":\"256\",\"smem_bytes\":0,\"device\":\"NVIDIA H200\",\"timer\":\"event\",\"cache\":\"cold\",\"samples\":30,"
        printf "\"min_ns\":%.1f,\"p25_ns\":%.1f,\"median_ns\":%.1f,\"p75_ns\":%.1f,\"max_ns\":%.1f,", t * .9, t * .95, t, t * 1.1, t * 1.3
        printf "\"gbyte_per_s\":%.4f,\"gflop_per_s\":%.4f,\"throttled\":\"none\",\"verify\":\"pass\"}\n", 4096 / t, 1024 / t } }' >many.jsonl
    # (Processor time, with a margin for machines that are several times slower.)
    (ulimit -t 2 && plot -q many.jsonl -o many.svg)
    [ "$(count series many.svg)" = 4 ]
}

@test "a million rows are drawn within seconds and 500 MB" {
    awk 'BEGIN { print "kernel,n,median_ns"; for (i = 0; i < 1000000; ++i) printf "k%d,%d,%.1f\n", i % 3, i, 1000 + (i * 7919) % 1000 }' >many.csv
    # Processor time, since a busy machine does not change it. (Sanitizers reserve terabytes of addresses.)
    if [ -z "${ASAN_OPTIONS-}${TSAN_OPTIONS-}" ]; then
        capture bash -c 'ulimit -v 500000 -t 10; plot many.csv -o many.svg'
        expect_status 0
    fi
    draws many.csv -o many.svg
    [ "$(count series many.svg)" = 3 ]
    [ "$(stat -c %s many.svg)" -lt 3000000 ]
    draws many.csv --kind histogram --size 80x24
}

# ---- make bench, and the README

@test "make bench writes results with their samples, and one report with all pictures" {
    on_simulator || skip "on a GPU it takes minutes"
    need jq
    capture bash "$root/tests/measure/bench.bash" sim "$scratch/bench"
    expect_status 0
    expect_output_like 'bench/results.jsonl: [0-9]+ rows'
    [ "$(jq -r .tool bench/results.jsonl | sort -u | paste -sd ' ')" = "matmul reduce streams transfer transpose vecadd" ]
    [ "$(jq -r 'select(.samples_ns | length < 2) | .kernel' bench/results.jsonl)" = "" ]
    [ "$(grep -c '<svg' bench/report.html)" = 9 ]
    [ "$(grep -c 'class="timeline"' bench/report.html)" = 2 ]
    ! grep -q -E '(src|href)=|@import' bench/report.html || complain "it loads something"
    ! grep -q "${TMPDIR:-/tmp}/" bench/report.html || complain "it names this machine's folders"
    if command -v chromium >/dev/null; then
        # shellcheck disable=SC2016  # JavaScript's own
        in_browser bench/report.html '
            for (const svg of document.querySelectorAll("svg")) {
                const box = svg.getBoundingClientRect();
                say("picture " + (box.width > 300 && box.height > 100 && box.right <= innerWidth));
            }
            const titles = [...document.querySelectorAll("svg g title")];
            say("rows " + (titles.length > 50 && titles.every((title) => title.textContent.length > 10)));'
        [ "$(sort -u <<<"$output" | grep . | paste -sd ,)" = "picture true,rows true" ] || complain "in a browser: $output"
        [ "$(grep -c picture <<<"$output")" -eq 9 ]
    fi
    # A missing base is reported before anything runs.
    capture bash "$root/tests/measure/bench.bash" sim "$scratch/bench" nowhere.jsonl
    expect_status 2
    expect_errors_like '^make bench: BASE=nowhere.jsonl is not there'
    cp bench/results.jsonl base.jsonl
    capture bash "$root/tests/measure/bench.bash" sim "$scratch/again" "$scratch/base.jsonl"
    expect_status 0
    expect_output_like 'reduce'
    grep -q '<h2>Since the base</h2>' again/report.html
}

@test "the README's pictures are drawn by the commands beside them" {
    local command picture
    sed -n -E 's/^    \$ (.*\| plot .*-o ([a-z]+\.svg))$/\2 \1/p' "$root/README.md" >commands
    [ "$(wc -l <commands)" -ge 2 ]
    while read -r picture command; do
        CUDA_VISIBLE_DEVICES='' bash -o pipefail -c "$command" 2>stderr || complain "$command: $(cat stderr)" || return
        # (Titles contain the row, and so times.)
        diff <(sed 's/<title>.*//; /^[a-z0-9_]*: /d' "$root/tests/pictures/$picture") \
            <(sed 's/<title>.*//; /^[a-z0-9_]*: /d' "$picture") || complain "tests/pictures/$picture is another" || return
    done <commands
}

# ---- as every program

@test "help, version, unknown options, full disks and closed pipes work as in every program" {
    local program
    for program in $(host_programs); do
        capture "$program" --help
        expect_status 0
        expect_no_errors
        expect_output_like "^Usage: $program "
        [[ $output != *--device* && $output != *--check* ]]
        capture "$program" --version
        expect_status 0
        expect_output_like "^$program \(gridutils\) "
        capture "$program" --quite
        expect_status 2
        expect_refusal "$program" "unknown option '--quite'; did you mean '--quiet'\?"
        capture "$program" -o ''
        expect_status 2
        expect_refusal "$program" ' is empty: give it a value'
        capture "$program" --color maybe
        expect_status 2
        expect_refusal "$program" "'maybe' is not one of auto, always, never"
    done
    sweep >sweep.csv
    capture bash -c 'plot sweep.csv >/dev/full'
    expect_status 5
    expect_refusal plot 'No space left on device'
    pipeline 'yes "$(cat sweep.csv)" | head -100000 | plot | head -1'
    [ "$status" -eq 0 ] || [ "$status" -eq 141 ] || complain "a closed pipe"
    capture plot sweep.csv -o missing/sweep.svg
    expect_status 5
    expect_refusal plot 'missing/sweep.svg'
    [ "$(plot --complete --ki)" = "--kind"$'\t'"$(COLUMNS=400 plot --help | sed -n 's/.*--kind KIND *//p' | sed 's/ \[.*//')" ]
    [ "$(plot --complete --kind h | cut -f 1)" = histogram ]
}

@test "a benchmark can be piped into a drawing" {
    pipeline 'reduce -q -d $device -k cpu,tagged -n 1Ki:4Ki:x2 -r 2 | plot --size 70x20'
    expect_status 0
    expect_output_like 'a cpu   b tagged'
}

@test "rows at the same x are drawn as quickly, the first row of a bar may lack a number, and small costs are best" {
    awk 'BEGIN { print "kernel,n,median_ns,p25_ns,p75_ns"; for (i = 0; i < 400000; ++i) print "a," int(i / 2) "," 100 + i % 7 ",90,110" }' >pairs.csv
    (ulimit -t 5 && plot -q pairs.csv -o pairs.svg)
    [ "$(grep -c 'class="point"' pairs.svg)" -le 2000 ]
    printf 'k,v\na,nan\na,5\nb,3\n' >missing.csv
    capture plot -q --by k --kind bars -y v --characters ascii --size 40x10 missing.csv
    expect_status 0
    expect_output_like $'a \\|#+ 5\nb \\|#+ 3'
    printf 'k,sld_conflicts\nmany,90\nfew,3\n' >conflicts.csv
    capture plot -q --by k --kind bars -y sld_conflicts --characters ascii --size 40x10 conflicts.csv
    expect_output_like $'few +\\|#* ?3\nmany \\|#+ 90'
}

@test "multi-byte characters stay whole, UTF8 means UTF-8, and the first of too many lanes are drawn" {
    printf 'n,median_ns,w\n1,100,é\n2,200,öl\n4,300,x\n' >notes.csv
    capture env LC_ALL=en_US.UTF8 plot -q --annotate w --kind lines notes.csv
    expect_status 0
    [ "$(grep -c -e '●é' -e '●öl' stdout)" -eq 2 ]
    awk 'BEGIN { print "lane,begin_ns,end_ns,name"; for (i = 0; i < 300; ++i) print "SM " i "," i * 10 "," i * 10 + 500 ",b" i }' >lanes.csv
    capture plot -q --kind timeline --characters ascii lanes.csv
    expect_status 0
    expect_output_like '200 of 300 lanes; choose others with --where'
}

@test "rows with samples_ns alone are drawn as a histogram or as violins" {
    local kernel
    for kernel in a b c; do echo "{\"kernel\":\"$kernel\",\"samples_ns\":[10,11,12,13,14,15]}"; done >samples
    capture plot --kind violin samples
    expect_status 0
    expect_output_like '1[0-5] ns'
    capture plot --kind histogram <(head -2 samples)
    expect_status 0
    expect_output_like '1[0-5] ns'
    expect_output_like samples
}

# as_columns: each line of standard input with two letters for a wide character, and none for one that takes no room.
as_columns() { perl -CS -pe 's/[\p{East_Asian_Width=Wide}\p{East_Asian_Width=Fullwidth}]/xx/g; s/[\p{Mn}\p{Me}\x{200b}-\x{200d}]//g'; }

@test "wide, combining and invisible characters take the columns that a terminal gives them, in any locale" {
    local locale size
    printf 'name,ms\n日本語テスト,5\nemoji 😀😀,7\ncaf\x65\xcc\x81,9\n한국어,4\na\xe2\x80\x8bb,2\nＡＢＣ,1\nplain,3\n' >wide.csv
    for locale in C POSIX C.UTF-8; do
        for size in 60x20 30x14 18x12; do
            LC_ALL=$locale capture plot wide.csv --size $size
            expect_status 0
            as_columns <stdout | perl -Mutf8 -CS -ne '/^(.*?)(│|\|)/ and print length $1, "\n"' | sort -u >places
            [ "$(wc -l <places)" -eq 1 ] || complain "$size: the bars do not begin below each other"
            [ "$(as_columns <stdout | perl -CS -ne 'chomp; print length, "\n"' | sort -n | tail -1)" -le "${size%x*}" ] ||
                complain "$size: a line is too long"
        done
        LC_ALL=$locale capture compare -q --value ms wide.csv wide.csv -f human
        as_columns <stdout | perl -CS -ne '/^(.*) 0\.0 / and print length $1, "\n"' | sort -u >places
        [ "$(wc -l <places)" -eq 1 ] || complain "the numbers of a table do not stand below each other"
    done
    # Beside points, a wide character covers two places of the picture.
    printf 'x,y,note\n1,1,日本\n2,2,e\xcc\x81t\xcc\x81\n3,5,😀\n4,4,a\n' >points.csv
    capture plot -x x -y y --annotate note --size 60x16 points.csv
    expect_status 0
    expect_output_like "[●*]日本"
    expect_output_like $'[●*]e\xcc\x81t\xcc\x81'
    [ "$(as_columns <stdout | perl -CS -ne 'chomp; print length, "\n"' | sort -n | tail -1)" -le 60 ] || complain "a line is too long"
}
