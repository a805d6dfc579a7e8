#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The tour of `make demo`: shows some programs on whatever this machine has, a GPU or the simulator.
#     tests/demo.bash --programs    names them, for make, which builds only these for it
set -eu
programs='devquery reduce vecadd plot compare access simcc'
if [ "${1-}" = --programs ]; then echo "$programs" && exit; fi
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
for program in $programs; do ln -s "$root/bin/$program" "$work/bin"; done
PATH=$work/bin:$PATH

# Shows a command as a user would type it, then runs it.
show() {
    printf '\n$ %s\n' "$1"
    bash -o pipefail -c "$1"
}

# Shows a command whose program ends with exit code 86 because it has findings.
show_findings() {
    local status=0
    printf '\n$ %s\n' "$1"
    bash -o pipefail -c "$1" || status=$?
    echo "(exit code $status)"
    [ "$status" -eq 86 ]
}

echo "The devices this machine has:"
show "devquery --quiet --prop 'name,compute_capability,multiprocessors,total_memory_bytes,peak_memory_gbyte_per_s' --format human"

echo
echo "One sum, by every method of the lectures. Each result is verified before it is timed:"
show "reduce --quiet --format human"

echo
echo "The same programs are filters:"
show "seq 1000000 | reduce --quiet -"
show "seq 3 | vecadd --quiet - <(seq 10 10 30)"

echo
echo "Tables become CSV in a pipe, for awk, mlr, datamash, sqlite3, pandas, ...:"
show "vecadd --quiet --memory device -k 'one-per-thread,vector4' -n 1Ki:1Mi:x32 | cut -d, -f3,5,19,27"

echo
echo "plot draws them, here or as a picture; compare says whether one variant is faster than another:"
show "reduce --quiet -k 'single-pass,tagged' -n 1Ki:256Ki:x4 | plot --size 80x18"
show "for run in 1 2 3 4 5; do reduce --quiet -k 'shuffle-tree,tagged' -n 64Ki -r 20 --json; done | compare --quiet --peers - --base shuffle-tree --format human"

echo
echo "Which words a warp touches decides what memory must move: the lecture's formula beside the simulator's count:"
show "access --device sim --quiet --format human -k 'coalesced,offset,stride,scattered'"

cat >"$work/hello.cu" <<'CUDA'
#include <cstdio>

__global__ void hello() { printf("hello from thread %d of block %d\n", threadIdx.x, blockIdx.x); }

int main() {
    hello<<<2, 3>>>();
    return cudaDeviceSynchronize();
}
CUDA
echo
echo "And simcc builds your own .cu file for the simulator, without a GPU and without a CUDA toolkit:"
printf '\n$ cat hello.cu\n'
cat "$work/hello.cu"
cd "$work"
show "simcc hello.cu -o hello && ./hello"

cat >"$work/sums.cu" <<'CUDA'
__global__ void divergent(const int* in, int* sums) {
    __shared__ int s[256];
    const int t = threadIdx.x;
    s[t] = in[256 * blockIdx.x + t];
    for (int stride = 1; stride < 256; stride *= 2) {
        __syncthreads();
        if (t % (2 * stride) == 0) s[t] += s[t + stride];
    }
    if (t == 0) sums[blockIdx.x] = s[0];
}

__global__ void conflicts(const int* in, int* sums) {
    __shared__ int s[256];
    const int t = threadIdx.x;
    s[t] = in[256 * blockIdx.x + t];
    for (int stride = 1; stride < 256; stride *= 2) {
        __syncthreads();
        const int left = 2 * stride * t;
        if (left < 256) s[left] += s[left + stride];
    }
    if (t == 0) sums[blockIdx.x] = s[0];
}

__global__ void sequential(const int* in, int* sums) {
    __shared__ int s[256];
    const int t = threadIdx.x;
    s[t] = in[256 * blockIdx.x + t];
    for (int stride = 128; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride) s[t] += s[t + stride];
    }
    if (t == 0) sums[blockIdx.x] = s[0];
}

int main() {
    int *in, *sums;
    cudaMalloc(&in, 4 * 256 * sizeof(int));
    cudaMemset(in, 0, 4 * 256 * sizeof(int));
    cudaMalloc(&sums, 4 * sizeof(int));
    divergent<<<4, 256>>>(in, sums);
    conflicts<<<4, 256>>>(in, sums);
    sequential<<<4, 256>>>(in, sums);
    return cudaDeviceSynchronize();
}
CUDA
echo
echo "It counts what makes a kernel slow. A lecture's first step diverges, its second has bank conflicts, its third neither:"
printf "\n$ sed '/main/,\$d' sums.cu\n"
sed '/main/,$d' sums.cu
show "simcc -G sums.cu -o sums && SIMCC_COUNTERS=csv:counters.csv ./sums
awk -F, -v OFS=, 'NR == 1 || \$5 == \"\" { print \$1, \$50, \$33, \$39 }' counters.csv"

cat >"$work/scale.cu" <<'CUDA'
__global__ void scale(float* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) data[i] *= 2;
}

int main() {
    float* data;
    cudaMalloc(&data, 1000 * sizeof(float));
    cudaMemset(data, 0, 1000 * sizeof(float));
    scale<<<4, 256>>>(data, 1000);
    return cudaDeviceSynchronize();
}
CUDA
echo
echo "And it checks every access, and names the line:"
printf '\n$ cat scale.cu\n'
cat scale.cu
show_findings "simcc -G scale.cu -o scale && ./scale 2>&1 | sed -n 1,5p"

others=$(find "$root/tools" -maxdepth 1 -type f | sed 's,.*/,,; s,\..*,,' | grep -vxF "${programs// /$'\n'}" | sort | paste -sd ' ')
echo
echo "\`make all\` builds the others, too: $others." | fold -s -w 120
