#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What all programs share: options, exit codes, devices, input and output files. Tables are tested in tables.bats.

# Tests side by side on a GPU

load helpers

# ---- help, version, completion

@test "--help and --version go to standard output with exit status 0" {
    local program version
    version=$(sed -n 's/^VERSION := //p' "$root/Makefile")
    for program in $(programs); do
        capture "$program" --help
        expect_status 0
        expect_no_errors
        expect_output_like "^Usage: $program "
        [ "$(wc -L <stdout)" -le 80 ] || complain "$program --help has long lines"
        [ "$(sed -n 's/^\([A-Z].*\):$/\1/p' stdout | sed -n 1p)" = "Options of its own" ] || [ "$program" = hello ] || complain "$program: its own options come first"
        capture "$program" -d sim -h
        expect_status 0
        expect_no_errors
        [ "$(wc -L <stdout)" -le 80 ] && [ "$(wc -l <stdout)" -le 28 ] || complain "$program -h does not fit a screen"
        [ "$(grep -c -E '^  (-.,|   ) --' stdout)" -le 10 ] || complain "$program -h has more than ten options"
        capture "$program" --version
        expect_status 0
        expect_no_errors
        expect_output_like "^$program \(gridutils\) $version \((unknown|[0-9a-f]{12}(-dirty)?)\)\$"
    done
}

@test "bash completion offers options, variants, plants, properties, types and the words of an option" {
    # complete_line WORD...: what completing the last word offers
    complete_line() {
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
        "_$1_complete"
        echo "${COMPREPLY[*]}"
    }
    # shellcheck disable=SC1090  # made here
    for program in reduce memcheckdemo devquery; do
        source <(sed "s/@NAME@/$program/g" "$root/common/cli/completion.bash")
    done
    [ "$(complete_line reduce --vers)" = "--version --versus" ]
    [ "$(complete_line reduce -k shu)" = shuffle-tree ]
    [ "$(complete_line reduce -k cpu,atomic-)" = "cpu,atomic-global cpu,atomic-shared" ]
    [ "$(complete_line reduce -t '')" = "f32 f64 i32 i64" ]
    [ "$(complete_line reduce --format = m)" = md ]
    [ "$(complete_line reduce --op m)" = "min max mean" ]
    [ "$(complete_line reduce --cache '')" = "cold warm" ]
    [ "$(complete_line reduce -d '')" = "auto gpu all sim" ]
    [ "$(complete_line reduce --check = memcheck,r)" = memcheck,racecheck ]
    [ "$(complete_line reduce --schedule r)" = random: ]
    [ "$(complete_line reduce --input-format raw:f)" = "raw:f32 raw:f64 raw:f16" ]
    [ "$(complete_line reduce --versus cu)" = cub ]
    [ -z "$(complete_line reduce -n '')$(complete_line reduce --quiet '')$(complete_line reduce -o '')" ]
    [ -z "$(complete_line reduce file)" ]  # left to the shell: file names
    [ "$(complete_line memcheckdemo null)" = null-deref ]
    [ "$(complete_line memcheckdemo --reveal oob-s)" = oob-shared ]
    [ "$(complete_line memcheckdemo --hint '')" = "1 2 3" ]
    [ "$(complete_line devquery --prop warp)" = warp_size ]
    [ "$(complete_line devquery --prop name,warp)" = name,warp_size ]
    complete -p reduce | grep -q -e '-o default'
}

