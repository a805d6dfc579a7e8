// The reductions on the host: the reference, and two rows of the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/measure/parallel.hpp"
#include "kernels/reduce/operators.cuh"

namespace BACKEND {

// References and partial results on the host are kept wider than the elements.
template <typename T>
using Wide = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;

// The host's elements, and what to do with them.
template <typename T>
struct HostInput {
    const T* values = nullptr;
    size_t n = 0;
    Operation operation = Operation::sum;
};

template <typename T>
Wide<T> combine(Operation operation, Wide<T> a, Wide<T> b) {
    return with_operator<Wide<T>>(operation, [=](auto op) { return op.combine(a, b); });
}

// No elements reduce to the identity of T's operation, not of Wide<T>'s: the smallest of no i32 is the largest i32.
template <typename T>
Wide<T> reduce_share(const HostInput<T>& input, size_t begin, size_t end) {
    return with_operator<Wide<T>>(input.operation, [&](auto op) {
        Wide<T> total = identity_of<T>(input.operation);
        for (size_t i = begin; i < end; ++i) total = op.combine(total, static_cast<Wide<T>>(input.values[i]));
        return total;
    });
}

template <typename T>
Wide<T> reduce_on_one_core(const HostInput<T>& input) {
    return reduce_share(input, 0, input.n);
}

template <typename T>
Wide<T> reduce_on_all_cores(const HostInput<T>& input) {
    return parallel_reduce(
        input.n, Wide<T>{identity_of<T>(input.operation)},
        [&](size_t begin, size_t end) { return reduce_share(input, begin, end); },
        [&](Wide<T> a, Wide<T> b) { return combine<T>(input.operation, a, b); });
}

}  // namespace BACKEND
