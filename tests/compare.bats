#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# compare: whether tables of timings differ, by how much, and with which verdict.
# shellcheck disable=SC2154  # helpers.bash sets $root and $output

load helpers

@test "compare: p is that of scipy, at most 5 % of equal rows are accused, whatever the machine does, and 3 % are found" {
    unit_program units/compare
    capture ./compare
    expect_status 0
    [[ $output == *$'\n0 wrong' ]] || complain "what is wrong"
}

@test "compare: p is that of scipy for a thousand random pairs of samples" {
    need python3
    python3 -c 'import scipy.stats' 2>/dev/null || skip "scipy is not installed"
    capture python3 "$root/tests/long/mann_whitney.py"
    expect_status 0
    expect_output_like '^1000 pairs of samples, largest difference '
}

# rows FILE [FACTOR [COUNT [KERNEL...]]]: a table as our programs write it, in JSON Lines, of $runs runs, 5 by default,
# which share COUNT samples with noise of 1 %. Their medians are FACTOR as long; more fields of each row in $fields.
rows() {
    local file=$1 factor=${2-1} count=${3-30}
    shift $(($# < 3 ? $# : 3))
    perl -e 'my ($factor, $count, $runs, $fields, @kernels) = @ARGV;
        srand(7 * $count + 1000 * $factor);
        sub noise { my $sum = -6; $sum += rand() for 1 .. 12; return $sum }
        for my $run (1 .. $runs) { for my $kernel (@kernels) {
            my @samples = map { sprintf("%.1f", 1000 * $factor * (1 + 0.01 * noise())) } 1 .. ($count + $run - 1) / $runs;
            my @sorted = sort { $a <=> $b } @samples;
            my $samples = join(",", @samples);
            print "{\"schema\":2,\"tool\":\"reduce\",\"kernel\":\"$kernel\",\"dtype\":\"f32\",\"n\":1024,\"block\":\"256\"," .
                "\"device\":\"A GPU\",\"timer\":\"event\",\"cache\":\"cold\",\"median_ns\":$sorted[@sorted / 2],$fields" .
                "\"verify\":\"pass\",\"samples_ns\":[$samples]}\n";
        } }' "$factor" "$count" "${runs-5}" "${fields-}" "${@:-tree}" >"$file"
}

# raw <JSON LINES: the same as CSV with a row per sample.
raw() {
    perl -ne 'BEGIN { print "schema,tool,kernel,dtype,n,block,device,timer,cache,median_ns,verify,sample\n" }
        /"kernel":"([^"]*)".*"samples_ns":\[(.*)\]/ or next;
        my ($kernel, $i) = ($1, 0);
        print "2,reduce,$kernel,f32,1024,256,A GPU,event,cold,$_,pass," . $i++ . "\n" for split /,/, $2;'
}

@test "compare: says for each row whether it is faster, slower or the same, or how many runs it takes to tell" {
    rows old 1 60 fast slow like
    { rows new 0.95 60 fast && cat new && rows new 1.05 60 slow && cat new && rows new 1 60 like && cat new; } >changed
    runs=3 rows few 1 12 few && cat few >>old
    runs=3 rows few 1.012 12 few && cat few >>changed
    capture compare old changed
    expect_status 0
    expect_clean_table
    [ "$(paste -d ' ' <(column kernel) <(column verdict) | paste -sd ,)" = "fast faster,slow slower,like same,few unknown" ]
    [ "$(column ratio | awk '{ printf "%.2f ", $1 }')" = "0.95 1.05 1.00 1.01 " ] || complain "ratios"
    # With a verdict, no more runs are needed; without one, more than there are.
    [ "$(column runs_needed | head -3 | sort -u)" = 0 ]
    [ "$(column runs_needed | tail -1)" -gt 3 ]
    paste -d ' ' <(column ratio_low) <(column ratio) <(column ratio_high) <(column p) <(column corrected_p) |
        awk '!($1 <= $2 && $2 <= $3 && $4 <= $5 && $5 <= 1)' >wrong
    [ ! -s wrong ] || complain "intervals and p: $(cat wrong)"
    capture compare old changed -f human
    expect_output_like 'kernel +before us +after us +change % +95 % from +to +p +verdict'
    expect_output_like 'few .*unknown: takes [0-9]+ runs'
    expect_output_like '4 rows: 1 faster, 1 slower, 1 same and 1 unknown; the geometric mean of the ratios is 1\.00[0-9]*, \+0\.[0-9] %\.'
    capture compare old changed --summary
    expect_clean_table
    [ "$(tail -1 <<<"$output" | cut -d , -f 1-9)" = "old,changed,4,1,1,1,1,0,0" ]
}

@test "compare: rows of --raw and lists of samples say the same, in CSV, TSV and JSON Lines, and so does standard input" {
    local form
    rows old 1 30 a b && rows new 1.04 30 a b
    capture compare old new
    cut -d , -f 3- stdout >expected
    [ "$(column verdict | paste -sd ' ')" = "slower slower" ]
    raw <old >old.csv && raw <new >new.csv && tr , '\t' <new.csv >new.tsv
    for form in "old.csv new.csv" "old new.csv" "old.csv new" "old new.tsv"; do
        # shellcheck disable=SC2086  # two words
        capture compare $form
        expect_status 0
        cut -d , -f 3- stdout | diff expected - >&2 || complain "$form"
    done
    capture compare old - <new.tsv
    cut -d , -f 3- stdout | diff expected - >&2
    refuses_here 2 'only one of BASE and OTHER can be standard input' compare - -
    refuses_here 2 'only one OTHER can be standard input, which is read once' compare old - -
}

# refuses_here STATUS PATTERN COMMAND...: as refuses, for a program without devices.
refuses_here() {
    local expected=$1 pattern=$2
    shift 2
    capture "$@"
    expect_status "$expected" && expect_refusal "$1" "$pattern"
}