# Types WORDS and a tab, and prints the resulting command line: `--op mea` becomes `--op mean `.
@test "zsh and fish complete the same" {
    need zsh
    mkdir functions
    sed 's/@NAME@/reduce/g' "$root/common/cli/completion.zsh" >functions/_reduce
    sed 's/@NAME@/memcheckdemo/g' "$root/common/cli/completion.zsh" >functions/_memcheckdemo
    cat >complete.zsh <<'ZSH'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'fpath=($PWD/functions $fpath); autoload -U compinit; compinit -u -d $PWD/dump; PS1= ; stty -echo'
zpty -w shell 'report() { print -r -- "LINE<$BUFFER>"; BUFFER=; }; zle -N report; bindkey ^X report; print RE""ADY'
zpty -r shell line '*READY*'
for words; do
    zpty -n -w shell "$words"$'\t\x18'
    zpty -r shell line '*LINE<*>*'
    print -r -- "${${line##*LINE<}%%>*}"
done
ZSH
    capture timeout 20 zsh -f complete.zsh 'reduce --op mea' 'reduce -k cpu,shuf' 'reduce --format=js' 'memcheckdemo null-d' \
        'reduce --vers'
    [ "$(sed 's/ *$//' <<<"$output")" = 'reduce --op mean
reduce -k cpu,shuffle-tree
reduce --format=jsonl
memcheckdemo null-deref
reduce --vers' ] || complain "zsh completes otherwise"
    need fish
    sed 's/@NAME@/reduce/g' "$root/common/cli/completion.fish" >reduce.fish
    sed 's/@NAME@/memcheckdemo/g' "$root/common/cli/completion.fish" >memcheckdemo.fish
    : >numbers.txt
    cat >complete.fish <<'FISH'
source reduce.fish
source memcheckdemo.fish
for line in 'reduce --op m' 'reduce -k cpu,atomic-' 'memcheckdemo null' 'reduce --vers' 'reduce num'
    string join -- ' ' (complete -C $line | string replace -r '\t.*' '' | sort)
end
FISH
    capture env HOME="$scratch" fish -N complete.fish
    expect_output 'max mean min
cpu,atomic-global cpu,atomic-shared
null-deref
--version --versus
numbers.txt'
}

@test "the examples of -h run" {
    local program example
    # (Files of timings that compare can read.)
    vecadd -d sim -n 100 -k cpu -r 5 --json >before.csv
    cp before.csv after.csv
    export CUDA_VISIBLE_DEVICES=''
    for program in $(programs) plot compare; do
        "$program" -h | sed -n '/^Examples:$/,/^$/s/^  //p' >examples
        [ "$(wc -l <examples)" -eq 2 ] || complain "$program -h has $(wc -l <examples) examples"
        while read -r example; do
            [[ $example != matadd*=all ]] && [ "$program" != latency ] || continue
            capture timeout 60 bash -o pipefail -c "$example"
            [ "$status" -eq 0 ] || complain "$program: $example"
        done <examples
    done
}

@test "--help shows the actual default, also in the simulator" {
    export COLUMNS=200
    capture reduce -d gpu --help
    expect_output_like $'\n  -n, --size LIST .* \\[16Mi; simulator: 64Ki\\]\n'
    expect_output_like $'\n  -r, --samples N .* \\[30; simulator: 5\\]\n'
    # The default that applies comes first.
    for options in '-d sim' --check --counters; do
        capture reduce $options --help
        expect_status 0
        expect_output_like $'\n  -n, --size LIST .* \\[64Ki; GPU: 16Mi\\]\n'
    done
    CUDA_VISIBLE_DEVICES='' capture matmul --help
    expect_output_like $'\n  -n, --size LIST .* \\[64; GPU: 1024\\]\n'
    CUDA_VISIBLE_DEVICES='' capture streams --help
    expect_output_like $'\n      --chunks LIST .* \\[8; GPU: 64\\]\n'
    capture reduce --help
    expect_output_like $'\n  -t, --dtype TYPE +f32, f64, i32 or i64: element type \\[f32\\]\n'
    expect_output_like $'\n      --cache STATE +cold or warm: .* \\[cold\\]\n'
    expect_output_like $'\n      --op LIST +sum, min, max, mean, [^]]*\\[sum\\]\n'
    capture reduce -d sim -k cpu --csv
    expect_status 0
    [ "$(column n) $(column warmup) $(column samples)" = "65536 1 5" ]
}

@test "the last of several options that set the same thing counts" {
    expect_fine reduce -k cpu -n 10 -n 20 --json --csv
    [ "$(column n)" = 20 ]
    expect_fine reduce -k cpu -n 10 --csv --json
    expect_output_like '^\{"'
}

@test "a wrong argument is refused before anything else happens" {
    refuses 2 "--offset 'x' is not a whole number" vecadd --offset x nowhere nowhere
    refuses 2 "--offset '2Mi' is too large; at most 1048576" reduce --offset 2Mi nowhere
    refuses 2 "--block '0' is not from 1 to 1024" reduce -b 0 -n x
    refuses 2 "--seed 'x'" reduce --seed x --op median
}

# ---- exit status 2: usage

@test "an unknown option is refused, and the nearest one suggested" {
    local program
    for program in $(programs); do
        refuses 2 "unknown option '--fromat'; did you mean '--format'\?" "$program" --fromat csv
        refuses 2 "unknown option '--quite'; did you mean '--quiet'\?" "$program" --quite
        refuses 2 "unknown option '-Z'" "$program" -Z
        refuses 2 "unknown option '--entirely-different'" "$program" --entirely-different=1
        [[ $errors != *"did you mean"* ]]
    done
}

@test "an option without its argument is refused" {
    local program
    for program in $(programs); do refuses 2 "--format" "$program" --format; done
    for program in $(benchmarks); do refuses 2 "--size" "$program" --size; done
}

@test "a flag with a value is refused" {
    local program
    for program in $(programs); do
        refuses 2 "^$program: --no-header takes no value, but '6' is given; $program --help" "$program" --no-header=6
        refuses 2 "^$program: --quiet takes no value" "$program" --quiet=no
    done
    refuses 2 "^reduce: --counters takes no value, but '1' is given" reduce --counters=1
    refuses 2 "^devquery: --capabilities takes no value" devquery --capabilities=6
}

# Whether PROGRAM's elements have types, rather than being mere words.
has_types() { "$1" --help | grep -q -e --dtype; }

@test "an empty argument, as from an unset variable, is refused" {
    local program option
    for program in $(programs); do
        for option in -d -f -o; do refuses 2 " is empty: give it a value or leave it out" "$program" $option ''; done
    done
    for program in $(benchmarks); do
        for option in -n -k --versus --tol; do refuses 2 " is empty: give it a value" "$program" $option ''; done
        ! has_types "$program" || refuses 2 " is empty: give it a value" "$program" -t ''
    done
}

@test "a word that is not among an option's choices is refused" {
    local program
    for program in $(programs); do
        refuses 2 "unknown format 'xml'.*human, csv, tsv, jsonl, md" "$program" -f xml
        refuses 2 "'maybe' is not one of auto, always, never" "$program" --color maybe
        refuses 2 "'maybe' is not one of auto, always, never" "$program" --progress maybe
    done
    for program in $(benchmarks); do
        if has_types "$program"; then refuses 2 "unknown element type 'f128'" "$program" -t f128
        else refuses 2 "unknown option '-t'" "$program" -t f32; fi
        refuses 2 "'luke' is neither cold nor warm" "$program" --cache luke
    done
}

@test "a size that is not a count is refused" {
    local program size sizes
    for program in $(benchmarks); do
        # (For a program whose sizes are shapes, 0x10 is a valid one, without rows.)
        if ! "$program" --help | grep -q ROWSxCOLUMNS; then refuses 2 "size" "$program" -n 0x10; fi
        sizes=(12x 2:1 1e99)
        # (All programs read them by the same code, those of matrices by another.)
        if [ "$program" = reduce ] || [ "$program" = matmul ]; then
            sizes+=(-5 +5 1e30 1.5 99999999999999999999 20000000T 1KiB 1ki ' 5' ',' '1,' k 5:
                1: :2 1:2: 1:2:3 2:1:x2 1:8:x1 1:8:x0 0:8:x2 1:8:+0 1:8:y2 1:100000:+1 a:b:x2
                1e e5 1.e3 .5k 1e-3 1.0001k 1.15e1k 0.5 1e6x 1.5.0 1ek)
        fi
        for size in "${sizes[@]}"; do
            refuses 2 "size" "$program" -n "$size"
        done
    done
}

@test "a number outside an option's range is refused" {
    local program arguments list
    for program in $(benchmarks); do
        list=('-b 1025' '-w x' '-r 0' '--max-ci nan' '--timeout 0' '--tol 2' '--seed -1')
        # (All programs read them by the same code.)
        if [ "$program" = reduce ]; then
            list+=('-b 0' '-b -1' '-b x' '-w -1' '-r 1.5' '--max-ci 101' '--max-ci -1' '--timeout inf' '--timeout x'
                '--tol nan' '--tol -1' '--tol 0x1p-3' '--seed x')
        fi
        for arguments in "${list[@]}"; do
            # shellcheck disable=SC2086  # an option and its argument
            refuses 2 "'?${arguments#* }'?|argument|--" "$program" $arguments
        done
    done
}

@test "sizes may have suffixes, form lists, and grow by factor or step" {
    expect_fine reduce -k cpu -n 2k,1Ki,1M,1Mi,1:7:+3,11:13,1:9:x3,5:5:x2 -w 0 -r 1 --csv
    [ "$(column n | paste -sd ' ')" = "2000 1024 1000000 1048576 1 4 7 11 12 13 1 3 9 5" ]
    expect_fine reduce -k cpu -n 1e3,1.5e3,2E2,1e+1,1.5k,1.5Ki,10.0,1e1:1e3:x1e1 -w 0 -r 1 --csv
    [ "$(column n | paste -sd ' ')" = "1000 1500 200 10 1500 1536 10 10 100 1000" ]
}

@test "an unknown kernel is refused, and the nearest one suggested" {
    local program variant
    for program in $(benchmarks); do
        variant=$(variants "$program" | sed -n 3p)
        refuses 2 "unknown kernel '${variant}x'; did you mean '$variant'\?; $program --list" "$program" -k "${variant}x"
        refuses 2 "unknown kernel 'qqqqqq'; $program --list" "$program" -k "$variant,qqqqqq"
        refuses 2 "unknown kernel '\?\?'" "$program" -k '??'
        refuses 2 "kernel" "$program" -k ''
        counts_here "$program" || refuses 2 "'nonsense' is not among the variants" "$program" --versus nonsense -n 10
    done
}

@test "kernels are chosen by names and globs, in the table's order" {
    expect_fine reduce -k 'shuffle-tree,atomic-*,?pu' -n 100 --csv
    [ "$(column kernel | paste -sd ' ')" = "cpu atomic-global atomic-shared shuffle-tree" ]
}

# ---- devices: exit status 77

@test "a word that cannot name a device is refused" {
    local program device_name
    for program in $(programs); do
        for device_name in nonsense '' sim,0 'GPU 0'; do refuses 2 "device" "$program" -d "$device_name"; done
    done
}

@test "a missing GPU gives exit status 77 and a remedy" {
    local program device_name
    export CUDA_VISIBLE_DEVICES=
    for program in $(programs); do
        for device_name in gpu all 0 7 0,1 GPU-00000000-0000-0000-0000-000000000000 0000:65:00.0; do
            refuses 77 "driver|no GPU|nvcc" "$program" -d "$device_name"
            expect_errors_like "; .*-d sim"
        done
    done
}

@test "a GPU number beyond the last gives exit status 77" {
    refuses 77 "GPU" reduce -d 99 -n 10
    refuses 77 "GPU" devquery -d 0,99
}

@test "without a GPU, auto means the simulator, and a line says so unless --quiet is given" {
    local program small
    export CUDA_VISIBLE_DEVICES=
    for program in $(programs); do
        small=()
        if benchmarks | grep -q -x "$program"; then small=(-n 10); fi
        ! needs_gpu "$program" || continue
        capture "$program" "${small[@]}" --format csv
        expect_status 0
        [ "$(wc -l <stderr)" -eq 1 ]
        expect_errors_like "^$program: .*using the SIMT simulator"
        # (A notice is the same code in all programs.)
        case $program in reduce | devquery | memcheckdemo) ;; *) continue ;; esac
        capture "$program" "${small[@]}" --format csv -q
        expect_status 0
        expect_no_errors
    done
}

