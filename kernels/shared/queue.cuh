// SPDX-License-Identifier: MIT
#pragma once
// Work that makes more work. An item of size w is visited and leaves w - 1 for its two children: a third, and the rest.
// So a root of size w is a tree of w items. A word is a root; 1 in k of them has size k or more, up to 1024.
//   queue_none            a thread per root, with a stack of its own: a warp lasts as long as its largest tree
//   queue_double_buffer   two queues of the block in shared memory: all visit the items of one and fill the other
//   queue_stack           the newest items first: the queue stays short, since trees end before others begin
//   queue_refill          threads without an item take a new root, and a warp's items get their places by ballots
//
// Any n. A queue has `capacity` items in shared memory, and those beyond it are in global memory, at d_overflow.
// d_totals[0] is how many items were visited, d_totals[1] the sum of visit_value() over all; both are 0 at first.
#include "common/cuda/check.cuh"
#include "kernels/shared/arguments.cuh"

namespace BACKEND {

constexpr unsigned queue_largest_root = 1024, queue_visit_rounds = 64;

/// The size of a word's tree.
__host__ __device__ inline unsigned queue_root(unsigned word) {
    const unsigned size = word == 0 ? queue_largest_root : 0xffffffffu / word;
    return size < queue_largest_root ? size : queue_largest_root;
}

/// The sizes of an item's children; 0: there is none.
__host__ __device__ constexpr unsigned queue_small_child(unsigned item) { return (item - 1) / 3; }
__host__ __device__ constexpr unsigned queue_large_child(unsigned item) { return item - 1 - queue_small_child(item); }

/// The levels of an item's tree: those of its larger child's, and its own.
constexpr unsigned queue_levels(unsigned item) { return item == 0 ? 0 : 1 + queue_levels(queue_large_child(item)); }

/// What a visit computes and adds to the second total: enough work that the queue around it does not matter.
__host__ __device__ inline unsigned visit_value(unsigned item) {
    unsigned bits = item;
    for (unsigned round = 0; round < queue_visit_rounds; ++round) {
        bits = bits * 0x9e3779b9u + round;
        bits ^= bits >> 16;
    }
    return bits;
}

/// What a thread has visited.
struct Visits {
    unsigned count = 0;
    unsigned long long sum = 0;

    __device__ void add(unsigned item) {
        ++count;
        sum += visit_value(item);
    }
    /// Adds a block's visits to the totals. By all threads of a block that is a multiple of 32.
    __device__ void add_to(unsigned long long* d_totals) {
        __shared__ unsigned long long block_totals[2];
        if (threadIdx.x < 2) block_totals[threadIdx.x] = 0;
        __syncthreads();  // they are 0 before any warp adds to them
#pragma unroll
        for (unsigned distance = lanes_per_warp / 2; distance > 0; distance /= 2) {
            count += __shfl_xor_sync(all_lanes, count, distance);
            sum += __shfl_xor_sync(all_lanes, sum, distance);
        }
        if (lane_index() == 0) {
            atomicAdd(&block_totals[0], static_cast<unsigned long long>(count));
            atomicAdd(&block_totals[1], sum);
        }
        __syncthreads();  // they are complete
        if (threadIdx.x < 2) atomicAdd(&d_totals[threadIdx.x], block_totals[threadIdx.x]);
    }
};

/// Block a multiple of 32; grid ceil(n / block). The larger child waits: then a tree never has more than
/// 1 + log3(1024) items on the stack.
__global__ void queue_none(const SharedArguments arguments) {
    unsigned stack[8], top = 0;
    const size_t i = thread_in_grid();
    if (i < arguments.n) stack[top++] = queue_root(arguments.d_in[i]);
    Visits visits;
    while (top > 0) {
        const unsigned item = stack[--top];
        visits.add(item);
        const unsigned small = queue_small_child(item), large = queue_large_child(item);
        if (large > 0) stack[top++] = large;
        if (small > 0) stack[top++] = small;
    }
    visits.add_to(arguments.d_totals);
}

/// A block's items, the first `capacity` of them in shared memory.
struct ItemList {
    unsigned* shared_items;
    unsigned* overflow;
    unsigned capacity;

