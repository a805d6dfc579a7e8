// SPDX-License-Identifier: MIT
// The operators of reductions and scans.
#pragma once

#include <type_traits>
#include <utility>

#include "../util_type.cuh"

CUB_NAMESPACE_OPEN

struct Equality {
    template <typename T, typename U>
    constexpr bool operator()(T&& t, U&& u) const {
        return std::forward<T>(t) == std::forward<U>(u);
    }
};
struct Inequality {
    template <typename T, typename U>
    constexpr bool operator()(T&& t, U&& u) const {
        return std::forward<T>(t) != std::forward<U>(u);
    }
};
template <typename EqualityOp>
struct InequalityWrapper {
    EqualityOp op;
    constexpr InequalityWrapper(EqualityOp op) : op(op) {}
    template <typename T, typename U>
    constexpr bool operator()(T&& t, U&& u) {
        return !op(std::forward<T>(t), std::forward<U>(u));
    }
};
struct Sum {
    template <typename T, typename U>
    constexpr auto operator()(T&& t, U&& u) const -> decltype(std::forward<T>(t) + std::forward<U>(u)) {
        return std::forward<T>(t) + std::forward<U>(u);
    }
};
struct Difference {
    template <typename T, typename U>
    constexpr auto operator()(T&& t, U&& u) const -> decltype(std::forward<T>(t) - std::forward<U>(u)) {
        return std::forward<T>(t) - std::forward<U>(u);
    }
};
struct Division {
    template <typename T, typename U>
    constexpr auto operator()(T&& t, U&& u) const -> decltype(std::forward<T>(t) / std::forward<U>(u)) {
        return std::forward<T>(t) / std::forward<U>(u);
    }
};
struct Max {
    template <typename T, typename U>
    constexpr std::common_type_t<T, U> operator()(T&& t, U&& u) const {
        return t < u ? u : t;
    }
};
struct Min {
    template <typename T, typename U>
    constexpr std::common_type_t<T, U> operator()(T&& t, U&& u) const {
        return u < t ? u : t;
    }
};

/// Of pairs of an index and a value, that with the greatest value; of several, the first.
struct ArgMax {
    template <typename T, typename OffsetT>
    constexpr KeyValuePair<OffsetT, T> operator()(const KeyValuePair<OffsetT, T>& a,
                                                  const KeyValuePair<OffsetT, T>& b) const {
        return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <typename T, typename OffsetT>
    constexpr KeyValuePair<OffsetT, T> operator()(const KeyValuePair<OffsetT, T>& a,
                                                  const KeyValuePair<OffsetT, T>& b) const {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};

template <typename B>
struct CastOp {
    template <typename A>
    constexpr B operator()(A&& a) const {
        return static_cast<B>(a);
    }
};
template <typename ScanOp>
class SwizzleScanOp {
public:
    constexpr SwizzleScanOp(ScanOp op) : op_(op) {}
    template <typename T>
    constexpr T operator()(const T& a, const T& b) {
        return op_(T(b), T(a));
    }

private:
    ScanOp op_;
};

/// Pairs of a count of heads and a value: a value is reduced since the last head.
template <typename ReductionOpT>
struct ReduceBySegmentOp {
    ReductionOpT op;
    constexpr ReduceBySegmentOp() = default;
    constexpr ReduceBySegmentOp(ReductionOpT op) : op(op) {}
    template <typename Pair>
    constexpr Pair operator()(const Pair& first, const Pair& second) {
        Pair result = second;
        result.key = first.key + second.key;
        if (!second.key) result.value = op(first.value, second.value);
        return result;
    }
};
template <typename ReductionOpT>
struct ReduceByKeyOp {
    ReductionOpT op;
    constexpr ReduceByKeyOp() = default;
    constexpr ReduceByKeyOp(ReductionOpT op) : op(op) {}
    template <typename Pair>
    constexpr Pair operator()(const Pair& first, const Pair& second) {
        Pair result = second;
        if (first.key == second.key) result.value = op(first.value, second.value);
        return result;
    }
};

CUB_NAMESPACE_CLOSE
