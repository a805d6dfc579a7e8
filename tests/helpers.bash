# SPDX-License-Identifier: MIT
# What all test files share: the device under test, ways to run a program, and expectations that report what they saw.
#
# GRIDUTILS_DEVICE is sim (the default) or gpu; tests/run.bash sets it. A test runs in a folder of its own.
# shellcheck shell=bash disable=SC2154  # bats sets BATS_TEST_DIRNAME

export LC_ALL=C
root=${BATS_TEST_DIRNAME%/*}
export device=${GRIDUTILS_DEVICE:-sim}
export PATH=$root/bin:$PATH
export TERM=xterm
export SIMCC_PREDICT=0  # a forecast takes longer than most tests; forecast.bats has its own
unset COLUMNS

setup() {
    scratch=$(mktemp -d)
    cd "$scratch" || exit
    export XDG_CACHE_HOME=$scratch/cache
}

teardown() {
    cd / && rm -rf "$scratch"
}

# ---- running

# capture COMMAND [ARGUMENT]...: leaves its exit code in $status, standard output in $output and standard error in
# $errors. The bytes of standard output stay in the file $scratch/stdout.
capture() {
    status=0
    "$@" >"$scratch/stdout" 2>"$scratch/stderr" || status=$?
    # (Without its zero bytes, of which bash would warn.)
    { output=$(<"$scratch/stdout") errors=$(<"$scratch/stderr"); } 2>/dev/null
}

# try PROGRAM [ARGUMENT]...: the same, on the device under test.
try() {
    local program=$1
    shift
    capture "$program" -d "$device" "$@"
}

# pipeline COMMANDS: the same for shell commands, run as a careful script would. They pass -d $device themselves.
pipeline() {
    capture bash -o pipefail -c "$1"
}

# copy_makefile FOLDER: the Makefile, and what it includes.
copy_makefile() {
    local folder
    folder=$(realpath "$1")
    (cd "$root" && cp --parents Makefile {common,common/*,tools,tests/setup}/*.mk "$folder")
}

# For a test of memory: what it starts from now on uses no more than two processors, since each thread takes memory.
on_two_processors() {
    local two
    two=$(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0))[:2], sep=",")')
    taskset -cp "$two" $BASHPID >/dev/null || skip "processors cannot be chosen"
}

on_simulator() { [ "$device" = sim ]; }

# once NAME COMMAND...: COMMAND makes the file NAME for the first test that asks for it; the other tests of the file
# share it.
once() {
    local name=$1 made
    # (Bats 1.4 and later has such a folder; run.bash makes one for others.)
    if [ -z "${BATS_FILE_TMPDIR-}" ]; then "${@:2}"; return; fi
    made=$BATS_FILE_TMPDIR/$(cksum <<<"$*" | tr ' ' -)
    shift
    if [ ! -e "$made" ]; then
        "$@" && mv "$name" "$made" || return
    fi
    # (Under its own name, which reports show.)
    ln -f "$made" "$name" 2>/dev/null || cp "$made" "$name"
}

# objects_of SOURCE...: the objects of the programs whose own headers these include.
objects_of() {
    sed -n 's,^#include "tools/\([^/]*\)/.*,\1,p' "$@" | sort -u | while read -r tool; do ls "$root/build/host/tools/$tool"/*.o; done
}

# unit_program DIR/NAME [ARGUMENT]...: compiles tests/DIR/NAME.cpp, with the rooms that it uses, to ./NAME. The
# arguments are more sources and compiler options.
unit_program() {
    local name=$1
    shift
    # shellcheck disable=SC2046  # one argument each
    capture "${CXX:-g++}" -std=c++20 -O1 -I "$root" "$root/tests/$name.cpp" $(objects_of "$root/tests/$name.cpp") "$@" "$root/build/libgridutils.a" \
        -Wl,--gc-sections -lfmt -lz -lpthread -ldl -o "${name##*/}"
    expect_status 0
}

# holds PROGRAM [ARGUMENT]...: runs a unit program, which prints nothing if it finds nothing wrong.
holds() {
    capture "$@"
    expect_status 0 && expect_output "" && expect_no_errors
}