@test "compare: one run a side has a question mark, fails no --fail-if, and standard error says what to do" {
    runs=1 rows old 1 30 a b c && runs=1 rows new 1.06 30 a b && runs=1 rows like 1 200 c && cat like >>new
    capture compare old new
    expect_status 0
    [ "$(columns kernel verdict | paste -sd ,)" = "a slower?,b slower?,c same?" ] || complain "the verdicts"
    [ "$(column base_runs | sort -u) $(column runs_needed | sort -u)" = "1 0" ]
    expect_errors_like '^compare: 3 rows rest on one run a side, and the same code differs from run to run, too: concatenate the tables of several runs, or use --run'
    raw <old >old.csv && raw <new >new.csv
    capture compare -q old.csv new.csv -f human
    grep -q '^a .* slower?$' stdout || complain "the table for people"
    expect_output_like '3 rows: 2 slower in one run and 1 same in one run; '
    capture compare -q old new --summary
    [ "$(tail -1 stdout | cut -d , -f 1-9)" = old,new,3,0,0,0,3,0,0 ] || complain "the summary"
    local condition
    for condition in slower slower:5 faster slower:50,unknown; do
        refuses_here 4 "--fail-if cannot be decided from one run of old: .*--run" compare old new --fail-if "$condition"
    done
    capture compare -q old new --fail-if unknown
    expect_status 1
    # Several runs of one side alone do not tell, either.
    rows old 1 30 a b c
    capture compare -q old new
    [ "$(columns base_runs other_runs verdict | sort -u | paste -sd ,)" = "5 1 same?,5 1 slower?" ]
    refuses_here 4 "--fail-if cannot be decided from one run of new" compare old new --fail-if slower
}

@test "compare: a run is a list, rows whose samples count up, rows with one run, or else a row" {
    # runs_of FILE: how many runs and samples the table has.
    runs_of() {
        capture compare -q "$1" "$1" "${@:2}"
        expect_status 0
        columns base_runs base_samples | paste -sd ,
    }
    rows lists 1 30 a b && raw <lists >raw.csv
    [ "$(runs_of lists)" = "5 30,5 30" ] || complain "lists"
    [ "$(runs_of raw.csv)" = "5 30,5 30" ] || complain "samples that count up"
    # Two runs of a sample each differ in their time.
    printf 'schema,tool,kernel,n,median_ns,sample,run_utc\n%s\n' \
        2,x,k,8,100,0,2026-01-01T00:00:00Z 2,x,k,8,101,1,2026-01-01T00:00:09Z >times
    [ "$(runs_of times)" = "2 2" ] || complain "times"
    { echo task,ms,run && for i in 1 2 3 4; do echo "a,10$i,x" && echo "a,20$i,y" && echo "a,30$i,z"; done; } >named
    [ "$(runs_of named --value ms)" = "3 12" ] || complain "a column run"
    cut -d , -f 1,2 named >plain
    [ "$(runs_of plain --value ms)" = "12 12" ] || complain "rows"
    capture compare -q named named --value ms --by task,run
    [ "$(column run | paste -sd ' ') $(column base_runs | sort -u)" = "x y z 4" ] || complain "--by run"
}

@test "compare: samples that drift within a run, and runs that differ, accuse at most one row in twenty of the same code" {
    # A table of 5 runs of 100 rows of 10 samples: runs differ by 2 %, and each drifts.
    drifting() {
        perl -e 'my ($seed, $factor) = @ARGV;
            srand($seed);
            sub noise { my $sum = -6; $sum += rand() for 1 .. 12; return $sum }
            for my $run (1 .. 5) { for my $row (1 .. 100) {
                my ($level, $slope) = (0.02 * noise(), 0.01 * noise());
                my @samples = map { sprintf("%.2f", 1000 * $factor * exp($level + $slope * $_ / 10 + 0.002 * noise())) } 1 .. 10;
                print "{\"kernel\":\"k$row\",\"samples_ns\":[" . join(",", @samples) . "]}\n";
            } }' "$@"
    }
    drifting 1 1 >old && drifting 2 1 >like && drifting 3 1.2 >slower
    capture compare -q old like
    [ "$(column verdict | grep -c -x -E 'faster|slower')" -le 5 ] || complain "false alarms"
    capture compare -q old like --fail-if slower:5,faster:5
    expect_status 0
    capture compare -q old slower --fail-if slower:5
    expect_status 1
    [ "$(column verdict | grep -c -x slower)" -ge 95 ] || complain "power"
    # The first run of each by itself: most rows seem to differ, none is accused.
    head -100 old >old1 && head -100 like >like1
    capture compare -q old1 like1
    [ "$(column verdict | grep -c -x -E '(slower|faster)\?')" -ge 30 ] || complain "what one run makes of it"
    [ "$(column verdict | grep -c -x -E 'slower|faster')" -eq 0 ] || complain "accused"
}

@test "compare: --run takes turns, compares the rows that commands print or the time that they take, and drops the first round" {
    # Prints a table whose runs differ by 10 %, the same in each round for both; and counts how often it ran.
    cat >program <<'END'
echo "$1" >>turns
round=$(grep -c -x "$1" turns)
awk -v factor="$2" -v round="$round" 'BEGIN {
    srand(round)
    level = 1 + 0.1 * rand()
    print "schema,tool,kernel,n,median_ns"
    for (n = 1; n <= 100; ++n) { srand(1000 * round + n + 500 * factor); printf "3,x,k,%d,%.1f\n", n, 1e6 * factor * level * (1 + 0.004 * rand()) }
}'
END
    capture compare --run 'sh program a 1' --run 'sh program b 1' --fail-if slower:3
    expect_status 0
    expect_no_errors
    [ "$(sort turns | uniq -c | awk '{ print $1 }' | paste -sd ' ')" = "11 11" ] || complain "ten rounds, and one that does not count"
    [ "$(columns base_runs other_runs | sort -u)" = "10 10" ]
    [ "$(column verdict | grep -c -x -E 'faster|slower')" -le 5 ] || complain "false alarms"
    [ "$(column verdict | grep -c -x same)" -ge 90 ] || complain "pairs take the level of a round out"
    rm turns
    capture compare --run 'sh program a 1' --run 'sh program b 1.03' --run 'sh program c 0.97' --fail-if slower:2.5
    expect_status 1
    [ "$(columns other verdict | sort | uniq -c | awk '$1 >= 95 { print $4, $5, $6 }' | paste -sd ,)" = "b 1.03 slower,c 0.97 faster" ] ||
        complain "a change of 3 %"
    # Whole programs, of which the second takes longer whatever else the machine does.
    capture compare --run 'sleep 0.1' --run 'sleep 0.4' --pairs 4 --fail-if slower
    expect_status 1
    expect_errors_like 'the time that the commands take is compared, since not all of them print rows'
    [ "$(head -1 stdout | cut -d , -f 1-5)" = base,other,base_wall_ns,other_wall_ns,ratio ]
    [ "$(columns other verdict)" = "sleep 0.4 slower" ]
    [ "$(column other_wall_ns | cut -d . -f 1)" -ge 400000000 ]
    capture compare -q --value wall_ns --run 'sh program a 1' --run 'sh program b 1' --pairs 2
    [ "$(column base_runs)" = 2 ]
}

