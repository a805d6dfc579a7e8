#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What nested promises: every grid runs once, at every depth and whoever launches it, and images are right.
# shellcheck disable=SC2154  # helpers.bash sets $output

# Tests side by side on a GPU

load helpers

@test "nested: every variant that makes launches is right for any number of them" {
    expect_fine nested -k 'host,null-stream,fire-and-forget,tail-launch,per-block,per-thread' -n 0,1,31,33,100,3000 \
        -w 0 -r 1 --csv
    expect_clean_table
    expect_verified_rows 36
    # (All of them, including the parent; the host's launches have none.)
    [ "$(columns kernel p_launches p_depth | grep '3[0-9][0-9][0-9]')" = "\
host 3000 0
null-stream 3001 1
fire-and-forget 3001 1
tail-launch 3001 1
per-block 3001 1
per-thread 3001 1" ]
}

@test "nested: chains reach CUDA's nesting depth, and report what happened at the next level" {
    expect_fine nested -k '*chain' --depth 0:24 -w 0 -r 1 --csv
    expect_verified_rows 75
    columns kernel n p_depth p_launches | awk '$4 != $2 + 1 || $3 != ($1 == "host-chain" ? 0 : $2) { print }' >wrong
    [ ! -s wrong ] || complain "wrong counts: $(cat wrong)"
    try nested -k '*chain' --depth 25 --csv
    # (A GPU's driver may nest deeper than the programming guide says.)
    if ! on_simulator && [ "$status" -eq 0 ]; then expect_verified_rows 3 && return; fi
    expect_status 1
    [ "$(column kernel)" = host-chain ]
    expect_errors_like "chain: wrong result .* grid 25 of 26 has not run; .*cudaErrorLaunchMaxDepthExceeded"
    expect_errors_like "tail-chain: wrong result .*cudaErrorLaunchMaxDepthExceeded"
}

@test "nested: images of any size are those of the host, and squares launch few grids if there is little to do" {
    local side
    for side in 1 2 31 33 100 257; do
        expect_fine nested -k pixels,squares --side $side --steps 100 -w 0 -r 1 --csv
        expect_verified_rows 2
    done
    for block in 1 33 1024; do
        expect_fine nested -k pixels,squares --side 50 -b $block -w 0 -r 1 --csv
        expect_verified_rows 2
    done
    # With one step, inside and outside have a simple border: all squares except those on it are filled.
    expect_fine nested -k pixels,squares --side 640 --steps 2 -w 0 -r 1 --csv
    [ "$(columns kernel p_launches p_depth p_differing | head -1)" = "pixels 1 0 0" ]
    [ "$(column p_launches | tail -1)" -gt 1 ] && [ "$(column p_launches | tail -1)" -lt 101 ]
}

@test "nested: integrals of peaks of any width are right, and intervals are short only where needed" {
    expect_fine nested -k even,rounds,intervals --sharpness 1,7,64,100,1Ki,64Ki -w 0 -r 1 --csv
    expect_clean_table
    expect_verified_rows 18
    # Rounds and launches try the same intervals, a round at each depth; all even ones are as short as the shortest.
    columns kernel n p_intervals p_launches p_depth | awk '
        $1 == "even" { even = $3 } $1 == "rounds" { tried = $3; rounds = $4 }
        $1 == "intervals" && !($3 == tried && $5 + 1 == rounds && even == 32 ^ (rounds + 1) && $4 == 1 + (tried - 1024) / 32)' >wrong
    [ ! -s wrong ] || complain "wrong counts: $(cat wrong)"
    [ "$(columns kernel n p_intervals | grep 'intervals 65536')" = "intervals 65536 2112" ]
    # Too narrow a peak to try even intervals here, and blocks of any size.
    expect_fine nested -k rounds,intervals --sharpness 1Gi -w 0 -r 1 --csv
    expect_verified_rows 2
    expect_fine nested -k even --sharpness 100 -b 33 -w 0 -r 1 --csv
    expect_verified_rows 1
    # The last bits differ from the closed form, but the first nine digits do not.
    expect_fine nested -k rounds,intervals --sharpness 100 --tol 1e-9 --csv
    try nested -k rounds,intervals --sharpness 100 --tol 1e-12 --csv
    expect_status 1
    expect_errors_like "rounds: wrong result for n = 100: got 0.03096602773[0-9]*, expected 0.03096602773"
    expect_errors_like "intervals: wrong result for n = 100: got 0.03096602773"
}

@test "nested: an interval whose launch is refused is integrated by its thread, which counts what it tries" {
    on_simulator || skip "its limit"
    cat >alone.cu <<'CU'
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include "kernels/nested/quadrature.cuh"
namespace BACKEND {
void fail_cuda(cudaError_t, const char*, const char*, int) { std::abort(); }
}
using namespace BACKEND;
int main(int, char** arguments) {
    cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, std::atoi(arguments[1]));
    const double s = 65536, exact = (std::atan((1 - peak_center) * s) + std::atan(peak_center * s)) / s;
    QuadratureArguments of;
    of.sharpness = s, of.allowed = quadrature_tolerance * exact / 4096;
    cudaMallocManaged(&of.d_sum, sizeof *of.d_sum);
    cudaMallocManaged(&of.d_tally, sizeof *of.d_tally);
    *of.d_sum = 0, *of.d_tally = {};
    launch_quadrature_intervals(of);
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s %d %llu %u\n", cudaGetErrorName(error), std::fabs(*of.d_sum - exact) <= 1e-6 * exact, of.d_tally->intervals,
                of.d_tally->grids);
}
CU
    capture simcc -std=c++17 -DBACKEND=sim -I "$root" alone.cu -o alone
    expect_status 0
    capture ./alone 2048
    expect_output "cudaSuccess 1 2112 35"
    capture ./alone 3
    expect_status 0
    # (Those of 35 grids for which there was room to launch.)
    [[ $output =~ ^"cudaSuccess 1 2112 "([0-9]+)$ && ${BASH_REMATCH[1]} -ge 4 && ${BASH_REMATCH[1]} -lt 35 ]] || complain "$output"
}