    /// The block's list number `which`, 0 or 1.
    __device__ ItemList(const SharedArguments& arguments, unsigned* items, unsigned which)
        : shared_items(items + which * arguments.capacity),
          overflow(arguments.d_overflow + (2 * static_cast<size_t>(blockIdx.x) + which) * arguments.overflow_items),
          capacity(arguments.capacity) {}

    __device__ unsigned get(unsigned place) const {
        return place < capacity ? shared_items[place] : overflow[place - capacity];
    }
    __device__ void put(unsigned place, unsigned item) const {
        if (place < capacity) shared_items[place] = item;
        else overflow[place - capacity] = item;
    }
    /// Adds an item behind `count` others.
    __device__ void push(unsigned* count, unsigned item) const { put(atomicAdd(count, 1u), item); }
};

/// Block a multiple of 32; a resident grid strides over groups of as many roots as a block has threads.
__global__ void queue_double_buffer(const SharedArguments arguments) {
    extern __shared__ unsigned items[];
    __shared__ unsigned counts[2];
    const ItemList first(arguments, items, 0), second(arguments, items, 1);
    Visits visits;
    const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t begin = static_cast<size_t>(blockIdx.x) * blockDim.x; begin < arguments.n; begin += step) {
        if (threadIdx.x < 2) counts[threadIdx.x] = 0;
        __syncthreads();  // the queues are empty before any thread adds to them
        const size_t i = begin + threadIdx.x;
        if (i < arguments.n) first.push(&counts[0], queue_root(arguments.d_in[i]));
        __syncthreads();  // the roots are in the queue
        for (unsigned current = 0; counts[current] > 0; current ^= 1) {
            const ItemList &full = current == 0 ? first : second, &empty = current == 0 ? second : first;
            for (unsigned place = threadIdx.x; place < counts[current]; place += blockDim.x) {
                const unsigned item = full.get(place);
                visits.add(item);
                const unsigned small = queue_small_child(item), large = queue_large_child(item);
                if (large > 0) empty.push(&counts[current ^ 1], large);
                if (small > 0) empty.push(&counts[current ^ 1], small);
            }
            __syncthreads();  // all items are visited, and their children in the other queue
            if (threadIdx.x == 0) counts[current] = 0;
            __syncthreads();  // this queue is empty before any thread adds to it
        }
        __syncthreads();  // all have seen that both are empty
    }
    visits.add_to(arguments.d_totals);
}

/// The same. Three barriers in each round: a place is read before it is overwritten.
__global__ void queue_stack(const SharedArguments arguments) {
    extern __shared__ unsigned items[];
    __shared__ unsigned top;
    const ItemList stack(arguments, items, 0);
    Visits visits;
    const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t begin = static_cast<size_t>(blockIdx.x) * blockDim.x; begin < arguments.n; begin += step) {
        const size_t left = arguments.n - begin;
        unsigned count = left < blockDim.x ? static_cast<unsigned>(left) : blockDim.x;
        if (threadIdx.x < count) stack.put(threadIdx.x, queue_root(arguments.d_in[begin + threadIdx.x]));
        while (count > 0) {
            const unsigned rest = count > blockDim.x ? count - blockDim.x : 0;
            if (threadIdx.x == 0) top = rest;
            __syncthreads();  // the items are on the stack, and its new top is known
            const unsigned item = rest + threadIdx.x < count ? stack.get(rest + threadIdx.x) : 0;
            __syncthreads();  // they are read before their children take their places
            if (item > 0) {
                visits.add(item);
                const unsigned small = queue_small_child(item), large = queue_large_child(item);
                if (large > 0) stack.push(&top, large);
                if (small > 0) stack.push(&top, small);
            }
            __syncthreads();  // all children are on the stack
            count = top;
            __syncthreads();  // all have read its top before it changes
        }
    }
    visits.add_to(arguments.d_totals);
}

/// The places of a warp's items, by one operation; `item` is 0 in lanes that have none.
__device__ inline void push_by_warp(const ItemList& list, unsigned* count, unsigned item) {
    const unsigned pushers = __ballot_sync(all_lanes, item > 0);
    if (pushers == 0) return;
    unsigned first = 0;
    if (lane_index() == 0) first = atomicAdd(count, static_cast<unsigned>(__popc(pushers)));
    first = __shfl_sync(all_lanes, first, 0);
    if (item > 0) list.put(first + lanes_before(pushers), item);
}