@test "compare: --run says which command failed, was killed or printed nothing, in one line" {
    refuses_here 4 "--run 'false': failed with exit status 1 in the round that does not count$" compare --run true --run false
    refuses_here 4 "--run 'echo no >&2; exit 3': failed with exit status 3 .*: no$" compare --run true --run 'echo no >&2; exit 3'
    refuses_here 4 "--run 'kill -9 ..': was ended by signal 9 \(Killed\)" compare --run 'kill -9 $$' --run true
    refuses_here 4 "exit status 127 .*nosuchprogram.* not found" compare --run true --run nosuchprogram
    refuses_here 4 "--run 'true': printed nothing; --value wall_ns compares how long it takes" compare --value ms --run 'echo ms; echo 1' --run true
    refuses_here 4 "--run 'echo hello': printed no table with ms" compare --value ms --run 'echo ms; echo 1' --run 'echo hello'
    refuses_here 4 "failed with exit status 1 in round 2" compare --run true --run 'echo >>n; [ "$(wc -l <n)" -lt 3 ]'
    refuses_here 2 "--run: there is nothing to compare with" compare --run true
    refuses_here 2 "--run compares commands: leave 'table' out" compare --run true --run true table
    refuses_here 2 "--run compares commands: leave --peers out" compare --run true --run true --peers --base a
    refuses_here 2 "--pairs" compare --run true --run true --pairs 0
}

@test "compare: counts need no samples, several columns are compared at once, and equal zeros are the same" {
    printf 'schema,tool,kernel,n,median_ns,sld_conflicts,gld_sectors,spills\n%s\n' 3,x,a,8,100,0,5,7 3,x,b,8,100,32,5,7 >old
    printf 'schema,tool,kernel,n,median_ns,sld_conflicts,gld_sectors,spills\n%s\n' 3,x,a,8,100,0,5,7 3,x,b,8,100,33,4,8 >new
    capture compare old new --value sld_conflicts --fail-if slower:0
    expect_status 1
    expect_errors_like '^compare: 1 row is slower by 0 % or more$'
    [ "$(columns kernel ratio verdict | paste -sd ,)" = "a 1.00000 same,b 1.03125 slower" ]
    capture compare old new --value sld_conflicts --fail-if slower:4
    expect_status 0
    capture compare old old --value sld_conflicts,gld_sectors --fail-if slower:0,faster:0,unknown
    expect_status 0
    expect_no_errors
    capture compare old new --value sld_conflicts,gld_sectors,median_ns
    [ "$(columns kernel value base_value other_value verdict | grep ^b | paste -sd ,)" = \
        "b sld_conflicts 32.000 33.000 slower,b gld_sectors 5.000 4.000 faster,b median_ns 100.000 100.000 none" ]
    # From 0 and to it there is no ratio, but a verdict.
    sed -i 's/,100,0,5/,100,3,5/' new
    capture compare -q old new --value sld_conflicts --fail-if slower:1000
    [ "$status $(columns ratio verdict | head -1)" = "1 - slower" ]
    capture compare -q new old --value sld_conflicts --fail-if faster:1000
    [ "$status $(columns ratio verdict | head -1)" = "1 - faster" ]
    # Other columns have to be said to be counts.
    refuses_here 4 'or say --exact if these are counts' compare old new --value spills --fail-if slower
    capture compare -q old new --value spills --exact --fail-if slower
    [ "$status $(column verdict | paste -sd ' ')" = "1 same slower" ]
    # A count that differs between runs of one side is no count.
    { cat old && tail -1 old | sed s/,32,/,36,/; } >varies
    capture compare -q varies new --value sld_conflicts
    [ "$(columns verdict base_runs other_runs | tail -1)" = "none 2 1" ]
    # Every counter of the simulator is known as one.
    reduce -d sim -q -k shared-tree -n 100 --counters --json >counters
    local names
    names=$(grep -o '"gld_requests":.*"samples_ns"' counters | grep -o '"[a-z_]*":[0-9.]*[0-9]' | cut -d '"' -f 2 | paste -sd ,)
    [[ $names == gld_requests,*branches,*block_barriers* ]]
    capture compare counters counters --value "$names" --fail-if slower:0,faster:0,unknown -q
    expect_status 0
    [ "$(column verdict | sort -u)" = same ]
    # Zeros: of one run and of ten.
    { echo task,ms && yes a,0 | head -10; } >zeros
    echo '{"task":"a","samples_ns":[0,0,0,0,0,0,0,0,0,0]}' >list
    capture compare --value ms zeros zeros --fail-if unknown,slower:0
    [ "$status $(columns ratio verdict)" = "0 1.00000 same" ]
    capture compare list list --fail-if unknown,slower:0
    [ "$status $(columns ratio verdict)" = "0 1.00000 same" ]
}

@test "compare: rows with samples_ns alone have a default, and no column appears twice in the header" {
    rows old 1 30 a && rows new 1.1 30 a
    sed -i 's/"median_ns":[0-9.]*,//' old new
    capture compare old new
    expect_status 0
    [ "$(columns base_median_ns verdict | sed 's/^\(99\|100\)[0-9]\.[0-9]* //')" = slower ]
    printf '%s\n' base,other,ratio,verdict,p,value,median_ns x,y,z,v,q,w,5 x,y,z,v,q,w,6 >keys
    capture compare -q keys keys
    expect_status 0
    [ "$(head -1 stdout | cut -d , -f 1-9)" = base,other,key_base,key_other,key_ratio,key_verdict,key_p,value,base_median_ns ]
    [ "$(columns key_base key_other key_ratio value)" = "x y z w" ]
    capture compare -q keys keys --json
    [ "$(grep -o '"[a-z_]*":' stdout | sort | uniq -d)" = "" ]
    # A small number keeps its digits.
    printf 'task,seconds\na,0.0000125\na,0.0000126\n' >small
    capture compare -q small small --value seconds
    [ "$(column base_seconds)" = 0.00001255 ]
}

