#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Predicted times: the order of kernels that H200s have been seen to have, and what limits them; models of other GPUs;
# what is not predicted, and is not called a measurement.

load helpers

setup_file() {
    [ "${GRIDUTILS_DEVICE:-sim}" = sim ] || skip "predictions are for runs in the simulator"
}

predict() { SIMCC_PREDICT='' try "$@"; }

# The predicted time of a variant in $output, in nanoseconds.
ns_of() { columns kernel p_predicted_ns | awk -v kernel="$1" '$1 == kernel { print $2 }'; }

# rises VARIANT...: their predicted times.
rises() {
    local last=0 variant ns
    for variant; do
        ns=$(ns_of "$variant")
        awk "BEGIN { exit !($ns > $last) }" || complain "$variant is predicted to take $ns ns, after $last" || return
        last=$ns
    done
}

# within LOW HIGH VALUE
within() { awk "BEGIN { exit !($1 <= $3 && $3 <= $2) }" || complain "$3 is not from $1 to $2"; }

@test "a ladder's times are a GPU's, in its order, for its size, and are not called measured" {
    predict reduce -q --csv --ladder -k 'cpu,atomic-*,shared-shuffle,interleaved-divergent,interleaved-conflicts,sequential,first-add,single-pass'
    expect_status 0
    expect_no_errors
    expect_clean_table
    [ "$(columns kernel timer p_predicted_gpu p_predicted_n n | grep -v ^cpu | cut -d' ' -f2- | sort -u)" = \
        "sim NVIDIA H200 16777216 65536" ]
    rises single-pass shared-shuffle atomic-shared atomic-global
    rises single-pass first-add sequential interleaved-conflicts interleaved-divergent
    [ "$(columns kernel p_limiter | grep -E '^(atomic-global|single-pass) ')" = $'atomic-global atomics\nsingle-pass dram' ]
    # On an H200: 29.4 ms, 123 us, 23.2 us.
    within 25e6 35e6 "$(ns_of atomic-global)"
    within 90e3 170e3 "$(ns_of shared-shuffle)"
    within 17e3 31e3 "$(ns_of single-pass)"
    columns p_predicted_low_ns p_predicted_ns p_predicted_high_ns | grep -v '^- - -$' >rows
    awk '!($1 <= $2 && $2 <= $3) { exit 1 }' rows
    within 150 400 "$(columns kernel cumulative_speedup | awk '$1 == "shared-shuffle" { print $2 }')"
}

@test "the achieved occupancy is that of blocks played onto multiprocessors" {
    unit_program units/residency "$root/common/simt/check/predict/residency.cpp"
    holds ./residency
}

