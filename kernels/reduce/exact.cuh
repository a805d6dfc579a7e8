#pragma once
//   reduce_exact   the correctly rounded sum, the same bits for any grid, block and order
// Every thread has its own long accumulator in shared memory, so that no addition waits for another thread's. Whatever
// the numbers are, each costs one or two integer additions. Digit j of all threads lies side by side: a lane's bank
// does not depend on the digit that its number falls into, so there are no bank conflicts.
// Any n, any alignment, any grid; block a multiple of 32, at most largest_exact_block.
#include "common/cuda/block_reduction.cuh"
#include "common/cuda/check.cuh"
#include "common/cuda/last_block.cuh"
#include "common/cuda/launch_shape.cuh"
#include "common/cuda/vector_access.cuh"
#include "kernels/reduce/found.cuh"
#include "kernels/reduce/launch.cuh"
#include "kernels/reduce/long_accumulator.cuh"
#include "kernels/reduce/statistics.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

namespace BACKEND {

/// Where the blocks add their sums. All bytes are 0 before a launch, and again after it.
template <typename T>
struct ExactWorkspace {
    Digit digits[LongFormat<T>::digits];
    unsigned seen;
    unsigned tickets;
};

/// One thread's accumulator among those of its block.
struct DigitColumn {
    unsigned char* first;
    unsigned stride_bytes;

    __device__ __forceinline__ Digit& operator[](unsigned digit) const {
        return *reinterpret_cast<Digit*>(first + digit * stride_bytes);
    }
};

/// load_once(), predicated: if not wanted, the registers keep their values. (nvcc turns a load behind a branch into a
/// load into other registers and a move, which waits for it.)
template <typename T>
__device__ __forceinline__ void load_once_if(bool wanted, const Vector<T>* address, Vector<T>& vector) {
#if defined(__CUDACC__) && !defined(__SIMCC__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    uint4 words;
    memcpy(&words, &vector, sizeof words);
    asm volatile(
        "{ .reg .pred wanted; setp.ne.u32 wanted, %4, 0;"
        " @wanted ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%5]; }"
        : "+r"(words.x), "+r"(words.y), "+r"(words.z), "+r"(words.w)
        : "r"(static_cast<unsigned>(wanted)), "l"(__cvta_generic_to_global(address)));
    memcpy(&vector, &words, sizeof words);
#else
    if (wanted) vector = load_once(address);
#endif
}

/// Adds this thread's share of the input to its column. Returns the flags of the special values seen.
template <unsigned loads, typename T>
__device__ unsigned add_share_exactly(const T* input, VectorSpan<T> span, DigitColumn column) {
    constexpr unsigned adds_per_turn = loads * Vector<T>::length;
    constexpr unsigned turns_before_carry = LongFormat<T>::adds_before_carry / adds_per_turn - 1;  // - 1: the edges
    const unsigned tile = blockDim.x * loads;
    const size_t grid_stride = static_cast<size_t>(gridDim.x) * tile;
    const auto* vectors = reinterpret_cast<const Vector<T>*>(input + span.head);
    Sightings<T> sightings;
    unsigned turns = 0;
    const auto add = [&](T value) {
        sightings.note(value);
        add_to_digits(value, column);
    };

    // Each register is reloaded for the next turn as soon as this turn has used it.
    Vector<T> loaded[loads];
    size_t v = static_cast<size_t>(blockIdx.x) * tile + threadIdx.x;
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) {
        loaded[k] = Vector<T>{};
        load_once_if(v + k * blockDim.x < span.vectors, vectors + v + k * blockDim.x, loaded[k]);
    }
    for (; v < span.vectors; v += grid_stride) {
#pragma unroll
        for (unsigned k = 0; k < loads; ++k) {
            const size_t i = v + k * blockDim.x;
            if (i < span.vectors) {
#pragma unroll
                for (unsigned j = 0; j < Vector<T>::length; ++j) add(loaded[k].values[j]);
            }
            load_once_if(i + grid_stride < span.vectors, vectors + i + grid_stride, loaded[k]);
        }
        if (++turns == turns_before_carry) {
            carry<T>(column);
            turns = 0;
        }
    }
    if (blockIdx.x == 0 && threadIdx.x < span.edges()) add(input[span.edge(threadIdx.x)]);
    carry<T>(column);
    return sightings.seen();
}

/// How many loads a thread has in flight.
constexpr unsigned exact_loads = 4;

/// The largest block whose accumulators fit into the shared memory that a launch gets without opting in, and how many
/// such blocks a multiprocessor should hold at once.
template <typename T>
constexpr unsigned largest_exact_block = sizeof(T) == 4 ? 256 : 64;
template <typename T>
constexpr unsigned resident_exact_blocks = sizeof(T) == 4 ? 4 : 6;

