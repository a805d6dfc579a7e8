// SPDX-License-Identifier: MIT
// Three accesses to one word that nothing orders, in whatever order they come: the races are the same. Usage:
//     race_orders CASE ORDER
//     race_orders at-once
// ORDER, such as 120, gives the turn of the first, the second and the third access. Each case says how many races it has;
// where one block makes the first two accesses, they do not race with each other.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <type_traits>

#define ACCESS(name, statement) \
    static __device__ __forceinline__ void name(int* word, int* out) { statement; (void)out; }

struct ReadsAndStore {  // @reads-and-store 2
    ACCESS(first, out[0] = *word)
    ACCESS(second, out[1] = *word)
    ACCESS(third, *word = 1)
};
struct AtomicsAndRead {  // @atomics-and-read 2
    ACCESS(first, atomicAdd(word, 1))
    ACCESS(second, atomicMax(word, 2))
    ACCESS(third, out[0] = *word)
};
struct Stores {  // @stores 3
    ACCESS(first, *word = 1)
    ACCESS(second, *word = 2)
    ACCESS(third, *word = 3)
};
struct ReadAtomicStore {  // @read-atomic-store 3
    ACCESS(first, out[0] = *word)
    ACCESS(second, atomicAdd(word, 1))
    ACCESS(third, *word = 2)
};
struct VolatileReadAtomicStore {  // @volatile-read-atomic-store 2
    ACCESS(first, out[0] = *static_cast<volatile int*>(word))
    ACCESS(second, atomicAdd(word, 1))
    ACCESS(third, *static_cast<volatile int*>(word) = 2)
};
struct BytesAndWord {  // @bytes-and-word 2
    ACCESS(first, reinterpret_cast<char*>(word)[0] = 1)
    ACCESS(second, reinterpret_cast<char*>(word)[1] = 2)
    ACCESS(third, out[0] = *word)
};
struct TwoStoresOfABlock {  // @two-stores-of-a-block 2
    ACCESS(first, *word = 1)
    ACCESS(second, *word = 2)
    ACCESS(third, out[0] = *word)
};
struct UpdateOfABlock {  // @update-of-a-block 2
    ACCESS(first, out[0] = *word)
    ACCESS(second, *word = 2)
    ACCESS(third, *word = 3)
};

// What is stored after a fence is no flag if nobody waits for it: it orders nothing.
struct FenceAndStore {  // @fence-and-store 2
    static __device__ __forceinline__ void first(int* word, int*) {
        word[1] = 1;
        __threadfence();
        *static_cast<volatile int*>(word) = 1;
    }
    static __device__ __forceinline__ void second(int*, int*) {}
    static __device__ __forceinline__ void third(int* word, int* out) {
        out[0] = *static_cast<volatile int*>(word);
        out[1] = word[1];
    }
};

// Who reads a flag for which others wait, and finds it set, need not wait.
struct FlagReadOnce {  // @flag-read-once 0
    static __device__ __forceinline__ void first(int* word, int* out) { FenceAndStore::first(word, out); }
    static __device__ __forceinline__ void second(int* word, int* out) {
        while (*static_cast<volatile int*>(word) == 0) {}
        out[0] = word[1];
    }
    static __device__ __forceinline__ void third(int* word, int* out) {
        if (*static_cast<volatile int*>(word)) out[1] = word[1];
    }
};

// Taking turns without a fence orders nothing.
template <class Turn>
__device__ void in_turn(int* turn, int own, Turn access) {
    while (atomicAdd(turn, 0) != own) {}
    access();
    atomicAdd(turn, 1);
}

template <class Accesses>
__global__ void accesses(int* word, int* out, int* turn, int3 turns, int block_of_second) {
    const int block = blockIdx.x;
    if (block == 0) in_turn(turn, turns.x, [=] { Accesses::first(word, out); });
    if (block == block_of_second) in_turn(turn, turns.y, [=] { Accesses::second(word, out); });
    if (block == 2) in_turn(turn, turns.z, [=] { Accesses::third(word, out); });
}

// The same in the order of blocks, which is that of turns if there is one worker: after a fence, taking turns would order
// something.
template <class Accesses>
__global__ void accesses_of_blocks(int* word, int* out, int3 turns) {
    const int block = blockIdx.x;
    if (block == turns.x) Accesses::first(word, out);
    if (block == turns.y) Accesses::second(word, out);
    if (block == turns.z) Accesses::third(word, out);
}

// Two blocks come to each word at the same moment: none of the races is lost.
constexpr int words = 2000;

__global__ void at_once(int* counters, int* out, int* meetings) {  // @at-once
    for (int i = 0; i < words; ++i) {
        if (blockIdx.x == 1) atomicAdd(counters + i, 1);
        atomicAdd(meetings, 1);
        while (atomicAdd(meetings, 0) < 2 * i + 2) {}
        if (blockIdx.x == 0) atomicAdd(counters + i, 1);
        if (blockIdx.x == 1) out[i] = counters[i];
    }
}

void run_at_once() {
    int *counters = nullptr, *out = nullptr, *meetings = nullptr;
    cudaMalloc(&meetings, sizeof(int));
    cudaMemset(meetings, 0, sizeof(int));
    cudaMalloc(&counters, words * sizeof(int));
    cudaMalloc(&out, words * sizeof(int));
    cudaMemset(counters, 0, words * sizeof(int));
    at_once<<<2, 1>>>(counters, out, meetings);
}

template <class Accesses>
void run(const char* order, bool is_of_a_block) {
    int* memory = nullptr;
    cudaMalloc(&memory, 1024);
    cudaMemset(memory, 0, 1024);
    const int3 turns = make_int3(order[0] - '0', order[1] - '0', order[2] - '0');
    if constexpr (std::is_same_v<Accesses, FenceAndStore> || std::is_same_v<Accesses, FlagReadOnce>) {
        accesses_of_blocks<Accesses><<<3, 1>>>(memory, memory + 64, turns);
    } else {
        accesses<Accesses><<<3, 1>>>(memory, memory + 64, memory + 128, turns, is_of_a_block ? 0 : 1);
    }
}

int main(int argc, char** argv) {
    static const struct {
        const char* name;
        void (*run)(const char* order, bool is_of_a_block);
    } cases[] = {
        {"reads-and-store", run<ReadsAndStore>},
        {"atomics-and-read", run<AtomicsAndRead>},
        {"stores", run<Stores>},
        {"read-atomic-store", run<ReadAtomicStore>},
        {"volatile-read-atomic-store", run<VolatileReadAtomicStore>},
        {"bytes-and-word", run<BytesAndWord>},
        {"fence-and-store", run<FenceAndStore>},
        {"flag-read-once", run<FlagReadOnce>},
        {"two-stores-of-a-block", run<TwoStoresOfABlock>},
        {"update-of-a-block", run<UpdateOfABlock>},
    };
    if (argc == 2 && std::strcmp(argv[1], "at-once") == 0) {
        run_at_once();
        return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
    }
    for (const auto& one : cases) {
        if (argc < 3 || std::strcmp(argv[1], one.name) != 0) continue;
        one.run(argv[2], std::strstr(one.name, "of-a-block"));
        return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
    }
    std::fprintf(stderr, "no such case\n");
    return 2;
}