@test "the achieved occupancies of a published experiment are met" {
    predict matadd -q --csv --predict rtx2080ti -k row-major
    expect_status 0
    expect_clean_table
    columns block p_occupancy_percent p_predicted_occupancy_percent >shapes
    local shape published
    for published in 32x32:50.1 32x16:73.7 16x32:76.6 16x16:81.1; do
        shape=${published%:*} published=${published#*:}
        # Within a tenth of what nvprof counted on an RTX 2080 Ti, whose theoretical occupancy is 100 %.
        within "$(awk "BEGIN { print 0.9 * $published }")" "$(awk "BEGIN { print 1.1 * $published + 0.1 }")" \
            "$(awk -v shape="$shape" '$1 == shape && $2 == 100 { print $3 }' shapes)"
    done
    # (Examples run without predictions: these are the rows of the page.)
    [ "$(grep -E '^[0-9]+x[0-9]+ 100.00 +[0-9.]+$' "$root/man/matadd.1" | tr -s ' ' | tail -4)" = "$(cat shapes)" ]
    # A barrier keeps the warps of a block together, and the host has none.
    predict reduce -q --csv --predict rtx2080ti -k cpu,shared-tree
    [ "$(columns kernel p_predicted_occupancy_percent | head -1)" = "cpu -" ]
    within 90 100 "$(columns kernel p_predicted_occupancy_percent | awk '$1 == "shared-tree" { print $2 }')"
}

@test "people see predictions, in words that cannot be taken for a measurement" {
    predict reduce -f human -k 'shuffle-tree,single-pass'
    expect_status 0
    expect_output_like "^NVIDIA H200, 16777216 f32 elements: predicted, not measured; the simulator verified the results with 65536"
    expect_output_like "predicted us .*limited by"
    expect_output_like $'\nsingle-pass should be the fastest: [0-9.]+ times shuffle-tree.'
    [[ ! $output =~ simulated\ in\ ms|median\ us ]]
    predict reduce -f human -k 'shuffle-tree,single-pass' --no-predict
    expect_output_like "simulated in ms"
    [[ ! $output =~ predicted ]]
}

@test "columns that are chosen leave the predictions as they are, and --predict is stronger than SIMCC_PREDICT=0" {
    predict reduce -q -k sequential -n 64Ki --published --columns kernel,p_predicted_n,p_predicted_ns --csv
    expect_status 0
    expect_output_like $'\nsequential,65536,[0-9.]+$'
    try reduce -q -k sequential -n 64Ki --predict titanv --columns kernel,p_predicted_gpu --csv
    expect_status 0
    expect_output_like $'\nsequential,NVIDIA TITAN V'
    try reduce --list --published --columns kernel,value --csv
    expect_output_like $'^kernel,value\ncpu,283.989\n'
}

@test "the size of -n is predicted, and JSON has null where nothing is" {
    predict vecadd -q --json -n 1Mi -k 'cpu,vector4' --memory device
    expect_status 0
    jq -r '[.kernel, .p_predicted_n, .p_predicted_gpu] | @csv' <stdout >rows
    [ "$(cat rows)" = $'"cpu",,\n"vector4",1048576,"NVIDIA H200"' ]
}

@test "conflicts, strides and shapes cost what they cost on a GPU" {
    local none many
    predict banks -q --csv -k stride --stride 1,32
    none=$(column p_predicted_ns | head -1) many=$(column p_predicted_ns | tail -1)
    within 20 35 "$(awk "BEGIN { print $many / $none }")"
    [ "$(column p_limiter | tail -1)" = shared ]
    predict transpose -q --csv -n 2048 -k 'copy,naive-read,naive-write,padded'
    rises copy padded naive-write naive-read
    predict access -q --csv -n 4Mi -k 'coalesced,scattered'
    rises coalesced scattered
    predict matmul -q --csv -n 256 -k 'naive-uncoalesced,naive,tiled-16'
    rises tiled-16 naive naive-uncoalesced
}

@test "another GPU is a file of figures, and what is wrong in it is said" {
    local model=$scratch/slow.gpu
    sed -n '/^name = NVIDIA H200/,/^)"/p' "$root/common/simt/check/predict/shipped_models.cpp" | grep = >fast.gpu
    sed 's/^dram_bandwidth.*/dram_bandwidth = 430.9/; s/^name.*/name = slow/' fast.gpu >"$model"
    predict vecadd -q --csv -k vector4 --memory device
    local fast=$(ns_of vector4)
    predict vecadd -q --csv -k vector4 --memory device --predict "$model"
    within 7 11 "$(awk "BEGIN { print $(ns_of vector4) / $fast }")"
    [ "$(column p_predicted_gpu)" = slow ]
    grep -v ^l2_bandwidth fast.gpu >"$model"
    predict vecadd -q --csv -k vector4 --predict "$model"
    expect_refusal vecadd "slow.gpu: the figure l2_bandwidth .GB/s. is missing"
    expect_status 2
    sed 's/^clock = .*/clock = fast/' fast.gpu >"$model"
    predict vecadd -q --csv -k vector4 --predict "$model"
    expect_refusal vecadd "line [0-9]+: 'fast' is not a number above 0"
    predict vecadd -q --csv -k vector4 --predict h2000
    expect_refusal vecadd "there is no GPU model 'h2000'; choose h200, h100, a100, rtx2080ti, titanv, gtx1080ti or a file"
    printf 'like = titanv\nname = mine\nclock = 3000\n' >"$model"
    predict vecadd -q --csv -k vector4 --predict "$model"
    [ "$(column p_predicted_gpu)" = "mine (published figures)" ]
    printf 'name = mine\nlike = titanv\n' >"$model"
    predict vecadd -q --csv -k vector4 --predict "$model"
    expect_refusal vecadd "line 2: like comes first"
    printf 'like = titan\n' >"$model"
    predict vecadd -q --csv -k vector4 --predict "$model"
    expect_refusal vecadd "line 1: there is no shipped model 'titan'"
}

# Published times of a TITAN V, in a sixteenth: "CUDA and Applications to Task-based Programming", 2^28 elements.
@test "the tutorial's tables of other GPUs have their order, by predictions from published figures" {
    predict reduce -q --csv --predict titanv -k 'atomic-*,shared-tree'
    expect_status 0
    [ "$(column p_predicted_gpu | sort -u)" = "NVIDIA TITAN V (published figures)" ]
    rises shared-tree atomic-shared atomic-global
    local kernel published
    while read -r kernel published; do
        within 0.67 1.5 "$(awk "BEGIN { print $(ns_of "$kernel") * 16e-6 / $published }")"
    done <<<$'atomic-global 635.355\natomic-shared 26.911\nshared-tree 2.903'
    # Textures are faster along columns and in filters where L1 keeps no loads of global memory.
    predict texture -q --csv --predict gtx1080ti -k 'row-*,column-*,filter-*'
    rises column-texture-array column-global
    rises row-global column-global
    rises filter-x-texture-array filter-x-global
    rises filter-y-texture-array filter-y-global
    within 2 8 "$(awk "BEGIN { print $(ns_of column-global) / $(ns_of row-global) }")"  # published: 4.13
    predict texture -q --csv --predict titanv -k 'filter-*'
    rises filter-x-global filter-x-texture-array
    rises filter-y-global filter-y-texture-array
}

@test "any program that simcc -G has built predicts its kernels, and still computes" {
    cat >mine.cu <<'CUDA'
#include <cstdio>
__global__ void coalesced(const float* from, float* to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}
__global__ void strided(const float* from, float* to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[(i % 1024) * 1024 + i / 1024] = from[i];
}
int main() {
    const int n = 1 << 20;
    float *from, *to, last = 0;
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    const float five = 5;
    cudaMemcpy(from + n - 1, &five, sizeof five, cudaMemcpyHostToDevice);
    coalesced<<<n / 256, 256>>>(from, to, n);
    for (int i = 0; i < 3; ++i) strided<<<n / 256, 256>>>(from, to, n);
    cudaMemcpy(&last, to + n - 1, sizeof last, cudaMemcpyDeviceToHost);
    std::printf("%g\n", last);
}
CUDA
    capture simcc -G -O2 mine.cu -o mine
    expect_status 0
    capture env SIMCC_PREDICT=h200 ./mine
    expect_status 0
    expect_output 5
    expect_errors_like "Predicted times on NVIDIA H200, not measured"
    expect_errors_like "coalesced +1 .*strided +3 "
    capture env SIMCC_PREDICT=h200:csv:rows.csv ./mine
    expect_status 0
    expect_no_errors
    output=$(cat rows.csv)
    [ "$(columns kernel launches limiter)" = $'coalesced 1 launch\nstrided 3 l2' ]
    # Blocks of 256 threads in four rounds, the last one not full.
    within 70 99 "$(columns kernel achieved_occupancy_percent | awk '$1 == "coalesced" { print $2 }')"
    within 8 40 "$(column predicted_ns | paste -sd ' ' | awk '{ print $2 / $1 }')"
    capture env SIMCC_PREDICT=h2000 ./mine
    expect_status 2
    expect_errors_like "there is no GPU model 'h2000'"
}

@test "DRAM serves each miss of L2 once, and the blocks of a grid that is too large need not be those in its middle" {
    sed -n '/^name = NVIDIA H200/,/^)"/p' "$root/common/simt/check/predict/shipped_models.cpp" | grep = >shipped.gpu
    sed 's/^l2 = .*/l2 = 1/' shipped.gpu >small.gpu  # megabytes exceed it, in several rounds of blocks
    cat >mine.cu <<'CUDA'
constexpr int n = 128, layers = 64;
__global__ void above_and_below(const float* from, float* to) {
    const int i = blockIdx.x * 16 + threadIdx.x + n * (blockIdx.y * 16 + threadIdx.y), z = blockIdx.z;
    to[i + n * n * z] = from[i + n * n * z] + (z > 0 ? from[i + n * n * (z - 1)] : 0) +
                        (z < layers - 1 ? from[i + n * n * (z + 1)] : 0);
}
__global__ void first_quarter(const float* from, float* to, int size) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) to[i] = from[i];
}
int main() {
    float *from, *to;
    cudaMalloc(&from, n * n * layers * sizeof(float));
    cudaMalloc(&to, n * n * layers * sizeof(float));
    above_and_below<<<dim3(n / 16, n / 16, layers), dim3(16, 16)>>>(from, to);
    first_quarter<<<n * n * layers * 4 / 256, 256>>>(from, to, n * n * layers);
    cudaDeviceSynchronize();
}
CUDA
    capture simcc -G -O2 mine.cu -o mine
    expect_status 0
    capture env SIMCC_PREDICT=small.gpu:csv:rows.csv ./mine
    expect_status 0
    expect_no_errors
    output=$(cat rows.csv)
    columns kernel asked_bytes l2_bytes dram_bytes >bytes
    # 4 MiB are loaded, up to three times, and 4 MiB stored.
    awk '$1 == "above_and_below" { exit !($4 <= $3 && $4 > 8e6 && $4 < 17e6) }' bytes
    within 4e6 9e6 "$(awk '$1 == "first_quarter" { print $4 }' bytes)"
}