@test "compare: medians alone give ratios without a verdict" {
    printf 'schema,tool,kernel,n,median_ns\n1,x,a,1,100\n1,x,b,1,100\n' >old
    printf 'schema,tool,kernel,n,median_ns\n1,x,b,1,400\n1,x,a,1,100\n' >new
    capture compare old new
    expect_status 0
    expect_clean_table
    [ "$(paste -d ' ' <(column kernel) <(column ratio) <(column verdict) <(column p) | paste -sd ,)" = \
        "a 1.00000 none 1.000000000,b 4.00000 none 1.000000000" ]
    capture compare old new -f human
    expect_output_like '2 rows: 2 of medians alone, without a verdict; the geometric mean of the ratios is 2\.0000'
    refuses_here 4 'medians alone: write the tables with --json or --raw' compare old new --fail-if slower:3%
}

@test "compare: --fail-if exits with 1 for the outcomes that it names, and for no others" {
    local condition
    rows old 1 30 a b && rows new 1.05 30 a && rows like 1 200 a b && rows old200 1 200 a b
    for condition in slower slower:3% slower:3 missing faster,slower:4.5%; do
        capture compare old new --fail-if "$condition" -q
        expect_status 1
        expect_errors_like '^compare: 1 row is (slower( by [0-9.]+ % or more)?|missing)$'
        [ "$(column verdict)" = slower ] || complain "the table is there all the same"
    done
    for condition in slower:6% faster:1% unknown; do
        capture compare old new --fail-if "$condition" -q
        expect_status 0
        expect_no_errors
    done
    capture compare new old -q --fail-if slower
    expect_status 0
    capture compare old200 like --fail-if slower,faster,unknown,missing
    expect_status 0
    runs=2 rows few 1 4 a b
    capture compare old few --fail-if unknown -q
    expect_status 1
    for condition in slowly slower:much slower:-3% unknown:3% ,; do
        refuses_here 2 "--fail-if" compare old new --fail-if "$condition"
    done
}

@test "compare: --fail-if finds changes below the default margin, but none below a margin that it is given" {
    { echo task,ns && seq 1 40 | sed 's/^/a,1000./'; } >old
    { echo task,ns && seq 1 40 | sed 's/^/a,1008./'; } >new
    capture compare --value ns old new
    [ "$(column verdict)" = same ]
    local condition
    for condition in slower:0.5% slower:0% faster:5%,slower:0.5%; do
        capture compare --value ns old new -q --fail-if "$condition"
        expect_status 1
        expect_errors_like '^compare: 1 row is slower by 0(\.5)? % or more$'
        [ "$(column verdict)" = slower ] || complain "the verdict"
    done
    capture compare --value ns old new -q --fail-if slower:0.9%
    expect_status 0
    capture compare --value ns old new --fail-if slower:3%,slower
    [ "$status $(column verdict)" = "0 same" ] || complain "the default margin stays"
    capture compare --value ns old new -q --margin 0.5 --fail-if slower:0.5%
    expect_status 1
    refuses_here 2 "lower --margin to 0.5" compare --value ns old new --margin 1 --fail-if slower:0.5%
    refuses_here 2 "lower --margin to 0.9" compare --value ns old new --fail-if faster:0.9% --margin=1
    # For rates a change has the same size, as the table shows it.
    { echo task,x_per_s && seq 1 40 | sed 's/^/a,970./'; } >rates
    sed 's/ns/x_per_s/' old >old_rates
    capture compare --value x_per_s old_rates rates -q --fail-if slower:2.99% --margin 0
    expect_status 1
    capture compare --value x_per_s old_rates rates -q --fail-if slower:3.05%
    expect_status 0
}

@test "compare: rows are joined by their settings, in any order, and measured columns are no keys" {
    # p_stride tells rows apart; p_registers and p_cycles follow from them and differ; p_mode is the same everywhere.
    printf 'schema,tool,kernel,n,median_ns,p_stride,p_registers,p_cycles,p_useful,p_mode\n%s\n' \
        2,x,k,8,100,1,30,7,0.51,m 2,x,k,8,200,2,30,9,0.52,m >old
    printf 'schema,tool,kernel,n,median_ns,p_stride,p_registers,p_cycles,p_useful,p_mode\n%s\n' \
        2,x,k,8,220,2,30,8,0.53,m 2,x,k,8,90,1,32,7,0.54,m >new
    capture compare old new
    [ "$(paste -d ' ' <(column p_stride) <(column ratio) | paste -sd ,)" = "1 0.90000,2 1.10000" ] || complain "not by p_stride"
    [ "$(head -1 stdout | cut -d , -f 3-8)" = tool,kernel,n,p_stride,p_mode,base_median_ns ]
    [ "$errors" = "compare: p_registers differs between old and new, and tells no rows apart: they join without it" ]
    # The same from JSON Lines, where cells that do not apply are null rather than none or 0.
    printf '{"schema":2,"tool":"x","kernel":"k","n":8,"median_ns":90,"p_stride":%s,"p_mode":%s}\n' 1 '"m"' null null >new
    printf 'schema,tool,kernel,n,median_ns,p_stride,p_mode\n%s\n' 2,x,k,8,100,0,none 2,x,k,8,100,1,m >old
    capture compare old new
    [ "$(column p_stride | paste -sd ' ') $errors" = "0 1 " ]
    # Rows without a partner are reported; --by joins by other columns, and lists those that exist.
    sed -i 's/"kernel":"k","n":8/"kernel":"k","n":9/' new && echo 2,x,k,9,100,1,m >>old
    capture compare old new --csv
    expect_errors_like '2 rows of old have no partner in new: x, k, 8'
    capture compare old new --csv --by kernel
    [ "$(column kernel)" = k ] || complain "one row"
    refuses_here 4 "no column 'p_strid'; did you mean 'p_stride'" compare old new --by p_strid
    refuses_here 4 "no row of new is in old: none agrees in median_ns" compare old new --by median_ns
}

