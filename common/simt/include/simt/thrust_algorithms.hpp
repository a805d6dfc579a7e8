// SPDX-License-Identifier: MIT
// Thrust's algorithms on the device. simcc hides the GPU's compiler from the toolkit's headers, which then define the
// types of their CUDA system (policies, pointers, memory resources) but none of its algorithms. Those are here: each
// runs Thrust's own sequential algorithm as a kernel of one thread in the policy's stream, and the host waits for it.
// So an algorithm is ordered with other work as on a GPU, and the checkers see it like any other kernel.
#pragma once

#include <type_traits>
#include <utility>

#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/detail/seq.h>
#include <thrust/iterator/detail/normal_iterator.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system/detail/bad_alloc.h>
#include <thrust/system_error.h>

#include "simt/kernel_templates.hpp"

namespace simt {
inline namespace SIMT_FLAVOR {

// Writes an algorithm's result to the host's memory, to which kernels otherwise have no access.
SIMT_UNCHECKED void hand_over(volatile char* to, const void* from, size_t bytes) {
    const auto* source = static_cast<const volatile char*>(from);
    for (size_t i = 0; i < bytes; ++i) to[i] = source[i];
}

enum class AlgorithmEnd : char { none, returned, threw };

// The result travels as bytes, like everything that a GPU and its host exchange.
template <class Result>
struct AlgorithmOutcome {
    AlgorithmEnd end = AlgorithmEnd::none;
    alignas(Result) char result[sizeof(Result)];
};
template <>
struct AlgorithmOutcome<void> {
    AlgorithmEnd end = AlgorithmEnd::none;
};

template <class T>
struct alignas(T) Bytes {
    char bytes[sizeof(T)];
    T* get() { return reinterpret_cast<T*>(bytes); }
};

template <class Outcome>
SIMT_INLINE void hand_over_end(Outcome* outcome, AlgorithmEnd end) {
    hand_over(reinterpret_cast<char*>(&outcome->end), &end, sizeof end);
}

// Runs on the device. The result's destructor does not run here: the host takes over the result.
template <class Result, class Call>
__attribute__((noinline)) void run_algorithm(Call& call, AlgorithmOutcome<Result>* outcome) {
    try {
        if constexpr (std::is_void_v<Result>) {
            call();
        } else {
            Bytes<Result> result;
            new (static_cast<void*>(result.bytes)) Result(call());
            hand_over(outcome->result, result.bytes, sizeof(Result));
        }
        hand_over_end(outcome, AlgorithmEnd::returned);
    } catch (...) {
        hand_over_end(outcome, AlgorithmEnd::threw);  // no exception leaves a kernel
    }
}

inline void throw_if_failed(cudaError_t error, const char* what) {
    if (error != cudaSuccess) throw thrust::system_error(error, thrust::cuda_category(), what);
}

template <class Call>
auto launch_algorithm(const char* name, cudaStream_t stream, Call call) {
    using Result = decltype(call());
    AlgorithmOutcome<Result> outcome;
    cudaGetLastError();
    launch_without_bounds([](auto body, AlgorithmOutcome<Result>* to) { run_algorithm<Result>(body, to); }, name,
                          configure(1, 1, 0, stream))(std::move(call), &outcome);
    throw_if_failed(cudaPeekAtLastError(), name);
    throw_if_failed(cudaStreamSynchronize(stream), name);
    if (outcome.end != AlgorithmEnd::returned) throw thrust::system::detail::bad_alloc(name);
    if constexpr (!std::is_void_v<Result>) {
        Bytes<Result> result;
        hand_over(result.bytes, outcome.result, sizeof(Result));
        struct Owner {
            Result* owned;
            ~Owner() { owned->~Result(); }
        } owner{result.get()};
        return Result(std::move(*owner.owned));
    }
}

}  // namespace SIMT_FLAVOR
}  // namespace simt

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

// On the device the elements of a vector are plain memory, which Thrust sorts faster.
template <class Argument>
Argument as_plain_memory(Argument argument) {
    return argument;
}
template <class Pointer>
auto as_plain_memory(thrust::detail::normal_iterator<Pointer> iterator) {
    return thrust::raw_pointer_cast(iterator.base());
}

// Inside a kernel an algorithm runs only in the calling thread.
#define SIMT_ALGORITHM(name)                                                                     \
    template <class Policy, class... Arguments>                                                  \
    auto name(execution_policy<Policy>& policy, Arguments... arguments) {                        \
        auto call = [=]() mutable {                                                              \
            thrust::detail::seq_t sequential;                                                    \
            using Result = decltype(name(sequential, arguments...));                             \
            if constexpr (std::is_void_v<Result> || std::is_arithmetic_v<Result>) {              \
                return name(sequential, as_plain_memory(arguments)...);                          \
            } else {                                                                             \
                return name(sequential, arguments...);                                           \
            }                                                                                    \
        };                                                                                       \
        if (simt::on_device()) return call();                                                    \
        return simt::launch_algorithm("thrust::" #name, get_stream(derived_cast(policy)), call); \
    }
// clang-format off
#define SIMT_ALGORITHMS(X) \
    X(adjacent_difference) X(all_of) X(any_of) X(binary_search) X(copy) X(copy_if) X(copy_n) X(count) X(count_if) \
    X(equal) X(equal_range) X(exclusive_scan) X(exclusive_scan_by_key) X(fill) X(fill_n) X(find) X(find_if) \
    X(find_if_not) X(for_each) X(for_each_n) X(gather) X(gather_if) X(generate) X(generate_n) X(inclusive_scan) \
    X(inclusive_scan_by_key) X(inner_product) X(is_partitioned) X(is_sorted) X(is_sorted_until) X(lower_bound) \
    X(max_element) X(merge) X(merge_by_key) X(min_element) X(minmax_element) X(mismatch) X(none_of) X(partition) \
    X(partition_copy) X(partition_point) X(reduce) X(reduce_by_key) X(remove) X(remove_copy) X(remove_copy_if) \
    X(remove_if) X(replace) X(replace_copy) X(replace_copy_if) X(replace_if) X(reverse) X(reverse_copy) X(scatter) \
    X(scatter_if) X(sequence) X(set_difference) X(set_difference_by_key) X(set_intersection) \
    X(set_intersection_by_key) X(set_symmetric_difference) X(set_symmetric_difference_by_key) X(set_union) \
    X(set_union_by_key) X(shuffle) X(shuffle_copy) X(sort) X(sort_by_key) X(stable_partition) \
    X(stable_partition_copy) X(stable_sort) X(stable_sort_by_key) X(swap_ranges) X(tabulate) X(transform) \
    X(transform_exclusive_scan) X(transform_if) X(transform_inclusive_scan) X(transform_reduce) \
    X(uninitialized_copy) X(uninitialized_copy_n) X(uninitialized_fill) X(uninitialized_fill_n) X(unique) \
    X(unique_by_key) X(unique_by_key_copy) X(unique_copy) X(unique_count) X(upper_bound)
// clang-format on
SIMT_ALGORITHMS(SIMT_ALGORITHM)
#undef SIMT_ALGORITHMS
#undef SIMT_ALGORITHM

}  // namespace cuda_cub
THRUST_NAMESPACE_END