@test "the line that costs most of a kernel's predicted time is the one that asks most of what limits it" {
    cat >lines.cu <<'CUDA'
__global__ void strided(const float* from, float* to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = from[i];
    to[i * 32 % n + i * 32 / n] = x;  // strided
}
__global__ void counting(const int* from, int* count) {
    if (from[blockIdx.x * blockDim.x + threadIdx.x] == 0)
        atomicAdd(count, 1);  // counting
}
__global__ void heavy(const float* from, float* to) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = from[i];
    for (int k = 0; k < 50; ++k)
        x = sinf(x);  // heavy
    to[i] = x;
}
__global__ void conflicting(float* to) {
    __shared__ float tile[1024];
    for (int k = 0; k < 32; ++k) {
        tile[(threadIdx.x * 32 + k) % 1024] = k;  // conflicting
        __syncthreads();
    }
    to[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x];
}
__global__ void waiting(const int* next, int* to) {
    int at = threadIdx.x;
    for (int k = 0; k < 100; ++k)
        at = next[at * 31 % 4096];  // waiting
    to[threadIdx.x] = at;
}
__global__ void launching(float* to) { heavy<<<1, 32>>>(to, to); }
int main() {
    const int n = 1 << 19;
    float *from, *to;
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    cudaMemset(from, 0, n * sizeof(float));
    strided<<<n / 256, 256>>>(from, to, n);
    counting<<<n / 256, 256>>>((const int*)from, (int*)to);
    heavy<<<n / 256, 256>>>(from, to);
    conflicting<<<n / 256, 256>>>(to);
    for (int k = 0; k < 2; ++k) waiting<<<1, 64>>>((const int*)from, (int*)to);
    launching<<<1, 1>>>(to);
    return cudaDeviceSynchronize();
}
CUDA
    capture simcc -G -O2 -rdc=true lines.cu -o lines
    expect_status 0
    capture env SIMCC_PREDICT=h200:csv:times.csv SIMCC_COUNTERS=csv:rows.csv ./lines
    expect_status 0
    expect_no_errors
    output=$(cat rows.csv)
    columns kernel file line predicted_ns >costs
    local kernel line
    for kernel in strided counting conflicting waiting; do
        line=$(grep -n "// $kernel\$" lines.cu | cut -d : -f 1)
        [ "$(awk -v kernel="$kernel" '$1 == kernel && $3 > 0' costs | sort -k4gr | head -1 | cut -d' ' -f1-3)" = \
            "$kernel lines.cu $line" ] || complain "line $line does not cost most of $kernel: $(cat costs)" || return
    done
    # The lines and what is no line's are the whole. A kernel that launches another has no costs.
    awk '$4 != "-" { sum[$1] += $2 == "-" ? -$4 : $4 } END { for (k in sum) if (sum[k] > 1 || sum[k] < -1) exit 1 }' costs
    [ "$(awk '$2 == "launch" { print $1 }' costs | paste -sd ' ')" = "strided counting heavy conflicting waiting" ]
    [ "$(awk '$1 == "launching" && $4 != "-"' costs)" = "" ]
    capture env SIMCC_PREDICT=h200 SIMCC_COUNTERS=annotate ./lines
    expect_errors_like $'strided\n  cost: percent of the [0-9.]+ us predicted for NVIDIA H200, limited by l2; launch and starts of blocks: [0-9.]+ %'
    expect_errors_like $'\n +[5-9][0-9]\\.[0-9] +16384 .*// strided'
    capture env SIMCC_PREDICT=0 SIMCC_COUNTERS=annotate ./lines
    [[ ! $errors =~ cost ]]
}