@test "nested: a failed launch is reported as such, whether or not a mark is missing" {
    on_simulator || skip "the same there"
    cat >marks.cu <<'CU'
#include <cstdio>
#include <cstdlib>
#include "tools/nested/marks.cuh"
namespace BACKEND {
void fail_cuda(cudaError_t, const char*, const char*, int) { std::abort(); }
}
using namespace BACKEND;
int main() {
    const Marks marks(2);
    marks.poison(nullptr);
    cudaDeviceSynchronize();
    const NestedArguments of = marks.arguments(42);
    *of.d_error = cudaErrorLaunchPendingCountExceeded;
    std::puts(marks.check(42).detail.c_str());
    for (unsigned i = 0; i < 2; ++i) of.d_marks[i] += mark_of(42, i);
    std::puts(marks.check(42).detail.c_str());
    *of.d_error = cudaSuccess;
    std::puts(marks.check(42).right ? "right" : "wrong");
}
CU
    capture simcc -std=c++17 -DBACKEND=sim -I "$root" marks.cu "$root/build/libgridutils.a" -lfmt -lz -Xlinker --gc-sections -o marks
    expect_status 0
    capture ./marks
    expect_output_like $'^grid 0 of 2 has not run; a launch by a kernel failed: [^\n]*\na launch by a kernel failed: [^\n]*\nright$'
}

@test "nested: greetings come from every thread at every depth, parents before children" {
    expect_fine nested --hello 8 --csv
    [ "$(column depth | sort | uniq -c | tr -s ' ' | tr '\n' ,)" = " 16 0, 8 1, 4 2, 2 3," ]
    # A grid's first thread launches the next grid after its own greeting. The second greeting of a thread at some depth
    # is from the second grid, and so comes after the second greeting of the first thread one level up.
    columns depth block thread threads | awk '
        $1 > 0 && ++count[$1, $3] > launched[$1 - 1] { print "too early: " $0 }
        $3 == 0 { ++launched[$1] }
        $4 != 8 / 2 ^ $1 || $3 >= $4 || $2 > ($1 == 0) { print }' >wrong
    [ ! -s wrong ] || complain "wrong greetings: $(cat wrong)"
    [ "$(columns depth block thread | grep '^0' | sort -u | wc -l)" = 16 ]
    expect_fine nested --hello 1 -f human
    expect_output_like "^2 threads in 2 blocks, and half as many at each depth down to 0"
    expect_output_like "depth +block +thread +of threads"
}

@test "nested: a GPU has times per launch, and the simulator none" {
    expect_fine nested -k 'host*,null-stream,chain' -n 16 --depth 2 --csv
    if on_simulator; then
        [ "$(column p_ns_per_launch | sort -u)" = "" ]
    else
        columns median_ns p_launches p_ns_per_launch | awk '!($3 > 0 && ($1 / $2 - $3) ^ 2 < 0.02) { print }' >wrong
        [ ! -s wrong ] || complain "not the median's share: $(cat wrong)"
    fi
}

@test "nested: invalid depths, sides and numbers of threads are refused" {
    refuses 2 "--depth '33' is not from 0 to 32" nested --depth 33
    refuses 2 "--side" nested --side 0
    refuses 2 "--depth is for host-chain, chain and tail-chain, and none of them is to run" nested -k pixels --depth 3
    refuses 2 "--depth is for" nested --versus pixels --depth 3
    refuses 2 "--size is for" nested -k pixels,even -n 64
    refuses 2 "--side is for" nested -k chain --side 64
    refuses 2 "--steps is for" nested -k chain,even --steps 64
    refuses 2 "--sharpness is for" nested -k 'p*' --sharpness 64
    refuses 2 "--hello" nested --hello 1025
    refuses 2 "--hello" nested --hello 0
    refuses 2 "--steps" nested --steps x
    refuses 2 "--sharpness '0' is not from 1 to" nested --sharpness 1,0
    refuses 2 "unknown kernel 'chains'; did you mean 'chain'" nested -k chains
    refuses 2 "unknown option '--dtype'" nested --dtype f32
}