@test "compare: gangs of different sizes never match, a run without a gang has one device, and predictions are left out" {
    # of GANG FACTOR [FIELDS]: rows of a gang.
    of() { fields="\"gang\":$1,${3-}" rows "gang$1" "$2"; }
    of 1 8 && of 2 4 && of 4 2
    cat gang1 gang2 gang4 >before
    of 1 8.1 && of 2 4.2 && of 4 2.6 && cat gang4 gang2 gang1 >after
    capture compare -q before after
    expect_status 0
    [ "$(columns gang ratio | cut -c -5 | paste -sd ' ')" = "1 1.0 2 1.0 4 1.3" ] || complain "one row for each gang"
    # Even if they differ in nothing else.
    capture compare -q gang2 gang4
    expect_status 4
    expect_errors_like "no row of gang4 is in gang2"
    rows alone 8
    capture compare -q alone after
    expect_status 0
    [ "$(columns gang ratio | cut -c -5)" = "1 1.0" ]
    sed 's/"event"/"model"/' gang4 >>before
    capture compare before after
    expect_errors_like "5 rows of before are a model's: left out"
    [ "$(column base_samples | sort -u)" = 30 ]
}

@test "compare: a table without partners is named, and --fail-if missing finds it" {
    { echo kernel,ns && seq 1 8 | sed 's/^/a,100/'; } >old
    sed 's/^a/b/' old >other
    sed 's/,.*[0-9]$/,nan/' old >nan && echo b,5 >>nan
    capture compare --value ns old old other -f human
    expect_status 0
    [ "$(tail -2 stdout | cut -d ';' -f 1)" = $'old: 1 row: 1 same\nother: no row has a partner.' ] || complain "the sentences"
    capture compare --value ns old old nan -f human
    [ "$(tail -1 stdout)" = "nan: no row has a number on both sides." ] || complain "the sentence"
    capture compare --value ns old old other -q --fail-if missing
    expect_status 1
    expect_errors_like '^compare: 1 row is missing$'
    local form
    for form in csv human json md; do
        capture compare --value ns old other -q --fail-if slower:3%,missing -f "$form"
        expect_status 1
        [ "$errors" = "compare: 1 row is missing" ] || complain "the message"
    done
    expect_output_like 'no row has a partner\.$'
    capture compare --value ns old other -q --summary --fail-if missing
    expect_status 1
    [ "$(tail -1 stdout)" = old,other,0,0,0,0,0,0,2, ] || complain "the summary"
    refuses_here 4 'no row of other is in old' compare --value ns old other --fail-if slower:3%
}

@test "compare: repeated rows are samples of the same thing" {
    rows one 1 10 && rows two 1.001 11 && rows three 1.05 21
    cat one two >old
    capture compare old three
    [ "$(column base_samples) $(column other_samples) $(column verdict)" = "21 21 slower" ]
}

@test "compare: warns of different devices, drivers, clocks and machines, and of throttled and unverified rows" {
    local fields
    fields='"device_uuid":"GPU-1","driver_version":"570.1","host_name":"alpha","run_utc":"2026-01-02T00:00:00Z","sm_clock_mhz":1980,"throttled":0,' rows old
    fields='"device_uuid":"GPU-2","driver_version":"580.2","host_name":"beta","run_utc":"2026-01-01T00:00:00Z","sm_clock_mhz":1755,"throttled":1,' rows new
    sed -i 's/"verify":"pass"/"verify":"skipped"/; s/"cache":"cold"/"cache":"warm"/' new
    capture compare old new
    expect_status 0
    diff - stderr <<'END'
compare: warning: 5 rows of new measured while power or heat held the clocks down
compare: warning: 5 rows of new not verified
compare: warning: the GPUs differ, though not in their name: GPU-1 in old, GPU-2 in new
compare: warning: drivers differ: 570.1 in old, 580.2 in new
compare: warning: machines differ: alpha in old, beta in new
compare: warning: caches differ: cold in old, warm in new
compare: warning: clocks differ by more than 2 % in 1 row: 1980 MHz in old, 1755 MHz in new
compare: warning: old is newer than new: the first table is the one before
compare: warning: the runs of old and new did not alternate: what changed on the machine in between looks like a change of the program; --run takes turns
END
    sed -i 's/A GPU/Another GPU/' new
    capture compare old new
    expect_errors_like 'devices differ: A GPU in old, Another GPU in new'
    [[ $errors != *"though not"* ]] || complain "the UUIDs of other models differ anyway"
    [ "$(column verdict)" != none ] || complain "they are compared all the same"
    capture compare old new -q
    expect_no_errors
    sed 's/"timer":"event"/"timer":"sim"/' old >simulated
    capture compare simulated simulated
    [ "$(sort -u stderr)" = "compare: warning: 5 rows of simulated timed in the simulator: on this or another CPU, not on a GPU" ]
    # Clocks that vary by a percent, and rows of schema 1, which lacks the driver, cause no warning.
    sed 's/1980/1965/; s/"driver_version":"570.1","host_name":"alpha","run_utc":"[^"]*",//; s/"schema":2/"schema":1/' old >near
    capture compare old near
    expect_no_errors
}

@test "compare: warns of other versions, CUDA versions and compilers, between tables and within one" {
    # build VERSION CUDA COMPILER: the columns, as JSON has them.
    build() { echo "\"version\":$1,\"cuda_version\":$2,\"compiler\":$3,"; }
    fields=$(build '"0.2.0+0123456789ab"' '"13.0.88"' '"g++-12.2.0"') rows old
    fields=$(build '"0.3.0+ba9876543210"' '"13.1.2"' '"clang++-16.0.6"') rows new
    capture compare old new
    expect_status 0
    diff - stderr <<'END'
compare: warning: versions differ: 0.2.0+0123456789ab in old, 0.3.0+ba9876543210 in new
compare: warning: CUDA versions differ: 13.0.88 in old, 13.1.2 in new
compare: warning: compilers differ: g++-12.2.0 in old, clang++-16.0.6 in new
END
    capture compare old old
    expect_no_errors
    # Programs differ in these on the host, too, where there is no CUDA.
    sed 's/"timer":"event"/"timer":"host"/; s/"13[^"]*"/null/' old >old_host
    sed 's/"timer":"event"/"timer":"host"/; s/"13[^"]*"/null/' new >new_host
    capture compare old_host new_host
    [ "$(sed 's/:[^:]*$//' stderr | paste -sd ';')" = "compare: warning: versions differ;compare: warning: compilers differ" ]
    cat old new old_host >mixed
    capture compare mixed mixed
    diff - stderr <<'END'
compare: warning: versions differ within mixed: 0.2.0+0123456789ab and 0.3.0+ba9876543210
compare: warning: CUDA versions differ within mixed: 13.0.88 and 13.1.2
compare: warning: compilers differ within mixed: clang++-16.0.6 and g++-12.2.0
END
    # With --peers all kernels are in one table, and it is said once.
    fields=$(build '"0.3.0+ba9876543210"' '"13.0.88"' '"g++-12.2.0"') rows another 1 30 tree leaf
    cat old another >kernels
    capture compare --peers kernels --base tree
    expect_errors_like 'compare: warning: versions differ within kernels: 0.2.0.0123456789ab and 0.3.0.ba9876543210'
    [ "$(grep -c within stderr)" = 1 ] || complain "said more than once"
}

