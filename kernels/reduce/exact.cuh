// SPDX-License-Identifier: MIT
#pragma once
//   reduce_exact   the correctly rounded sum, the same bits for any grid, block and order
// A thread keeps its sum as a few f64 in registers, an expansion. As long as they hold all bits, a number costs a few
// additions. What they cannot hold goes to the thread's own long accumulator in shared memory, so that no addition waits
// for another thread's; whatever the numbers are, that costs one or two more additions each. Digit j of all threads lies
// side by side: a lane's bank does not depend on the digit that its number falls into, so there are no bank conflicts.
// Any n, any alignment, any grid; block a multiple of 32, at most largest_exact_block.
#include "common/cuda/arrivals.cuh"
#include "common/cuda/block_reduction.cuh"
#include "common/cuda/check.cuh"
#include "common/cuda/launch_shape.cuh"
#include "common/cuda/vector_access.cuh"
#include "kernels/reduce/expansion.cuh"
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

/// A thread's exact sum: an expansion in registers, backed by a long accumulator in shared memory.
template <typename T>
class ExactShare {
public:
    __device__ explicit ExactShare(DigitColumn own) : column_(own) {}

    template <unsigned count>
    __device__ __forceinline__ void add(const T (&numbers)[count]) {
        double rests[count];
        bool taken = true;
#pragma unroll
        for (unsigned j = 0; j < count; ++j) {
            sightings_.note(numbers[j]);
            taken &= Expansion::can_take(numbers[j]);
            rests[j] = numbers[j];
        }
        if (!taken) {
            double large[count];
#pragma unroll
            for (unsigned j = 0; j < count; ++j) {
                large[j] = Expansion::can_take(numbers[j]) ? 0 : rests[j];
                rests[j] = Expansion::can_take(numbers[j]) ? rests[j] : 0;
            }
            accumulate(large);
        }
        if (!expansion_.add(rests)) accumulate(rests);
    }

    __device__ unsigned seen() const { return sightings_.seen(); }

    /// Moves the expansion to the accumulator.
    __device__ void finish() {
        double parts[Expansion::parts];
#pragma unroll
        for (int i = 0; i < Expansion::parts; ++i) parts[i] = expansion_.part(i);
        accumulate(parts);
        carry<T>(column_);
    }

private:
    /// Adds all values to the accumulator: always the first one, then the others move up. A variable index would put the
    /// values into local memory, and unrolled code would fill the instruction cache.
    template <unsigned count>
    __device__ void accumulate(double (&values)[count]) {
#pragma unroll 1
        for (unsigned left = count; left > 0; --left) {
            if (values[0] != 0) add_sum_to_digits<T>(values[0], column_);
#pragma unroll
            for (unsigned j = 0; j + 1 < count; ++j) values[j] = values[j + 1];
        }
    }

    DigitColumn column_;
    Expansion expansion_;
    Sightings<T> sightings_;
};

/// Adds this thread's share of the input to its column. Returns the flags of the special values seen.
template <unsigned loads, typename T>
__device__ unsigned add_share_exactly(const T* input, VectorSpan<T> span, DigitColumn column) {
    constexpr unsigned length = Vector<T>::length, batch = 8 / length;  // loads that are added together
    constexpr unsigned turns_before_carry =
        LongFormat<T>::adds_before_carry / (loads * length) - 1;  // - 1: the edges, and the parts of the expansion
    static_assert(loads % batch == 0 && loads * length > Expansion::parts,
                  "a turn is whole batches, and finish() fits");
    const unsigned tile = blockDim.x * loads;
    const size_t grid_stride = static_cast<size_t>(gridDim.x) * tile;
    const auto* vectors = reinterpret_cast<const Vector<T>*>(input + span.head);
    ExactShare<T> sum(column);
    unsigned turns = 0;

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
        for (unsigned first = 0; first < loads; first += batch) {
            T numbers[batch * length];
#pragma unroll
            for (unsigned k = 0; k < batch; ++k) {
                const size_t i = v + (first + k) * blockDim.x;
#pragma unroll
                for (unsigned j = 0; j < length; ++j)  // adding -0 changes no sum, not even one of -0 alone
                    numbers[k * length + j] = i < span.vectors ? loaded[first + k].values[j] : T(-0.0);
                load_once_if(i + grid_stride < span.vectors, vectors + i + grid_stride, loaded[first + k]);
            }
            sum.add(numbers);
        }
        if (++turns == turns_before_carry) {
            carry<T>(column);
            turns = 0;
        }
    }
    if (blockIdx.x == 0 && threadIdx.x < span.edges()) sum.add({input[span.edge(threadIdx.x)]});
    sum.finish();
    return sum.seen();
}

/// How many loads a thread has in flight. More for f64, which has fewer threads.
template <typename T>
constexpr unsigned exact_loads = sizeof(T) == 4 ? 4 : 8;

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

    const unsigned seen = add_share_exactly<exact_loads<T>>(input, span, column);
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
    const PassPlan plan{block, Vector<T>::length * exact_loads<T>, 0, resident};
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
