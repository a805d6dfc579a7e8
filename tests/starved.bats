#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Programs on machines with too few resources for the simulator: they end with status 3 and say what is missing and how
# to get it. They never hang, and are never ended by a signal. The same holds for programs built by simcc. This is about
# the simulator's own work: before main, the loader and the CUDA runtime in our programs fail in their own ways.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

# Needs no GPU

load helpers

# Makes ./hello and ./hello-checked.
hello() {
    once hello simcc -O1 "$root/tests/simcc/hello.cu" -o hello &&
        once hello-checked simcc -G -O0 "$root/tests/simcc/hello.cu" -o hello-checked
}

# Makes ./shortage.so, which makes a call of the C library after the beginning of main fail.
shortage() {
    once shortage.so g++ -x c -O1 -shared -fPIC "$root/tests/simcc/shortage.c" -o shortage.so
}

# Calls the function $1 for every program below test, with its command line.
for_each_program() {
    hello
    "$1" ./hello
    "$1" ./hello-checked
    "$1" reduce -d sim -n 4Ki -k sequential
    "$1" reduce --check -n 4Ki -k sequential
}

# ends_starved PATTERN [NAME=VALUE]... COMMAND: expects exit status 3, and one line of the program that matches the pattern.
ends_starved() {
    local pattern=$1
    shift
    capture timeout 60 env "$@"
    expect_status 3 && expect_errors_like "(^|
)(hello|reduce|first)[a-z-]*: $pattern; [^;]*(raise|give|unset|do not check)"
}

# The program either does without, or says what is missing.
survives() {
    capture timeout 60 "$@"
    [ "$status" -eq 0 ] || { expect_status 3 && expect_errors_like "; [^;]*(raise|give|unset|choose|do not check)"; }
}

@test "a variable that is not a number is an error, not ignored" {
    # shellcheck disable=SC2317
    refuses_each() {
        local setting
        for setting in SIMCC_THREADS=abc SIMCC_THREADS=0 SIMCC_THREADS=-1 SIMCC_THREADS=2x \
            SIMCC_THREADS=99999999999999999999 SIMCC_DEVICES=abc SIMCC_DEVICES=65 SIMCC_TIMEOUT=-1; do
            ends_starved "$setting is not a number that the simulator takes" "$setting" "$@" || return
        done
    }
    for_each_program refuses_each
}

@test "without a simulated device, our programs say why, and others get CUDA's error" {
    export SIMCC_DEVICES=0
    for check in -dsim --check; do
        capture reduce $check -n 64 -k sequential
        expect_status 3
        expect_errors_like "^reduce: the simulator has no device: SIMCC_DEVICES is 0; unset it"
    done
    hello
    for program in ./hello ./hello-checked; do
        capture $program
        expect_status 1
        expect_errors_like "no CUDA-capable device is detected"
    done
}

@test "failure to start any thread ends the program" {
    shortage
    # Two workers, one that watches them, and one for the stream.
    # shellcheck disable=SC2317
    fails_each() {
        local n
        for n in 1 2 3 4; do
            ends_starved "the simulator cannot start a thread: Resource temporarily unavailable" \
                SIMCC_THREADS=2 FAIL=pthread_create:$n LD_PRELOAD=./shortage.so "$@" || return
        done
        # These are all.
        capture timeout 60 env SIMCC_THREADS=2 FAIL=pthread_create:5 LD_PRELOAD=./shortage.so "$@"
        expect_status 0
    }
    for_each_program fails_each
    FAIL=pthread_create:1 LD_PRELOAD=./shortage.so capture timeout 60 streams -d sim -n 1Ki -q
    expect_status 3
    expect_errors_like "raise the limit of processes"
    # Many processors mean many workers.
    for n in 1 16 17 18; do
        ends_starved "the simulator cannot start a thread: Resource temporarily unavailable" \
            SIMCC_THREADS=16 FAIL=pthread_create:$n LD_PRELOAD=./shortage.so reduce -d sim -n 4Ki -k sequential
    done
}

