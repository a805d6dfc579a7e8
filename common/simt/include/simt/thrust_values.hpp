// SPDX-License-Identifier: MIT
// Single elements of Thrust's containers on the device, and copies between host and device: bytes that cudaMemcpyAsync
// moves in the policy's stream.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include <thrust/copy.h>
#include <thrust/detail/pointer.h>
#include <thrust/distance.h>
#include <thrust/system/cuda/detail/cross_system.h>
#include <thrust/type_traits/is_contiguous_iterator.h>

#include "simt/thrust_algorithms.hpp"

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {
namespace simt_detail {

template <class Iterator>
using ValueOf = thrust::detail::it_value_t<Iterator>;

inline void move_bytes(void* to, const void* from, size_t bytes, cudaStream_t stream) {
    simt::throw_if_failed(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "thrust::copy");
    simt::throw_if_failed(cudaStreamSynchronize(stream), "thrust::copy");
}

// The stream of the policy; of two policies, that of the device's.
template <class Policy>
cudaStream_t stream_of(execution_policy<Policy>& policy) {
    return get_stream(derived_cast(policy));
}
template <class First, class Second>
cudaStream_t stream_of(execution_policy<cross_system<First, Second>>& policies) {
    auto& both = derived_cast(policies);
    return get_stream(derived_cast(select_device_system(derived_cast(both.sys1), derived_cast(both.sys2))));
}

template <class Policy>
constexpr bool is_device = std::is_base_of_v<execution_policy<Policy>, Policy>;

// Storage for `count` values on the host or on the device.
template <class T>
class HostArray {
public:
    explicit HostArray(size_t count) : bytes_(new simt::Bytes<T>[count]) {}
    T* get() const { return reinterpret_cast<T*>(bytes_.get()); }

private:
    std::unique_ptr<simt::Bytes<T>[]> bytes_;
};

template <class T>
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

template <class First, class Second, class Input, class Size, class Output>
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

template <class First, class Second, class Input, class Output>
Output copy(cross_system<First, Second>& policies, Input first, Input last, Output result) {
    return simt_detail::copy_across(policies, first, thrust::distance(first, last), result);
}
template <class First, class Second, class Input, class Size, class Output>
Output copy_n(cross_system<First, Second>& policies, Input first, Size count, Output result) {
    return simt_detail::copy_across(policies, first, count, result);
}
template <class First, class Second, class Input, class Output>
Output uninitialized_copy(cross_system<First, Second>& policies, Input first, Input last, Output result) {
    return simt_detail::copy_across(policies, first, thrust::distance(first, last), result);
}
template <class First, class Second, class Input, class Size, class Output>
Output uninitialized_copy_n(cross_system<First, Second>& policies, Input first, Size count, Output result) {
    return simt_detail::copy_across(policies, first, count, result);
}

template <class Policy, class Pointer>
simt_detail::ValueOf<Pointer> get_value(execution_policy<Policy>& policy, Pointer pointer) {
    using Value = simt_detail::ValueOf<Pointer>;
    if (simt::on_device()) return *thrust::raw_pointer_cast(pointer);
    simt_detail::HostArray<Value> value(1);
    simt_detail::move_bytes(value.get(), thrust::raw_pointer_cast(pointer), sizeof(Value),
                            simt_detail::stream_of(policy));
    return *value.get();
}

template <class Policy, class Target, class Source>
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

template <class Policy, class First, class Second>
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