@test "compare: joins tables of schemas 1, 2 and 3, also in one file" {
    local first=schema,tool,kernel,dtype,n,device,timer,cache,median_ns,verify second=,driver_version,host_name,run_utc
    local third=,version,cuda_version,compiler at=,580.1,alpha,2026-01-02T00:00:00Z
    printf '%s,p_op\n1,reduce,tree,f32,1024,A GPU,event,cold,%d,pass,sum\n' $first 100 >one
    printf '%s,p_op\n2,reduce,tree,f32,1024,A GPU,event,cold,%d,pass%s,sum\n' $first$second 110 $at >two
    printf '%s,p_op\n3,reduce,tree,f32,1024,A GPU,event,cold,%d,pass%s,0.2.0+0123456789ab,13.0.88,g++-12.2.0,sum\n' \
        $first$second$third 120 $at >three
    capture compare one two three
    expect_status 0
    expect_no_errors
    [ "$(paste -d ' ' <(column other) <(column p_op) <(column ratio) | paste -sd ,)" = "two sum 1.10000,three sum 1.20000" ]
    cat three two one >all
    sed 's/^3,\(.*\),120,/3,\1,240,/' three >later
    capture compare all later
    expect_no_errors
    [ "$(column base_median_ns) $(column other_median_ns)" = "110.000 240.000" ] || complain "they are not the median of all three"
}

@test "compare: --peers compares the kernels of a table with one of them" {
    rows one 1 30 ours && rows two 1.1 30 library && rows three 1.3 30 textbook
    sed -i 's/"block":"256"/"block":null/; s/A GPU/host/; s/"timer":"event"/"timer":"host"/' three
    cat one two three >table
    capture compare --peers table --base library
    expect_status 0
    expect_no_errors
    expect_clean_table
    [ "$(paste -d ' ' <(column base) <(column other) <(column verdict) | paste -sd ,)" = \
        "library ours faster,library textbook slower" ]
    capture compare --peers table --base library -f human
    expect_output_like 'kernel +library us +us +x library'
    refuses_here 2 "no such kernel; it has ours, library and textbook" compare --peers table --base cublas
    refuses_here 2 "needs --base" compare --peers table
    refuses_here 2 "--base names a kernel for --peers" compare table table --base library
    refuses_here 2 "compares the kernels of one table" compare --peers table table --base library
    refuses_here 2 "nothing to compare with" compare table
    refuses_here 4 "no kernel but ours" compare --peers one --base ours
}

# What an H200 measured of reduce, and what the simulator predicts for one: a kernel that is predicted too slow, one too
# fast and out of its interval, one without a prediction, and others that are on one side only.
held() {
    local header=schema,tool,kernel,dtype,n,block,device,timer,cache,median_ns,run_utc,p_op
    cat >measured.csv <<END
$header,p_tile
3,reduce,cpu,f32,16777216,none,host,host,none,9000000,2026-11-29T09:46:11Z,sum,none
3,reduce,tree,f32,16777216,256,NVIDIA H200,event,cold,100000,2026-11-29T09:46:11Z,sum,64
3,reduce,single-pass,f32,16777216,256,NVIDIA H200,event,cold,30000,2026-11-29T09:46:11Z,sum,64
3,reduce,atomic,f32,16777216,256,NVIDIA H200,event,cold,1000000,2026-11-29T09:46:11Z,sum,none
3,reduce,nested,f32,16777216,256,NVIDIA H200,event,cold,50000,2026-11-29T09:46:11Z,sum,none
3,reduce,tree,f32,65536,256,NVIDIA H200,event,cold,8000,2026-11-29T09:46:11Z,sum,none
END
    cat >predicted.csv <<END
$header,p_tile,p_predicted_ns,p_predicted_low_ns,p_predicted_high_ns,p_limiter,p_predicted_gpu,p_predicted_n
3,reduce,cpu,f32,65536,none,host,host,none,50000,2026-11-29T16:13:58Z,sum,none,,,,none,none,
3,reduce,tree,f32,65536,256,SIMT simulator,sim,none,3000000,2026-11-29T16:13:58Z,sum,16,125000,90000,140000,atomics,NVIDIA H200,16777216
3,reduce,single-pass,f32,65536,256,SIMT simulator,sim,none,400000,2026-11-29T16:13:58Z,sum,16,20000,18000,25000,dram,NVIDIA H200,16777216
3,reduce,atomic,f32,65536,256,SIMT simulator,sim,none,100000,2026-11-29T16:13:58Z,sum,none,1100000,1000000,1200000,atomics,NVIDIA H200,16777216
3,reduce,nested,f32,65536,256,SIMT simulator,sim,none,500000,2026-11-29T16:13:58Z,sum,none,,,,none,none,
END
}