@test "failure of any memory mapping ends the program, or the program does without it" {
    shortage
    # shellcheck disable=SC2317
    fails_each() {
        local n
        for n in 1 2 3 4 5 6 7 8; do
            survives env SIMCC_THREADS=2 FAIL=mmap:$n LD_PRELOAD=./shortage.so "$@" || return
        done
    }
    for_each_program fails_each
}

@test "failure of any allocation of the simulator's own ends the program" {
    shortage
    hello
    for n in 1 5 10 20 50 80 130 210 340 550 890 1440 2330 3770 6100; do
        for check in -dsim --check; do
            survives env SIMCC_THREADS=2 FAIL=malloc:$n LD_PRELOAD=./shortage.so reduce $check -n 1Ki -k sequential
        done
    done
    # What a program may begin with: a launch (later, hello allocates for itself), a symbol, a function's attribute.
    printf '%s\n' '__device__ int symbol;' \
        '__global__ void kernel() {}' \
        'int main(int count, char**) {' \
        '    int value = 1;' \
        '    if (count == 1) return cudaMemcpyToSymbol(symbol, &value, sizeof value);' \
        '    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);' \
        '}' >first.cu
    once first simcc first.cu -o first
    for program in ./hello ./hello-checked ./first "./first attribute"; do
        # shellcheck disable=SC2086
        ends_starved "the simulator has no memory left for its own work" FAIL=malloc:1 LD_PRELOAD=./shortage.so $program
    done
    # (Until the end of the process.)
    for n in 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        survives env FAIL=malloc:$n LD_PRELOAD=./shortage.so ./first
        survives env FAIL=malloc:$n LD_PRELOAD=./shortage.so ./first attribute
    done
}

@test "a limit of the address space is named when it is too low" {
    # What the loader needs, and the CUDA runtime, where a program contains it and registers its kernels.
    local needed=8000
    until (ulimit -v $needed && exec reduce --version) >/dev/null 2>&1; do
        needed=$((needed + 2000))
        [ $needed -le 200000 ] || complain "reduce --version does not run in 200 MB"
    done
    # shellcheck disable=SC2317
    limits() {
        local more
        for more in 2000 80000 180000; do
            survives bash -c "ulimit -v $((needed + more)) && exec \"\$@\"" limited "$@" || return
        done
    }
    for_each_program limits
}

# (The limit does not bind root, and counts all processes of a user.)
@test "a limit of processes is named when it is too low" {
    [ "$(id -u)" -eq 0 ] || skip "only root may change to a user without processes"
    need_user
    for limit in 1 3 5; do
        survives setpriv --reuid 54321 --clear-groups bash -c "ulimit -u $limit && exec reduce -d sim -n 1Ki -k sequential"
    done
}

@test "programs run on one processor, without /dev/shm, and without a folder for temporary files" {
    for command in "taskset -c 0" "env TMPDIR=/nonexistent" "unshare -m bash -c 'umount /dev/shm; exec \"\$@\"' bare"; do
        eval "$command true" 2>/dev/null || continue
        eval "capture $command reduce -d sim -n 4Ki -k sequential -q"
        expect_status 0
        expect_no_errors
    done
    if taskset -c 0 true 2>/dev/null; then
        capture taskset -c 0 devquery -d sim --csv
        expect_output_like ',multiprocessors,1,multiprocessor,'
    fi
}

@test "simcc without a folder for temporary files says so" {
    TMPDIR=/nonexistent capture simcc "$root/tests/simcc/hello.cu"
    expect_status 3
    expect_errors_like "^simcc: /nonexistent/simcc[^ ]*: cannot make a temporary folder: .*; set TMPDIR to"
}

# in_group CONTROLLER FILE VALUE COMMAND...: runs it in a control group with that limit, if this system allows one.
in_group() {
    local group=/sys/fs/cgroup/$1/gridutils.$$ root=/sys/fs/cgroup/$1
    if [ -e /sys/fs/cgroup/cgroup.controllers ]; then group=/sys/fs/cgroup/gridutils.$$ root=/sys/fs/cgroup; fi
    mkdir "$group" 2>/dev/null && echo "$3" 2>/dev/null >"$group/$2" || {
        rmdir "$group" 2>/dev/null || true
        skip "no control groups here"
    }
    # shellcheck disable=SC2016  # for the inner shell
    capture bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "${@:4}"
    rmdir "$group"
}