# on_terminal COLUMNS COMMAND: prints what COMMAND, a shell command line, shows on a terminal with this many columns.
# While it runs, the file $scratch/screen has what is shown so far.
on_terminal() {
    script -q -e -f -c "stty cols $1 rows 24; $2" "$scratch/screen" </dev/null | tr -d '\r'
}

# need COMMAND...: skips a test that needs another program which is not installed, or does not work.
need() {
    local command
    for command; do command -v "$command" >/dev/null || skip "$command is not installed"; done
    # sqlite3 refuses to start with a library of another version.
    [[ " $* " != *" sqlite3 "* ]] || sqlite3 :memory: 'select 1' >/dev/null 2>&1 || skip "sqlite3 is installed, but does not work"
    # A root without /dev/pts has no pseudo-terminals.
    [[ " $* " != *" script "* ]] || script -q -e -c true /dev/null </dev/null >/dev/null 2>&1 || skip "script gets no pseudo-terminal here"
}

# as_user COMMAND...: runs it as an ordinary user, with fewer rights than root.
as_user() {
    if [ "$(id -u)" -ne 0 ]; then
        "$@"
    else
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    fi
}

# Skips a test that needs an ordinary user, where there is none who can run the programs: they may lie in root's home.
need_user() {
    [ "$(id -u)" -eq 0 ] || return 0
    need setpriv
    chmod 755 "$scratch"
    as_user test -x "$root/bin/reduce" || skip "an ordinary user cannot reach the programs here"
}

# ---- expectations

# complain WHAT: fails, and shows what the last command did.
complain() {
    printf '%s\nexit status: %s\n--- standard output, its beginning:\n%s\n--- standard error, its beginning:\n%s\n' \
        "$1" "${status-none}" "$(head -5 <<<"${output-}" | cut -c-300)" "$(head -5 <<<"${errors-}" | cut -c-300)" >&2
    return 1
}

expect_status() {
    [ "$status" -eq "$1" ] || complain "expected exit status $1"
}

expect_output() {
    [ "$output" = "$1" ] || complain "expected this standard output: $1"
}

# An extended regular expression that must match somewhere.
expect_output_like() {
    [[ $output =~ $1 ]] || complain "expected standard output to match: $1"
}

expect_errors_like() {
    [[ $errors =~ $1 ]] || complain "expected standard error to match: $1"
}

expect_no_errors() {
    [ -z "$errors" ] || complain "expected nothing on standard error"
}

# expect_fine PROGRAM [ARGUMENT]...: exits 0 and prints nothing on standard error.
expect_fine() {
    try "$@"
    expect_status 0 && expect_no_errors
}

# One line on standard error, from PROGRAM, that matches PATTERN; nothing on standard output.
expect_refusal() {
    local program=$1 pattern=$2 lines
    [ ! -s "$scratch/stdout" ] || complain "expected nothing on standard output" || return
    mapfile lines <"$scratch/stderr"
    [ ${#lines[@]} -eq 1 ] || complain "expected one line on standard error" || return
    [[ $errors == "$program: "* ]] || complain "expected the message to begin with '$program: '" || return
    expect_errors_like "$pattern"
}

# refuses STATUS PATTERN PROGRAM [ARGUMENT]...: exits with STATUS and says why in one line.
refuses() {
    local expected=$1 pattern=$2
    shift 2
    try "$@"
    if ! { expect_status "$expected" && expect_refusal "$1" "$pattern"; }; then
        echo "command: $*" >&2
        return 1
    fi
}

# ---- tables

# The fields of the column NAME of the table in $output, one per line.
column() {
    awk -F , -v name="$1" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) wanted = i; if (!wanted) exit 1 }
                           NR > 1 { print $wanted }' <<<"$output" || complain "no column $1"
}

# The columns of these names, a row per line; - stands for an empty cell.
columns() {
    local name fields=()
    for name; do column "$name" | sed 's/^$/-/' >"column.$name" && fields+=("column.$name"); done
    paste -d ' ' "${fields[@]}"
}

