#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cuBLAS, cuRAND and cuFFT in programs that simcc builds: right with the system's libraries and without, ordered in their
# streams, known to the checkers; libraries that are not there are refused where the program names them.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

# Needs no GPU

load helpers

PATH=${BIN:-$root/bin}:$PATH
programs=$BATS_TEST_DIRNAME/simcc

setup_file() {
    [ "${SANITIZE-}" != thread ] || skip "no checkers beside ThreadSanitizer"
}

# builds PROGRAM [OPTION]...: compiles tests/simcc/PROGRAM.cu to ./PROGRAM silently.
builds() {
    local program=$1
    shift
    capture simcc -O1 "$programs/$program.cu" "$@" -o "$program"
    expect_status 0
    expect_no_errors
}

# gives LINE PROGRAM: runs it with both engines; each must end well and print the line last.
gives() {
    local engine
    for engine in any own; do
        SIMCC_LIBRARIES=$engine capture "./$2"
        expect_status 0
        expect_no_errors
        [ "$(tail -1 <<<"$output")" = "$1" ] || complain "$engine: $output"
    done
}

@test "cuBLAS gives exact results in all types, operations and storages" {
    builds cublas -lcublas
    gives "649337 compared, 0 wrong" cublas
    [ "$(head -1 <<<"$output")" = "invalid 7 7 1" ] || complain "$output"
}

@test "cuFFT transforms arrays of any length and layout" {
    builds cufft -lcufft
    gives "11459 compared, 0 wrong" cufft
}

@test "cuRAND's integers and uniform numbers are a GPU's" {
    builds curand -lcurand
    capture ./curand
    expect_status 0
    expect_no_errors
    # (As cuRAND 10.4 makes them.)
    diff <(grep -v means <<<"$output") - <<'END' >&2 || complain "other numbers"
xorwow on the device: c8694a55 be4b36178daa7d74 313f356b27753a71 1b8ed1e9854cc98c 4fdf6e23000c586f
xorwow on the host: c8694a55 be4b36178daa7d74 313f356b27753a71 1b8ed1e9854cc98c 4fdf6e23000c586f
xorwow legacy on the device: c8694a55 be4b36178daa7d74 313f356b27753a71 1b8ed1e9854cc98c 4fdf6e23000c586f
xorwow legacy on the host: c8694a55 be4b36178daa7d74 313f356b27753a71 1b8ed1e9854cc98c 4fdf6e23000c586f
mrg32k3a on the device: 6e9aabc4 200dac7f1e922707 5b9072ca62d5ad78 aa3834db048ab0a8 15936b60a780a611
mrg32k3a on the host: 6e9aabc4 200dac7f1e922707 5b9072ca62d5ad78 aa3834db048ab0a8 15936b60a780a611
mrg32k3a legacy on the device: 6e9aabc4 b6b5805488aa11fe ff7e20d118c63146 0e794ab47562ccf2 845e91fe4fda064a
mrg32k3a legacy on the host: 6e9aabc4 b6b5805488aa11fe ff7e20d118c63146 0e794ab47562ccf2 845e91fe4fda064a
philox on the device: 0f1539db 220661c90eee2e41 c7dabee1140689f3 72013580991d8a40 602b8635d30d4b43
philox on the host: 0f1539db 220661c90eee2e41 c7dabee1140689f3 72013580991d8a40 602b8635d30d4b43
sobol32 on the device: 20000000 96b552bdf68d05cc f4b63d853cdeab85 58bae269db7bef37 7bff28efe24a7686
sobol32 on the host: 20000000 96b552bdf68d05cc f4b63d853cdeab85 58bae269db7bef37 7bff28efe24a7686
xorwow in a kernel: 88ce38ca e30101f64ff4da35 b38bd259bf41fd8b 739947090876a242, normal -0.28
mrg32k3a in a kernel: d2f57d37 6da916700f78f998 0d0d1687847ba1b2 5d7de5f66b755076, normal -0.88
philox in a kernel: b940f465 998a541f9cc4cbf0 42998700a2647227 b53478bbd0b472ba, normal 4.73
philox, four at once: 92bfea4379439332 617c637dba3d7b29
END
    [ "$(grep -c '^  means 1.0 1.0 1.0 5.0 5.0, variance 4.0$' <<<"$output")" = 12 ] || complain "$output"
}