@test "the simulator, help, lists of variants and completion do not start the driver" {
    # Starting it takes seconds, threads and memory, and may fail. (Fake libraries report when they are loaded.)
    local program small library use uses
    printf '%s\n' '#include <unistd.h>' \
        '__attribute__((constructor)) static void begin(void) { write(2, "the driver is loaded\n", 21) < 0 ? _exit(99) : (void)0; }' >decoy.c
    for library in libcuda.so.1 libnvidia-ml.so.1 libcublas.so.13 libcublas.so.12; do
        once "$library" g++ -x c -shared -fPIC decoy.c -o "$library"
        capture env LD_PRELOAD="./$library" cat /dev/null
        expect_errors_like "the driver is loaded"
    done
    export LD_LIBRARY_PATH=$PWD
    for program in $(programs); do
        small=()
        uses=(--help "-d sim --help" --version "--complete --" "--complete -d ''")
        if benchmarks | grep -q -x "$program"; then
            small=(-n 64)
            uses+=(--list)
        fi
        for use in "-d sim -q" "--check -q"; do
            # shellcheck disable=SC2086
            capture "$program" $use "${small[@]}"
            needs_gpu "$program" || expect_status 0
            [[ $errors != *"the driver is loaded"* ]] || complain "$program $use: $errors" || return
        done
        for use in "${uses[@]}"; do
            eval "capture $program $use"
            [[ $errors != *"the driver is loaded"* ]] || complain "$program $use: $errors" || return
        done
    done
}