@test "compare: --prediction says how far a prediction is off, in which direction, and whether the interval holds" {
    held
    capture compare --prediction measured.csv predicted.csv
    expect_status 0
    expect_clean_table
    expect_errors_like 'compare: 1 row of predicted.csv has no prediction: nested'
    expect_errors_like 'compare: 2 rows of measured.csv have no partner in predicted.csv: reduce, nested, '
    # Sizes are those that are predicted, and the larger time over the smaller is the error.
    [ "$(columns kernel n measured_ns predicted_ns error_percent direction within limiter)" = \
        "tree 16777216 100000.0 125000.0 25.00 too slow yes atomics
single-pass 16777216 30000.0 20000.0 50.00 too fast no dram
atomic 16777216 1000000.0 1100000.0 10.00 too slow yes atomics" ] || complain "rows"
    capture compare --prediction measured.csv predicted.csv -q -f human
    expect_output_like '^predicted.csv held against measured.csv, reduce, f32, n 16777216, block 256, NVIDIA H200'
    expect_output_like $'\n3 rows: the median error is 25.0 %, nine of ten are within 50.0 %, and 67 % of the measured times are in\\s+the interval; Kendall.s tau is 1.00.'
    # Another order of two variants, of three pairs.
    sed 's/,125000,90000,/,15000,9000,/' predicted.csv >wrong.csv
    capture compare --prediction --summary measured.csv wrong.csv -q
    [ "$(columns tool rows within_percent tau)" = "reduce 3 66.67 0.3333" ] || complain "the summary"
    # Times within 5 % have no order: nothing is left.
    sed 's/,30000,2026/,104000,2026/; s/,1000000,2026/,103000,2026/' measured.csv >like.csv
    capture compare --prediction --summary like.csv predicted.csv -q --json
    [ "$(jq -r '.tau' <stdout)" = null ] || complain "an order"
}

@test "compare: --prediction takes the median of samples and of repeated rows, and names sizes that differ" {
    held
    { cat measured.csv && sed 's/,100000,2026/,200000,2026/; s/,30000,2026/,60000,2026/' measured.csv | tail -n +2; } >twice.csv
    capture compare --prediction twice.csv predicted.csv -q
    [ "$(columns kernel measured_ns)" = $'tree 150000.0\nsingle-pass 45000.0\natomic 1000000.0' ] || complain "medians"
    echo '{"tool":"reduce","kernel":"tree","dtype":"f32","n":16777216,"timer":"event","samples_ns":[1000,500000,100000]}' >samples.jsonl
    capture compare --prediction samples.jsonl predicted.csv -q
    [ "$(column measured_ns)" = 100000.0 ] || complain "samples"
    # No common rows: the columns that differ, and what they hold.
    sed 's/,16777216,256/,1048576,256/; s/,65536,256/,4096,256/' measured.csv >small.csv
    capture compare --prediction small.csv predicted.csv -q
    expect_status 4
    expect_refusal compare 'no prediction of predicted.csv is for a row of small.csv; n is 1048576 and 4096 in small.csv, 16777216 in predicted.csv'
    sed 's/,reduce,/,scan,/' measured.csv >scan.csv
    capture compare --prediction scan.csv predicted.csv -q
    expect_refusal compare '; tool is scan in scan.csv, reduce in predicted.csv'
    # Settings tell rows apart, but what only differs, as the tile, does not.
    { cat predicted.csv && sed -n 's/,sum,/,max,/; s/,125000,/,130000,/; /,tree,/p' predicted.csv; } >several.csv
    capture compare --prediction measured.csv several.csv -q
    [ "$(columns kernel p_op predicted_ns | head -1)" = "tree sum 125000.0" ] || complain "an operation"
}

@test "compare: --prediction refuses tables in the wrong places, and warns of another GPU" {
    held
    local wrong
    sed 's/NVIDIA H200/NVIDIA A100/' measured.csv >other.csv
    capture compare --prediction other.csv predicted.csv
    expect_status 0
    expect_errors_like 'warning: other.csv was measured on NVIDIA A100, and predicted.csv predicts NVIDIA H200: --predict chooses the GPU'
    [ "$(columns kernel device | head -1)" = "tree NVIDIA A100" ] || complain "the device"
    capture compare --prediction predicted.csv measured.csv -q
    expect_status 4
    expect_refusal compare 'predicted.csv: no row was timed on a GPU; the measured table comes first'
    capture compare --prediction measured.csv other.csv -q
    expect_status 4
    expect_refusal compare 'other.csv: no column p_predicted_ns: it is no table of the simulator'
    sed 's/,[0-9.]*,[0-9.]*,[0-9.]*,[a-z]*,NVIDIA H200,[0-9]*$/,,,,none,none,/' predicted.csv >none.csv
    capture compare --prediction measured.csv none.csv -q
    expect_status 4
    expect_refusal compare 'none.csv: no row has a prediction'
    for wrong in '--peers' '--value median_ns' '--margin 3' '--fail-if slower:3' '--fail-if error' 'measured.csv'; do
        # shellcheck disable=SC2086  # an option and its value
        capture compare --prediction measured.csv predicted.csv $wrong -q
        expect_status 2 || return
        [ ! -s stdout ] || complain "$wrong: a table" || return
    done
    # Without it, ratios of a simulation's times and a GPU's would be nonsense.
    sed 's/,65536,256/,16777216,256/' predicted.csv >same.csv
    capture compare measured.csv same.csv
    expect_errors_like "warning: these are ratios of a GPU's times and a simulation's: compare --prediction measured.csv same.csv"
    capture compare same.csv measured.csv
    expect_errors_like "compare --prediction measured.csv same.csv"
    capture compare --fail-if error:10 measured.csv same.csv -q
    expect_status 2
    expect_refusal compare 'only predictions have one; add --prediction'
}

@test "compare: --fail-if error:PCT and missing exit with 1 after a table of predictions" {
    held
    capture compare --prediction measured.csv predicted.csv -q --fail-if error:50
    expect_status 1
    expect_errors_like '^compare: 1 row is predicted with an error of 50 % or more$'
    [ "$(column kernel | wc -l)" = 3 ] || complain "rows"
    capture compare --prediction measured.csv predicted.csv -q --fail-if error:50.1%
    expect_status 0
    capture compare --prediction measured.csv predicted.csv -q --fail-if error:90,missing
    expect_status 1
    expect_errors_like '^compare: 2 rows are without a prediction$'
}

@test "compare: takes tables of any program, and higher rates are faster" {
    { echo task,threads,seconds && seq 100 129 | sed 's/^/parse,4,0./' && seq 300 329 | sed 's/^/sort,4,0./'; } >old.csv
    { echo task,threads,seconds && seq 110 139 | sed 's/^/parse,4,0./' && seq 200 229 | sed 's/^/sort,4,0./'; } >new.csv
    capture compare --value seconds old.csv new.csv
    expect_no_errors
    [ "$(paste -d ' ' <(column task) <(column threads) <(column verdict) | paste -sd ,)" = "parse 4 slower,sort 4 faster" ]
    for file in old new; do sed 's/seconds/gbyte_per_s/' "$file.csv" >"$file.rates"; done
    capture compare --value gbyte_per_s old.rates new.rates --fail-if faster:3%
    expect_status 1
    [ "$(column verdict | paste -sd ' ')" = "faster slower" ]
    capture compare --value seconds --more-is-faster old.csv new.csv
    [ "$(column verdict | paste -sd ' ')" = "faster slower" ]
    capture compare --value seconds --margin 30 old.csv new.csv
    [ "$(column verdict | paste -sd ' ')" = "same faster" ]
    refuses_here 4 'no column samples_ns or median_ns; --value names the column to compare: task, threads or seconds' compare old.csv new.csv
    refuses_here 4 'task is not a column of numbers' compare --value task old.csv new.csv
    refuses_here 4 "no column 'second'; did you mean 'seconds'" compare --value second old.csv new.csv
}

@test "compare: tables without rows, or with equal, negative or missing values, get a verdict or a clear message" {
    printf 'kernel,median_ns\n' >empty
    printf 'kernel,median_ns\na,5\n' >one
    refuses_here 4 'empty: there are no rows' compare one empty
    refuses_here 4 'empty: there are no rows' compare empty one
    sed 's/^a/b/' one >other
    refuses_here 4 'no row of other is in one: none agrees in kernel' compare one other
    { echo kernel,median_ns && yes a,7 | head -20; } >equal
    capture compare equal equal
    [ "$(column ratio) $(column verdict)" = "1.00000 same" ]
    { echo kernel,median_ns && seq -30 -1 | sed 's/^/a,/'; } >negative
    capture compare equal negative
    expect_status 0
    expect_clean_table
    [ "$(column ratio) $(column verdict)" = " unknown" ]
    printf 'kernel,median_ns\na,nan\nb,5\n' >nan
    printf 'kernel,median_ns\na,6\nb,5\n' >number
    capture compare nan number
    [ "$(column kernel)" = b ]
    expect_errors_like '1 pair of rows is without a number in median_ns'
    refuses_here 4 'median_ns is not a column of numbers' compare <(head -2 nan) number
}

@test "compare: prints CSV, TSV, JSON Lines and Markdown, which other programs read" {
    need jq mlr
    rows old 1 30 a b && rows new 1.05 30 a b
    capture compare old new --json
    jq -e -s 'length == 2 and all(.[]; .verdict == "slower" and .ratio > 1.03 and .base_samples == 30 and .n == 1024)' <stdout >/dev/null
    capture compare old new --tsv
    expect_clean_table $'\t'
    pipeline 'compare old new | mlr --icsv --onidx --ofs , filter "\$verdict == \"slower\"" then cut -f kernel,other'
    expect_output $'new,a\nnew,b'
    capture compare old new -f md
    [ "$(head -1 stdout)" = "new compared with old, reduce, f32, n 1024, block 256, A GPU, cache cold" ]
    [[ $(sed -n 2p stdout) == "" && $(sed -n 4p stdout) =~ ^\|(-+:?\|)+$ ]] || complain "no table in Markdown"
    [[ $(tail -2 stdout) == $'\n2 rows: 2 slower; '* ]] || complain "no sentence below it"
    capture compare old new new -f human
    expect_output_like 'table +kernel'
    [ "$(grep -c '^new: 2 rows' stdout)" -eq 2 ]
    capture compare old new -o table.csv
    [ "$(wc -l <table.csv) $output" = "3 " ]
    capture bash -c 'compare old new >/dev/full'
    expect_status 5
    expect_errors_like '^compare: .*standard output'
    pipeline 'compare old new -f human | true' && [ "$status" -eq 0 ] || [ "$status" -eq 141 ] || complain "a closed pipe"
    refuses_here 2 "unknown option '--peer'; did you mean '--peers'" compare --peer old
    refuses_here 4 'missing' compare old missing
    printf 'kernel,median_ns\na,1,2\n' >torn
    refuses_here 4 'torn: line 2: has 3 fields, and the header names 2' compare old torn
}

@test "compare: two runs of a program join row by row" {
    reduce -d "$device" -q -k 'cpu,shared-tree' -n 100,200 -r 8 --max-ci 0 --raw >old.csv
    reduce -d "$device" -q -k 'cpu,shared-tree' -n 100,200 -r 8 --max-ci 0 --json >new.jsonl
    capture compare old.csv new.jsonl -q
    expect_status 0
    expect_clean_table
    [ "$(paste -d ' ' <(column kernel) <(column n) <(column base_samples) <(column other_samples) | paste -sd ,)" = \
        "cpu 100 8 8,shared-tree 100 8 8,cpu 200 8 8,shared-tree 200 8 8" ]
    [ "$(column verdict | grep -c -x -E '(faster|slower|same)[?]|unknown')" -eq 4 ]
}

@test "compare: a million rows take a few seconds of processor time and 500 MB" {
    awk 'BEGIN { print "schema,tool,kernel,n,median_ns,sample"
                 for (n = 1; n <= 20000; ++n) for (i = 0; i < 50; ++i) print "2,reduce,tree," n "," 1000 + (i * n) % 5 "," i % 5 }' >table
    # (A sanitizer takes more address space.)
    capture bash -c "ulimit -t 10; ${SANITIZE:+:} ulimit -v 500000; exec compare table table --summary"
    expect_status 0
    [ "$(tail -1 stdout)" = table,table,20000,0,0,20000,0,0,0,1.00000 ]
}

@test "a change of exactly the percentage that --fail-if names counts" {
    local case base other pct
    for case in '5 6 slower:20.0' '100 107 slower:7.0' '1000 1003 slower:0.3' '10 9 faster:10.0' '1000 941 faster:5.9'; do
        read -r base other pct <<<"$case"
        printf 'task,hits\na,%s\n' "$base" >base.csv
        printf 'task,hits\na,%s\n' "$other" >other.csv
        capture compare --exact --value hits base.csv other.csv --fail-if "$pct"
        expect_status 1
        capture compare --exact --value hits base.csv other.csv --fail-if "${pct}1"
        expect_status 0
    done
}