# writes_call C: ./call.cu multiplies on the device and copies the result; C is where it goes.
writes_call() {
    cat >call.cu <<SOURCE
#include <cublas_v2.h>
#include <cstdio>
#include <vector>
int main() {
    const int n = 32;
    float *a, *b, *c, one = 1, zero = 0;
    std::vector<float> host(n * n, 1);
    cudaMalloc(&a, n * n * sizeof(float));
    cudaMalloc(&b, n * n * sizeof(float));
    cudaMalloc(&c, $1 * sizeof(float));
    cudaMemcpy(a, host.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, host.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
    cublasHandle_t h;
    cublasCreate(&h);
    int status = cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, $2, n);
    int error = cudaDeviceSynchronize();
    cudaMemcpy(host.data(), c, $1 * sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("%d %d %g\n", status, error, host[5]);
    cublasDestroy(h);
    cudaFree(a), cudaFree(b), cudaFree(c);
}
SOURCE
}

@test "the checkers know what a library reads and writes" {
    writes_call 1024 c
    capture simcc -G call.cu -lcublas -o call
    expect_status 0
    capture ./call
    expect_status 0
    expect_output "0 0 32"
    [ "$errors" = "========= ERROR SUMMARY: 0 errors" ] || complain "$errors"
    writes_call 1000 c
    simcc -G call.cu -lcublas -o call
    capture ./call
    expect_status 86
    expect_errors_like 'cublasSgemm: C 0x[0-9a-f]*: the call needs 4096 bytes, but the allocation #[0-9]* of 4000 bytes ends'
}

@test "memory that a GPU could not reach is an illegal address" {
    writes_call 1024 host.data
    sed -i 's/host.data, n/host.data(), n/' call.cu
    simcc -O1 call.cu -lcublas -o call
    capture ./call
    expect_status 0
    expect_output "0 700 1"
    expect_errors_like '^call: cublasSgemm: C 0x[0-9a-f]* is memory of the host'
}

@test "libraries that are not there are refused where the program names them" {
    printf '#include <cstdio>\n\n#include <cusparse.h>\nint main() { cusparseHandle_t h; cusparseCreate(&h); }\n' >sparse.cu
    capture simcc sparse.cu -o sparse
    expect_status 1
    [ "$errors" = "sparse.cu:3:1: error: the simulator does not have cuSPARSE; the program needs nvcc and a GPU" ] ||
        complain "$errors"
    printf '\n#include "cusolverDn.h"\n#include <cudnn.h>\n' >both.h
    printf '#include "both.h"\nint main() {}\n' >solver.cu
    capture simcc solver.cu -o solver
    expect_status 1
    [ "$(grep -c -E '^both.h:(2:1: error: .* cuSOLVER|3:1: error: .* cuDNN);' <<<"$errors")" = 2 ] || complain "$errors"
    local library
    for library in cusparse cusolver cudnn nppial nvjpeg; do
        capture simcc sparse.cu -l$library
        expect_status 2
        expect_refusal simcc "^simcc: -l$library: the simulator does not have [a-zA-Z]*; the program needs nvcc and a GPU"
    done
}

@test "a program without these libraries contains nothing of them" {
    printf 'int main() { return cudaDeviceSynchronize(); }\n' >plain.cu
    simcc -O1 plain.cu -lcublas_static -lcublasLt -lcurand -lcufft -o plain
    ! nm -C plain | grep -i -E 'cublas|curand|cufft|simt::(blas|rand|fft|library)' || complain "symbols of libraries"
}

@test "the programs of the tests also compile with NVIDIA's own headers" {
    need nvcc
    [ -e "$(dirname "$(command -v nvcc)")/../include/cublas_v2.h" ] || skip "no cublas_v2.h beside nvcc"
    [[ $(g++ -dumpmachine) == "$(uname -m)"-* ]] || skip "g++ compiles for another processor"
    local program
    for program in cublas curand cufft; do
        capture nvcc -std=c++17 -ptx "$programs/$program.cu" -o /dev/null  # (It reads the host's code, too.)
        expect_status 0 && expect_no_errors || complain "$program"
    done
}

@test "cuBLAS's names with _64 take sizes of 64 bits, and one that does not fit is an invalid value" {
    simcc -O1 -DTOO_LARGE "$root/tests/simcc/cublas_64.cu" -lcublas -o sizes
    capture ./sizes
    expect_status 0
    expect_no_errors
    expect_output "0 280 910 1240
7"
    printf '\n#include <cublas.h>\n' >old.cu
    capture simcc -c old.cu
    expect_status 1
    [ "$errors" = "old.cu:2:1: error: the simulator does not have cuBLAS's interface of old; the program needs nvcc and a GPU" ] ||
        complain "$errors"
}