@test "a variant that needs a GPU is left out in the simulator, and refused with 77 when named" {
    local program variant
    for program in $(benchmarks); do
        for variant in $("$program" --list --csv --no-header | awk -F , '$2 == "gpu" { print $1 }'); do
            refuses 77 "$variant needs a GPU" "$program" -d sim -k "$variant" -n 10
            expect_fine "$program" -d sim -n 10 --csv
            column kernel >kernels
            [ "$(grep -c -x "$variant" kernels)" -eq 0 ]
            try "$program" -d sim -n 10 --csv -v
            expect_errors_like "left out because they need a GPU: .*$variant"
        done
    done
}

# ---- exit status 3: the device cannot

@test "a size beyond the memory is refused, and the message says how much is free" {
    local program
    for program in reduce vecadd; do
        refuses 3 "out of memory.* are free on device 0; choose a smaller --size" "$program" -n 100T
        # Sizes and offsets whose bytes would not fit in 64 bits.
        refuses 2 "size '4611686018427387905' is too large" "$program" -n 4611686018427387905
        if ! "$program" --help | grep -q -e --offset; then continue; fi
        refuses 2 "offset '18446744073709551615' is too large" "$program" -n 10 --offset 18446744073709551615
    done
}

# ---- messages

@test "messages are colored on a terminal or when asked, and NO_COLOR turns color off unless asked" {
    need script
    local red=$'\033[1;31mreduce:'
    shows() { on_terminal 80 "$1" || true; }
    export TERM=xterm
    [[ $(shows "reduce --op x") == *"$red"* ]]
    [[ $(shows "TERM=dumb reduce --op x") != *$'\033'* ]]
    [[ $(shows "NO_COLOR=1 reduce --op x") != *"$red"* ]]
    [[ $(shows "NO_COLOR= reduce --op x") == *"$red"* ]]
    [[ $(shows "NO_COLOR=1 reduce -d $device --op x --color always") == *"$red"* ]]
    [[ $(shows "TERM=dumb reduce -d $device --op x --color always") == *"$red"* ]]
    [[ $(shows "reduce -d $device --op x --color never") != *"$red"* ]]
    # A notice is not an error: it is not red, and fits on a line.
    local notice
    notice=$(shows "CUDA_VISIBLE_DEVICES= reduce -n 10 -k cpu -o table" | sed 's/\x1b\[[01]*m//g')
    [[ $(shows "CUDA_VISIBLE_DEVICES= reduce -n 10 -k cpu -o table") != *31m* ]]
    [[ $notice == "reduce: "*": using the SIMT simulator" && ${#notice} -lt 80 ]] || complain "notice: $notice"
    try reduce --op x
    [[ $errors != *$'\033'* ]]
    try reduce --op x --color always
    [[ $errors == "$red"* ]]
}

@test "progress shows what runs, how far it is, the elapsed and the remaining time, and disappears" {
    try reduce -k 'cpu*' -n 100k -r 1000000 --max-ci 0 --timeout 1.6 --progress always --csv
    expect_status 0
    for what in 'generating 100000 numbers' 'reducing 100000 numbers on the host' 'verifying cpu, n = 100000' \
        'timing cpu-parallel, n = 100000, sample: [0-9]+ of 1000000, [12] s, [01] s left'; do
        expect_errors_like "reduce: $what"
    done
    [[ $errors == *$'\r\033[K' ]]
    expect_clean_table
    expect_fine reduce -k 'cpu*' -n 100k -r 1000000 --max-ci 0 --timeout 1.1 --csv
    # When requested it is shown however short the run is, and also under --quiet.
    try reduce -k cpu -n 10 --progress always --quiet --csv
    expect_status 0
    expect_errors_like "reduce: timing cpu, n = 10"
}

@test "a filter's progress has bytes and their rate, and on a terminal appears after a second" {
    need script
    local word begin
    # The input continues once the progress is shown, however long the program takes to start and to get a processor:
    # shown FILE PATTERN waits until the file, which grows, matches.
    cat >shown <<'EOF'
#!/bin/sh
exec timeout 60 sh -c 'until grep -s -q -E -- "$2" "$1"; do sleep 0.05; done' shown "$@"
EOF
    chmod +x shown
    capture bash -c "{ seq 1000; ./shown seen '3.8 KiB.* s\b'; seq 10; } | reduce -d $device --progress always - 2>seen"
    expect_status 0
    expect_output 500555
    errors=$(cat seen)
    expect_errors_like 'reduce: reading standard input: 3.8 KiB, [0-9.]+ (KiB|B)/s, [1-9][0-9]* s'
    seq 100000 >numbers
    try reduce --progress always numbers
    expect_errors_like 'reduce: reading numbers'
    try vecadd --progress always numbers numbers
    expect_errors_like 'vecadd: reading numbers and numbers'
    # A result that is written when it is complete, and does not fit into a pipe: its reader starts late.
    capture bash -c "vecadd -d $device --json --progress always numbers numbers 2>written | { ./shown written '[1-9][0-9]* s, [0-9]'; sum; }"
    expect_status 0
    errors=$(cat written)
    expect_errors_like 'vecadd: writing the result: [0-9.]+ KiB of [0-9.]+ KiB, [0-9.]+ [KM]?i?B/s, [1-9][0-9]* s, [0-9]+ s left'
    try vecadd --json --progress always numbers numbers -o sums
    expect_errors_like 'vecadd: writing the result to sums'
    export TERM=xterm
    word=$(on_terminal 40 "{ seq 10; ./shown screen '21 B, [0-9]'; } | reduce -d $device - 2>&1")
    [[ $word == *"reduce: reading standard input: 21 B, "[0-9]* && $word == *$'\033[K55' ]] || complain "saw: $word"
    [ "$(sed 's/\x1b\[K/\n/g' <<<"$word" | awk '{ if (length($0) > most) most = length($0) } END { print most }')" -lt 40 ]
    word=$(on_terminal 80 "{ seq 10; sleep 1.4; } | TERM=dumb reduce -d $device - 2>&1")
    [ "$word" = 55 ] || complain "saw: $word"
    # (Starting a GPU may take more than a second, and so may anything on a busy machine.)
    begin=${EPOCHREALTIME/./}
    word=$(on_terminal 80 "seq 10 | reduce -d $device - 2>&1")
    if ((${EPOCHREALTIME/./} - begin < 1000000)); then
        [ "$word" = 55 ] || complain "saw: $word"
    else
        [[ $word =~ (^|$'\e[K')55$ ]] || complain "saw: $word"
    fi
}

# ---- profiling

@test "--profile runs each chosen variant once, verified, and prints no row" {
    local program
    for program in $(benchmarks); do
        expect_fine "$program" --profile -n 33 --csv
        expect_output ""
    done
    try vecadd --profile -k vector4 -n 1000 --tol 1e-12
    expect_status 1
}

# ---- speed of the start

# fastest COMMAND...: sets $best to the least of ten run times in milliseconds. Processor time counts if it is less than
# the time by the clock, as on a busy machine.
fastest() {
    local attempt TIMEFORMAT='%R %U %S'
    for attempt in 1 2 3 4 5 6 7 8 9 10; do
        { time "$@" >/dev/null 2>&1; } 2>&1
    done >times
    best=$(awk '{ busy = $2 + $3; t = $1 < busy ? $1 : busy; if (NR == 1 || t < best) best = t } END { printf "%d\n", 1000 * best }' times)
}

@test "help takes 10 ms and a simulated run of a thousand elements in 50 ms, or twice that on a busy machine" {
    local program
    [ -z "${SANITIZE-}" ] || skip "a sanitizer costs time"
    for program in $(programs); do
        fastest "$program" --help
        [ "$best" -lt 20 ] || complain "$program --help took $best ms"
    done
    for program in reduce vecadd; do
        fastest "$program" -d sim -n 1000 --csv
        [ "$best" -lt 100 ] || complain "$program -d sim -n 1000 took $best ms"
    done
}
