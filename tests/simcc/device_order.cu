// SPDX-License-Identifier: MIT
// Random operations in random streams of the device: nothing may begin before what it comes after has ended, with all
// its descendants. Usage: device_order FIRST LAST, both seeds. Prints how many were wrong.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int operations = 12, streams = 3, events = 2, blocks = 3, tasks = blocks * operations;

enum Kind { to_null, to_stream, forgotten, tail, record, wait, kinds };
struct Operation {
    Kind kind;
    int stream, event;
    bool has_child, tails;
};

__host__ __device__ unsigned mix(unsigned x) {
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ x >> 16;
}
__host__ __device__ Operation operation(unsigned seed, int block, int index) {
    const unsigned r = mix(seed * 1000003u + block * 101u + index);
    return {Kind(r % kinds), int(r / 8 % streams), int(r / 64 % events), r / 1024 % 3 == 0, r / 4096 % 2 == 0};
}

// When a task's first thread begins and its last descendant ends, on a clock that every thread advances.
struct Times {
    int clock, parent_end;
    int begin[tasks], end[tasks];
};

__device__ void note(Times* times, int task) {
    atomicMin(&times->begin[task], atomicAdd(&times->clock, 1));
    for (int i = 0; i < 50; ++i) atomicAdd(&times->clock, 1);
    atomicMax(&times->end[task], atomicAdd(&times->clock, 1));
}
__global__ void grandchild(Times* times, int task) { note(times, task); }
__global__ void child(Times* times, int task, bool has_child, bool tails) {
    note(times, task);
    if (!has_child || threadIdx.x) return;
    grandchild<<<2, 1, 0, tails ? cudaStreamTailLaunch : cudaStream_t(nullptr)>>>(times, task);
}
__global__ void parent(Times* times, unsigned seed) {
    cudaStream_t own[streams];
    cudaEvent_t marks[events];
    for (auto& stream : own) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (auto& event : marks) cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    for (int i = 0; i < operations; ++i) {
        const Operation o = operation(seed, blockIdx.x, i);
        const int task = blockIdx.x * operations + i;
        const cudaStream_t of_kind[] = {nullptr, own[o.stream], cudaStreamFireAndForget, cudaStreamTailLaunch};
        if (o.kind == record) cudaEventRecord(marks[o.event], own[o.stream]);
        else if (o.kind == wait) cudaStreamWaitEvent(own[o.stream], marks[o.event], 0);
        else child<<<2, 3, 0, of_kind[o.kind]>>>(times, task, o.has_child, o.tails);
    }
    for (auto& stream : own) cudaStreamDestroy(stream);
    atomicMax(&times->parent_end, atomicAdd(&times->clock, 1));
}

int check(const Times& t, unsigned seed) {
    int wrong = 0;
    const auto runs = [&](int task) { return operation(seed, task / operations, task % operations).kind <= tail; };
    const auto is_tail = [&](int task) { return operation(seed, task / operations, task % operations).kind == tail; };
    const auto expect_after = [&](int later, int earlier) {
        if (!(t.begin[later] > t.end[earlier])) ++wrong;
    };
    for (int block = 0; block < blocks; ++block) {
        std::vector<std::vector<int>> of_stream(streams + 2), at_event(events);  // tasks that have to end before
        for (int i = 0; i < operations; ++i) {
            const Operation o = operation(seed, block, i);
            const int task = block * operations + i;
            auto& stream = of_stream[o.kind == to_null ? streams : o.kind == tail ? streams + 1 : o.stream];
            if (o.kind == record) at_event[o.event] = stream;
            if (o.kind == wait) stream.insert(stream.end(), at_event[o.event].begin(), at_event[o.event].end());
            if (o.kind > tail || o.kind == forgotten) continue;
            for (int earlier : stream) expect_after(task, earlier);
            stream.push_back(task);
        }
    }
    for (int task = 0; task < tasks; ++task) {
        if (!runs(task)) continue;
        if (t.end[task] == 0 || t.end[task] < t.begin[task]) ++wrong;  // it has not run
        if (!is_tail(task)) continue;
        if (!(t.begin[task] > t.parent_end)) ++wrong;
        for (int other = 0; other < tasks; ++other) {
            if (runs(other) && !is_tail(other)) expect_after(task, other);
        }
    }
    return wrong;
}

int main(int, char** arguments) {
    Times* times;
    cudaMallocManaged(&times, sizeof *times);
    int wrong = 0;
    for (unsigned seed = atoi(arguments[1]); seed <= unsigned(atoi(arguments[2])); ++seed) {
        *times = {};
        for (int& begin : times->begin) begin = 1 << 30;
        parent<<<blocks, 1>>>(times, seed);
        if (cudaDeviceSynchronize()) return 3;
        wrong += check(*times, seed);
    }
    printf("%d wrong\n", wrong);
}