@test "--by-line and --annotate show what lines cost on a GPU, at its size, and add up to 100 percent" {
    local file=kernels/reduce/textbook/atomic.cuh line
    line=$(awk '/void reduce_shuffle_tree/ { inside = 1 } inside && /atomicAdd\(result, sum\)/ { print NR; exit }' "$root/$file")
    predict reduce -q --csv -n 1Ki,4Mi -k 'shuffle-tree,nested2' --by-line
    expect_status 0
    expect_no_errors
    expect_clean_table
    columns kernel n launched file line p_predicted_percent p_predicted_ns p_limiter >costs
    awk '$6 != "-" { sum[$1 $2 $3] += $6 } END { for (k in sum) if (sum[k] < 99.5 || sum[k] > 100.5) exit 1 }' costs
    [ "$(awk '$2 == 4194304 && $6 > 70 { print $1, $4, $5, $8 }' costs)" = $'shuffle-tree launch 0 launch\nshuffle-tree atomic.cuh '"$line atomics" ] ||
        complain "$(cat costs)"
    [ "$(awk '$1 == "nested2" && ($6 != "-" || $8 != "none")' costs)" = "" ]
    grep -q '^nested2 ' costs
    predict reduce -q -f human -k 'shuffle-tree' --annotate
    expect_output_like "percent of the [0-9.]+ us predicted for NVIDIA H200 with n = 16777216, limited by atomics"
    expect_output_like $'\n +[89][0-9]\\.[0-9] +256 .*atomicAdd\\(result, sum\\)'
    predict reduce -q -f human -k 'shuffle-tree' --annotate --no-predict
    expect_output_like 'atomicAdd'
    [[ ! $output =~ cost ]]
}

@test "kernels that launch kernels have no prediction, and nothing fails" {
    predict reduce -q --csv -k 'nested2,single-pass'
    expect_status 0
    expect_no_errors
    [ "$(columns kernel p_predicted_n p_limiter)" = $'nested2 - none\nsingle-pass 16777216 dram' ]
}