/// The same; each block has an equal part of the roots.
__global__ void queue_refill(const SharedArguments arguments) {
    extern __shared__ unsigned items[];
    __shared__ unsigned tops[2];  // alternate, so that one can be read while the other changes
    const ItemList stack(arguments, items, 0);
    Visits visits;
    const size_t part = divide_up(arguments.n, gridDim.x);
    size_t next = part * blockIdx.x;
    const size_t end = next + part < arguments.n ? next + part : arguments.n;
    unsigned count = 0;
    for (unsigned round = 0; count > 0 || next < end; ++round) {
        unsigned* const top = &tops[round % 2];
        const unsigned taken = count < blockDim.x ? count : blockDim.x, rest = count - taken;
        unsigned item = 0;
        if (threadIdx.x < taken) item = stack.get(rest + threadIdx.x);
        else if (next + (threadIdx.x - taken) < end) item = queue_root(arguments.d_in[next + (threadIdx.x - taken)]);
        const size_t roots = blockDim.x - taken;
        next = next + roots < end ? next + roots : next < end ? end : next;
        if (threadIdx.x == 0) *top = rest;
        __syncthreads();  // the items are read before their children take their places, and the new top is known
        if (item > 0) visits.add(item);
        push_by_warp(stack, top, item > 0 ? queue_large_child(item) : 0);
        push_by_warp(stack, top, item > 0 ? queue_small_child(item) : 0);
        __syncthreads();  // all children are on the stack
        count = *top;
    }
    visits.add_to(arguments.d_totals);
}

/// Items that a block of this size may have in a queue: any of the roots' trees, whose items are no more than
/// `items_of_group` for as many roots as it has threads; or, on a stack, two children of a block of items for each level
/// of a tree. (A block takes the items on top, and puts their children no more than twice its size above the lowest of
/// them. So an item whose level is k, 0 for a root, has a place below (2k + 1) times the block's size.)
inline size_t queue_most_items(size_t items_of_group, unsigned block_size) {
    constexpr unsigned levels = queue_levels(queue_largest_root);
    static_assert(levels == 16, "queue_largest_root decides how many items a stack has room for");
    const size_t on_stack = size_t{2} * levels * block_size;
    return items_of_group > on_stack ? items_of_group : on_stack;
}

/// The blocks of a resident grid, whatever the variant: each has its part of d_overflow.
inline unsigned queue_grid(size_t n, unsigned block_size, unsigned multiprocessors) {
    const unsigned resident = resident_blocks(block_size, multiprocessors);
    return divide_up(n, block_size) < resident ? grid_for(n, block_size) : resident;
}

inline void clear_totals(const SharedArguments& arguments) {
    CHECK(cudaMemsetAsync(arguments.d_totals, 0, 2 * sizeof *arguments.d_totals, arguments.stream));
}

inline LaunchShape launch_queue(void (*kernel)(SharedArguments), const SharedArguments& arguments, unsigned queues) {
    clear_totals(arguments);
    const unsigned block = whole_warps(arguments.block_size);
    const unsigned grid = queue_grid(arguments.n, block, arguments.multiprocessors);
    const size_t bytes = size_t{queues} * arguments.capacity * sizeof(unsigned);
    kernel<<<grid, block, bytes, arguments.stream>>>(arguments);
    return {dim3(grid), dim3(block), bytes, address_of(kernel)};
}

inline LaunchShape launch_queue_none(const SharedArguments& arguments) {
    clear_totals(arguments);
    return launch_per_word(queue_none, arguments, whole_warps(arguments.block_size));
}
inline LaunchShape launch_queue_double_buffer(const SharedArguments& arguments) {
    return launch_queue(queue_double_buffer, arguments, 2);
}
inline LaunchShape launch_queue_stack(const SharedArguments& arguments) {
    return launch_queue(queue_stack, arguments, 1);
}
inline LaunchShape launch_queue_refill(const SharedArguments& arguments) {
    return launch_queue(queue_refill, arguments, 1);
}

}  // namespace BACKEND