@test "nested: --hello refuses the options of measurements, and no others" {
    local word argument
    for word in '-n 7' '-k pixels' '-b 32' '-w 3' '-r 2' '--max-ci 1' '--timeout 15' '--cache cold' --ladder '--versus host' --raw \
        '--seed 42' --no-verify '--tol 0' --profile '--depth 3' '--side 128' '--steps 512' '--sharpness 1Ki'; do
        read -r word argument <<<"$word"
        refuses 2 'does not go with --hello, which only greets' nested --hello 2 "$word" ${argument:+"$argument"}
    done
    expect_fine nested --hello 2 -f csv --no-header -v --color never --progress never -o greetings.csv
    [ "$(wc -l <greetings.csv)" = 6 ]
    if on_simulator; then
        for word in --counters --by-line --annotate; do
            refuses 2 'does not go with --hello, which only greets' nested --hello 2 $word
        done
        try nested --hello 2 --check --print-limit 1 --csv
        expect_status 0
    fi
}

@test "nested: even intervals that would take hours to simulate are left out with a notice, unless named" {
    on_simulator || skip "a GPU is fast enough"
    try nested -v -k 'e*n,rounds' --sharpness 1Gi,1Ki -w 0 -r 1 --csv
    expect_status 0
    [ "$(columns kernel n | paste -sd ,)" = "rounds 1073741824,even 1024,rounds 1024" ]
    expect_errors_like 'even is left out at 1073741824: 34359738368 intervals would take long; name it with --kernel to run it'
    capture timeout 2 nested -d sim -k even --sharpness 1Gi -w 0 -r 1 --csv
    expect_status 124
}

@test "nested: the checked simulator finds nothing, with any number of threads" {
    on_simulator || skip "its own device"
    local threads
    for threads in 1 2 3 16; do
        capture env SIMCC_THREADS=$threads nested --check=all,leakcheck -q -n 3,70 --depth 5,24 --side 77 --steps 40 --sharpness 100 --csv
        expect_verified_rows 23
        expect_errors_like "ERROR SUMMARY: 0 errors"
    done
}

@test "nested: the launches of a block are counted with their kernel's" {
    on_simulator || skip "its counters"
    # A mark is an atomic operation of one lane, whoever launches the grid: 4 bytes of a sector.
    expect_fine nested --counters -q -n 40 -k host,null-stream,per-thread --csv
    [ "$(columns kernel gatom_requests gatom_sectors)" = "\
host 40 40
null-stream 40 40
per-thread 40 40" ]
}

@test "nested: what launches save goes through a pipe" {
    need mlr
    pipeline 'nested -q -d $device -k pixels,squares --side 64 --steps 64 -w 0 -r 1 --csv |
        mlr --icsv --ojson cut -f kernel,verify then nest --ivar ";" -f kernel'
    expect_status 0
    expect_output_like "pixels;squares"
}

@test "nested: the examples of its page run" { need mlr datamash && run_examples nested.1; }

@test "nested: --versus compares one kind of work, and leaves out the others" {
    expect_fine nested --versus host -n 3 -w 0 -r 1 --csv
    [ "$(column kernel | paste -sd ' ')" = "host null-stream fire-and-forget tail-launch per-block per-thread" ]
    expect_fine nested --versus pixels --side 33 -w 0 -r 1 --csv
    [ "$(column kernel | paste -sd ' ')" = "pixels squares" ]
    column versus_ratio | awk '!($1 > 0) { exit 1 }' || complain "a ratio is not above 0"
    expect_fine nested -k host,null-stream --versus host -n 3 -w 0 -r 1 --csv
    refuses 2 "--versus 'squares' compares one kind of work, and host does another" nested -k host --versus squares -n 3
}

@test "nested: with --versus every row shows the launches of its own variant" {
    local samples
    # (The order within a pair of samples is random, and differs between these runs.)
    for samples in 1 2 3 4 5; do
        expect_fine nested -k squares --side 600 --steps 32 --versus pixels -w 0 -r $samples --csv
        [ "$(columns kernel p_launches p_depth | paste -sd ,)" = "pixels 1 0,squares 85 1" ] || complain "$samples samples"
        expect_fine nested -k intervals,rounds --sharpness 64Ki --versus rounds -w 0 -r $samples --csv
        [ "$(columns kernel p_launches p_depth | paste -sd ,)" = "rounds 3 0,intervals 35 2" ] || complain "$samples samples"
    done
    expect_fine nested -k squares --side 600 --steps 32 --versus pixels -w 0 -r 4 --no-verify --csv
    [ "$(columns kernel p_launches p_depth | paste -sd ,)" = "pixels 1 0,squares 85 1" ]
}