# Cached files fill a group's free memory, but give way to programs.
@test "files cached by a control group do not count as memory in use" {
    local memory=memory.limit_in_bytes
    if [ -e /sys/fs/cgroup/cgroup.controllers ]; then memory=memory.max; fi
    in_group memory "$memory" 536870912 bash -c 'head -c 480M /dev/zero >file && exec reduce -d sim -q -n 32Mi -k cpu -r 1'
    expect_status 0
}

@test "memory and processors are limited to those of a control group below the root" {
    local memory=memory.limit_in_bytes cpu=cpu.cfs_quota_us quota=50000
    if [ -e /sys/fs/cgroup/cgroup.controllers ]; then memory=memory.max cpu=cpu.max quota="50000 100000"; fi
    in_group memory "$memory" 134217728 reduce -d sim -q -n 64Mi -k cpu
    expect_status 3
    expect_errors_like "out of memory .*choose a smaller --size"
    in_group cpu "$cpu" "$quota" devquery -d sim --csv
    expect_status 0
    expect_output_like ',multiprocessors,1,multiprocessor,'
    unit_program units/machine
    in_group cpu "$cpu" "$quota" ./machine
    expect_output_like "^1"$'\n'
    in_group memory "$memory" 134217728 ./machine
    [ "$(tail -1 <<<"$output")" -le 134217728 ] || complain "at most the group's memory"
}

@test "filters and host code use the cores and the memory that a process may use" {
    unit_program units/machine
    capture ./machine
    expect_status 0
    local all
    all=$(nproc)
    [ "$(head -1 <<<"$output")" -le "$all" ] || complain "at most $all cores"
    [ "$(tail -1 <<<"$output")" -le $(($(awk '/^MemTotal/ { print $2 }' /proc/meminfo) * 1024)) ] || complain "memory"
    if taskset -c 0 true 2>/dev/null; then
        capture taskset -c 0 ./machine
        expect_output_like "^1"$'\n'
    fi
}

@test "control groups of both versions limit cores and memory: the least limit counts, and cached files do not" {
    unit_program units/machine
    # limits EXPECTED: the limits by the groups of ./list in ./tree.
    limits() {
        capture ./machine list tree
        expect_output "$1"
        rm -rf tree
    }
    # set FILE TEXT: a file of the tree.
    set_file() { mkdir -p "$(dirname "tree/$1")" && printf '%s\n' "$2" >"tree/$1"; }
    echo 0::/outer/inner >list
    set_file outer/inner/cpu.max "max 100000"
    set_file outer/inner/memory.max max
    limits $'any\nany'
    set_file outer/cpu.max "150000 100000"
    set_file outer/inner/cpu.max "400000 100000"
    set_file outer/memory.max 1000000
    set_file outer/memory.current 900000
    set_file outer/memory.stat $'anon 300000\ninactive_file 400000\nactive_file 200000'
    set_file outer/inner/memory.max 800000
    set_file outer/inner/memory.current 100000
    limits $'2\n700000'
    # A container sees its own group as the root, and a path that does not exist.
    set_file memory.max 5000
    set_file memory.current 6000
    limits $'any\n0'
    printf '%s\n' 9:name=systemd:/x 4:memory:/a 3:cpuset:/ 2:cpu,cpuacct:/b 0::/ nonsense >list
    set_file memory/memory.limit_in_bytes 9223372036854771712
    set_file memory/a/memory.limit_in_bytes 70000
    set_file memory/a/memory.usage_in_bytes 50000
    set_file memory/a/memory.stat $'inactive_file 1\ntotal_inactive_file 10000'
    set_file cpu/cpu.cfs_quota_us -1
    set_file cpu/cpu.cfs_period_us 100000
    set_file cpu/b/cpu.cfs_quota_us 50000
    set_file cpu/b/cpu.cfs_period_us 100000
    limits $'1\n30000'
    limits $'any\nany'
}