/// Block a multiple of 32, at most largest_exact_block; any grid. Dynamic shared memory: one accumulator per thread.
template <typename T>
__global__ void __launch_bounds__(largest_exact_block<T>, resident_exact_blocks<T>)
    reduce_exact(const T* input, VectorSpan<T> span, ExactWorkspace<T>* workspace, ExactResult<T>* result) {
    constexpr unsigned digits = LongFormat<T>::digits;
    __shared__ unsigned block_seen;
    __shared__ LongAccumulator<T> total;
    auto* columns = dynamic_shared<Digit>();
    const DigitColumn column{reinterpret_cast<unsigned char*>(columns + threadIdx.x),
                             static_cast<unsigned>(blockDim.x * sizeof(Digit))};
#pragma unroll 2
    for (unsigned j = 0; j < digits; ++j) column[j] = 0;
    if (threadIdx.x == 0) block_seen = 0;
    __syncthreads();  // block_seen is 0 before any thread adds to it

    const unsigned seen = add_share_exactly<exact_loads>(input, span, column);
    if (seen != 0) atomicOr(&block_seen, seen);
    __syncthreads();  // the columns are complete
    for (unsigned j = threadIdx.x; j < digits; j += blockDim.x) {
        Digit sum = 0;
        for (unsigned k = 0; k < blockDim.x; ++k) {  // each thread begins at a column, and so a bank, of its own
            const unsigned other = threadIdx.x + k;
            sum += columns[j * blockDim.x + (other < blockDim.x ? other : other - blockDim.x)];
        }
        if (sum != 0) atomicAdd(&workspace->digits[j], sum);
    }
    if (threadIdx.x == 0 && block_seen != 0) atomicOr(&workspace->seen, block_seen);
    __syncthreads();  // all of the block's additions precede its ticket
    if (!is_last_block(&workspace->tickets, gridDim.x)) return;

    for (unsigned j = threadIdx.x; j < digits; j += blockDim.x) {
        total.digits[j] = atomicExch(&workspace->digits[j], 0ULL);
    }
    if (threadIdx.x == 0) total.seen = atomicExch(&workspace->seen, 0U);
    __syncthreads();  // thread 0 needs all digits
    if (threadIdx.x == 0) {
        total.carry();
        result->sum = total;
        result->rounded = total.take_rounded();
    }
}

/// Block size rounded up to whole warps, at most largest_exact_block; at most as many blocks as are resident at once.
template <typename T>
LaunchShape exact_shape(const ReduceArguments<T>& arguments) {
    const unsigned wanted = whole_warps(arguments.block_size);
    const unsigned block = wanted < largest_exact_block<T> ? wanted : largest_exact_block<T>;
    const unsigned resident = resident_exact_blocks<T> * (largest_exact_block<T> / block) * arguments.multiprocessors;
    const PassPlan plan{block, Vector<T>::length * exact_loads, 0, resident};
    return {dim3(plan.grid_of(arguments.n)), dim3(block), block * LongFormat<T>::digits * sizeof(Digit)};
}

constexpr size_t exact_workspace_bytes = 1024;  // for the exact sum; a summary's workspace follows
static_assert(sizeof(ExactWorkspace<double>) <= exact_workspace_bytes);

/// Bytes of workspace, zeroed once by the caller.
template <typename T>
size_t reduce_exact_workspace(const ReduceArguments<T>& arguments) {
    return exact_workspace_bytes + reduce_statistics_workspace(arguments);
}

/// Integers, and all that is wanted besides the sum, go to reduce_statistics: those results are exact anyway, except
/// the moments.
template <typename T>
LaunchShape launch_reduce_exact(const ReduceArguments<T>& arguments) {
    ReduceArguments<T> rest = arguments;
    rest.d_workspace = static_cast<unsigned char*>(arguments.d_workspace) + exact_workspace_bytes;
    if constexpr (std::is_integral_v<T>) {
        return launch_reduce_statistics(rest);
    } else {
        rest.wanted = static_cast<Wanted>(arguments.wanted & ~unsigned{wants_sum});
        if ((arguments.wanted & wants_sum) == 0) return launch_reduce_statistics(rest);
        const LaunchShape shape = exact_shape(arguments);
        const auto kernel = reduce_exact<T>;
        // Without this there may be room for only one block.
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                   cudaSharedmemCarveoutMaxShared));
        kernel<<<shape.grid, shape.block, shape.dynamic_shared_bytes, arguments.stream>>>(
            arguments.d_input, split_into_vectors(arguments.d_input, arguments.n),
            static_cast<ExactWorkspace<T>*>(arguments.d_workspace), &arguments.d_found->exact);
        if (rest.wanted != 0) launch_reduce_statistics(rest);
        return shape;
    }
}

}  // namespace BACKEND