# $output is a table that every reader of CSV takes without options. An argument sets another separator. Only numbers may
# be missing: the columns of words that all programs share are never empty.
expect_clean_table() {
    local separator=${1:-,} fault
    fault=$(awk -F "$separator" '
        NR == 1 { fields = NF; for (i = 1; i <= NF; ++i) {
            if ($i !~ /^[a-z][a-z0-9_]*$/) print "header field " i ": " $i
            is_word[i] = $i ~ /^(tool|kernel|dtype|grid|block|device|timer|cache|verify|version|compiler|verdict|way)$/ } }
        NF != fields { print "line " NR " has " NF " fields, the header " fields }
        /"|\r/ { print "line " NR " has a quote or carriage return" }
        { for (i = 1; i <= NF; ++i) if ((is_word[i] && $i == "") || tolower($i) ~ /^[-+]?(nan|inf|infinity)$/) print "line " NR " field " i ": \"" $i "\"" }
        END { if (NR < 2) print "no rows" }' <<<"$output")
    [ -z "$fault" ] || complain "not a clean table: $fault"
}

# Every row of the table is verified, and there are this many.
expect_verified_rows() {
    expect_status 0 || return
    expect_clean_table , || return
    [ "$(column verify | sort -u)" = pass ] || complain "expected every row to be verified" || return
    [ "$(column verify | wc -l)" -eq "$1" ] || complain "expected $1 rows"
}

# The programs of tools/, and those among them that benchmark.
programs() {
    local files=("$root"/tools/*.cu)
    printf '%s\n' "${files[@]##*/}" | sed 's/\.cu$//'
}

# Those without kernels. simcc and gridutils are not among them: they share less with the others.
host_programs() {
    local file
    for file in "$root"/tools/*.cpp; do basename "$file" .cpp; done | grep -v -x -e simcc -e gridutils || true
}

benchmarks() {
    local program
    for program in $(programs); do
        if "$program" --help | grep -q -e --kernel && ! needs_gpu "$program"; then echo "$program"; fi
    done
}

# Whether all variants of PROGRAM need a GPU: then it has tests of its own, and no table in the simulator.
needs_gpu() { [ "$("$1" --list --csv --no-header 2>/dev/null | cut -d , -f 2 | sort -u)" = gpu ]; }

# Whether PROGRAM counts on the device under test without being asked to: then it measures no times.
counts_here() { on_simulator && "$1" -d sim -q -n 1 --csv | head -1 | grep -q gld_requests; }

# The variants of PROGRAM that run on the device under test, in the table's order.
variants() {
    local needs='any|host|gpu'
    if on_simulator; then needs='any|host'; fi
    "$1" --list --csv --no-header | awk -F , -v needs="^($needs)\$" '$2 ~ needs { print $1 }'
}

# $output has exactly one verified row for every variant of PROGRAM that runs here at each of the SIZES, in order.
expect_all_verified() {
    local program=$1 n kernel expected
    shift
    expected=$(for n; do for kernel in $(variants "$program"); do echo "$kernel $n pass"; done; done)
    expect_status 0 || return
    diff <(echo "$expected") <(paste -d ' ' <(column kernel) <(column n) <(column verify)) >&2 ||
        complain "not every variant is there and verified (above: < expected, > seen)"
}

# ---- several devices

# How many devices a program may use: the GPUs, or the simulator's.
device_count() {
    if on_simulator; then echo "${SIMCC_DEVICES:-1}"; else devquery -d all --prop ordinal --value | wc -l; fi
}

# devices COUNT: provides this many devices, or skips the test if the machine has fewer GPUs.
devices() {
    if on_simulator; then
        export SIMCC_DEVICES=$1
    else
        [ "$(device_count)" -ge "$1" ] || skip "there are fewer than $1 GPUs"
        device=$(seq -s, 0 $(($1 - 1)))
    fi
}

# gang PROGRAM [OPTION]...: a run whose result must be right on every device.
gang() {
    expect_fine "$@" --gang --csv -w 0 -r 2
    [ "$(column verify | sort -u)" = pass ] || complain "not all rows are right"
}

# ---- input files

# numbers TEMPLATE NUMBER...: packed as perl's pack does: 'f<' float, 'd<' double, 'l<' int32, 'q<' int64, 'c' int8, ...
numbers() {
    local template=$1
    shift
    perl -e 'print pack("(" . shift(@ARGV) . ")*", @ARGV)' "$template" "$@"
}

# npy DESCR SHAPE [VERSION]: standard input as the data of a .npy file: npy '<f4' '(3,)'
npy() {
    perl -e 'my ($descr, $shape, $version) = @ARGV;
             my $header = "{\x27descr\x27: \x27$descr\x27, \x27fortran_order\x27: False, \x27shape\x27: $shape, }";
             my $preamble = $version == 1 ? 10 : 12;
             $header .= " " x (63 - ($preamble + length $header) % 64) . "\n";
             print "\x93NUMPY", chr($version), "\0", pack($version == 1 ? "v" : "V", length $header), $header;' "$1" "$2" "${3:-1}"
    cat
}

# Makes the file `fractions`: numbers whose sums are rounded, 22 MB of f32. It has more pieces than any test has devices
# or processes, whether of 2^20 numbers on a device or of 1 MiB on the host.
fractions() {
    perl -e 'srand 1; print pack "f<*", map { rand() - 0.3 } 1 .. 1 << 18' >quarter
    for _ in {1..21}; do cat quarter; done >all
    head -c 4004 quarter >>all
    mv all fractions
}

# ---- the textbook's kernels: each is plain CUDA, and so it can be copied into anyone's program

# kernel_text FILE KERNEL: the kernel, and what its file in kernels/ defines above it for it.
kernel_text() {
    awk -v wanted="$2" '
        # The last word before the parameters, the value or the body.
        function name_of(definition,    words) {
            gsub(/template *<[^>]*>|__launch_bounds__\([^)]*\)|(__align__|alignas)\([^)]*\)/, "", definition)
            match(definition, /[[({=;]/)
            return words[split(substr(definition, 1, RSTART - 1), words, /[ \n*]+/)]
        }
        !is_open && /^(template|__[a-z]+__|constexpr|struct|using) / { is_open = 1; ++count }
        is_open {
            text[count] = text[count] $0 "\n"
            depth += gsub(/{/, "{") - gsub(/}/, "}")
            if (depth == 0 && /[;}]$/) is_open = 0
        }
        END {
            for (i = count; i > 0; --i) {
                name = name_of(text[i])
                if (name == wanted || needed ~ "(^|[^A-Za-z0-9_])" name "[^A-Za-z0-9_]") needed = text[i] needed
            }
            printf "%s", needed
        }' "$root/kernels/$1"
}

# copy_kernel FILE KERNEL PARAMETERS BODY: adds to program.cu the kernel, in a namespace of its own, and the function
# template run_KERNEL, which launches it. No header of ours is included.
copy_kernel() {
    printf 'namespace of_%s {\n%s\n}\nusing namespace of_%s;\ntemplate <typename T> void run_%s(%s) {\n%s\n}\n' \
        "$2" "$(kernel_text "$1" "$2")" "$2" "$2" "$3" "$4" >>program.cu
}

# copies_print TEXT: program.cu prints it, compiled by simcc and, on a GPU, by nvcc, which compiles it wherever it is.
copies_print() {
    capture simcc -O1 -std=c++17 -Wall -Wextra program.cu -o program
    expect_status 0 && expect_no_errors || return
    capture ./program
    expect_output "$1" || return
    command -v nvcc >/dev/null || return 0
    if on_simulator; then capture nvcc -std=c++17 -arch=sm_90 -rdc=true -ptx program.cu -o program.ptx
    else capture nvcc -std=c++17 -arch=native -rdc=true program.cu -lcudadevrt -o program; fi
    expect_status 0 && expect_no_errors || return
    capture ./program  # (of the simulator's, once more)
    expect_output "$1"
}

# ---- pages

# run_examples PAGE: runs the examples of a page in man; see common/packages/examples.bash.
run_examples() {
    GRIDUTILS_DEVICE=$device bash "$root/common/packages/examples.bash" "$root/man/$1"
}
