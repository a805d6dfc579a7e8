// SPDX-License-Identifier: MIT
// What Thrust's containers and algorithms need of the device.
#pragma once

#include <thrust/copy.h>
#include <thrust/detail/pointer.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/detail/seq.h>
#include <thrust/distance.h>
#include <thrust/iterator/detail/normal_iterator.h>
#include <thrust/system/cuda/detail/cross_system.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system/detail/bad_alloc.h>
#include <thrust/system_error.h>
#include <thrust/type_traits/is_contiguous_iterator.h>

#include <memory>
#include <type_traits>
#include <utility>

#include "cuda_runtime.h"

namespace simt {

// ---- algorithms

// simcc hides the GPU's compiler from the toolkit's headers, which then define the
// types of their CUDA system (policies, pointers, memory resources) but none of its algorithms. Those are here: each
// runs Thrust's own sequential algorithm as a kernel of one thread in the policy's stream, and the host waits for it.
// So an algorithm is ordered with other work as on a GPU, and the checkers see it like any other kernel.

inline namespace SIMT_FLAVOR {

/// Writes an algorithm's result to the host's memory, to which kernels otherwise have no access.
SIMT_UNCHECKED void hand_over(volatile char* to, const void* from, size_t bytes) {
    const auto* source = static_cast<const volatile char*>(from);
    for (size_t i = 0; i < bytes; ++i) to[i] = source[i];
}

enum class AlgorithmEnd : char { none, returned, threw };

/// The result travels as bytes, like everything that a GPU and its host exchange.
template <typename Result>
struct AlgorithmOutcome {
    AlgorithmEnd end = AlgorithmEnd::none;
    alignas(Result) char result[sizeof(Result)];
};
template <>
struct AlgorithmOutcome<void> {
    AlgorithmEnd end = AlgorithmEnd::none;
};

template <typename T>
struct alignas(T) RoomFor {
    char bytes[sizeof(T)];
    T* get() { return reinterpret_cast<T*>(bytes); }
};

template <typename Outcome>
SIMT_INLINE void hand_over_end(Outcome* outcome, AlgorithmEnd end) {
    hand_over(reinterpret_cast<char*>(&outcome->end), &end, sizeof end);
}

/// Runs on the device. The result's destructor does not run here: the host takes over the result.
template <typename Result, typename Call>
__attribute__((noinline)) void run_algorithm(Call& call, AlgorithmOutcome<Result>* outcome) {
    try {
        if constexpr (std::is_void_v<Result>) {
            call();
        } else {
            RoomFor<Result> result;
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

/// The only thread of such a kernel may store its result on the host.
template <typename Result>
struct OutcomeOnHost {
    AlgorithmOutcome<Result>* place;
};

template <typename Call>
auto launch_algorithm(const char* name, cudaStream_t stream, Call call) {
    using Result = decltype(call());
    AlgorithmOutcome<Result> outcome;
    cudaGetLastError();
    launch_without_bounds([](auto body, OutcomeOnHost<Result> to) { run_algorithm<Result>(body, to.place); }, name,
                          configure(1, 1, 0, stream))(std::move(call), OutcomeOnHost<Result>{&outcome});
    throw_if_failed(cudaPeekAtLastError(), name);
    throw_if_failed(cudaStreamSynchronize(stream), name);
    if (outcome.end != AlgorithmEnd::returned) throw thrust::system::detail::bad_alloc(name);
    if constexpr (!std::is_void_v<Result>) {
        RoomFor<Result> result;
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

/// On the device the elements of a vector are plain memory, which Thrust sorts faster.
template <typename Argument>
Argument as_plain_memory(Argument argument) {
    return argument;
}
template <typename Pointer>
auto as_plain_memory(thrust::detail::normal_iterator<Pointer> iterator) {
    return thrust::raw_pointer_cast(iterator.base());
}

// Inside a kernel an algorithm runs only in the calling thread.
#define SIMT_ALGORITHM(name)                                                                     \
    template <typename Policy, typename... Arguments>                                            \
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
/// clang-format on
SIMT_ALGORITHMS(SIMT_ALGORITHM)
#undef SIMT_ALGORITHMS
#undef SIMT_ALGORITHM

}  // namespace cuda_cub
THRUST_NAMESPACE_END

// ---- values

// These are single elements of Thrust's containers on the device, and copies between host and device: bytes that
// cudaMemcpyAsync moves in the policy's stream.

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {
namespace simt_detail {

template <typename Iterator>
using ValueOf = thrust::detail::it_value_t<Iterator>;

inline void move_bytes(void* to, const void* from, size_t bytes, cudaStream_t stream) {
    simt::throw_if_failed(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "thrust::copy");
    simt::throw_if_failed(cudaStreamSynchronize(stream), "thrust::copy");
}

/// The stream of the policy; of two policies, that of the device's.
template <typename Policy>
cudaStream_t stream_of(execution_policy<Policy>& policy) {
    return get_stream(derived_cast(policy));
}
template <typename First, typename Second>
cudaStream_t stream_of(execution_policy<cross_system<First, Second>>& policies) {
    auto& both = derived_cast(policies);
    return get_stream(derived_cast(select_device_system(derived_cast(both.sys1), derived_cast(both.sys2))));
}

template <typename Policy>
constexpr bool is_device = std::is_base_of_v<execution_policy<Policy>, Policy>;

/// Storage for `count` values on the host or on the device.
template <typename T>
class HostArray {
public:
    explicit HostArray(size_t count) : bytes_(new simt::RoomFor<T>[count]) {}
    T* get() const { return reinterpret_cast<T*>(bytes_.get()); }

private:
    std::unique_ptr<simt::RoomFor<T>[]> bytes_;
};

template <typename T>
class DeviceArray {
public:
    explicit DeviceArray(size_t count) {
        simt::throw_if_failed(cudaMalloc(&pointer_, count * sizeof(T)), "thrust::copy");
    }
    ~DeviceArray() { cudaFree(pointer_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    T* get() const { return static_cast<T*>(pointer_); }

private:
    void* pointer_ = nullptr;
};

template <typename First, typename Second, typename Input, typename Size, typename Output>
Output copy_across(cross_system<First, Second>& policies, Input first, Size count, Output result) {
    using Value = ValueOf<Input>;
    if (count <= 0) return result;
    const auto n = static_cast<size_t>(count);
    Output end = result;
    thrust::advance(end, count);
    const cudaStream_t stream = stream_of(policies);
    constexpr bool same = std::is_same_v<Value, ValueOf<Output>> && thrust::is_contiguous_iterator<Input>::value &&
                          thrust::is_contiguous_iterator<Output>::value;
    if constexpr (same) {
        move_bytes(const_cast<std::remove_cv_t<Value>*>(thrust::raw_pointer_cast(&*result)),
                   thrust::raw_pointer_cast(&*first), n * sizeof(Value), stream);
    } else if constexpr (is_device<First>) {
        DeviceArray<Value> gathered(n);
        HostArray<Value> arrived(n);
        copy_n(derived_cast(policies.sys1), first, count, gathered.get());
        move_bytes(arrived.get(), gathered.get(), n * sizeof(Value), stream);
        for (size_t i = 0; i < n; ++i, ++result) *result = arrived.get()[i];
    } else {
        HostArray<Value> gathered(n);
        DeviceArray<Value> arrived(n);
        for (size_t i = 0; i < n; ++i, ++first) new (static_cast<void*>(gathered.get() + i)) Value(*first);
        move_bytes(arrived.get(), gathered.get(), n * sizeof(Value), stream);
        copy_n(derived_cast(policies.sys2), arrived.get(), count, result);
    }
    return end;
}

}  // namespace simt_detail

template <typename First, typename Second, typename Input, typename Output>
Output copy(cross_system<First, Second>& policies, Input first, Input last, Output result) {
    return simt_detail::copy_across(policies, first, thrust::distance(first, last), result);
}
template <typename First, typename Second, typename Input, typename Size, typename Output>
Output copy_n(cross_system<First, Second>& policies, Input first, Size count, Output result) {
    return simt_detail::copy_across(policies, first, count, result);
}
template <typename First, typename Second, typename Input, typename Output>
Output uninitialized_copy(cross_system<First, Second>& policies, Input first, Input last, Output result) {
    return simt_detail::copy_across(policies, first, thrust::distance(first, last), result);
}
template <typename First, typename Second, typename Input, typename Size, typename Output>
Output uninitialized_copy_n(cross_system<First, Second>& policies, Input first, Size count, Output result) {
    return simt_detail::copy_across(policies, first, count, result);
}

template <typename Policy, typename Pointer>
simt_detail::ValueOf<Pointer> get_value(execution_policy<Policy>& policy, Pointer pointer) {
    using Value = simt_detail::ValueOf<Pointer>;
    if (simt::on_device()) return *thrust::raw_pointer_cast(pointer);
    simt_detail::HostArray<Value> value(1);
    simt_detail::move_bytes(value.get(), thrust::raw_pointer_cast(pointer), sizeof(Value),
                            simt_detail::stream_of(policy));
    return *value.get();
}

template <typename Policy, typename Target, typename Source>
void assign_value(execution_policy<Policy>& policy, Target target, Source source) {
    using Value = simt_detail::ValueOf<Target>;
    if (simt::on_device()) {
        *thrust::raw_pointer_cast(target) = *thrust::raw_pointer_cast(source);
    } else if constexpr (std::is_same_v<Value, simt_detail::ValueOf<Source>>) {
        simt_detail::move_bytes(thrust::raw_pointer_cast(target), thrust::raw_pointer_cast(source), sizeof(Value),
                                simt_detail::stream_of(policy));
    } else {
        using Other = simt_detail::ValueOf<Source>;
        const cudaStream_t stream = simt_detail::stream_of(policy);
        simt_detail::HostArray<Other> other(1);
        simt_detail::move_bytes(other.get(), thrust::raw_pointer_cast(source), sizeof(Other), stream);
        const Value value(*other.get());
        simt_detail::move_bytes(thrust::raw_pointer_cast(target), &value, sizeof(Value), stream);
    }
}

template <typename Policy, typename First, typename Second>
void iter_swap(execution_policy<Policy>& policy, First first, Second second) {
    if (simt::on_device()) {
        using std::swap;
        swap(*thrust::raw_pointer_cast(first), *thrust::raw_pointer_cast(second));
    } else {
        const auto kept = get_value(policy, first);
        assign_value(policy, first, second);
        assign_value(policy, second, &kept);
    }
}

}  // namespace cuda_cub
THRUST_NAMESPACE_END
